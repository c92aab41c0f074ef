"""Statements are compiled once in a process, whatever projects it opens, and not again for each engine of each."""

from __future__ import annotations

from functools import cache
from typing import Any

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
def engine_options() -> dict[str, Any]:
    """Return the execution options of every engine: where compiled statements are kept."""
    return {"compiled_cache": _CompiledStatements()}
