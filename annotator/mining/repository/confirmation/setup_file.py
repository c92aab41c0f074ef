"""What ``setup.py`` asks for, read and never run: lists that are written out, or given a name first."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Mapping, Sequence

from annotator.mining.repository.discovery.modules import Project

_REQUIRED = ("install_requires", "tests_require")
_OPTIONAL = "extras_require"

Known = Mapping[str, Sequence[ast.expr]]
"""What names and keywords stand for."""


def groups_of_setup(project: Project) -> dict[str, list[str]]:
    """Return requirements by the name of their optional group, those of the package and its tests under no name.

    What is computed is not known.
    """
    module = project.by_path.get("setup.py")
    if module is None:
        return {}
    known = _known(module.tree)
    found = {"": [text for name in _REQUIRED for node in known.get(name, ()) for text in _texts(node, known)]}
    given = [part for node in known.get(_OPTIONAL, ()) for part in _followed(node, known)]
    for part in given:
        pairs = zip(part.keys, part.values, strict=True) if isinstance(part, ast.Dict) else ()
        for key, value in pairs:
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                found.setdefault(key.value, []).extend(_texts(value, known))
    return found


def _known(tree: ast.Module) -> Known:
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg in (*_REQUIRED, _OPTIONAL):
            found.setdefault(node.arg, []).append(node.value)
        elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(node.value)
    return found


def _texts(node: ast.expr, known: Known) -> list[str]:
    parts = _followed(node, known)
    return [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]


def _followed(node: ast.expr, known: Known) -> list[ast.expr]:
    """Return what lists, sums of lists and names come down to; each name is followed once."""
    found, waiting, seen = list[ast.expr](), deque([node]), set[str]()
    while waiting:
        item = waiting.popleft()
        inner: Sequence[ast.expr] = ()
        if isinstance(item, (ast.List, ast.Tuple, ast.Set)):
            inner = item.elts
        elif isinstance(item, ast.BinOp) and isinstance(item.op, ast.Add):
            inner = (item.left, item.right)
        elif isinstance(item, ast.Starred):
            inner = (item.value,)
        elif not isinstance(item, ast.Name):
            found.append(item)
        elif item.id not in seen:
            seen.add(item.id)
            inner = known.get(item.id, ())
        waiting.extendleft(reversed(inner))
    return found
