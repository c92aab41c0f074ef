"""JSON lines of HumanEvalPack and HumanEval-X: HumanEval in six languages.

The language is the first part of ``task_id`` ("Java/12"). What the tests need before them stands in ``test_setup``.
HumanEvalPack adds a solution with a bug and names the entry point, which HumanEval-X only declares.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from annotator.formats.read.candidates import Candidate, CandidateTest, RowError, first_line
from annotator.formats.read.columns import ColumnError, Row, licence_of, name_of, read_rows, text

_LANGUAGES = {
    "python": "python", "js": "javascript", "javascript": "javascript", "java": "java", "go": "go", "cpp": "c++",
    "c++": "c++", "rust": "rust",
}  # fmt: skip
_KEPT = ("declaration", "buggy_solution", "bug_type", "failure_symptoms", "instruction", "example_test")


_CONTROL = re.compile(r"(?:for|if|else|while|switch|do|try|catch|with|match|loop)\b")
_DECLARED = re.compile(r"(?:const|let|var|function)\s+([\w$]+)|(\w+)\s*(?:<[^()]*>)?\s*\(")


def read(path: Path, _: Mapping[str, str]) -> Iterator[Candidate | RowError]:
    """Yield a candidate per task of HumanEvalPack."""
    yield from read_rows(path, partial(_candidate, "HumanEvalPack"))


def read_x(path: Path, _: Mapping[str, str]) -> Iterator[Candidate | RowError]:
    """Yield a candidate per task of HumanEval-X."""
    yield from read_rows(path, partial(_candidate, "HumanEval-X"))


def _candidate(dataset: str, row: Row) -> Candidate:
    name = name_of(row, "task_id")
    language = _LANGUAGES.get(name.partition("/")[0].lower())
    if language is None:
        raise ColumnError(f"task_id {name} does not begin with one of: {', '.join(_LANGUAGES)}")
    prompt, entry_point = text(row, "prompt", filled=True), text(row, "entry_point", default="")
    if not entry_point:
        declaration = text(row, "declaration", filled=True)
        opening = _opening(declaration)
        entry_point = _declared(opening)
        if opening not in prompt:
            prompt += declaration  # The prompts of Rust tell only what is wanted.
    before = text(row, "test_setup", default="").strip("\n")
    code = text(row, "test", filled=True)
    asked = text(row, "docstring", default="") or prompt
    return Candidate(
        key=f"{dataset.replace('-', '').lower()}:{name}",
        title=first_line(f"{entry_point}: {first_line(asked)}"),
        task="completion",
        language=language,
        licence=licence_of(row),
        prompt=prompt,
        reference=text(row, "canonical_solution"),
        entry_point=entry_point,
        provenance={"dataset": dataset, "task_id": name},
        extra={field: value for field in _KEPT if (value := text(row, field, default=""))},
        tests=(CandidateTest(name="test", code=f"{before}\n{code}" if before else code, language=language),),
    )


def _opening(declaration: str) -> str:
    """Return the line that opens the last function of a declaration. Raises `ColumnError` if it declares none."""
    lines = (line.strip() for line in reversed(declaration.splitlines()))
    for line in lines:
        if line.endswith(("{", ":")) and _DECLARED.search(line) and not _CONTROL.match(line):
            return line
    raise ColumnError("declaration has no function")


def _declared(line: str) -> str:
    found = _DECLARED.search(line)
    return "" if found is None else found[1] or found[2]
