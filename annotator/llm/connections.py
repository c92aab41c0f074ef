"""Connections to one endpoint: permits, reuse, the time limit of an answer, and interruption.

A permit is held while a request is on the wire and no longer: what is computed before and after must not keep the
endpoint waiting. The standard library opens the connections, `http1` speaks over them: with many threads the work per
request, system calls and hand-overs of the interpreter decide how busy an endpoint is kept
(`tests/benchmarks/generation.py`).
"""

from __future__ import annotations

import base64
import contextlib
import http.client
import os
import select
import socket
import ssl
import struct
import threading
import time
from collections.abc import Iterable, Iterator
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from annotator.base.errors import MissingEnvironmentError
from annotator.jobs.progress import Cancelled
from annotator.llm.errors import NoConnectionError, WireError, WireTimeoutError
from annotator.llm.http1 import Field, Incoming, Reader, request
from annotator.llm.limiter import Limiter

ANSWER_LIMIT = 64 * 1024 * 1024


class _Kept:
    """Mixed into a connection that `http.client` opens: requests leave and replies come by `http1`."""

    reader: Reader | None = None

    def exchange(self, request: bytes) -> Incoming:
        """Send a request in one piece, and read the head of the reply."""
        opened: socket.socket = self.sock  # type: ignore[attr-defined]  # the connection's
        if self.reader is None:
            self.reader = Reader(opened.recv)
        opened.sendall(request)
        return Incoming(self.reader)


class _Plain(_Kept, http.client.HTTPConnection):
    pass


class _Secure(_Kept, http.client.HTTPSConnection):
    pass


Connection = _Plain | _Secure


class Connections:
    """Sends requests to one endpoint when the limiter has a permit for them; `interrupt` ends those under way.

    ``connect_s`` bounds the opening of a connection, ``read_s`` the silence between two pieces of an answer,
    ``total_s`` the whole of it.
    """

    def __init__(self, base_url: str, limiter: Limiter, *, connect_s: float, read_s: float, total_s: float) -> None:
        """Open nothing yet. Goes through the proxy that the environment names for this address, if any."""
        parts = urlsplit(base_url)
        self._host, self._port = parts.hostname or "", parts.port
        self._tls = _tls_context() if parts.scheme == "https" else None
        self._proxy = _proxy(parts.scheme, self._host)
        # A proxy that reads along is told the whole address.
        self._origin = f"{parts.scheme}://{parts.netloc}" if self._proxy is not None and self._tls is None else ""
        self._limiter = limiter
        self._connect_s, self._read_s, self._total_s = connect_s, read_s, total_s
        self._idle: list[Connection] = []
        self._open: set[Connection] = set()
        self._lock = threading.Lock()
        self._stopped = False
        self._local = threading.local()

    @property
    def started(self) -> float:
        """When this thread's last request got its permit (monotonic)."""
        return float(getattr(self._local, "started", 0.0))

    def send(self, method: str, target: str, headers: Iterable[Field], content: bytes) -> Reply:
        """Send one request and return the reply once its head is there; its body is still to be read.

        ``headers`` must name the host. Raises `Cancelled` after `interrupt`, and `WireError`.
        """
        fields = [*headers, *self._proxy[2].items()] if self._origin and self._proxy is not None else headers
        packed = request(method, self._origin + target, fields, content)
        if not self._limiter.acquire():
            raise Cancelled
        started = time.monotonic()
        self._local.started = started
        connection: Connection | None = None
        try:
            connection = self._connection()
            try:
                incoming = connection.exchange(packed)
            except (OSError, ValueError, AttributeError) as error:
                raise _ours(error) from error
        except BaseException:
            if connection is not None:
                self.drop(connection)
            self._limiter.release()
            raise
        return Reply(self, connection, incoming, started + self._total_s)

    def _connection(self) -> Connection:
        """Return an open connection: an idle one that the endpoint has not closed, else a new one."""
        while True:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                return self._connect()
            if connection.sock is not None and not _readable(connection.sock):
                return connection
            self.drop(connection)

    def _connect(self) -> Connection:
        host, port, headers = self._proxy or (self._host, self._port, {})
        connection = (
            _Secure(host, port, timeout=self._connect_s, context=self._tls)
            if self._tls is not None
            else _Plain(host, port, timeout=self._connect_s)
        )
        if self._proxy is not None and self._tls is not None:
            connection.set_tunnel(self._host, self._port or 443, headers)
        try:
            connection.connect()
        except TimeoutError as error:
            connection.close()
            raise WireTimeoutError("the endpoint did not take the connection") from error
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise NoConnectionError(str(error)) from error
        _bound(connection.sock, self._read_s)
        with self._lock:
            self._open.add(connection)
            stopped = self._stopped
        if stopped:
            self.drop(connection)
            raise Cancelled
        return connection

    def keep(self, connection: Connection) -> None:
        """Take a connection back for the next request, and its permit."""
        self._limiter.release()
        with self._lock:
            self._idle.append(connection)

    def drop(self, connection: Connection) -> None:
        """Close a connection."""
        with self._lock:
            self._open.discard(connection)
        connection.close()

    def give_up(self, connection: Connection) -> None:
        """Close a connection in the middle of an answer, and take its permit back."""
        self._limiter.release()
        self.drop(connection)

    def interrupt(self) -> None:
        """End what is under way in any thread: reads return at once, and fail."""
        with self._lock:
            self._stopped = True
            sockets = [connection.sock for connection in self._open if connection.sock is not None]
        for item in sockets:
            with contextlib.suppress(OSError):
                # The plain socket's own method: that of a TLS socket would unwrap it under the thread that reads.
                socket.socket.shutdown(item, socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the idle connections."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            self.drop(connection)


class Reply:
    """A response whose body is still to be read: bounds how long and large it gets.

    `close` gives connection and permit back; it must be called, whatever happened.
    """

    def __init__(self, connections: Connections, connection: Connection, incoming: Incoming, deadline: float) -> None:
        """Belong to `Connections.send`."""
        self._connections, self._connection, self._incoming = connections, connection, incoming
        self._deadline = deadline
        self._closed = False

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self._incoming.status

    @property
    def headers(self) -> list[tuple[str, str]]:
        """Name and value of every header."""
        return self._incoming.fields

    def pieces(self) -> Iterator[bytes]:
        """Yield the body as it comes. Raises `WireError` if it is late, too large, or breaks off."""
        size = 0
        try:
            for piece in self._incoming.pieces():
                size += len(piece)
                if time.monotonic() > self._deadline:
                    # Each piece came in time, all of them did not: a body can be dripped for ever.
                    raise WireTimeoutError("the whole answer took too long")
                if size > ANSWER_LIMIT:
                    raise WireError("the answer is too large")
                yield piece
        except (OSError, ValueError, AttributeError) as error:
            raise _ours(error) from error

    def close(self) -> None:
        """Give the connection back if it can be used again, and the permit in any case."""
        if self._closed:
            return
        self._closed = True
        if self._incoming.reusable:
            self._connections.keep(self._connection)
        else:
            self._connections.give_up(self._connection)


def _ours(error: Exception) -> WireError:
    """Return our name for an error of the system's. An interrupted connection's reader finds no socket any more."""
    if isinstance(error, (TimeoutError, BlockingIOError)):
        return WireTimeoutError("the endpoint was silent for too long")
    return WireError(str(error))


def _bound(item: socket.socket, seconds: float) -> None:
    """Bound how long a socket waits to send or to receive.

    The system does it for a plain one, with one call for each: Python's own time limit asks first and calls then, and
    every call is a turn of the interpreter that is lost. It ends in a `BlockingIOError`.
    """
    if os.name != "posix" or isinstance(item, ssl.SSLSocket):
        item.settimeout(seconds)
        return
    # None at all would be for ever.
    limit = struct.pack("ll", *divmod(max(1, int(seconds * 1_000_000)), 1_000_000))
    item.settimeout(None)
    item.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
    item.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)


def _tls_context() -> ssl.SSLContext:
    """Return what checks the endpoint's certificate: by the usual authorities, and those the environment names."""
    import httpx2

    return httpx2.create_ssl_context()


def _readable(item: socket.socket) -> bool:
    """Tell whether something waits on an idle connection: its end, or what nobody asked for."""
    if isinstance(item, ssl.SSLSocket) and item.pending():
        return True
    return bool(select.select([item], [], [], 0)[0]) if item.fileno() < 1024 else False


def _proxy(scheme: str, host: str) -> tuple[str, int | None, dict[str, str]] | None:
    """Return host, port and headers of the proxy that the environment names for this address.

    Raises `MissingEnvironmentError` for a proxy that is not an HTTP proxy.
    """
    proxies = getproxies()
    found = proxies.get(scheme) or proxies.get("all")
    if not found or proxy_bypass(host) or host in ("localhost", "127.0.0.1", "::1"):
        return None
    try:
        parts = urlsplit(found if "://" in found else f"http://{found}")
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme != "http" or not parts.hostname:
        raise MissingEnvironmentError(
            "The proxy that the environment names cannot be used: only HTTP proxies can. Change it, or name the "
            "endpoint in no_proxy."
        )
    if parts.username is None:
        return parts.hostname, port, {}
    secret = base64.b64encode(f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()).decode()
    return parts.hostname, port, {"Proxy-Authorization": f"Basic {secret}"}
