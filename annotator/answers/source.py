"""Parsed code for the extraction of answers, and the base class of the readers of programming languages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

EntryPointKind = Literal["", "stub", "whole"]
"""Whether code defines the entry point: not at all, without a body (stub), or completely (whole)."""

DEMO_REMOVED = "without demonstration and test code"


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

    ``entry`` is the name of the entry point and ``owner`` the class that must contain it. ``visible_code`` are the
    programs in the prompt, ``bodies`` their definitions of the entry point, and ``names`` the names that tests use.
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

    ``rebinds`` is True if the entry point wraps an earlier definition, as in ``f = cache(f)``, and ``is_outside`` if it
    is not in the class that must contain it. ``body`` is the definition of the entry point, normalised so that equal
    code is equal text.
    """

    code: str
    parts: tuple[Part, ...] = ()
    kind: EntryPointKind = ""
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
    """A statement's definition of the entry point; the fields are those of `ParsedCode`."""

    kind: EntryPointKind = ""
    rebinds: bool = False
    is_outside: bool = False
    body: str = ""


def last_definition(definitions: Iterable[EntryDefinition]) -> EntryDefinition:
    """Return the last definition; a stub, wrapping or misplaced definition never replaces a whole one."""
    last = EntryDefinition()
    for definition in definitions:
        is_weaker = definition.kind == "stub" or definition.rebinds or (definition.is_outside and not last.is_outside)
        if definition.kind and not (last.kind == "whole" and is_weaker):
            last = definition
    return last


class Reader:
    """Reads and combines code of one language. This base class accepts every text as a program and changes none."""

    can_parse = False
    """Whether it can distinguish programs from other text; if not, blocks are chosen by the tags of their fences."""

    def read(self, code: str, spec: CodeSpec) -> ParsedCode | None:
        """Return parsed code; None if it is not a program in the language."""
        kind: EntryPointKind = "whole" if self.looks_like_definition(code, spec.entry) else ""
        return ParsedCode(code=code, kind=kind, body=" ".join(code.split())) if code.strip() else None

    def is_code(self, _lines: str) -> bool:
        """Return whether lines between prose are statements of a program, not words that happen to parse."""
        return False

    def looks_like_definition(self, _text: str, _entry: str) -> bool:
        """Return whether a text looks like a definition of a name, even if it does not parse."""
        return False

    def complete_function(self, _prompt: str, _body: str, _spec: CodeSpec, *, may_truncate: bool) -> Iterator[str]:  # noqa: ARG002
        """Yield the programs that result from completing the unfinished function of a prompt with a body.

        With ``may_truncate``, text after the end of the function may be removed.
        """
        return iter(())

    def free_names(self, _test: str) -> frozenset[str]:
        """Return the names that a test uses and does not define."""
        return frozenset()

    def missing_names(self, _source: ParsedCode, _spec: CodeSpec) -> set[str]:
        """Return the names that a program or its tests use but that the program does not bind."""
        return set()

    def should_add_import(self, _part: Part, _missing_names: set[str]) -> bool:
        """Return whether an import from another text should be added to a program that lacks some names."""
        return False

    def join(self, _added: Sequence[Part], code: str) -> str:
        """Return a program with parts of other texts added."""
        return code

    def merge_missing_methods(self, _new: str, _old: str, _name: str) -> str | None:
        """Return a class with its missing methods added from an earlier version; None if none are missing."""
        return None

    def adapt_to_tests(self, code: str, _source: ParsedCode, _spec: CodeSpec) -> tuple[str, list[str]]:
        """Return a program in the form that the tests call, without demonstration code, and notes on the changes."""
        return code, []
