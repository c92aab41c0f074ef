"""Send requests to one endpoint through the openai package.

None of the package's errors leave this module, because they hold the request with its key.
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any, Literal, TypeVar
from urllib.parse import parse_qsl, urlsplit, urlunsplit

import httpx2
import openai

from annotator import __version__
from annotator.llm.answers import ModelOutput, read_streamed_answer, read_whole_answer
from annotator.llm.endpoint_errors import (
    MALFORMED,
    TOO_LARGE,
    BadAnswerError,
    StatusError,
    UntrustedCertificateError,
    WireError,
    WireTimeoutError,
)
from annotator.llm.limiter import Limiter
from annotator.llm.requests import Endpoint
from annotator.llm.transport import ANSWER_LIMIT, LimitedTransport

_NO_KEY = "none"
_MAX_EXCERPT_BYTES = 300
_CHUNK_BYTES = 1 << 18
_Result = TypeVar("_Result")
_ENCODER = json.JSONEncoder(separators=(",", ":"))
BatchPath = Literal["/v1/chat/completions", "/v1/completions"]


class OpenAIApi:
    """A thread-safe client that posts JSON to one endpoint and reads whole answers or streams.

    ``Endpoint.connect_s`` bounds the opening of a connection, ``read_s`` the silence between two pieces of an answer,
    ``total_s`` the whole of it.
    """

    def __init__(self, endpoint: Endpoint, key: str, limiter: Limiter) -> None:
        """Configure the client without connecting. Raises `MissingEnvironmentError` for an unusable proxy."""
        parts = urlsplit(endpoint.base_url)
        self._headers = {"Authorization": f"Bearer {key or _NO_KEY}", "User-Agent": f"annotator/{__version__}"}
        # A compressed answer could expand without bound.
        self._headers["Accept-Encoding"] = "identity"
        self._transport = LimitedTransport(endpoint, limiter)
        timeout = httpx2.Timeout(endpoint.read_s, connect=endpoint.connect_s)
        self._api = openai.OpenAI(
            api_key=key or _NO_KEY,
            base_url=urlunsplit((parts.scheme, parts.netloc, parts.path, "", "")),
            default_query=dict(parse_qsl(parts.query, keep_blank_values=True)),
            timeout=timeout,
            # Callers retry: a run by its queue, `Client.ask` by its policy.
            max_retries=0,
            # The transport finds the proxy itself, so the client ignores the environment.
            http_client=httpx2.Client(
                transport=self._transport, timeout=timeout, follow_redirects=False, trust_env=False
            ),
        )

    @property
    def started(self) -> float:
        """When this thread's last request got its permit (monotonic)."""
        return self._transport.started

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers of this thread's last answer, names in lower case."""
        return self._transport.headers

    @property
    def connected(self) -> bool:
        """Whether any connection to the endpoint was ever made."""
        return self._transport.connected

    def post(self, path: str, body: Mapping[str, Any], digest: str, *, chat: bool, stream: bool) -> ModelOutput:
        """Return the content of the answer.

        ``digest`` is sent as idempotency key. Raises `StatusError` for a status other than 2xx, `WireError`, and
        `BadAnswerError` for an unreadable answer.
        """
        send = self._post_stream if stream else self._post_whole
        return self._translate(lambda: send(path, body, digest, chat=chat))

    def get(self, path: str) -> Any:
        """Return the JSON document at a path; raises the same errors as `post`."""
        return self._translate(lambda: self._get(path))

    def upload(self, name: str, file: IO[bytes]) -> Any:
        """Upload a JSON lines file of requests; return the endpoint's record. Raises the same errors as `post`."""
        send = self._api.files.with_raw_response.create
        return self._translate(
            lambda: _parse_document(send(file=(name, file), purpose="batch", extra_headers=self._headers).content)
        )

    def create_batch(self, file_id: str, path: BatchPath) -> Any:
        """Create a batch from a file of requests; return the endpoint's record. Raises the same errors as `post`."""
        send = self._api.batches.with_raw_response.create
        return self._translate(
            lambda: _parse_document(
                send(
                    completion_window="24h",
                    endpoint=path,
                    input_file_id=file_id,
                    extra_headers=self._headers_of(file_id),
                ).content
            )
        )

    def batch(self, batch_id: str) -> Any:
        """Return the endpoint's record of a batch. Raises the same errors as `post`."""
        send = self._api.batches.with_raw_response.retrieve
        with self._transport.small_answers():
            return self._translate(lambda: _parse_document(send(batch_id, extra_headers=self._headers).content))

    def batches(self, after: str = "") -> Any:
        """Return a page of the endpoint's batch records, newest first. Raises the same errors as `post`."""
        send = self._api.batches.with_raw_response.list
        with self._transport.small_answers():
            return self._translate(
                lambda: _parse_document(
                    send(after=after or openai.omit, limit=100, extra_headers=self._headers).content
                )
            )

    def iter_lines(self, file_id: str) -> Iterator[bytes]:
        """Yield the lines of a file as they arrive. Raises the same errors as `post`."""
        with self._transport.large_answers():
            pieces = self._translate_each(self._iter_pieces(file_id))
            unfinished_line = b""
            for piece in pieces:
                *lines, unfinished_line = (
                    (unfinished_line + piece).split(b"\n") if b"\n" in piece else (unfinished_line + piece,)
                )
                if len(unfinished_line) > ANSWER_LIMIT:
                    raise BadAnswerError(TOO_LARGE, f"a line of the file is too large (over {ANSWER_LIMIT:,} bytes)")
                yield from lines
            if unfinished_line:
                yield unfinished_line

    def _iter_pieces(self, file_id: str) -> Iterator[bytes]:
        send = self._api.files.with_streaming_response.content
        with send(file_id, extra_headers=self._headers) as response:
            yield from response.iter_bytes(_CHUNK_BYTES)

    def _translate_each(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        while piece := self._translate(lambda: next(pieces, b"")):
            yield piece

    def _translate(self, send: Callable[[], _Result]) -> _Result:
        """Call ``send`` and raise our errors instead of the package's."""
        try:
            return send()
        except openai.APIStatusError as error:
            headers = {name.lower(): value for name, value in error.response.headers.items()}
            raise StatusError(error.status_code, error.body, headers) from None
        except (openai.APITimeoutError, httpx2.TimeoutException):
            raise WireTimeoutError("the endpoint took too long") from None
        except (openai.APIConnectionError, httpx2.TransportError) as error:
            raise _find_bad_answer(error) or _innermost_wire_error(error) from None
        except (openai.APIError, httpx2.HTTPError) as error:
            raise BadAnswerError("error in the stream", f"the endpoint broke off: {error}") from None
        except (ValueError, RecursionError) as error:
            raise _find_bad_answer(error) or BadAnswerError(MALFORMED, "the answer is not valid JSON") from None

    def _get(self, path: str) -> Any:
        return _parse_document(self._api.get(path, cast_to=httpx2.Response, options={"headers": self._headers}).content)

    def _post_whole(self, path: str, body: Mapping[str, Any], digest: str, *, chat: bool) -> ModelOutput:
        response = self._api.post(
            path, cast_to=httpx2.Response, content=_encode(body), options={"headers": self._headers_of(digest)}
        )
        content_type = response.headers.get("content-type", "")
        content = response.content
        if not content_type.partition(";")[0].strip().lower().endswith("json"):
            raise BadAnswerError("wrong content", f"the endpoint sent text instead of JSON: {_excerpt(content)}")
        try:
            return read_whole_answer(json.loads(content), chat=chat)
        except BadAnswerError as error:
            raise BadAnswerError(error.cause, f"{error}: {_excerpt(content)}") from None
        except (ValueError, RecursionError):
            raise BadAnswerError(MALFORMED, f"the answer is not valid JSON: {_excerpt(content)}") from None

    def _post_stream(self, path: str, body: Mapping[str, Any], digest: str, *, chat: bool) -> ModelOutput:
        pieces = self._api.post(
            path,
            cast_to=object,
            content=_encode({**body, "stream": True, "stream_options": {"include_usage": True}}),
            options={"headers": self._headers_of(digest)},
            stream=True,
            stream_cls=openai.Stream[object],
        )
        with pieces:
            content_type = pieces.response.headers.get("content-type", "")
            if "event-stream" not in content_type:
                raise BadAnswerError(
                    "wrong content", f"the endpoint sent {content_type or 'an unnamed type'}, not a stream"
                )
            return read_streamed_answer(pieces, chat=chat)

    def _headers_of(self, digest: str) -> dict[str, str]:
        return {**self._headers, "Idempotency-Key": digest}

    def interrupt(self) -> None:
        """Abort all exchanges in all threads: their reads fail at once."""
        self._transport.interrupt()

    def close(self) -> None:
        """Close the connections."""
        self._api.close()


def _encode(body: Mapping[str, Any]) -> bytes:
    # ASCII with escapes, so that a lone surrogate in a prompt is still valid JSON.
    return _ENCODER.encode(body).encode("ascii")


def _parse_document(body: bytes) -> Any:
    return json.loads(body)


def _excerpt(body: bytes) -> str:
    """Return the beginning of an unreadable body, for the error message."""
    return repr(body[:_MAX_EXCERPT_BYTES].decode("utf-8", "replace"))


def _find_bad_answer(error: BaseException) -> BadAnswerError | None:
    """Return the `BadAnswerError` that our transport raised; the package wraps it in an error of its own."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, BadAnswerError):
        cause = cause.__cause__
    return cause


def _innermost_wire_error(error: BaseException) -> WireError:
    """Return the error for the innermost cause; the package's "connection error" says too little."""
    cause = error
    while cause.__cause__ is not None or cause.__context__ is not None:
        cause = cause.__cause__ or cause.__context__ or cause
    if isinstance(cause, ssl.SSLCertVerificationError):
        return UntrustedCertificateError(cause.verify_message.rstrip("."))
    return WireError(str(cause) or type(cause).__name__)
