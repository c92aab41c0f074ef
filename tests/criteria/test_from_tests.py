"""Criteria written from tests that exist already."""

from __future__ import annotations

import pytest
from ruamel.yaml import YAML

from annotator.criteria.document.from_tests import GivenTest, criterion_from_tests


@pytest.mark.parametrize(
    ("code", "kept"),
    [
        ('def test_a():\n    assert f() == """a  \n\tb"""\n', 'def test_a():\n    assert f() == """a  \n\tb"""\n'),
        ("def test_a():  \n\tassert f()\n", "def test_a():\n    assert f()\n"),
    ],
)
def test_blanks_and_tabs_inside_texts_stay(code: str, kept: str) -> None:
    document = YAML().load(criterion_from_tests("python", "f", [GivenTest("a", code)]))
    assert document["grading"]["unit_test"]["tests"][0]["content"] == kept
