"""The one finder of values and arguments: which part of a response is its answer, by the page of `finder`."""

from __future__ import annotations

import time

import pytest

from annotator.answers.review import find_review, is_absent
from annotator.answers.value import find_arguments, find_value
from annotator.construction.understanding.literals import AnswerError, is_value, parse_arguments, read_python_signature
from tests.rows import check_rows
from tests.samples import load_samples

SAMPLES = load_samples(__file__)
SIGNATURE = read_python_signature("def f(a, b):\n    return a + b\n", "f")
KEYS = ("performance_issues", "security_issues", "syntax_errors", "logical_errors")


def _reads(text: str) -> bool:
    try:
        return bool(parse_arguments(text, "f", SIGNATURE))
    except AnswerError:
        return False


def test_values() -> None:
    check_rows(_check_value, SAMPLES["values"])


def _check_value(response: str, answer: str) -> None:
    found = find_value(response, is_value, entry_point="f")
    assert found.text == answer and bool(found.outcome) is not bool(answer), found


def test_texts_without_quotes() -> None:
    check_rows(_check_text, SAMPLES["texts"])


def _check_text(response: str, answer: str) -> None:
    found = find_value(response, is_value, entry_point="f", is_text=True)
    assert found.text == answer, found


def test_arguments() -> None:
    check_rows(_check_arguments, SAMPLES["arguments"])


def _check_arguments(response: str, answer: str) -> None:
    found = find_arguments(response, _reads, "f", ("a", "b"))
    assert found.text == answer, found


def test_reviews() -> None:
    check_rows(_check_review, SAMPLES["reviews"])


def _check_review(response: str, code: str, answer: str) -> None:
    found = find_review(response, KEYS, code=code)
    assert dict(found.values) == ({"logical_errors": answer} if answer else {}), found


def test_an_empty_form_is_no_review() -> None:
    form = '{"logical_errors": "...", "syntax_errors": "<line>"}'
    assert find_review(form, KEYS).outcome == "empty" and find_review(form, KEYS, finish_reason="length").outcome
    found = find_review(f'{{"logical_errors": "x = 1"}}\nI used the form {form}', KEYS)
    assert dict(found.values) == {"logical_errors": "x = 1"}


@pytest.mark.parametrize(
    ("response", "how"),
    [
        (r"\boxed{3}", r"the last \boxed value"),
        ("<answer>3</answer>", "the last answer tag"),
        ("3", "the whole text"),
        ("Answer: 3", "the last line that begins with Answer"),
        ("Output: 3", "the last line that begins by naming the value"),
        ("So:\n\n```\n3\n```", "the last block or paragraph that is one value"),
        ("It returns 3.", "the last sentence that begins by naming the value"),
        ("I get `3`.", "the last inline code that is one value"),
    ],
)
def test_the_reason_is_one_short_sentence(response: str, how: str) -> None:
    found = find_value(response, is_value)
    assert (found.text, found.how) == ("3", how)


@pytest.mark.parametrize("answer", ["3", "Answer: 3", "The answer is 3.", "[ANSWER]3[/ANSWER]", "Output: 3"])
@pytest.mark.parametrize(
    "run_on", ["### Instruction:\nNow f(2).\n\n### Response:\n4", "User: And f(2)?\n\nAssistant: Answer: 4"]
)
def test_an_answer_before_another_turn_is_the_answer(answer: str, run_on: str) -> None:
    assert find_value(f"{answer}\n\n{run_on}\n", is_value, entry_point="f").text == "3"


def test_a_heading_before_the_answer_opens_no_turn() -> None:
    assert find_value("Let me see `2`.\n\nQuestion: what is f(1)?\n\nAnswer: 3", is_value).text == "3"


def test_a_review_that_was_cut_is_no_answer() -> None:
    cut = '{"syntax_errors": "", "logical_errors": "if x <'
    assert find_review(cut, KEYS, finish_reason="length").outcome == "truncated"
    assert find_review('{"syntax_errors": "", "logical_errors": "x = 1"}', KEYS, finish_reason="length").is_found


@pytest.mark.parametrize("value", ["found = False", "this.code = null;", "<=", "is None", "the code has errors"])
def test_code_and_errors_are_not_absent(value: str) -> None:
    assert not is_absent(value)


@pytest.mark.parametrize("value", ["", "-", "N/A", "None needed", "no logical errors", "There are no issues.", "无"])
def test_a_denial_is_absent(value: str) -> None:
    assert is_absent(value)


@pytest.mark.parametrize(
    "part", ["Answer: 5", "<answer>", "[ANSWER]", "\\boxed{", "f(", "{", "1,", "final", "{/*", '{"\\', "```md\n```"]
)
def test_text_that_repeats_is_read_in_time(part: str) -> None:
    text = f"{part}\n" * (20_000 // len(part))
    start = time.monotonic()
    find_value(text, is_value, entry_point="f", is_text=True)
    find_arguments(text, _reads, "f", ("a", "b"))
    find_review(text, KEYS)
    assert time.monotonic() - start < 10
