"""The notes and names of the rules are closed sets, so that the window can translate them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import annotator.construction.bugs
from annotator.base.messages import Message
from annotator.construction.bugs.naming import naming_bugs
from annotator.construction.bugs.security import security_bugs
from annotator.construction.bugs.taxonomy import NOTES, RULES, note_message
from annotator.construction.python_facts import quoted_texts, without_quoted

FOLDER = Path(annotator.construction.bugs.__file__).parent
OPERATORS = FOLDER.parent / "languages" / "tree_sitter_bugs.py"
_SECURITY = """
import hashlib, json, secrets, ssl
def f(x, archive, app, pages):
    archive.extractall(x, filter="data")
    app.run(debug=False)
    pages(autoescape=True)
    return hashlib.sha256(x), json.loads(x), secrets.choice(x), ssl.create_default_context()
"""


def _texts(node: ast.AST) -> Iterator[str]:
    """Return what an expression may say, with x in the place of each field."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(part.value if isinstance(part, ast.Constant) else "x" for part in node.values)  # type: ignore[misc]
    elif isinstance(node, ast.IfExp):
        yield from _texts(node.body)
        yield from _texts(node.orelse)


def _said() -> list[tuple[str, str, str]]:
    """Return (module, rule, note) of everything that a rule yields; "" for what stands in a variable."""
    found = []
    for path in (*sorted(FOLDER.glob("*.py")), OPERATORS):
        if path.stem == "bug_proofs":
            # It says why a bug is not proven.
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Yield) and isinstance(node.value, ast.Tuple) and len(node.value.elts) == 4:
                rules, notes = (list(_texts(node.value.elts[at])) or [""] for at in (1, 3))
                found += [(path.stem, rule, note) for rule in rules for note in notes]
            names = (
                [target.id for target in node.targets if isinstance(target, ast.Name)]
                if isinstance(node, ast.Assign)
                else []
            )
            if {"why", "explanation"}.intersection(names):
                found += [(path.stem, "", note) for note in _texts(node.value)]
    return found


def test_every_note_and_rule_is_known() -> None:
    said = _said()
    assert len(said) > 80
    assert not [item for item in said if item[2] and not isinstance(note_message(item[2]), Message)]
    fixed = [item for item in said if item[1] and "x_" not in item[1] and not item[1].endswith("_x")]
    assert not [item for item in fixed if item[1].replace("_", " ") not in RULES]


@pytest.mark.parametrize(
    "proposals", [security_bugs(_SECURITY), naming_bugs("def f(rows):\n    first_row = rows\n    return first_row\n")]
)
def test_what_the_rules_make_is_known(proposals: list[object]) -> None:
    assert proposals
    for item in proposals:
        assert isinstance(note_message(item.explanation), Message), item  # type: ignore[attr-defined]
        assert item.operator.replace("_", " ") in RULES  # type: ignore[attr-defined]


def test_what_is_narrower_stands_first() -> None:
    for text in NOTES:
        found = note_message(text.replace("{", "").replace("}", ""))
        assert isinstance(found, Message) and found.template == text


def test_an_empty_text_opens_no_other() -> None:
    line = "return String(u || '').replace(/s$/, '') + \"it's\" + 'a\\'b';"
    assert quoted_texts(line) == ["it's", "a\\'b"]
    assert without_quoted("f('', 'x 12', 3)") == "f(, , 3)"
