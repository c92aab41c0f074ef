"""Between the openai package and the network: permits, the time limit of a whole answer, and a way to interrupt.

A permit is held while a request is on the wire and no longer: what is computed before and after must not keep the
endpoint waiting.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
import weakref
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx2

from annotator.base.errors import MissingEnvironmentError
from annotator.jobs.progress import Cancelled
from annotator.llm.limiter import Limiter

ANSWER_LIMIT = 64 * 1024 * 1024
_CONNECTED = ("connection.connect_tcp.complete", "connection.start_tls.complete")


class GatedTransport(httpx2.BaseTransport):
    """Sends requests when the limiter has a permit for them; `interrupt` ends those under way."""

    def __init__(self, base_url: str, limiter: Limiter, total_s: float) -> None:
        """Go through the proxy that the environment names for this address, if any."""
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=limiter.most, keepalive_expiry=30.0)
        try:
            self._inner = httpx2.HTTPTransport(limits=limits, proxy=_proxy(base_url))
        except (ImportError, ValueError) as error:
            raise MissingEnvironmentError(f"The proxy named in the environment cannot be used ({error}).") from None
        self._limiter = limiter
        self._total_s = total_s
        self._sockets: weakref.WeakSet[socket.socket] = weakref.WeakSet()
        self._lock = threading.Lock()
        self._stopped = False
        self._local = threading.local()

    @property
    def started(self) -> float:
        """When this thread's last request got its permit (monotonic)."""
        return float(getattr(self._local, "started", 0.0))

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request. Raises `Cancelled` after `interrupt`."""
        if not self._limiter.acquire():
            raise Cancelled
        started = time.monotonic()
        self._local.started = started
        request.extensions["trace"] = self._trace
        try:
            response = self._inner.handle_request(request)
        except BaseException:
            self._limiter.release()
            raise
        if not isinstance(response.stream, httpx2.SyncByteStream):
            self._limiter.release()
            raise TypeError("the transport returned a stream of another kind")
        response.stream = _Body(response.stream, self._limiter, started + self._total_s, request)
        return response

    def _trace(self, name: str, info: dict[str, Any]) -> None:
        if name in _CONNECTED:
            found = info["return_value"].get_extra_info("socket")
            if isinstance(found, socket.socket):
                with self._lock:
                    self._sockets.add(found)
                    stopped = self._stopped
                if stopped:
                    _shut(found)

    def interrupt(self) -> None:
        """End what is under way in any thread: reads return at once, and fail."""
        with self._lock:
            self._stopped = True
            sockets = list(self._sockets)
        for item in sockets:
            _shut(item)

    def close(self) -> None:
        """Close the connections."""
        self._inner.close()


class _Body(httpx2.SyncByteStream):
    """The body of a response: gives the permit back when it is closed, and bounds how long and large it gets."""

    def __init__(
        self, inner: httpx2.SyncByteStream, limiter: Limiter, deadline: float, request: httpx2.Request
    ) -> None:
        self._inner, self._limiter, self._deadline, self._request = inner, limiter, deadline, request
        self._released = False

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for chunk in self._inner:
            size += len(chunk)
            if time.monotonic() > self._deadline:
                # Each piece came in time, all of them did not: a body can be dripped for ever.
                raise httpx2.ReadTimeout("the whole answer took too long", request=self._request)
            if size > ANSWER_LIMIT:
                raise httpx2.ReadError("the answer is too large", request=self._request)
            yield chunk

    def close(self) -> None:
        try:
            self._inner.close()
        finally:
            if not self._released:
                self._released = True
                self._limiter.release()


def _shut(item: socket.socket) -> None:
    with contextlib.suppress(OSError):
        # The plain socket's own method: that of a TLS socket would unwrap it under the thread that reads.
        socket.socket.shutdown(item, socket.SHUT_RDWR)


def _proxy(base_url: str) -> str | None:
    """Return the proxy that the environment names for this address (httpx looks only where it builds the transport)."""
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    proxies = getproxies()
    found = proxies.get(parts.scheme) or proxies.get("all")
    if not found or proxy_bypass(host) or host in ("localhost", "127.0.0.1", "::1"):
        return None
    return found if "://" in found else f"http://{found}"
