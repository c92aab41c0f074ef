"""Between the openai package and the network: permits, connections, the time limit of an answer, and interruption.

A permit is held while a request is on the wire and no longer: what is computed before and after must not keep the
endpoint waiting. The connections are the standard library's: with many threads the number of system calls and of
interpreter hand-overs decides how busy an endpoint is kept, and they need half as many as the default transport
(`tests/benchmarks/generation.py`).
"""

from __future__ import annotations

import base64
import contextlib
import http.client
import select
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx2

from annotator.base.errors import MissingEnvironmentError
from annotator.jobs.progress import Cancelled
from annotator.llm.limiter import Limiter

ANSWER_LIMIT = 64 * 1024 * 1024
_PIECE = 65_536


class _OnePiece:
    """Mixed into a connection: what is sent inside `together` leaves in one piece, so in one system call."""

    held: list[bytes] | None = None

    def send(self, data: Any) -> None:
        """Send, or hold back."""
        if self.held is None:
            super().send(data)  # type: ignore[misc]  # the connection's
        else:
            self.held.append(bytes(data))

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """Hold back what is sent, and send it at the end of the block."""
        held = self.held = []
        try:
            yield
        finally:
            self.held = None
        self.send(b"".join(held))


class _Plain(_OnePiece, http.client.HTTPConnection):
    pass


class _Secure(_OnePiece, http.client.HTTPSConnection):
    pass


Connection = _Plain | _Secure


class GatedTransport(httpx2.BaseTransport):
    """Sends requests to one endpoint when the limiter has a permit for them; `interrupt` ends those under way."""

    def __init__(self, base_url: str, limiter: Limiter, total_s: float) -> None:
        """Open nothing yet. Goes through the proxy that the environment names for this address, if any."""
        parts = urlsplit(base_url)
        self._host, self._port = parts.hostname or "", parts.port
        self._tls = httpx2.create_ssl_context() if parts.scheme == "https" else None
        self._proxy = _proxy(parts.scheme, self._host)
        self._limiter = limiter
        self._total_s = total_s
        self._idle: list[Connection] = []
        self._open: set[Connection] = set()
        self._lock = threading.Lock()
        self._stopped = False
        self._local = threading.local()

    @property
    def started(self) -> float:
        """When this thread's last request got its permit (monotonic)."""
        return float(getattr(self._local, "started", 0.0))

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request. Raises `Cancelled` after `interrupt`, and httpx's own errors."""
        if not self._limiter.acquire():
            raise Cancelled
        started = time.monotonic()
        self._local.started = started
        connection: Connection | None = None
        try:
            content = request.read()
            timeout = request.extensions.get("timeout", {})
            connection = self._connection(request, timeout)
            response = _exchange(connection, request, content, self._target(request))
        except BaseException:
            if connection is not None:
                self.drop(connection)
            self._limiter.release()
            raise
        body = _Body(self, connection, response, started + self._total_s, request)
        return httpx2.Response(response.status, headers=response.getheaders(), stream=body)

    def _connection(self, request: httpx2.Request, timeout: dict[str, Any]) -> Connection:
        """Return an open connection: an idle one that the endpoint has not closed, else a new one."""
        while True:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                return self._connect(request, timeout)
            if connection.sock is not None and not _readable(connection.sock):
                connection.sock.settimeout(timeout.get("read"))
                return connection
            self.drop(connection)

    def _connect(self, request: httpx2.Request, timeout: dict[str, Any]) -> Connection:
        host, port, headers = self._proxy or (self._host, self._port, {})
        connection = (
            _Secure(host, port, timeout=timeout.get("connect"), context=self._tls)
            if self._tls is not None
            else _Plain(host, port, timeout=timeout.get("connect"))
        )
        if self._proxy is not None and self._tls is not None:
            connection.set_tunnel(self._host, self._port or 443, headers)
        try:
            connection.connect()
        except TimeoutError as error:
            connection.close()
            raise httpx2.ConnectTimeout("the endpoint did not take the connection", request=request) from error
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise httpx2.ConnectError(str(error), request=request) from error
        connection.sock.settimeout(timeout.get("read"))
        with self._lock:
            self._open.add(connection)
            stopped = self._stopped
        if stopped:
            self.drop(connection)
            raise Cancelled
        return connection

    def _target(self, request: httpx2.Request) -> tuple[str, dict[str, str]]:
        """Return what stands in the request's first line, and headers for a proxy that reads along."""
        if self._proxy is not None and self._tls is None:
            return str(request.url), self._proxy[2]
        return request.url.raw_path.decode("ascii"), {}

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


class _Body(httpx2.SyncByteStream):
    """The body of a response: bounds how long and large it gets, and gives connection and permit back at its end."""

    def __init__(
        self,
        transport: GatedTransport,
        connection: Connection,
        response: http.client.HTTPResponse,
        deadline: float,
        request: httpx2.Request,
    ) -> None:
        self._transport, self._connection, self._response = transport, connection, response
        self._deadline, self._request = deadline, request
        self._complete = self._closed = False

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        while piece := self._piece():
            size += len(piece)
            if time.monotonic() > self._deadline:
                # Each piece came in time, all of them did not: a body can be dripped for ever.
                raise httpx2.ReadTimeout("the whole answer took too long", request=self._request)
            if size > ANSWER_LIMIT:
                raise httpx2.ReadError("the answer is too large", request=self._request)
            yield piece
        if self._response.length:
            raise httpx2.RemoteProtocolError("the answer broke off", request=self._request)
        self._complete = True

    def _piece(self) -> bytes:
        with _translated(self._request):
            return self._response.read1(_PIECE)

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        reusable = self._complete and not self._response.will_close
        self._response.close()
        if reusable:
            self._transport.keep(self._connection)
        else:
            self._transport.give_up(self._connection)


def _exchange(
    connection: Connection,
    request: httpx2.Request,
    content: bytes,
    target: tuple[str, dict[str, str]],
) -> http.client.HTTPResponse:
    """Send the request in one piece and read the head of the response."""
    with _translated(request):
        with connection.together():
            connection.putrequest(request.method, target[0], skip_host=True, skip_accept_encoding=True)
            for name, value in request.headers.raw:
                connection.putheader(name, value)
            for field, text in target[1].items():
                connection.putheader(field, text)
            connection.endheaders(content)
        return connection.getresponse()


@contextlib.contextmanager
def _translated(request: httpx2.Request) -> Iterator[None]:
    """Turn the standard library's errors into those that the openai package knows."""
    try:
        yield
    except TimeoutError as error:
        raise httpx2.ReadTimeout("the endpoint was silent for too long", request=request) from error
    except http.client.HTTPException as error:
        text = str(error) or type(error).__name__
        raise httpx2.RemoteProtocolError(text, request=request) from error
    except (OSError, AttributeError) as error:
        # An interrupted connection has no socket any more, which its reader finds as an attribute of None.
        raise httpx2.ReadError(str(error), request=request) from error


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
