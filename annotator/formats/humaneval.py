"""HumanEval's JSON lines: ``task_id, prompt, canonical_solution, test, entry_point``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from annotator.formats.candidate import Candidate, CandidateTest, RowError, first_line
from annotator.formats.lines import read_objects

_FIELDS = ("task_id", "prompt", "canonical_solution", "test", "entry_point")
_DOCSTRING = re.compile(r'("""|\'\'\')(.*?)(?:\1|\Z)', re.DOTALL)


def read(path: Path, _: Mapping[str, str]) -> Iterator[Candidate | RowError]:
    """Yield a candidate per task."""
    for item in read_objects(path):
        if isinstance(item, RowError):
            yield item
            continue
        number, row = item
        missing = [field for field in _FIELDS if not isinstance(row.get(field), str)]
        if missing:
            columns = ", ".join(list(row)[:12]) or "none"
            yield RowError(path.name, number, f"there is no text in column {missing[0]}; the columns are: {columns}")
        elif not row["task_id"].strip():
            yield RowError(path.name, number, "task_id is empty")
        else:
            yield _candidate(row)


def _candidate(row: Mapping[str, Any]) -> Candidate:
    return Candidate(
        key=f"humaneval:{row['task_id']}",
        title=_title(row["prompt"], row["entry_point"]),
        task="generation",
        language="python",
        licence="MIT",
        prompt=row["prompt"],
        reference=row["canonical_solution"],
        entry_point=row["entry_point"],
        provenance={"dataset": "HumanEval", "task_id": row["task_id"]},
        tests=(CandidateTest(name="check", code=row["test"], language="python"),),
    )


def _title(prompt: str, entry_point: str) -> str:
    """Return the first sentence of the entry point's docstring, with the function's name before it."""
    start = prompt.find(f"def {entry_point}")
    found = _DOCSTRING.search(prompt, max(0, start))
    sentence = re.split(r"(?<=[.!?])\s", " ".join(found[2].split()), maxsplit=1)[0] if found else ""
    return first_line(f"{entry_point}: {sentence}" if sentence else entry_point)
