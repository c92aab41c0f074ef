"""The connections to one endpoint: permits, limits in bytes and time over every exchange, TLS, proxy, interruption."""

from __future__ import annotations

import contextlib
import math
import socket
import ssl
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass
from weakref import WeakSet

import httpcore2
import httpx2

from annotator.base.errors import MissingEnvironmentError
from annotator.jobs.progress import Cancelled
from annotator.llm.errors import BROKEN_OFF, TOO_LARGE, BadAnswerError
from annotator.llm.limiter import Limiter
from annotator.llm.requests import Endpoint

ANSWER_LIMIT = 16 * 1024 * 1024
"""How many bytes an answer may have, its headers included."""
FILE_LIMIT, FILE_S = 4 * 1024**3, 3600.0
"""How many bytes a file of a batch's answers may have, and how many seconds it may take."""
RECORD_S = 30.0
"""How many seconds a record of a batch may take, which is small and at hand."""
_IDLE_S = 30.0
_HEADERS = frozenset(
    {"host", "accept", "accept-encoding", "connection", "content-type", "content-length"}
    | {"user-agent", "authorization", "idempotency-key"}
)
_ACCOUNT_HEADERS = frozenset(("openai-organization", "openai-project"))


class _Exchange(threading.local):
    """The request that this thread has on the wire: it alone reads its answer."""

    started = 0.0
    deadline = math.inf
    left = 0
    large = small = False
    headers: Mapping[str, str] = MappingProxyType({})

    def begin(self, seconds: float) -> None:
        self.started = time.monotonic()
        seconds = max(seconds, FILE_S) if self.large else min(seconds, RECORD_S) if self.small else seconds
        self.deadline = self.started + seconds
        self.left = FILE_LIMIT if self.large else ANSWER_LIMIT


class LimitedTransport(httpx2.BaseTransport):
    """A pool of connections that sends when the limiter has a permit, bounds each answer, and can be interrupted.

    A permit is held while a request is on the wire and no longer: what is computed before and after must not keep the
    endpoint waiting.
    """

    def __init__(self, endpoint: Endpoint, limiter: Limiter) -> None:
        """Open nothing yet. Raises `MissingEnvironmentError` for a proxy that cannot be used."""
        parts = urlsplit(endpoint.base_url)
        # Organisation and project belong to the account at OpenAI, and to nobody else. This machine's system and
        # versions, which the package sends, are nobody's business.
        account = (parts.hostname or "").endswith(".openai.com")
        self._sent_headers = _HEADERS | _ACCOUNT_HEADERS if account else _HEADERS
        self._limiter, self._total_s = limiter, endpoint.total_s
        self._exchange = _Exchange()
        self._backend = _Backend(self._exchange)
        self._pool = _open_pool(_find_proxy(parts.scheme, parts.hostname), limiter.most, self._backend)

    @property
    def started(self) -> float:
        """When this thread's last request got its permit (monotonic)."""
        return self._exchange.started

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers of this thread's last answer, names in lower case."""
        return self._exchange.headers

    @property
    def connected(self) -> bool:
        """Whether any connection was ever made."""
        return self._backend.connected

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request and return its response once the headers are here."""
        # The request's own headers stay: the package reads from them how it was called.
        headers = [pair for pair in request.headers.raw if pair[0].decode("ascii").lower() in self._sent_headers]
        if not self._limiter.acquire():
            raise Cancelled
        url = request.url
        assert isinstance(request.stream, httpx2.SyncByteStream)
        sent = httpcore2.Request(
            method=request.method,
            url=httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=headers,
            content=request.stream,
            extensions=request.extensions,
        )
        self._exchange.begin(self._total_s)
        try:
            with _translate_errors():
                received = self._pool.handle_request(sent)
        except BaseException:
            self._limiter.release()
            raise
        response = httpx2.Response(
            received.status, headers=received.headers, stream=_Body(received, self._limiter), extensions={}
        )
        self._exchange.headers = {name.lower(): value for name, value in response.headers.items()}
        return response

    @contextlib.contextmanager
    def large_answers(self) -> Iterator[None]:
        """Let the answers that this thread asks for within the block be files."""
        self._exchange.large = True
        try:
            yield
        finally:
            self._exchange.large = False

    @contextlib.contextmanager
    def small_answers(self) -> Iterator[None]:
        """Let the answers that this thread asks for within the block be records that are soon there."""
        self._exchange.small = True
        try:
            yield
        finally:
            self._exchange.small = False

    def interrupt(self) -> None:
        """End what is on the wire in any thread: reads return at once, and fail."""
        self._backend.interrupt()

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()


class _Body(httpx2.SyncByteStream):
    """The body of a response; gives the permit back when it is closed."""

    def __init__(self, response: httpcore2.Response, limiter: Limiter) -> None:
        self._response, self._limiter = response, limiter
        self._closed = False

    def __iter__(self) -> Iterator[bytes]:
        try:
            encoding = _encoding_of(self._response)
            if encoding not in ("", "identity"):
                # What is packed could grow without bound when it is unpacked; we asked for it as it is.
                raise BadAnswerError(TOO_LARGE, f"the answer is packed, which was not asked for ({encoding[:40]})")
            with _translate_errors():
                try:
                    yield from self._response.iter_stream()
                except (httpcore2.RemoteProtocolError, httpcore2.ReadError) as error:
                    raise BadAnswerError(BROKEN_OFF, "the answer broke off before its end") from error
        except BaseException:
            # The package does not close the response of an error whose body cannot be read.
            self.close()
            raise

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        try:
            with _translate_errors():
                self._response.close()
        finally:
            self._limiter.release()


def _encoding_of(response: httpcore2.Response) -> str:
    found = [value for name, value in response.headers if name.lower() == b"content-encoding"]
    return b",".join(found).decode("latin-1").strip().lower()


class _Stream(httpcore2.NetworkStream):
    """A connection whose reads and writes end with the time and bytes of the exchange they belong to.

    A limit on the silence between two pieces is none on the whole: headers and bodies can be dripped for ever.
    """

    def __init__(self, inner: httpcore2.NetworkStream, backend: _Backend) -> None:
        self._inner, self._backend = inner, backend
        backend.watch(inner.get_extra_info("socket"))

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        exchange = self._backend.exchange
        data = self._inner.read(max_bytes, self._bound(timeout))
        exchange.left -= len(data)
        if exchange.left < 0:
            raise BadAnswerError(TOO_LARGE, f"the answer is too large (more than {ANSWER_LIMIT:,} bytes)")
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, self._bound(timeout))

    def _bound(self, timeout: float | None) -> float:
        left = self._backend.exchange.deadline - time.monotonic()
        if left <= 0:
            raise httpcore2.ReadTimeout("the whole answer took too long")
        return left if timeout is None else min(timeout, left)

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, timeout), self._backend)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _Backend(httpcore2.NetworkBackend):
    """Opens connections, and knows those that are open."""

    def __init__(self, exchange: _Exchange) -> None:
        self.exchange = exchange
        self.connected = False
        self._inner = httpcore2.SyncBackend()
        self._sockets: WeakSet[socket.socket] = WeakSet()
        self._lock = threading.Lock()
        self._interrupted = False

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        made = _Stream(self._inner.connect_tcp(host, port, timeout, local_address, socket_options), self)
        self.connected = True
        return made

    def watch(self, opened: socket.socket) -> None:
        """Remember a socket, to shut it down at an interruption."""
        with self._lock:
            self._sockets.add(opened)
            interrupted = self._interrupted
        if interrupted:
            _shut_down(opened)

    def interrupt(self) -> None:
        with self._lock:
            self._interrupted = True
            opened = list(self._sockets)
        for item in opened:
            _shut_down(item)


def _shut_down(opened: socket.socket) -> None:
    with contextlib.suppress(OSError):
        # The plain socket's own method: that of a TLS socket would unwrap it under the thread that reads.
        socket.socket.shutdown(opened, socket.SHUT_RDWR)


@contextlib.contextmanager
def _translate_errors() -> Iterator[None]:
    """Turn the errors of the connections into those of httpx2, which the openai package knows."""
    try:
        yield
    except httpcore2.ConnectTimeout as error:
        raise httpx2.ConnectError(str(error)) from error
    except httpcore2.TimeoutException as error:
        raise httpx2.ReadTimeout(str(error)) from error
    except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.ProxyError) as error:
        raise httpx2.NetworkError(str(error)) from error


def _open_pool(proxy: httpx2.Proxy | None, most: int, backend: _Backend) -> httpcore2.ConnectionPool:
    through = None
    if proxy is not None:
        url = proxy.url
        where = httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
        through = httpcore2.Proxy(where, auth=proxy.raw_auth, headers=proxy.headers.raw)
    return httpcore2.ConnectionPool(
        ssl_context=httpx2.create_ssl_context(),
        proxy=through,
        max_connections=most,
        max_keepalive_connections=most,
        keepalive_expiry=_IDLE_S,
        network_backend=backend,
    )


def _find_proxy(scheme: str, host: str | None) -> httpx2.Proxy | None:
    """Return the proxy that the environment names for this address.

    Raises `MissingEnvironmentError` for a proxy that is not an HTTP proxy.
    """
    proxies = getproxies()
    found = proxies.get(scheme) or proxies.get("all")
    if not found or not host or proxy_bypass(host) or host in ("localhost", "127.0.0.1", "::1"):
        return None
    try:
        proxy = httpx2.Proxy(found if "://" in found else f"http://{found}")
        if proxy.url.scheme == "http" and proxy.url.host:
            return proxy
    except (ValueError, httpx2.InvalidURL):
        pass
    raise MissingEnvironmentError(
        "The proxy that the environment names cannot be used: only HTTP proxies can. Change it, or name the endpoint "
        "in no_proxy."
    )
