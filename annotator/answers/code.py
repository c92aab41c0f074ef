"""Code answers in any language: the program that a response gives (functions, completion, modification)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from annotator.answers.choice import choose_code, choose_definition, wanted_of
from annotator.answers.fences import language_of
from annotator.answers.found import Found
from annotator.answers.plain_source import PlainReader
from annotator.answers.python_source import PythonReader
from annotator.answers.source import Reader, Wanted
from annotator.answers.tree_source import TreeReader
from annotator.text.syntax_trees import GRAMMARS


@lru_cache(maxsize=64)
def reader_of(language: str) -> Reader:
    """Return who reads a language."""
    language = language_of(language)
    if language == "python":
        return PythonReader()
    return TreeReader(language) if language in GRAMMARS else PlainReader()


def wanted_code(
    language: str, entry_point: str, *, prompt: str = "", shown: Sequence[str] = (), tests: Sequence[str] = ()
) -> Wanted:
    """Return what an item wants; see `wanted_of`."""
    return wanted_of(reader_of(language), language, entry_point, prompt=prompt, shown=shown, tests=tests)


def find_code(response: str, wanted: Wanted, *, finish_reason: str = "stop", prompt: str = "") -> Found:
    """Return the program that a response gives, and why; see `choose_code`."""
    return choose_code(response, wanted, finish_reason=finish_reason, prompt=prompt)


def find_definition(response: str, wanted: Wanted) -> Found | None:
    """Return the whole program that a response gives; None where nothing in it defines the entry point."""
    return choose_definition(response, wanted)
