"""Static facts about Python code: its functions, lines, branches and docstrings."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Literal

from annotator.construction.task_material import ConstructionError
from annotator.text.python_tree import UNREADABLE, imported_modules, read_tree

_RAISE = re.compile(r"\b(?:raise|throw)\s+(?:new\s+)?([\w.:]+)")
_QUOTED_TEXT = re.compile(r"""(["'`])((?:\\.|(?!\1).)*)\1""")


def raised_names(text: str) -> list[str]:
    """Return the names of the exceptions that code raises, as they are written."""
    return _RAISE.findall(text)


def bare_name(name: str) -> str:
    """Return the name of an exception without the modules or namespaces before it."""
    return re.split(r"\W+", name)[-1]


def quoted_texts(text: str) -> list[str]:
    """Return the non-empty quoted texts, in their order."""
    return [match[2] for match in _QUOTED_TEXT.finditer(text) if match[2]]


def without_quoted(text: str) -> str:
    """Return a text without its quoted parts."""
    return _QUOTED_TEXT.sub("", text)


Difficulty = Literal["easy", "medium", "hard"]


def parse_python_code(code: str) -> ast.Module:
    """Return the syntax tree. Raises `ConstructionError` if the code is not Python."""
    try:
        return read_tree(code)
    except UNREADABLE as error:
        raise ConstructionError(f"The code is not Python: {error}") from error


def find_function(code: str, name: str) -> ast.FunctionDef:
    """Return the function with a name, preferably at the top level. Raises `ConstructionError` if there is none."""
    tree = parse_python_code(code)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == name]
    if not functions:
        raise ConstructionError(f"There is no function {name} in the code.")
    top_level_functions = [node for node in functions if node in tree.body]
    return (top_level_functions or functions)[-1]


def _is_text_statement(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def without_docstrings(code: str) -> str:
    """Return the code without docstrings and other strings used as statements, since they often show results.

    A body with nothing else keeps them.
    """
    tree = parse_python_code(code)
    removed_lines: set[int] = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        texts = [item for item in body if _is_text_statement(item)]
        if len(texts) < len(body):
            removed_lines.update(
                line for item in texts for line in range(item.lineno, (item.end_lineno or item.lineno) + 1)
            )
    lines = [line for number, line in enumerate(code.splitlines(keepends=True), start=1) if number not in removed_lines]
    text = "".join(lines)
    try:
        read_tree(text)
    except SyntaxError:
        # The docstring shared its line with other code.
        return code
    return text


def top_level_imports(code: str) -> frozenset[str]:
    """Return the top-level modules that a program imports anywhere."""
    return frozenset(imported_modules(parse_python_code(code)))


@dataclass(frozen=True, slots=True)
class CodeSize:
    """A function's size: lines of its body without docstring, comments and empty lines, and cyclomatic complexity."""

    body_lines: int
    branches: int


def code_lines(code: str) -> int:
    """Return the number of lines that are neither blank nor a comment."""
    return sum(1 for line in code.splitlines() if line.strip() and not line.lstrip().startswith("#"))


def start_difficulty(shape: CodeSize, blanks: int = 0) -> Difficulty:
    """Return the initial difficulty (specification 3.4): easy with one blank or a small body, hard with three or large.

    ``blanks`` is 0 for a task on the whole function.
    """
    if blanks >= 3 or shape.body_lines > 20 or shape.branches > 8:
        return "hard"
    if blanks == 1 or (shape.body_lines <= 5 and shape.branches <= 3):
        return "easy"
    return "medium"
