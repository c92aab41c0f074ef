"""A small repository written to disk, and what is found in it."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.mining.repository.calls.fixtures import PytestEvaluator
from annotator.mining.repository.calls.matching import match_tests
from annotator.mining.repository.discovery.modules import load_project
from annotator.mining.repository.discovery.test_functions import find_tests
from annotator.mining.repository.discovery.tree import read_repository_tree

Write = Callable[[dict[str, str]], Path]
Found = Callable[[dict[str, str]], dict[str, set[str]]]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return what writes files (path to text, indented as one likes) and gives the folder back."""

    def made(files: dict[str, str]) -> Path:
        for name, text in files.items():
            path = tmp_path / "repository" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
        return tmp_path / "repository"

    return made


@pytest.fixture
def found(write: Write) -> Found:
    """Return what gives, by test, the functions it runs: ``name`` called, ``?name`` given away, ``.name`` read."""
    marks = {"call": "", "argument": "?", "property": ".", "helper": "~"}

    def of(files: dict[str, str]) -> dict[str, set[str]]:
        evaluator = PytestEvaluator(load_project(read_repository_tree(write(files))))
        matches = match_tests(evaluator, find_tests(evaluator))
        return {
            f"{test.case.qualname}.{test.info.name}" if test.case else test.info.qualname: {
                marks[item.how] + item.function.qualname for item in found
            }
            for test, found in matches.items()
        }

    return of
