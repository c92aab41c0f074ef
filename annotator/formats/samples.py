"""Responses as ``task_id, completion`` rows, as HumanEval and EvalPlus take them."""

from __future__ import annotations

from collections.abc import Iterable

from annotator.formats.responses import RecordedResponse
from annotator.formats.writing import json_line, short_key


def samples_text(responses: Iterable[RecordedResponse]) -> str:
    """Return responses as JSON lines in order of task and sample."""
    ordered = sorted(responses, key=lambda item: (item.subject, item.model, item.sample))
    return "".join(json_line({"task_id": short_key(item.subject), "completion": item.text}) for item in ordered)
