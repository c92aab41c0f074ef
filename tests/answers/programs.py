"""Programs of every language that answers are rendered with: a right and a wrong one, which differ in one line."""

from __future__ import annotations

from dataclasses import dataclass

from tests.samples import load_samples


@dataclass(frozen=True)
class Program:
    """A right and a wrong program, how they are asked for and tested, and how they are called and shown."""

    tag: str
    suffix: str
    entry: str
    call: str
    output: str
    shown: str
    comment: str
    stub: str
    right: str
    wrong: str
    prompt: str
    tests: tuple[str, ...]


PROGRAMS = {
    language: Program(**{**row, "tests": tuple(row["tests"])}) for language, row in load_samples(__file__).items()
}
