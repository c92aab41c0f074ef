"""Distinguish this client's acts from those of others, and the acts of its jobs from those of people.

A job begins before the acts that people perform while it runs, so undo reverts those acts first.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy import Connection


OWN_ACTS = "own_acts"
"""The key of a writing session's ``info`` under which it lists the acts that it recorded."""


class ActsOfOthers:
    """Reads each entry of the undo log once and remembers it. Used within writing transactions, one at a time."""

    def __init__(self) -> None:
        self._own: set[str] = set()
        self._others: dict[int, str] = {}
        self._first = self._last = -1

    def record_own(self, change_ids: Iterable[str]) -> None:
        """Record acts of this client. One that was rolled back does no harm: it is not in the log."""
        self._own.update(change_ids)

    def list_since(self, connection: Connection, number: int) -> tuple[str, ...]:
        """Return the ids of the acts after a number of the undo log that others wrote."""
        if self._first < 0 or number < self._first:
            self._others, self._first, self._last = {}, number, number
        # Only committed acts are visible: that of this transaction is not recorded yet.
        rows = connection.exec_driver_sql(f"SELECT seq, id FROM change WHERE seq > {int(self._last)} ORDER BY seq")
        for seq, change_id in rows:
            self._last = int(seq)
            if change_id not in self._own:
                self._others[int(seq)] = str(change_id)
        return tuple(change_id for seq, change_id in self._others.items() if seq > number)


BEGAN = "began"
"""The key of a writing session's ``info`` for the position of the undo log at which its job began."""


class JobActs:
    """The acts that jobs of this client recorded. A job works in one thread."""

    def __init__(self) -> None:
        self._thread = threading.local()
        self._positions: dict[str, int] = {}

    @property
    def positions(self) -> Mapping[str, int]:
        """The log position at which the job began, by the id of the job's act."""
        return self._positions

    @property
    def began(self) -> int | None:
        """The position at which the job of this thread began, None outside jobs."""
        return getattr(self._thread, "position", None)

    @contextmanager
    def job(self, position: int) -> Iterator[None]:
        """Attribute this thread's writes in the block to a job that begins at a position of the undo log."""
        self._thread.position = position
        try:
            yield
        finally:
            self._thread.position = None

    def record(self, change_ids: Iterable[str], position: int) -> None:
        """Record a job's acts. One that was rolled back does no harm: it is not in the log."""
        self._positions.update(dict.fromkeys(change_ids, position))
