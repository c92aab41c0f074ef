"""Parse a model's answer: text, finish reason, outcome and token usage.

An answer counts only with a finish reason that says how the model ended it (`ENDS`). Any other reason, or none, means
that the provider broke it off: it is requested again and never scored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from annotator.answers.normalising import without_reasoning
from annotator.llm.endpoint_errors import BROKEN_OFF, MALFORMED, NO_CHOICES, PROVIDER_FAILED, BadAnswerError
from annotator.model import token_usage

ANSWER, EMPTY, REFUSAL, TRUNCATED = "answer", "empty", "refusal", "truncated"
FILTERED, TOOL_CALL, CUT_REASONING = "filtered", "tool call", "truncated reasoning"
ONLY_REASONING = "only reasoning"
OUTCOMES = (ANSWER, EMPTY, REFUSAL, TRUNCATED, FILTERED, TOOL_CALL, CUT_REASONING, ONLY_REASONING)
ENDS = frozenset(("stop", "length", "content_filter", "refusal", "tool_calls", "function_call"))
"""The finish reasons of a complete answer, in OpenAI's words."""
UNKNOWN_END = "unknown"
"""The finish reason of a recorded answer without one in its file; it may have been cut off."""
_SAME_END = {
    **dict.fromkeys(("eos", "eos_token", "end_turn", "stop_sequence"), "stop"),
    **dict.fromkeys(("max_tokens", "model_length", "model_context_window_exceeded"), "length"),
    **dict.fromkeys(("safety", "recitation", "blocklist", "prohibited_content", "spii"), "content_filter"),
    "tool_use": "tool_calls",
}
"""OpenAI's words for the finish reasons of Google (ai.google.dev/api/generate-content: FinishReason), Anthropic
(docs.claude.com/en/api/handling-stop-reasons), Mistral and Hugging Face's servers."""
_MAX_USAGE_ENTRIES = 64
_MAX_NAME_LENGTH = 200
_MAX_COUNT = 2**53


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOutput:
    """The parts of an answer that come from the model. ``usage`` holds the server's token counts.

    ``reasoned`` says that the reasoning came in a separate field.
    """

    text: str
    finish_reason: str
    model: str
    usage: dict[str, int]
    reasoned: bool = False

    @property
    def outcome(self) -> str:
        """The kind of answer. A text cut at the token limit still counts: meeting the limit is the model's job."""
        if self.finish_reason == "content_filter":
            return FILTERED
        if self.finish_reason == "refusal":
            return REFUSAL
        has_text = bool(self.text.strip())
        if self.finish_reason == "length":
            return CUT_REASONING if self._is_still_thinking(has_text) else TRUNCATED
        if self.finish_reason in ("tool_calls", "function_call") and not has_text:
            return TOOL_CALL
        if has_text:
            return ANSWER
        return ONLY_REASONING if self.reasoned else EMPTY

    def _is_still_thinking(self, has_text: bool) -> bool:
        """Return whether the token limit was reached before the answer itself began."""
        if has_text:
            return without_reasoning(self.text).unfinished
        return self.reasoned or token_usage.reasoning_tokens(self.usage) > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer with its metadata. ``request`` is the body that was sent, which never holds a key.

    ``seconds`` is the duration of the successful attempt, without waits; ``retries`` counts the attempts before it.
    ``cached`` says that it came from the cache at no cost.
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
        """The server's count of prompt tokens, or None if it gave none."""
        return token_usage.prompt_tokens(self.usage)

    @property
    def completion_tokens(self) -> int | None:
        """The server's count of completion tokens as billed, or None if it gave none."""
        return token_usage.completion_tokens(self.usage)


def read_whole_answer(data: Any, *, chat: bool) -> ModelOutput:
    """Parse an answer sent as one JSON document. Raises `BadAnswerError` if it is malformed or broken off."""
    choice = _first_choice(data)
    has_reasoning = False
    if chat:
        message = choice.get("message")
        if message is None and normalise_finish_reason(choice.get("finish_reason")) == "content_filter":
            message = {}
        if not isinstance(message, Mapping):
            raise BadAnswerError(MALFORMED, "the answer has no message")
        text = _read_text(message.get("content"))
        refusal = _read_text(message.get("refusal"))
        has_reasoning = _has_thoughts(message)
    else:
        text = _read_text(choice.get("text"))
        refusal = ""
    return _make_output(text, refusal, choice.get("finish_reason"), data.get("model"), data.get("usage"), has_reasoning)


def read_streamed_answer(chunks: Iterable[Any], *, chat: bool) -> ModelOutput:
    """Assemble a streamed answer. Raises `BadAnswerError` if the stream ended before its finish reason.

    A stream that breaks off raises no error itself; only the missing finish reason shows it.
    """
    parts: list[str] = []
    refusals: list[str] = []
    finish = model = usage = None
    has_reasoning = False
    for chunk in chunks:
        if not isinstance(chunk, Mapping):
            raise BadAnswerError(MALFORMED, "a piece of the stream is not an object")
        model, usage = chunk.get("model") or model, chunk.get("usage") or usage
        choices = chunk.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
            continue  # the piece that holds the usage has no choice
        choice = choices[0]
        if chat:
            delta = choice.get("delta")
            delta = delta if isinstance(delta, Mapping) else {}
            parts.append(_read_text(delta.get("content")))
            refusals.append(_read_text(delta.get("refusal")))
            has_reasoning = has_reasoning or _has_thoughts(delta)
        else:
            parts.append(_read_text(choice.get("text")))
        finish = choice.get("finish_reason") or finish
    return _make_output("".join(parts), "".join(refusals), finish, model, usage, has_reasoning)


def _first_choice(data: Any) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        raise BadAnswerError(MALFORMED, "the answer is not a JSON object")
    if data.get("error") and not data.get("choices"):
        error = data["error"]
        message = error.get("message") if isinstance(error, Mapping) else error
        raise BadAnswerError("error in the answer", f"the endpoint sent an error with status 200: {str(message)[:200]}")
    choices = data.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        raise BadAnswerError(NO_CHOICES, "the answer has no choices")
    return choices[0]


def _read_text(value: Any) -> str:
    """Return a content field as text; it may be null, a string or a list of parts."""
    if value is None:
        return ""
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, list):
        return "".join(_read_text(part.get("text")) for part in value if isinstance(part, Mapping))
    raise BadAnswerError(MALFORMED, "the answer's content is not text")


def normalise_finish_reason(reason: Any) -> str:
    """Return a finish reason in OpenAI's words, an unknown one unchanged, and an empty text if there is none.

    Google's interface may append the filter's name (content_filter: SPII).
    """
    if not isinstance(reason, str):
        return ""
    word = reason.partition(":")[0].lower()
    return word if word in ENDS else _SAME_END.get(word, reason)


def is_broken_off(finish_reason: str) -> bool:
    """Return whether the provider, not the model, ended an answer; its text is incomplete and must not be scored."""
    return finish_reason not in ENDS and finish_reason != UNKNOWN_END


def _has_thoughts(message: Mapping[str, Any]) -> bool:
    """Return whether a message has a reasoning field, under any of the names that servers use."""
    return any(isinstance(message.get(name), str) and message[name] for name in ("reasoning_content", "reasoning"))


def storable_text(text: str) -> str:
    """Return a text without characters that a database rejects: lone surrogates, which JSON may hold, and NUL."""
    if not text.isascii():
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\0", "\ufffd") if "\0" in text else text


def _make_output(text: str, refusal: str, reason: Any, model: Any, usage: Any, reasoned: bool) -> ModelOutput:
    reason = storable_text(normalise_finish_reason(reason)[:_MAX_NAME_LENGTH])
    if not reason:
        raise BadAnswerError(BROKEN_OFF, "the answer broke off before its finish reason")
    if reason not in ENDS:
        raise BadAnswerError(PROVIDER_FAILED, f"the provider broke the answer off (finish reason {reason})")
    if refusal:
        text = text or refusal
        reason = "refusal"
    model_name = storable_text(model[:_MAX_NAME_LENGTH]) if isinstance(model, str) else ""
    return ModelOutput(text=text, finish_reason=reason, model=model_name, usage=_read_counts(usage), reasoned=reasoned)


def _read_counts(usage: Any) -> dict[str, int]:
    """Return the server's counts, flattening nested ones ("completion_tokens_details.reasoning_tokens").

    Implausible counts (negative or huge) are left out, and long names are cut.
    """
    if not isinstance(usage, Mapping):
        return {}
    counts: dict[str, int] = {}
    for name, value in islice(usage.items(), _MAX_USAGE_ENTRIES):
        if isinstance(value, Mapping):
            counts |= {
                f"{storable_text(name[:_MAX_NAME_LENGTH])}.{inner}": number
                for inner, number in _read_counts(value).items()
            }
        elif isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MAX_COUNT:
            counts[storable_text(name[:_MAX_NAME_LENGTH])] = value
    return counts
