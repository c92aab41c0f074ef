"""HTTP/1.1 as a client of one connection needs it: a request in one piece out, the head and the body of a reply in.

The standard library opens connections, tunnels and TLS; its own requests and replies cost several times what is read
and written here, and with many threads on one interpreter that decides how busy an endpoint is kept
(`tests/benchmarks/generation.py`). Replies are read by RFC 9112: what frames a body wrongly is refused, never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from annotator.llm.errors import WireError

_PIECE = 65_536
_LINE = 65_536
_HEADERS = 200
_INTERIM = 20
_STATUS = re.compile(rb"HTTP/(1\.[01]) ([0-9]{3})(?: [^\r\n]*)?\r?\n")
_NAME = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n]*)?\r?\n")
_END = (b"\r\n", b"\n")

Field = tuple[str, str]


def request(method: str, target: str, fields: Iterable[Field], content: bytes) -> bytes:
    """Return a request as it is sent. Raises `WireError` for a field that would break the head's lines."""
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in fields), "\r\n"]
    try:
        head = "\r\n".join(lines).encode("latin-1")
    except UnicodeEncodeError:
        raise WireError("a header of the request holds characters that cannot be sent") from None
    breaks = len(lines)
    if head.count(b"\n") != breaks or head.count(b"\r") != breaks or target.count(" "):
        raise WireError("a header of the request holds a line break")
    return head + content


class Reader:
    """What came over a connection and was not taken yet. ``receive`` returns up to so many bytes, none at the end."""

    def __init__(self, receive: Callable[[int], bytes]) -> None:
        """Hold nothing yet."""
        self._receive, self._held, self._at = receive, b"", 0

    @property
    def holds(self) -> bool:
        """Whether more came than was taken: after a whole reply, that is what nobody asked for."""
        return self._at < len(self._held)

    def line(self) -> bytes:
        """Take a line with its end; what there is of one if the connection ended."""
        looked = self._at
        while (end := self._held.find(b"\n", looked)) < 0:
            if len(self._held) - self._at > _LINE:
                raise WireError("a line of the answer's head is too long")
            piece = self._receive(_PIECE)
            if not piece:
                end = len(self._held)
                break
            self._held, self._at = self._held[self._at :] + piece, 0
            looked = len(self._held) - len(piece)
        line, self._at = self._held[self._at : end + 1], min(end + 1, len(self._held))
        return line

    def some(self, most: int) -> bytes:
        """Take up to so many bytes, as they come; none at the end."""
        if not self.holds:
            self._held, self._at = b"", 0
            return self._receive(min(most, _PIECE))
        piece = self._held[self._at : self._at + most]
        self._at += len(piece)
        return piece


class Incoming:
    """One reply: its status and fields at once, its body when `pieces` is read.

    ``reusable`` says, once the body was read to its end, whether the connection can carry another request.
    """

    def __init__(self, reader: Reader) -> None:
        """Read the head. Raises `WireError` for what is no HTTP reply; the reader's own errors pass through."""
        self._reader = reader
        self.status, version = self._status()
        interim = 0
        while 100 <= self.status < 200:
            _fields(reader)
            self.status, version = self._status()
            interim += 1
            if interim > _INTERIM:
                raise WireError("the endpoint never came to its answer")
        self.fields = _fields(reader)
        named: dict[str, str] = {}
        for name, value in self.fields:
            low = name.lower()
            named[low] = f"{named[low]}, {value}" if low in named else value
        self._chunked = _is_chunked(named.get("transfer-encoding", ""))
        self._length = None if self._chunked else _length(self.status, named.get("content-length"))
        kept = {item.strip().lower() for item in named.get("connection", "").split(",")}
        lasts = "close" not in kept if version == b"1.1" else "keep-alive" in kept
        self._lasts = lasts and (self._chunked or self._length is not None)
        self._complete = False

    @property
    def reusable(self) -> bool:
        """Whether the body was read to its end, nothing follows it, and the endpoint leaves the connection open."""
        return self._complete and self._lasts and not self._reader.holds

    def _status(self) -> tuple[int, bytes]:
        line = self._reader.line()
        if not line:
            raise WireError("the endpoint closed the connection without an answer")
        found = _STATUS.fullmatch(line)
        if found is None:
            raise WireError("what the endpoint sent is no HTTP answer")
        return int(found[2]), found[1]

    def pieces(self) -> Iterator[bytes]:
        """Yield the body as it comes. Raises `WireError` if it breaks off or is framed wrongly."""
        if self._chunked:
            yield from self._chunks()
        elif self._length is not None:
            yield from self._exactly(self._length)
        else:
            while piece := self._reader.some(_PIECE):
                yield piece
        self._complete = True

    def _exactly(self, left: int) -> Iterator[bytes]:
        while left:
            piece = self._reader.some(left)
            if not piece:
                raise WireError("the answer broke off")
            left -= len(piece)
            yield piece

    def _chunks(self) -> Iterator[bytes]:
        while True:
            found = _SIZE.fullmatch(self._reader.line())
            if found is None:
                raise WireError("the answer broke off")
            size = int(found[1], 16)
            if not size:
                break
            yield from self._exactly(size)
            if self._reader.line() not in _END:
                raise WireError("the answer broke off")
        _fields(self._reader)


def _fields(reader: Reader) -> list[Field]:
    """Read fields up to the empty line."""
    found: list[Field] = []
    lines = 0
    while (line := reader.line()) not in _END:
        lines += 1
        if lines > _HEADERS:
            raise WireError("the answer has too many headers")
        if not line.endswith(b"\n"):
            raise WireError("the answer broke off")
        name, colon, value = line.partition(b":")
        if colon and _NAME.fullmatch(name):
            found.append((name.decode("ascii"), value.strip().decode("latin-1")))
        elif found and line.startswith((b" ", b"\t")):
            # A field that goes on in the next line, as old servers write it.
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip().decode('latin-1')}")
        else:
            raise WireError("what the endpoint sent is no HTTP answer")
    return found


def _is_chunked(encoding: str) -> bool:
    if not encoding:
        return False
    if encoding.strip().lower() != "chunked":
        raise WireError(f"the answer is encoded in a way that was not asked for ({encoding[:40]})")
    return True


def _length(status: int, said: str | None) -> int | None:
    """Return how long a body is, None if the end of the connection says so."""
    if status in (204, 304):
        return 0
    if said is None:
        return None
    lengths = {item.strip() for item in said.split(",")}
    text = lengths.pop()
    # Repeated but equal is allowed; anything else could end an answer early.
    if lengths or not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise WireError("the answer has no length that can be read")
    return int(text)
