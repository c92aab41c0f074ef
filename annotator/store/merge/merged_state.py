"""What follows from merged rows: whether acts stand, which subjects live, who has a name that two files gave away.

Every rule takes the rows as a set, so that the order in which files were merged cannot matter.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, case, exists, func, insert, select, update

from annotator.store.history import undo_log
from annotator.store.queue import search
from annotator.store.tables import (
    CHANGE,
    ERROR_LABEL,
    MODEL,
    ORIGIN,
    RESPONSE,
    RUN,
    SCORE,
    SUBJECT,
    chunks,
    named,
    raw,
    upsert,
)

Row = dict[str, Any]

NAMED: Mapping[str, tuple[str, str]] = {
    "annotator": ("name", " ({})"),
    "subject": ("key", "~{}"),
    "release": ("version", "+{}"),
}
"""Tables whose names are unique: the row with the smallest identifier keeps the name, others get a part of theirs."""

_MARK = 12


def keep_origins(connection: Connection, subject_ids: Iterable[str]) -> None:
    """Write down which import brought each of these subjects here, before another file names its own."""
    names = ("change_id", "source_id", "created_at")
    for part in chunks(sorted(subject_ids)):
        brought = select(SUBJECT.c.id, *(SUBJECT.c[name] for name in names)).where(SUBJECT.c.id.in_(part))
        connection.execute(
            upsert(connection, ORIGIN).from_select(["subject_id", *names], brought).on_conflict_do_nothing()
        )


def join(connection: Connection, table: str, ours: Row, theirs: Row) -> None:
    """Take over what may differ between two copies of a row, by rules that do not depend on which came first."""
    taken: Row = {}
    if table == "change" and theirs["state"] == "event" and ours["state"] != "event":
        taken = {"state": "event"}
    elif table == "annotator" and theirs["created_at"] < ours["created_at"]:
        taken = {name: theirs[name] for name in ("created_at", "role")}
    elif table == "criterion" and theirs["change_id"] > ours["change_id"]:
        taken = {"change_id": theirs["change_id"]}
    elif table == "run" and (theirs["finished_at"] or "") > (ours["finished_at"] or ""):
        taken = {name: theirs[name] for name in ("state", "reason", "finished_at")}
    if taken:
        joined = named(table)
        connection.execute(update(joined).where(joined.c.id == ours["id"]).values(taken))


def _mark(table: str, row_id: str) -> str:
    return NAMED[table][1].format(row_id.replace("-", "")[-_MARK:])


def _base(table: str, row_id: str, name: str) -> str:
    return name.removesuffix(_mark(table, row_id))


def insert_named(connection: Connection, table: str, rows: Sequence[Row]) -> None:
    """Insert rows of a table with unique names, then let the smallest identifier of each name have it."""
    if not rows:
        return
    column, into = NAMED[table][0], raw(table)
    bases = {row["id"]: _base(table, row["id"], row[column]) for row in rows}
    connection.execute(insert(into), [{**row, column: bases[row["id"]] + _mark(table, row["id"])} for row in rows])
    wanted = set(bases.values())
    groups: dict[str, list[str]] = {}
    for row_id, name in connection.execute(select(into.c.id, into.c[column])):
        base = _base(table, row_id, name)
        if base in wanted:
            groups.setdefault(base, []).append(row_id)
    for base, ids in groups.items():
        first, *others = sorted(ids)
        for row_id in others:
            _rename(connection, table, row_id, base + _mark(table, row_id))
        _rename(connection, table, first, base)


def _rename(connection: Connection, table: str, row_id: str, name: str) -> None:
    renamed, column = named(table), NAMED[table][0]
    is_other = renamed.c[column] != name
    connection.execute(update(renamed).where(renamed.c.id == row_id, is_other).values({column: name}))


def unite_models(connection: Connection, rows: Sequence[Row]) -> dict[str, str]:
    """Return identifier -> the one that stands for the same model name; the smallest of a name stands."""
    ours = {name: row_id for row_id, name in connection.execute(select(MODEL.c.id, MODEL.c.name))}
    alias: dict[str, str] = {}
    for row in rows:
        known = ours.get(row["name"])
        if known is None or known == row["id"]:
            continue
        if known < row["id"]:
            alias[row["id"]] = known
            continue
        _move_model(connection, known, row)
        ours[row["name"]] = row["id"]
    return alias


def _move_model(connection: Connection, old: str, row: Row) -> None:
    """Give a model another identifier together with everything that refers to it."""
    defer_foreign_keys(connection)
    connection.execute(update(MODEL).where(MODEL.c.id == old).values(id=row["id"]))
    for table in (RUN, RESPONSE):
        connection.execute(update(table).where(table.c.model_id == old).values(model_id=row["id"]))


def unite_responses(connection: Connection, rows: Sequence[Row], alias: dict[str, str]) -> list[Row]:
    """Return the responses whose place is free; of two in one place, the one with the smaller identifier stands.

    A place is (run, subject, sample), and for stored samples (subject, model, sample).
    """
    here: dict[tuple[Any, ...], str] = {}
    columns = (RESPONSE.c[name] for name in ("run_id", "subject_id", "model_id", "sample", "id"))
    for record in connection.execute(select(*columns)):
        here[_place(*record[:4])] = record[4]
    kept = []
    for row in sorted(rows, key=lambda row: str(row["id"])):
        place = _place(row["run_id"], row["subject_id"], row["model_id"], row["sample"])
        known = here.get(place)
        if known is not None and known != row["id"]:
            if known < row["id"]:
                alias[row["id"]] = known
                continue
            _replace_response(connection, known, row["id"])
        here[place] = row["id"]
        kept.append(row)
    return kept


def _place(run: str | None, subject: str, model: str, sample: int) -> tuple[Any, ...]:
    return (run, subject, sample) if run is not None else (None, subject, model, sample)


def _replace_response(connection: Connection, old: str, new: str) -> None:
    """Let the incoming response stand in a place: what refers to ours refers to it from now on."""
    defer_foreign_keys(connection)
    connection.execute(update(RESPONSE).where(RESPONSE.c.id == old).values(id=new))
    for table in (SCORE, ERROR_LABEL):
        connection.execute(update(table).where(table.c.response_id == old).values(response_id=new))


def bring_in_step(connection: Connection, change_ids: Collection[str], subject_ids: Collection[str]) -> set[str]:
    """Work out again what stands of these changes and of all they touch; returns the subjects concerned."""
    touched = set(change_ids)
    for part in chunks(change_ids):
        targets = select(CHANGE.c.target_id).where(CHANGE.c.target_id.is_not(None), CHANGE.c.id.in_(part))
        touched.update(connection.scalars(targets))
    _derive_states(connection)
    subjects = set(subject_ids)
    for part in chunks(sorted(touched)):
        for table in undo_log.UNDOABLE:
            if table != "subject":
                work = named(table)
                stands = select(undo_log.stands(CHANGE)).where(CHANGE.c.id == work.c.change_id).scalar_subquery()
                connection.execute(update(work).where(work.c.change_id.in_(part)).values(active=stands))
        for table in (*undo_log.SUBJECT_WORK, "origin"):
            work = named(table)
            about = select(work.c.subject_id).where(work.c.change_id.in_(part)).distinct()
            subjects.update(connection.scalars(about))
    undo_log.fix_sealed(connection)
    undo_log.fix_votes(connection)
    undo_log.refresh_origins(connection, subjects)
    for part in chunks(sorted(subject_ids)):
        search.index(connection, SUBJECT.c.id.in_(part))
    undo_log.refresh_subjects(connection, sorted(subjects))
    return subjects


def _derive_states(connection: Connection) -> None:
    """Say of every act that was ever undone what the last word on it is; acts nobody undid stay as they are."""
    event, later = CHANGE.alias("e"), CHANGE.alias("d")
    events = select(event.c.kind).where(event.c.target_id == CHANGE.c.id).correlate(CHANGE)
    last = events.order_by(event.c.created_at.desc(), event.c.id.desc()).limit(1).scalar_subquery()
    moment = events.with_only_columns(func.max(event.c.created_at)).scalar_subquery()
    is_followed = (
        exists()
        .where(
            later.c.annotator_id == CHANGE.c.annotator_id,
            later.c.kind == "do",
            later.c.state != "event",
            later.c.id != CHANGE.c.id,
            later.c.created_at > moment,
        )
        .correlate(CHANGE)
    )
    targets = select(event.c.target_id).where(event.c.target_id.is_not(None))
    connection.execute(
        update(CHANGE)
        .where(CHANGE.c.kind == "do", CHANGE.c.state != "event", CHANGE.c.id.in_(targets))
        .values(state=case((last != "undo", "done"), (is_followed, "superseded"), else_="undone"))
    )


class MissingParent(NamedTuple):
    """A row that refers to something that is nowhere."""

    table: str
    parent: str


def defer_foreign_keys(connection: Connection) -> None:
    """Hold references back until `missing_parent` is asked or the transaction ends."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
    else:
        connection.exec_driver_sql("SET CONSTRAINTS ALL DEFERRED")


def missing_parent(connection: Connection) -> MissingParent | None:
    """Return a row that refers to nothing, None if there is none.

    A server says so by raising SQLAlchemy's ``IntegrityError``.
    """
    if connection.dialect.name == "sqlite":
        found = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
        return None if found is None else MissingParent(found[0], found[2])
    connection.exec_driver_sql("SET CONSTRAINTS ALL IMMEDIATE")
    return None
