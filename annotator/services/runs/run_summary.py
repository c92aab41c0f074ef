"""What a run that is done says of what it lacks.

Every cause is named with the number of answers it took, and a retry is offered for those that it can complete: not
where the endpoint refuses the request, the sandbox lacks a library, or an item cannot be scored at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotator.llm.answers import ONLY_REASONING
from annotator.llm.errors import is_refused
from annotator.model.rows.runs import CauseRow
from annotator.model.rows.views import RunRow

_NAMED, _SHOWN, _EXAMPLE = 3, 200, 120


def describe_rest(row: RunRow, causes: Sequence[CauseRow]) -> str:
    """Return what a run that is done lacks, a sentence a cause; empty where nothing is lacking."""
    parts = describe_causes(causes, "Retry")
    silent = sum(cause.count for cause in causes if cause.cause == ONLY_REASONING)
    if silent:
        parts.append(f"{counted(silent, 'answer')} {'holds' if silent == 1 else 'hold'} reasoning only")
    return ". ".join([*parts, *_describe_recorded(row)])


def describe_causes(causes: Sequence[CauseRow], again: str) -> list[str]:
    """Return a sentence for each cause of what a run lacks; ``again`` is how what can be completed is."""
    lacking = [cause for cause in causes if cause.kind != "no solution"]
    parts = [_describe_cause(cause) for cause in lacking[:_NAMED]]
    if lacking[_NAMED:]:
        rest = sum(cause.count for cause in lacking[_NAMED:])
        parts.append(f"{rest} more for other causes, which annotator run show lists")
    retried, total = sum(cause.count for cause in lacking if _may_pass(cause)), sum(cause.count for cause in lacking)
    if retried:
        parts.append(f"{again} to complete {'them' if retried == total else f'{retried} of them'}")
    return parts


def counted(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _describe_cause(cause: CauseRow) -> str:
    if cause.kind == "no score":
        return f"{counted(cause.count, 'answer')} not scored: {cause.cause[:_SHOWN].rstrip('.')}"
    # What the endpoint sent stands behind the reason, in quotes: annotator run show has it whole.
    why = cause.example.partition(": '")[0][:_EXAMPLE].rstrip(".")
    return f"{counted(cause.count, 'request')} not answered: {cause.cause} ({why})"


def _may_pass(cause: CauseRow) -> bool:
    return not (cause.lasting or (cause.kind == "no answer" and is_refused(cause.cause)))


def _describe_recorded(row: RunRow) -> list[str]:
    """Say of recorded answers which were left out."""
    about = row.settings.get("replay") or {}
    said = []
    if about.get("left_out"):
        said.append(f"{about['left_out']} responses answer no item of this release")
    if about.get("other_prompt"):
        said.append(f"{about['other_prompt']} responses answer another prompt than this run asks and were left out")
    return said


def describe_unknown_ends(recorded: Mapping[str, Any]) -> str:
    """Say of how many recorded answers the file tells no finish reason, empty if of none."""
    unended = int(recorded.get("unended", 0))
    if not unended:
        return ""
    return f"unknown for {counted(unended, 'answer')}, so one that was cut off counts as wrong"
