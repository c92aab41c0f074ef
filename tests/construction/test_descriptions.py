"""Which bodies can be written from their description, and the notes and names of the rules of bugs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import annotator.construction.bugs
from annotator.base.messages import Message
from annotator.construction.bugs.naming import naming_bugs
from annotator.construction.bugs.security import security_bugs
from annotator.construction.bugs.taxonomy import NOTES, RULES, note_message
from annotator.construction.completion.blanks import function_item
from annotator.construction.completion.descriptions import (
    missing_reference,
    optional_parameters,
    undescribed_parameters,
    undescribed_results,
)
from annotator.construction.python_facts import quoted_texts, without_quoted
from annotator.construction.task_material import Material
from annotator.sandbox import TestCode
from tests.construction.conftest import material
from tests.samples import load_samples

SAMPLES = load_samples(__file__)
SPLIT = SAMPLES["split"]
STAGGER = SAMPLES["stagger"]


def _gaps(code: str, entry: str, description: str, language: str = "python") -> tuple[str, ...]:
    return undescribed_parameters(
        function_item(
            Material(key="m", language=language, code=code, tests=(), entry_point=entry, description=description)
        )
    )


def test_only_parameters_with_a_default_are_asked_for() -> None:
    assert optional_parameters(Material(key="m", language="python", code=SPLIT, tests=(), entry_point="split")) == (
        "maxsplit",
        "base_type",
    )
    assert _gaps(SPLIT, "split", "Split the items where the predicate holds.") == ("maxsplit", "base_type")


@pytest.mark.parametrize("said", ["At most *maxsplit* times, base types stay whole.", "maxsplit; `base_type`: a type"])
def test_a_description_names_them_by_their_words(said: str) -> None:
    assert _gaps(SPLIT, "split", said) == ()


def test_code_that_stays_tells_what_a_parameter_means() -> None:
    assert _gaps(STAGGER, "stagger", "Offset the items.") == ()
    assert _gaps(STAGGER, "offset", "Offset the items.") == ()


@pytest.mark.parametrize(
    ("language", "optional"),
    [("javascript", ("fill",)), ("typescript", ("length", "fill")), ("java", ()), ("c++", ("fill",))],
)
def test_other_languages(language: str, optional: tuple[str, ...]) -> None:
    code = SAMPLES["foreign"][language]
    assert _gaps(code, "pad", "Make a text longer.", language) == optional
    assert _gaps(code, "pad", "Make a text longer, up to a length, with what fills it.", language) == ()


@pytest.mark.parametrize(("language", "code", "test", "untold"), SAMPLES["wanted_by_tests"])
def test_what_tests_want_must_be_told(language: str, code: str, test: str, untold: list[str]) -> None:
    made = Material(
        key="m",
        language=language,
        code=code,
        tests=(TestCode("t", test),),
        entry_point="f",
        description="Give the number back.",
    )
    assert undescribed_results(function_item(made)) == tuple(untold)
    told = "Raises ValueError, out_of_range or Error below nought, else it gives 'never mind'."
    assert undescribed_results(function_item(replace(made, description=told))) == ()


UNIT = SAMPLES["unit"]


def test_keys_of_a_table_in_the_body_must_be_told() -> None:
    tests = (TestCode("t", "assert.equal(unit('d', true), 'days');\nassert.equal(unit('D', false), 'D');\n"),)
    made = Material(
        key="m",
        language="javascript",
        code=UNIT,
        tests=tests,
        entry_point="unit",
        description="Return the name of a unit.",
    )
    assert undescribed_results(function_item(made)) == ("days", "d")
    assert undescribed_results(function_item(replace(made, description="Return the unit: d or dd are days."))) == ()


def test_what_a_test_of_a_script_leaves_out_is_optional() -> None:
    tests = (TestCode("t", "assert.equal(unit('d'), 'day');\n"), TestCode("u", "unit('d', true); other.unit();\n"))
    made = Material(
        key="m",
        language="javascript",
        code=UNIT,
        tests=tests,
        entry_point="unit",
        description="Return the name of a unit.",
    )
    assert optional_parameters(made) == ("plural",) == undescribed_parameters(function_item(made))
    assert optional_parameters(replace(made, tests=tests[1:])) == ()
    assert undescribed_parameters(function_item(replace(made, description="Return the unit, or its plural."))) == ()


def test_a_description_that_only_refers_to_what_is_not_shown_tells_nothing() -> None:
    said = "The base implementation of `_.range` which takes numbers."
    made = Material(key="m", language="javascript", code=UNIT, tests=(), entry_point="unit", description=said)
    assert missing_reference(made) == "_.range"
    assert missing_reference(replace(made, description="A version of `unit` for words.")) == ""
    assert missing_reference(replace(made, description="Like `_.range`, the numbers from start to end.")) == ""


def test_that_other_code_raises_an_exception_says_nothing_of_the_body() -> None:
    code = (
        "def other(n):\n    raise ValueError(n)\n\n\ndef f(xs, n):\n    if n == 0:\n        raise ValueError('no')\n"
        "    return xs[:n] or other(n)\n"
    )
    made = material(code, ["try:\n    f([1], 0)\nexcept ValueError:\n    pass"], "f")
    assert undescribed_results(function_item(made)) == ("ValueError",)
    assert undescribed_results(function_item(replace(made, description="A ValueError where n is 0."))) == ()


# The notes and names of the rules are closed sets, so that the window can translate them.
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
    assert len(said) > 70
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
