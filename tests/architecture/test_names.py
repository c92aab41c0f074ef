"""Names that say nothing about a value, or that two things share, are found before a reader stumbles over them."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.trees import ROOT, all_trees

VAGUE = frozenset(
    {
        *(
            "wanted",
            "asked",
            "told",
            "found",
            "kept",
            "made",
            "given",
            "said",
            "shown",
            "standing",
            "brought",
            "chosen",
        ),
        *("known", "bound", "held", "seen", "taken", "meant", "left", "put", "there", "later", "some", "awaited"),
        *("arrived", "stood", "named", "called", "counted", "looked"),
    }
)
"""Participles and question words: as the whole name of a thing, they do not say what it is."""
BARE = frozenset(
    {
        *("read", "write", "export", "listing", "find", "load", "save", "get", "put", "run", "make", "show", "take"),
        *("add", "open", "text", "rows", "items", "state"),
    }
)
"""Words that a module function needs a noun beside, so that searching for its name finds it alone."""
SIDES = frozenset({"left"})
"""Beside ``right`` it names a side."""


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def _trees() -> Iterator[tuple[Path, ast.Module]]:
    return ((path.relative_to(ROOT), tree) for path, tree in all_trees().items())


def test_definitions_and_parameters_say_what_they_are() -> None:
    vague = []
    for path, tree in _trees():
        for function in _functions(tree):
            names = [item.arg for item in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
            names = [name for name in names if name.strip("_") not in SIDES or "right" not in names]
            vague += [
                f"{path}:{function.lineno} {name}" for name in (function.name, *names) if name.strip("_") in VAGUE
            ]
        classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        vague += [f"{path}:{item.lineno} {item.name}" for item in classes if item.name.strip("_").lower() in VAGUE]
    assert vague == []


def test_a_class_name_is_used_once() -> None:
    places = defaultdict(list)
    for path, tree in _trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name.strip("_")].append(str(path))
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


def test_a_module_function_carries_its_noun() -> None:
    assert [
        f"{path}: {node.name}"
        for path, tree in _trees()
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name in BARE
    ] == []
