"""Exchange rows between projects: a union by identifier, independent of order and repetition.

Rows of expert work never change. Everything that does change is derived from rows: active work from the undo log,
caches from active work, and suffixes of clashing names from identifiers. If one identifier has two contents, the local
one stays and both are stored as a `Conflict`. The same applies to two independent statements about the same topic
(`contradictions`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Connection, DefaultClause, select
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session

from annotator.base.clock import now_text
from annotator.base.errors import BadInputError
from annotator.base.ids import stable_id
from annotator.store.core_tables import (
    ASSIGNMENT,
    CHANGE,
    as_stored,
    chunks,
    find_table,
    insert_rows,
    raw_table,
    upsert,
)
from annotator.store.history import undo_log
from annotator.store.merge import contradictions, merged_state
from annotator.store.merge.contradictions import Contradiction, Files
from annotator.store.soundness.hashes import matches_hash
from annotator.store.soundness.value_checks import make_value_check

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
"""Tables of evaluations, which are exchanged when whole projects are merged, or on request."""

_LOCAL: Mapping[str, tuple[str, ...]] = {
    "change": ("seq",),
    "subject": ("row", "verdict", "prompt_id", "criterion_id", "proven", "holder_id"),
}
"""Columns that each project assigns or caches by itself, so they are not exchanged."""
DERIVED: Mapping[str, tuple[str, ...]] = {
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
"""Columns that may differ between two copies of a row, because they are derived or the newer value wins."""


@dataclass
class MergeOutcome:
    """The outcome of a merge: new rows by table, rows ``already_present``, and conflicts."""

    added: dict[str, int] = field(default_factory=dict)
    already_present: int = 0
    conflicts: int = 0
    subjects: set[str] = field(default_factory=set)

    @property
    def total(self) -> int:
        """The number of new rows."""
        return sum(self.added.values())


def exchanged_columns(table: str) -> tuple[str, ...]:
    """Return the columns of a table that are exchanged."""
    local = _LOCAL.get(table, ())
    return tuple(name for name in find_table(table).columns.keys() if name not in local)  # noqa: SIM118 - no mapping


def identifying_columns(table: str) -> tuple[str, ...]:
    """Return the columns that identify a row in every project."""
    if table in ("change", "subject"):
        return ("id",)
    return tuple(column.name for column in find_table(table).primary_key)


def table_column(table: str, name: str) -> Any:
    """Return a column of a table as SQLAlchemy describes it."""
    return find_table(table).columns[name]


def parent_columns(table: str) -> tuple[tuple[str, str], ...]:
    """Return the columns of a table that refer to another, as (column, table)."""
    return tuple((key.parent.name, key.column.table.name) for key in find_table(table).foreign_keys)


def read_table(db: Session, table: str, condition: ColumnElement[bool] | None = None) -> list[Row]:
    """Return rows of a table in exchange form, in the order of their identifiers."""
    names = exchanged_columns(table)
    source = find_table(table)
    query = select(*(as_stored(source.c[name]) for name in names))
    query = query.order_by(*(source.c[name] for name in identifying_columns(table)))
    records = db.connection().execute(query if condition is None else query.where(condition))
    return [dict(zip(names, record, strict=True)) for record in records]


def read_all(db: Session, *, run_data: bool) -> dict[str, list[Row]]:
    """Return all rows that a merge of whole projects exchanges."""
    tables = {name: read_table(db, name) for name in TABLES if run_data or name not in RUN_DATA}
    tables["origin"] = add_origins(tables["origin"], tables["subject"])
    return tables


def add_origins(origins: Sequence[Row], subjects: Iterable[Row]) -> list[Row]:
    """Return the origins of subjects, including the one stored in each subject itself."""
    origins_by_key = {(row["subject_id"], row["change_id"]): row for row in origins}
    for row in subjects:
        own_origin = {"subject_id": row["id"], **{name: row[name] for name in ("change_id", "source_id", "created_at")}}
        origins_by_key.setdefault((row["id"], row["change_id"]), own_origin)
    return [origins_by_key[key] for key in sorted(origins_by_key)]


def check_rows(table: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Raise `BadInputError` unless the rows have exactly the table's columns, with valid content."""
    if table not in TABLES:
        raise BadInputError(f"The packet has rows of an unknown kind ({table}). Nothing was changed.")
    faults = {name: make_value_check(find_table(table).columns[name]) for name in exchanged_columns(table)}
    for row in rows:
        if row.keys() != faults.keys():
            raise BadInputError(f"A row of {table} has missing or unknown fields. Nothing was changed.")
        for name, describe in faults.items():
            value = row[name]
            fault = describe(value) or ("is not a text" if isinstance(value, str) and not _is_text(value) else "")
            if fault:
                row_name = f"{table} {row.get('id', '')}".strip()
                raise BadInputError(f"The row {row_name} is invalid: its {name} {fault}. Nothing was changed.")
        if not matches_hash(table, row):
            raise BadInputError(f"The content of a row of {table} does not match its hash. Nothing was changed.")


def _is_text(value: str) -> bool:
    """Return whether both databases can store a text: it has no null characters and lone surrogates."""
    try:
        return b"\0" not in value.encode()
    except UnicodeEncodeError:
        return False


def merge_rows(
    db: Session,
    tables: Mapping[str, Sequence[Mapping[str, Any]]],
    *,
    older: bool = False,
    check: Callable[[Mapping[str, Sequence[Row]]], None] | None = None,
) -> MergeOutcome:
    """Add every missing row, then update all derived state, in one transaction.

    With ``older`` the rows come from an older schema: columns added since then get their defaults, and are ignored
    when existing rows are compared. ``check`` may refuse the rows before any is added. Raises `BadInputError` for
    rows that do not fit the tables or have a missing parent.
    """
    added_columns: dict[str, frozenset[str]] = {}
    if older:
        tables, added_columns = fill_later_columns(tables, {name: exchanged_columns(name) for name in TABLES})
    for name, rows in tables.items():
        check_rows(name, rows)
    connection = db.connection()
    merged = MergeOutcome()
    incoming = {name: [dict(row) for row in tables.get(name, ())] for name in TABLES}
    incoming["origin"] = add_origins(incoming["origin"], incoming["subject"])
    if check is not None:
        check(incoming)
    merged_state.keep_origins(connection, [row["id"] for row in incoming["subject"]])
    ids_to_use = merged_state.unite_models(connection, incoming["model_under_test"])
    new_ids: dict[str, frozenset[str]] = {}
    try:
        merged_state.defer_foreign_keys(connection)
        for name in TABLES:
            incoming[name] = _with_own_ids(name, incoming[name], ids_to_use, connection)
            if name == "testcase":
                # A subject's identifier is derived from its content, so an existing subject already has the same tests.
                incoming[name] = [row for row in incoming[name] if row["subject_id"] in new_ids["subject"]]
            new_rows = _merge_table(connection, name, incoming[name], merged, added_columns.get(name))
            new_ids[name] = frozenset(str(row["id"]) for row in new_rows if "id" in row)
        missing = merged_state.find_missing_parent(connection)
    except IntegrityError as error:
        raise BadInputError(f"The rows do not fit together ({error.orig}). Nothing was changed.") from error
    if missing is not None:
        raise BadInputError(
            f"A row of {missing.table} refers to a {missing.parent} that does not exist. Nothing was changed."
        )
    found_contradictions = contradictions.find_contradictions(Files(connection, incoming, new_ids, exchanged_columns))
    merged.conflicts += sum(_store_contradiction(connection, contradiction) for contradiction in found_contradictions)
    affected_changes = {
        row["change_id"] for name in undo_log.UNDOABLE for row in incoming.get(name, ()) if name != "subject"
    }
    affected_changes |= {row["change_id"] for row in incoming["origin"]} | {row["id"] for row in incoming["change"]}
    merged.subjects = merged_state.update_derived_state(
        connection, affected_changes, {row["id"] for row in incoming["subject"]}
    )
    return merged


def _with_own_ids(table: str, rows: list[Row], ids_to_use: dict[str, str], connection: Connection) -> list[Row]:
    """Return the rows to merge, with references changed to the identifiers used here."""
    if table == "model_under_test":
        return [row for row in rows if ids_to_use.get(row["id"], row["id"]) == row["id"]]
    for row in rows:
        for name in ("model_id", "response_id"):
            if name in row:
                row[name] = ids_to_use.get(row[name], row[name])
    if table == "response":
        return merged_state.unite_responses(connection, rows, ids_to_use)
    return rows


def _merge_table(
    connection: Connection,
    table: str,
    rows: Sequence[Row],
    merged: MergeOutcome,
    added_columns: frozenset[str] | None = None,
) -> list[Row]:
    """Add the missing rows of a table and return them."""
    if not rows:
        return []
    names, key = exchanged_columns(table), identifying_columns(table)
    compared = [name for name in names if name not in DERIVED.get(table, ()) and name not in (added_columns or ())]
    existing = _existing_rows(connection, table, names, key, rows)
    new_rows = []
    for row in sorted(rows, key=_time_key):
        identifier = tuple(row[name] for name in key)
        ours = existing.get(identifier)
        if ours is None:
            existing[identifier] = row
            new_rows.append(row)
            continue
        merged.already_present += 1
        # `active` is derived from the undo log after the merge.
        if any(ours[name] != row[name] for name in compared if name != "active"):
            merged.conflicts += _store_conflict(connection, table, "/".join(map(str, identifier)), ours, row)
        merged_state.join_row_copies(connection, table, ours, row)
    if table in merged_state.UNIQUE_NAMES:
        merged_state.insert_named(connection, table, new_rows)
    elif new_rows:
        insert_rows(connection, raw_table(table), [{name: row[name] for name in names} for row in new_rows])
    if new_rows:
        merged.added[table] = len(new_rows)
    return new_rows


def _time_key(row: Row) -> tuple[str, str]:
    return str(row.get("created_at", "")), str(row.get("id", ""))


def _existing_rows(
    connection: Connection, table: str, names: Sequence[str], key: Sequence[str], rows: Sequence[Row]
) -> dict[tuple[Any, ...], Row]:
    rows_by_key: dict[tuple[Any, ...], Row] = {}
    source = find_table(table)
    first_column = key[0]
    query = select(*(as_stored(source.c[name]) for name in names))
    for part in chunks(sorted({row[first_column] for row in rows})):
        records = connection.execute(query.where(source.c[first_column].in_(part)))
        for record in records:
            row = dict(zip(names, record, strict=True))
            rows_by_key[tuple(row[name] for name in key)] = row
    return rows_by_key


def _store_conflict(connection: Connection, table: str, row_id: str, ours: Row, theirs: Row) -> int:
    """Store two contents of one row as a conflict; repeated merges store it once."""
    contents = [_as_json(row) for row in (ours, theirs)]
    identifier = stable_id("conflict", table, row_id, *contents)
    return _insert_conflict(connection, identifier, now_text(), table, row_id, contents)


def _store_contradiction(connection: Connection, contradiction: Contradiction) -> int:
    """Store two statements about one topic as a conflict, the older as ours; the row is the same in every copy."""
    contents = [_as_json(row) for row in (contradiction.older, contradiction.newer)]
    moment = str(contradiction.newer["created_at"])
    return _insert_conflict(connection, contradiction.id, moment, contradiction.table, contradiction.row_id, contents)


def _as_json(row: Row) -> str:
    return json.dumps(row, sort_keys=True, ensure_ascii=False)


def _insert_conflict(
    connection: Connection, identifier: str, moment: str, table: str, row_id: str, contents: Sequence[str]
) -> int:
    insertion = upsert(connection, raw_table("conflict")).values(
        id=identifier, created_at=moment, table_name=table, row_id=row_id, ours=contents[0], theirs=contents[1]
    )
    return connection.execute(insertion.on_conflict_do_nothing()).rowcount


def fill_later_columns(
    tables: Mapping[str, Sequence[Mapping[str, Any]]], exchanged: Mapping[str, Iterable[str]]
) -> tuple[dict[str, list[Row]], dict[str, frozenset[str]]]:
    """Return rows with their missing columns added, and the added columns by table.

    ``exchanged`` has the exchanged columns of every known table. Columns without a default in the database are not
    added, and unknown tables are left unchanged: a later check refuses both.
    """
    filled_rows: dict[str, list[Row]] = {}
    added: dict[str, frozenset[str]] = {}
    for table, rows in tables.items():
        defaults = _optional_values(table) if table in exchanged else {}
        missing = {
            name: defaults[name]
            for name in exchanged.get(table, ())
            if rows and name in defaults and name not in rows[0]
        }
        filled_rows[table] = [missing | dict(row) for row in rows]
        added[table] = frozenset(missing)
    return filled_rows, added


def _optional_values(table: str) -> Row:
    """Return the values of optional columns for rows that lack them: the database's default, or None."""
    values: Row = {}
    for column in find_table(table).columns:
        default = column.server_default
        if isinstance(default, DefaultClause):
            values[column.name] = default.arg if isinstance(default.arg, str) else json.loads(str(default.arg))
        elif column.nullable:
            values[column.name] = None
    return values


def new_rows(db: Session, tables: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, list[Mapping[str, Any]]]:
    """Return the incoming rows with an ``id`` that the project does not have yet, by table."""
    by_table: dict[str, list[Mapping[str, Any]]] = {}
    for table, rows in tables.items():
        if table not in TABLES or identifying_columns(table) != ("id",):
            continue
        source = find_table(table).c.id
        existing_ids = set[str]()
        for part in chunks(sorted({str(row["id"]) for row in rows if "id" in row})):
            existing_ids.update(db.connection().scalars(select(source).where(source.in_(part))))
        by_table[table] = [row for row in rows if row.get("id") not in existing_ids]
    return by_table


def fetch_change_authors(db: Session, change_ids: Iterable[str]) -> dict[str, str]:
    """Return change -> annotator for the changes that exist here."""
    query = select(CHANGE.c.id, CHANGE.c.annotator_id)
    parts = chunks(sorted(change_ids))
    return {row[0]: row[1] for part in parts for row in db.connection().execute(query.where(CHANGE.c.id.in_(part)))}


def fetch_served_orders(db: Session, pair_ids: Iterable[str]) -> dict[tuple[Any, ...], str]:
    """Return (pair, rater, serving) -> order of sides, for the assignments that exist here."""
    names = ("pair_id", "annotator_id", "serving", "order")
    query = select(*(ASSIGNMENT.c[name] for name in names))
    orders = {}
    for part in chunks(sorted(pair_ids)):
        for pair, rater, serving, order in db.connection().execute(query.where(ASSIGNMENT.c.pair_id.in_(part))):
            orders[pair, rater, serving] = order
    return orders
