"""Check a project's content by rules that hold for files and servers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from annotator.jobs.progress import Progress
from annotator.store.soundness import caches, hashes, history, values

Rule: TypeAlias = Callable[[Connection, Callable[[str], object]], Iterator[str]]
_CONTENT_RULES: tuple[tuple[str, Rule], ...] = (
    ("hashes", hashes.problems), ("history", history.problems), ("caches", caches.problems)
)  # fmt: skip
_UNREADABLE = (DBAPIError, ValueError, TypeError, AttributeError, LookupError, ArithmeticError)


def problems(connection: Connection, progress: Progress | None = None) -> tuple[str, ...]:
    """Return the problems of a project's content; empty means sound. All tables must exist.

    If a column holds an invalid value, the rules that compute with values are skipped. Raises `Cancelled`.
    """
    work = progress or Progress()

    def report(what: str) -> None:
        work.report(work.done + 1, text=what)

    invalid = values.few(values.problems(connection, report))
    if invalid:
        return (*invalid, "What follows from these values was not checked.")
    return tuple(
        sentence
        for name, rule in _CONTENT_RULES
        for sentence in values.few(_catch_unreadable(name, rule(connection, report)))
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
