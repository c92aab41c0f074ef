"""Projects on a server: create, open, check, read and write, by several people at once."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from sqlmodel import Session

from annotator.base.addresses import ServerAddress
from annotator.base.clock import now_text
from annotator.base.errors import BadInputError, CollisionError, KnownError, MissingEnvironmentError
from annotator.base.ids import new_id
from annotator.jobs.progress import Progress
from annotator.model.rows.queue_rows import AnnotatorRow
from annotator.store.file import backup_files
from annotator.store.file.notifications import OnChanges, OnWindows
from annotator.store.file.project_file import ProjectFile, find_person
from annotator.store.file.schema import FIRST_SERVER_VERSION, SCHEMA_VERSION
from annotator.store.merge import row_union
from annotator.store.queue import stored_leases
from annotator.store.server import annotator_roles, server_schema
from annotator.store.server.project_copy import copy_to_file
from annotator.store.server.server_connection import connect_to_server, translate_errors
from annotator.store.server.server_notifications import ServerListener, list_other_windows
from annotator.store.server.server_writer import ServerWriter
from annotator.store.soundness import project_checks as soundness

if TYPE_CHECKING:
    import psycopg


T = TypeVar("T")

_MAX_CLOCK_DIFFERENCE_S = 2.0
_MAX_CLAIMS = 5
"""Attempts to claim the same rows before the collision is reported."""
_PAUSE_S = 0.05
"""The pause of an aborted client before its next attempt, so that the other client gets its rows."""


class ServerProject(ProjectFile):
    """One open project on a server, with the interface of `ProjectFile`; `make` or `reach` create it.

    Each client chooses the person.
    """

    shared = True

    def __init__(self, address: ServerAddress, *, read_only: bool, annotator: AnnotatorRow, name: str) -> None:
        super().__init__(
            replace(address, annotator=annotator.name), read_only=read_only, annotator=annotator, name=name
        )
        self.address = address
        self.listeners: list[ServerListener] = []
        """One listener for each window that shows the project."""

    @classmethod
    def make(cls, address: ServerAddress, name: str, annotator: str) -> ServerProject:
        """Create a project in a database without one, and open it.

        Raises `BadInputError` if the database has a project or a name is empty, `MissingEnvironmentError` if the server
        cannot be reached or does not permit it.
        """
        if not name.strip() or not annotator.strip():
            raise BadInputError("A project needs a name and the name of its first annotator.")
        annotator_id = new_id()
        with (
            translate_errors(address.name),
            closing(connect_to_server(address, read_only=False)) as connection,
            connection.transaction(),
        ):
            server_schema.create_server_schema(connection, address.name)
            connection.execute(
                "INSERT INTO annotator (id, created_at, name, role) VALUES (%s, %s, %s, 'expert')",
                (annotator_id, now_text(), annotator.strip()),
            )
            connection.execute(
                "INSERT INTO project (id, created_at, name, settings) VALUES (%s, %s, %s, %s)",
                (new_id(), now_text(), name.strip(), json.dumps({"annotator": annotator_id})),
            )
        return cls.reach(address, annotator=annotator.strip())

    @classmethod
    def reach(cls, address: ServerAddress, *, read_only: bool = False, annotator: str | None = None) -> ServerProject:
        """Open a project on a server as ``annotator``, or as the person in the address.

        Raises `BadInputError` for a database without a project, a project of another version, and an unknown or
        unnamed annotator; `MissingEnvironmentError` if the server cannot be reached.
        """
        with translate_errors(address.name), closing(connect_to_server(address, read_only=True)) as connection:
            _check_version(connection, address)
            bound_id = annotator_roles.find_bound_person(connection)
            name, person = _read_identity(connection, address, annotator or address.annotator, read_only, bound_id)
            arrivals = connection.execute("SELECT 1 FROM arrival LIMIT 1").fetchone() is not None
        store = cls(address, read_only=read_only, annotator=person, name=name)
        store.has_arrivals = arrivals
        store.is_bound_to_annotator = bound_id is not None
        return store

    def _new_reader(self) -> sqlite3.Connection:
        # Both have the same `execute`; the queries in `queue` account for differences in SQL.
        return cast(sqlite3.Connection, connect_to_server(self.address, read_only=True, client=self.client))

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        with translate_errors(self.place.name):
            yield

    def _is_lost(self, connection: sqlite3.Connection) -> bool:
        return cast("psycopg.Connection[Any]", connection).closed

    def _new_writer(self) -> ServerWriter:
        return ServerWriter(self.address, self.read_only, self.client)

    def claim(self, take: Callable[[Session], T]) -> T:
        """Call ``take`` with a session outside the writing lock; it locks only the rows it claims.

        On a deadlock the server aborts one of the two clients, which then tries again.
        """
        self._refuse_read_only()
        writer = cast(ServerWriter, self.writer())
        for _ in range(_MAX_CLAIMS - 1):
            with suppress(CollisionError), writer.loose() as session:
                return take(session)
            time.sleep(_PAUSE_S)
        with writer.loose() as session:
            return take(session)

    def count_windows(self) -> int:
        """Return 0: windows on a server need no count to be distinguished, since their address names the person."""
        return 0

    def is_write_awaited(self, session: Session) -> bool:
        """Return whether a write of this or another client is waiting for the end of this writing ``session``."""
        query = (
            "SELECT EXISTS (SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database "
            "WHERE d.datname = current_database() AND l.locktype = 'advisory' AND NOT l.granted)"
        )
        return super().is_write_awaited(session) or bool(session.connection().exec_driver_sql(query).scalar_one())

    def listen(self, on_changes: OnChanges, on_windows: OnWindows) -> bool:
        """Register a window of this project and report changes by others until the project is closed."""
        with self._lock:
            self.listeners.append(ServerListener(self.address, self.client, self._person_id, on_changes, on_windows))
        return True

    def _person_id(self) -> str:
        return self.annotator.id

    def close(self) -> None:
        """Stop listening, end this client's leases and close every connection; safe to call twice."""
        with self._lock:
            listeners, self.listeners = self.listeners, []
        for listener in listeners:
            listener.close()
        if listeners and not self.read_only:
            # Only a window returns its leases; those taken by a command are meant to last.
            with suppress(KnownError):
                self.claim(partial(stored_leases.end_leases, annotator_id=self.annotator.id, client=self.client))
        super().close()

    def integrity(self, progress: Progress | None = None) -> tuple[str, ...]:
        """Return the problems of the schema, or if there are none, those of the content."""
        if self.is_bound_to_annotator:
            raise MissingEnvironmentError(
                f"{self.place.name} can only be checked by a role that may read all of it. Ask its administrator."
            )
        with self.reader() as connection:
            rows = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
            existing = {str(row[0]) for row in rows}
            missing = [name for name in (*row_union.TABLES, "project") if name not in existing]
            problems = [f"the table {name} is missing" for name in missing]
            if not missing:
                server = cast("psycopg.Connection[Any]", connection)
                problems.extend(server_schema.find_layout_problems(server))
                problems.extend(annotator_roles.find_role_problems(server))
        if problems:
            return tuple(problems)
        with self.read() as db:
            return soundness.find_content_problems(db.connection(), progress)

    def backups(self) -> tuple[backup_files.BackupFile, ...]:
        """Return none: the server's administrator makes the backups."""
        return ()

    def make_backup(
        self,
        keep: int | backup_files.Rotation = 5,  # noqa: ARG002 - as a file's
        reason: str = "asked for",  # noqa: ARG002 - as a file's
        progress: Progress | None = None,  # noqa: ARG002 - as a file's
    ) -> backup_files.BackupFile:
        """Raise `MissingEnvironmentError` with advice: servers are backed up by their administrators."""
        raise MissingEnvironmentError(
            f"{self.place.name} is on a server, which is backed up there (pg_dump). "
            "For a copy of your own: annotator backup ADDRESS --to FILE."
        )

    def copy_to(self, target: Path, progress: Progress | None = None) -> tuple[str, ...]:
        """Write a checked copy of the project to a new file; returns its problems."""
        copy_to_file(self, target, progress)
        with closing(ProjectFile.open(target, read_only=True)) as copy:
            return copy.integrity(progress)


def describe_server_project(address: ServerAddress) -> str:
    """Describe a project on a server: versions of server and schema, name, and round-trip time.

    Raises `KnownError` as `ServerProject.reach` does.
    """
    with translate_errors(address.name), closing(connect_to_server(address, read_only=True)) as connection:
        _check_version(connection, address)
        start_s = time.perf_counter()
        name, server, clock = connection.execute(
            "SELECT name, current_setting('server_version'), "
            "CAST(extract(epoch FROM clock_timestamp()) AS DOUBLE PRECISION) FROM project"
        ).fetchone() or ("", "", 0.0)
        took_ms = 1000 * (time.perf_counter() - start_s)
    clock_difference_s = abs(time.time() - clock)
    # The newest decision counts, and decisions are dated by each person's own clock, so clocks must agree.
    warning = (
        f"; the clocks are {clock_difference_s:.0f} s apart, so set this machine's"
        if clock_difference_s > _MAX_CLOCK_DIFFERENCE_S
        else ""
    )
    version = SCHEMA_VERSION
    return f"PostgreSQL {server.split()[0]}, {name} with schema {version}, {took_ms:.1f} ms round trip{warning}"


def upgrade_server(address: ServerAddress) -> tuple[int, int]:
    """Upgrade a project on a server to this program's version; returns (version before, version now).

    Raises `BadInputError` for a database without a project, for a newer one, for one that is older than the first
    version on servers, and while people have it open.
    """
    with (
        translate_errors(address.name),
        closing(connect_to_server(address, read_only=False)) as connection,
        connection.transaction(),
    ):
        server_schema.lock_writing(connection)
        previous_version = _check_version(connection, address, oldest=FIRST_SERVER_VERSION)
        if previous_version < SCHEMA_VERSION and (people := list_other_windows(connection)):
            # A window of the older program would keep writing by the older rules.
            raise BadInputError(
                f"{address.name} is open in windows ({', '.join(people)}). Close them, then upgrade the project. "
                "Nothing was changed."
            )
        annotator_roles.remove_views(connection)
        server_schema.upgrade_server_schema(connection, previous_version)
        annotator_roles.renew_views(connection)
    return previous_version, SCHEMA_VERSION


def set_role(address: ServerAddress, name: str, login: str, *, remove: bool = False) -> None:
    """Let a login role of the server work as a person of the project without access to secrets, or remove its rights.

    Raises `BadInputError` for an unknown person or role, and a role that can read the secrets in another way.
    """
    with (
        translate_errors(address.name),
        closing(connect_to_server(address, read_only=False)) as connection,
        connection.transaction(),
    ):
        server_schema.lock_writing(connection)
        _check_version(connection, address)
        _, person = _read_identity(connection, address, name, read_only=False, bound_id=None)
        if remove:
            annotator_roles.remove_role(connection, address, person.id, login)
        else:
            annotator_roles.add_role(connection, address, person.id, login)


def _check_version(connection: psycopg.Connection[Any], address: ServerAddress, oldest: int = SCHEMA_VERSION) -> int:
    """Return the version of the project in a database.

    Raises `BadInputError` unless it is between ``oldest`` and this program's version.
    """
    version = server_schema.version_of(connection)
    if version is None:
        raise BadInputError(
            f"There is no project in {address.name}. Make one with annotator new, or copy one there with annotator "
            "project copy."
        )
    if version > SCHEMA_VERSION:
        raise BadInputError(
            f"{address.name} was written by a newer version of Annotator (its schema is {version}, this one reads up "
            f"to {SCHEMA_VERSION}). Update the program; the project was left as it is."
        )
    if FIRST_SERVER_VERSION <= version < oldest:
        raise BadInputError(
            f"{address.name} was made by an older version of Annotator (its schema is {version}). Back it up with "
            "pg_dump and upgrade it with annotator project upgrade. Nothing was changed."
        )
    if version < oldest:
        raise BadInputError(
            f"{address.name} was made by an older version of Annotator (its schema is {version}). Copy it into a file "
            "with that version (annotator project copy), and copy the file into an empty database with this one. "
            "Nothing was changed."
        )
    return version


def _read_identity(
    connection: psycopg.Connection[Any], address: ServerAddress, annotator: str, read_only: bool, bound_id: str | None
) -> tuple[str, AnnotatorRow]:
    """Return the project's name and the person who works in it; ``bound_id`` is the only one allowed to the login."""
    project = connection.execute("SELECT name FROM project").fetchone()
    rows = connection.execute("SELECT id, name, role FROM annotator ORDER BY created_at, id").fetchall()
    people = [AnnotatorRow(id=person_id, name=name, role=role) for person_id, name, role in rows]
    if project is None or not people:
        raise BadInputError(f"{address.name} has no project in it; it may come from an interrupted copy.")
    if bound_id is not None:
        bound = next(person for person in people if person.id == bound_id)
        if annotator and annotator != bound.name:
            raise BadInputError(
                f"Your role on the server belongs to {bound.name} in {address.name}, so you cannot be {annotator}."
            )
        return str(project[0]), bound
    if annotator:
        return str(project[0]), find_person(people, annotator, address.name)
    if read_only:
        return str(project[0]), people[0]
    names = ", ".join(person.name for person in people)
    raise BadInputError(
        f"Several people work in {address.name}, so say who you are: --annotator NAME, or ?annotator=NAME at the end "
        f"of the address. Choose from: {names}."
    )
