"""Ways to say which of several answers counts: the one that is meant passes, and the other one does not."""

from __future__ import annotations

import json

import pytest

from annotator.answers.announcements import demotion
from annotator.answers.arguments import find_arguments
from annotator.answers.code import find_code, wanted_code
from annotator.answers.review import find_review
from annotator.answers.value import find_value
from annotator.construction.understanding.literals import (
    AnswerError,
    is_value,
    parse_arguments,
    signature_of,
)
from tests.answers.programs import PROGRAMS

PYTHON = PROGRAMS["python"]
WANTED = wanted_code("python", PYTHON.entry, prompt=PYTHON.prompt, tests=PYTHON.tests)

BEFORE_THE_ANSWER = """
This avoids the mistake in my first version:
Here is the code without the bug that made the old version fail:
Replace the current function with this:
Rewriting the original function:
The alternative I settled on:
So I'd go with the other approach:
To handle what was wrong before, do this:
This is what I should have written at first:
A less naive version:
Same function, minus the mistake:
Let me rewrite my first version so that it works:
Unlike the draft, this treats the special case:
Not bad, but this one also covers the edge case:
Let me try another way that actually works:
Below, the bad line is gone:
If you want correct results for every input, write:
Looking at it again, the special case was incorrect, so:
As the first attempt failed, here is a second attempt:
Noting that the above returns the wrong end, I'll switch the slices:
A cleaner solution that also passes the failing test:
Please disregard the code above. Solution:
As before, we start with the guard:
Here is your function:
The given function, completed:
The code below has no bugs:
Here it is, with comments and error handling:
Keeping the original signature, the function becomes:
Here is the code again, with the old comments removed:
Unfortunately the first idea fails, but this one holds:
Here's the code you had asked for:
上述代码有误 应为
Besser so:
Versión corregida:
""".strip().split("\n")
BEFORE_ANOTHER = """
Beware of this variant, which returns garbage:
Here's how NOT to do it:
Anti-pattern:
What you had:
This version has an off-by-one error:
Compare with this flawed version:
The version I tried first:
This shorter variant does not handle the special cases:
Just for fun, here's a version that ignores edge cases:
**Don't:**
❌ **Wrong:**
Note that the following does *not* work:
Do not be tempted by the shorter form:
An attempt that looks right but isn't:
Here is the version with the bug, so you can see the difference:
A common wrong answer:
Your code:
The code that you provided:
Avoid this:
不要这样写
So bitte nicht:
À éviter :
No lo hagas así:
Так делать не нужно:
やってはいけない例
Não faça assim:
""".strip().split("\n")
TAKES_BACK = """
This one fails for some inputs, so use the first version.
Don't use this second version; it is wrong.
The second version is incorrect, so my final answer is the first one.
(This doesn't work, I only show it for contrast.)
As you can see, this breaks on the examples.
That's not right, so I'm going back to my first version.
Between the two, the first version is correct.
""".strip().split("\n")
LEAVES_STANDING = """
This is not in place, it returns a new list.
This doesn't change the input.
It will not raise an error for empty lists.
This fails only if the argument is None.
The first version was wrong because it went the other way.
You can keep the first one in memory.
It is wrong to assume that the list is sorted.
No, really, that is all.
""".strip().split("\n")


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


@pytest.mark.parametrize("words", BEFORE_THE_ANSWER)
def test_what_follows_is_the_answer(words: str) -> None:
    for draft, answer, good in ((PYTHON.wrong, PYTHON.right, True), (PYTHON.right, PYTHON.wrong, False)):
        assert _passes(f"{_fenced(draft)}\n\n{words}\n\n{_fenced(answer)}") is good


@pytest.mark.parametrize("words", BEFORE_ANOTHER)
def test_what_follows_is_not_the_answer(words: str) -> None:
    for answer, other, good in ((PYTHON.right, PYTHON.wrong, True), (PYTHON.wrong, PYTHON.right, False)):
        assert _passes(f"{_fenced(answer)}\n\n{words}\n\n{_fenced(other)}") is good


@pytest.mark.parametrize("words", TAKES_BACK)
def test_the_last_version_is_taken_back(words: str) -> None:
    for answer, other, good in ((PYTHON.right, PYTHON.wrong, True), (PYTHON.wrong, PYTHON.right, False)):
        assert _passes(f"{_fenced(answer)}\n\nAnother thought:\n\n{_fenced(other)}\n\n{words}") is good


@pytest.mark.parametrize("words", LEAVES_STANDING)
def test_a_remark_takes_nothing_back(words: str) -> None:
    assert demotion("Here it is:", words) == ""


def test_the_comment_that_a_block_begins_with_announces_it() -> None:
    assert _passes(f"{_fenced(PYTHON.right)}\n\n{_fenced('# WRONG - do not use' + chr(10) + PYTHON.wrong)}")


def test_the_body_of_a_completion_goes_without_what_tries_it() -> None:
    prompt = f'{PYTHON.stub}\n    """Double what is near 0."""\n'
    body = PYTHON.right.partition("\n")[2]
    wanted = wanted_code("python", PYTHON.entry, prompt=prompt, tests=PYTHON.tests)
    tries = ("assert double_all([1]) == [9]", 'if __name__ == "__main__":\n    print(double_all(eval(input())))')
    for text in (*(f"{body}\n\n\n{code}" for code in tries), f"{body}\n```\n\nThe loop does it."):
        for continued in (False, True):
            if "```" in text and continued:
                continue
            found = find_code(text, wanted, prompt=prompt, continued=continued)
            scope: dict[str, object] = {"__name__": "__main__"}
            exec(f"{found.text}\n{PYTHON.tests[0]}", scope)


def test_a_program_in_json_stands_in_prose() -> None:
    given = json.dumps({"language": "python", "solution": PYTHON.right})
    assert _passes(f"Here it is as requested:\n\n{given}\n\nI hope this helps.")


@pytest.mark.parametrize(
    "template",
    [
        "The result is V. A common wrong answer is O.",
        "My first answer was `O`, but after tracing the code again I get `V`.",
        "Answer: V\n\nA common mistake is to answer O.",
        "The answer: V (the code never reaches the branch that returns O)",
        "<result>V</result>\n<explanation>The draft result O was wrong.</explanation>",
        "The call does not return O but V.",
        "The answer is V; the answer O would be wrong.",
        "不是 O 而是 V",
        "`V` is the output.",
        "V is what the function returns.",
        "We conclude that the returned object is V.",
        "```\noutput: V\n```",
        "```yaml\noutput: V\n```",
        "Hence the output is \\( V \\).",
        '<tool_call>\n{"name": "submit", "arguments": {"answer": V}}\n</tool_call>',
        "Expected: V",
        "The call gives back V.",
    ],
)
@pytest.mark.parametrize(("right", "wrong"), [("[4, 1, 2]", "[2, 4, 1]"), ("2.75", "3")])
def test_values(template: str, right: str, wrong: str) -> None:
    for value, other in ((right, wrong), (wrong, right)):
        text = "".join({"V": value, "O": other}.get(sign, sign) for sign in template)
        assert find_value(text, is_value, entry_point="f").text == value, text


@pytest.mark.parametrize("text", ["It returns either `1` or `2`.", "It could be `1` or `2`; I am not sure."])
def test_two_values_are_no_answer(text: str) -> None:
    assert find_value(text, is_value, entry_point="f").outcome == "empty"


@pytest.mark.parametrize(
    "text",
    [
        "`f(1, 2)` rather than `f(3, 4)`.",
        "Zum Beispiel liefert `f(1, 2)` genau `3`.",
        "Input → `1, 2`",
        '<tool_call>{"name": "f", "arguments": {"a": 1, "b": 2}}</tool_call>',
    ],
)
def test_arguments(text: str) -> None:
    signature = signature_of("def f(a, b):\n    return a + b\n", "f")

    def reads(given: str) -> bool:
        try:
            return bool(parse_arguments(given, "f", signature))
        except AnswerError:
            return False

    assert "1" in find_arguments(text, reads, "f", ("a", "b")).text


@pytest.mark.parametrize(
    ("said", "is_finding"),
    [("There are no errors of this kind.", False), ("I did not find any.", False), ("✓", False),
     ("No issue of this kind was detected in the code.", False), ("The code is free of such issues.", False),
     ("No error handling is done here.", True), ("No bounds are checked", True), ("The loop ends too early.", True)],
)  # fmt: skip
def test_sentences_that_say_none(said: str, is_finding: bool) -> None:
    keys = ("security_issues", "logical_errors")
    found = find_review(json.dumps({"security_issues": said, "logical_errors": "x = 1"}), keys)
    assert set(found.values) == ({*keys} if is_finding else {"logical_errors"})
