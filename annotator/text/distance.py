"""The distance of two texts by words."""

from __future__ import annotations

import ast
import re

from rapidfuzz.distance import Levenshtein

from annotator.text.highlight import highlight_spans
from annotator.text.python_tree import UNREADABLE, readable_tree

_WORD = re.compile(r"\w+|[^\w\s]", re.UNICODE)
WORD_LIMIT = 20_000


def split_words(text: str) -> list[str]:
    """Return the lower-case words and signs of a text."""
    return _WORD.findall(text.lower())


def word_distance(a: str, b: str) -> float:
    """Return 0 for texts of the same words in order, 1 for texts that share none (normalised Levenshtein on words).

    Only the first 20,000 words of each count, which bounds the time.
    """
    return float(Levenshtein.normalized_distance(split_words(a)[:WORD_LIMIT], split_words(b)[:WORD_LIMIT]))


_NAME_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITION = (*_FUNCTION, ast.ClassDef)


def split_identifier(name: str) -> list[str]:
    """Split a name at underscores and camel case, in lower case: ``parseHTTPHeader_2`` is parse, http, header, 2."""
    return [part.lower() for part in _NAME_PART.findall(name)]


def code_words(code: str, language: str, entry_point: str = "") -> list[str]:
    """Return the words and signs of a program, without comments.

    For Python that parses, docstrings are left out too, and with an ``entry_point`` only the body of that function
    counts: its name and parameters are part of the question.
    """
    if language.lower().startswith("python"):
        normalised = _python_code(code, entry_point.rpartition(".")[2])
        if normalised is not None:
            return split_words(normalised)
    return split_words(_without_comments(code, language))


def _python_code(code: str, name: str) -> str | None:
    """Return a program in normalised form without docstrings, or only the body of a function; None if unreadable."""
    tree = readable_tree(code)
    if tree is None:
        return None
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, *_DEFINITION)) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    functions = [node for node in ast.walk(tree) if isinstance(node, _FUNCTION) and node.name == name]
    # Of two functions of one name the later one counts, as it does when the program runs.
    body: list[ast.stmt] = functions[-1].body if functions else tree.body
    try:
        return "\n".join(ast.unparse(statement) for statement in body)
    except UNREADABLE:
        return None


def _without_comments(code: str, language: str) -> str:
    comments = [span for span in highlight_spans(code, language) if span.kind == "comment"]
    for span in reversed(comments):
        code = f"{code[: span.start]} {code[span.end :]}"
    return code
