"""Describe the missing answers and scores of a finished run.

Every cause is listed with its number of answers. A retry is suggested only if it can help: not if the endpoint refuses
the request, the sandbox lacks a library, or an item cannot be scored at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotator.llm.answers import ONLY_REASONING
from annotator.llm.endpoint_errors import is_refused
from annotator.model.rows.run_rows import CauseRow

_MAX_CAUSES, _MAX_CAUSE_CHARS, _MAX_EXAMPLE_CHARS = 3, 200, 120


def describe_missing(settings: Mapping[str, Any], causes: Sequence[CauseRow]) -> str:
    """Describe what is missing in a finished run, one sentence per cause; empty if it is complete."""
    parts = describe_causes(causes, "Retry")
    reasoning_only_count = sum(cause.count for cause in causes if cause.cause == ONLY_REASONING)
    if reasoning_only_count:
        verb = "contains" if reasoning_only_count == 1 else "contain"
        parts.append(f"{count_with_noun(reasoning_only_count, 'answer')} {verb} only reasoning")
    return ". ".join([*parts, *_describe_recorded(settings.get("replay") or {})])


def describe_causes(causes: Sequence[CauseRow], retry_verb: str) -> list[str]:
    """Return a sentence for each cause of missing answers or scores; ``retry_verb`` begins the suggestion to retry."""
    missing = [cause for cause in causes if cause.kind != "no solution"]
    parts = [_describe_cause(cause) for cause in missing[:_MAX_CAUSES]]
    if missing[_MAX_CAUSES:]:
        rest = sum(cause.count for cause in missing[_MAX_CAUSES:])
        parts.append(f"{rest} more for other causes, see annotator run show")
    retryable = [
        cause for cause in missing if not (cause.lasting or (cause.kind == "no answer" and is_refused(cause.cause)))
    ]
    retryable_count, total = sum(cause.count for cause in retryable), sum(cause.count for cause in missing)
    if retryable_count:
        parts.append(f"{retry_verb} to complete {'them' if retryable_count == total else f'{retryable_count} of them'}")
    return parts


def count_with_noun(number: int, noun: str) -> str:
    """Return a number with its noun in singular or plural."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _describe_cause(cause: CauseRow) -> str:
    if cause.kind == "no score":
        return f"{count_with_noun(cause.count, 'answer')} not scored: {cause.cause[:_MAX_CAUSE_CHARS].rstrip('.')}"
    # The endpoint's own message follows in quotes; annotator run show prints it in full.
    why = cause.example.partition(": '")[0][:_MAX_EXAMPLE_CHARS].rstrip(".")
    return f"{count_with_noun(cause.count, 'request')} not answered: {cause.cause} ({why})"


def _describe_recorded(replay_settings: Mapping[str, Any]) -> list[str]:
    """Describe the recorded answers that were left out."""
    sentences = []
    if replay_settings.get("left_out"):
        sentences.append(f"{replay_settings['left_out']} responses are for items outside this release")
    if replay_settings.get("other_prompt"):
        sentences.append(f"{replay_settings['other_prompt']} responses are for a different prompt and were left out")
    return sentences


def describe_missing_finish_reasons(recorded: Mapping[str, Any]) -> str:
    """Describe how many recorded answers have no finish reason, empty if all have one."""
    unknown_count = int(recorded.get("unended", 0))
    if not unknown_count:
        return ""
    return f"unknown for {count_with_noun(unknown_count, 'answer')}, so truncated answers among them count as wrong"
