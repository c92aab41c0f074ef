"""SQLAlchemy's engines. A statement is compiled once in a process, and not again for each engine of each project."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from sqlalchemy import Engine, create_engine
from sqlalchemy.pool import QueuePool

_MOST = 2_000
"""How many compiled statements are kept; the program has some hundred, in several sizes."""


class _CompiledStatements(dict[Any, Any]):
    """Begins anew when it is full, for some statements have as many forms as there are searches."""

    def __setitem__(self, key: Any, value: Any) -> None:
        if len(self) >= _MOST:
            self.clear()
        super().__setitem__(key, value)


class SharedStatements:
    """Makes a dialect equal to others of its class, so that SQLAlchemy takes a statement that one of them compiled."""

    server_version_info: tuple[Any, ...] | None

    def __eq__(self, other: object) -> bool:
        """Return whether the other dialect compiles statements to the same text, which a server's version decides."""
        return type(self) is type(other) and self.server_version_info == getattr(other, "server_version_info", None)

    def __hash__(self) -> int:
        """Return the hash that fits equality."""
        return hash(type(self))


@cache
def compiled_statements() -> dict[Any, Any]:
    """Return where all engines keep the statements that SQLAlchemy compiled."""
    return _CompiledStatements()


def make_engine(url: str, creator: Callable[[], Any]) -> Engine:
    """Return an engine for the dialect of a URL, with connections from ``creator``."""
    return create_engine(
        url,
        creator=creator,
        poolclass=QueuePool,
        pool_size=4,
        max_overflow=4,
        # An error's traceback goes to the log, which holds no text of a subject.
        hide_parameters=True,
        execution_options={"compiled_cache": compiled_statements()},
    )
