"""What the choice of an answer knows of a piece of code, in any language, and what it asks of whoever reads it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

Kind = Literal["", "stub", "whole"]
"""How code defines the entry point: not, without a body, or with one."""

LEFT_OUT = "without what only shows or tests it"


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

    ``shown`` are the programs of the prompt; ``bodies`` what defines the entry point in them; ``names`` are what the
    tests use; ``owner`` is the class that is to hold the entry point.
    """

    language: str
    reader: Reader
    entry: str = ""
    owner: str = ""
    shown: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()
    bodies: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Code that its language accepts, in parts. ``rebinds`` says that it makes the entry point of what was before;
    ``body`` is what defines the entry point, written so that equal code is equal text."""

    code: str
    parts: tuple[Part, ...] = ()
    kind: Kind = ""
    rebinds: bool = False
    body: str = ""
    classes: frozenset[str] = field(default_factory=frozenset)

    @property
    def bound(self) -> frozenset[str]:
        """The names that its parts bind."""
        return frozenset().union(*(part.binds for part in self.parts))

    @property
    def used(self) -> frozenset[str]:
        """The names that its parts use."""
        return frozenset().union(*(part.uses for part in self.parts))


class Reader(Protocol):
    """How code of a language is read and put together."""

    reads: bool
    """Whether it tells programs from other text; if not, answers are whole programs, which count by their tags."""

    def read(self, code: str, wanted: Wanted, /) -> Source | None:
        """Return code as the language; None where its front end does not accept it."""

    def is_code(self, lines: str, /) -> bool:
        """Tell whether lines in the midst of prose are statements of a program, not words that happen to be."""

    def attempts(self, text: str, entry: str, /) -> bool:
        """Tell whether a text is written as a definition of a name, whether or not it is accepted."""

    def fill(self, prompt: str, body: str, wanted: Wanted, /, *, runs_on: bool) -> Iterator[str]:
        """Yield the programs that a body makes of a prompt's open function.

        What runs on behind the end of the function may be left away if ``runs_on``.
        """

    def free_names(self, test: str, /) -> frozenset[str]:
        """Return the names that a test uses and does not define."""

    def missing(self, source: Source, wanted: Wanted, /) -> set[str]:
        """Return the names that a program or its tests use and nothing in it binds."""

    def needs(self, part: Part, needed: set[str], /) -> bool:
        """Tell whether an import that another text has belongs with a program that lacks some names."""

    def join(self, added: Sequence[Part], code: str, /) -> str:
        """Return a program with parts from elsewhere."""

    def merge(self, late: str, early: str, name: str, /) -> str | None:
        """Return a class with the methods of an earlier version that it lacks; None where it lacks none."""

    def fit(self, code: str, source: Source, wanted: Wanted, /) -> tuple[str, list[str]]:
        """Return a program as the tests call it, without what only shows it, and what was done."""
