"""What is wrong with a project's content, by rules that hold for a file and on a server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from annotator.jobs.progress import Progress
from annotator.store.soundness import caches, hashes, history, values

Rule: TypeAlias = Callable[[Connection, Callable[[str], object]], Iterator[str]]
_FURTHER: tuple[tuple[str, Rule], ...] = (
    ("hashes", hashes.problems), ("history", history.problems), ("caches", caches.problems)
)  # fmt: skip
_UNREADABLE = (DBAPIError, ValueError, TypeError, AttributeError, LookupError, ArithmeticError)


def problems(connection: Connection, progress: Progress | None = None) -> tuple[str, ...]:
    """Return what is wrong with the content of a project whose tables are all there; empty means sound.

    If a value is none that its column can hold, the rules that compute with values are not tried. Raises `Cancelled`.
    """
    work = progress or Progress()

    def report(what: str) -> None:
        work.report(work.done + 1, text=what)

    found = values.few(values.problems(connection, report))
    if found:
        return (*found, "What follows from these values was not checked.")
    return tuple(sentence for name, rule in _FURTHER for sentence in values.few(_tried(name, rule(connection, report))))


def _tried(name: str, found: Iterator[str]) -> Iterator[str]:
    """Yield what a rule finds; where it cannot go on because of what it reads, that is a fault as well."""
    try:
        yield from found
    except _UNREADABLE as error:
        reason = error.orig if isinstance(error, DBAPIError) else error
        if getattr(reason, "sqlite_errorname", "") == "SQLITE_INTERRUPT":
            raise
        yield f"the {name} cannot be computed ({type(reason).__name__}: {reason})"
