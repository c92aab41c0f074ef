"""A program for every language: code, passing test, failing test, early exit, endless loop, syntax error."""

from __future__ import annotations

from dataclasses import dataclass

from tests.samples import load_samples


@dataclass(frozen=True, slots=True)
class Program:
    """Code with a test that passes and one that fails; and code that does not do what is asked, in three ways."""

    code: str
    passing: str
    failing: str
    leaving: str
    endless: str
    broken: str


PROGRAMS = {language: Program(**row) for language, row in load_samples(__file__).items()}
