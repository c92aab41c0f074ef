"""The alignment of many responses against the rule as it is written down, cell by cell."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.criteria.alignment import Alignment, align, align_all

LETTERS = st.text("ab \n", min_size=1, max_size=12)


def by_the_rule(template: str, response: str) -> Alignment:
    """Fill both tables cell by cell, as part B, section 5 of the specification says."""
    rows, columns = len(template), len(response)
    length = [[0] * columns for _ in range(rows)]
    column = [[0] * columns for _ in range(rows)]
    for i in range(rows):
        for j in range(columns):
            if template[i] == response[j]:
                length[i][j] = 1 if i == 0 or j == 0 else length[i - 1][j - 1] + 1
                column[i][j] = j
            elif i and j:
                left, up = (length[i][j - 1], column[i][j - 1]), (length[i - 1][j], column[i - 1][j])
                if left[0] == up[0]:
                    length[i][j], column[i][j] = left[0], max(left[1], up[1])
                else:
                    length[i][j], column[i][j] = max(left, up)
    place = column[-1][-1]
    positions = [0] * rows
    for i in range(rows - 1, -1, -1):
        if template[i] == response[place]:
            positions[i] = place
            if i:
                place = column[i - 1][place - 1]
        else:
            positions[i] = place + 1
    return Alignment(length[-1][-1], tuple(positions))


@settings(max_examples=400, deadline=None)
@given(LETTERS, st.lists(LETTERS, min_size=1, max_size=6))
def test_equals_the_rule_for_many_at_once(template: str, responses: list[str]) -> None:
    assert list(align_all(template, responses)) == [by_the_rule(template, response) for response in responses]


@settings(max_examples=100, deadline=None)
@given(st.text(min_size=1, max_size=30), st.text(min_size=1, max_size=30))
def test_equals_the_rule_for_any_text(template: str, response: str) -> None:
    assert align(template, response) == by_the_rule(template, response)


def test_batches_keep_the_order() -> None:
    responses = ["ab" * size for size in range(1, 400)]
    template = "xaxb" * 100
    assert list(align_all(template, responses)) == [align(template, response) for response in responses]
