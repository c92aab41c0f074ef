"""The words of code without comments and docstrings: what two programs are compared by."""

from __future__ import annotations

import ast

from annotator.text.distance import words
from annotator.text.highlight import spans
from annotator.text.python_tree import UNREADABLE, readable_tree

_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITION = (*_FUNCTION, ast.ClassDef)


def code_words(code: str, language: str, entry_point: str = "") -> list[str]:
    """Return the words and signs of a program's code, without comments.

    Of Python that is read, docstrings are left out too, and with an ``entry_point`` only the body of that function
    counts: its name and parameters are given to everybody who answers.
    """
    if language.lower().startswith("python"):
        written = _python_code(code, entry_point.rpartition(".")[2])
        if written is not None:
            return words(written)
    return words(_without_comments(code, language))


def _python_code(code: str, name: str) -> str | None:
    """Return a program in one way of writing, without docstrings; of a function only its body. None if unreadable."""
    tree = readable_tree(code)
    if tree is None:
        return None
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, *_DEFINITION)) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    named = [node for node in ast.walk(tree) if isinstance(node, _FUNCTION) and node.name == name]
    # Of two functions of one name the later one counts, as it does when the program runs.
    body: list[ast.stmt] = named[-1].body if named else tree.body
    try:
        return "\n".join(ast.unparse(statement) for statement in body)
    except UNREADABLE:
        return None


def _without_comments(code: str, language: str) -> str:
    comments = [span for span in spans(code, language) if span.kind == "comment"]
    for span in reversed(comments):
        code = f"{code[: span.start]} {code[span.end :]}"
    return code
