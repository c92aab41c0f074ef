"""What the counts of an endpoint mean: which tokens were read, which were said, and which of them cost otherwise.

Services name them differently. All count the question as ``prompt_tokens``; those that were in the service's own cache
are among them. Some (OpenAI) count what a model thought among ``completion_tokens``, others (Google, xAI) only in the
total; all of them have it paid as answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_CACHED = (
    "prompt_tokens_details.cached_tokens",
    "prompt_cache_hit_tokens",
    "cache_read_input_tokens",
    "cached_tokens",
)
_REASONING = ("completion_tokens_details.reasoning_tokens", "reasoning_tokens")


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens of answers that were paid for: ``cached`` are among ``prompt``, ``reasoning`` among ``completion``."""

    prompt: int = 0
    completion: int = 0
    cached: int = 0
    reasoning: int = 0


def prompt_tokens(usage: Mapping[str, int]) -> int | None:
    """Return the tokens of the question, None if the endpoint did not say."""
    return usage.get("prompt_tokens")


def completion_tokens(usage: Mapping[str, int]) -> int | None:
    """Return the tokens that are paid as answer, thoughts among them; None if the endpoint did not say."""
    said = usage.get("completion_tokens")
    return None if said is None else said + _uncounted(usage)


def _uncounted(usage: Mapping[str, int]) -> int:
    """Return what a total holds beside question and answer: it was thought."""
    counted = (usage.get(name) for name in ("total_tokens", "prompt_tokens", "completion_tokens"))
    total, prompt, completion = counted
    return 0 if total is None or prompt is None or completion is None else max(0, total - prompt - completion)


def cached_tokens(usage: Mapping[str, int]) -> int:
    """Return how many tokens of the question the endpoint had in its cache."""
    return min(_first(usage, _CACHED), usage.get("prompt_tokens", 0))


def reasoning_tokens(usage: Mapping[str, int]) -> int:
    """Return how many tokens the model thought."""
    return _first(usage, _REASONING) or _uncounted(usage)


def _first(usage: Mapping[str, int], names: Iterable[str]) -> int:
    return next((usage[name] for name in names if usage.get(name)), 0)


def add_up(usages: Iterable[Mapping[str, int]]) -> TokenUsage:
    """Return the sums over the answers of a run."""
    prompt = completion = cached = reasoning = 0
    for usage in usages:
        prompt += prompt_tokens(usage) or 0
        completion += completion_tokens(usage) or 0
        cached += cached_tokens(usage)
        reasoning += reasoning_tokens(usage)
    return TokenUsage(prompt, completion, cached, reasoning)
