"""Ask for an answer in pieces (server-sent events), through the openai package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx2
import openai

from annotator.llm.answers import Content, read_stream
from annotator.llm.connections import Connections
from annotator.llm.errors import BadAnswerError, StatusError, WireError, WireTimeoutError
from annotator.llm.transport import GatedTransport
from annotator.llm.whole import NO_KEY, account_headers

_OWN_HEADERS = tuple(
    f"X-Stainless-{name}" for name in ("Lang", "Package-Version", "OS", "Arch", "Runtime", "Runtime-Version", "Async")
)
_ACCOUNT_HEADERS = ("OpenAI-Organization", "OpenAI-Project")


class StreamAsker:
    """Asks one endpoint for streams. None of the package's errors leave here: they hold the request with its key."""

    def __init__(self, connections: Connections, base_url: str, key: str) -> None:
        """Send through these connections."""
        # Nobody needs to know this machine's system and versions, nor the account that another endpoint is paid from.
        left_out = _OWN_HEADERS if account_headers(base_url) else (*_OWN_HEADERS, *_ACCOUNT_HEADERS)
        self._api = openai.OpenAI(
            api_key=key or NO_KEY,
            base_url=base_url,
            timeout=None,
            max_retries=0,
            # Omit is taken, though the annotation does not say so.
            default_headers={name: openai.Omit() for name in left_out},  # type: ignore[misc]
            http_client=openai.DefaultHttpx2Client(
                transport=GatedTransport(connections), timeout=None, follow_redirects=False
            ),
        )

    def post(self, path: str, body: Mapping[str, Any], digest: str, *, chat: bool) -> Content:
        """Return what the pieces come to.

        Raises `StatusError`, `WireError`, `Cancelled`, `BadAnswerError`, and ValueError for JSON that does not parse.
        """
        asked = dict(body) | {"stream": True, "stream_options": {"include_usage": True}}
        options: Any = {"headers": {"Idempotency-Key": digest}}
        try:
            stream = self._api.post(
                path, cast_to=object, body=asked, options=options, stream=True, stream_cls=openai.Stream[object]
            )
            with stream:
                kind = stream.response.headers.get("content-type", "")
                if "event-stream" not in kind:
                    raise BadAnswerError(
                        "wrong content", f"the endpoint sent {kind or 'an unnamed type'}, not a stream"
                    )
                return read_stream(stream, chat=chat)
        except openai.APIStatusError as error:
            headers = {name.lower(): value for name, value in error.response.headers.items()}
            raise StatusError(error.status_code, error.body, headers) from None
        except openai.APITimeoutError:
            raise WireTimeoutError("the endpoint took too long") from None
        except openai.APIConnectionError as error:
            raise WireError(_root(error)) from None
        except (openai.APIError, httpx2.HTTPError) as error:
            raise BadAnswerError("error in the stream", f"the endpoint broke off: {error}") from None

    def close(self) -> None:
        """Let go of the package's own resources."""
        self._api.close()


def _root(error: BaseException) -> str:
    """Return the innermost cause in words: "connection error" alone says nothing."""
    seen: BaseException = error
    while seen.__cause__ is not None:
        seen = seen.__cause__
    return str(seen) or type(seen).__name__
