"""Between the openai package and our connections: what answers in a stream comes through here."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import httpx2

from annotator.llm.connections import Connections, Reply
from annotator.llm.errors import NoConnectionError, WireError, WireTimeoutError


class GatedTransport(httpx2.BaseTransport):
    """The package's way to the network; closing it leaves the connections to their owner."""

    def __init__(self, connections: Connections) -> None:
        """Send through these connections."""
        self._connections = connections

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request. Raises `Cancelled` after an interruption, and httpx's own errors."""
        target = request.url.raw_path.decode("ascii")
        with _translated(request):
            fields = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in request.headers.raw]
            reply = self._connections.send(request.method, target, fields, request.read())
        return httpx2.Response(reply.status, headers=reply.headers, stream=_Body(reply, request))


class _Body(httpx2.SyncByteStream):
    def __init__(self, reply: Reply, request: httpx2.Request) -> None:
        self._reply, self._request = reply, request

    def __iter__(self) -> Iterator[bytes]:
        with _translated(self._request):
            yield from self._reply.pieces()

    def close(self) -> None:
        self._reply.close()


@contextlib.contextmanager
def _translated(request: httpx2.Request) -> Iterator[None]:
    """Turn our errors into those that the openai package knows."""
    try:
        yield
    except WireTimeoutError as error:
        raise httpx2.ReadTimeout(str(error), request=request) from error
    except NoConnectionError as error:
        raise httpx2.ConnectError(str(error), request=request) from error
    except WireError as error:
        raise httpx2.ReadError(str(error), request=request) from error
