"""Read ClassEval's JSON: ``task_id, skeleton, test, solution_code, import_statement, class_name``.

The task is to complete a class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from annotator.formats.read.import_records import Candidate, CandidateTest, RowError
from annotator.formats.read.typed_columns import Row, read_rows, row_licence, row_name, text_column, text_list_column

_PROMPT = "Complete the class {name} below.\n\n```python\n{skeleton}\n```\n"


def read_classeval(path: Path, _: Mapping[str, str]) -> Iterator[Candidate | RowError]:
    """Yield a candidate per class."""
    yield from read_rows(path, _candidate)


def _candidate(row: Row) -> Candidate:
    name, class_name = row_name(row, "task_id"), text_column(row, "class_name", filled=True)
    # The data set runs the tests below the class in one file, so they rely on its imports.
    test = "\n".join([*text_list_column(row, "import_statement"), text_column(row, "test", filled=True)])
    return Candidate(
        key=f"classeval:{name}",
        title=f"{class_name} ({name})",
        task="generation",
        language="python",
        licence=row_licence(row),
        prompt=_PROMPT.format(name=class_name, skeleton=text_column(row, "skeleton", filled=True).rstrip()),
        reference=text_column(row, "solution_code"),
        entry_point=class_name,
        provenance={"dataset": "ClassEval", "task_id": name},
        tests=(CandidateTest(name="test", code=test, language="python"),),
    )
