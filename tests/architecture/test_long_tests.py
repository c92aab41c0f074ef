"""The table of long tests names tests that exist, with their reasons."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.long_tests import LONG_TESTS

TESTS = Path(__file__).parents[1]


def test_every_entry_names_a_test() -> None:
    unknown = []
    for entry in LONG_TESTS:
        file, _, function = entry.test.partition("::")
        path = TESTS / file
        tree = ast.parse(path.read_text(encoding="utf-8")) if path.exists() else ast.Module(body=[])
        names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        if not names or (function and function.partition("[")[0] not in names):
            unknown.append(entry.test)
    assert not unknown


def test_every_entry_says_why_and_how_long() -> None:
    assert [entry.test for entry in LONG_TESTS if not entry.reason.endswith(".") or entry.minutes <= 0] == []
    assert len({entry.test for entry in LONG_TESTS}) == len(LONG_TESTS)
