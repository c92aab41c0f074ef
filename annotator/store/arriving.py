"""The end of a long import: its subjects become visible in parts, each as short as a decision may wait.

When all of an import is written, one short transaction makes it part of the project and notes its arrival; from then on
it can be undone, and it is nobody's to lose. Its subjects follow in parts. Where the program was killed meanwhile, the
next opening goes on (`complete`), which several may do at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy import Connection

from annotator.store import bulk, changes, queue
from annotator.store.long_writes import LongWrite
from annotator.store.project_file import ProjectFile

WORK = ("criterion", "prompt")
"""The expert work that a candidate may bring with it."""
EVERY_ROW = (-1, (1 << 62))
# Nothing is made ready for these parts, so many may share what they have in common: pages of indexes.
_SHARED = 32
_MINE = "change_id = ? AND row > ? AND row <= ?"


def begin(connection: Connection, change_id: str) -> None:
    """Note that an import's subjects are about to become visible."""
    connection.exec_driver_sql("INSERT INTO arrival (change_id) VALUES (?)", (change_id,))


def cancel(connection: Connection, change_id: str) -> None:
    """Let no more of an import's subjects become visible, because all of them are taken back."""
    connection.exec_driver_sql("DELETE FROM arrival WHERE change_id = ?", (change_id,))


def brought(connection: Connection, change_id: str) -> tuple[str, ...]:
    """Return the tables of expert work that an import has rows in."""
    return tuple(
        table
        for table in WORK
        if connection.exec_driver_sql(f"SELECT 1 FROM {table} WHERE change_id = ? LIMIT 1", (change_id,)).first()
    )


def show(connection: Connection, change_id: str, tables: Sequence[str], rows: tuple[int, int] = EVERY_ROW) -> int:
    """Make an import's subjects after one row and up to another visible, with their work; returns how many."""
    values = (change_id, *rows)
    for table in tables:
        connection.exec_driver_sql(
            f"{bulk.UPDATE} {table} SET active = 1 WHERE change_id = ? AND active = 0 "
            f"AND subject_id IN (SELECT id FROM subject WHERE {_MINE})",
            (change_id, *values),
        )
    columns = "".join(f", {part}" for part in (changes.current(tables), changes.PROVEN) if tables)
    done = connection.exec_driver_sql(
        f"{bulk.UPDATE} subject SET active = 1{columns} WHERE {_MINE} AND active = 0", values
    )
    return int(done.rowcount)


def complete(store: ProjectFile, told: Callable[[int], object] | None = None) -> None:
    """Make everything visible that has arrived; ``told`` is called with the number of subjects after each part.

    A kill leaves the rest to the next call. The last part waits for the disk with all that came before it.
    """
    with store.reader() as connection:
        pending = queue.arriving(connection)
    if not pending:
        return
    with LongWrite(store, bulk.SOME, shared=_SHARED) as long:
        for change_id in pending:
            _Arrival(store, change_id).complete(long, told)


class _Arrival:
    """One import whose subjects become visible in the order of their rows."""

    def __init__(self, store: ProjectFile, change_id: str) -> None:
        self._store = store
        self._change_id = change_id
        self._tables: tuple[str, ...] | None = None
        self._row = EVERY_ROW[0]
        self._shown = 0

    def complete(self, long: LongWrite, told: Callable[[int], object] | None) -> None:
        more = True
        while more:
            with self._store.write(durable=False) as db:
                more = self._go_on(db.connection(), long)
            long.pause()
            if told is not None:
                told(self._shown)
        with self._store.write() as db:
            cancel(db.connection(), self._change_id)

    def _go_on(self, connection: Connection, long: LongWrite) -> bool:
        """Make subjects visible as long as nobody waits; returns whether there may be more."""
        there = connection.exec_driver_sql("SELECT 1 FROM arrival WHERE change_id = ?", (self._change_id,)).first()
        if there is None:
            # It was undone meanwhile, or somebody else has brought it to its end.
            return False
        if self._tables is None:
            self._tables = brought(connection, self._change_id)
        # Where nobody else writes, many come in one transaction, which are better counted together at its end.
        most = long.ahead if long.may_go_on() else long.size
        many = bulk.choose_arriving(connection, self._change_id, self._row, most)
        left = many
        with bulk.counted(connection, many, unseen=True):
            while left > 0:
                with long.part():
                    left -= self._show(connection, min(long.size, left))
                if not long.may_go_on():
                    break
        return many > 0

    def _show(self, connection: Connection, most: int) -> int:
        """Make the next of the chosen visible; returns how many they were."""
        next_ones = "SELECT row FROM chosen WHERE row > ? ORDER BY row LIMIT ?"
        last, many = connection.exec_driver_sql(
            f"SELECT max(row), count(*) FROM ({next_ones}) AS next_ones", (self._row, most)
        ).one()
        show(connection, self._change_id, self._tables or (), (self._row, int(last)))
        self._row = int(last)
        self._shown += int(many)
        return int(many)
