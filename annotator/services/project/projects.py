"""Open, make, back up and describe projects."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from annotator.base.addresses import Place, ServerAddress
from annotator.base.clock import as_text, parse
from annotator.base.errors import BadInputError
from annotator.base.paths import config_dir
from annotator.base.settings import Settings
from annotator.jobs.progress import Progress
from annotator.model.rows.queue import DiskStatus, StageCounts
from annotator.store.file import backup_files as backups
from annotator.store.file.project_file import ProjectFile, copy_older, needs_update
from annotator.store.queue import first_page


def create_project(place: Place, name: str, annotator: str) -> ProjectFile:
    """Make a project, a file or on a server, and open it as its first annotator. Raises `KnownError`."""
    if isinstance(place, ServerAddress):
        from annotator.store.server.project import ServerProject  # Needs psycopg.

        return ServerProject.make(place, name, annotator)
    return ProjectFile.create(place, name, annotator)


def open_project(place: Place, *, annotator: str | None = None, read_only: bool = False) -> ProjectFile:
    """Open a project as the annotator named; a file else as the one it was last used by. Raises `KnownError`.

    On a server, where everybody works at once, somebody must be named: here, in the address, or in the settings. An
    import whose end was cut off by a kill is brought to it first, unless the project is only read.
    """
    if isinstance(place, ServerAddress):
        from annotator.store.server.project import ServerProject  # Needs psycopg.

        person = annotator or place.annotator or _own_name()
        store: ProjectFile = ServerProject.reach(place, annotator=person, read_only=read_only)
    else:
        store = ProjectFile.open(place, annotator=annotator, read_only=read_only)
    if store.has_arrivals and not store.read_only:
        _bring_in(store)
    return store


@contextmanager
def updated_copy(place: Place) -> Iterator[Place]:
    """Lend a project of this version: the very one, or an updated copy of a file of an older version.

    Raises `KnownError` for a file that cannot be opened.
    """
    if isinstance(place, ServerAddress) or not needs_update(place):
        yield place
        return
    with tempfile.TemporaryDirectory(prefix="annotator-check-") as folder:
        copy = Path(folder, place.name)
        copy_older(place, copy)
        ProjectFile.open(copy).close()
        yield copy


def _bring_in(store: ProjectFile) -> None:
    """Make visible what an import that was killed at its end left unseen."""
    # Loads SQLModel, which opening a sound project does without.
    from annotator.store.queue import arrivals

    try:
        arrivals.complete(store)
    except BaseException:
        store.close()
        raise


def _own_name() -> str:
    """Return this machine's own answer to who works here; a settings file that cannot be read gives none."""
    try:
        return str(Settings.load(config_dir() / "settings.json").get("annotator"))
    except BadInputError:
        return ""


def stage_counts(store: ProjectFile) -> StageCounts:
    """Count what waits at each stage of the work."""
    with store.reader() as connection:
        counts = first_page.stage_counts(connection)
        return replace(
            counts,
            to_judge=first_page.to_judge(connection, store.annotator.id),
            to_review=first_page.to_review(connection, store.annotator.id),
            to_release=first_page.to_release(connection, counts.proven),
            to_settle=first_page.to_settle(connection),
        )


def disk_status(store: ProjectFile) -> DiskStatus:
    """Say what is safe on disk: decisions, the last save, the newest backup."""
    found = store.backups()
    with store.reader() as connection:
        saved = first_page.last_saved(connection)
        decisions = first_page.decisions(connection)
        since = first_page.acts_since(connection, as_text(found[0].made_at)) if found else 0
    return DiskStatus(
        decisions=decisions,
        last_saved=parse(saved) if saved else None,
        backup_at=found[0].made_at if found else None,
        backup_ok=bool(found) and backups.described(found[0]).state == backups.GOOD,
        acts_since_backup=since,
        on_server=store.shared,
    )


def backup(store: ProjectFile, target: Path | None = None, keep: int = 5) -> Path:
    """Write a checked backup beside the project (or to ``target``) while work goes on; returns its path."""
    return checked_backup(store, target, keep)[0]


def checked_backup(store: ProjectFile, target: Path | None = None, keep: int = 5) -> tuple[Path, tuple[str, ...]]:
    """Do what `backup` does; returns the path, and what is wrong with the project that was copied."""
    if target is None:
        made = store.make_backup(keep)
        return made.path, backups.problems_when_made(made)
    if target.exists():
        raise BadInputError(f"{target.name} exists already. It was left as it is; choose another name.")
    return target, store.copy_to(target)


def check(store: ProjectFile, progress: Progress | None = None) -> tuple[str, ...]:
    """Run the full integrity check; returns what is wrong, nothing if the file is sound.

    Raises `Cancelled` as soon as ``progress`` is asked to stop.
    """
    return store.integrity(progress)
