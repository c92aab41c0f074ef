"""Find parts of the answer that a prompt leaks: lines and names of the reference, and values that tests expect."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from annotator.text.python_tree import readable_tree, tree_or_empty

_UNINFORMATIVE_START = re.compile(r"^\s*(?:from\s|import\s|def\s|async\s+def\s|class\s|@|#|//|/\*|\*|\"\"\"|'''|```)")
_WORD = re.compile(r"[A-Za-z_]\w*")
_CODE_NAMES = re.compile(
    r"`([A-Za-z_][\w.]*)(?:\([^`\n]*\))?`|\b([A-Za-z_][\w.]*)\(|\b([A-Za-z]+_\w+|[a-z]+[A-Z]\w*)\b"
)
_MIN_LINE_CHARS = 10
_MIN_NAME_CHARS = 4
_MIN_VALUE_CHARS = 4
_MAX_REPORTED = 5
_VALUES = frozenset(("None", "True", "False", "NotImplemented", "null", "true", "false", "undefined"))
_EXCEPTIONS = ("Error", "Exception", "Warning", "StopIteration")
"""Exceptions and plain values describe what a function does, not how, so they are not leaks."""
_PLAIN_LINES = {"continue", "else:", "break", "pass"}
_PLAIN_EXIT = re.compile(r"(?:return|raise) \w+(?:\(\))?")
"""Lines that return a name, or raise an error without a message: they reveal no more than prose would."""


def leaked_lines(reference: str, original: str, paraphrase: str) -> tuple[str, ...]:
    """Return at most five lines of a reference's body that the paraphrase contains and the original does not."""
    prompt = _squeeze(paraphrase)
    known_text = _squeeze(original)
    lines = []
    for line in _body_lines(reference):
        piece = _squeeze(line)
        if (
            len(piece) >= _MIN_LINE_CHARS
            and len(_WORD.findall(line)) >= 2
            and piece in prompt
            and piece not in known_text
        ):
            lines.append(line)
    return tuple(dict.fromkeys(lines))[:_MAX_REPORTED]


def leaked_names(reference: str, original: str, paraphrase: str) -> tuple[str, ...]:
    """Return at most five names of the reference's body that the paraphrase writes as code and the original lacks."""
    used = _names_used(reference)
    original_words = {word.lower() for word in _WORD.findall(original)}
    names = []
    for match in _CODE_NAMES.finditer(paraphrase):
        name = next(part for part in match.groups() if part).strip(".")
        last = name.rpartition(".")[2]
        is_leaked = len(last) >= _MIN_NAME_CHARS and last in used and last.lower() not in original_words
        if is_leaked and last not in _VALUES and not last.endswith(_EXCEPTIONS):
            names.append(name)
    return tuple(dict.fromkeys(names))[:_MAX_REPORTED]


def leaked_values(tests: Iterable[str], expected: Iterable[str], original: str, paraphrase: str) -> tuple[str, ...]:
    """Return at most five values expected by tests that the paraphrase contains and the original does not."""
    values = [value for code in tests for value in expected_values(code)]
    leaked = []
    for value in (*values, *expected):
        is_long = len(_squeeze(value)) >= _MIN_VALUE_CHARS
        if is_long and _contains_value(value, paraphrase) and not _contains_value(value, original):
            leaked.append(value)
    return tuple(dict.fromkeys(leaked))[:_MAX_REPORTED]


def expected_values(code: str) -> Iterator[str]:
    """Yield the literal values that Python tests compare results with, as source code."""
    for node in ast.walk(tree_or_empty(code)):
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq):
            sides = [side for side in (node.left, node.comparators[0]) if _is_plain(side)]
            yield from (ast.unparse(side) for side in sides)


def _is_plain(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _body_lines(reference: str) -> list[str]:
    """Return the lines of a reference that show how it works, without imports, signatures, comments and docstrings."""
    text = _without_docstrings(reference)
    lines = (line.strip() for line in text.split("\n"))
    informative_lines = (
        line for line in lines if line and not _UNINFORMATIVE_START.match(line) and line.lower() not in _PLAIN_LINES
    )
    return [line for line in informative_lines if not _PLAIN_EXIT.fullmatch(line)]


def _names_used(reference: str) -> set[str]:
    """Return the names that a reference's body uses; for Python only those that show how it works.

    Strings and keyword arguments are data, and attributes of ``self`` or of parameters are part of the question.
    """
    tree = readable_tree(reference)
    if tree is None:
        return set(_WORD.findall("\n".join(_body_lines(reference))))
    nodes = [node for function in tree.body for node in ast.walk(function)]
    parameters = {node.arg for node in nodes if isinstance(node, ast.arg)}
    called_ids = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    for node in nodes:
        if isinstance(node, ast.Attribute):
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            if owner not in ("self", "cls") and (owner not in parameters or id(node) in called_ids):
                used.add(node.attr)
    return used


def _without_docstrings(reference: str) -> str:
    tree = readable_tree(reference)
    if tree is None:
        return reference
    lines = reference.split("\n")
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module) and node.body:
            first = node.body[0]
            is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
            if is_text and len(node.body) > 1:
                for index in range(first.lineno - 1, first.end_lineno or first.lineno):
                    lines[index] = ""
    return "\n".join(lines)


def _contains_value(value: str, text: str) -> bool:
    """Return whether a text contains a whole value; white space in it and the kind of quotes may differ."""
    pieces = (r"[\"']" if piece in "\"'" else re.escape(piece) for piece in re.findall(r"\w+|\S", value))
    pattern = r"\s*".join(pieces)
    return re.search(rf"(?<!\w)(?<!\w\.){pattern}(?!\w|\.\d)", text) is not None


def _squeeze(text: str) -> str:
    return "".join(text.split()).replace('"', "'")
