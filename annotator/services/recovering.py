"""A damaged project: what of it is intact, everything readable written out, and a sound project made of it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

from annotator.base.errors import BadInputError, KnownError, MissingEnvironmentError
from annotator.jobs.progress import Progress
from annotator.model.history_rows import Examined, Salvaged
from annotator.services import backing_up
from annotator.store import backup
from annotator.store.wreck import Wreck, newest_act


def examine(path: Path, progress: Progress | None = None) -> Examined:
    """Say what is intact in a project file that is damaged (or sound); the file is only read.

    Raises `BadInputError` if there is no such file or nothing in it can be read.
    """
    from annotator.store import salvage

    work = progress or Progress()
    work.report(0, 3, "copying")
    wreck = _wreck(path)
    try:
        with closing(wreck.open()) as connection:
            work.report(1, 3, "checking")
            try:
                problems = backup.problems(connection)
            except sqlite3.DatabaseError as error:
                problems = (str(error),)
            work.report(2, 3, "reading")
            tables, newest = salvage.examine(connection), newest_act(connection)
    finally:
        wreck.close()
    work.report(3, 3, "done")
    return Examined(path, problems, tables, newest, wreck.source, backing_up.listing(path))


def salvage(
    path: Path, lines: Path, target: Path | None = None, *, use_backup: bool = True, progress: Progress | None = None
) -> Salvaged:
    """Write every readable row to ``lines`` (JSON, one a line) and, if asked for, a sound new project to ``target``.

    Rows that the newest good backup has and the file has not are added from it, unless ``use_backup`` says no. The
    damaged file stays as it is. Raises `KnownError` if a file exists already or cannot be written.
    """
    from annotator.store import salvage as rows

    for file in (lines, target):
        if file is not None and file.exists():
            raise BadInputError(f"{file.name} exists already. It was left as it is; choose another name.")
    work = progress or Progress()
    wreck = _wreck(path)
    try:
        with closing(wreck.open()) as connection, lines.open("x", encoding="utf-8") as out:
            tables, project, notes = rows.read(connection, out, partial(_reading, work))
            out.flush()
        written = sum(1 for _ in lines.open(encoding="utf-8"))
    except OSError as error:
        raise MissingEnvironmentError(f"{lines.name} could not be written ({error.strerror}).") from error
    finally:
        wreck.close()
    kept: dict[str, int] = {}
    given = 0
    if target is not None:
        work.report(work.done + 1, text="building the new project")
        newest = backing_up.newest_good(path) if use_backup else None
        kept, given, more = rows.build(target, tables, project, newest.path if newest else None)
        notes += more
    return Salvaged(target, lines, written, kept, given, tuple(notes))


def is_damaged(path: Path) -> bool:
    """Tell whether a project file fails its check, so that looking at what is left of it makes sense."""
    from annotator.base.errors import DamagedFileError
    from annotator.store.project_file import ProjectFile

    try:
        store = ProjectFile.open(path, read_only=True)
    except DamagedFileError:
        return True
    except KnownError:
        return False
    try:
        return bool(store.integrity())
    except KnownError:
        return True
    finally:
        store.close()


def _reading(work: Progress, table: str) -> None:
    work.report(work.done + 1, text=f"reading {table}")


def _wreck(path: Path) -> Wreck:
    if not path.is_file():
        raise BadInputError(f"There is no file {path.name}.")
    return Wreck(path)
