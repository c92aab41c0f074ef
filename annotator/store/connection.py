"""One connection to a project file, with the project's rules."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from annotator.jobs.progress import Cancelled, Progress

BUSY_MILLISECONDS = 5000
_LOOK_S = 0.1


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


@contextmanager
def interrupted(connection: sqlite3.Connection, progress: Progress | None) -> Iterator[None]:
    """Break off what a connection does in the block when ``progress`` is cancelled; then raises `Cancelled`.

    A single statement may take minutes and asks nobody meanwhile, so another thread looks.
    """
    if progress is None:
        yield
        return
    over = threading.Event()
    looking = threading.Thread(target=_look, args=(connection, progress, over), name="interrupt", daemon=True)
    looking.start()
    try:
        yield
    except sqlite3.OperationalError as error:
        if error.sqlite_errorname != "SQLITE_INTERRUPT":
            raise
        raise Cancelled from None
    finally:
        over.set()
        # Before the connection is anybody else's.
        looking.join()


def _look(connection: sqlite3.Connection, progress: Progress, over: threading.Event) -> None:
    while not over.wait(_LOOK_S):
        if progress.cancelled:
            connection.interrupt()
