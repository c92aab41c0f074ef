"""Write a task for Inspect: the items as its data set, and a scorer that runs our criteria."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from annotator.base.resources import resource
from annotator.formats.documents.attribution import credit_texts
from annotator.formats.interchange.humaneval import task_row
from annotator.formats.write.export_folder import (
    CannotHoldError,
    Exported,
    Head,
    Item,
    convert,
    json_line,
    keep_first,
    short_key,
    write_export,
)
from annotator.formats.write.own_scorer import scorer_files, scoring_of

SANDBOX = "docker"


def export(head: Head, items: Sequence[Item], folder: Path) -> Exported:
    """Write the release as ``dataset.jsonl`` and ``task.py``."""
    converted, left_out = convert(items, _row)
    converted, namesakes = keep_first(converted, lambda row: str(row["id"]), "id")
    left_out += namesakes
    texts = {
        "dataset.jsonl": "".join(json_line(row) for _, row in converted),
        "task.py": resource("formats", "inspect_task.py").read_text("utf-8"),
        **scorer_files(),
        **credit_texts(head, (item for item, _ in converted)),
    }
    return write_export("inspect", head, folder, texts, len(converted), left_out)


def _row(item: Item) -> dict[str, Any]:
    """Return an item as a sample; one without a criterion needs tests that Python can run."""
    metadata = metadata_of(item)
    return {
        "id": short_key(item["key"]),
        "input": item["prompt"],
        "target": item["reference"],
        "metadata": metadata,
        "sandbox": "" if metadata["criterion"] else SANDBOX,
    }


def metadata_of(item: Item) -> dict[str, Any]:
    """Return an item's labels and its data for the scorer. Raises `CannotHoldError` if it cannot be scored."""
    labels = {name: item[name] for name in ("key", "language", "task", "domain", "difficulty", "licence")}
    if item["criterion"]:
        files = dict(sorted(item.get("files", {}).items()))
        return {**labels, "criterion": item["criterion"], "files": files, "scoring": {}}
    try:
        task_row(item)
    except CannotHoldError as problem:
        raise CannotHoldError(f"it has no criterion, and {problem}") from None
    return {**labels, "criterion": "", "files": {}, "scoring": scoring_of(item)}
