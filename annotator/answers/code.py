"""Choose the reader of a language, for code answers (functions, completion, modification)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from annotator.answers.choice import build_code_spec
from annotator.answers.fences import language_of
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
