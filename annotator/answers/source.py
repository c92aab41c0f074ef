"""Code in any language as the choice of an answer sees it, and the base class of the readers of languages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

Kind = Literal["", "stub", "whole"]
"""How code defines the entry point: not at all, without a body (stub), or with one (whole)."""

LEFT_OUT = "without what only shows or tests it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A top-level statement: the names it binds or changes, and those it uses."""

    code: str
    binds: frozenset[str] = frozenset()
    uses: frozenset[str] = frozenset()
    is_import: bool = False
    is_definition: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeSpec:
    """The code that an item asks for: its language, its entry point, and what the prompt and the tests say about it.

    ``visible_code`` are the programs in the prompt; ``bodies`` their definitions of the entry point; ``names`` are the
    names that the tests use; ``owner`` is the class that must hold the entry point.
    """

    language: str
    reader: Reader
    entry: str = ""
    owner: str = ""
    visible_code: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()
    bodies: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedCode:
    """Code that its language accepts, split into its top-level parts.

    ``rebinds`` says that the entry point is made from an earlier one, as by a decorator call, and ``is_outside`` that
    it is not in the class that must hold it; ``body`` is the definition of the entry point, normalised so that equal
    code is equal text.
    """

    code: str
    parts: tuple[Part, ...] = ()
    kind: Kind = ""
    rebinds: bool = False
    is_outside: bool = False
    body: str = ""
    classes: frozenset[str] = frozenset()

    @property
    def bound_names(self) -> frozenset[str]:
        """The names that its parts bind."""
        return frozenset().union(*(part.binds for part in self.parts))

    @property
    def used_names(self) -> frozenset[str]:
        """The names that its parts use."""
        return frozenset().union(*(part.uses for part in self.parts))


class EntryDefinition(NamedTuple):
    """How a statement defines the entry point; the fields are those of `ParsedCode`."""

    kind: Kind = ""
    rebinds: bool = False
    is_outside: bool = False
    body: str = ""


def last_definition(definitions: Iterable[EntryDefinition]) -> EntryDefinition:
    """Return the last definition; one that is open, outside its class or rebinds another never replaces a whole one."""
    last = EntryDefinition()
    for each in definitions:
        is_weaker = each.kind == "stub" or each.rebinds or (each.is_outside and not last.is_outside)
        if each.kind and not (last.kind == "whole" and is_weaker):
            last = each
    return last


class Reader:
    """Reads and combines code of one language. This base accepts every text as a program and changes none."""

    reads = False
    """Whether it can tell programs from other text; if not, blocks are chosen by the tags of their fences."""

    def read(self, code: str, spec: CodeSpec) -> ParsedCode | None:
        """Return parsed code; None if the language's front end does not accept it."""
        kind: Kind = "whole" if self.attempts(code, spec.entry) else ""
        return ParsedCode(code=code, kind=kind, body=" ".join(code.split())) if code.strip() else None

    def is_code(self, _lines: str) -> bool:
        """Tell whether lines between prose are statements of a program, not words that happen to parse."""
        return False

    def attempts(self, _text: str, _entry: str) -> bool:
        """Tell whether a text looks like a definition of a name, even if it does not parse."""
        return False

    def fill(self, _prompt: str, _body: str, _spec: CodeSpec, *, runs_on: bool) -> Iterator[str]:  # noqa: ARG002
        """Yield the programs that result from completing a prompt's open function with a body.

        With ``runs_on``, text after the end of the function may be dropped.
        """
        return iter(())

    def free_names(self, _test: str) -> frozenset[str]:
        """Return the names that a test uses and does not define."""
        return frozenset()

    def missing(self, _source: ParsedCode, _spec: CodeSpec) -> set[str]:
        """Return the names that a program or its tests use but that the program does not bind."""
        return set()

    def needs(self, _part: Part, _needed: set[str]) -> bool:
        """Tell whether an import from another text should be added to a program that lacks the ``needed`` names."""
        return False

    def join(self, _added: Sequence[Part], code: str) -> str:
        """Return a program with parts of other texts added."""
        return code

    def merge(self, _late: str, _early: str, _name: str) -> str | None:
        """Return a class with missing methods added from an earlier version; None if none are missing."""
        return None

    def fit(self, code: str, _source: ParsedCode, _spec: CodeSpec) -> tuple[str, list[str]]:
        """Return a program in the form that the tests call, without demonstration code, and notes on the changes."""
        return code, []
