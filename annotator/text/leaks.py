"""What a prompt gives away of its answer: lines and names of the reference, and values that tests expect."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from annotator.text.python_tree import readable_tree, tree_or_empty

_OPENING = re.compile(r"^\s*(?:from\s|import\s|def\s|async\s+def\s|class\s|@|#|//|/\*|\*|\"\"\"|'''|```)")
_WORD = re.compile(r"[A-Za-z_]\w*")
_CODE_NAMES = re.compile(
    r"`([A-Za-z_][\w.]*)(?:\([^`\n]*\))?`|\b([A-Za-z_][\w.]*)\(|\b([A-Za-z]+_\w+|[a-z]+[A-Z]\w*)\b"
)
_SHORTEST_LINE = 10
_SHORTEST_NAME = 4
_SHORTEST_VALUE = 4
_MOST = 5
_VALUES = frozenset(("None", "True", "False", "NotImplemented", "null", "true", "false", "undefined"))
_EXCEPTION = re.compile(r"(?:Error|Exception|Warning|StopIteration)$")
"""What a function raises, or gives back as a plain value, is what it does, not how."""
_PLAIN = {"continue", "else:", "break", "pass"}
_BARE = re.compile(r"(?:return|raise) \w+(?:\(\))?")
"""A line that gives back a name, or raises an error without a message, says what is done as prose does."""


def told_lines(reference: str, original: str, paraphrase: str) -> tuple[str, ...]:
    """Return lines of a reference's body that the paraphrase holds and the original did not, at most five."""
    told, known = _squeeze(paraphrase), _squeeze(original)
    found = []
    for line in _body_lines(reference):
        piece = _squeeze(line)
        if len(piece) >= _SHORTEST_LINE and len(_WORD.findall(line)) >= 2 and piece in told and piece not in known:
            found.append(line)
    return tuple(dict.fromkeys(found))[:_MOST]


def told_names(reference: str, original: str, paraphrase: str) -> tuple[str, ...]:
    """Return names the reference's body uses that the paraphrase writes as code and the original never had."""
    used = _names_used(reference)
    known = {word.lower() for word in _WORD.findall(original)}
    found = []
    for match in _CODE_NAMES.finditer(paraphrase):
        written = next(part for part in match.groups() if part).strip(".")
        last = written.rpartition(".")[2]
        told = len(last) >= _SHORTEST_NAME and last in used and last.lower() not in known
        if told and last not in _VALUES and not _EXCEPTION.search(last):
            found.append(written)
    return tuple(dict.fromkeys(found))[:_MOST]


def told_values(tests: Iterable[str], expected: Iterable[str], original: str, paraphrase: str) -> tuple[str, ...]:
    """Return values that tests expect, which the paraphrase holds and the original did not."""
    values = [value for code in tests for value in expected_values(code)]
    found = []
    for value in (*values, *expected):
        is_long = len(_squeeze(value)) >= _SHORTEST_VALUE
        if is_long and _stands_in(value, paraphrase) and not _stands_in(value, original):
            found.append(value)
    return tuple(dict.fromkeys(found))[:_MOST]


def expected_values(code: str) -> Iterator[str]:
    """Yield the plain values that Python tests compare with, as source."""
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
    """Return the lines of a reference that say how it works: no imports, signatures, comments and descriptions."""
    text = _without_docstrings(reference)
    lines = (line.strip() for line in text.split("\n"))
    told = (line for line in lines if line and not _OPENING.match(line) and line.lower() not in _PLAIN)
    return [line for line in told if not _BARE.fullmatch(line)]


def _names_used(reference: str) -> set[str]:
    """Return the names that a reference's body uses; in Python those alone that say how it works.

    What its strings and keywords say is data, and what it reads of its own object or of its parameters is given.
    """
    tree = readable_tree(reference)
    if tree is None:
        return set(_WORD.findall("\n".join(_body_lines(reference))))
    nodes = [node for function in tree.body for node in ast.walk(function)]
    given = {node.arg for node in nodes if isinstance(node, ast.arg)}
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    for node in nodes:
        if isinstance(node, ast.Attribute):
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            if owner not in ("self", "cls") and (owner not in given or id(node) in called):
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
                for place in range(first.lineno - 1, first.end_lineno or first.lineno):
                    lines[place] = ""
    return "\n".join(lines)


def _stands_in(value: str, text: str) -> bool:
    """Whether a value stands in a text as a whole; white space within it and the kind of quotes may differ."""
    pieces = (r"[\"']" if piece in "\"'" else re.escape(piece) for piece in re.findall(r"\w+|\S", value))
    whole = r"\s*".join(pieces)
    return re.search(rf"(?<!\w)(?<!\w\.){whole}(?!\w|\.\d)", text) is not None


def _squeeze(text: str) -> str:
    return "".join(text.split()).replace('"', "'")
