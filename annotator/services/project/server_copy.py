"""A project from a file onto a server, and back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from annotator.base.addresses import Place, ServerAddress
from annotator.base.errors import UsageError
from annotator.base.ids import content_hash
from annotator.jobs.progress import Progress
from annotator.model.changes import Changes
from annotator.services.project import members, projects
from annotator.store.file.project_file import ProjectFile
from annotator.store.server import project_copy
from annotator.store.server.project import ServerProject
from annotator.store.server.project import upgrade as bring


@dataclass(frozen=True, slots=True)
class CopyReport:
    """What was copied, and found to be the same on both sides: rows by table, and one hash over all tables."""

    source: str
    target: str
    rows: dict[str, int]
    digest: str

    @property
    def total(self) -> int:
        """All rows."""
        return sum(self.rows.values())


def copy_project(source: Place, target: Place, progress: Progress | None = None) -> CopyReport:
    """Copy a project file onto a server, or a project on a server into a new file; the source stays as it is.

    Raises `UsageError` unless one is a file and the other a server, and `KnownError` if either cannot be used; then
    the target is as it was.
    """
    if isinstance(source, ServerAddress) == isinstance(target, ServerAddress):
        raise UsageError(
            "One of the two must be a file and the other an address (postgresql+psycopg://...). A file is copied by: "
            "annotator backup PROJECT --to FILE"
        )

    store = projects.open_project(source, read_only=True)
    try:
        if isinstance(target, ServerAddress):
            copied = project_copy.to_server(store, target, progress)
        else:
            copied = project_copy.to_file(store, Path(target), progress)
    finally:
        store.close()
    return CopyReport(str(source), str(target), copied.rows, content_hash(copied.hashes))


def upgrade(address: Place) -> tuple[int, int]:
    """Bring a project on a server to this program's schema; returns (version before, version now).

    Raises `UsageError` for a file, which is backed up and updated when it is opened.
    """
    if not isinstance(address, ServerAddress):
        raise UsageError("A project file is backed up and updated when it is opened; only servers need this.")

    return bring(address)


def join(place: Place, name: str, role: str = "expert") -> Changes:
    """Add a person to a project without working as them, before they ever opened it."""
    store = _as_anybody(place)
    try:
        return members.add_annotator(store, name, role)
    finally:
        store.close()


def _as_anybody(place: Place) -> ProjectFile:
    if not isinstance(place, ServerAddress):
        return projects.open_project(place)

    person = ServerProject.reach(place, read_only=True)
    person.close()
    return projects.open_project(place, annotator=person.annotator.name)
