"""HumanEvalPack's JSON lines: HumanEval in six languages, each task with a solution that has a bug.

The language is the first part of ``task_id`` ("Java/12"). What the tests need before them stands in ``test_setup``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from annotator.formats.read.candidates import Candidate, CandidateTest, RowError, first_line
from annotator.formats.read.columns import ColumnError, Row, licence_of, name_of, read_rows, text

_LANGUAGES = {
    "python": "python", "js": "javascript", "javascript": "javascript", "java": "java", "go": "go", "cpp": "c++",
    "c++": "c++", "rust": "rust",
}  # fmt: skip
_KEPT = ("declaration", "buggy_solution", "bug_type", "failure_symptoms", "instruction", "example_test")


def read(path: Path, _: Mapping[str, str]) -> Iterator[Candidate | RowError]:
    """Yield a candidate per task."""
    yield from read_rows(path, _candidate)


def _candidate(row: Row) -> Candidate:
    name = name_of(row, "task_id")
    language = _LANGUAGES.get(name.partition("/")[0].lower())
    if language is None:
        raise ColumnError(f"task_id {name} does not begin with one of: {', '.join(_LANGUAGES)}")
    prompt, entry_point = text(row, "prompt", filled=True), text(row, "entry_point", filled=True)
    before = text(row, "test_setup", default="").strip("\n")
    code = text(row, "test", filled=True)
    asked = text(row, "docstring", default="") or prompt
    return Candidate(
        key=f"humanevalpack:{name}",
        title=first_line(f"{entry_point}: {first_line(asked)}"),
        task="completion",
        language=language,
        licence=licence_of(row),
        prompt=prompt,
        reference=text(row, "canonical_solution"),
        entry_point=entry_point,
        provenance={"dataset": "HumanEvalPack", "task_id": name},
        extra={field: value for field in _KEPT if (value := text(row, field, default=""))},
        tests=(CandidateTest(name="test", code=f"{before}\n{code}" if before else code, language=language),),
    )
