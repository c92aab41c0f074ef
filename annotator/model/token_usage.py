"""Interpret an endpoint's token counts: prompt, completion, cached and reasoning tokens.

Services name them differently. All include cached tokens in ``prompt_tokens``. Some (OpenAI) include reasoning tokens
in ``completion_tokens``, others (Google, xAI) only in the total; all bill them as completion.
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
    """Tokens of paid answers: ``prompt`` includes ``cached``, ``completion`` includes ``reasoning``."""

    prompt: int = 0
    completion: int = 0
    cached: int = 0
    reasoning: int = 0


def prompt_tokens(usage: Mapping[str, int]) -> int | None:
    """Return the number of prompt tokens, None if the endpoint did not report them."""
    return usage.get("prompt_tokens")


def completion_tokens(usage: Mapping[str, int]) -> int | None:
    """Return the number of tokens billed as completion, with reasoning; None if the endpoint did not report them."""
    count = usage.get("completion_tokens")
    return None if count is None else count + _count_unlisted(usage)


def _count_unlisted(usage: Mapping[str, int]) -> int:
    """Return the tokens of the total that are neither prompt nor completion: they are reasoning."""
    reported_counts = (usage.get(name) for name in ("total_tokens", "prompt_tokens", "completion_tokens"))
    total, prompt, completion = reported_counts
    return 0 if total is None or prompt is None or completion is None else max(0, total - prompt - completion)


def cached_tokens(usage: Mapping[str, int]) -> int:
    """Return the number of prompt tokens that came from the endpoint's cache."""
    return min(_first_count(usage, _CACHED), usage.get("prompt_tokens", 0))


def reasoning_tokens(usage: Mapping[str, int]) -> int:
    """Return the number of reasoning tokens."""
    return _first_count(usage, _REASONING) or _count_unlisted(usage)


def _first_count(usage: Mapping[str, int], names: Iterable[str]) -> int:
    return next((usage[name] for name in names if usage.get(name)), 0)


def add_up(usages: Iterable[Mapping[str, int]]) -> TokenUsage:
    """Return the sum of several answers' usages."""
    prompt = completion = cached = reasoning = 0
    for usage in usages:
        prompt += prompt_tokens(usage) or 0
        completion += completion_tokens(usage) or 0
        cached += cached_tokens(usage)
        reasoning += reasoning_tokens(usage)
    return TokenUsage(prompt, completion, cached, reasoning)
