"""A family of samples that is one test reports every row that fails."""

from __future__ import annotations

import pytest

from tests.rows import check_rows


def _check_half(number: int, half: int) -> None:
    assert number // half == 2


def test_every_failing_row_is_named() -> None:
    check_rows(_check_half, [(4, 2), (6, 3)])
    with pytest.raises(AssertionError) as failure:
        check_rows(_check_half, [(4, 2), (9, 3), (1, 0)])
    message = str(failure.value)
    assert message.startswith("2 of 3 rows fail:")
    assert "(9, 3): AssertionError" in message and "(1, 0): ZeroDivisionError" in message and "(4, 2)" not in message


def test_no_rows_are_a_failure() -> None:
    with pytest.raises(AssertionError, match="no rows"):
        check_rows(_check_half, [])
