"""A response that is nothing but a program, in no fence, is taken whole where tests judge it."""

from __future__ import annotations

import pytest

from annotator.criteria import parse_criterion
from annotator.criteria.metrics.extraction import extract_code
from annotator.criteria.metrics.unit_tests import unit_test_program
from tests.samples import load_samples

SAMPLES = load_samples(__file__)

PROGRAMS = SAMPLES["programs"]
OTHERS = SAMPLES["others"]


def _program(language: str, response: str, prefix: str = "") -> str:
    rules = f"unit_test: {{lang: {language}, tests: [{{content: x, prefix: {prefix!r}}}]}}"
    document = parse_criterion(f"grading:\n  {rules}\n", {}).document
    assert document is not None
    return unit_test_program(document.tests[0], response)


@pytest.mark.parametrize("language", PROGRAMS)
def test_a_whole_program_stays_whole(language: str) -> None:
    bare = _program(language, PROGRAMS[language])
    assert PROGRAMS[language].strip() in bare
    fenced = _program(language, f"```{language}\n{PROGRAMS[language]}```")
    assert bare.split() == fenced.split()


@pytest.mark.parametrize("language", OTHERS)
def test_the_rest_of_a_function_is_cut_as_the_published_grader_does(language: str) -> None:
    cut = extract_code("\n" + OTHERS[language], language).strip()
    assert _program(language, OTHERS[language]).strip().endswith(cut)


def test_what_follows_a_prefix_is_the_rest_of_it() -> None:
    program = _program("python", "def g():\n    return 2\n", "def f():")
    assert "return 2" not in program
