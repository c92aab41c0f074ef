"""A project in a past state: the same file, read through views that leave out later rows.

Only the undo log and the subjects (without their texts) are copied. The undo and redo events up to the moment determine
which acts were in force, and these determine the ``active`` column of the tables of work. SQLite looks names up among a
connection's temporary views first, so every query of the program reads the past without changes.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy import select, update
from sqlmodel import Session

from annotator.base.errors import MissingEnvironmentError
from annotator.store.core_tables import raw_table, statement_text
from annotator.store.file.connection import connect, translate_errors
from annotator.store.file.project_file import ProjectFile
from annotator.store.history import undo_log
from annotator.store.queue import bulk_acts

_DATED = ("proof", "suggestion", "release", "run", "response", "failure", "score", "score_set", "conflict")
"""Tables whose rows cannot be undone, and are selected by their date."""

_STATE = (
    "CASE WHEN c.kind <> 'do' OR c.state = 'event' THEN 'event' "
    "WHEN (SELECT e.kind FROM temp.step e WHERE e.target_id = c.id AND e.created_at <= :moment "
    "ORDER BY e.created_at DESC, e.id DESC LIMIT 1) = 'undo' THEN 'undone' "
    "WHEN EXISTS (SELECT 1 FROM temp.step e WHERE e.target_id = c.id) THEN 'done' ELSE c.state END"
)


class PastFile(ProjectFile):
    """An open project as of ``moment`` (UTC, in the file's format); read-only."""

    def __init__(self, present: ProjectFile, moment: str) -> None:
        """Derive the state at ``moment``; ``present`` stays open and usable.

        Raises `MissingEnvironmentError` if there is no room for temporary files.
        """
        present.renew()
        try:
            self._folder = Path(tempfile.mkdtemp(prefix="annotator-past-"))
        except OSError as error:
            raise MissingEnvironmentError(
                f"There is no space for the files to view the past ({error.strerror}). The project is unchanged."
            ) from error
        self._derived = self._folder / "past"
        super().__init__(
            present.path,
            read_only=True,
            annotator=present.annotator,
            name=f"{present.project_name}, as it was",
            lock=present.share_lock(),
        )
        self.moment = moment
        try:
            with translate_errors(present.path.name), closing(connect(present.path, read_only=True)) as connection:
                self._columns = _read_columns(connection)
                self._derive(connection)
        except BaseException:
            self.close()
            raise

    @contextmanager
    def write(self, *, durable: bool = True) -> Iterator[Session]:
        """Raise `MissingEnvironmentError`: the past is read-only."""
        del durable
        raise MissingEnvironmentError(
            "You are viewing the project at an earlier time, read-only. Return to the present to change something, "
            "or restore what you see."
        )
        yield  # pragma: no cover - makes this a generator, like the method it overrides

    def prepare(self, connection: sqlite3.Connection) -> None:
        """Cover the current state by views of the past on a new connection."""
        connection.execute("ATTACH DATABASE ? AS past", (f"{self._derived.as_uri()}?mode=ro",))
        _create_views(connection, self._columns, self.moment)
        for name in ("subject", "subject_count"):
            connection.execute(f"CREATE TEMP VIEW {name} AS SELECT * FROM past.{name}")

    def close(self) -> None:
        """Close every connection and remove the temporary files."""
        super().close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _derive(self, connection: sqlite3.Connection) -> None:
        connection.execute("ATTACH DATABASE ? AS past", (f"{self._derived.as_uri()}?mode=rwc",))
        connection.execute("PRAGMA past.journal_mode = OFF")
        connection.execute("PRAGMA past.synchronous = OFF")
        connection.execute("BEGIN")
        # Undos and redos are indexed by their target; without the index, a long history takes quadratic time.
        connection.execute(
            "CREATE TEMP TABLE step AS SELECT target_id, kind, created_at, id FROM main.change "
            "WHERE target_id IS NOT NULL"
        )
        connection.execute("CREATE INDEX temp.ix_step ON step (target_id, created_at, id)")
        connection.execute(
            "CREATE TABLE past.change AS SELECT c.seq, c.id, c.kind, c.label, "
            f"{_STATE} AS state, c.target_id, c.annotator_id, c.created_at, c.nouns "
            "FROM main.change c WHERE c.created_at <= :moment",
            {"moment": self.moment},
        )
        connection.execute("CREATE UNIQUE INDEX past.ix_past_change ON change (id)")
        connection.execute(
            "CREATE TABLE past.subject AS SELECT * FROM main.subject s "
            "WHERE s.change_id IN (SELECT id FROM past.change) "
            "OR s.id IN (SELECT o.subject_id FROM main.origin o WHERE o.change_id IN (SELECT id FROM past.change))"
        )
        for name, columns in (("row", "row"), ("id", "id"), ("key", "key"), ("queue", "active, verdict, row")):
            connection.execute(f"CREATE INDEX past.ix_past_subject_{name} ON subject ({columns})")
        _create_views(connection, self._columns, self.moment)
        ids_in_force = "SELECT id FROM past.change WHERE state IN ('done', 'event')"
        connection.execute(
            f"UPDATE past.subject SET active = change_id IN ({ids_in_force}) "
            "OR id IN (SELECT o.subject_id FROM main.origin o "
            f"WHERE o.change_id IN ({ids_in_force}))"
        )
        subject = raw_table("subject", "past")
        for assignments in (undo_log.assign_current_work(subject=subject), undo_log.assign_proven(subject)):
            connection.execute(statement_text(update(subject).values(assignments)))
        # The first label holds the subject's original value, even if written later, so it is read from the present.
        every_label = raw_table("label", "main")
        labelled = update(subject).where(subject.c.id.in_(select(every_label.c.subject_id)))
        connection.execute(statement_text(labelled.values(undo_log.assign_current_labels(subject, every_label))))
        # The counts beside filters; in the present, triggers maintain this table.
        counts = statement_text(bulk_acts.subject_count_query(subject, subject.c.active == 1))
        connection.execute(f"CREATE TABLE past.subject_count AS {counts}")
        connection.execute("COMMIT")


def _read_columns(connection: sqlite3.Connection) -> dict[str, tuple[str, ...]]:
    tables = [name for name in undo_log.UNDOABLE if name != "subject"]
    return {
        table: tuple(f'"{row[1]}"' for row in connection.execute(f"PRAGMA main.table_info({table})"))
        for table in (*tables, *_DATED)
    }


def _create_views(connection: sqlite3.Connection, columns: dict[str, tuple[str, ...]], moment: str) -> None:
    """Create the temporary views of the acts, the work in force and the dated rows at a moment."""
    connection.execute("CREATE TEMP VIEW change AS SELECT * FROM past.change")
    for table, names in columns.items():
        if table in _DATED:
            # A view takes no parameters; the moment was read by `datetime` and written by us.
            connection.execute(f"CREATE TEMP VIEW {table} AS SELECT * FROM main.{table} WHERE created_at <= '{moment}'")
            continue
        selected = ", ".join(
            "(c.state IN ('done', 'event')) AS active" if name == '"active"' else f"w.{name}" for name in names
        )
        connection.execute(
            f"CREATE TEMP VIEW {table} AS SELECT {selected} FROM main.{table} w "
            "JOIN past.change c ON c.id = w.change_id"
        )


def find_act_moments(connection: sqlite3.Connection, beginning: str) -> list[str]:
    """Return the times of at most two acts whose ids begin with ``beginning``."""
    cursor = connection.execute(
        "SELECT created_at FROM main.change WHERE id >= ? AND id < ? LIMIT 2", (beginning, f"{beginning}g")
    )
    return [str(record[0]) for record in cursor]


def find_changed_subjects(connection: sqlite3.Connection) -> list[tuple[str, str, str]]:
    """Return (id, key, title) of the subjects that differ between then and now, on a connection of a `PastFile`.

    Whether a subject is in the project, its verdict, its labels, and its newest paraphrase, criterion, solution and
    tests are compared. Subjects imported later are left out.
    """
    columns = ("active", "verdict", "prompt_id", "criterion_id", *undo_log.LABELS)
    differs = " OR ".join(f"p.{name} IS NOT n.{name}" for name in columns)
    newest = "(SELECT w.id FROM {} w WHERE w.subject_id = p.id AND w.active = 1 ORDER BY w.created_at DESC, w.id DESC)"
    return [
        (record[0], record[1], record[2])
        for record in connection.execute(
            f"SELECT n.id, n.key, n.title FROM past.subject p JOIN main.subject n ON n.id = p.id WHERE {differs} "
            f"OR (p.id IN (SELECT subject_id FROM main.revision) "
            f"AND {newest.format('temp.revision')} IS NOT {newest.format('main.revision')}) ORDER BY n.row"
        )
    ]


def count_later_subjects(connection: sqlite3.Connection) -> int:
    """Return the number of subjects added to the project since then."""
    cursor = connection.execute(
        "SELECT count(*) FROM main.subject n WHERE n.active = 1 AND n.id NOT IN (SELECT id FROM past.subject)"
    )
    return int(cursor.fetchone()[0])
