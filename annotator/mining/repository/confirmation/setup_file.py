"""Read literal requirements from ``setup.py`` without running it, following names of variables."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Mapping, Sequence

from annotator.mining.repository.discovery.modules import ParsedProject

_REQUIREMENT_KEYWORDS = ("install_requires", "tests_require")
_EXTRAS_KEYWORD = "extras_require"

ValuesByName = Mapping[str, Sequence[ast.expr]]
"""The expressions assigned to names and keywords."""


def groups_of_setup(project: ParsedProject) -> dict[str, list[str]]:
    """Return requirements by their optional group; those of the package and its tests have the group "".

    Computed values are left out.
    """
    module = project.by_path.get("setup.py")
    if module is None:
        return {}
    values_by_name = _collect_values(module.tree)
    groups = {
        "": [
            text
            for name in _REQUIREMENT_KEYWORDS
            for node in values_by_name.get(name, ())
            for text in _literal_texts(node, values_by_name)
        ]
    }
    optional_parts = [
        part for node in values_by_name.get(_EXTRAS_KEYWORD, ()) for part in _resolve_parts(node, values_by_name)
    ]
    for part in optional_parts:
        pairs = zip(part.keys, part.values, strict=True) if isinstance(part, ast.Dict) else ()
        for key, value in pairs:
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                groups.setdefault(key.value, []).extend(_literal_texts(value, values_by_name))
    return groups


def _collect_values(tree: ast.Module) -> ValuesByName:
    values_by_name: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg in (*_REQUIREMENT_KEYWORDS, _EXTRAS_KEYWORD):
            values_by_name.setdefault(node.arg, []).append(node.value)
        elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name):
                    values_by_name.setdefault(target.id, []).append(node.value)
    return values_by_name


def _literal_texts(node: ast.expr, values_by_name: ValuesByName) -> list[str]:
    parts = _resolve_parts(node, values_by_name)
    return [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]


def _resolve_parts(node: ast.expr, values_by_name: ValuesByName) -> list[ast.expr]:
    """Resolve lists, sums of lists and names into their elements; each name is followed once."""
    parts, pending, visited = list[ast.expr](), deque([node]), set[str]()
    while pending:
        item = pending.popleft()
        inner: Sequence[ast.expr] = ()
        if isinstance(item, (ast.List, ast.Tuple, ast.Set)):
            inner = item.elts
        elif isinstance(item, ast.BinOp) and isinstance(item.op, ast.Add):
            inner = (item.left, item.right)
        elif isinstance(item, ast.Starred):
            inner = (item.value,)
        elif not isinstance(item, ast.Name):
            parts.append(item)
        elif item.id not in visited:
            visited.add(item.id)
            inner = values_by_name.get(item.id, ())
        pending.extendleft(reversed(inner))
    return parts
