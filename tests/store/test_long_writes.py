"""A long write lets others write between, and windows that have one project file open know of each other."""

from __future__ import annotations

import errno
import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlmodel import Session

from annotator.base.errors import MissingEnvironmentError
from annotator.services.project import projects
from annotator.store.file import connection, file_lock, project_file
from annotator.store.file.long_writes import FIRST_STEP, LONGEST_STEP, MOST, LongWrite
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.window_locks import WINDOWS, WindowLocks

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


# Windows that have one project file open know of each other, and a killed one is not there any more.
HOLD = """
import sys, time
from pathlib import Path
from annotator.store.file.window_locks import WindowLocks
held = WindowLocks(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    ProjectFile.create(tmp_path / "p.annotator", "Demo", "Ada").close()
    return tmp_path / "p.annotator"


def _lock_until(condition: Callable[[], bool]) -> None:
    limit = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.05)


def test_each_sees_the_others_until_they_close(path: Path) -> None:
    first = WindowLocks(path)
    assert first.count_others() == 0
    second = WindowLocks(path)
    assert (first.count_others(), second.count_others()) == (1, 1)
    first.close()
    assert second.count_others() == 0
    third = WindowLocks(path)
    assert (second.count_others(), third.count_others()) == (1, 1)
    second.close()
    third.close()
    assert [item.name for item in path.parent.iterdir()] == [path.name], "nothing is left beside the project"


def test_a_killed_window_is_gone_and_what_it_left_is_cleared_away(path: Path) -> None:
    own = WindowLocks(path)
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    assert own.count_others() == 1
    process.kill()
    process.wait()
    assert len(list(path.parent.glob(".p.annotator.window*"))) == 2
    assert own.count_others() == 0
    assert len(list(path.parent.glob(".p.annotator.window*"))) == 1
    process.stdout.close()
    own.close()


def test_more_windows_than_places(path: Path) -> None:
    held = [WindowLocks(path) for _ in range(WINDOWS)]
    unseen = WindowLocks(path)
    assert unseen.count_others() == WINDOWS
    assert held[0].count_others() == WINDOWS - 1
    for item in (*held, unseen):
        item.close()


@pytest.mark.skipif(sys.platform == "win32" or os.getuid() == 0, reason="the superuser writes everywhere")
def test_a_folder_that_cannot_be_written(path: Path) -> None:
    path.parent.chmod(0o500)
    try:
        locks = WindowLocks(path)
        assert locks.count_others() == 0
        locks.close()
    finally:
        path.parent.chmod(0o700)


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    locks = WindowLocks(tmp_path / "gone" / "p.annotator")
    assert locks.count_others() == 0
    locks.close()


def test_open_projects_tell_when_windows_come_and_go(path: Path) -> None:
    stores, heard = [ProjectFile.open(path) for _ in range(2)], list[tuple[str, ...]]()
    stores[0].listen(lambda _changes: None, heard.append)
    stores[1].listen(lambda _changes: None, lambda _names: None)
    _lock_until(lambda: heard == [("",)])
    command = ProjectFile.open(path)
    stores[1].close()
    _lock_until(lambda: heard == [("",), ()])
    command.close()
    stores[0].close()


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone tells that a file system has no locks")
@pytest.mark.parametrize(("number", "said"), [(errno.ENOLCK, "locks do not work"), (errno.EINVAL, "Another program")])
def test_a_file_system_without_locks_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, said: str
) -> None:
    path = tmp_path / "p.annotator"
    projects.create_project(path, "Demo", "Ada").close()

    def fail(*_: object, **__: object) -> None:
        raise OSError(number, "no locks")

    def be_busy(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("database is locked")

    monkeypatch.setattr(file_lock.fcntl, "fcntl", fail)
    monkeypatch.setattr(project_file, "connect", be_busy)
    with pytest.raises(MissingEnvironmentError, match=said):
        projects.open_project(path)


def test_locks_that_do_not_hold_are_told() -> None:
    with pytest.raises(MissingEnvironmentError, match="locks do not work"), connection.translate_errors("p.annotator"):
        raise sqlite3.OperationalError("locking protocol")
