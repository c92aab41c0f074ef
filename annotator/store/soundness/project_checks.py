"""Check a project's content by rules that hold for files and servers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from annotator.jobs.progress import Progress
from annotator.store.soundness import caches, hashes, history_checks, value_checks

Rule: TypeAlias = Callable[[Connection, Callable[[str], object]], Iterator[str]]
_CONTENT_RULES: tuple[tuple[str, Rule], ...] = (
    ("hashes", hashes.find_hash_problems),
    ("history", history_checks.find_history_problems),
    ("caches", caches.find_cache_problems),
)
_UNREADABLE = (DBAPIError, ValueError, TypeError, AttributeError, LookupError, ArithmeticError)


def find_content_problems(connection: Connection, progress: Progress | None = None) -> tuple[str, ...]:
    """Return the problems of a project's content; empty means sound. All tables must exist.

    If a column holds an invalid value, the rules that compute with values are skipped. Raises `Cancelled`.
    """
    work = progress or Progress()

    def report(what: str) -> None:
        work.report(work.done + 1, text=what)

    invalid = value_checks.first_few(value_checks.find_value_problems(connection, report))
    if invalid:
        return (*invalid, "What follows from these values was not checked.")
    return tuple(
        sentence
        for name, rule in _CONTENT_RULES
        for sentence in value_checks.first_few(_catch_unreadable(name, rule(connection, report)))
    )


def _catch_unreadable(name: str, sentences: Iterator[str]) -> Iterator[str]:
    """Yield a rule's problems; if the data stops the rule with an error, that is a problem too."""
    try:
        yield from sentences
    except _UNREADABLE as error:
        reason = error.orig if isinstance(error, DBAPIError) else error
        if getattr(reason, "sqlite_errorname", "") == "SQLITE_INTERRUPT":
            raise
        yield f"the {name} cannot be computed ({type(reason).__name__}: {reason})"
