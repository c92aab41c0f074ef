"""What extraction knows of a piece of code, in any language."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["", "stub", "rebinding", "method", "whole"]
"""How code defines the entry point: not, without a body, by what it had before, as a method of a class, wholly."""

LEFT_OUT = "left out what only shows or tests it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A statement of the top level: the names it binds or changes, and those it uses."""

    code: str
    binds: frozenset[str] = frozenset()
    uses: frozenset[str] = frozenset()
    is_import: bool = False
    is_definition: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What an item wants of an answer: the language and who reads it, the entry point, the code it shows, its tests.

    ``shown`` are the programs of the prompt; ``names`` are what the tests use; ``owner`` is the class that is to hold
    the entry point; ``named`` says that the prompt names the entry point.
    """

    language: str
    reader: Reader
    entry: str = ""
    owner: str = ""
    shown: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()
    named: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Code that parses, in parts. ``functions`` are those of the top level, with their parameters."""

    code: str
    parts: tuple[Part, ...] = ()
    kind: Kind = ""
    functions: tuple[tuple[str, tuple[str, ...]], ...] = ()
    body: str = ""
    """What defines the entry point, written so that equal code is equal text."""
    repaired: str = ""
    """What had to be done so that it parses, in words."""
    classes: frozenset[str] = field(default_factory=frozenset)

    @property
    def bound(self) -> frozenset[str]:
        """The names that its parts bind."""
        return frozenset().union(*(part.binds for part in self.parts))

    @property
    def used(self) -> frozenset[str]:
        """The names that its parts use."""
        return frozenset().union(*(part.uses for part in self.parts))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """How code of a language is read and put together.

    ``parses`` says that code is parsed, not just looked at. ``read`` returns code as the language that is wanted, None
    where it is not, however it is read; ``find`` returns the code in a text of prose and code. ``free_names`` are what
    tests use and do not define, ``missing`` what a program or its tests use and nothing in it defines.

    Where a language has them: ``merge`` returns a class with the methods of an earlier version that it lacks (late,
    early, name), ``fit`` a program as the tests call it, without what only shows it, and what was done; ``go_on`` the
    prompt with a body that goes on from it (prompt, body), None for none.
    """

    parses: bool
    read: Callable[[str, Wanted], Source | None]
    find: Callable[[str, Wanted], list[Source]]
    free_names: Callable[[str], frozenset[str]]
    missing: Callable[[Source, Wanted], set[str]]
    merge: Callable[[str, str, str], str | None] | None = None
    fit: Callable[[str, Source, Wanted], tuple[str, list[str]]] | None = None
    go_on: Callable[[str, str, Wanted], str | None] | None = None
