"""Ways to say which of several answers counts: the one that is meant passes, and the other one does not."""

from __future__ import annotations

import json

import pytest

from annotator.answers.choice import find_code
from annotator.answers.code import code_spec_for
from annotator.answers.review import find_review
from annotator.answers.value import find_arguments, find_value
from annotator.construction.understanding.literals import (
    AnswerError,
    is_value,
    parse_arguments,
    read_python_signature,
)
from tests.answers.programs import PROGRAMS
from tests.samples import load_samples

SAMPLES = load_samples(__file__)

PYTHON = PROGRAMS["python"]
WANTED = code_spec_for("python", PYTHON.entry, prompt=PYTHON.prompt, tests=PYTHON.tests)


def _passes(response: str) -> bool:
    scope: dict[str, object] = {}
    exec(find_code(response, WANTED).text, scope)
    try:
        exec(PYTHON.tests[0], scope)
    except AssertionError:
        return False
    return True


def _fenced(code: str) -> str:
    return f"```python\n{code}\n```"


@pytest.mark.parametrize("words", SAMPLES["before_the_answer"])
def test_what_follows_is_the_answer(words: str) -> None:
    for draft, answer, good in ((PYTHON.wrong, PYTHON.right, True), (PYTHON.right, PYTHON.wrong, False)):
        assert _passes(f"{_fenced(draft)}\n\n{words}\n\n{_fenced(answer)}") is good


def test_the_body_of_a_completion_goes_without_what_tries_it() -> None:
    prompt = f'{PYTHON.stub}\n    """Double what is near 0."""\n'
    body = PYTHON.right.partition("\n")[2]
    wanted = code_spec_for("python", PYTHON.entry, prompt=prompt, tests=PYTHON.tests)
    tries = ("assert double_all([1]) == [9]", 'if __name__ == "__main__":\n    print(double_all(eval(input())))')
    for text in (*(f"{body}\n\n\n{code}" for code in tries), f"{body}\n```\n\nThe loop does it."):
        found = find_code(text, wanted, prompt=prompt)
        scope: dict[str, object] = {"__name__": "__main__"}
        exec(f"{found.text}\n{PYTHON.tests[0]}", scope)


@pytest.mark.parametrize("template", SAMPLES["values"])
@pytest.mark.parametrize(("right", "wrong"), [("[4, 1, 2]", "[2, 4, 1]"), ("2.75", "3")])
def test_values(template: str, right: str, wrong: str) -> None:
    for value, other in ((right, wrong), (wrong, right)):
        text = "".join({"V": value, "O": other}.get(sign, sign) for sign in template)
        assert find_value(text, is_value, entry_point="f").text == value, text


@pytest.mark.parametrize("text", ["It returns either `1` or `2`.", "It could be `1` or `2`; I am not sure."])
def test_two_values_are_no_answer(text: str) -> None:
    assert find_value(text, is_value, entry_point="f").outcome == "empty"


@pytest.mark.parametrize("text", SAMPLES["arguments"])
def test_arguments(text: str) -> None:
    signature = read_python_signature("def f(a, b):\n    return a + b\n", "f")

    def reads(given: str) -> bool:
        try:
            return bool(parse_arguments(given, "f", signature))
        except AnswerError:
            return False

    assert "1" in find_arguments(text, reads, "f", ("a", "b")).text


@pytest.mark.parametrize(("said", "is_finding"), SAMPLES["sentences_that_say_none"])
def test_sentences_that_say_none(said: str, is_finding: bool) -> None:
    keys = ("security_issues", "logical_errors")
    found = find_review(json.dumps({"security_issues": said, "logical_errors": "x = 1"}), keys)
    assert set(found.values) == ({*keys} if is_finding else {"logical_errors"})
