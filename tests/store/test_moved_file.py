"""The file of an open project is renamed, moved or deleted by others: no work is lost, and it is said."""

from __future__ import annotations

import shutil
import sys
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from annotator.base.errors import MissingEnvironmentError
from annotator.base.messages import Message
from annotator.store.file.project_file import ProjectFile

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
