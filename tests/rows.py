"""Families of samples that one test goes through: it reports every row that fails, not only the first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def check_rows(check: Callable[..., None], rows: Iterable[tuple[Any, ...]]) -> None:
    """Call ``check`` with each row, and raise one AssertionError with all rows that fail.

    Thousands of rows would be slow to collect as tests of their own.
    """
    failures, count = [], 0
    for row in rows:
        count += 1
        try:
            check(*row)
        except Exception as error:  # noqa: BLE001 - an error of the code under test is a failing row too
            failures.append(f"{row!r}: {type(error).__name__}: {error}")
    assert count, "There are no rows to check."
    if failures:
        raise AssertionError("\n\n".join([f"{len(failures)} of {count} rows fail:", *failures]))
