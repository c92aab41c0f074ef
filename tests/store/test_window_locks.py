"""Windows that have one project file open know of each other, and a killed one is not there any more."""

from __future__ import annotations

import errno
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.base.errors import MissingEnvironmentError
from annotator.services.project import projects
from annotator.store.file import connection, file_lock, project_file
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.window_locks import WINDOWS, WindowLocks

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


def _until(condition: Callable[[], bool]) -> None:
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
    _until(lambda: heard == [("",)])
    command = ProjectFile.open(path)
    stores[1].close()
    _until(lambda: heard == [("",), ()])
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
