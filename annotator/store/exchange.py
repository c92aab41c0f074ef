"""Rows out of a project and into another: a union by identifier, the same in any order and any number of times.

Rows of expert work never change, so a row that is known already is known whole. What does change follows from rows:
whether work stands from the undo log, caches from the work that stands, names that two files gave to different things
from their identifiers. Two contents under one identifier are never mixed: ours stays, both are kept as a `Conflict`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import JSON, Connection, Table
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, SQLModel

import annotator.model.judging
import annotator.model.release
import annotator.model.run
import annotator.model.subject
import annotator.model.work  # noqa: F401 - every table must be known here
from annotator.base.clock import now_text
from annotator.base.errors import BadInputError
from annotator.base.ids import stable_id
from annotator.store import changes, constraints, older_rows, standing

Row = dict[str, Any]

TABLES = (
    "annotator", "model_under_test", "change", "source", "subject", "subjecttext", "testcase", "origin", "study",
    "pair", "blind_key", "assignment", "decision", "prompt", "criterion", "proof", "bug", "review", "vote", "comment",
    "judgement", "seal", "unblinding", "revision", "confirmation", "resolution", "lock", "label", "rewriting",
    "allotment", "coveragenote", "bug_review", "suggestion", "suggestion_verdict", "quotaplan", "setup",
    "published_table", "release", "releaseitem", "run", "question", "response", "failure", "score_set",
    "score_set_item", "score", "error_label",
)  # fmt: skip
RUN_DATA = (
    "release", "releaseitem", "run", "question", "response", "failure", "score_set", "score_set_item", "score",
    "error_label", "model_under_test", "published_table",
)  # fmt: skip
"""What evaluating made; it travels when whole projects are merged, or when asked for."""

_LOCAL: Mapping[str, tuple[str, ...]] = {
    "change": ("seq",),
    "subject": ("row", "verdict", "prompt_id", "criterion_id", "proven", "holder_id"),
}
_DERIVED: Mapping[str, tuple[str, ...]] = {
    "change": ("state",),
    "subject": (
        "active",
        "change_id",
        "source_id",
        "created_at",
        "key",
        "difficulty",
        "question_type",
        "domain",
        "area",
    ),
    "annotator": ("name", "role", "created_at"),
    "release": ("version",),
    "run": ("state", "reason", "finished_at", "score_set_id", "owner", "beat_at", "seconds"),
    "failure": ("cause", "reason", "attempts", "created_at"),
    "criterion": ("change_id",),
    "score": ("created_at", "detail"),
}
"""Columns that may differ between two copies of a row: they follow from other rows, or the newer one holds."""


@dataclass
class Merged:
    """What a merge did: new rows by table, how many were known, and contents that contradict ours."""

    added: dict[str, int] = field(default_factory=dict)
    known: int = 0
    conflicts: int = 0
    subjects: set[str] = field(default_factory=set)

    @property
    def total(self) -> int:
        """All new rows."""
        return sum(self.added.values())


def columns(table: str) -> tuple[str, ...]:
    """Return the columns of a table that travel."""
    local = _LOCAL.get(table, ())
    return tuple(name for name in _table(table).columns.keys() if name not in local)  # noqa: SIM118 - no mapping


def primary(table: str) -> tuple[str, ...]:
    """Return the columns that identify a row everywhere."""
    if table in ("change", "subject"):
        return ("id",)
    return tuple(column.name for column in _table(table).primary_key)


def column(table: str, name: str) -> Any:
    """Return a column of a table as SQLAlchemy describes it."""
    return _table(table).columns[name]


def parents(table: str) -> tuple[tuple[str, str], ...]:
    """Return the columns of a table that refer to another, as (column, table)."""
    return tuple((key.parent.name, key.column.table.name) for key in _table(table).foreign_keys)


def _table(name: str) -> Table:
    return SQLModel.metadata.tables[name]


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def read_table(db: Session, table: str, where: str = "1 = 1", values: Sequence[Any] = ()) -> list[Row]:
    """Return rows of a table as they travel, in the order of their identifiers."""
    names, key = columns(table), primary(table)
    found = db.connection().exec_driver_sql(
        f'SELECT {_quoted(names)} FROM "{table}" WHERE {where} ORDER BY {_quoted(key)}', tuple(values)
    )
    return [dict(zip(names, record, strict=True)) for record in found]


def read_all(db: Session, *, run_data: bool) -> dict[str, list[Row]]:
    """Return everything that a merge of whole projects brings together."""
    found = {name: read_table(db, name) for name in TABLES if run_data or name not in RUN_DATA}
    found["origin"] = with_origins(found["origin"], found["subject"])
    return found


def with_origins(origins: Sequence[Row], subjects: Iterable[Row]) -> list[Row]:
    """Return the origins of subjects, with the one that each subject itself names."""
    found = {(row["subject_id"], row["change_id"]): row for row in origins}
    for row in subjects:
        own = {"subject_id": row["id"], **{name: row[name] for name in ("change_id", "source_id", "created_at")}}
        found.setdefault((row["id"], row["change_id"]), own)
    return [found[key] for key in sorted(found)]


def check_rows(table: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Raise `BadInputError` unless rows have exactly a table's columns with values of their types."""
    if table not in TABLES:
        raise BadInputError(f"The packet has rows of an unknown kind ({table}). Nothing was changed.")
    wanted = columns(table)
    for row in rows:
        if set(row) != set(wanted):
            raise BadInputError(f"A row of {table} does not have its fields. Nothing was changed.")
        for name in wanted:
            if not _fits(_table(table).columns[name], row[name]):
                raise BadInputError(f"A row of {table} has an impossible {name}. Nothing was changed.")


def _fits(column: Any, value: Any) -> bool:
    if value is None:
        return bool(column.nullable)
    if isinstance(column.type, JSON):
        return isinstance(value, str) and _is_json(value)
    kind = column.type.python_type
    if kind is bool:
        return value in (0, 1)
    if kind is int:
        return type(value) is int and -(1 << 63) <= value < 1 << 63
    if kind is float:
        return type(value) in (int, float) and abs(value) < float("inf")
    return isinstance(value, str) and "\0" not in value


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), (dict, list))
    except (ValueError, RecursionError):
        return False


def merge(db: Session, tables: Mapping[str, Sequence[Mapping[str, Any]]], *, older: bool = False) -> Merged:
    """Add every row that is not known, then bring in step what follows from rows. All or nothing.

    ``older`` says that the rows come from an older schema: columns that came later start with their defaults, and do
    not count where a row that is known is compared. Raises `BadInputError` for rows that do not fit the tables or
    refer to something that is nowhere.
    """
    later: dict[str, frozenset[str]] = {}
    if older:
        tables, later = older_rows.completed(tables, {name: columns(name) for name in TABLES})
    for name, rows in tables.items():
        check_rows(name, rows)
    connection, result = db.connection(), Merged()
    given = {name: [dict(row) for row in tables.get(name, ())] for name in TABLES}
    given["origin"] = with_origins(given["origin"], given["subject"])
    standing.keep_origins(connection, [row["id"] for row in given["subject"]])
    alias = standing.unite_models(connection, given["model_under_test"])
    try:
        constraints.defer(connection)
        for name in TABLES:
            _merge_table(connection, name, _translated(name, given[name], alias, connection), result, later.get(name))
        missing = constraints.missing(connection)
    except IntegrityError as error:
        raise BadInputError(f"The rows do not fit together ({error.orig}). Nothing was changed.") from error
    if missing is not None:
        raise BadInputError(
            f"A row of {missing.table} refers to a {missing.parent} that is nowhere. Nothing was changed."
        )
    touched = {row["change_id"] for name in changes.UNDOABLE for row in given.get(name, ()) if name != "subject"}
    touched |= {row["change_id"] for row in given["origin"]} | {row["id"] for row in given["change"]}
    result.subjects = standing.bring_in_step(connection, touched, {row["id"] for row in given["subject"]})
    return result


def _translated(table: str, rows: list[Row], alias: dict[str, str], connection: Connection) -> list[Row]:
    """Return rows with references to what is known here under another identifier put right."""
    if table == "model_under_test":
        return [row for row in rows if alias.get(row["id"], row["id"]) == row["id"]]
    for row in rows:
        for name in ("model_id", "response_id"):
            if name in row:
                row[name] = alias.get(row[name], row[name])
    if table == "response":
        return standing.unite_responses(connection, rows, alias)
    if table == "testcase":
        # A subject's identifier stands for its content: one that is here has its tests here.
        here = {row[0] for row in connection.exec_driver_sql("SELECT DISTINCT subject_id FROM testcase")}
        return [row for row in rows if row["subject_id"] not in here]
    return rows


def _merge_table(
    connection: Connection, table: str, rows: Sequence[Row], result: Merged, later: frozenset[str] | None = None
) -> None:
    if not rows:
        return
    names, key = columns(table), primary(table)
    compared = [name for name in names if name not in _DERIVED.get(table, ()) and name not in (later or ())]
    known = _known(connection, table, names, key, rows)
    fresh = []
    for row in sorted(rows, key=_by_time):
        identifier = tuple(row[name] for name in key)
        ours = known.get(identifier)
        if ours is None:
            known[identifier] = row
            fresh.append(row)
            continue
        result.known += 1
        if any(ours[name] != row[name] for name in compared if name != "active"):
            result.conflicts += _keep_conflict(connection, table, "/".join(map(str, identifier)), ours, row)
        standing.join(connection, table, ours, row)
    if table in standing.NAMED:
        standing.insert_named(connection, table, names, fresh)
    elif fresh:
        marks = ", ".join("?" * len(names))
        connection.exec_driver_sql(
            f'INSERT INTO "{table}" ({_quoted(names)}) VALUES ({marks})',
            [tuple(row[name] for name in names) for row in fresh],
        )
    if fresh:
        result.added[table] = len(fresh)


def _by_time(row: Row) -> tuple[str, str]:
    return str(row.get("created_at", "")), str(row.get("id", ""))


def _known(
    connection: Connection, table: str, names: Sequence[str], key: Sequence[str], rows: Sequence[Row]
) -> dict[tuple[Any, ...], Row]:
    found: dict[tuple[Any, ...], Row] = {}
    lead, wanted = key[0], sorted({row[key[0]] for row in rows})
    for start in range(0, len(wanted), 500):
        part = wanted[start : start + 500]
        records = connection.exec_driver_sql(
            f'SELECT {_quoted(names)} FROM "{table}" WHERE "{lead}" IN ({", ".join("?" * len(part))})', tuple(part)
        )
        for record in records:
            row = dict(zip(names, record, strict=True))
            found[tuple(row[name] for name in key)] = row
    return found


def _keep_conflict(connection: Connection, table: str, row_id: str, ours: Row, theirs: Row) -> int:
    """Keep both contents; the same pair is kept once, however often it is merged."""
    contents = [json.dumps(row, sort_keys=True, ensure_ascii=False) for row in (ours, theirs)]
    done = connection.exec_driver_sql(
        "INSERT INTO conflict (id, created_at, table_name, row_id, ours, theirs) VALUES (?, ?, ?, ?, ?, ?) "
        "ON CONFLICT DO NOTHING",
        (stable_id("conflict", table, row_id, *contents), now_text(), table, row_id, *contents),
    )
    return done.rowcount
