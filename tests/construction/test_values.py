"""Canonical values, equality, and the readers of answers: vectors of the specification, hostile input."""

from __future__ import annotations

import importlib.util
import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.base.resources import resource_path
from annotator.construction import canonical
from annotator.construction.canonical import form_text, forms_equal, same_items
from annotator.construction.understanding.literals import (
    AnswerError,
    parse_arguments,
    parse_value,
    read_python_signature,
)
from annotator.construction.understanding.random_inputs import random_calls


def _inside() -> Any:
    spec = importlib.util.spec_from_file_location("probe_values", resource_path("construction", "values.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


INSIDE = _inside()
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.binary(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(max_size=4) | st.integers(), inner, max_size=4)
        | st.sets(st.integers() | st.text(max_size=3), max_size=4)
        | st.frozensets(st.integers(), max_size=4)
    ),
    max_leaves=12,
)


@given(value=VALUES)
def test_a_value_goes_through_its_form_and_its_text(value: Any) -> None:
    form = INSIDE.encode(value)
    back = INSIDE.decode(form)
    assert type(back) is type(value) and INSIDE.encode(back) == form
    assert forms_equal(form, form, "strict") and forms_equal(form, form)
    assert forms_equal(parse_value(form_text(form)), form)


@given(text=st.text(max_size=60) | st.text(alphabet="()[]{},:'\"-*01.eE_fx \n`", max_size=60))
def test_no_text_gets_past_the_readers(text: str) -> None:
    for read in (lambda: parse_value(text), lambda: parse_arguments(text, "f", SIGNATURE)):
        try:
            read()
        except AnswerError:
            continue


SIGNATURE = read_python_signature("def f(a, b=1, *, c=2):\n    return a\n", "f")


@pytest.mark.parametrize(
    ("left", "right", "loose", "strict"),
    [
        ("75", "75.0", True, False), ("(1, 2)", "[1, 2]", True, False), ("np.array([1, 2])", "[1, 2.0]", True, False),
        ("True", "1", False, False), ("1.0000001", "1.0", False, False),
        ("1.0000000001", "1.0", True, True), ("1.00001", "1.0", False, False),
        ("nan", "nan", True, True), ("{1: 2, 3: 4}", "{3: 4, 1: 2}", True, True), ("{1, 2}", "{2, 1}", True, True),
        ("{1, 2}", "[1, 2]", False, False), ("'a '", "'a'", False, False), ("frozenset({1})", "{1}", True, False),
        ("{'a': [1, (2,)]}", "{'a': [1, [2]]}", True, False), ("Counter('aab')", "{'a': 2, 'b': 1}", True, True),
        ("[0] * 3", "[0, 0, 0]", True, True), ("None", "0", False, False), ("deque([1])", "[1]", True, False),
        ("2**3", "8", None, None), ("10000000000000000000", "1e19", True, False), ("1+2j", "complex(1, 2)", True, True),
    ],
)  # fmt: skip
def test_equality(left: str, right: str, loose: bool | None, strict: bool | None) -> None:
    if loose is None:
        with pytest.raises(AnswerError):
            parse_value(left)
        return
    a, b = parse_value(left), parse_value(right)
    assert (forms_equal(a, b), forms_equal(a, b, "strict")) == (loose, strict)


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("(0, 2, 0, 3)", "[0, 2, 0, 3]", False), ("[(1, 'a')]", "[[1, 'a']]", False),
        ("{'a': (1,)}", "{'a': [1]}", False),
        ("{(1, 2): 3}", "{(1, 2.0): 3}", True), ("(1, 2)", "(1, 2.0)", True), ("deque([1])", "[1]", False),
        ("np.array([1, 2])", "[1, 2.0]", True), ("frozenset({1})", "{1}", True), ("[[1], []]", "[[1.0], []]", True),
    ],
)  # fmt: skip
def test_what_is_written_keeps_lists_and_tuples_apart(left: str, right: str, same: bool) -> None:
    assert forms_equal(parse_value(left), parse_value(right), "written") is same


def test_strings_may_lose_their_end_and_rows_their_order() -> None:
    assert forms_equal("a \n", "a", strip=True) and not forms_equal(" a", "a", strip=True)
    rows, other = [{"$t": [1, "a"]}, {"$t": [1, "a"]}, {"$t": [2, "b"]}], [{"$t": [2, "b"]}, [1, "a"], [1, "a"]]
    assert same_items(rows, other) and not forms_equal(rows, other)
    assert not same_items(rows, [[1, "a"], [2, "b"], [2, "b"]])


@pytest.mark.parametrize(
    "hostile",
    ['__import__("os")', "open('/etc/passwd')", "[x for x in ()]", "().__class__", "f'{1}'", "lambda: 0", "[0] * 10**9",
     "[[0] * 9999] * 9999", "a", "1 if 1 else 2", "os.system", "eval('1')", "{**{}}", "set(*[1])", "-'a'", "...",
     "np.load('x')", "defaultdict(list, {}).x", "(" * 500, "9" * 30_000, "int64(__import__('os'))"],
)  # fmt: skip
def test_a_hostile_answer_is_refused(hostile: str) -> None:
    with pytest.raises(AnswerError):
        parse_value(hostile)


POWER = read_python_signature("def power_sum(arr1, arr2):\n    return 0\n", "power_sum")


@pytest.mark.parametrize(
    ("answer", "values"),
    [("[[1,1,10],[1,1,2]]", [[1, 1, 10], [1, 1, 2]]), ("([100,2],[1,1])", [[100, 2], [1, 1]]),
     ("power_sum([101,1],[1,1])", [[101, 1], [1, 1]]), ("arr1=[102], arr2=[1]", [[102], [1]]),
     ('{"arr1":[102],"arr2":[1]}', [[102], [1]]), ("[1], [2]", [[1], [2]])],
)  # fmt: skip
def test_arguments_in_all_their_forms(answer: str, values: list[Any]) -> None:
    (call,) = parse_arguments(answer, "power_sum", POWER)
    assert [*call.positional, *dict(call.keywords).values()] == values


@pytest.mark.parametrize(
    "answer", ["102", '__import__("os")', "[1]", "a=1, b=2", "*[[1], [2]]", "[1) + (2]", "", "x, y"]
)
def test_what_is_no_list_of_arguments(answer: str) -> None:
    with pytest.raises(AnswerError):
        parse_arguments(answer, "power_sum", POWER)


def test_a_single_list_may_be_the_argument_or_a_list_of_arguments() -> None:
    one = read_python_signature("def f(x):\n    return x\n", "f")
    first, second = parse_arguments("[5]", "f", one)
    assert first.positional == ([5],) and second.positional == (5,)


@given(values=st.lists(st.lists(st.integers()) | st.text() | st.floats(allow_nan=False), min_size=1, max_size=3))
def test_random_inputs_repeat_and_keep_their_kinds(values: list[Any]) -> None:
    call = [INSIDE.encode(value) for value in values]
    made = random_calls([call], 20, seed=3)
    assert made == random_calls([call], 20, seed=3) and len(made) == 20
    for item in made:
        assert [canonical.tag_of(form) for form in item] == [canonical.tag_of(form) for form in call]
        INSIDE.decode(item)


def test_several_threads_read_at_once() -> None:
    deep = "[" * 60 + "1" + "]" * 60
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(parse_value, [deep, "{'a': (1, 2.5)}", f"[{deep}, {deep}]"] * 200))
    assert len(found) == 600 and found[0] == found[3]


def test_numbers_near_the_edges() -> None:
    assert form_text(INSIDE.encode(10**40)) == str(10**40) and form_text(INSIDE.encode(math.inf)) == "float('inf')"
    with pytest.raises(INSIDE.UnsupportedError):
        INSIDE.encode(object())
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(INSIDE.UnsupportedError):
        INSIDE.encode(loop)
