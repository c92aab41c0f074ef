"""The history as lists show it, read with the standard library: acts with how many items they concerned."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from annotator.model.history_rows import ActRow
from annotator.store import changes

_ITEMS = tuple(name for name in changes.UNDOABLE if name not in ("source", "subject"))


def listing(
    connection: sqlite3.Connection, annotator_id: str, text: str, limit: int, before: int | None = None
) -> tuple[list[ActRow], int]:
    """Return up to ``limit`` entries older than the log's place ``before``, newest first, and how many fit in all.

    Every word of ``text`` must be in the label, the person's name or the date.
    """
    words = text.casefold().split()
    # Undo and redo are seen in the state of what they are about; as lines of their own they would hide the acts.
    where = ["c.kind = 'do'", *("instr(lower(c.label || ' ' || a.name || ' ' || c.created_at), ?) > 0" for _ in words)]
    clause = " AND ".join(where)
    total = connection.execute(
        f"SELECT count(*) FROM change c JOIN annotator a ON a.id = c.annotator_id WHERE {clause}", words
    ).fetchone()[0]
    found = connection.execute(
        "SELECT c.seq, c.id, c.label, c.kind, c.state, a.name, c.created_at, c.annotator_id FROM change c "
        f"JOIN annotator a ON a.id = c.annotator_id WHERE {clause} AND c.seq < ? ORDER BY c.seq DESC LIMIT ?",
        [*words, (1 << 62) if before is None else before, limit],
    ).fetchall()
    counts = items(connection, [record[1] for record in found])
    values = ((*record[:7], counts.get(record[1], 0), record[7] == annotator_id) for record in found)
    return [ActRow(*entry) for entry in values], int(total)


def items(connection: sqlite3.Connection, change_ids: Sequence[str]) -> dict[str, int]:
    """Return how many rows of work each act wrote; for an import the number of its subjects."""
    counts: dict[str, int] = {}
    imported: dict[str, int] = {}
    for start in range(0, len(change_ids), 500):
        part = list(change_ids[start : start + 500])
        marks = ", ".join("?" * len(part))
        for table in _ITEMS:
            query = f"SELECT change_id, count(*) FROM {table} WHERE change_id IN ({marks}) GROUP BY change_id"
            for change_id, count in connection.execute(query, part):
                counts[change_id] = counts.get(change_id, 0) + count
        query = f"SELECT change_id, count(*) FROM subject WHERE change_id IN ({marks}) GROUP BY change_id"
        imported.update(connection.execute(query, part))
    return {**counts, **imported}
