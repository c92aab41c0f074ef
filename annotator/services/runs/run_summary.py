"""Describe what a finished run lacks.

Every cause is named with its number of answers, and a retry is offered where it can help: not if the endpoint refuses
the request, the sandbox lacks a library, or an item cannot be scored at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotator.llm.answers import ONLY_REASONING
from annotator.llm.endpoint_errors import is_refused
from annotator.model.rows.run_rows import CauseRow

_MAX_CAUSES, _MAX_CAUSE_CHARS, _MAX_EXAMPLE_CHARS = 3, 200, 120


def describe_rest(settings: Mapping[str, Any], causes: Sequence[CauseRow]) -> str:
    """Return what a finished run with these settings lacks, one sentence per cause; empty if it is complete."""
    parts = describe_causes(causes, "Retry")
    silent = sum(cause.count for cause in causes if cause.cause == ONLY_REASONING)
    if silent:
        parts.append(f"{count_with_noun(silent, 'answer')} {'holds' if silent == 1 else 'hold'} reasoning only")
    return ". ".join([*parts, *_describe_recorded(settings.get("replay") or {})])


def describe_causes(causes: Sequence[CauseRow], again: str) -> list[str]:
    """Return a sentence for each cause of missing answers or scores; ``again`` is the verb that offers the retry."""
    lacking = [cause for cause in causes if cause.kind != "no solution"]
    parts = [_describe_cause(cause) for cause in lacking[:_MAX_CAUSES]]
    if lacking[_MAX_CAUSES:]:
        rest = sum(cause.count for cause in lacking[_MAX_CAUSES:])
        parts.append(f"{rest} more for other causes, which annotator run show lists")
    may_pass = [
        cause for cause in lacking if not (cause.lasting or (cause.kind == "no answer" and is_refused(cause.cause)))
    ]
    retried, total = sum(cause.count for cause in may_pass), sum(cause.count for cause in lacking)
    if retried:
        parts.append(f"{again} to complete {'them' if retried == total else f'{retried} of them'}")
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


def _describe_recorded(about: Mapping[str, Any]) -> list[str]:
    """Return sentences on the recorded answers that were left out."""
    sentences = []
    if about.get("left_out"):
        sentences.append(f"{about['left_out']} responses answer no item of this release")
    if about.get("other_prompt"):
        sentences.append(
            f"{about['other_prompt']} responses answer another prompt than this run asks and were left out"
        )
    return sentences


def describe_unknown_ends(recorded: Mapping[str, Any]) -> str:
    """Describe how many recorded answers have no finish reason, empty if all have one."""
    unended = int(recorded.get("unended", 0))
    if not unended:
        return ""
    return f"unknown for {count_with_noun(unended, 'answer')}, so one that was cut off counts as wrong"
