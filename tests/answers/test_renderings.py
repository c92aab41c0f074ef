"""Answers in the habits of chat models: the right one passes, and a wrong one in its place does not."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.answers.choice import find_code
from annotator.answers.code import code_spec_for
from annotator.answers.review import find_review
from annotator.answers.value import find_arguments, find_value
from annotator.construction import canonical
from annotator.construction.review_grading import changed_lines
from annotator.construction.understanding.literals import (
    AnswerError,
    is_value,
    parse_arguments,
    parse_value,
    read_python_signature,
)
from tests.rows import check_rows

_ALL: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("renderings.json").read_text(encoding="utf-8"))
"""By family: what a chat model writes. CODE and DRAFT stand for a right and a wrong program, or the other way round;
VALUE and OTHER, CALL and WRONG, LINE and SLIP likewise for values, arguments and corrected lines."""
CODES, VALUES, CALLS, REVIEWS = (_ALL[name] for name in ("code", "value", "arguments", "review"))
NAME = "double_all"
RIGHT = """def double_all(xs):
    out = []
    for x in xs:
        if x < 9 and x > -9:
            out.append(2 * x)
    return out"""
WRONG = RIGHT.replace("2 * x", "3 * x")
STUB = "def double_all(xs):\n    ..."
TESTS = ("assert double_all([1, 2, 20]) == [2, 4]",)


def _fenced(code: str) -> str:
    head, _, rest = code.partition("\n")
    return f'{head}\n    """Use it:\n\n    ```python\n    double_all([1])\n    ```\n    """\n{rest}'


def _diff(code: str) -> str:
    return "\n".join([*(f"-{line}" for line in STUB.split("\n")), *(f"+{line}" for line in code.split("\n"))])


WRITERS: dict[str, Callable[[str], str]] = {
    "JSON": lambda code: json.dumps(code),
    "HTML": html.escape,
    "CRLF": lambda code: code.replace("\n", "\r\n"),
    "TABS": lambda code: code.replace("    ", "\t"),
    "QUOTE": lambda code: "\n".join(f"> {line}" for line in code.split("\n")),
    "INDENT": lambda code: "\n".join(f"    {line}" for line in code.split("\n")),
    "NUMBERS": lambda code: "\n".join(f"{number:>3} | {line}" for number, line in enumerate(code.split("\n"), start=1)),
    "REPL": lambda code: "\n".join(f"{'>>>' if not at else '...'} {line}" for at, line in enumerate(code.split("\n"))),
    "FENCED": _fenced,
    "DIFF": _diff,
}


def render(template: str, code: str, draft: str) -> str:
    if "JSON({" in template:
        inner = json.dumps({"code": code})
        return template.replace('JSON({"code": JSON(CODE)})', json.dumps(inner))
    for name, write in WRITERS.items():
        template = template.replace(f"{name}(CODE)", write(code).replace("CODE", "C0DE"))
    return template.replace("CODE", code).replace("DRAFT", draft).replace("STUB", STUB).replace("NAME", NAME)


def _passes(code: str) -> bool:
    scope: dict[str, object] = {}
    try:
        exec(code, scope)
        exec("\n".join(TESTS), scope)
    except (AssertionError, NameError, SyntaxError, TypeError, ValueError):
        return False
    return True


def test_code() -> None:
    check_rows(_check_code, [(name,) for name in CODES])


def _check_code(name: str) -> None:
    wanted = code_spec_for("python", NAME, prompt="Write double_all(xs).", visible_code=(STUB,), tests=TESTS)
    for code, draft, good in ((RIGHT, WRONG, True), (WRONG, RIGHT, False)):
        found = find_code(render(CODES[name], code, draft), wanted)
        assert found.text and _passes(found.text) is good, f"{found.how}\n{found.text}"


@pytest.mark.parametrize(
    ("right", "wrong"), [("[1, 2]", "[2]"), ("'a b'", "'b'"), ("17", "3"), ("{'k': (1, 2)}", "{}")]
)
def test_values(right: str, wrong: str) -> None:
    check_rows(_check_value, [(name, right, wrong) for name in VALUES])


def _check_value(name: str, right: str, wrong: str) -> None:
    if name == "json_inline":
        right, wrong = right.replace("'", '"').replace("(1, 2)", "[1, 2]"), wrong.replace("'", '"')
    for value, other in ((right, wrong), (wrong, right)):
        text = VALUES[name].replace("VALUE", value).replace("OTHER", other)
        wanted = parse_value(value)
        found = find_value(text, is_value, entry_point="f", is_text=isinstance(wanted, str))
        same = found.text == wanted or (is_value(found.text) and canonical.forms_equal(parse_value(found.text), wanted))
        assert same, f"{found}: {text}"


@pytest.mark.parametrize(("right", "wrong"), [("[1, 2]", "[3]"), ("'a'", "'b'"), ("5", "6")])
def test_arguments(right: str, wrong: str) -> None:
    check_rows(_check_arguments, [(name, right, wrong) for name in CALLS])


def _check_arguments(name: str, right: str, wrong: str) -> None:
    signature = read_python_signature("def f(x):\n    return 1\n", "f")

    def reads(text: str) -> bool:
        try:
            return bool(parse_arguments(text, "f", signature))
        except AnswerError:
            return False

    text = CALLS[name].replace("CALL", right).replace("WRONG", wrong)
    found = find_arguments(text, reads, "f", ("x",))
    assert found.text, found
    calls = parse_arguments(found.text, "f", signature)
    wanted = parse_value(right)
    assert wanted in [value for call in calls for value in (*call.positional, *dict(call.keywords).values())], found


KEYS = ("performance_issues", "security_issues", "syntax_errors", "logical_errors", "naming_violations")


def test_reviews() -> None:
    check_rows(_check_review, [(name,) for name in REVIEWS])


def _check_review(name: str) -> None:
    shown, line, slip = "def f(x):\n    return x - 1\n", "return x + 1", "return x - 2"
    found = find_review(REVIEWS[name].replace("LINE", line).replace("SLIP", slip), KEYS, code=shown)
    assert set(found.values) == {"logical_errors"}, found
    value = found.values["logical_errors"]
    changed = changed_lines(value, shown)
    said = changed[2] if changed is not None else value
    assert re.sub(r"^def f\(x\):\n", "", said).strip() == line, found


def test_no_review_breaks_the_reader() -> None:
    shown = '{"logical_errors": "if count >= limit:"}'
    assert find_review(shown, KEYS, example=shown).outcome == "empty"
    assert find_review("{}", KEYS).is_found is False


@pytest.mark.parametrize(
    "text", ["3 or 4", "The answer is 3 or 4.", "It is either `3` or `4`: the answer is `3` or `4`."]
)
def test_two_values_are_no_answer(text: str) -> None:
    assert find_value(text, is_value, entry_point="f").outcome == "empty"
