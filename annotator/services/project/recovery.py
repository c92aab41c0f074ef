"""Recover a damaged project: find intact tables, salvage readable rows, build an intact project from them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.jobs.progress import Progress
from annotator.model.rows.history_rows import ExaminationResult, SalvageResult
from annotator.services.project import backups
from annotator.store.file import damaged_file
from annotator.store.file.damaged_file import DamagedProject


def examine_project(path: Path, progress: Progress | None = None) -> ExaminationResult:
    """Report which tables of a project file are intact; the file is not changed.

    Raises `BadInputError` if the file does not exist or nothing in it can be read.
    """
    work = progress or Progress()
    work.report(0, 3, "copying")
    with closing(_open_damaged(path)) as damaged, closing(damaged.open()) as connection:
        work.report(1, 3, "checking")
        problems = damaged_file.find_readable_problems(connection)
        work.report(2, 3, "reading")
        tables = damaged_file.count_rows_by_table(connection)
        newest = damaged_file.find_newest_act(connection)
    work.report(3, 3, "done")
    return ExaminationResult(
        path=path,
        problems=problems,
        tables=tables,
        newest=newest,
        source=damaged.source,
        backups=backups.list_project_backups(path),
    )


def salvage_project(
    path: Path, lines: Path, target: Path | None = None, *, use_backup: bool = True, progress: Progress | None = None
) -> SalvageResult:
    """Write every readable row to ``lines`` (JSON lines) and, if ``target`` is given, build a sound project there.

    Rows missing from the file are taken from the newest good backup, unless ``use_backup`` is false. The damaged file
    is not changed. Raises `KnownError` if an output file exists already or cannot be written.
    """
    for file in (lines, target):
        if file is not None and file.exists():
            raise BadInputError(f"{file.name} already exists. It was not changed; choose another name.")
    work = progress or Progress()
    damaged = _open_damaged(path)
    try:
        with closing(damaged.open()) as connection, lines.open("x", encoding="utf-8") as out:
            tables, project, notes = damaged_file.read_rows(
                connection, out, lambda table: work.report(work.done + 1, text=f"reading {table}")
            )
            out.flush()
        written = sum(1 for _ in lines.open(encoding="utf-8"))
    except OSError as error:
        raise MissingEnvironmentError(f"{lines.name} could not be written ({error.strerror}).") from error
    finally:
        damaged.close()
    row_counts: dict[str, int] = {}
    from_backup = 0
    if target is not None:
        work.report(work.done + 1, text="building the new project")
        newest = backups.newest_good_backup(path) if use_backup else None
        row_counts, from_backup, build_notes = damaged_file.build_project(
            target, tables, project, newest.path if newest else None
        )
        notes += build_notes
    return SalvageResult(
        project=target, lines=lines, written=written, kept=row_counts, from_backup=from_backup, left_out=tuple(notes)
    )


def _open_damaged(path: Path) -> DamagedProject:
    if not path.is_file():
        raise BadInputError(f"There is no file {path.name}.")
    return DamagedProject(path)
