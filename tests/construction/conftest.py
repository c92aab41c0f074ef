"""Material for items from code: a small function with its checks, and what grades an answer to an item."""

from __future__ import annotations

import pytest

from annotator.construction.program_grades import Graded
from annotator.construction.task_material import Material
from annotator.construction.understanding.understanding_items import UnderstandingItem, grade_forward, start_reverse
from annotator.sandbox import Pool, TestCode


def grade(item: UnderstandingItem, response: str, pool: Pool) -> Graded:
    """Grade an answer to an item of either direction."""
    return grade_forward(item, response) if item.direction == "forward" else start_reverse(item, response, pool)()


def material(code: str, asserts: list[str], entry: str = "", language: str = "python") -> Material:
    tests = tuple(TestCode(f"t{number}", text + "\n") for number, text in enumerate(asserts, start=1))
    return Material(key="m", language=language, code=code, tests=tests, entry_point=entry, description="What it does.")


KEY_CHANGES = """\
def countKeyChanges(self, s: str) -> int:
    if len(s) == 1:
        return 0
    s = s.upper()
    count = 0
    for i in range(len(s) - 1):
        if s[i] != s[i + 1]:
            count += 1
    return count
"""
KEY_CASES = {"aAbBcC": 2, "AaAaAaaA": 0, "a": 0, "ab": 1, "aab": 1}
KEY_CHECKS = "".join(f"assert countKeyChanges(None, {text!r}) == {count}\n" for text, count in KEY_CASES.items())
KEY_ROW = {
    "id": "keys", "title": "Keys", "prompt": "Count.", "reference": KEY_CHANGES, "language": "python",
    "entry_point": "countKeyChanges", "task": "generation", "tests": [{"name": "check", "code": KEY_CHECKS}],
}  # fmt: skip


@pytest.fixture
def key_changes() -> Material:
    cases = [f"assert countKeyChanges(None, {text!r}) == {count}" for text, count in KEY_CASES.items()]
    return material(KEY_CHANGES, cases, "countKeyChanges")
