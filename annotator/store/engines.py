"""SQLAlchemy engines that share compiled statements, so that each statement is compiled once in a process."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from sqlalchemy import Engine, create_engine
from sqlalchemy.pool import QueuePool

_MAX_STATEMENTS = 2_000
"""Maximum number of cached statements; the program has some hundred, in several sizes."""


class _CompiledStatements(dict[Any, Any]):
    """A cache that is emptied when full, because each search may create a new form of a statement."""

    def __setitem__(self, key: Any, value: Any) -> None:
        if len(self) >= _MAX_STATEMENTS:
            self.clear()
        super().__setitem__(key, value)


class SharedStatements:
    """Mixin that makes dialects of one class and server version equal, so engines share compiled statements."""

    server_version_info: tuple[Any, ...] | None

    def __eq__(self, other: object) -> bool:
        """Return whether the other dialect compiles to the same text; that depends on the server's version."""
        return type(self) is type(other) and self.server_version_info == getattr(other, "server_version_info", None)

    def __hash__(self) -> int:
        """Return a hash consistent with `__eq__`."""
        return hash(type(self))


@cache
def compiled_statements() -> dict[Any, Any]:
    """Return the process-wide cache of statements compiled by SQLAlchemy."""
    return _CompiledStatements()


def make_engine(url: str, creator: Callable[[], Any]) -> Engine:
    """Return an engine for the dialect of a URL, with connections from ``creator``."""
    return create_engine(
        url,
        creator=creator,
        poolclass=QueuePool,
        pool_size=4,
        max_overflow=4,
        # Tracebacks are logged, and the log must not contain a subject's texts.
        hide_parameters=True,
        execution_options={"compiled_cache": compiled_statements()},
    )
