"""Read NaturalCodeBench's JSON lines: ``_id, prompt, problem, testcases, setup_code, reference_solution,
classification``.

The reference is a fenced block that also names the language. The Python tests assume a runner that has imported pytest,
so the import is added if they need it.
"""

from __future__ import annotations

import re

from annotator.formats.read.import_records import Candidate, CandidateTest, first_line
from annotator.formats.read.typed_columns import ColumnError, Row, row_licence, row_name, text_column

_FENCE = re.compile(r"\A\s*```([A-Za-z+#]*)[ \t]*\n(.*?)\n?```\s*\Z", re.DOTALL)
_PYTEST = re.compile(r"\bpytest\.|\bpytest\b(?=\s*\()")
_PYTEST_IMPORT = re.compile(r"^\s*(?:import|from)\s+pytest\b", re.MULTILINE)


def naturalcodebench_candidate(row: Row) -> Candidate:
    """Return a row as a candidate."""
    number = row_name(row, "_id")
    problem = text_column(row, "problem", filled=True)
    language, reference = _unfenced(text_column(row, "reference_solution", default=""))
    language = language or _language_of(text_column(row, "prompt", default=""))
    before, tests = text_column(row, "setup_code", default=""), text_column(row, "testcases", filled=True)
    code = f"{before}\n\n{tests}" if before.strip() else tests
    if language == "python" and _PYTEST.search(code) and not _PYTEST_IMPORT.search(code):
        code = f"import pytest\n\n{code}"
    return Candidate(
        key=f"naturalcodebench:{language or 'any'}/{number}",
        title=first_line(problem),
        language=language,
        domain=text_column(row, "classification", default=""),
        licence=row_licence(row),
        prompt=text_column(row, "prompt", default="") or problem,
        reference=reference,
        provenance={"dataset": "NaturalCodeBench", "_id": number},
        extra={"problem": problem},
        tests=(CandidateTest(name="testcases", code=code, language=language),),
    )


def _unfenced(reference: str) -> tuple[str, str]:
    """Return language and code of a fenced block; unfenced code has no language."""
    match = _FENCE.match(reference)
    if match is None:
        if "```" in reference:
            raise ColumnError("reference_solution must be one fenced block")
        return "", reference
    return match[1].lower(), match[2] + "\n"


def _language_of(prompt: str) -> str:
    start = prompt[:200].lower()
    return next((language for language in ("python", "java") if f"generate {language}" in start), "")
