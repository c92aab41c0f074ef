"""Send requests to one endpoint through the openai package and httpx2: permits, limits, TLS, proxy, interruption.

None of the package's errors leave this module: they hold the request with its key.
"""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass
from weakref import WeakSet

import httpx2
import openai

from annotator import __version__
from annotator.base.errors import MissingEnvironmentError
from annotator.jobs.progress import Cancelled
from annotator.llm.answers import Content, read_stream, read_whole
from annotator.llm.errors import BadAnswerError, StatusError, WireError, WireTimeoutError
from annotator.llm.limiter import Limiter
from annotator.llm.requests import Endpoint

ANSWER_LIMIT = 64 * 1024 * 1024
_NO_KEY = "none"
_IDLE_S = 30.0
_ENCODER = json.JSONEncoder(separators=(",", ":"))
_HEADERS = frozenset(
    {"host", "accept", "accept-encoding", "connection", "content-type", "content-length"}
    | {"user-agent", "authorization", "idempotency-key"}
)
_ACCOUNT_HEADERS = frozenset(("openai-organization", "openai-project"))


class OpenAIApi:
    """Posts JSON to one endpoint, from as many threads as like, and reads whole answers or streams.

    ``Endpoint.connect_s`` bounds the opening of a connection, ``read_s`` the silence between two pieces of an answer,
    ``total_s`` the whole of it.
    """

    def __init__(self, endpoint: Endpoint, key: str, limiter: Limiter) -> None:
        """Open nothing yet. Raises `MissingEnvironmentError` for a proxy that cannot be used."""
        parts = urlsplit(endpoint.base_url)
        self._headers = {"Authorization": f"Bearer {key or _NO_KEY}", "User-Agent": f"annotator/{__version__}"}
        # A compressed answer could grow without bound when it is unpacked.
        self._headers["Accept-Encoding"] = "identity"
        self._transport = _LimitedTransport(endpoint, limiter)
        timeout = httpx2.Timeout(endpoint.read_s, connect=endpoint.connect_s)
        self._api = openai.OpenAI(
            api_key=key or _NO_KEY,
            base_url=urlunsplit((parts.scheme, parts.netloc, parts.path, "", "")),
            default_query=dict(parse_qsl(parts.query, keep_blank_values=True)),
            timeout=timeout,
            max_retries=0,
            http_client=httpx2.Client(
                transport=self._transport, timeout=timeout, follow_redirects=False, trust_env=False
            ),
        )

    @property
    def started(self) -> float:
        """When this thread's last request got its permit (monotonic)."""
        return self._transport.started

    def post(self, path: str, body: Mapping[str, Any], digest: str, *, chat: bool, stream: bool) -> Content:
        """Return the content of the answer.

        ``digest`` lets an endpoint tell that it was asked this before. Raises `StatusError` for a status other than
        2xx, `WireError`, `Cancelled` after `interrupt`, `BadAnswerError`, and ValueError for JSON that does not parse.
        """
        try:
            if stream:
                return self._post_stream(path, body, digest, chat=chat)
            return self._post_whole(path, body, digest, chat=chat)
        except openai.APIStatusError as error:
            headers = {name.lower(): value for name, value in error.response.headers.items()}
            raise StatusError(error.status_code, error.body, headers) from None
        except (openai.APITimeoutError, httpx2.TimeoutException):
            raise WireTimeoutError("the endpoint took too long") from None
        except (openai.APIConnectionError, httpx2.TransportError) as error:
            raise WireError(_root_cause(error)) from None
        except (openai.APIError, httpx2.HTTPError) as error:
            raise BadAnswerError("error in the stream", f"the endpoint broke off: {error}") from None

    def _post_whole(self, path: str, body: Mapping[str, Any], digest: str, *, chat: bool) -> Content:
        response = self._api.post(
            path, cast_to=httpx2.Response, content=_encode(body), options={"headers": self._headers_of(digest)}
        )
        kind = response.headers.get("content-type", "")
        if not kind.partition(";")[0].strip().lower().endswith("json"):
            return read_whole(response.content.decode("utf-8", "replace"), chat=chat)
        return read_whole(json.loads(response.content), chat=chat)

    def _post_stream(self, path: str, body: Mapping[str, Any], digest: str, *, chat: bool) -> Content:
        pieces = self._api.post(
            path,
            cast_to=object,
            content=_encode({**body, "stream": True, "stream_options": {"include_usage": True}}),
            options={"headers": self._headers_of(digest)},
            stream=True,
            stream_cls=openai.Stream[object],
        )
        with pieces:
            kind = pieces.response.headers.get("content-type", "")
            if "event-stream" not in kind:
                raise BadAnswerError("wrong content", f"the endpoint sent {kind or 'an unnamed type'}, not a stream")
            return read_stream(pieces, chat=chat)

    def _headers_of(self, digest: str) -> dict[str, str]:
        return {**self._headers, "Idempotency-Key": digest}

    def interrupt(self) -> None:
        """End what is on the wire in any thread: reads return at once, and fail."""
        self._transport.interrupt()

    def close(self) -> None:
        """Close the connections."""
        self._api.close()


class _LimitedTransport(httpx2.BaseTransport):
    """A pool of connections that sends when the limiter has a permit, bounds each answer, and can be interrupted.

    A permit is held while a request is on the wire and no longer: what is computed before and after must not keep the
    endpoint waiting.
    """

    def __init__(self, endpoint: Endpoint, limiter: Limiter) -> None:
        parts = urlsplit(endpoint.base_url)
        # Organisation and project belong to the account at OpenAI, and to nobody else. This machine's system and
        # versions, which the package sends, are nobody's business.
        account = (parts.hostname or "").endswith(".openai.com")
        self._sent_headers = _HEADERS | _ACCOUNT_HEADERS if account else _HEADERS
        self._limiter, self._total_s = limiter, endpoint.total_s
        most = limiter.most
        limits = httpx2.Limits(max_connections=most, max_keepalive_connections=most, keepalive_expiry=_IDLE_S)
        self._pool = httpx2.HTTPTransport(limits=limits, proxy=_find_proxy(parts.scheme, parts.hostname))
        self._sockets: WeakSet[socket.socket] = WeakSet()
        self._lock = threading.Lock()
        self._interrupted = False
        self._local = threading.local()

    @property
    def started(self) -> float:
        return float(getattr(self._local, "started", 0.0))

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        for name in [name for name in request.headers if name not in self._sent_headers]:
            del request.headers[name]
        # httpx2's documented hook: connections are made inside the pool, and this is where they can be seen.
        request.extensions = {**request.extensions, "trace": self._trace}
        if not self._limiter.acquire():
            raise Cancelled
        self._local.started = started = time.monotonic()
        try:
            response = self._pool.handle_request(request)
        except BaseException:
            self._limiter.release()
            raise
        response.stream = _LimitedStream(response, started + self._total_s, self._limiter)
        return response

    def _trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Remember the sockets of new connections."""
        if not event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            return
        opened = info["return_value"].get_extra_info("socket")
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

    def close(self) -> None:
        self._pool.close()


class _LimitedStream(httpx2.SyncByteStream):
    """The body of a response: bounds how long and large it gets, and gives the permit back when it is closed."""

    def __init__(self, response: httpx2.Response, deadline: float, limiter: Limiter) -> None:
        self._stream, self._encoding = response.stream, response.headers.get("content-encoding", "identity")
        self._deadline, self._limiter = deadline, limiter
        self._closed = False

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        try:
            if self._encoding.strip().lower() not in ("", "identity"):
                raise httpx2.ReadError(f"the answer is encoded in a way that was not asked for ({self._encoding[:40]})")
            assert isinstance(self._stream, httpx2.SyncByteStream)
            for piece in self._stream:
                size += len(piece)
                if time.monotonic() > self._deadline:
                    # Each piece came in time, all of them did not: a body can be dripped for ever.
                    raise httpx2.ReadTimeout("the whole answer took too long")
                if size > ANSWER_LIMIT:
                    raise httpx2.ReadError("the answer is too large")
                yield piece
        except BaseException:
            # The package does not close the response of an error whose body cannot be read.
            self.close()
            raise

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        try:
            assert isinstance(self._stream, httpx2.SyncByteStream)
            self._stream.close()
        finally:
            self._limiter.release()


def _encode(body: Mapping[str, Any]) -> bytes:
    # Escaped, so that half a character pair in a prompt is still valid JSON.
    return _ENCODER.encode(body).encode("ascii")


def _shut_down(opened: socket.socket) -> None:
    with contextlib.suppress(OSError):
        # The plain socket's own method: that of a TLS socket would unwrap it under the thread that reads.
        socket.socket.shutdown(opened, socket.SHUT_RDWR)


def _root_cause(error: BaseException) -> str:
    """Return the innermost cause in words: "connection error" alone says nothing."""
    cause = error
    while cause.__cause__ is not None:
        cause = cause.__cause__
    return str(cause) or type(cause).__name__


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
