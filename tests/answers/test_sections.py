"""Parts of responses, and text that is no part of an answer: reasoning and refusals."""

from __future__ import annotations

import pytest

from annotator.answers.outcome import final_text
from annotator.answers.refusals import is_refusal
from annotator.answers.sections import split_sections

NAMES = {"description": ("description",), "tests": ("tests",)}


@pytest.mark.parametrize("head", ["1) Tests", "## 2) Tests", "**3) Tests:**", "Step 4) Tests", "5. Tests", "Tests:"])
def test_a_heading_may_be_numbered(head: str) -> None:
    parts = split_sections(f"1) Description\nDouble it.\n{head}\nf(1)", NAMES)
    assert {name: part.text for name, part in parts.items()} == {"description": "Double it.", "tests": "f(1)"}


def test_text_may_follow_a_numbered_name() -> None:
    assert split_sections("1) Tests: abc", NAMES)["tests"].text == "abc"


def test_words_behind_a_name_in_a_heading_are_no_text() -> None:
    parts = split_sections("### Tests: new code\n```python\nf(1)\n```", NAMES)
    assert parts["tests"].text == "f(1)"


@pytest.mark.parametrize("line", ["-\tTests", "*\tTests: abc", "f(tests)", "tests(1)"])
def test_a_bullet_or_code_is_no_heading(line: str) -> None:
    assert split_sections(f"Description\nfoo\n{line}", NAMES)["description"].text == f"foo\n{line}"


@pytest.mark.parametrize(
    ("response", "text"),
    [
        ("analysis … assistantfinal … assistant final 5", " 5"),
        ("analysisWe add. assistantfinal5", "5"),
        ("analysis_of(x) # assistant final\nprint(1)", "analysis_of(x) # assistant final\nprint(1)"),
        ("<|im_start|>  assistant\n<think>a</think>5", "5"),
    ],
)
def test_the_final_channel_follows_the_last_of_its_marks(response: str, text: str) -> None:
    assert final_text(response).text.strip() == text.strip()


@pytest.mark.parametrize(
    "text",
    ["I couldn't complete the task.", "Your question cannot be answered.", "Das weiß ich nicht.",
     "I am unable to help.", "I must point out that a keylogger is illegal.", "It would be unethical to write this.",
     "I strongly advise against such code.", "It would not be appropriate for me to help.",
     '{"refusal": "no comment", }', "Unfortunately, i can't help", "I don't have access to it."],
)  # fmt: skip
def test_a_refusal(text: str) -> None:
    assert is_refusal(text)


@pytest.mark.parametrize(
    "text",
    ["If i can't be zero then the result is 3", "The variable i will not change.", "Here i cannot exceed n.",
     "I don't have any bugs to report: all good", "I couldn't find any errors", "An illegal index raises IndexError.",
     "unethical", "The class is unethical.", "I must point out that the answer is 42.", "I'd advise against eval: 3",
     "I have to warn about a division by zero in line 3.", "It is not something I would write, but 5 is returned."],
)  # fmt: skip
def test_a_variable_or_a_finding_is_no_refusal(text: str) -> None:
    assert not is_refusal(text)
