"""The keys that can stand where the cursor is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.criteria.document.cursor_place import place_at
from annotator.criteria.document.schema import keys_at

SOURCE = """\
lang: python
gra
grading:
  keywords:
    - content: x
      wei
    - content:
        or:
        - content: y
          re
  unit_test:
    tests:
    - name: a
      con
"""


@pytest.mark.parametrize(
    ("line", "path", "offered"),
    [
        (1, (), "grading"),
        (5, ("grading", "keywords"), "weight"),
        (9, ("grading", "keywords", "content", "or"), "regex"),
        (13, ("grading", "unit_test", "tests"), "content"),
    ],
)
def test_half_typed_keys(line: int, path: tuple[str, ...], offered: str) -> None:
    text = SOURCE.split("\n")[line]
    place = place_at(SOURCE, line, len(text))
    assert place.path == path and place.is_key
    assert offered.startswith(place.key) and offered in keys_at(place.path)


def test_values_are_no_keys() -> None:
    assert not place_at(SOURCE, 0, len("lang: pyth")).is_key
    assert place_at(SOURCE, 0, 2).key == "lang"


@given(st.text("ab: -\n#", max_size=60), st.integers(0, 12), st.integers(0, 12))
def test_any_place_in_any_text(source: str, line: int, column: int) -> None:
    place_at(source, line, column)
