"""Write a task for Inspect: the items as its data set, and a scorer that runs our criteria."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from annotator.base.resources import resource_path
from annotator.formats.interchange.humaneval import humaneval_row
from annotator.formats.write.export_folder import CannotHoldError, ExportResult, Head, Item, short_key
from annotator.formats.write.own_scorer import scorer_files, scoring_of
from annotator.formats.write.row_exports import export_rows

SANDBOX = "docker"


def export_inspect_task(head: Head, items: Sequence[Item], folder: Path) -> ExportResult:
    """Write the release as ``dataset.jsonl`` and ``task.py``."""
    task = {"task.py": resource_path("formats", "inspect_task.py").read_text("utf-8"), **scorer_files()}
    return export_rows(
        "inspect", head, items, folder, file="dataset.jsonl", make=_row, name="id", more=task, keeps_keys=False
    )


def _row(item: Item) -> dict[str, Any]:
    """Return an item as a sample; one without a criterion needs tests that Python can run."""
    metadata = sample_metadata(item)
    return {
        "id": short_key(item["key"]),
        "input": item["prompt"],
        "target": item["reference"],
        "metadata": metadata,
        "sandbox": "" if metadata["criterion"] else SANDBOX,
    }


def sample_metadata(item: Item) -> dict[str, Any]:
    """Return an item's labels and its data for the scorer. Raises `CannotHoldError` if it cannot be scored."""
    labels = {name: item[name] for name in ("key", "language", "task", "domain", "difficulty", "licence")}
    if item["criterion"]:
        files = dict(sorted(item.get("files", {}).items()))
        return {**labels, "criterion": item["criterion"], "files": files, "scoring": {}}
    try:
        humaneval_row(item)
    except CannotHoldError as problem:
        raise CannotHoldError(f"it has no criterion, and {problem}") from None
    return {**labels, "criterion": "", "files": {}, "scoring": scoring_of(item)}
