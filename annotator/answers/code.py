"""Code answers in any language: the program in a response (functions, completion, modification)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from annotator.answers.choice import build_code_spec, choose_code, choose_definition
from annotator.answers.fences import language_of
from annotator.answers.found import ExtractedAnswer
from annotator.answers.plain_source import PlainReader
from annotator.answers.python_source import PythonReader
from annotator.answers.source import CodeSpec, Reader
from annotator.answers.tree_source import TreeReader
from annotator.text.syntax_trees import GRAMMARS


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


def find_code(response: str, spec: CodeSpec, *, finish_reason: str = "stop", prompt: str = "") -> ExtractedAnswer:
    """Return the program in a response, and why it was chosen; see `choose_code`."""
    return choose_code(response, spec, finish_reason=finish_reason, prompt=prompt)


def find_definition(response: str, spec: CodeSpec) -> ExtractedAnswer | None:
    """Return the complete program in a response; None if nothing in it defines the entry point."""
    return choose_definition(response, spec)
