"""Records and calls say by name what they hand over, where a swap of two values would go unseen."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.trees import PACKAGE, all_trees

MOST_FIELDS = 4
"""So many fields of a data class may be given by their place; with more the class is ``kw_only``."""
MOST_VALUES = 6
"""So many values of a call may be given by their place."""
NOT_YET = ("cli/", "criteria/", "figures/", "services/results/result_tables.py")
"""Where records are still made by place."""
LIBRARIES = {"drawItemText", "partial", "select", "select_columns"}
"""Functions of libraries that take any number of values, or take them by their place alone."""


def _is_data_class(decorator: ast.expr) -> bool:
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(function).rpartition(".")[2] == "dataclass"


def _fields_by_place(node: ast.ClassDef) -> int:
    """Count the fields of a data class that may be given by their place; 0 for another class."""
    decorators = [decorator for decorator in node.decorator_list if _is_data_class(decorator)]
    if not decorators or "kw_only=True" in ast.unparse(decorators[0]):
        return 0
    fields = 0
    for item in node.body:
        if isinstance(item, ast.AnnAssign):
            annotation = ast.unparse(item.annotation)
            if annotation.endswith("KW_ONLY"):
                break
            value = ast.unparse(item.value) if item.value else ""
            fields += "ClassVar" not in annotation and "init=False" not in value
    return fields


def _functions_of_any_number(trees: dict[Path, ast.Module]) -> set[str]:
    """Return the names of our functions that take any number of values."""
    return {
        node.name
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.args.vararg is not None
    }


def _problems(tree: ast.Module, of_any_number: set[str]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and (fields := _fields_by_place(node)) > MOST_FIELDS:
            yield f"{node.lineno}: {node.name} takes {fields} fields by their place, so it must be kw_only"
        elif isinstance(node, ast.Call):
            name = ast.unparse(node.func).rpartition(".")[2]
            values = sum(not isinstance(value, ast.Starred) for value in node.args)
            if values > MOST_VALUES and name not in of_any_number:
                yield f"{node.lineno}: {name} is given {values} values by their place"


def test_values_are_given_by_name() -> None:
    trees = all_trees()
    of_any_number = LIBRARIES | _functions_of_any_number(trees)
    failures = [
        f"{path.relative_to(PACKAGE)}:{problem}"
        for path, tree in trees.items()
        if not path.relative_to(PACKAGE).as_posix().startswith(NOT_YET)
        for problem in _problems(tree, of_any_number)
    ]
    assert not failures, "\n".join(failures)


def test_what_is_given_by_place_is_found() -> None:
    program = (
        "@dataclass(frozen=True)\nclass Wide:\n    a: int\n    b: int\n    c: int\n    d: int\n    e: int\n"
        "@dataclass(kw_only=True)\nclass Named:\n    a: int\n    b: int\n    c: int\n    d: int\n    e: int\n"
        "@dataclass\nclass Partly:\n    a: int\n    b: int\n    c: int\n    d: int\n    _: KW_ONLY\n    e: int\n"
        "made(1, 2, 3, 4, 5, 6, 7)\nmade(1, 2, 3, 4, 5, 6)\nmany(1, 2, 3, 4, 5, 6, 7)\n"
    )
    found = [problem.partition(" ")[2] for problem in _problems(ast.parse(program), {"many"})]
    assert found == [
        "Wide takes 5 fields by their place, so it must be kw_only",
        "made is given 7 values by their place",
    ]
