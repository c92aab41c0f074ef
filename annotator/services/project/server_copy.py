"""Copy a project from a file to a server and back."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from annotator.base.addresses import Place, ServerAddress
from annotator.base.errors import UsageError
from annotator.base.ids import content_hash
from annotator.jobs.progress import Progress
from annotator.model.changes import Changes
from annotator.services.project import members, projects
from annotator.store.file.project_file import ProjectFile
from annotator.store.server import project_copy, server_project
from annotator.store.server.server_project import ServerProject


@dataclass(frozen=True, slots=True)
class CopyReport:
    """The verified result of a copy: rows by table, and one hash over all tables, equal on both sides."""

    source: str
    target: str
    rows: dict[str, int]
    digest: str

    @property
    def total(self) -> int:
        """The number of rows in all tables."""
        return sum(self.rows.values())


def copy_project(source: Place, target: Place, progress: Progress | None = None) -> CopyReport:
    """Copy a project file to a server, or a server project into a new file; the source is not changed.

    Raises `UsageError` unless one is a file and the other a server, and `KnownError` if either cannot be used; the
    target is then unchanged.
    """
    if isinstance(source, ServerAddress) == isinstance(target, ServerAddress):
        raise UsageError(
            "Copy between a file and a server address (postgresql+psycopg://...). To copy a file to another file, use: "
            "annotator backup PROJECT --to FILE"
        )

    with closing(projects.open_project(source, read_only=True)) as store:
        if isinstance(target, ServerAddress):
            result = project_copy.copy_to_server(store, target, progress)
        else:
            result = project_copy.copy_to_file(store, Path(target), progress)
    return CopyReport(str(source), str(target), result.rows, content_hash(result.hashes))


def upgrade_server_project(address: Place) -> tuple[int, int]:
    """Upgrade a server project to this program's schema; returns (old version, new version).

    Raises `UsageError` for a file, since files are backed up and updated when they are opened.
    """
    if not isinstance(address, ServerAddress):
        raise UsageError("A project file is backed up and updated when it is opened; only servers need this.")

    return server_project.upgrade_server(address)


def set_annotator_role(address: Place, name: str, login: str, *, remove: bool = False) -> None:
    """Allow a server login role to work as a person; ``remove`` revokes this.

    The role has no access to sealed or blind data.

    Raises `UsageError` for a file, which anybody who has it can read completely.
    """
    if not isinstance(address, ServerAddress):
        raise UsageError("Only a project on a server has roles; whoever has a project file can read all of it.")

    server_project.set_role(address, name, login, remove=remove)


def add_project_member(place: Place, name: str, role: str = "expert") -> Changes:
    """Add a person to a project before they first open it."""
    with closing(_open_as_existing_member(place)) as store:
        return members.add_annotator(store, name, role)


def _open_as_existing_member(place: Place) -> ProjectFile:
    """Open a project without adding the current person to its members.

    Opening a server project for writing needs the name of a member, which a read-only connection finds.
    """
    if not isinstance(place, ServerAddress):
        return projects.open_project(place)

    store = ServerProject.reach(place, read_only=True)
    store.close()
    return projects.open_project(place, annotator=store.annotator.name)
