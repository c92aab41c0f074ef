"""A description goes below a prompt's fixed code; what cannot is named."""

from __future__ import annotations

import pytest

from annotator.text.completions import complete_reference, compose_prompt, read_completion

PROMPT = (
    "from typing import List\n\n\ndef helper(x):\n    return x\n\n\n"
    "def largest(numbers: List[int]) -> int:\n"
    '    """ Return the largest number.\n    >>> largest([1, 2])\n    2\n    """\n'
)
BODY = "    return max(numbers)\n"


def test_prose_becomes_the_docstring_below_the_fixed_code() -> None:
    made = compose_prompt(PROMPT, "Find the biggest entry.\n>>> largest([1, 2])\n2", "largest", "python")
    assert made.problem == ""
    assert made.text == (
        "from typing import List\n\n\ndef helper(x):\n    return x\n\n\ndef largest(numbers: List[int]) -> int:\n"
        '    """Find the biggest entry.\n    >>> largest([1, 2])\n    2\n    """\n'
    )
    assert compose_prompt(PROMPT, made.text, "largest", "python").text == made.text, "composed once is composed"


@pytest.mark.parametrize("text", ["Say \\n and \\u", 'It ends in a "quote"', "It ends in \\", 'Use """ here', "日本語"])
def test_the_docstring_says_what_was_typed(text: str) -> None:
    made = compose_prompt(PROMPT, text, "largest", "python")
    found = read_completion(made.text, "largest")
    assert made.problem == "" and found is not None and found.description.rstrip() == text


def test_whole_code_with_the_same_signature_stays() -> None:
    whole = PROMPT.replace("Return the largest", "Give the biggest")
    assert compose_prompt(PROMPT, whole, "largest", "python").text == whole


@pytest.mark.parametrize(
    ("paraphrase", "words"),
    [
        (PROMPT.replace("numbers: List[int]", "n"), "The signature is `def largest(n) -> int`"),
        (PROMPT.replace("def helper", "def aid"), "lacks `helper`"),
        (PROMPT + BODY, "has a body already"),
        ("def smallest(x):\n    return x\n", "defines `smallest`"),
        ("def largest(numbers:\n    oh", "does not parse as Python"),
        ("Both \"\"\" and '''", "cannot be a docstring"),
        ("A null \0 here", "cannot be a docstring"),
    ],
)
def test_what_cannot_be_composed_is_named(paraphrase: str, words: str) -> None:
    made = compose_prompt(PROMPT, paraphrase, "largest", "python")
    assert words in made.problem and made.text == paraphrase


@pytest.mark.parametrize("prompt", ["How do I sort?", "def f(x):\n    return x\n", "x = 1\n", ""])
def test_other_prompts_are_replaced(prompt: str) -> None:
    assert read_completion(prompt) is None
    assert compose_prompt(prompt, "Order the list.", "", "python").text == "Order the list."


def test_other_languages_are_left_alone() -> None:
    assert compose_prompt(PROMPT, "Find it.", "largest", "java").text == "Find it."


def test_imports_in_the_function_and_missing_descriptions_are_read() -> None:
    inner = 'def f(x):\n    import math\n    """ Floor it. """\n'
    made = compose_prompt(inner, "Round down.", "f", "python")
    assert made.text == 'def f(x):\n    import math\n    """Round down."""\n'
    bare = compose_prompt("def f(x):", "Round down.", "f", "python")
    assert bare.text == 'def f(x):\n    """Round down."""\n'


def test_a_description_of_a_method_goes_below_its_signature() -> None:
    made = compose_prompt("def area(self, unit: str) -> float:", "Return the area.", "Shape.area", "python")
    assert made.text == 'def area(self, unit: str) -> float:\n    """Return the area."""\n'


def test_a_reference_follows_the_code_without_the_prompts_own_words() -> None:
    program = complete_reference(PROMPT, BODY, "largest")
    assert "Return the largest" not in program and program.endswith(f"-> int:\n{BODY}") and "def helper" in program
    assert complete_reference("# Sort.\n", "x = 1\n") == "# Sort.\nx = 1\n"
