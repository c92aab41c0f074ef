"""Read and keep the answer of a model: text, finish reason, outcome and token usage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from annotator.llm.errors import BadAnswerError

ANSWER, EMPTY, REFUSAL, TRUNCATED = "answer", "empty", "refusal", "truncated"
OUTCOMES = (ANSWER, EMPTY, REFUSAL, TRUNCATED)


@dataclass(frozen=True, slots=True)
class Content:
    """The parts of an answer that come from the model. ``usage`` holds the server's own counts."""

    text: str
    finish_reason: str
    model: str
    usage: dict[str, int]

    @property
    def outcome(self) -> str:
        """What kind of answer this is; a limit on tokens is the model's to meet, so its text still counts."""
        if self.finish_reason in ("content_filter", "refusal"):
            return REFUSAL
        if self.finish_reason == "length":
            return TRUNCATED
        return ANSWER if self.text.strip() else EMPTY


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer with everything worth keeping. ``request`` is the body that was sent (it never holds a key).

    ``seconds`` is the time of the attempt that answered, without waits; ``retries`` counts the attempts before it.
    ``cached`` says that nothing was paid for it now.
    """

    request_hash: str
    text: str
    finish_reason: str
    outcome: str
    model: str
    usage: Mapping[str, int] = field(default_factory=dict)
    seconds: float | None = None
    retries: int = 0
    seed: int | None = None
    request: Mapping[str, Any] = field(default_factory=dict)
    cached: bool = False

    @property
    def prompt_tokens(self) -> int | None:
        """What the server counted for the question, or None if it did not say."""
        return self.usage.get("prompt_tokens")

    @property
    def completion_tokens(self) -> int | None:
        """What the server counted for the answer, or None if it did not say."""
        return self.usage.get("completion_tokens")


def read_whole(data: Any, *, chat: bool) -> Content:
    """Read a whole answer (one JSON document). Raises `BadAnswerError` if it is none, or if it broke off."""
    if isinstance(data, str):
        raise BadAnswerError("wrong content", f"the endpoint sent text instead of JSON: {data[:120]!r}")
    choice = _first_choice(data)
    if chat:
        message = choice.get("message")
        if not isinstance(message, Mapping):
            raise BadAnswerError("malformed answer", "the answer has no message")
        text, refusal = _text(message.get("content")), _text(message.get("refusal"))
    else:
        text, refusal = _text(choice.get("text")), ""
    return _content(text, refusal, choice.get("finish_reason"), data.get("model"), data.get("usage"))


def read_stream(chunks: Iterable[Any], *, chat: bool) -> Content:
    """Put a streamed answer together. Raises `BadAnswerError` if the stream ended before its finish reason.

    A stream that breaks off raises nothing of itself: only the missing finish reason tells.
    """
    parts: list[str] = []
    refusals: list[str] = []
    finish, model, usage = None, None, None
    for chunk in chunks:
        if not isinstance(chunk, Mapping):
            raise BadAnswerError("malformed answer", "a piece of the stream is not an object")
        model, usage = chunk.get("model") or model, chunk.get("usage") or usage
        choices = chunk.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
            continue  # the piece that holds the usage has no choice
        choice = choices[0]
        if chat:
            delta = choice.get("delta")
            delta = delta if isinstance(delta, Mapping) else {}
            parts.append(_text(delta.get("content")))
            refusals.append(_text(delta.get("refusal")))
        else:
            parts.append(_text(choice.get("text")))
        finish = choice.get("finish_reason") or finish
    return _content("".join(parts), "".join(refusals), finish, model, usage)


def _first_choice(data: Any) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        raise BadAnswerError("malformed answer", "the answer is not a JSON object")
    if data.get("error") and not data.get("choices"):
        error = data["error"]
        said = error.get("message") if isinstance(error, Mapping) else error
        raise BadAnswerError("error in the answer", f"the endpoint sent an error with status 200: {str(said)[:200]}")
    choices = data.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        raise BadAnswerError("malformed answer", "the answer has no choices")
    return choices[0]


def _text(value: Any) -> str:
    """Return a content as text: it may be null, a text, or a list of parts."""
    if value is None:
        return ""
    if isinstance(value, str):
        # Half a character pair cannot be stored; JSON may hold one all the same.
        return value if value.isascii() else value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return "".join(_text(part.get("text")) for part in value if isinstance(part, Mapping))
    raise BadAnswerError("malformed answer", "the answer's content is not text")


def _content(text: str, refusal: str, finish: Any, model: Any, usage: Any) -> Content:
    if not isinstance(finish, str) or not finish:
        raise BadAnswerError("broken stream", "the answer broke off before its finish reason")
    if refusal:
        text, finish = text or refusal, "refusal"
    return Content(text, finish, model if isinstance(model, str) else "", _counts(usage))


def _counts(usage: Any) -> dict[str, int]:
    """Return the server's counts, those inside details too ("completion_tokens_details.reasoning_tokens")."""
    if not isinstance(usage, Mapping):
        return {}
    counts: dict[str, int] = {}
    for name, value in usage.items():
        if isinstance(value, Mapping):
            counts |= {f"{name}.{inner}": number for inner, number in _counts(value).items()}
        elif isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            counts[str(name)] = value
    return counts
