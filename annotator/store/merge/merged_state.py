"""Derive state from merged rows: acts in force, active subjects, and unique names.

Every rule depends only on the set of rows, so the order of merges makes no difference.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, insert, select, update

from annotator.store.core_tables import (
    CHANGE,
    ERROR_LABEL,
    MODEL,
    ORIGIN,
    RESPONSE,
    RUN,
    SCORE,
    SUBJECT,
    chunks,
    find_table,
    raw_table,
    upsert,
)
from annotator.store.history import undo_log
from annotator.store.queue import search

Row = dict[str, Any]

UNIQUE_NAMES: Mapping[str, tuple[str, str]] = {
    "annotator": ("name", " ({})"),
    "subject": ("key", "~{}"),
    "release": ("version", "+{}"),
}
"""Tables with unique names: the row with the smallest id keeps the name, others get part of their id appended."""

_SUFFIX_LENGTH = 12


def keep_origins(connection: Connection, subject_ids: Iterable[str]) -> None:
    """Record the import of each of these subjects, before another file adds its own."""
    names = ("change_id", "source_id", "created_at")
    for part in chunks(sorted(subject_ids)):
        own_origins = select(SUBJECT.c.id, *(SUBJECT.c[name] for name in names)).where(SUBJECT.c.id.in_(part))
        connection.execute(
            upsert(connection, ORIGIN).from_select(["subject_id", *names], own_origins).on_conflict_do_nothing()
        )


def join_row_copies(connection: Connection, table: str, ours: Row, theirs: Row) -> None:
    """Merge the columns that may differ between two copies of a row, by rules independent of their order."""
    values: Row = {}
    if table == "change" and theirs["state"] == "event" and ours["state"] != "event":
        values = {"state": "event"}
    elif table == "annotator" and theirs["created_at"] < ours["created_at"]:
        values = {name: theirs[name] for name in ("created_at", "role")}
    elif table == "criterion" and theirs["change_id"] > ours["change_id"]:
        values = {"change_id": theirs["change_id"]}
    elif table == "run" and (theirs["finished_at"] or "") > (ours["finished_at"] or ""):
        values = {name: theirs[name] for name in ("state", "reason", "finished_at")}
    if values:
        merged = find_table(table)
        connection.execute(update(merged).where(merged.c.id == ours["id"]).values(values))


def _suffix(table: str, row_id: str) -> str:
    return UNIQUE_NAMES[table][1].format(row_id.replace("-", "")[-_SUFFIX_LENGTH:])


def _base_name(table: str, row_id: str, name: str) -> str:
    """Return a unique name without the suffix that a merge added."""
    return name.removesuffix(_suffix(table, row_id))


def insert_named(connection: Connection, table: str, rows: Sequence[Row]) -> None:
    """Insert rows of a table with unique names, then give each name to the row with the smallest id."""
    if not rows:
        return
    column = UNIQUE_NAMES[table][0]
    target = raw_table(table)
    bases = {row["id"]: _base_name(table, row["id"], row[column]) for row in rows}
    connection.execute(insert(target), [{**row, column: bases[row["id"]] + _suffix(table, row["id"])} for row in rows])
    incoming_bases = set(bases.values())
    groups: dict[str, list[str]] = {}
    for row_id, name in connection.execute(select(target.c.id, target.c[column])):
        base = _base_name(table, row_id, name)
        if base in incoming_bases:
            groups.setdefault(base, []).append(row_id)
    for base, ids in groups.items():
        first_id, *other_ids = sorted(ids)
        for row_id in other_ids:
            _rename(connection, table, row_id, base + _suffix(table, row_id))
        _rename(connection, table, first_id, base)


def _rename(connection: Connection, table: str, row_id: str, name: str) -> None:
    target = find_table(table)
    column = UNIQUE_NAMES[table][0]
    is_other = target.c[column] != name
    connection.execute(update(target).where(target.c.id == row_id, is_other).values({column: name}))


def unite_models(connection: Connection, rows: Sequence[Row]) -> dict[str, str]:
    """Return incoming model id -> id to use instead; of several ids for one name, the smallest is used."""
    local_ids = {name: row_id for row_id, name in connection.execute(select(MODEL.c.id, MODEL.c.name))}
    ids_to_use: dict[str, str] = {}
    for row in rows:
        own_id = local_ids.get(row["name"])
        if own_id is None or own_id == row["id"]:
            continue
        if own_id < row["id"]:
            ids_to_use[row["id"]] = own_id
            continue
        _move_model(connection, own_id, row)
        local_ids[row["name"]] = row["id"]
    return ids_to_use


def _move_model(connection: Connection, old_id: str, row: Row) -> None:
    """Change a model's id and all references to it."""
    defer_foreign_keys(connection)
    connection.execute(update(MODEL).where(MODEL.c.id == old_id).values(id=row["id"]))
    for table in (RUN, RESPONSE):
        connection.execute(update(table).where(table.c.model_id == old_id).values(model_id=row["id"]))


def unite_responses(connection: Connection, rows: Sequence[Row], ids_to_use: dict[str, str]) -> list[Row]:
    """Return the responses to insert; of two responses at one place, the one with the smaller id is kept.

    A place is (run, subject, sample), and for stored samples (subject, model, sample).
    """
    ids_by_place: dict[tuple[Any, ...], str] = {}
    columns = (RESPONSE.c[name] for name in ("run_id", "subject_id", "model_id", "sample", "id"))
    for record in connection.execute(select(*columns)):
        ids_by_place[_response_place(*record[:4])] = record[4]
    rows_to_insert = []
    for row in sorted(rows, key=lambda row: str(row["id"])):
        place = _response_place(row["run_id"], row["subject_id"], row["model_id"], row["sample"])
        own_id = ids_by_place.get(place)
        if own_id is not None and own_id != row["id"]:
            if own_id < row["id"]:
                ids_to_use[row["id"]] = own_id
                continue
            _replace_response(connection, own_id, row["id"])
        ids_by_place[place] = row["id"]
        rows_to_insert.append(row)
    return rows_to_insert


def _response_place(run: str | None, subject: str, model: str, sample: int) -> tuple[Any, ...]:
    return (run, subject, sample) if run is not None else (None, subject, model, sample)


def _replace_response(connection: Connection, old_id: str, new_id: str) -> None:
    """Give our response the id of an incoming one in its place, with all references to it."""
    defer_foreign_keys(connection)
    connection.execute(update(RESPONSE).where(RESPONSE.c.id == old_id).values(id=new_id))
    for table in (SCORE, ERROR_LABEL):
        connection.execute(update(table).where(table.c.response_id == old_id).values(response_id=new_id))


def update_derived_state(connection: Connection, change_ids: Collection[str], subject_ids: Collection[str]) -> set[str]:
    """Recompute the active rows of these changes and of their targets; returns the affected subjects."""
    affected_changes = set(change_ids)
    for part in chunks(change_ids):
        targets = select(CHANGE.c.target_id).where(CHANGE.c.target_id.is_not(None), CHANGE.c.id.in_(part))
        affected_changes.update(connection.scalars(targets))
    _derive_states(connection)
    subjects = set(subject_ids)
    for part in chunks(sorted(affected_changes)):
        for table in undo_log.UNDOABLE:
            if table != "subject":
                work = find_table(table)
                is_in_force = (
                    select(undo_log.is_change_in_force(CHANGE)).where(CHANGE.c.id == work.c.change_id).scalar_subquery()
                )
                connection.execute(update(work).where(work.c.change_id.in_(part)).values(active=is_in_force))
        for table in (*undo_log.SUBJECT_WORK, "origin"):
            work = find_table(table)
            subject_ids_of_part = select(work.c.subject_id).where(work.c.change_id.in_(part)).distinct()
            subjects.update(connection.scalars(subject_ids_of_part))
    undo_log.make_sealed_final(connection)
    undo_log.make_votes_final(connection)
    undo_log.refresh_origins(connection, subjects)
    for part in chunks(sorted(subject_ids)):
        search.index_subjects(connection, SUBJECT.c.id.in_(part))
    undo_log.refresh_subjects(connection, sorted(subjects))
    return subjects


def _derive_states(connection: Connection) -> None:
    """Set the state of every act that was ever undone, from its last undo or redo.

    An undone act can no longer be redone once its annotator has done something else.
    """
    events = select(CHANGE.c.target_id, CHANGE.c.kind, CHANGE.c.created_at).where(CHANGE.c.target_id.is_not(None))
    last_events = {
        target_id: (kind, moment)
        for target_id, kind, moment in connection.execute(events.order_by(CHANGE.c.created_at, CHANGE.c.id))
    }
    is_act = and_(CHANGE.c.kind == "do", CHANGE.c.state != "event")
    latest_acts = _latest_acts(connection, is_act)
    ids_by_state: dict[str, list[str]] = {}
    for part in chunks(sorted(last_events)):
        for act_id, annotator_id in connection.execute(
            select(CHANGE.c.id, CHANGE.c.annotator_id).where(is_act, CHANGE.c.id.in_(part))
        ):
            kind, moment = last_events[act_id]
            is_followed = any(other != act_id and at > moment for other, at in latest_acts[annotator_id])
            state = "done" if kind != "undo" else "superseded" if is_followed else "undone"
            ids_by_state.setdefault(state, []).append(act_id)
    for state, act_ids in ids_by_state.items():
        for part in chunks(act_ids):
            connection.execute(update(CHANGE).where(CHANGE.c.id.in_(part), CHANGE.c.state != state).values(state=state))


def _latest_acts(connection: Connection, is_act: ColumnElement[bool]) -> dict[str, list[tuple[str, str]]]:
    """Return the ids and times of each annotator's two latest acts: one of them is another act than any given one."""
    latest_acts = {}
    for annotator_id in connection.scalars(select(CHANGE.c.annotator_id).where(is_act).distinct()).all():
        acts = select(CHANGE.c.id, CHANGE.c.created_at).where(is_act, CHANGE.c.annotator_id == annotator_id)
        latest = connection.execute(acts.order_by(CHANGE.c.created_at.desc()).limit(2))
        latest_acts[annotator_id] = [(act_id, moment) for act_id, moment in latest]
    return latest_acts


class MissingParent(NamedTuple):
    """A row whose parent row is missing."""

    table: str
    parent: str


def defer_foreign_keys(connection: Connection) -> None:
    """Defer foreign key checks until `find_missing_parent` is called or the transaction ends."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
    else:
        connection.exec_driver_sql("SET CONSTRAINTS ALL DEFERRED")


def find_missing_parent(connection: Connection) -> MissingParent | None:
    """Return a row with a missing parent, None if there is none.

    On a server, SQLAlchemy's ``IntegrityError`` is raised instead.
    """
    if connection.dialect.name == "sqlite":
        row = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
        return None if row is None else MissingParent(row[0], row[2])
    connection.exec_driver_sql("SET CONSTRAINTS ALL IMMEDIATE")
    return None
