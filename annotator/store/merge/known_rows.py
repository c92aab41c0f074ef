"""Compare incoming rows with those in the project, for checks before a merge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import select
from sqlmodel import Session

from annotator.store.core_tables import ANNOTATOR, ASSIGNMENT, CHANGE, chunks, find_table
from annotator.store.merge import row_union

Row = Mapping[str, Any]


def new_rows(db: Session, tables: Mapping[str, Sequence[Row]]) -> dict[str, list[Row]]:
    """Return the incoming rows with an ``id`` that the project does not have yet, by table."""
    by_table: dict[str, list[Row]] = {}
    for table, rows in tables.items():
        if table not in row_union.TABLES or row_union.identifying_columns(table) != ("id",):
            continue
        source = find_table(table).c.id
        existing_ids = set[str]()
        for part in chunks(sorted({str(row["id"]) for row in rows if "id" in row})):
            existing_ids.update(db.connection().scalars(select(source).where(source.in_(part))))
        by_table[table] = [row for row in rows if row.get("id") not in existing_ids]
    return by_table


def people_of_changes(db: Session, change_ids: Iterable[str]) -> dict[str, str]:
    """Return change -> annotator for the changes that exist here."""
    query = select(CHANGE.c.id, CHANGE.c.annotator_id)
    parts = chunks(sorted(change_ids))
    return {row[0]: row[1] for part in parts for row in db.connection().execute(query.where(CHANGE.c.id.in_(part)))}


def served_orders(db: Session, pair_ids: Iterable[str]) -> dict[tuple[Any, ...], str]:
    """Return (pair, rater, serving) -> order of sides, for the assignments that exist here."""
    names = ("pair_id", "annotator_id", "serving", "order")
    query = select(*(ASSIGNMENT.c[name] for name in names))
    orders = {}
    for part in chunks(sorted(pair_ids)):
        for pair, rater, serving, order in db.connection().execute(query.where(ASSIGNMENT.c.pair_id.in_(part))):
            orders[pair, rater, serving] = order
    return orders


def names_of_people(db: Session) -> dict[str, str]:
    """Return the people's names by id."""
    return {row[0]: row[1] for row in db.connection().execute(select(ANNOTATOR.c.id, ANNOTATOR.c.name))}
