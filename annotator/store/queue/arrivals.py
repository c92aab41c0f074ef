"""The last phase of a long import: its subjects become visible in chunks, with pauses for other writers.

When all of an import is written, one short transaction makes it part of the project and records its arrival; from then
on it can be undone, and a kill does not lose it. Its subjects follow in chunks. After a kill, the next opening
continues (`complete_arrivals`); several programs may do so at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy import Connection, and_, delete, func, insert, select, update

from annotator.store.file.long_writes import CHUNK, LongWrite
from annotator.store.file.project_file import ProjectFile
from annotator.store.history import undo_log
from annotator.store.queue import bulk_acts, first_page
from annotator.store.tables import ARRIVAL, SUBJECT, find_table

WORK = ("criterion", "prompt")
"""The tables of expert work that imported candidates may include."""
EVERY_ROW = (-1, (1 << 62))


def begin_arrival(connection: Connection, change_id: str) -> None:
    """Record that an import's subjects are about to become visible."""
    connection.execute(insert(ARRIVAL).values(change_id=change_id))


def cancel_arrival(connection: Connection, change_id: str) -> None:
    """Stop making an import's subjects visible."""
    connection.execute(delete(ARRIVAL).where(ARRIVAL.c.change_id == change_id))


def tables_with_rows(connection: Connection, change_id: str) -> tuple[str, ...]:
    """Return the tables of expert work that an import has rows in."""
    works = {table: find_table(table) for table in WORK}
    queries = {name: select(work.c.id).where(work.c.change_id == change_id) for name, work in works.items()}
    return tuple(name for name, query in queries.items() if connection.execute(query.limit(1)).first())


def show_arrived(
    connection: Connection, change_id: str, tables: Sequence[str], rows: tuple[int, int] = EVERY_ROW
) -> None:
    """Make an import's subjects in a range of rows (first excluded, last included) visible, with their work."""
    is_mine = and_(SUBJECT.c.change_id == change_id, SUBJECT.c.row > rows[0], SUBJECT.c.row <= rows[1])
    subject_ids = select(SUBJECT.c.id).where(is_mine)
    for table in tables:
        work = find_table(table)
        invisible = update(work).where(
            work.c.change_id == change_id, ~work.c.active, work.c.subject_id.in_(subject_ids)
        )
        connection.execute(bulk_acts.or_fail(invisible).values(active=True))
    hidden = bulk_acts.or_fail(update(SUBJECT).where(is_mine, ~SUBJECT.c.active))
    cached = {**undo_log.assign_current_work(tables), **undo_log.assign_proven()} if tables else {}
    connection.execute(hidden.values(active=True, **cached))


def complete_arrivals(store: ProjectFile, report: Callable[[int], object] | None = None) -> None:
    """Make all arrived imports visible; ``report`` is called with the number of subjects after each chunk.

    After a kill, the next call does the rest. The last transaction syncs everything before it to the disk.
    """
    with store.reader() as connection:
        pending = first_page.arriving_changes(connection)
    if not pending:
        return
    with LongWrite(store) as long:
        for change_id in pending:
            last, visible_count, more = EVERY_ROW[0], 0, True
            while more:
                with long.transaction() as db:
                    last, count = _show_chunk(db.connection(), change_id, last)
                visible_count, more = visible_count + count, count > 0
                if report is not None:
                    report(visible_count)
            with store.write() as db:
                cancel_arrival(db.connection(), change_id)


def _show_chunk(connection: Connection, change_id: str, after: int) -> tuple[int, int]:
    """Make an import's next subjects after a row visible; returns the last row and the number of subjects."""
    if connection.execute(select(ARRIVAL).where(ARRIVAL.c.change_id == change_id)).first() is None:
        # It was undone meanwhile, or somebody else has completed it.
        return after, 0
    hidden = select(SUBJECT.c.row).where(SUBJECT.c.change_id == change_id, SUBJECT.c.row > after, ~SUBJECT.c.active)
    row = hidden.order_by(SUBJECT.c.row).limit(CHUNK).subquery().c.row
    last, count = connection.execute(select(func.max(row), func.count(row))).one()
    if not count:
        return after, 0
    show_arrived(connection, change_id, tables_with_rows(connection, change_id), (after, last))
    return last, count
