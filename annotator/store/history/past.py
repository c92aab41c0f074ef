"""A project as it stood at a moment: the same file, read through views that leave out what came later.

Nothing is copied but the undo log and the narrow half of the subjects. Whether an act stood then follows from the undo
and redo events up to that moment; the tables of work get their ``active`` from that. SQLite looks for a name among the
temporary views of a connection first, so every query of the program sees the past without knowing it.
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
from annotator.store.file.connection import connect, translate_errors
from annotator.store.file.project_file import ProjectFile
from annotator.store.history import undo_log
from annotator.store.queue import bulk_acts
from annotator.store.tables import as_text, raw

_DATED = ("proof", "suggestion", "release", "run", "response", "failure", "score", "score_set", "conflict")
"""Tables without undo: what was there by then is told by its date."""

_STATE = (
    "CASE WHEN c.kind <> 'do' OR c.state = 'event' THEN 'event' "
    "WHEN (SELECT e.kind FROM temp.step e WHERE e.target_id = c.id AND e.created_at <= :moment "
    "ORDER BY e.created_at DESC, e.id DESC LIMIT 1) = 'undo' THEN 'undone' "
    "WHEN EXISTS (SELECT 1 FROM temp.step e WHERE e.target_id = c.id) THEN 'done' ELSE c.state END"
)


class PastFile(ProjectFile):
    """An open project as of ``moment`` (UTC as the file writes it); it can be read like any other, never written."""

    def __init__(self, present: ProjectFile, moment: str) -> None:
        """Work out what stood at ``moment``; ``present`` stays open and may go on being used.

        Raises `MissingEnvironmentError` if there is no room for temporary files.
        """
        present.renew()
        try:
            self._folder = Path(tempfile.mkdtemp(prefix="annotator-past-"))
        except OSError as error:
            raise MissingEnvironmentError(
                f"There is no room for what going back in time needs ({error.strerror}). The project is unchanged."
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
                self._columns = _columns(connection)
                self._derive(connection)
        except BaseException:
            self.close()
            raise

    @contextmanager
    def write(self, *, durable: bool = True) -> Iterator[Session]:
        """Refuse: the past is only looked at."""
        del durable
        raise MissingEnvironmentError(
            "This is the project as it was, which can only be looked at. Go back to now to change something, "
            "or restore what you see."
        )
        yield  # pragma: no cover - makes this a generator, like what it stands for

    def prepare(self, connection: sqlite3.Connection) -> None:
        """Put the past over the present of a new connection."""
        connection.execute("ATTACH DATABASE ? AS past", (f"{self._derived.as_uri()}?mode=ro",))
        _overlay(connection, self._columns, self.moment)
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
        # Undos and redos by what they took back: looked for act by act in all of them, a long history takes for ever.
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
        _overlay(connection, self._columns, self.moment)
        stands = "SELECT id FROM past.change WHERE state IN ('done', 'event')"
        connection.execute(
            f"UPDATE past.subject SET active = change_id IN ({stands}) "
            "OR id IN (SELECT o.subject_id FROM main.origin o "
            f"WHERE o.change_id IN ({stands}))"
        )
        subject = raw("subject", "past")
        for assignments in (undo_log.current_work(subject=subject), undo_log.proven(subject)):
            connection.execute(as_text(update(subject).values(assignments)))
        # The first label remembers what a subject came with, whenever it was written: it is read from the present.
        every_label = raw("label", "main")
        labelled = update(subject).where(subject.c.id.in_(select(every_label.c.subject_id)))
        connection.execute(as_text(labelled.values(undo_log.current_labels(subject, every_label))))
        # What is counted beside filters: in the present a table that triggers keep.
        counts = as_text(bulk_acts.counts(subject, subject.c.active == 1))
        connection.execute(f"CREATE TABLE past.subject_count AS {counts}")
        connection.execute("COMMIT")


def _columns(connection: sqlite3.Connection) -> dict[str, tuple[str, ...]]:
    tables = [name for name in undo_log.UNDOABLE if name != "subject"]
    return {
        table: tuple(f'"{row[1]}"' for row in connection.execute(f"PRAGMA main.table_info({table})"))
        for table in (*tables, *_DATED)
    }


def _overlay(connection: sqlite3.Connection, columns: dict[str, tuple[str, ...]], moment: str) -> None:
    """Make the temporary views: acts, the work that stood, and what was dated by then."""
    connection.execute("CREATE TEMP VIEW change AS SELECT * FROM past.change")
    for table, names in columns.items():
        if table in _DATED:
            # A view takes no parameters; the moment was read by `datetime` and written by us.
            connection.execute(f"CREATE TEMP VIEW {table} AS SELECT * FROM main.{table} WHERE created_at <= '{moment}'")
            continue
        listed = ", ".join(
            "(c.state IN ('done', 'event')) AS active" if name == '"active"' else f"w.{name}" for name in names
        )
        connection.execute(
            f"CREATE TEMP VIEW {table} AS SELECT {listed} FROM main.{table} w JOIN past.change c ON c.id = w.change_id"
        )


def act_moments(connection: sqlite3.Connection, beginning: str) -> list[str]:
    """Return when the acts were done whose identifiers begin like this, two of them at most."""
    found = connection.execute(
        "SELECT created_at FROM main.change WHERE id >= ? AND id < ? LIMIT 2", (beginning, f"{beginning}g")
    )
    return [str(record[0]) for record in found]


def changed_subjects(connection: sqlite3.Connection) -> list[tuple[str, str, str]]:
    """Return (id, key, title) of subjects whose state then differs from now, on a connection of a `PastFile`.

    A subject is one of them if its place in the project, verdict, labels, newest paraphrase, criterion, solution or
    tests differ; those that were imported later are left out.
    """
    compared = ("active", "verdict", "prompt_id", "criterion_id", *undo_log.LABELS)
    differs = " OR ".join(f"p.{name} IS NOT n.{name}" for name in compared)
    newest = "(SELECT w.id FROM {} w WHERE w.subject_id = p.id AND w.active = 1 ORDER BY w.created_at DESC, w.id DESC)"
    return [
        (record[0], record[1], record[2])
        for record in connection.execute(
            f"SELECT n.id, n.key, n.title FROM past.subject p JOIN main.subject n ON n.id = p.id WHERE {differs} "
            f"OR (p.id IN (SELECT subject_id FROM main.revision) "
            f"AND {newest.format('temp.revision')} IS NOT {newest.format('main.revision')}) ORDER BY n.row"
        )
    ]


def later_subjects(connection: sqlite3.Connection) -> int:
    """Count the subjects in the project now that were not there then."""
    found = connection.execute(
        "SELECT count(*) FROM main.subject n WHERE n.active = 1 AND n.id NOT IN (SELECT id FROM past.subject)"
    )
    return int(found.fetchone()[0])
