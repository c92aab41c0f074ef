"""Responses as ``task_id, completion`` rows, as HumanEval and EvalPlus take them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from annotator.base.errors import BadInputError
from annotator.formats.inspect_log import LoggedRun, run_names
from annotator.formats.responses import RecordedResponse
from annotator.formats.writing import Exported, Head, json_line, short_key, write_export


def samples_text(responses: Iterable[RecordedResponse]) -> str:
    """Return responses as JSON lines in order of task and sample."""
    ordered = sorted(responses, key=lambda item: (item.subject, item.model, item.sample))
    return "".join(json_line({"task_id": short_key(item.subject), "completion": item.text}) for item in ordered)


def export_runs(head: Head, runs: Sequence[LoggedRun], folder: Path) -> Exported:
    """Write a file of samples a run. Raises `BadInputError` if there is none."""
    if not runs:
        raise BadInputError(f"Release {head['version']} has no finished run, so there are no samples to write.")
    texts = {}
    for run, name in zip(runs, run_names(runs), strict=True):
        rows = (RecordedResponse(item.key, run.model, item.sample, item.text) for item in run.responses)
        texts[f"{name}.jsonl"] = samples_text(rows)
    return write_export("samples", head, folder, texts, sum(len(run.responses) for run in runs))
