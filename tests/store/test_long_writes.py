"""A long write goes on in one transaction until somebody else waits to write, in this process or another."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from sqlmodel import Session

from annotator.base.errors import MissingEnvironmentError
from annotator.store.file.long_writes import FIRST_STEP, LONGEST_STEP, MOST, LongWrite
from annotator.store.file.project_file import ProjectFile

_PATIENCE_S = 10.0


@pytest.fixture
def other(store: ProjectFile) -> Iterator[ProjectFile]:
    """The same file opened a second time, with locks and connections of its own, as another process has them."""
    opened = ProjectFile.open(store.path)
    yield opened
    opened.close()


def _rename(store: ProjectFile, name: str) -> None:
    with store.write() as db:
        db.connection().exec_driver_sql(f"UPDATE project SET name = '{name}'")


def _name(db: Session) -> str:
    return str(db.connection().exec_driver_sql("SELECT name FROM project").scalar_one())


def _until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + _PATIENCE_S
    while not holds() and time.monotonic() < end:
        time.sleep(0.001)
    assert holds()


@pytest.mark.skipif(sys.platform != "linux", reason="other processes are not seen")
def test_steps_grow_and_share_a_transaction_while_nobody_waits(store: ProjectFile) -> None:
    left, steps = 3 * MOST, list[int]()

    def write_rows(_db: Session, most: int) -> int:
        nonlocal left
        count = min(most, left)
        left -= count
        steps.append(count)
        return count

    with LongWrite(store) as long:
        transactions = list(long.repeat(write_rows))
    assert transactions == [MOST, MOST, MOST, 0]
    assert steps[:5] == [FIRST_STEP, 2 * FIRST_STEP, 4 * FIRST_STEP, 8 * FIRST_STEP, LONGEST_STEP]


@pytest.mark.parametrize("who", ["a thread", "a process"])
def test_a_transaction_ends_when_somebody_waits(store: ProjectFile, request: pytest.FixtureRequest, who: str) -> None:
    if who == "a process" and sys.platform != "linux":
        pytest.skip("other processes are not seen")
    writing = store if who == "a thread" else request.getfixturevalue("other")
    thread = threading.Thread(target=_rename, args=(writing, "Renamed"))
    names = list[str]()

    def write_rows(db: Session, _most: int) -> int:
        names.append(_name(db))
        if len(names) == 2:
            thread.start()
            _until(lambda: store.is_write_awaited(db))
        return FIRST_STEP if len(names) < 4 else 0

    with LongWrite(store) as long:
        transactions = list(long.repeat(write_rows))
    thread.join()
    assert transactions == [2 * FIRST_STEP, FIRST_STEP]
    assert names == ["Demo", "Demo", "Renamed", "Renamed"]


def _options(store: ProjectFile) -> tuple[int, ...]:
    with store.write() as db:
        names = ("cache_size", "wal_autocheckpoint")
        return tuple(int(db.connection().exec_driver_sql(f"PRAGMA {name}").scalar_one()) for name in names)


def test_options_are_restored_after_the_last_of_the_writes_that_overlap(store: ProjectFile) -> None:
    before = _options(store)
    with ExitStack() as first, ExitStack() as second:
        first.enter_context(LongWrite(store))
        during = _options(store)
        second.enter_context(LongWrite(store))
        first.close()
        assert _options(store) == during != before
    assert _options(store) == before


def test_options_are_restored_even_if_the_log_cannot_be_copied(
    store: ProjectFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise MissingEnvironmentError("The disk is full.")

    before = _options(store)
    monkeypatch.setattr(store, "checkpoint", fail)
    with LongWrite(store):
        assert _options(store) != before
    assert _options(store) == before


def test_reading_is_done_outside_of_transactions(store: ProjectFile) -> None:
    written = list[int]()

    def rows() -> Iterator[int]:
        yield from range(MOST + 1)
        # Would fail as nested in the transaction of the rows before.
        _rename(store, "Meanwhile")

    with LongWrite(store) as long:
        long.write_all(rows(), lambda _db, part: written.extend(part))
    assert written == list(range(MOST + 1))
    with store.read() as db:
        assert _name(db) == "Meanwhile"


def test_nobody_waits_once_the_turn_was_taken(store: ProjectFile, other: ProjectFile) -> None:
    with store.write() as db:
        db.connection()
        if sys.platform == "linux":
            assert not store.is_write_awaited(db)
        thread = threading.Thread(target=_rename, args=(other, "Renamed"))
        thread.start()
        _until(lambda: store.is_write_awaited(db))
    thread.join()
    with store.write() as db:
        db.connection()
        assert store.is_write_awaited(db) == (sys.platform != "linux")
