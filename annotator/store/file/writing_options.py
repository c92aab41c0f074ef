"""Options of a file's writing connection that hold while at least one long write goes on."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy import Connection

_CACHE_KILOBYTES = 32 * 1024
_OPTIONS = {"cache_size": -_CACHE_KILOBYTES, "wal_autocheckpoint": 0}


class WritingOptions:
    """Counts the long writes to a project: the first one's previous options come back after the last one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._before: dict[str, int] = {}

    def begin(self, connection: Connection) -> None:
        """Set the options for one more long write."""
        with self._lock:
            before = _set_options(connection, _OPTIONS)
            self._before = self._before or before
            self._users += 1

    def end(self) -> None:
        """Count one long write less."""
        with self._lock:
            self._users -= 1

    def restore(self, connection: Connection) -> None:
        """Set the previous options unless a long write still goes on."""
        with self._lock:
            if not self._users:
                _set_options(connection, self._before)
                self._before = {}


def _set_options(connection: Connection, options: Mapping[str, int]) -> dict[str, int]:
    """Set options of a file's connection and return their previous values."""
    before = {name: int(connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()) for name in options}
    for name, value in options.items():
        connection.exec_driver_sql(f"PRAGMA {name} = {value:d}")
    return before
