"""A body can be written from its description only where that names what a call may leave out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from annotator.construction.completion.blanks import function_item
from annotator.construction.completion.descriptions import (
    missing_reference,
    optional_parameters,
    undescribed_parameters,
    undescribed_results,
)
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
