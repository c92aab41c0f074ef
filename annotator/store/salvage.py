"""Out of a wreck and into a sound project: every readable row, what a backup has beside them, nothing that dangles."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TextIO

from annotator.base.clock import now_text
from annotator.base.errors import BadInputError, KnownError
from annotator.base.ids import new_id
from annotator.model.history_rows import TableState
from annotator.store import exchange, wreck
from annotator.store.project_file import ProjectFile

Row = dict[str, Any]
Tables = dict[str, list[Row]]

_PROJECT = ("id", "name", "settings")
_EMPTY = {bool: 0, int: 0, float: 0.0, str: ""}


def examine(connection: sqlite3.Connection) -> tuple[TableState, ...]:
    """Return how much of each table can be read; tables without a row are left out unless something is wrong."""
    found = []
    for table in ("project", *exchange.TABLES):
        names = wreck.present(connection, table)
        if not names:
            continue
        state = wreck.Reading()
        for _ in wreck.scan(connection, table, names, state):
            continue
        if state.readable or state.problem:
            lost = None if state.expected is None else state.expected - state.readable
            found.append(TableState(table, state.readable, lost, state.problem))
    return tuple(found)


def read(
    connection: sqlite3.Connection, lines: TextIO, report: Callable[[str], object]
) -> tuple[Tables, Row, list[str]]:
    """Read every row that can be read and write each as a line of JSON.

    Returns the rows that fit their tables, the project's own row, and a sentence for each kind of row that does not.
    """
    tables: Tables = {}
    notes = []
    for table in exchange.TABLES:
        report(table)
        present = wreck.present(connection, table)
        wanted = exchange.columns(table)
        names = tuple(name for name in wanted if name in present)
        if not names:
            continue
        kept, odd = [], 0
        for record in wreck.scan(connection, table, names, wreck.Reading()):
            row = dict(zip(names, record, strict=True))
            lines.write(json.dumps({"table": table, "row": row}, ensure_ascii=False, default=repr) + "\n")
            whole = {name: row[name] if name in row else _default(table, name) for name in wanted}
            try:
                exchange.check_rows(table, [whole])
            except BadInputError:
                odd += 1
                continue
            kept.append(whole)
        tables[table] = kept
        if odd:
            notes.append(f"{odd} rows of {table} hold impossible values")
    return tables, _project(connection, lines), notes


def _default(table: str, name: str) -> Any:
    column = exchange.column(table, name)
    if column.nullable:
        return None
    return "{}" if column.type.__class__.__name__ == "JSON" else _EMPTY.get(column.type.python_type, "")


def _project(connection: sqlite3.Connection, lines: TextIO) -> Row:
    for record in wreck.scan(connection, "project", _PROJECT, wreck.Reading()):
        row = dict(zip(_PROJECT, record, strict=True))
        lines.write(json.dumps({"table": "project", "row": row}, ensure_ascii=False, default=repr) + "\n")
        return row
    return {}


def build(
    target: Path, tables: Tables, project: Mapping[str, Any], backup: Path | None
) -> tuple[dict[str, int], int, list[str]]:
    """Make a sound project of rows, and of a backup's where it has more; returns rows by table, the backup's, notes.

    A row that both have is taken from the backup, whose check it passed; a differing one is kept as a conflict.
    Raises `KnownError` if the file cannot be made; nothing of it is left then.
    """
    known = _from_backup(backup) if backup is not None else {}
    everything = {name: [*known.get(name, ()), *tables.get(name, ())] for name in exchange.TABLES}
    notes = _complete(tables, everything)
    people = everything["annotator"] or [wreck.stub_annotator("")]
    first = min(people, key=_age)
    name = str(project.get("name") or "Recovered project")
    store = ProjectFile.create(
        target, name, str(first["name"]), project_id=str(project.get("id") or new_id()), annotator_id=str(first["id"])
    )
    try:
        with store.write() as db:
            given = exchange.merge(db, known).total if known else 0
            merged = exchange.merge(db, tables)
            if merged.conflicts:
                notes.append(f"{merged.conflicts} rows differ from the backup; both are kept as conflicts")
        with store.reader() as connection:
            counts = {
                table: int(connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0])
                for table in exchange.TABLES
            }
    except BaseException:
        store.close()
        for ending in ("", "-wal", "-shm"):
            Path(f"{target}{ending}").unlink(missing_ok=True)
        raise
    store.close()
    return {table: count for table, count in counts.items() if count}, given, notes


def _from_backup(path: Path) -> Tables:
    try:
        store = ProjectFile.open(path, read_only=True)
    except KnownError:
        return {}
    try:
        with store.read() as db:
            return exchange.read_all(db, run_data=True)
    finally:
        store.close()


def _age(row: Mapping[str, Any]) -> tuple[str, str]:
    return str(row["created_at"]), str(row["id"])


def _complete(tables: Tables, everything: Mapping[str, list[Row]]) -> list[str]:
    """Put stand-ins where work refers to an act or person that is lost, and take out what refers to nothing else.

    ``tables`` is changed; ``everything`` holds those rows and the backup's.
    """
    ids = {name: {row["id"] for row in rows if "id" in row} for name, rows in everything.items()}
    ids["question"] = {row["content_hash"] for row in everything["question"]}
    for rows in list(tables.values()):
        for row in rows:
            person, change = row.get("annotator_id"), row.get("change_id")
            if isinstance(change, str) and change not in ids["change"]:
                ids["change"].add(change)
                someone = str(person or next(iter(ids["annotator"]), new_id()))
                stub = wreck.stub_change(change, someone, str(row.get("created_at") or now_text()))
                tables.setdefault("change", []).append(stub)
    for rows in list(tables.values()):
        for row in rows:
            person = row.get("annotator_id")
            if isinstance(person, str) and person not in ids["annotator"]:
                ids["annotator"].add(person)
                tables.setdefault("annotator", []).append(wreck.stub_annotator(person))
    return _without_dangling(tables, ids)


def _without_dangling(tables: Tables, ids: dict[str, set[str]]) -> list[str]:
    notes: dict[str, int] = {}
    changed = True
    while changed:
        changed = False
        for table in exchange.TABLES:
            parents = exchange.parents(table)
            rows = tables.get(table, [])
            kept = [row for row in rows if all(row[name] is None or row[name] in ids[to] for name, to in parents)]
            if len(kept) < len(rows):
                changed = True
                notes[table] = notes.get(table, 0) + len(rows) - len(kept)
                there = {row["id"] for row in kept if "id" in row}
                ids[table] -= {row["id"] for row in rows if "id" in row and row["id"] not in there}
                tables[table] = kept
    return [f"{count} rows of {table} belong to something that could not be read" for table, count in notes.items()]
