"""What is here already of the rows that a file brings, for whoever checks them before they are merged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import select
from sqlmodel import Session

from annotator.store.merge import row_union
from annotator.store.tables import ANNOTATOR, ASSIGNMENT, CHANGE, chunks, named

Row = Mapping[str, Any]


def new_rows(db: Session, tables: Mapping[str, Sequence[Row]]) -> dict[str, list[Row]]:
    """Return the rows with an identifier of their own that are not here yet, by table."""
    found: dict[str, list[Row]] = {}
    for table, rows in tables.items():
        if table not in row_union.TABLES or row_union.primary(table) != ("id",):
            continue
        source = named(table).c.id
        known = set[str]()
        for part in chunks(sorted({str(row["id"]) for row in rows if "id" in row})):
            known.update(db.connection().scalars(select(source).where(source.in_(part))))
        found[table] = [row for row in rows if row.get("id") not in known]
    return found


def people_of_changes(db: Session, change_ids: Iterable[str]) -> dict[str, str]:
    """Return change -> whose it is, for those that are here."""
    query = select(CHANGE.c.id, CHANGE.c.annotator_id)
    parts = chunks(sorted(change_ids))
    return {row[0]: row[1] for part in parts for row in db.connection().execute(query.where(CHANGE.c.id.in_(part)))}


def served_orders(db: Session, pair_ids: Iterable[str]) -> dict[tuple[Any, ...], str]:
    """Return (pair, rater, serving) -> the order of its sides, for what was served here."""
    names = ("pair_id", "annotator_id", "serving", "order")
    query = select(*(ASSIGNMENT.c[name] for name in names))
    found = {}
    for part in chunks(sorted(pair_ids)):
        for pair, rater, serving, order in db.connection().execute(query.where(ASSIGNMENT.c.pair_id.in_(part))):
            found[pair, rater, serving] = order
    return found


def names_of_people(db: Session) -> dict[str, str]:
    """Return the people's names by id."""
    return {row[0]: row[1] for row in db.connection().execute(select(ANNOTATOR.c.id, ANNOTATOR.c.name))}
