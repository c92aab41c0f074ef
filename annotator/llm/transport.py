"""The connections to one endpoint: permits, limits of size and time per exchange, TLS, proxy, interruption."""

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
from annotator.llm.endpoint_errors import BROKEN_OFF, TOO_LARGE, BadAnswerError
from annotator.llm.limiter import Limiter
from annotator.llm.requests import Endpoint

ANSWER_LIMIT = 16 * 1024 * 1024
"""The size limit of an answer in bytes, headers included."""
FILE_LIMIT = 4 * 1024**3
"""The size limit of a batch's answer file in bytes."""
FILE_S = 3600.0
"""The time limit of a batch's answer file in seconds."""
RECORD_S = 30.0
"""The time limit of a batch record, which is small."""
_IDLE_S = 30.0
_HEADERS = frozenset(
    {"host", "accept", "accept-encoding", "connection", "content-type", "content-length"}
    | {"user-agent", "authorization", "idempotency-key"}
)
_ACCOUNT_HEADERS = frozenset(("openai-organization", "openai-project"))


class _Exchange(threading.local):
    """The current exchange of this thread; only the thread that sent a request reads its answer."""

    started = 0.0
    deadline = math.inf
    bytes_left = 0
    large = small = False
    headers: Mapping[str, str] = MappingProxyType({})

    def begin(self, seconds: float) -> None:
        self.started = time.monotonic()
        if self.large:
            seconds = max(seconds, FILE_S)
        elif self.small:
            seconds = min(seconds, RECORD_S)
        self.deadline = self.started + seconds
        self.bytes_left = FILE_LIMIT if self.large else ANSWER_LIMIT


class LimitedTransport(httpx2.BaseTransport):
    """A connection pool that sends when the limiter grants a permit, bounds each answer, and can be interrupted.

    A permit is held only while a request is on the wire, so that our own computing never leaves the endpoint idle.
    """

    def __init__(self, endpoint: Endpoint, limiter: Limiter) -> None:
        """Configure the pool without connecting. Raises `MissingEnvironmentError` for an unusable proxy."""
        parts = urlsplit(endpoint.base_url)
        # The organisation and project headers are meant for OpenAI alone. The package's headers with this machine's
        # system and versions are never sent, for privacy.
        is_openai = (parts.hostname or "").endswith(".openai.com")
        self._sent_headers = _HEADERS | _ACCOUNT_HEADERS if is_openai else _HEADERS
        self._limiter = limiter
        self._total_s = endpoint.total_s
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
        """Send a request and return its response once the headers have arrived."""
        # The request object keeps its headers, because the openai package reads its options from them.
        headers = [pair for pair in request.headers.raw if pair[0].decode("ascii").lower() in self._sent_headers]
        if not self._limiter.acquire():
            raise Cancelled
        url = request.url
        assert isinstance(request.stream, httpx2.SyncByteStream)
        pool_request = httpcore2.Request(
            method=request.method,
            url=httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=headers,
            content=request.stream,
            extensions=request.extensions,
        )
        self._exchange.begin(self._total_s)
        try:
            with _translate_errors():
                pool_response = self._pool.handle_request(pool_request)
        except BaseException:
            self._limiter.release()
            raise
        response = httpx2.Response(
            pool_response.status,
            headers=pool_response.headers,
            stream=_Body(pool_response, self._limiter),
            extensions={},
        )
        self._exchange.headers = {name.lower(): value for name, value in response.headers.items()}
        return response

    @contextlib.contextmanager
    def large_answers(self) -> Iterator[None]:
        """Apply the limits of files to this thread's requests within the block."""
        self._exchange.large = True
        try:
            yield
        finally:
            self._exchange.large = False

    @contextlib.contextmanager
    def small_answers(self) -> Iterator[None]:
        """Apply the limits of batch records to this thread's requests within the block."""
        self._exchange.small = True
        try:
            yield
        finally:
            self._exchange.small = False

    def interrupt(self) -> None:
        """Abort all exchanges in all threads: their reads fail at once."""
        self._backend.interrupt()

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()


class _Body(httpx2.SyncByteStream):
    """The body of a response; releases the permit when it is closed."""

    def __init__(self, response: httpcore2.Response, limiter: Limiter) -> None:
        self._response, self._limiter = response, limiter
        self._closed = False

    def __iter__(self) -> Iterator[bytes]:
        try:
            encoding = _read_encoding(self._response)
            if encoding not in ("", "identity"):
                # A compressed body could expand without bound; we requested identity.
                raise BadAnswerError(TOO_LARGE, f"the answer is compressed, which was not requested ({encoding[:40]})")
            with _translate_errors():
                try:
                    yield from self._response.iter_stream()
                except (httpcore2.RemoteProtocolError, httpcore2.ReadError) as error:
                    raise BadAnswerError(BROKEN_OFF, "the answer broke off before its end") from error
        except BaseException:
            # The openai package does not close an error response whose body is unreadable.
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


def _read_encoding(response: httpcore2.Response) -> str:
    encodings = [value for name, value in response.headers if name.lower() == b"content-encoding"]
    return b",".join(encodings).decode("latin-1").strip().lower()


class _Stream(httpcore2.NetworkStream):
    """A connection whose reads and writes respect the deadline and byte limit of their exchange.

    A timeout between two pieces does not bound the whole: headers and bodies could trickle in forever.
    """

    def __init__(self, inner: httpcore2.NetworkStream, backend: _Backend) -> None:
        self._inner, self._backend = inner, backend
        backend.watch(inner.get_extra_info("socket"))

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        exchange = self._backend.exchange
        data = self._inner.read(max_bytes, self._remaining_s(timeout))
        exchange.bytes_left -= len(data)
        if exchange.bytes_left < 0:
            raise BadAnswerError(TOO_LARGE, f"the answer is too large (more than {ANSWER_LIMIT:,} bytes)")
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, self._remaining_s(timeout))

    def _remaining_s(self, timeout: float | None) -> float:
        remaining_s = self._backend.exchange.deadline - time.monotonic()
        if remaining_s <= 0:
            raise httpcore2.ReadTimeout("the whole answer took too long")
        return remaining_s if timeout is None else min(timeout, remaining_s)

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, timeout), self._backend)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _Backend(httpcore2.NetworkBackend):
    """Opens connections and keeps track of the open ones."""

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
        stream = _Stream(self._inner.connect_tcp(host, port, timeout, local_address, socket_options), self)
        self.connected = True
        return stream

    def watch(self, opened_socket: socket.socket) -> None:
        """Register a socket to be shut down on interruption."""
        with self._lock:
            self._sockets.add(opened_socket)
            is_interrupted = self._interrupted
        if is_interrupted:
            _shut_down(opened_socket)

    def interrupt(self) -> None:
        with self._lock:
            self._interrupted = True
            open_sockets = list(self._sockets)
        for open_socket in open_sockets:
            _shut_down(open_socket)


def _shut_down(open_socket: socket.socket) -> None:
    with contextlib.suppress(OSError):
        # Not SSLSocket.shutdown, which would drop the TLS state while another thread reads.
        socket.socket.shutdown(open_socket, socket.SHUT_RDWR)


@contextlib.contextmanager
def _translate_errors() -> Iterator[None]:
    """Translate httpcore2's errors into those of httpx2, which the openai package handles."""
    try:
        yield
    except httpcore2.ConnectTimeout as error:
        raise httpx2.ConnectError(str(error)) from error
    except httpcore2.TimeoutException as error:
        raise httpx2.ReadTimeout(str(error)) from error
    except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.ProxyError) as error:
        raise httpx2.NetworkError(str(error)) from error


def _open_pool(proxy: httpx2.Proxy | None, max_connections: int, backend: _Backend) -> httpcore2.ConnectionPool:
    pool_proxy = None
    if proxy is not None:
        url = proxy.url
        proxy_url = httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
        pool_proxy = httpcore2.Proxy(proxy_url, auth=proxy.raw_auth, headers=proxy.headers.raw)
    return httpcore2.ConnectionPool(
        ssl_context=httpx2.create_ssl_context(),
        proxy=pool_proxy,
        max_connections=max_connections,
        max_keepalive_connections=max_connections,
        keepalive_expiry=_IDLE_S,
        network_backend=backend,
    )


def _find_proxy(scheme: str, host: str | None) -> httpx2.Proxy | None:
    """Return the proxy for this address according to the environment, or None.

    Raises `MissingEnvironmentError` for anything but an HTTP proxy.
    """
    proxies = getproxies()
    address = proxies.get(scheme) or proxies.get("all")
    if not address or not host or proxy_bypass(host) or host in ("localhost", "127.0.0.1", "::1"):
        return None
    try:
        proxy = httpx2.Proxy(address if "://" in address else f"http://{address}")
        if proxy.url.scheme == "http" and proxy.url.host:
            return proxy
    except (ValueError, httpx2.InvalidURL):
        pass
    raise MissingEnvironmentError(
        "The proxy that the environment names cannot be used: only HTTP proxies can. Change it, or name the endpoint "
        "in no_proxy."
    )
