"""Check a project's content by rules that hold for files and servers."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from annotator.jobs.progress import Progress
from annotator.store.file.connection import error_name
from annotator.store.file.writer import FILE_DIALECT, make_engine
from annotator.store.soundness import block_digests, caches, hashes, history_checks, value_checks

_RULES = (*hashes.RULES, *history_checks.RULES, *caches.RULES)
_UNREADABLE = (DBAPIError, ValueError, TypeError, AttributeError, LookupError, ArithmeticError)


def find_problems_in_file(connection: sqlite3.Connection, progress: Progress | None = None) -> tuple[str, ...]:
    """Return the problems of the content of a file with the newest layout, read through the caller's connection.

    Raises `sqlite3.Error` if reading is interrupted, and `Cancelled`.
    """
    work = progress or Progress()
    try:
        with make_engine(FILE_DIALECT, lambda: connection).connect() as lent_connection:
            if not connection.in_transaction:
                # SQLAlchemy rolls back as it connects. All rules read one snapshot, whatever is written meanwhile.
                connection.execute("BEGIN")
            problems = find_content_problems(lent_connection, work)
            if problems:
                return problems
            work.report(work.done + 1, text="comparing blocks of rows with their digests")
            return tuple(value_checks.first_few(block_digests.find_changed_blocks(connection)))
    except DBAPIError as error:
        raise (error.orig or error) from error


def find_content_problems(connection: Connection, progress: Progress | None = None) -> tuple[str, ...]:
    """Return the problems of a project's content; empty means sound. All tables must exist.

    If a column holds an invalid value, the rules that compute with values are skipped. Raises `Cancelled`.
    """
    work = progress or Progress()

    def report(topic: str) -> None:
        work.report(work.done + 1, text=f"checking {topic}")

    invalid = value_checks.first_few(value_checks.find_value_problems(connection, report))
    if invalid:
        return (*invalid, "Other checks were skipped because of these values.")
    problems: list[str] = []
    for name, rule in _RULES:
        report(name)
        problems += value_checks.first_few(_catch_unreadable(name, rule(connection)))
    return tuple(problems)


def _catch_unreadable(name: str, sentences: Iterator[str]) -> Iterator[str]:
    """Yield a rule's problems, including an error with which invalid data stops the rule."""
    try:
        yield from sentences
    except _UNREADABLE as error:
        reason = error.orig if isinstance(error, DBAPIError) else error
        if error_name(reason) == "SQLITE_INTERRUPT":
            raise
        yield f"the {name} cannot be computed ({type(reason).__name__}: {reason})"
