"""What follows from merged rows: whether acts stand, which subjects live, who has a name that two files gave away.

Every rule takes the rows as a set, so that the order in which files were merged cannot matter.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from annotator.store import changes, constraints, search

Row = dict[str, Any]

NAMED: Mapping[str, tuple[str, str]] = {
    "annotator": ("name", " ({})"),
    "subject": ("key", "~{}"),
    "release": ("version", "+{}"),
}
"""Tables whose names are unique: the row with the smallest identifier keeps the name, others get a part of theirs."""

_MARK = 12
_CHUNK = 500


def _chunks(values: Iterable[str]) -> Iterator[tuple[list[str], str]]:
    ordered = sorted(values)
    for start in range(0, len(ordered), _CHUNK):
        part = ordered[start : start + _CHUNK]
        yield part, ", ".join("?" * len(part))


def keep_origins(connection: Connection, subject_ids: Iterable[str]) -> None:
    """Write down which import brought each of these subjects here, before another file names its own."""
    for part, marks in _chunks(subject_ids):
        connection.exec_driver_sql(
            "INSERT INTO origin (subject_id, change_id, source_id, created_at) "
            f"SELECT id, change_id, source_id, created_at FROM subject WHERE id IN ({marks}) ON CONFLICT DO NOTHING",
            tuple(part),
        )


def join(connection: Connection, table: str, ours: Row, theirs: Row) -> None:
    """Take over what may differ between two copies of a row, by rules that do not depend on which came first."""
    if table == "change" and theirs["state"] == "event" and ours["state"] != "event":
        connection.exec_driver_sql("UPDATE change SET state = 'event' WHERE id = ?", (ours["id"],))
    elif table == "annotator" and theirs["created_at"] < ours["created_at"]:
        first = (theirs["created_at"], theirs["role"], ours["id"])
        connection.exec_driver_sql("UPDATE annotator SET created_at = ?, role = ? WHERE id = ?", first)
    elif table == "criterion" and theirs["change_id"] > ours["change_id"]:
        connection.exec_driver_sql("UPDATE criterion SET change_id = ? WHERE id = ?", (theirs["change_id"], ours["id"]))
    elif table == "run" and (theirs["finished_at"] or "") > (ours["finished_at"] or ""):
        values = (theirs["state"], theirs["reason"], theirs["finished_at"], ours["id"])
        connection.exec_driver_sql("UPDATE run SET state = ?, reason = ?, finished_at = ? WHERE id = ?", values)


def _mark(table: str, row_id: str) -> str:
    return NAMED[table][1].format(row_id.replace("-", "")[-_MARK:])


def _base(table: str, row_id: str, name: str) -> str:
    return name.removesuffix(_mark(table, row_id))


def insert_named(connection: Connection, table: str, names: Sequence[str], rows: Sequence[Row]) -> None:
    """Insert rows of a table with unique names, then let the smallest identifier of each name have it."""
    column = NAMED[table][0]
    bases = {row["id"]: _base(table, row["id"], row[column]) for row in rows}
    quoted, marks = ", ".join(f'"{name}"' for name in names), ", ".join("?" * len(names))
    for row in rows:
        unique = {**row, column: bases[row["id"]] + _mark(table, row["id"])}
        connection.exec_driver_sql(
            f'INSERT INTO "{table}" ({quoted}) VALUES ({marks})', tuple(unique[name] for name in names)
        )
    wanted = set(bases.values())
    if not wanted:
        return
    groups: dict[str, list[str]] = {}
    for row_id, name in connection.exec_driver_sql(f'SELECT id, "{column}" FROM "{table}"'):
        base = _base(table, row_id, name)
        if base in wanted:
            groups.setdefault(base, []).append(row_id)
    for base, ids in groups.items():
        first, *others = sorted(ids)
        for row_id in others:
            _rename(connection, table, row_id, base + _mark(table, row_id))
        _rename(connection, table, first, base)


def _rename(connection: Connection, table: str, row_id: str, name: str) -> None:
    column = NAMED[table][0]
    connection.exec_driver_sql(
        f'UPDATE "{table}" SET "{column}" = ? WHERE id = ? AND "{column}" <> ?', (name, row_id, name)
    )


def unite_models(connection: Connection, rows: Sequence[Row]) -> dict[str, str]:
    """Return identifier -> the one that stands for the same model name; the smallest of a name stands."""
    ours = {name: row_id for row_id, name in connection.exec_driver_sql("SELECT id, name FROM model_under_test")}
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
    constraints.defer(connection)
    connection.exec_driver_sql("UPDATE model_under_test SET id = ? WHERE id = ?", (row["id"], old))
    for table in ("run", "response"):
        connection.exec_driver_sql(f"UPDATE {table} SET model_id = ? WHERE model_id = ?", (row["id"], old))


def unite_responses(connection: Connection, rows: Sequence[Row], alias: dict[str, str]) -> list[Row]:
    """Return the responses whose place is free; of two in one place, the one with the smaller identifier stands.

    A place is (run, subject, sample), and for stored samples (subject, model, sample).
    """
    here: dict[tuple[Any, ...], str] = {}
    for record in connection.exec_driver_sql("SELECT run_id, subject_id, model_id, sample, id FROM response"):
        here[_place(*record[:4])] = record[4]
    kept = []
    for row in sorted(rows, key=_identifier):
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


def _identifier(row: Row) -> str:
    return str(row["id"])


def _replace_response(connection: Connection, old: str, new: str) -> None:
    """Let the incoming response stand in a place: what refers to ours refers to it from now on."""
    constraints.defer(connection)
    connection.exec_driver_sql("UPDATE response SET id = ? WHERE id = ?", (new, old))
    for table in ("score", "error_label"):
        connection.exec_driver_sql(f"UPDATE {table} SET response_id = ? WHERE response_id = ?", (new, old))


def bring_in_step(connection: Connection, change_ids: Collection[str], subject_ids: Collection[str]) -> set[str]:
    """Work out again what stands of these changes and of all they touch; returns the subjects concerned."""
    touched = set(change_ids)
    for part, marks in _chunks(change_ids):
        targets = connection.exec_driver_sql(
            f"SELECT target_id FROM change WHERE target_id IS NOT NULL AND id IN ({marks})", tuple(part)
        )
        touched |= {row[0] for row in targets}
    _derive_states(connection)
    subjects = set(subject_ids)
    for part, marks in _chunks(touched):
        for table in changes.UNDOABLE:
            if table != "subject":
                connection.exec_driver_sql(
                    f"UPDATE {table} SET active = (SELECT {changes.STANDS} FROM change c "
                    f"WHERE c.id = {table}.change_id) WHERE change_id IN ({marks})",
                    tuple(part),
                )
        for table in changes.SUBJECT_WORK:
            subjects |= _subjects_in(connection, table, part, marks)
        subjects |= _subjects_in(connection, "origin", part, marks)
    changes.fix_sealed(connection)
    changes.refresh_origins(connection, subjects)
    _make_searchable(connection, subject_ids)
    changes.refresh_subjects(connection, sorted(subjects))
    return subjects


def _subjects_in(connection: Connection, table: str, change_ids: list[str], marks: str) -> set[str]:
    query = f"SELECT DISTINCT subject_id FROM {table} WHERE change_id IN ({marks})"
    return {row[0] for row in connection.exec_driver_sql(query, tuple(change_ids))}


def _derive_states(connection: Connection) -> None:
    """Say of every act that was ever undone what the last word on it is; acts nobody undid stay as they are."""
    last = "(SELECT e.kind FROM change e WHERE e.target_id = change.id ORDER BY e.created_at DESC, e.id DESC LIMIT 1)"
    moment = "(SELECT max(e.created_at) FROM change e WHERE e.target_id = change.id)"
    later = (
        "EXISTS (SELECT 1 FROM change d WHERE d.annotator_id = change.annotator_id AND d.kind = 'do' "
        f"AND d.state <> 'event' AND d.id <> change.id AND d.created_at > {moment})"
    )
    connection.exec_driver_sql(
        f"UPDATE change SET state = CASE WHEN {last} <> 'undo' THEN 'done' WHEN {later} THEN 'superseded' "
        "ELSE 'undone' END WHERE kind = 'do' AND state <> 'event' "
        "AND id IN (SELECT target_id FROM change WHERE target_id IS NOT NULL)"
    )


def _make_searchable(connection: Connection, subject_ids: Iterable[str]) -> None:
    for part, marks in _chunks(subject_ids):
        search.index(connection, f"s.id IN ({marks}) AND s.row NOT IN (SELECT rowid FROM subject_search)", part)
