"""The keys that can stand where the cursor is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.criteria.document.keys import keys_at
from annotator.criteria.document.positioned_yaml import cursor_place_at
from tests.samples import load_samples

SAMPLES = load_samples(__file__)

SOURCE = SAMPLES["source"]


@pytest.mark.parametrize(("line", "path", "offered"), SAMPLES["half_typed"])
def test_half_typed_keys(line: int, path: list[str], offered: str) -> None:
    text = SOURCE.split("\n")[line]
    place = cursor_place_at(SOURCE, line, len(text))
    assert place.path == tuple(path) and place.is_key
    assert offered.startswith(place.key) and offered in keys_at(place.path)


def test_values_are_no_keys() -> None:
    assert not cursor_place_at(SOURCE, 0, len("lang: pyth")).is_key
    assert cursor_place_at(SOURCE, 0, 2).key == "lang"


@given(st.text("ab: -\n#", max_size=60), st.integers(0, 12), st.integers(0, 12))
def test_any_place_in_any_text(source: str, line: int, column: int) -> None:
    cursor_place_at(source, line, column)
