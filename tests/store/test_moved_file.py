"""The file of an open project is renamed, moved, deleted or overwritten by others: no work is lost, and it is said."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from annotator.base.errors import MissingEnvironmentError
from annotator.base.messages import Message
from annotator.model.tables.project_tables import Annotator
from annotator.store.file.project_file import ProjectFile
from annotator.store.history import undo_log

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="nobody can rename a file that is open there")


def _add(store: ProjectFile, name: str) -> None:
    with store.write() as db:
        db.connection().execute(
            text("INSERT INTO annotator (id, created_at, name, role) VALUES (:n, '2026-01-01', :n, 'expert')"),
            {"n": name},
        )


def _names(path: Path) -> list[str]:
    """Return the people in the file alone, as somebody finds them who was given a copy of it."""
    seen = path.parent / "seen" / path.name
    seen.parent.mkdir(exist_ok=True)
    shutil.copy(path, seen)
    copy = ProjectFile.open(seen)
    with closing(copy), copy.reader() as connection:
        return [row[0] for row in connection.execute("SELECT name FROM annotator ORDER BY rowid")]


def test_a_renamed_file_holds_all_work_and_it_is_said_once(store: ProjectFile, tmp_path: Path) -> None:
    told = list[Message]()
    store.on_warning(told.append)
    _add(store, "Bea")
    renamed = store.path.rename(tmp_path / "q.annotator")

    _add(store, "Cem")
    _add(store, "Dan")
    store.close()

    assert _names(renamed) == ["Ada", "Bea", "Cem", "Dan"]
    assert len(told) == 1 and "renamed or moved" in told[0] and "new name" in told[0]


def test_what_was_saved_before_the_renaming_is_in_the_file_without_another_act(
    store: ProjectFile, tmp_path: Path
) -> None:
    _add(store, "Bea")
    renamed = store.path.rename(tmp_path / "q.annotator")

    store.renew()

    assert _names(renamed) == ["Ada", "Bea"]


def test_another_project_in_its_place_is_not_taken_for_it(store: ProjectFile, tmp_path: Path) -> None:
    _add(store, "Bea")
    renamed = store.path.rename(tmp_path / "q.annotator")
    ProjectFile.create(tmp_path / "other.annotator", "Other", "Zoe").close()
    (tmp_path / "other.annotator").rename(store.path)

    with pytest.raises(MissingEnvironmentError, match="renamed or moved"):
        store.checkpoint()
    _add(store, "Cem")
    store.close()

    assert _names(renamed) == ["Ada", "Bea", "Cem"]


def test_a_file_that_is_gone_before_it_was_read_is_said_to_be_gone(tmp_path: Path) -> None:
    ProjectFile.create(tmp_path / "p.annotator", "Demo", "Ada").close()
    store = ProjectFile.open(tmp_path / "p.annotator")
    store.path.rename(tmp_path / "q.annotator")
    with pytest.raises(MissingEnvironmentError, match="no longer there"), store.reader():
        pass
    store.close()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no descriptor tells it")
def test_a_deleted_file_can_be_backed_up(store: ProjectFile) -> None:
    told = list[Message]()
    store.on_warning(told.append)
    _add(store, "Bea")
    store.path.unlink()

    _add(store, "Cem")
    made = store.make_backup()

    assert len(told) == 1 and "deleted" in told[0]
    assert _names(made.path) == ["Ada", "Bea", "Cem"]


def _act(store: ProjectFile, name: str) -> None:
    with store.write() as db:
        undo_log.record_change(db, store.annotator.id, f"Add {name}", ["annotator"])
        db.add(Annotator(name=name))


def _other_project(store: ProjectFile) -> Path:
    return _with_acts(ProjectFile.create(store.path.with_name("other.annotator"), "Other", "Zoe"))


def _with_acts(other: ProjectFile) -> Path:
    for number in range(3):
        _act(other, f"Person {number}")
    other.close()
    return other.path


def _older_copy(store: ProjectFile) -> Path:
    return store.make_backup().path


def _diverged_copy(store: ProjectFile) -> Path:
    return _with_acts(ProjectFile.open(_older_copy(store)))


@pytest.mark.parametrize("is_log_removed", [False, True])
@pytest.mark.parametrize("make_source", [_other_project, _older_copy, _diverged_copy])
def test_nothing_is_saved_in_a_file_that_was_copied_over(
    store: ProjectFile, make_source: Callable[[ProjectFile], Path], *, is_log_removed: bool
) -> None:
    told = list[Message]()
    store.on_warning(told.append)
    _act(store, "Bea")
    source = make_source(store)
    _act(store, "Cem")
    store.checkpoint()
    _act(store, "Dan")
    # Another process copies, because a descriptor that is closed here would end this process's locks on the file.
    subprocess.run(["cp", str(source), str(store.path)], check=True)
    if is_log_removed:
        for ending in ("-wal", "-shm"):
            Path(f"{store.path}{ending}").unlink()

    for write in (lambda: _act(store, "Eve"), store.checkpoint):
        with pytest.raises(MissingEnvironmentError, match=r"copied over p\.annotator .* nothing more is saved"):
            write()
    store.close()

    assert told == []
    if is_log_removed:
        assert store.path.read_bytes() == source.read_bytes()


def test_a_copy_of_the_present_state_is_not_refused(store: ProjectFile) -> None:
    _act(store, "Bea")
    store.checkpoint()
    subprocess.run(["cp", str(store.make_backup().path), str(store.path)], check=True)
    _act(store, "Cem")
    store.close()
    assert _names(store.path) == ["Ada", "Bea", "Cem"]
