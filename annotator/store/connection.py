"""One connection to a project file, with the project's rules."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

BUSY_MILLISECONDS = 5000


def connect(path: Path, *, read_only: bool) -> sqlite3.Connection:
    """Open one connection with the project's rules; the caller sends BEGIN and COMMIT itself."""
    mode = "mode=ro" if read_only else "mode=rw"
    if read_only and not os.access(path.parent, os.W_OK) and not Path(f"{path}-wal").exists():
        # Without a place for the shared-memory file, SQLite reads a WAL database only as an immutable one.
        mode += "&immutable=1"
    connection = sqlite3.connect(
        f"{path.resolve().as_uri()}?{mode}", uri=True, isolation_level=None, check_same_thread=False
    )
    connection.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection
