"""The content of a project file, checked through a connection that somebody else has open."""

from __future__ import annotations

import sqlite3

from sqlalchemy import create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool

from annotator.store.soundness import project


def content_problems(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return what is wrong with the content of a file whose layout is that of the newest version.

    Raises `sqlite3.Error` where reading is interrupted.
    """
    engine = create_engine("sqlite://", creator=lambda: connection, poolclass=StaticPool, hide_parameters=True)
    try:
        with engine.connect() as lent:
            return project.problems(lent)
    except DBAPIError as error:
        raise (error.orig or error) from error
