"""Add the imports that an answer forgot (DomainEval's correction), and cut a base model's output at its stops."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable, Sequence

from annotator.text.python_tree import bound_names, read_tree, readable_tree

_NAMES = r"[\w.]+(?:[ \t]+as[ \t]+\w+)?"
_IMPORT = re.compile(
    rf"(?<![\w.])(?:from[ \t]+[\w.]+[ \t]+import[ \t]+\([^()]*\)|"
    rf"(?:from[ \t]+[\w.]+[ \t]+)?import[ \t]+{_NAMES}(?:[ \t]*,[ \t]*{_NAMES})*)"
)


def cut_at_stops(text: str, stops: Sequence[str] = ()) -> str:
    """Return a base model's output up to the first stop, after which it continued with something else."""
    ends = [at for at in (text.find(stop) for stop in stops if stop) if at >= 0]
    return text[: min(ends)] if ends else text


def add_forgotten_imports(code: str, sources: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """Return Python code with its forgotten imports, and the added statements (DomainEval's correction, to be logged).

    Only imports in the task's own texts (``sources``: its code, its instruction) are added, and only for names that the
    code uses and never binds. Code that does not parse is returned unchanged.
    """
    tree = readable_tree(code)
    if tree is None:
        return code, ()
    missing = _used_names(tree) - _bound_names(tree) - set(dir(builtins))
    added: list[str] = []
    for source in sources:
        for statement, names in _imports(source):
            if names & missing and statement not in added:
                added.append(statement)
                missing -= names
    if not added:
        return code, ()
    at = _line_after_future(tree)
    lines = code.split("\n")
    return "\n".join([*lines[:at], *added, *lines[at:]]), tuple(added)


def _imports(source: str) -> Iterable[tuple[str, set[str]]]:
    """Yield (statement, names it binds) of every import in a text that need not be valid code."""
    for match in _IMPORT.finditer(source):
        try:
            node = read_tree(match[0].rstrip(".")).body[0]
        except (SyntaxError, ValueError):
            continue
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                single = (
                    ast.Import([alias])
                    if isinstance(node, ast.Import)
                    else ast.ImportFrom(node.module, [alias], node.level)
                )
                yield ast.unparse(single), {alias.asname or alias.name.partition(".")[0]}


def _used_names(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def _bound_names(tree: ast.AST) -> set[str]:
    names = bound_names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            names.add(node.name)
    return names


def _line_after_future(tree: ast.Module) -> int:
    """Return the index of the line to insert imports at: after the docstring and ``from __future__``."""
    at = 0
    for node in tree.body:
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not docstring and not future:
            break
        at = node.end_lineno or at
    return at
