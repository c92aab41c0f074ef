"""Bugs of logic in Python that leave something out: a call around a value, or a sign of a pattern."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from annotator.construction.edits import Edit, Found
from annotator.construction.python_program import Program

_METHODS = ("strip", "lstrip", "rstrip", "lower", "upper", "casefold", "copy", "removeprefix", "removesuffix")
_FUNCTIONS = ("abs", "sorted", "reversed", "round")
"""What returns a value of its argument's kind, so that the program works without it, on most inputs."""
_SEARCHES = ("compile", "match", "search", "fullmatch", "sub", "subn", "split", "findall", "finditer")
_LITERAL = re.compile(r"""[rR]?('''|\"""|'|")(.*)\1""", re.DOTALL)
_SIGN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?.|[+*]\??|.", re.DOTALL)


def omitted_call(program: Program, node: ast.AST) -> Iterator[Found]:
    """Yield a call that gives a value of the same kind without that call: ``name.strip()`` becomes ``name``."""
    if not isinstance(node, ast.Call) or isinstance(program.parents.get(node), ast.Expr):
        return
    if isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS:
        name = node.func.attr
        end = program.span(node.func)[1] - len(name)
        dot = program.data.rindex(b".", program.span(node.func.value)[1], end)
        yield "missing", "omitted_call", [Edit(dot, program.span(node)[1], "")], f"does not call {name}"
    elif isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS and node.args:
        value = node.args[0]
        if not isinstance(value, ast.GeneratorExp | ast.Starred):
            edit = program.replace(node, f"({program.text(value)})" if _is_loose(value) else program.text(value))
            yield "missing", "omitted_call", [edit], f"does not call {node.func.id}"


def _is_loose(value: ast.expr) -> bool:
    return isinstance(value, ast.BinOp | ast.UnaryOp | ast.BoolOp | ast.Compare | ast.IfExp | ast.Lambda)


def omitted_sign(program: Program, node: ast.AST) -> Iterator[Found]:
    """Yield a call of a regular expression with one sign of it left out: ``[a-z]+`` becomes ``[a-z]``."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _SEARCHES):
        return
    pattern = node.args[0] if node.args else None
    if getattr(node.func.value, "id", "") != "re" or not isinstance(pattern, ast.Constant):
        return
    source = program.text(pattern)
    literal = _LITERAL.fullmatch(source)
    if literal is None:
        return
    start = program.span(pattern)[0]
    for found in _SIGN.finditer(source, literal.start(2), literal.end(2)):
        sign, first, last = found[0], found.start() == literal.start(2), found.end() == literal.end(2)
        if sign[0] == "+" or sign == r"\b" or (sign == "^" and first) or (sign == "$" and last):
            at = start + len(source[: found.start()].encode())
            yield "operation", "pattern", [Edit(at, at + len(sign.encode()), "")], f"the pattern lacks {sign}"
