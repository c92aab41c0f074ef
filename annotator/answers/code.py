"""The reader of each language, and of Bash, SQL, R and others without a parser, in which any text is a program."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from annotator.answers.choice import build_code_spec
from annotator.answers.fences import language_of
from annotator.answers.normalising import LITERAL
from annotator.answers.python_source import PythonReader
from annotator.answers.source import NO_DEFINITION, CodeSpec, ParsedCode, Reader
from annotator.answers.tree_source import TreeReader
from annotator.text.syntax_trees import GRAMMARS

_BRACE = re.compile(rf"(?:(?<=\s)|^)#[^\n]*|{LITERAL.pattern}|[{{}}]", re.MULTILINE)
_STATEMENTS = ("select", "with", "insert", "update", "delete", "create")
"""The first words of statements in SQL."""


class PlainReader(Reader):
    """Accepts every text as a program, so answers without an entry point are chosen only by their blocks."""

    def read(self, code: str, spec: CodeSpec) -> ParsedCode | None:
        """Return the text as a program, which is whole only if its braces are balanced."""
        source = super().read(code, spec)
        is_open = source is not None and source.entry.kind == "whole" and _open_braces(code) != 0
        return replace(source, entry=NO_DEFINITION) if source is not None and is_open else source

    def looks_like_definition(self, text: str, entry: str) -> bool:
        """Return whether a line starts a definition of a name in the syntax of R or a shell."""
        name = re.escape(entry)
        pattern = rf"^\s*(?:function\s+{name}\b|{name}\s*(?:(?:<-|=)\s*(?:function\b|\\\()|\(\)\s*\{{))"
        return bool(entry) and re.search(pattern, text, re.MULTILINE) is not None

    def complete_function(self, prompt: str, body: str, spec: CodeSpec, *, may_truncate: bool) -> Iterator[str]:
        """Yield the prompt with a body in its open braces, or after its unfinished statement in SQL."""
        if spec.language == "sql":
            lines = f"\n{prompt.rstrip()}".rpartition(";")[2].split("\n")[1:]
            start = next((at for at, line in enumerate(lines) if _starts_statement(line)), None)
            code = (line for line in body.split("\n") if line.strip() and not line.lstrip().startswith("--"))
            if start is not None and not _starts_statement(next(code, "").lstrip()):
                yield "\n".join([*lines[start:], body.partition(";")[0] if may_truncate else body])
            return
        if _open_braces(prompt) < 1:
            return
        joined = f"{prompt.rstrip()}\n{body}"
        end = _end_of_braces(joined, len(prompt.rstrip()))
        yield joined[:end] if may_truncate and end else joined + "\n}" * _open_braces(joined)


def _starts_statement(line: str) -> bool:
    word = line[: len(line) - len(line.lstrip(f"{string.ascii_letters}{string.digits}_"))]
    return word.lower() in _STATEMENTS


def _brace_depths(code: str) -> Iterator[tuple[int, int]]:
    """Yield the position after each brace and the number of open ones there, up to the first unmatched one."""
    depth = 0
    for brace in _BRACE.finditer(code):
        if brace[0] in ("{", "}") and depth >= 0:
            depth += 1 if brace[0] == "{" else -1
            yield brace.end(), depth


def _open_braces(code: str) -> int:
    """Return the number of open braces at the end; -1 if a closing brace has no opening one."""
    return [0, *(depth for _, depth in _brace_depths(code))][-1]


def _end_of_braces(code: str, start: int) -> int:
    """Return the position after ``start`` at which all braces are closed; 0 for none."""
    return next((end for end, depth in _brace_depths(code) if depth == 0 and end > start), 0)


@lru_cache(maxsize=64)
def reader_of(language: str) -> Reader:
    """Return the reader of a language."""
    language = language_of(language)
    if language == "python":
        return PythonReader()
    return TreeReader(language) if language in GRAMMARS else PlainReader()


def code_spec_for(
    language: str, entry_point: str, *, prompt: str = "", visible_code: Sequence[str] = (), tests: Sequence[str] = ()
) -> CodeSpec:
    """Return the spec of an item's code, with the reader of its language; see `build_code_spec`."""
    return build_code_spec(
        reader_of(language), language, entry_point, prompt=prompt, visible_code=visible_code, tests=tests
    )
