"""A change of what is reserved is told from one of what is there."""

from __future__ import annotations

import pytest

from annotator.construction.bugs.surviving_mutants import changes_capacity
from annotator.construction.edits import Proposal
from annotator.construction.languages.tree_sitter_bugs import tree_bugs


@pytest.mark.parametrize(
    ("code", "old", "new", "is_capacity"),
    [
        ("Set<Integer> seen = new HashSet<>(values.length * 2);", "2", "3", True),
        ("var text = new System.Text.StringBuilder(16);", "16", "17", True),
        ("let mut all = Vec::with_capacity(20);", "20", "21", True),
        ("flat := make([]string, 0, 16)", "16", "17", True),
        ("flat := make([]string, 3)", "3", "4", False),
        ("flat := make([]string, 0, 16)", " 0", " 1", False),
        ("Set<Integer> seen = new HashSet<>(List.of(1, 2));", "1", "3", False),
        ("int n = new HashSet<>(values).size() + 2;", "2", "3", False),
        ("Thread worker = new Thread(2);", "2", "3", False),
    ],
)
def test_what_is_reserved(code: str, old: str, new: str, is_capacity: bool) -> None:
    at = code.index(old)
    changed = code[:at] + new + code[at + len(old) :]
    assert (
        changes_capacity(
            Proposal(kind="logic.offbyone", operator="token", code=f"x;\n{changed}", reference=f"x;\n{code}")
        )
        is is_capacity
    )


def test_a_truth_value_among_what_is_reserved_is_none() -> None:
    code = "entries = new LinkedHashMap<>(16, 0.75f, true);\n"
    [flipped] = [
        item for item in tree_bugs(f"class C {{ void f() {{\n{code}}} }}\n", "java") if item.operator == "bool_flip"
    ]
    assert not changes_capacity(flipped)
