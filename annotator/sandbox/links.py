"""A link to one supervisor: sends and receives frames over any transport."""

from __future__ import annotations

import json
import shutil
import socket
import struct
import subprocess
from abc import ABC, abstractmethod
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

from annotator.base.resources import resource_path

_LENGTH = struct.Struct(">I")
_STDOUT = 1
SUPERVISOR_MODULES = (
    "wire",
    "confine",
    "clean",
    "solution",
    "testing",
    "remote",
    "crossing",
    "judge",
    "measured",
    "patience",
    "python_unit",
    "program_unit",
    "supervisor",
)
_MAX_STDERR_BYTES = 8192
_RESULT_PARTS = ("stdout", "stderr", "result", "coverage")
"""The parts that follow a result's frame, in this order."""
_MAX_FRAME_BYTES = 256 * 1024 * 1024
_READ_BYTES = 1 << 18

BOOT = (
    "import json,os,sys,types\n"
    "def take(n):\n"
    " b=b''\n"
    " while len(b)<n:\n"
    "  p=os.read(0,n-len(b))\n"
    "  if not p: sys.exit(0)\n"
    "  b+=p\n"
    " return b\n"
    "w=json.loads(take(int.from_bytes(take(4),'big')))\n"
    "for n,s in w['modules']:\n"
    " m=types.ModuleType(n); sys.modules[n]=m; exec(compile(s,'supervisor:'+n,'exec'),m.__dict__)\n"
    "w=sys.modules['supervisor'].serve(w['setup'])\n"
    "if w: w()\n"
)
"""First program of Python in the sandbox: it reads the supervisor from its input, so images need no copy of it."""


class LinkClosedError(Exception):
    """The supervisor has ended, or its stream is unreadable."""


class Link(ABC):
    """Frames to and from a supervisor. Not thread-safe: one thread owns it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.stderr = b""
        self._outgoing = bytearray()
        self._incoming = bytearray()

    @abstractmethod
    def fileno(self) -> int:
        """Return the descriptor that becomes readable when there is something to read."""

    @abstractmethod
    def _receive(self) -> bytes:
        """Return what the supervisor has written, or b"" if nothing new. Raises `LinkClosedError`."""

    @abstractmethod
    def _transmit(self, data: memoryview) -> int:
        """Send as many bytes as possible without waiting; return their number."""

    @abstractmethod
    def close(self) -> None:
        """End the supervisor and everything in it."""

    def start(self, setup: dict[str, Any]) -> None:
        """Send the supervisor's own code and its settings."""
        folder = resource_path("sandbox", "supervisor")
        modules = [(name, (folder / f"{name}.py").read_text(encoding="utf-8")) for name in SUPERVISOR_MODULES]
        self.send({"modules": modules, "setup": setup})

    def send(self, head: dict[str, Any], *parts: bytes) -> None:
        """Queue a frame and the raw parts that follow it."""
        data = json.dumps(head, separators=(",", ":")).encode("ascii")
        self._outgoing += _LENGTH.pack(len(data)) + data
        for part in parts:
            self._outgoing += part
        self.flush()

    @property
    def wants_to_write(self) -> bool:
        """Return whether there is still something to send."""
        return bool(self._outgoing)

    def flush(self) -> None:
        """Send as much as possible without waiting. Raises `LinkClosedError`."""
        while self._outgoing:
            with memoryview(self._outgoing) as view:
                sent = self._transmit(view)
            if not sent:
                return
            del self._outgoing[:sent]

    def frames(self) -> list[dict[str, Any]]:
        """Return the frames that have arrived completely. Raises `LinkClosedError`."""
        while data := self._receive():
            self._incoming += data
        complete = []
        while len(self._incoming) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._incoming)
            if length > _MAX_FRAME_BYTES:
                raise LinkClosedError("the supervisor's stream is out of step")
            end = _LENGTH.size + length
            if len(self._incoming) < end:
                break
            frame = _parse_frame(bytes(self._incoming[_LENGTH.size : end]))
            sizes = _part_sizes(frame)
            if len(self._incoming) < end + sum(sizes):
                break
            if sizes:
                _add_parts(frame, bytes(self._incoming[end : end + sum(sizes)]), sizes)
            complete.append(frame)
            del self._incoming[: end + sum(sizes)]
        return complete

    def _keep_stderr(self, data: bytes) -> None:
        self.stderr = (self.stderr + data)[-_MAX_STDERR_BYTES:]


def _parse_frame(data: bytes) -> dict[str, Any]:
    """Parse a frame. Raises `LinkClosedError` for anything that a supervisor never writes."""
    try:
        frame: object = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise LinkClosedError("the supervisor's stream cannot be read") from error
    if not isinstance(frame, dict):
        raise LinkClosedError("the supervisor's stream cannot be read")
    return frame


def _part_sizes(frame: dict[str, Any]) -> list[int]:
    """Return how many bytes of each kind follow a frame. Raises `LinkClosedError` for invalid sizes."""
    sizes = frame.get("sizes", [])
    if sizes and (len(sizes) != len(_RESULT_PARTS) or not 0 <= sum(sizes) <= _MAX_FRAME_BYTES):
        raise LinkClosedError("the supervisor's stream is out of step")
    return list(sizes)


def _add_parts(frame: dict[str, Any], data: bytes, sizes: list[int]) -> None:
    """Add what the job wrote to its frame: output as text, reports and coverage parsed."""
    parts, start = {}, 0
    for name, size in zip(_RESULT_PARTS, sizes, strict=True):
        parts[name] = data[start : start + size]
        start += size
    frame["stdout"] = parts["stdout"].decode("utf-8", "replace")
    frame["stderr"] = parts["stderr"].decode("utf-8", "replace")
    frame["records"] = [_parse_record(line) for line in parts["result"].split(b"\n") if line.strip()]
    if parts["coverage"]:
        frame["coverage"] = _parse_record(parts["coverage"])


def _parse_record(line: bytes) -> Any:
    """Read a report, None if it is not JSON: the answer may have written anything to the channel."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


class _BaseSocketLink(Link):
    """A link whose frames go over one socket."""

    ended: ClassVar[str]
    """The error message when the other end has closed."""

    def __init__(self, name: str, stream: socket.socket) -> None:
        super().__init__(name)
        self._socket = stream
        self._socket.setblocking(False)

    def fileno(self) -> int:
        """Return the socket's descriptor."""
        return self._socket.fileno()

    def _receive(self) -> bytes:
        return self._read()

    def _read(self) -> bytes:
        try:
            data = self._socket.recv(_READ_BYTES)
        except BlockingIOError:
            return b""
        except OSError as error:
            raise LinkClosedError(str(error)) from error
        if not data:
            raise LinkClosedError(self.ended)
        return data

    def _transmit(self, data: memoryview) -> int:
        try:
            return self._socket.send(data)
        except BlockingIOError:
            return 0
        except OSError as error:
            raise LinkClosedError(str(error)) from error


class SocketLink(_BaseSocketLink):
    """The attached streams of a container: one socket, on which Docker interleaves stdout and stderr."""

    ended = "the container ended"

    def __init__(self, name: str, stream: socket.socket) -> None:
        super().__init__(name, stream)
        self._raw = bytearray()

    def _receive(self) -> bytes:
        while data := self._read():
            self._raw += data
            if output := self._demultiplex():
                return output
            if len(data) < _READ_BYTES:
                break
        return b""

    def _demultiplex(self) -> bytes:
        output = bytearray()
        while len(self._raw) >= 8:
            length = int.from_bytes(self._raw[4:8], "big")
            if len(self._raw) < 8 + length:
                break
            payload = bytes(self._raw[8 : 8 + length])
            if self._raw[0] == _STDOUT:
                output += payload
            else:
                self._keep_stderr(payload)
            del self._raw[: 8 + length]
        return bytes(output)

    def close(self) -> None:
        """Close the socket; the supervisor, and with it the container, ends when its input ends."""
        with suppress(OSError):
            # Docker's client may hold another descriptor of the same connection.
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


class ProcessLink(_BaseSocketLink):
    """A supervisor that is a process of this machine (bubblewrap, or no isolation at all), on one socket."""

    ended = "the process ended"

    def __init__(self, name: str, argv: list[str], folder: Path | None = None) -> None:
        """Start the process; ``folder`` is removed when it has ended."""
        ours, theirs = socket.socketpair()
        super().__init__(name, ours)
        self._folder = folder
        with theirs:
            self._process = subprocess.Popen(
                argv, stdin=theirs.fileno(), stdout=theirs.fileno(), stderr=subprocess.DEVNULL, start_new_session=True
            )

    def close(self) -> None:
        """End the process: its children end with it, or are ended by it."""
        self._socket.close()
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
