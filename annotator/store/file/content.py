"""Check the content of a project file through the caller's connection."""

from __future__ import annotations

import sqlite3

from sqlalchemy.exc import DBAPIError

from annotator.store.engines import make_engine
from annotator.store.file.writer import FILE_DIALECT
from annotator.store.soundness import project_checks


def content_problems(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return the problems of the content of a file that has the newest layout.

    Raises `sqlite3.Error` if reading is interrupted.
    """
    engine = make_engine(FILE_DIALECT, lambda: connection)
    try:
        with engine.connect() as lent_connection:
            return project_checks.find_content_problems(lent_connection)
    except DBAPIError as error:
        raise (error.orig or error) from error
