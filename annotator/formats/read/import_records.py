"""The records that importers yield: candidates, recorded responses, and rows that could not be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from annotator.model.contents import hash_subject


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateTest:
    """One test of a candidate: code, or inputs with the expected output."""

    name: str
    code: str = ""
    language: str = ""
    inputs: Mapping[str, Any] = field(default_factory=dict)
    expected: str = ""
    weight: float = 1.0
    timeout: float | None = None

    def as_row(self) -> dict[str, Any]:
        """Return the fields by name. The inputs are the same object, not a copy."""
        return {name: getattr(self, name) for name in _TEST_FIELDS}


_TEST_FIELDS = tuple(item.name for item in fields(CandidateTest))


@dataclass(frozen=True, slots=True, kw_only=True)
class RowPlace:
    """The row a candidate was read from: its file, its line (0 for a whole file), and the unread columns.

    ``converted`` are the columns whose HTML became plain text.
    """

    file: str
    line: int
    left_out: tuple[str, ...] = ()
    converted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A subject before any decision; ``key`` names it within its origin ("humaneval:HumanEval/0").

    ``paraphrase`` is a release's rewritten prompt, if it differs from the original one in ``prompt``.
    """

    key: str
    title: str
    task: str = "generation"
    language: str = ""
    domain: str = ""
    area: str = ""
    difficulty: str = ""
    question_type: str = ""
    views: int | None = None
    licence: str = ""
    prompt: str = ""
    reference: str = ""
    context: str = ""
    entry_point: str = ""
    dependencies: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    tests: tuple[CandidateTest, ...] = ()
    criterion: str = ""
    paraphrase: str = ""
    place: RowPlace | None = field(default=None, compare=False)

    def content_hash(self) -> str:
        """Return the hash of all fields except the key, the provenance and the paraphrase."""
        content = {name: getattr(self, name) for name in CONTENT_FIELDS}
        tests = [test.as_row() for test in self.tests]
        if any(isinstance(test.timeout, float) and test.timeout.is_integer() for test in self.tests):
            # Stored limits do not show which was 5 and which 5.0, so a subject's limits are hashed in one form.
            tests = [test if test["timeout"] is None else {**test, "timeout": float(test["timeout"])} for test in tests]
        return hash_subject(content, tests)


CONTENT_FIELDS = tuple(
    item.name for item in fields(Candidate) if item.name not in ("key", "provenance", "paraphrase", "tests", "place")
)


@dataclass(frozen=True, slots=True)
class RowError:
    """A row that could not be read; ``line`` is 1-based, or 0 for the file as a whole."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        """Return "file:line: reason"."""
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.reason}"


def first_line(text: str, limit: int = 100) -> str:
    """Return the first line of a text with a letter or digit as a title, cut at a word."""
    line = next((line for line in map(_without_marks, text.splitlines()) if any(map(str.isalnum, line))), "")
    if len(line) <= limit:
        return line
    return line[:limit].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"


def _without_marks(line: str) -> str:
    """Return a line without the marks of a heading, a list or a comment; a path keeps its slashes."""
    text = line.strip()
    is_comment = text.startswith(("//", "/*")) or text.endswith("*/")
    return text.strip(" #*/\t" if is_comment else " #*\t")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedResponse:
    """One answer made elsewhere; ``sample`` counts from 0 within subject and model.

    ``prompt`` is the model's prompt, empty if the file lacks it. ``is_model_named`` says whether the file names the
    model; otherwise ``model`` is a guess from the file's name.
    """

    subject: str
    model: str
    sample: int
    text: str
    finish_reason: str = "stop"
    prompt: str = ""
    is_model_named: bool = True
