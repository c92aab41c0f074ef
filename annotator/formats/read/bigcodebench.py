"""Read BigCodeBench's JSON lines: ``task_id, complete_prompt, instruct_prompt, canonical_solution, test, entry_point``.

The reference continues ``complete_prompt``, so that is the prompt; the instruction goes into ``extra``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from annotator.formats.interchange.humaneval import docstring_title
from annotator.formats.read.import_records import Candidate, CandidateTest, RowError
from annotator.formats.read.typed_columns import Row, read_rows, row_licence, row_name, text_column


def read_bigcodebench(path: Path, _: Mapping[str, str]) -> Iterator[Candidate | RowError]:
    """Yield a candidate per task."""
    yield from read_rows(path, _candidate)


def _candidate(row: Row) -> Candidate:
    name = row_name(row, "task_id")
    prompt, entry_point = text_column(row, "complete_prompt", filled=True), text_column(row, "entry_point", filled=True)
    extra = {"instruction": text_column(row, "instruct_prompt", default=""), "libs": _libraries(row.get("libs"))}
    return Candidate(
        key=f"bigcodebench:{name}",
        title=docstring_title(prompt, entry_point),
        task="completion",
        language="python",
        licence=row_licence(row),
        prompt=prompt,
        reference=text_column(row, "canonical_solution"),
        entry_point=entry_point,
        provenance={"dataset": "BigCodeBench", "task_id": name},
        extra={field: value for field, value in extra.items() if value},
        tests=(CandidateTest(name="test", code=text_column(row, "test", filled=True), language="python"),),
    )


def _libraries(value: Any) -> list[str]:
    """Return the names of libraries; the data set has the list as Python source text."""
    if isinstance(value, str):
        try:
            value = ast.literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return []
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []
