"""Rows out of a project and into another: a union by identifier, the same in any order and any number of times.

Rows of expert work never change, so a row that is known already is known whole. What does change follows from rows:
whether work stands from the undo log, caches from the work that stands, names that two files gave to different things
from their identifiers. Two contents under one identifier are never mixed: ours stays, both are kept as a `Conflict`. So
are two words on one matter that were said apart (`contradictions`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import JSON, ColumnElement, Connection, DefaultClause, insert, select
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session

from annotator.base.clock import now_text
from annotator.base.errors import BadInputError
from annotator.base.ids import stable_id
from annotator.store.history import undo_log
from annotator.store.merge import contradictions, merged_state
from annotator.store.merge.contradictions import Contradiction, Files
from annotator.store.tables import TEST_CASE, as_stored, chunks, named, raw, upsert

Row = dict[str, Any]

TABLES = (
    "annotator", "model_under_test", "change", "source", "subject", "subjecttext", "testcase", "origin", "study",
    "pair", "blind_key", "assignment", "decision", "prompt", "criterion", "proof", "bug", "review", "vote", "comment",
    "judgement", "seal", "unblinding", "revision", "confirmation", "resolution", "lock", "label", "rewriting",
    "allotment", "coveragenote", "bug_review", "suggestion", "suggestion_verdict", "quotaplan", "setup",
    "published_table", "release", "releaseitem", "run", "question", "response", "failure", "score_set",
    "score_set_item", "score", "error_label", "settlement", "audit_answer", "conflict",
)  # fmt: skip
RUN_DATA = (
    "release", "releaseitem", "run", "question", "response", "failure", "score_set", "score_set_item", "score",
    "error_label", "settlement", "model_under_test", "published_table",
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
        "licence",
    ),
    "annotator": ("name", "role", "created_at"),
    "release": ("version",),
    "run": ("state", "reason", "finished_at", "score_set_id", "owner", "beat_at", "seconds"),
    "failure": ("cause", "reason", "attempts", "created_at"),
    "criterion": ("change_id",),
    "score": ("created_at", "detail"),
    "conflict": ("created_at", "ours", "theirs"),
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
    return tuple(name for name in named(table).columns.keys() if name not in local)  # noqa: SIM118 - no mapping


def primary(table: str) -> tuple[str, ...]:
    """Return the columns that identify a row everywhere."""
    if table in ("change", "subject"):
        return ("id",)
    return tuple(column.name for column in named(table).primary_key)


def column(table: str, name: str) -> Any:
    """Return a column of a table as SQLAlchemy describes it."""
    return named(table).columns[name]


def parents(table: str) -> tuple[tuple[str, str], ...]:
    """Return the columns of a table that refer to another, as (column, table)."""
    return tuple((key.parent.name, key.column.table.name) for key in named(table).foreign_keys)


def read_table(db: Session, table: str, condition: ColumnElement[bool] | None = None) -> list[Row]:
    """Return rows of a table as they travel, in the order of their identifiers."""
    names, source = columns(table), named(table)
    query = select(*(as_stored(source.c[name]) for name in names))
    query = query.order_by(*(source.c[name] for name in primary(table)))
    found = db.connection().execute(query if condition is None else query.where(condition))
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
            if not _fits(named(table).columns[name], row[name]):
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


def merge(
    db: Session,
    tables: Mapping[str, Sequence[Mapping[str, Any]]],
    *,
    older: bool = False,
    check: Callable[[Mapping[str, Sequence[Row]]], None] | None = None,
) -> Merged:
    """Add every row that is not known, then bring in step what follows from rows. All or nothing.

    ``older`` says that the rows come from an older schema: columns that came later start with their defaults, and do
    not count where a row that is known is compared. ``check`` may refuse the rows before any is added. Raises
    `BadInputError` for rows that do not fit the tables or refer to something that is nowhere.
    """
    later: dict[str, frozenset[str]] = {}
    if older:
        tables, later = fill_later_columns(tables, {name: columns(name) for name in TABLES})
    for name, rows in tables.items():
        check_rows(name, rows)
    connection, result = db.connection(), Merged()
    given = {name: [dict(row) for row in tables.get(name, ())] for name in TABLES}
    given["origin"] = with_origins(given["origin"], given["subject"])
    if check is not None:
        check(given)
    merged_state.keep_origins(connection, [row["id"] for row in given["subject"]])
    alias = merged_state.unite_models(connection, given["model_under_test"])
    new: dict[str, frozenset[str]] = {}
    try:
        merged_state.defer_foreign_keys(connection)
        for name in TABLES:
            given[name] = _translated(name, given[name], alias, connection)
            fresh = _merge_table(connection, name, given[name], result, later.get(name))
            new[name] = frozenset(str(row["id"]) for row in fresh if "id" in row)
        missing = merged_state.missing_parent(connection)
    except IntegrityError as error:
        raise BadInputError(f"The rows do not fit together ({error.orig}). Nothing was changed.") from error
    if missing is not None:
        raise BadInputError(
            f"A row of {missing.table} refers to a {missing.parent} that is nowhere. Nothing was changed."
        )
    said_apart = contradictions.find_contradictions(Files(connection, given, new, columns))
    result.conflicts += sum(_keep_contradiction(connection, item) for item in said_apart)
    touched = {row["change_id"] for name in undo_log.UNDOABLE for row in given.get(name, ()) if name != "subject"}
    touched |= {row["change_id"] for row in given["origin"]} | {row["id"] for row in given["change"]}
    result.subjects = merged_state.bring_in_step(connection, touched, {row["id"] for row in given["subject"]})
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
        return merged_state.unite_responses(connection, rows, alias)
    if table == "testcase":
        # A subject's identifier stands for its content: one that is here has its tests here.
        here = {row[0] for row in connection.execute(select(TEST_CASE.c.subject_id).distinct())}
        return [row for row in rows if row["subject_id"] not in here]
    return rows


def _merge_table(
    connection: Connection, table: str, rows: Sequence[Row], result: Merged, later: frozenset[str] | None = None
) -> list[Row]:
    """Add the rows of a table that are not known, and return them."""
    if not rows:
        return []
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
        merged_state.join(connection, table, ours, row)
    if table in merged_state.NAMED:
        merged_state.insert_named(connection, table, fresh)
    elif fresh:
        connection.execute(insert(raw(table)), [{name: row[name] for name in names} for row in fresh])
    if fresh:
        result.added[table] = len(fresh)
    return fresh


def _by_time(row: Row) -> tuple[str, str]:
    return str(row.get("created_at", "")), str(row.get("id", ""))


def _known(
    connection: Connection, table: str, names: Sequence[str], key: Sequence[str], rows: Sequence[Row]
) -> dict[tuple[Any, ...], Row]:
    found: dict[tuple[Any, ...], Row] = {}
    source, lead = named(table), key[0]
    query = select(*(as_stored(source.c[name]) for name in names))
    for part in chunks(sorted({row[lead] for row in rows})):
        records = connection.execute(query.where(source.c[lead].in_(part)))
        for record in records:
            row = dict(zip(names, record, strict=True))
            found[tuple(row[name] for name in key)] = row
    return found


def _keep_conflict(connection: Connection, table: str, row_id: str, ours: Row, theirs: Row) -> int:
    """Keep two contents of one row; the same pair is kept once, however often it is merged."""
    contents = [_as_json(row) for row in (ours, theirs)]
    identifier = stable_id("conflict", table, row_id, *contents)
    return _insert_conflict(connection, identifier, now_text(), table, row_id, contents)


def _keep_contradiction(connection: Connection, found: Contradiction) -> int:
    """Keep two words on one matter, the earlier as ours; the row is the same in every copy."""
    contents = [_as_json(row) for row in (found.earlier, found.later)]
    moment = str(found.later["created_at"])
    return _insert_conflict(connection, found.id, moment, found.table, found.row_id, contents)


def _as_json(row: Row) -> str:
    return json.dumps(row, sort_keys=True, ensure_ascii=False)


def _insert_conflict(
    connection: Connection, identifier: str, moment: str, table: str, row_id: str, contents: Sequence[str]
) -> int:
    kept = upsert(connection, raw("conflict")).values(
        id=identifier, created_at=moment, table_name=table, row_id=row_id, ours=contents[0], theirs=contents[1]
    )
    return connection.execute(kept.on_conflict_do_nothing()).rowcount


def fill_later_columns(
    tables: Mapping[str, Sequence[Mapping[str, Any]]], travelling: Mapping[str, Iterable[str]]
) -> tuple[dict[str, list[Row]], dict[str, frozenset[str]]]:
    """Return rows with the columns they lack, and which columns of which table these are.

    ``travelling`` names the columns of every known table. What has no default in the database is still lacking in what
    is returned, and so are tables that nobody knows: whoever checks the rows refuses them.
    """
    rows_of: dict[str, list[Row]] = {}
    later: dict[str, frozenset[str]] = {}
    for table, rows in tables.items():
        starts = _given_to_old_rows(table) if table in travelling else {}
        lacking = {
            name: starts[name] for name in travelling.get(table, ()) if rows and name in starts and name not in rows[0]
        }
        rows_of[table] = [lacking | dict(row) for row in rows]
        later[table] = frozenset(lacking)
    return rows_of, later


def _given_to_old_rows(table: str) -> Row:
    """Return what old rows have in the columns that they can do without: the default in the database, or null."""
    given: Row = {}
    for column in named(table).columns:
        default = column.server_default
        if isinstance(default, DefaultClause):
            given[column.name] = default.arg if isinstance(default.arg, str) else json.loads(str(default.arg))
        elif column.nullable:
            given[column.name] = None
    return given
