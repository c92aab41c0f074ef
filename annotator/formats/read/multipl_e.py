"""Read MultiPL-E's JSON lines: ``name, language, prompt, tests``, HumanEval or MBPP in one of many languages.

Its tests are the end of a file and begin by closing the function and class that the prompt opened. Here they are turned
into code that can follow a complete answer.
"""

from __future__ import annotations

import re

from annotator.formats.read.import_records import Candidate, CandidateTest
from annotator.formats.read.typed_columns import Row, list_column, row_licence, row_name, text_column

_LANGUAGES = {
    "cpp": "c++", "cs": "c#", "js": "javascript", "ts": "typescript", "py": "python", "rb": "ruby", "rs": "rust",
    "sh": "bash", "go_test.go": "go", "jl": "julia", "rkt": "racket", "pl": "perl", "hs": "haskell", "ml": "ocaml",
    "kt": "kotlin", "r": "r",
}  # fmt: skip
_IN_CLASS = ("java", "c#")
_CLOSES_FUNCTION = re.compile(r"\A\s*\}[ \t]*\n")
_CLOSES_CLASS = re.compile(r"\}\s*\Z")
_NAME = re.compile(r"\A(?:HumanEval|mbpp)_\d+_(\w+)\Z", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z_][\w?!.-]*")


def multipl_e_candidate(row: Row) -> Candidate:
    """Return a row as a candidate."""
    name, prompt = row_name(row, "name"), text_column(row, "prompt", filled=True)
    label = text_column(row, "language", filled=True).lower()
    language = _LANGUAGES.get(label, label)
    original = _NAME.match(name)
    entry_point = _entry_point(prompt, original[1]) if original else ""
    stops = [stop for stop in list_column(row, "stop_tokens") if isinstance(stop, str)]
    return Candidate(
        key=f"multipl-e:{language}/{name}",
        title=f"{entry_point or name} ({language})",
        task="completion",
        language=language,
        licence=row_licence(row),
        prompt=prompt,
        entry_point=entry_point,
        provenance={"dataset": "MultiPL-E", "name": name, "doctests": text_column(row, "doctests", default="")},
        extra={"stop_tokens": stops} if stops else {},
        tests=(CandidateTest(name="tests", code=_whole_tests(row, language), language=language),),
    )


def _entry_point(prompt: str, original: str) -> str:
    """Return the function's name as the prompt spells it: the last word that matches the Python name, ignoring case."""
    plain = original.replace("_", "").lower()
    spellings = [word for word in _WORD.findall(prompt) if word.replace("_", "").replace("-", "").lower() == plain]
    return spellings[-1] if spellings else original


def _whole_tests(row: Row, language: str) -> str:
    code = text_column(row, "tests", filled=True)
    opened = _CLOSES_FUNCTION.match(code) is not None
    code = _CLOSES_FUNCTION.sub("", code)
    if opened and language in _IN_CLASS:
        # The tests call static methods without their class, so the test class inherits them.
        inherits = "extends" if language == "java" else ":"
        code = f"class ProblemTests {inherits} Problem {{\n{_CLOSES_CLASS.sub('', code)}}}\n"
    return code
