"""Bash, SQL, R and languages without a parser here: any text is a program, and definitions are found by a pattern."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from annotator.answers.source import CodeSpec, Kind, ParsedCode, Part


class PlainReader:
    """Accepts every text as a program, so answers without an entry point are chosen by their blocks alone."""

    reads = False

    def read(self, code: str, spec: CodeSpec) -> ParsedCode | None:
        """Return the text as one part."""
        kind: Kind = "whole" if self.attempts(code, spec.entry) else ""
        return ParsedCode(code=code, kind=kind, body=" ".join(code.split())) if code.strip() else None

    def is_code(self, _lines: str) -> bool:
        """Return False: prose cannot be told from code."""
        return False

    def attempts(self, text: str, entry: str) -> bool:
        """Tell whether a line starts a definition of a name as in R or a shell."""
        name = re.escape(entry)
        pattern = rf"^\s*(?:function\s+{name}\b|{name}\s*(?:(?:<-|=)\s*(?:function\b|\\\()|\(\)\s*\{{))"
        return bool(entry) and re.search(pattern, text, re.MULTILINE) is not None

    def fill(self, _prompt: str, _body: str, _spec: CodeSpec, **_options: bool) -> Iterator[str]:
        """Yield nothing."""
        return iter(())

    def free_names(self, _test: str) -> frozenset[str]:
        """Return no names."""
        return frozenset()

    def missing(self, _source: ParsedCode, _spec: CodeSpec) -> set[str]:
        """Return no names."""
        return set()

    def needs(self, _part: Part, _needed: set[str]) -> bool:
        """Return False."""
        return False

    def join(self, _added: Sequence[Part], code: str) -> str:
        """Return the program."""
        return code

    def merge(self, _late: str, _early: str, _name: str) -> str | None:
        """Return None."""
        return None

    def fit(self, code: str, _source: ParsedCode, _spec: CodeSpec) -> tuple[str, list[str]]:
        """Return the program unchanged."""
        return code, []
