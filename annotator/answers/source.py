"""Parsed code for the extraction of answers, and what is asked of every programming language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

EntryPointKind = Literal["", "stub", "whole"]
"""Whether code defines the entry point: not at all, without a body (stub), or completely (whole)."""
FIRST_LINES = ("<?php", "from __future__ ")
"""The beginnings of lines that must come first in a program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A top-level statement: the names it binds or changes, those it uses, and its place in the bytes of the code.

    An import that binds ``*`` may bind any name. ``is_demo`` is True if it only prints, asserts, reads input or calls
    the entry point.
    """

    code: str
    binds: frozenset[str] = frozenset()
    uses: frozenset[str] = frozenset()
    span: tuple[int, int] = (0, 0)
    is_import: bool = False
    is_definition: bool = False
    is_demo: bool = False


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


class EntryDefinition(NamedTuple):
    """A definition of the entry point: ``is_outside`` if it is not in the class that must contain it.

    ``body`` is normalised so that equal code is equal text.
    """

    kind: EntryPointKind = ""
    is_outside: bool = False
    body: str = ""


NO_DEFINITION = EntryDefinition()


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedCode:
    """Code that its language accepts, split into its top-level parts.

    ``inner`` are the names that it binds anywhere or that need no definition.
    """

    code: str
    parts: tuple[Part, ...] = ()
    entry: EntryDefinition = NO_DEFINITION
    classes: frozenset[str] = frozenset()
    inner: frozenset[str] = frozenset()

    @property
    def bound_names(self) -> frozenset[str]:
        """The names that its parts bind."""
        return frozenset().union(*(part.binds for part in self.parts))

    def rebinds(self, name: str) -> bool:
        """Return whether the code only wraps an earlier definition of a name, as in ``f = cache(f)``."""
        binding = [part for part in self.parts if name in part.binds]
        return bool(binding) and all(name in part.uses and not part.is_definition for part in binding)

    def missing_names(self, spec: CodeSpec) -> set[str]:
        """Return the names that the code or the tests use but that the code does not bind."""
        used = spec.names.union(*(part.uses for part in self.parts))
        missing = used - self.bound_names - self.inner - {spec.entry}
        return {*missing, spec.entry} if self.rebinds(spec.entry) else set(missing)

    def without(self, parts: Sequence[Part]) -> str:
        """Return the code without some of its parts, which must be in order."""
        data = self.code.encode("utf-8", "surrogatepass")
        ends = [0, *(part.span[1] for part in parts)]
        starts = [*(part.span[0] for part in parts), len(data)]
        rest = b"".join(data[end:start] for end, start in zip(ends, starts, strict=True))
        return rest.decode("utf-8", "surrogatepass")


def last_definition(definitions: Iterable[EntryDefinition]) -> EntryDefinition:
    """Return the last definition; a stub or a misplaced definition never replaces a whole one."""
    last = NO_DEFINITION
    for definition in definitions:
        is_weaker = definition.kind == "stub" or (definition.is_outside and not last.is_outside)
        if definition.kind and not (last.kind == "whole" and is_weaker):
            last = definition
    return last


def demonstrations(source: ParsedCode, spec: CodeSpec) -> list[Part]:
    """Return the parts that only demonstrate a program: the rest needs nothing that they bind or change."""
    needed = {*spec.names, spec.entry}.union(*(part.uses for part in source.parts if part.is_definition))
    unchanged = frozenset().union(*(part.binds for part in source.parts if part.is_import))
    demos: list[Part] = []
    for part in reversed(source.parts):
        if part.is_demo and not (part.binds - unchanged) & needed:
            demos.insert(0, part)
        elif not part.is_import:
            needed |= part.uses
    return demos


def join_parts(added: Sequence[Part], code: str) -> str:
    """Return a program with parts added before it, imports first. Lines of `FIRST_LINES` move to the top."""
    texts = dict.fromkeys(part.code for part in sorted(added, key=lambda part: not part.is_import))
    lines = "\n".join([*texts, "", code]).split("\n")
    first = dict.fromkeys(line for line in lines if line.startswith(FIRST_LINES))
    return "\n".join([*first, *(line for line in lines if line not in first)])


class Reader:
    """Reads code of one language. This base class accepts every text as a program and changes none."""

    can_parse = False
    """Whether it can distinguish programs from other text; if not, blocks are chosen by the tags of their fences."""

    def read(self, code: str, spec: CodeSpec) -> ParsedCode | None:
        """Return parsed code; None if it is not a program in the language."""
        kind: EntryPointKind = "whole" if self.looks_like_definition(code, spec.entry) else ""
        body = " ".join(code.split())
        return ParsedCode(code=code, entry=EntryDefinition(kind, body=body)) if body else None

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

    def merge_missing_methods(self, _new: str, _old: str, _name: str) -> str | None:
        """Return a class with its missing methods added from an earlier version; None if none are missing."""
        return None

    def adapt_to_tests(self, source: ParsedCode, _spec: CodeSpec) -> tuple[str, list[str]]:
        """Return a program in the form that the tests call, and notes on the changes."""
        return source.code, []
