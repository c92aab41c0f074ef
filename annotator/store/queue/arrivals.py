"""The last phase of a long import: its subjects become visible in a long write, which lets other writers through.

When all rows of an import are written, one short transaction makes it part of the project and records its arrival; from
then on it can be undone, and a kill does not lose it. Its subjects then become visible in parts. After a kill, the next
opening continues (`complete_arrivals`); several programs may do so at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext

from sqlalchemy import ColumnElement, Connection, and_, delete, func, insert, select, update
from sqlmodel import Session

from annotator.store.core_tables import ARRIVAL, SUBJECT, find_table, is_file
from annotator.store.file.long_writes import LongWrite
from annotator.store.file.project_file import ProjectFile
from annotator.store.history import undo_log
from annotator.store.queue import bulk_acts, first_page

WORK = ("criterion", "prompt")
"""The tables of expert work that imported candidates may include."""


def begin_arrival(connection: Connection, change_id: str) -> None:
    """Record that an import's subjects are about to become visible."""
    connection.execute(insert(ARRIVAL).values(change_id=change_id))


def cancel_arrival(connection: Connection, change_id: str) -> None:
    """Stop making an import's subjects visible."""
    connection.execute(delete(ARRIVAL).where(ARRIVAL.c.change_id == change_id))


def tables_with_rows(connection: Connection, change_id: str) -> tuple[str, ...]:
    """Return the tables of expert work in which an import has rows."""
    works = {table: find_table(table) for table in WORK}
    queries = {name: select(work.c.id).where(work.c.change_id == change_id) for name, work in works.items()}
    return tuple(name for name, query in queries.items() if connection.execute(query.limit(1)).first())


def show_arrived(connection: Connection, change_id: str, subjects: ColumnElement[bool], tables: Sequence[str]) -> None:
    """Make the subjects of an import under the condition ``subjects`` visible, with their work in some tables."""
    subject_ids = select(SUBJECT.c.id).where(subjects)
    for table in tables:
        work = find_table(table)
        make_visible = update(work).where(
            work.c.change_id == change_id, ~work.c.active, work.c.subject_id.in_(subject_ids)
        )
        connection.execute(bulk_acts.or_fail(make_visible).values(active=True))
    cached = {**undo_log.assign_current_work(tables), **undo_log.assign_proven()} if tables else {}
    connection.execute(bulk_acts.or_fail(update(SUBJECT).where(subjects)).values(active=True, **cached))


def complete_arrivals(store: ProjectFile, report: Callable[[int], object] | None = None) -> None:
    """Make all written imports visible; ``report`` is called with the number of subjects after each transaction.

    After a kill, the next call does the rest. The last transaction syncs everything before it to the disk.
    """
    with store.reader() as connection:
        pending = first_page.list_arriving_changes(connection)
    if not pending:
        return
    with LongWrite(store) as long_write:
        for change_id in pending:
            visible_count = 0
            for count in long_write.repeat(_ArrivingImport(change_id).show_some, around=bulk_acts.suspend_counting):
                visible_count += count
                if report is not None:
                    report(visible_count)
            with store.write() as db:
                cancel_arrival(db.connection(), change_id)


class _ArrivingImport:
    """An import whose subjects become visible one step after another."""

    def __init__(self, change_id: str) -> None:
        self._change_id = change_id
        self._last_row = -1
        self._tables: tuple[str, ...] | None = None

    def show_some(self, db: Session, max_rows: int) -> int:
        """Make at most ``max_rows`` further subjects visible; returns their number."""
        connection = db.connection()
        if connection.execute(select(ARRIVAL).where(ARRIVAL.c.change_id == self._change_id)).first() is None:
            # Meanwhile the import was undone, or another program has completed it.
            return 0
        is_of_import = SUBJECT.c.change_id == self._change_id
        hidden = select(SUBJECT.c.row).where(is_of_import, SUBJECT.c.row > self._last_row, ~SUBJECT.c.active)
        step = hidden.order_by(SUBJECT.c.row).limit(max_rows).subquery()
        first, last, count = connection.execute(select(func.min(step.c.row), func.max(step.c.row), func.count())).one()
        if count:
            if self._tables is None:
                self._tables = tables_with_rows(connection, self._change_id)
            subjects = and_(is_of_import, SUBJECT.c.row.between(first, last))
            with bulk_acts.recount(connection, subjects) if is_file(connection) else nullcontext():
                show_arrived(connection, self._change_id, subjects, self._tables)
            self._last_row = last
        return int(count)
