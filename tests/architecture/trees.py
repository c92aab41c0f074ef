"""The package's modules as syntax trees: read once for all tests, and not while tests are collected."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "annotator"
MODULES = sorted(PACKAGE.rglob("*.py"))


@functools.cache
def tree_of(path: Path) -> ast.Module:
    """Return the tree of a module of the package."""
    return ast.parse(path.read_text(encoding="utf-8"))


def all_trees() -> dict[Path, ast.Module]:
    """Return the trees of all modules by their paths."""
    return {path: tree_of(path) for path in MODULES}
