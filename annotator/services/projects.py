"""Open, make, back up and describe projects."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.base.addresses import Place, ServerAddress
from annotator.base.clock import as_text, parse
from annotator.base.errors import BadInputError
from annotator.base.paths import config_dir
from annotator.base.settings import Settings
from annotator.jobs.progress import Progress
from annotator.model.changes import Changes
from annotator.store import queue, waiting
from annotator.store.project_file import ProjectFile

if TYPE_CHECKING:
    from annotator.model.rows import AnnotatorRow, DiskStatus, StageCounts

_LOCAL_SETTING = "local_execution"


def create_project(place: Place, name: str, annotator: str) -> ProjectFile:
    """Make a project, a file or on a server, and open it as its first annotator. Raises `KnownError`."""
    if isinstance(place, ServerAddress):
        from annotator.store.server.project import ServerProject

        return ServerProject.make(place, name, annotator)
    return ProjectFile.create(place, name, annotator)


def open_project(place: Place, *, annotator: str | None = None, read_only: bool = False) -> ProjectFile:
    """Open a project as the annotator named; a file else as the one it was last used by. Raises `KnownError`.

    On a server, where everybody works at once, somebody must be named: here, in the address, or in the settings. An
    import whose end was cut off by a kill is brought to it first, unless the project is only read.
    """
    if isinstance(place, ServerAddress):
        from annotator.store.server.project import ServerProject

        person = annotator or place.annotator or _own_name()
        store: ProjectFile = ServerProject.reach(place, annotator=person, read_only=read_only)
    else:
        store = ProjectFile.open(place, annotator=annotator, read_only=read_only)
    if store.has_arrivals and not store.read_only:
        _bring_in(store)
    return store


def _bring_in(store: ProjectFile) -> None:
    """Make visible what an import that was killed at its end left unseen."""
    from annotator.store import arriving

    try:
        arriving.complete(store)
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
        counts = queue.stage_counts(connection)
        return replace(
            counts,
            to_judge=waiting.to_judge(connection, store.annotator.id),
            to_release=waiting.to_release(connection, counts.proven),
        )


def disk_status(store: ProjectFile) -> DiskStatus:
    """Say what is safe on disk: decisions, the last save, the newest backup."""
    from annotator.model.rows import DiskStatus
    from annotator.store import backup as backups

    found = store.backups()
    with store.reader() as connection:
        saved = queue.last_saved(connection)
        decisions = queue.decisions(connection)
        since = queue.acts_since(connection, as_text(found[0].made_at)) if found else 0
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
    if target is None:
        return store.make_backup(keep).path
    if target.exists():
        raise BadInputError(f"{target.name} exists already. It was left as it is; choose another name.")
    store.copy_to(target)
    return target


def check(store: ProjectFile, progress: Progress | None = None) -> tuple[str, ...]:
    """Run the full integrity check; returns what is wrong, nothing if the file is sound.

    Raises `Cancelled` as soon as ``progress`` is asked to stop.
    """
    return store.integrity(progress)


def annotators(store: ProjectFile) -> tuple[AnnotatorRow, ...]:
    """Return the people of the project, in the order they joined."""
    from annotator.store import people

    with store.read() as db:
        return people.listing(db)


def switch_annotator(store: ProjectFile, name: str, role: str = "expert") -> tuple[AnnotatorRow, Changes]:
    """Work as another person from now on; a new name joins the project."""
    from annotator.store import people

    if not name.strip():
        raise BadInputError("An annotator needs a name.")
    with store.write() as db:
        store.annotator = people.switch(db, name.strip(), role, keep=not store.shared)
    return store.annotator, Changes(frozenset({"annotator"}))


def add_annotator(store: ProjectFile, name: str, role: str = "expert") -> Changes:
    """Add a person to the project without working as them; one who is there already stays as they are."""
    from annotator.store import people

    if not name.strip():
        raise BadInputError("An annotator needs a name.")
    with store.write() as db:
        people.add(db, name.strip(), role)
    return Changes(frozenset({"annotator"}))


def local_execution(store: ProjectFile) -> bool:
    """Tell whether the project's people said that its code may run on their machine without isolation."""
    from annotator.store import people

    with store.read() as db:
        return people.setting(db, _LOCAL_SETTING) is True


def allow_local_execution(store: ProjectFile, allowed: bool) -> Changes:
    """Say so, or take it back; kept in the project, and shown in the status bar for as long as it holds."""
    from annotator.store import people

    with store.write() as db:
        people.set_setting(db, _LOCAL_SETTING, allowed)
    return Changes(frozenset({"project"}))
