"""Read JSON lines of HumanEvalPack and HumanEval-X: HumanEval in six languages.

The language is the first part of ``task_id`` ("Java/12"). ``test_setup`` has the code to put before the tests.
HumanEvalPack adds a solution with a bug and names the entry point, which HumanEval-X only declares.
"""

from __future__ import annotations

import re

from annotator.formats.read.import_records import Candidate, CandidateTest, first_line
from annotator.formats.read.typed_columns import ColumnError, Row, dataset_candidate, row_name, text_column

_LANGUAGES = {
    "python": "python", "js": "javascript", "javascript": "javascript", "java": "java", "go": "go", "cpp": "c++",
    "c++": "c++", "rust": "rust",
}  # fmt: skip
_EXTRA_COLUMNS = ("declaration", "buggy_solution", "bug_type", "failure_symptoms", "instruction", "example_test")


_CONTROL = re.compile(r"(?:for|if|else|while|switch|do|try|catch|with|match|loop)\b")
_DECLARED = re.compile(r"(?:const|let|var|function)\s+([\w$]+)|(\w+)\s*(?:<[^()]*>)?\s*\(")


def humanevalpack_candidate(row: Row) -> Candidate:
    """Return a task of HumanEvalPack as a candidate."""
    return _candidate(
        "HumanEvalPack", row, text_column(row, "prompt", filled=True), text_column(row, "entry_point", filled=True)
    )


def humanevalx_candidate(row: Row) -> Candidate:
    """Return a task of HumanEval-X as a candidate."""
    prompt, declaration = text_column(row, "prompt", filled=True), text_column(row, "declaration", filled=True)
    opening, name = _last_function(declaration)
    # Rust prompts contain only the description, without the function's declaration. Go's are spaced in their own way.
    is_declared = "".join(opening.split()) in "".join(prompt.split())
    return _candidate("HumanEval-X", row, prompt if is_declared else prompt + declaration, name)


def _candidate(dataset: str, row: Row, prompt: str, entry_point: str) -> Candidate:
    name = row_name(row, "task_id")
    language = _LANGUAGES.get(name.partition("/")[0].lower())
    if language is None:
        raise ColumnError(f"task_id {name} does not begin with one of: {', '.join(_LANGUAGES)}")
    before = text_column(row, "test_setup", default="").strip("\n")
    code = text_column(row, "test", filled=True)
    description = text_column(row, "docstring", default="") or prompt
    return dataset_candidate(
        row, dataset, "task_id",
        title=first_line(f"{entry_point}: {first_line(description)}"),
        task="completion",
        language=language,
        prompt=prompt,
        reference=text_column(row, "canonical_solution"),
        entry_point=entry_point,
        extra={field: value for field in _EXTRA_COLUMNS if (value := text_column(row, field, default=""))},
        tests=(CandidateTest(name="test", code=f"{before}\n{code}" if before else code, language=language),),
    )  # fmt: skip


def _last_function(declaration: str) -> tuple[str, str]:
    """Return the line that opens the last function of a declaration, and its name.

    Raises `ColumnError` if there is no function.
    """
    for line in (line.strip() for line in reversed(declaration.splitlines())):
        match = _DECLARED.search(line)
        if match is not None and line.endswith(("{", ":")) and not _CONTROL.match(line):
            return line, match[1] or match[2]
    raise ColumnError("declaration has no function")
