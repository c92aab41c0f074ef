"""Answers to a masked context: whole programs, functions and bodies make the program that was meant."""

from __future__ import annotations

import subprocess
import sys

import pytest

from annotator.answers.masked import CodeTask, find_masked_place, find_task_answer, place_in_context
from annotator.answers.python_source import PythonReader
from tests.samples import load_samples

SAMPLES = load_samples(__file__)

BODY = SAMPLES["body"]
WHOLE = SAMPLES["whole"]
ALONE = "def area(r, *, scale=1):\n    return round(helper(r) * math.floor(2.5) * scale)\n"
INNER = "    return round(helper(r) * math.floor(2.5) * scale)"
METHOD = SAMPLES["method"]
METHOD_ALONE = "def area(self):\n    return math.floor(self.r) * self.SIDES\n"


def _program(context: str, answer: str, entry: str = "area") -> str:
    asked = CodeTask(language="python", entry_point=entry, prompt="Do it.", context=context)
    return place_in_context(asked, find_task_answer(asked, answer, PythonReader()).text)


def _run(program: str, call: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", f"{program}\nprint({call})"], capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or done.stderr


@pytest.mark.parametrize("fence", ["{}", "```python\n{}```", "Sure, here it is:\n\n```python\n{}```\n\nIt rounds."])
@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(WHOLE, id="whole"),
        pytest.param(WHOLE.replace("import math\n", ""), id="whole without an import"),
        pytest.param(ALONE, id="function"),
        pytest.param("import math\n\n" + ALONE, id="function with an import"),
        pytest.param("from math import floor\n\n\ndef twice(x):\n    return floor(2.5) * x\n\n\n"
                     "def area(r, *, scale=1):\n    return round(twice(helper(r)) * scale)\n", id="with a helper"),
        pytest.param("def helper(x):\n    ...\n\n\n" + ALONE, id="function and outline"),
    ],
)  # fmt: skip
def test_a_masked_body_of_a_function(answer: str, fence: str) -> None:
    program = _program(BODY, fence.format(answer))
    assert _run(program, "area(5, scale=2)") == "60"


@pytest.mark.parametrize("answer", [INNER, "```python\n" + INNER + "\n```", "```python\n" + INNER[4:] + "\n```"])
def test_a_body_alone_goes_below_the_function(answer: str) -> None:
    assert _run(_program(BODY, answer), "area(5)") == "30"


def test_a_base_model_goes_on_from_the_function() -> None:
    assert _run(_program(BODY, f"\n{INNER}\n\n\ndef other():\n    pass\n"), "area(5)") == "30"


def test_a_whole_answer_counts_as_it_is() -> None:
    changed = WHOLE.replace("x * RATE", "x * RATE + 1")
    assert _run(_program(BODY, changed), "area(5)") == "32"


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(METHOD.replace("[MASK]", "\n        return math.floor(self.r) * self.SIDES"), id="whole"),
        pytest.param(METHOD_ALONE, id="method at the margin"),
        pytest.param("    " + METHOD_ALONE.replace("\n    ", "\n        "), id="method as far in"),
        pytest.param("class Shape:\n    " + METHOD_ALONE.replace("\n    ", "\n        "), id="its class alone"),
        pytest.param("from math import floor\n\n\ndef area(self):\n    return floor(self.r) * self.SIDES\n",
                     id="import"),
        pytest.param("class Shape:\n    def area(self):\n        return self.half() * 2\n\n"
                     "    def half(self):\n        return math.floor(self.r) * 2\n", id="another method"),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    ("context", "entry"), [(METHOD, "area"), (METHOD.replace("def area(self): [MASK]", "[MASK]"), "Shape.area")]
)
def test_a_masked_method(answer: str, context: str, entry: str) -> None:
    program = _program(context, f"```python\n{answer}\n```", entry)
    assert _run(program, "(Shape(2.5).area(), Shape(1).name())") == "(8, 'shape')"


def test_a_body_goes_into_its_method() -> None:
    program = _program(METHOD, "        return math.floor(self.r) * self.SIDES")
    assert _run(program, "(Shape(2.5).area(), Shape(1).name())") == "(8, 'shape')"


def test_texts_of_several_lines_stay_as_they_are() -> None:
    context = "class A:\n    @staticmethod\n    def f():\n        [MASK]\n"
    answer = 'def f():\n    return """a\nb\n  c"""\n'
    assert _run(_program(context, answer, "f"), "repr(A.f())") == repr("a\nb\n  c")


def test_an_answer_keeps_its_comments_and_quotes() -> None:
    context = "class A:\n    [MASK]\n"
    answer = 'STEP = "1"  # One.\n\ndef f(self):\n    # Say it.\n    return "x"  # It is x.\n'
    program = _program(context, answer, "f")
    assert program == (
        'STEP = "1"  # One.\nclass A:\n    def f(self):\n        # Say it.\n        return "x"  # It is x.\n'
    )


def test_decorators_around_a_body_stand() -> None:
    context = "class A:\n    @property\n    def f(self):\n        '''What.'''\n        [MASK]\n"
    for answer in ("def f(self):\n    return 1", "@property\ndef f(self):\n    return 1", "return 1"):
        assert _run(_program(context, answer, "f"), "A().f") == "1"


def test_a_docstring_above_the_mask_may_be_left_out() -> None:
    context = 'def f(x):\n    """Say\n    what."""\n    [MASK]\n'
    assert _run(_program(context, "def f(x):\n    return x + 1", "f"), "f(1)") == "2"


@pytest.mark.parametrize(
    "context",
    ["[MASK] [MASK]", "def f(", "x = [MASK]", "class A: [MASK]", "def f():\n    x = 1\n    [MASK]\n    return x"],
)
def test_other_masks_are_no_place(context: str) -> None:
    assert find_masked_place(context) is None
