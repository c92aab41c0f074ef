"""Read CRUXEval's JSON lines, ``code, input, output, id``: predict what a function call returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from annotator.formats.read.import_records import Candidate, CandidateTest, RowError
from annotator.formats.read.typed_columns import ColumnError, Row, read_rows, row_licence, row_name, text_column
from annotator.text.python_tree import readable_tree

_FUNCTION = "f"
_PROMPT = (
    "Work out what the call below returns.\n\nCode:\n```python\n{code}\n```\n\nCall:\n```python\n{call}\n```\n\n"
    "Answer with the returned value only, written as Python writes it, on the last line, after `Answer:`."
)


def read_cruxeval(path: Path, _: Mapping[str, str]) -> Iterator[Candidate | RowError]:
    """Yield a candidate per call."""
    yield from read_rows(path, _candidate)


def _candidate(row: Row) -> Candidate:
    name, code = row_name(row, "id"), text_column(row, "code", filled=True).strip("\n")
    arguments, output = text_column(row, "input"), text_column(row, "output", filled=True)
    call = f"{_FUNCTION}({arguments})"
    if readable_tree(f"{code}\n{call}\n{output}\n") is None:
        raise ColumnError("code, call and output are not Python that can be read")
    return Candidate(
        key=f"cruxeval:{name}",
        title=f"{name}: {call}"[:100],
        task="understanding",
        language="python",
        licence=row_licence(row),
        prompt=_PROMPT.format(code=code, call=call),
        reference=output,
        context=code,
        entry_point=_FUNCTION,
        provenance={"dataset": "CRUXEval", "id": name},
        extra={"grader": "understanding", "direction": "forward", "call": {"input": arguments, "value": output}},
        tests=(CandidateTest(name="instance", language="python", inputs={"arguments": arguments, "expected": output}),),
    )
