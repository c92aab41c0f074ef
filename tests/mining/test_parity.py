"""One table, five languages: types inferred from values, literals that hold them, and what the sandbox makes of it."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.base.errors import BadInputError
from annotator.mining.parity import ValueShape, infer_result_shape, infer_shape, parse_table, table_json
from annotator.mining.rendering import LANGUAGES, cpp_literal, java_literal, java_type, render_tests, render_types
from annotator.sandbox import Job, Pool
from annotator.sandbox.programs.altered_programs import alter_expected_values
from tests.samples import load_samples

SAMPLES = load_samples(__file__)

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


def _table(*rows: Any) -> Any:
    return parse_table({"rows": list(rows)})


@pytest.mark.parametrize(
    ("values", "java", "cpp"),
    [
        ([1, 2], "int", "int"),
        ([1, 2**40], "long", "long long"),
        ([1, 2.5], "double", "double"),
        ([1, None], "Integer", "std::optional<int>"),
        (["a"], "String", "std::string"),
        ([[], [1]], "List<Integer>", "std::vector<int>"),
        ([[1, None]], "List<Integer>", "std::vector<std::optional<int>>"),
        ([[[1.5]], [[2]]], "List<List<Double>>", "std::vector<std::vector<double>>"),
        ([{"a": [True]}], "Map<String, List<Boolean>>", "std::map<std::string, std::vector<bool>>"),
        ([[]], "List<Object>", "std::vector<int>"),
    ],
)
def test_types_are_inferred(values: list[Any], java: str, cpp: str) -> None:
    table = _table(*({"name": str(n), "inputs": [value], "expected": 1} for n, value in enumerate(values)))
    assert render_types(table, "java") == ((java,), "int") and render_types(table, "cpp")[0] == (cpp,)
    assert java_type(infer_shape(values)) == java


def test_mixed_columns_are_objects_in_java_and_refused_in_cpp() -> None:
    table = _table({"name": "a", "inputs": [1], "expected": "x"}, {"name": "b", "inputs": ["one"], "expected": "y"})
    assert render_types(table, "java") == (("Object",), "String") and infer_shape([1, "one"]) == ValueShape("mixed")
    with pytest.raises(BadInputError, match="no common type"):
        render_tests(table, "c++", "f")


@given(st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=4))
def test_tables_come_back_and_python_literals_hold_the_values(rows: list[tuple[Any, Any]]) -> None:
    data = {"rows": [{"name": str(n), "inputs": [a], "expected": b} for n, (a, b) in enumerate(rows)]}
    table = parse_table(json.loads(json.dumps(data)))
    assert parse_table(table_json(table)) == table
    for row, test in zip(table.rows, render_tests(table, "python", "f"), strict=True):
        call = next(
            node
            for node in ast.walk(ast.parse(test.code))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "f"
        )
        assert repr(ast.literal_eval(call.args[0])) == repr(row.inputs[0])
    assert all(java_literal(row.expected, infer_result_shape(table)) for row in table.rows)


def test_texts_survive_in_cpp() -> None:
    assert cpp_literal('a"\\\0é?', ValueShape("str")) == 'std::string("a\\042\\134\\000\\303\\251\\077", 7)'
    assert cpp_literal(-(2**31), ValueShape("int")) == "int(-2147483648LL)"


BAD_VALUES = [float("nan"), "\ud800", {1}]
BAD_TABLES = [*SAMPLES["bad_tables"], *({"rows": [{"inputs": [value], "expected": 1}]} for value in BAD_VALUES)]


@pytest.mark.parametrize("value", BAD_TABLES)
def test_bad_tables_are_refused(value: Any) -> None:
    with pytest.raises(BadInputError):
        parse_table(value)


@pytest.mark.parametrize("expected", [[], [[], []], {}, None])
@pytest.mark.parametrize(
    ("language", "code"),
    [("java", "class Solution { static Object f(int a) { return null; } }"), ("c++", "std::vector<int> f(int a) {}")],
)
def test_an_empty_result_is_expected_with_a_number_that_the_control_changes(
    language: str, code: str, expected: Any
) -> None:
    other = {"a": [1]} if expected == {} else [[1]] if expected else [1]
    table = _table({"name": "empty", "inputs": [1], "expected": expected},
                   {"name": "full", "inputs": [1], "expected": other})  # fmt: skip
    empty, full = (test.code for test in render_tests(table, language, "f"))
    assert re.search(rf"same\(.*, {len(expected or ())}, false\)\)", empty)
    assert not re.search(
        rf"same\(.*, {len(expected or ())}, (?:false|true)\)\)", alter_expected_values(language, code, empty)
    )
    assert "size()" not in full.split("main(")[-1] and "has_value" not in full.split("main(")[-1]


def test_names_and_languages_are_checked() -> None:
    table = _table({"inputs": [1], "expected": 1})
    with pytest.raises(BadInputError):
        render_tests(table, "cobol", "f")
    with pytest.raises(BadInputError):
        render_tests(table, "ruby", "f")
    with pytest.raises(BadInputError, match="not the name"):
        render_tests(table, "python", "f();import os")


SPLIT = _table(
    {"name": "typical", "inputs": ["a,b", ","], "expected": {"parts": ["a", "b"], "rest": []}},
    {"name": "corner", "inputs": ["", ";"], "expected": {"parts": [""], "rest": []}},
    {"name": "odd signs", "inputs": ['é"\\\n;?', ";"], "expected": {"parts": ['é"\\\n', "?"], "rest": []}},
    {"name": "invalid", "inputs": ["a", ""], "comparator": "raises"},
)
CODE = SAMPLES["code"]


@pytest.mark.parametrize("name", LANGUAGES)
def test_the_same_rows_hold_in_every_language(pool: Pool, name: str) -> None:
    (done,) = pool.run([Job(id=name, language=name, code=CODE[name], tests=render_tests(SPLIT, name, "cut"))])
    assert [(test.name, test.outcome) for test in done.tests] == [(row.name, "pass") for row in SPLIT.rows], done


NUMBERS = _table(
    {"name": "exact", "inputs": [[3, 1, 2], 2.0, None], "expected": [6, 2, 4], "comparator": "unordered"},
    {"name": "near", "inputs": [[1], 0.1, 7], "expected": [0.1000000001], "comparator": "close"},
    {"name": "wrong", "inputs": [[1], 2.0, None], "expected": [3], "comparator": "equal"},
    {"name": "no error", "inputs": [[1], 2.0, None], "comparator": "raises"},
    {"name": "twice", "inputs": [[1, 1], 1.0, None], "expected": [1, 2], "comparator": "unordered"},
)
SCALE = SAMPLES["scale"]


@pytest.mark.parametrize("name", LANGUAGES)
def test_wrong_results_fail_in_every_language(pool: Pool, name: str) -> None:
    (done,) = pool.run([Job(id=name, language=name, code=SCALE[name], tests=render_tests(NUMBERS, name, "scale"))])
    outcomes = [test.outcome for test in done.tests]
    assert outcomes[:2] == ["pass", "pass"] and "pass" not in outcomes[2:] and "machinery" not in outcomes, done
    assert "compile_error" not in outcomes
