"""Create, open, back up and describe projects."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from annotator.base.addresses import Place, ServerAddress
from annotator.base.clock import parse_time, time_text
from annotator.base.errors import BadInputError
from annotator.base.paths import config_dir
from annotator.base.settings import Settings
from annotator.jobs.progress import Progress
from annotator.model.rows.queue_rows import DiskStatus, StageCounts, StudyRow
from annotator.store.file import backup_files as backups
from annotator.store.file.project_file import ProjectFile, copy_for_update, needs_update
from annotator.store.judging import rulings
from annotator.store.queue import first_page

_MAX_BACKUPS = 5


def create_project(place: Place, name: str, annotator: str) -> ProjectFile:
    """Create a project in a file or on a server and open it as its first annotator. Raises `KnownError`."""
    if isinstance(place, ServerAddress):
        from annotator.store.server.server_project import ServerProject  # Needs psycopg.

        return ServerProject.make(place, name, annotator)
    return ProjectFile.create(place, name, annotator)


def open_project(place: Place, *, annotator: str | None = None, read_only: bool = False) -> ProjectFile:
    """Open a project as ``annotator``, or for a file as its last annotator. Raises `KnownError`.

    A server project has no last annotator, since many people work in it at once: the name must be given here, in the
    address, or in the settings. An import that was killed just before its end is completed first, unless the project is
    read-only.
    """
    if isinstance(place, ServerAddress):
        from annotator.store.server.server_project import ServerProject  # Needs psycopg.

        person = annotator or place.annotator or _read_configured_annotator()
        store: ProjectFile = ServerProject.reach(place, annotator=person, read_only=read_only)
    else:
        store = ProjectFile.open(place, annotator=annotator, read_only=read_only)
    if store.has_arrivals and not store.read_only:
        _complete_arrivals(store)
    return store


@contextmanager
def updated_copy(place: Place) -> Iterator[Place]:
    """Yield the project, or a temporary updated copy if its file is of an older version.

    Raises `KnownError` for a file that cannot be opened.
    """
    if isinstance(place, ServerAddress) or not needs_update(place):
        yield place
        return
    with tempfile.TemporaryDirectory(prefix="annotator-check-") as folder:
        copy = Path(folder, place.name)
        copy_for_update(place, copy)
        ProjectFile.open(copy).close()
        yield copy


def _complete_arrivals(store: ProjectFile) -> None:
    """Make the rows visible that an import wrote before it was killed."""
    # Imported only here because it loads SQLModel, which is not needed to open a complete project.
    from annotator.store.queue import arrivals

    try:
        arrivals.complete_arrivals(store)
    except BaseException:
        store.close()
        raise


def _read_configured_annotator() -> str:
    """Return the annotator's name from this machine's settings, empty if the settings cannot be read."""
    try:
        return str(Settings.load(config_dir() / "settings.json").get("annotator"))
    except BadInputError:
        return ""


def stage_counts(store: ProjectFile) -> StageCounts:
    """Count the waiting subjects at each stage of the work."""
    with store.reader() as connection:
        counts = first_page.stage_counts(connection)
        return replace(
            counts,
            to_judge=rulings.count_to_judge(connection, store.annotator.id),
            to_review=first_page.count_to_review(connection, store.annotator.id),
            to_release=first_page.count_to_release(connection, counts.proven),
            to_settle=first_page.count_to_settle(connection),
        )


def list_studies(store: ProjectFile) -> tuple[StudyRow, ...]:
    """Return all studies as the annotator sees them, newest first."""
    with store.reader() as connection:
        return rulings.fetch_studies(connection, store.annotator.id)


def disk_status(store: ProjectFile) -> DiskStatus:
    """Return the number of saved decisions, the time of the last save, and the newest backup."""
    newest_first = store.backups()
    with store.reader() as connection:
        saved_at = first_page.last_saved(connection)
        decisions = first_page.count_decisions(connection)
        act_count = first_page.count_acts_since(connection, time_text(newest_first[0].made_at)) if newest_first else 0
    return DiskStatus(
        decisions=decisions,
        last_saved=parse_time(saved_at) if saved_at else None,
        backup_at=newest_first[0].made_at if newest_first else None,
        backup_ok=bool(newest_first) and backups.describe_backup(newest_first[0]).state == backups.GOOD,
        acts_since_backup=act_count,
        on_server=store.shared,
    )


def back_up_and_check(
    store: ProjectFile, target: Path | None = None, progress: Progress | None = None
) -> tuple[Path, tuple[str, ...]]:
    """Write and verify a backup of the open project, next to it or to ``target``.

    Returns its path and the problems found in the copied project.
    """
    if target is None:
        backup_file = store.make_backup(_MAX_BACKUPS, progress=progress)
        return backup_file.path, backups.problems_when_made(backup_file)
    if target.exists():
        raise BadInputError(f"{target.name} already exists. It was not changed; choose another name.")
    return target, store.copy_to(target, progress)


def check_integrity(store: ProjectFile, progress: Progress | None = None) -> tuple[str, ...]:
    """Run the full integrity check and return the problems, none if the file is sound.

    Raises `Cancelled` as soon as ``progress`` is cancelled.
    """
    return store.integrity(progress)
