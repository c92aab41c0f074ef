"""Add the imports that an answer forgot (DomainEval's correction), and cut a base model's output at its stops."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from annotator.answers.source import Part
from annotator.text.python_tree import bound_names, free_names, tree_or_empty

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
    code uses and never binds. Code that cannot be parsed is returned unchanged; the body of a function can.
    """
    missing = free_names(tree_or_empty(code))
    added: list[Part] = []
    for part in (part for source in sources for part in _imports(source)):
        if part.binds & missing:
            added.append(part)
            missing -= part.binds
    statements = tuple(part.code for part in added)
    at = 0
    for node in tree_or_empty(code).body if statements else ():
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not docstring and not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            break
        at = node.end_lineno or at
    lines = code.split("\n")
    return "\n".join([*lines[:at], *statements, *lines[at:]]), statements


def _imports(source: str) -> Iterator[Part]:
    """Yield every name that a text imports, which need not be valid code, with a statement for it alone."""
    for match in _IMPORT.finditer(source):
        for node in tree_or_empty(match[0].rstrip(".")).body:
            for alias in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
                single: ast.stmt = ast.Import([alias])
                if isinstance(node, ast.ImportFrom):
                    single = ast.ImportFrom(node.module, [alias], node.level)
                if not ast.unparse(single).startswith("from __future__"):
                    yield Part(code=ast.unparse(single), binds=frozenset(bound_names(single)), is_import=True)
