"""Candidates into the project in bulk: idempotent, and visible only when all of an import is there.

A short import is one transaction. A long one is written in chunks so that decisions get their turn between
them; its subjects stay inactive until all are there, and are taken out again if the import fails. Then they become
visible, in parts as well (`arriving`). Where the program was killed before that they lie there unseen, and the next
import of the same content brings them in. Search learns of them behind the import (`search.step`); which ones it lacks
is written with them.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

from sqlalchemy import Connection, text
from sqlmodel import Session

from annotator.base.clock import now_text
from annotator.base.ids import content_hash, new_id, stable_id
from annotator.model.words import ChangeState
from annotator.store import arriving, bulk, changes, search
from annotator.store.long_writes import LongWrite
from annotator.store.project_file import ProjectFile

CHUNK = 500
"""As many candidates come in one transaction at most."""
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_SUBJECT = (
    "id", "key", "title", "task", "language", "domain", "area", "difficulty", "question_type", "views", "licence",
    "content_hash",
)  # fmt: skip
_KEPT = (*_SUBJECT, "source_id", "change_id", "active", "created_at")


@dataclass(frozen=True, slots=True)
class NewSubject:
    """A candidate as the store takes it: list columns, texts, tests, and the criterion and paraphrase it came with."""

    columns: Mapping[str, Any]
    texts: Mapping[str, Any]
    tests: Sequence[Mapping[str, Any]] = ()
    criterion: str = ""
    paraphrase: str = ""


@dataclass
class Added:
    """What became of the candidates of one import."""

    added: int = 0
    known: int = 0
    changed: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SourceInfo:
    """What is recorded of the file or folder that was read."""

    kind: str
    name: str
    sha256: str


def add(
    store: ProjectFile,
    source: SourceInfo,
    candidates: Iterable[NewSubject],
    counts: Mapping[str, int],
    label: str,
    told: Callable[[int], object] | None = None,
) -> tuple[Added, str | None]:
    """Add the candidates that the project does not have; returns the counts and the change's id (None: nothing new).

    ``counts`` is stored with the source and is read after the last candidate. Whatever fails until then, nothing stays
    behind. A long import's subjects then become visible; ``told`` is called with the number of those that are.
    """
    result, run = Added(), _Import(store.annotator.id, source, label)
    rest = iter(candidates)
    first = list(islice(rest, CHUNK + 1))
    arriving.complete(store)
    if len(first) <= CHUNK:
        with store.write() as db:
            run.insert(db, first, result, later=False)
            run.finish(db, result, counts)
            run.show(db)
        return result, run.change_id
    try:
        with LongWrite(store, CHUNK) as long:
            run.insert_all(store, long, chain(first, rest), result)
        with store.write(durable=False) as db:
            run.finish(db, result, counts)
            run.arrive(db)
    except BaseException:
        run.take_out(store)
        raise
    arriving.complete(store, told)
    return result, run.change_id


class _Import:
    """One import under way; its change and source are written with its first new subject."""

    def __init__(self, annotator_id: str, source: SourceInfo, label: str) -> None:
        self.annotator_id = annotator_id
        self.source = source
        self.label = label
        self.source_id = new_id()
        self.change_id: str | None = None

    def insert_all(self, store: ProjectFile, long: LongWrite, candidates: Iterable[NewSubject], result: Added) -> None:
        """Add candidates in chunks that nobody sees."""
        rest = iter(candidates)
        ready = deque(islice(rest, long.ahead))
        while ready:
            # What is lost in a power cut was not seen yet: the end waits for the disk with all that came before it.
            with store.write(durable=False) as db:
                go_on = True
                while ready and go_on:
                    with long.part():
                        chunk = [ready.popleft() for _ in range(min(long.size, len(ready)))]
                        self.insert(db, chunk, result, later=True)
                    go_on = long.may_go_on()
            long.pause()
            # The next are made outside the transaction, where making them keeps nobody waiting.
            ready.extend(islice(rest, max(0, long.ahead - len(ready))))

    def insert(self, db: Session, chunk: Sequence[NewSubject], result: Added, *, later: bool) -> None:
        """Add what is new of some candidates, unseen; search learns of them ``later`` or at once."""
        connection = db.connection()
        known = _known(connection, [item.columns["key"] for item in chunk])
        fresh: dict[str, NewSubject] = {}
        revived: list[str] = []
        for item in chunk:
            key = item.columns["key"]
            if key in fresh:
                result.known += 1
            elif key not in known:
                fresh[key] = item
            elif known[key] == (item.columns["content_hash"], False):
                revived.append(key)
            elif known[key][0] == item.columns["content_hash"]:
                result.known += 1
            else:
                result.changed.append(key)
        if fresh or revived:
            self._open(db)
            self._write(connection, list(fresh.values()), later=later)
            for key in revived:
                for table in arriving.WORK:
                    connection.execute(
                        text(
                            f"UPDATE {table} SET change_id = :change, active = 0 WHERE (subject_id, change_id) "
                            "IN (SELECT id, change_id FROM subject WHERE key = :key)"
                        ),
                        {"change": self.change_id, "key": key},
                    )
                connection.execute(
                    text("UPDATE subject SET change_id = :change WHERE key = :key"),
                    {"change": self.change_id, "key": key},
                )
            result.added += len(fresh) + len(revived)

    def _open(self, db: Session) -> None:
        if self.change_id is not None:
            return
        change = changes.record(db, self.annotator_id, self.label, ["source", "subject", "criterion"])
        # Nothing of it may be undone or redone before all of it is there, nor ever if the program is killed.
        change.state = ChangeState.SUPERSEDED
        db.flush()
        self.change_id = change.id
        db.connection().exec_driver_sql(
            "INSERT INTO source (id, created_at, kind, name, sha256, counts, annotator_id, change_id, active) "
            "VALUES (?, ?, ?, ?, ?, '{}', ?, ?, 0)",
            (
                self.source_id,
                now_text(),
                self.source.kind,
                self.source.name,
                self.source.sha256,
                self.annotator_id,
                self.change_id,
            ),
        )

    def _write(self, connection: Connection, fresh: Sequence[NewSubject], *, later: bool) -> None:
        if not fresh:
            return
        moment = now_text()
        tail = (self.source_id, self.change_id, 0, moment)
        _insert_subjects(connection, [_subject_row(item) for item in fresh], tail)
        connection.exec_driver_sql(
            "INSERT INTO subjecttext (subject_id, prompt, reference, context, entry_point, dependencies, provenance, "
            "extra) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [_text_row(item) for item in fresh],
        )
        ids = [item.columns["id"] for item in fresh]
        if later:
            search.leave_for_later(connection, ids[0], ids[-1])
        else:
            search.index(connection, f"s.id IN ({', '.join('?' * len(ids))})", ids)
        tests = [_test_row(item, position, test, moment) for item in fresh for position, test in enumerate(item.tests)]
        if tests:
            connection.exec_driver_sql(
                "INSERT INTO testcase (id, created_at, subject_id, position, name, language, code, inputs, expected, "
                "weight, timeout) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                tests,
            )
        criteria = [
            (new_id(), moment, self.annotator_id, self.change_id, 0, item.columns["id"], item.criterion,
             content_hash(item.criterion), f"came with {self.source.name}")
            for item in fresh if item.criterion
        ]  # fmt: skip
        if criteria:
            connection.exec_driver_sql(
                "INSERT INTO criterion (id, created_at, annotator_id, change_id, active, subject_id, source, "
                "content_hash, note) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                criteria,
            )
        prompts = [
            (new_id(), moment, self.annotator_id, self.change_id, 0, item.columns["id"], item.paraphrase,
             f"came with {self.source.name}", "import")
            for item in fresh if item.paraphrase
        ]  # fmt: skip
        if prompts:
            connection.exec_driver_sql(
                "INSERT INTO prompt (id, created_at, annotator_id, change_id, active, subject_id, text, note, origin) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                prompts,
            )

    def finish(self, db: Session, result: Added, counts: Mapping[str, int]) -> None:
        """Make the import an act that stands, with its counts."""
        if self.change_id is None:
            return
        connection = db.connection()
        connection.execute(text("UPDATE change SET state = 'done' WHERE id = :change"), {"change": self.change_id})
        kept = {"added": result.added, "known": result.known, "changed": len(result.changed), **counts}
        connection.execute(
            text("UPDATE source SET counts = :counts, active = :active WHERE id = :source"),
            {"counts": json.dumps(kept), "source": self.source_id, "active": True},
        )

    def show(self, db: Session) -> None:
        """Make a short import's subjects visible."""
        if self.change_id is not None:
            connection = db.connection()
            arriving.show(connection, self.change_id, arriving.brought(connection, self.change_id))

    def arrive(self, db: Session) -> None:
        """Let a long import's subjects become visible from here on."""
        if self.change_id is not None:
            arriving.begin(db.connection(), self.change_id)

    def take_out(self, store: ProjectFile) -> None:
        """Remove what an unfinished import has written (nobody has seen it), in parts as short as it was written in."""
        if self.change_id is None:
            return
        with LongWrite(store, CHUNK) as long:
            more = True
            while more:
                with store.write(durable=False) as db, long.part():
                    more = self._take_some_out(db.connection(), self.change_id, long.size)
                long.pause()
        with store.write() as db:
            connection, mine = db.connection(), (self.change_id,)
            connection.exec_driver_sql("UPDATE change SET state = 'superseded' WHERE id = ?", mine)
            connection.exec_driver_sql("UPDATE source SET active = 0 WHERE change_id = ?", mine)
            search.forget_gone(connection)

    def _take_some_out(self, connection: Connection, change_id: str, most: int) -> bool:
        """Remove up to so many of the import's own subjects; returns whether there were any."""
        if not bulk.choose_unfinished(connection, change_id, self.source_id, most):
            return False
        search.remove(connection, f"s.row IN {bulk.CHOSEN}", ())
        # What an earlier import had left, and this one took over, is not its own: it stays, unseen.
        for table in (*arriving.WORK, "testcase", "subjecttext"):
            connection.exec_driver_sql(
                f"DELETE FROM {table} WHERE subject_id IN (SELECT id FROM subject WHERE row IN {bulk.CHOSEN})"
            )
        connection.exec_driver_sql(f"DELETE FROM subject WHERE row IN {bulk.CHOSEN}")
        return True


def _known(connection: Connection, keys: Sequence[str]) -> dict[str, tuple[str, bool]]:
    """Return key -> (content hash, whether it is visible or about to be) of the keys that the project has."""
    marks = ", ".join("?" * len(keys))
    if not keys:
        return {}
    found = connection.exec_driver_sql(
        "SELECT key, content_hash, active = 1 OR change_id IN (SELECT change_id FROM arrival) "
        f"FROM subject WHERE key IN ({marks})",
        tuple(keys),
    )
    return {key: (digest, bool(there)) for key, digest, there in found}


def _insert_subjects(connection: Connection, rows: Sequence[tuple[Any, ...]], tail: tuple[Any, ...]) -> None:
    """Add subjects in one order; ``tail`` holds what all of them have in common."""
    into = f"INSERT INTO subject ({', '.join(_KEPT)})"
    marks, common = ", ".join("?" * len(_SUBJECT)), ", ".join("?" * len(tail))
    if connection.dialect.name != "sqlite":
        connection.exec_driver_sql(f"{into} VALUES ({marks}, {common})", [row + tail for row in rows])
        return
    # Because of the triggers, SQLite copies every page that a statement touches, so that it can take the statement
    # back. One statement for all of them instead of one each makes that a quarter of the time.
    connection.exec_driver_sql(f"CREATE TEMP TABLE IF NOT EXISTS incoming ({', '.join(_SUBJECT)})")
    connection.exec_driver_sql(f"INSERT INTO temp.incoming VALUES ({marks})", list(rows))
    connection.exec_driver_sql(f"{into} SELECT {', '.join(_SUBJECT)}, {common} FROM temp.incoming ORDER BY rowid", tail)
    connection.exec_driver_sql("DELETE FROM temp.incoming")


def _subject_row(item: NewSubject) -> tuple[Any, ...]:
    columns = item.columns
    return tuple([columns[name] for name in _SUBJECT])


def _text_row(item: NewSubject) -> tuple[str, ...]:
    texts = item.texts
    return (
        item.columns["id"], texts["prompt"], texts["reference"], texts["context"], texts["entry_point"],
        _json(texts["dependencies"]), _json(texts["provenance"]), _json(texts["extra"]),
    )  # fmt: skip


def _test_row(item: NewSubject, position: int, test: Mapping[str, Any], moment: str) -> tuple[Any, ...]:
    # Two files that hold the same subject hold the same tests.
    identifier = stable_id("test", item.columns["id"], str(position))
    head = (identifier, moment, item.columns["id"], position, test["name"], test["language"], test["code"])
    return (*head, _json(test["inputs"]), test["expected"], test["weight"], test["timeout"])


def _json(value: Mapping[str, Any]) -> str:
    return _ENCODER.encode(value) if value else "{}"
