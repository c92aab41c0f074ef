"""Bugs of logic in Python that leave something out: a call around a value, or a sign of a pattern."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from annotator.construction.edits import Edit, OperatorMatch
from annotator.construction.pattern_signs import forgettable_signs
from annotator.construction.python_program import PythonProgram

_METHODS = ("strip", "lstrip", "rstrip", "lower", "upper", "casefold", "copy", "removeprefix", "removesuffix")
_FUNCTIONS = ("abs", "sorted", "reversed", "round")
"""Functions that return the same type as their argument, so that the program works without them on most inputs."""
_LOOSE = (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Lambda)
_HOLDING = (ast.Attribute, ast.Subscript)
"""Expressions that need brackets beside another operator, or before an attribute or subscript."""
_SEARCHES = ("compile", "match", "search", "fullmatch", "sub", "subn", "split", "findall", "finditer")
_LITERAL = re.compile(r"""[rR]?('''|\"""|'|")(.*)\1""", re.DOTALL)


def omitted_call(program: PythonProgram, node: ast.AST) -> Iterator[OperatorMatch]:
    """Yield the removal of a call that keeps the type of its value: ``name.strip()`` becomes ``name``."""
    if not isinstance(node, ast.Call) or isinstance(program.parents.get(node), ast.Expr):
        return
    if isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS:
        name = node.func.attr
        end = program.span(node.func)[1] - len(name)
        dot = program.data.rindex(b".", program.span(node.func.value)[1], end)
        yield "missing", "removed_step", [Edit(dot, program.span(node)[1], "")], f"a step is missing: {name}"
    elif isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS and node.args:
        value = node.args[0]
        if not isinstance(value, ast.GeneratorExp | ast.Starred):
            is_loose = isinstance(value, _LOOSE) and isinstance(program.parents.get(node), (*_LOOSE, *_HOLDING))
            edit = program.replace(node, f"({program.text(value)})" if is_loose else program.text(value))
            yield "missing", "removed_step", [edit], f"a step is missing: {node.func.id}"


def omitted_sign(program: PythonProgram, node: ast.AST) -> Iterator[OperatorMatch]:
    """Yield the removal of one sign of a regular expression: ``[a-z]+`` becomes ``[a-z]``."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _SEARCHES):
        return
    pattern = node.args[0] if node.args else None
    if getattr(node.func.value, "id", "") != "re" or not isinstance(pattern, ast.Constant):
        return
    source = program.text(pattern)
    literal = _LITERAL.fullmatch(source)
    if literal is None:
        return
    for place, sign in forgettable_signs(literal[2]):
        at = program.span(pattern)[0] + len(source[: literal.start(2) + place].encode())
        yield "operation", "pattern", [Edit(at, at + len(sign.encode()), "")], f"the pattern lacks {sign}"
