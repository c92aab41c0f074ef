"""Import candidates in bulk, without duplicates; they become visible only when the whole import is written.

A short import is one transaction. A long one consists of many, between which others can save decisions (`long_writes`).
Its subjects stay inactive until all are written, and are removed if the import fails. Then they become visible in parts
(`arrivals`). If the program is killed before that, they stay invisible, and the next import of the same content reuses
them. They are indexed for search after the import (`search.fill_search_gap`); the gap is recorded with them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from typing import Any

from sqlalchemy import (
    Connection,
    Text,
    column,
    delete,
    insert,
    literal,
    literal_column,
    or_,
    select,
    table,
    tuple_,
    update,
)
from sqlmodel import Session

from annotator.base.clock import now_text
from annotator.base.ids import content_hash, new_id, stable_id
from annotator.model.vocabulary import ChangeState
from annotator.store.core_tables import (
    ARRIVAL,
    CHANGE,
    CRITERION,
    PROMPT,
    SOURCE,
    SUBJECT,
    find_table,
    insert_rows,
    is_chosen,
    is_file,
    raw_table,
)
from annotator.store.file.long_writes import FIRST_STEP, LongWrite
from annotator.store.file.project_file import ProjectFile
from annotator.store.history import undo_log
from annotator.store.queue import arrivals, bulk_acts, search

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_SUBJECT_COLUMNS = (
    "id", "key", "title", "task", "language", "domain", "area", "difficulty", "question_type", "views", "licence",
    "content_hash",
)  # fmt: skip
_INCOMING = table("incoming", *(column(name) for name in _SUBJECT_COLUMNS))
"""New subjects, in a temporary table of the connection."""
Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSubject:
    """A candidate to import: list columns, texts, tests, and its own criterion and paraphrase."""

    columns: Mapping[str, Any]
    texts: Mapping[str, Any]
    tests: Sequence[Mapping[str, Any]] = ()
    criterion: str = ""
    paraphrase: str = ""


@dataclass
class AddedCandidates:
    """How many candidates an import added, how many existed already, and the keys of those that exist but differ."""

    added: int = 0
    already_present: int = 0
    changed: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SourceInfo:
    """The record of an imported file or folder."""

    kind: str
    name: str
    sha256: str


def insert_candidates(
    store: ProjectFile,
    source: SourceInfo,
    candidates: Iterable[NewSubject],
    counts: Mapping[str, int],
    label: str,
    report: Callable[[int], object] | None = None,
) -> tuple[AddedCandidates, str | None]:
    """Add the candidates that the project does not have; returns the outcome and the change's id (None: nothing new).

    ``counts`` is stored with the source and is read after the last candidate. If anything fails before that, all added
    rows are removed. A long import's subjects become visible in parts; ``report`` is called with the number so far.
    """
    result = AddedCandidates()
    new_import = _RunningImport(store.annotator.id, source, label)
    remaining = iter(candidates)
    first_candidates = list(islice(remaining, FIRST_STEP + 1))
    arrivals.complete_arrivals(store)
    if len(first_candidates) <= FIRST_STEP:
        with store.write() as db:
            new_import.insert(db, first_candidates, result, index_later=False)
            new_import.finish(db, result, counts)
            new_import.show_subjects(db)
        return result, new_import.change_id
    try:
        with LongWrite(store) as long_write:
            # A power cut loses nothing that was visible: the last transaction syncs everything before it to the disk.
            long_write.write_all(
                chain(first_candidates, remaining), partial(new_import.insert, result=result, index_later=True)
            )
        with store.write(durable=False) as db:
            new_import.finish(db, result, counts)
            new_import.begin_arrival(db)
    except BaseException:
        new_import.remove(store)
        raise
    arrivals.complete_arrivals(store, report)
    return result, new_import.change_id


def add_candidates_within(
    db: Session, annotator_id: str, source: SourceInfo, candidates: Sequence[NewSubject], label: str
) -> tuple[AddedCandidates, str | None]:
    """Add candidates within the caller's transaction, which writes further rows under the same change."""
    result = AddedCandidates()
    new_import = _RunningImport(annotator_id, source, label)
    new_import.insert(db, candidates, result, index_later=False)
    new_import.finish(db, result, {})
    new_import.show_subjects(db)
    return result, new_import.change_id


class _RunningImport:
    """A running import; its change and source are written with its first new subject."""

    def __init__(self, annotator_id: str, source: SourceInfo, label: str) -> None:
        self.annotator_id = annotator_id
        self.source = source
        self.label = label
        self.source_id = new_id()
        self.change_id: str | None = None

    def insert(self, db: Session, chunk: Sequence[NewSubject], result: AddedCandidates, *, index_later: bool) -> None:
        """Add the new candidates, still invisible; they are indexed for search now, or later with ``index_later``."""
        connection = db.connection()
        existing = _existing_contents(connection, [candidate.columns["key"] for candidate in chunk])
        new: dict[str, NewSubject] = {}
        reused_keys: list[str] = []
        for candidate in chunk:
            key = candidate.columns["key"]
            if key in new:
                result.already_present += 1
            elif key not in existing:
                new[key] = candidate
            elif existing[key][0] != candidate.columns["content_hash"]:
                result.changed.append(key)
            elif existing[key][1]:
                result.already_present += 1
            else:
                # An invisible row of an unfinished import is reused.
                reused_keys.append(key)
        if new or reused_keys:
            self._record_import(db)
            self._write(connection, list(new.values()), index_later=index_later)
            for key in reused_keys:
                has_key = SUBJECT.c.key == key
                # Its work is found by the old change that the subject still refers to, so the subject is updated last.
                for name in arrivals.WORK:
                    work = find_table(name)
                    leftover_ids = select(SUBJECT.c.id, SUBJECT.c.change_id).where(has_key)
                    leftover = update(work).where(tuple_(work.c.subject_id, work.c.change_id).in_(leftover_ids))
                    connection.execute(leftover.values(change_id=self.change_id, active=False))
                connection.execute(update(SUBJECT).where(has_key).values(change_id=self.change_id))
            result.added += len(new) + len(reused_keys)

    def _record_import(self, db: Session) -> None:
        if self.change_id is not None:
            return
        change = undo_log.record_change(db, self.annotator_id, self.label, ["source", "subject", "criterion"])
        # Until the import is complete it cannot be undone or redone; if the program is killed, it stays that way.
        change.state = ChangeState.SUPERSEDED
        db.flush()
        self.change_id = change.id
        db.connection().execute(
            insert(SOURCE).values(
                id=self.source_id,
                created_at=now_text(),
                kind=self.source.kind,
                name=self.source.name,
                sha256=self.source.sha256,
                counts={},
                annotator_id=self.annotator_id,
                change_id=self.change_id,
                active=False,
            )
        )

    def _write(self, connection: Connection, candidates: Sequence[NewSubject], *, index_later: bool) -> None:
        if not candidates:
            return
        moment = now_text()
        import_columns = {
            "source_id": self.source_id, "change_id": self.change_id, "active": False, "created_at": moment
        }  # fmt: skip
        _insert_subjects(connection, [candidate.columns for candidate in candidates], import_columns)
        insert_rows(connection, raw_table("subjecttext"), [_text_row(candidate) for candidate in candidates])
        ids = [candidate.columns["id"] for candidate in candidates]
        if index_later:
            search.record_search_gap(connection, ids[0], ids[-1])
        else:
            search.index_subjects(connection, SUBJECT.c.id.in_(ids))
        tests = [
            _test_row(candidate, position, test, moment)
            for candidate in candidates
            for position, test in enumerate(candidate.tests)
        ]
        if tests:
            insert_rows(connection, raw_table("testcase"), tests)
        work_columns = {
            "created_at": moment,
            "annotator_id": self.annotator_id,
            "change_id": self.change_id,
            "active": False,
        }
        note = f"came with {self.source.name}"
        criteria = [
            {**work_columns, "id": new_id(), "subject_id": candidate.columns["id"], "source": candidate.criterion,
             "content_hash": content_hash(candidate.criterion), "note": note}
            for candidate in candidates if candidate.criterion
        ]  # fmt: skip
        if criteria:
            connection.execute(insert(CRITERION), criteria)
        prompts = [
            {**work_columns, "id": new_id(), "subject_id": candidate.columns["id"], "text": candidate.paraphrase,
             "note": note, "origin": "import"}
            for candidate in candidates if candidate.paraphrase
        ]  # fmt: skip
        if prompts:
            connection.execute(insert(PROMPT), prompts)

    def finish(self, db: Session, result: AddedCandidates, counts: Mapping[str, int]) -> None:
        """Mark the import's change as done and store its counts."""
        if self.change_id is None:
            return
        connection = db.connection()
        connection.execute(update(CHANGE).where(CHANGE.c.id == self.change_id).values(state=ChangeState.DONE))
        stored_counts = {
            "added": result.added,
            "known": result.already_present,
            "changed": len(result.changed),
            **counts,
        }
        connection.execute(
            update(SOURCE).where(SOURCE.c.id == self.source_id).values(counts=stored_counts, active=True)
        )

    def show_subjects(self, db: Session) -> None:
        """Make a short import's subjects visible."""
        if self.change_id is not None:
            connection = db.connection()
            tables = arrivals.tables_with_rows(connection, self.change_id)
            arrivals.show_arrived(connection, self.change_id, SUBJECT.c.change_id == self.change_id, tables)

    def begin_arrival(self, db: Session) -> None:
        """Start making a long import's subjects visible."""
        if self.change_id is not None:
            arrivals.begin_arrival(db.connection(), self.change_id)

    def remove(self, store: ProjectFile) -> None:
        """Remove an unfinished import's invisible rows."""
        if self.change_id is None:
            return
        with LongWrite(store) as long_write:
            for _ in long_write.repeat(self._remove_batch):
                pass
        with store.write() as db:
            connection = db.connection()
            change_id = self.change_id
            connection.execute(update(CHANGE).where(CHANGE.c.id == change_id).values(state=ChangeState.SUPERSEDED))
            connection.execute(update(SOURCE).where(SOURCE.c.change_id == change_id).values(active=False))
            search.delete_empty_gaps(connection)

    def _remove_batch(self, db: Session, max_rows: int) -> int:
        """Remove at most ``max_rows`` of the import's own subjects; returns their number."""
        connection = db.connection()
        count = bulk_acts.choose_unfinished(connection, str(self.change_id), self.source_id, max_rows)
        if count:
            search.remove_from_index(connection, is_chosen(SUBJECT.c.row))
            # Rows reused from an earlier unfinished import stay, invisible.
            ids = select(SUBJECT.c.id).where(is_chosen(SUBJECT.c.row))
            for name in (*arrivals.WORK, "testcase", "subjecttext"):
                dependent = find_table(name)
                connection.execute(delete(dependent).where(dependent.c.subject_id.in_(ids)))
            connection.execute(delete(SUBJECT).where(is_chosen(SUBJECT.c.row)))
        return count


def _existing_contents(connection: Connection, keys: Sequence[str]) -> dict[str, tuple[str, bool]]:
    """Return key -> (content hash, whether it is visible or arriving) for the keys that exist in the project."""
    is_visible = or_(SUBJECT.c.active, SUBJECT.c.change_id.in_(select(ARRIVAL.c.change_id)))
    has_key = bulk_acts.is_among(connection, SUBJECT.c.key, keys, Text())
    query = select(SUBJECT.c.key, SUBJECT.c.content_hash, is_visible).where(has_key)
    cursor = connection.execute(query)
    return {key: (digest, bool(is_visible)) for key, digest, is_visible in cursor}


def fetch_visible_contents(connection: Connection, keys: Sequence[str]) -> dict[str, str]:
    """Return key -> content hash of the visible subjects with some keys."""
    return {key: digest for key, (digest, is_visible) in _existing_contents(connection, keys).items() if is_visible}


def _insert_subjects(connection: Connection, rows: Sequence[Mapping[str, Any]], common: Row) -> None:
    """Insert subjects in the order of ``rows``; the columns in ``common`` are the same for all."""
    if not is_file(connection):
        insert_rows(connection, raw_table("subject"), [{**row, **common} for row in rows])
        return
    # Because of the triggers, SQLite copies every page that a statement touches, to be able to undo the statement.
    # One statement for all rows instead of one for each takes a quarter of the time.
    connection.exec_driver_sql(f"CREATE TEMP TABLE IF NOT EXISTS incoming ({', '.join(_SUBJECT_COLUMNS)})")
    insert_rows(connection, _INCOMING, rows)
    values = (literal(value, SUBJECT.c[name].type) for name, value in common.items())
    incoming = select(*(_INCOMING.c[name] for name in _SUBJECT_COLUMNS), *values).order_by(
        literal_column("incoming.rowid")
    )
    connection.execute(insert(SUBJECT).from_select([*_SUBJECT_COLUMNS, *common], incoming))
    connection.execute(delete(_INCOMING))


def _text_row(candidate: NewSubject) -> Row:
    row: Row = {"subject_id": candidate.columns["id"], **candidate.texts}
    for name in ("dependencies", "provenance", "extra"):
        row[name] = _encode_json(row[name])
    return row


def _test_row(candidate: NewSubject, position: int, test: Mapping[str, Any], moment: str) -> Row:
    subject = candidate.columns["id"]
    fields = {name: test[name] for name in ("name", "language", "code", "expected", "weight", "timeout")}
    return {
        # Derived from the subject, so that two files with the same subject have the same tests.
        "id": stable_id("test", subject, str(position)), "created_at": moment, "subject_id": subject,
        "position": position, **fields, "inputs": _encode_json(test["inputs"]),
    }  # fmt: skip


def _encode_json(value: Mapping[str, Any]) -> str:
    return _ENCODER.encode(value) if value else "{}"
