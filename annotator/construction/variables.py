"""Bugs of logic that use another variable of the same scope and the same inferred type."""

from __future__ import annotations

import ast
from collections.abc import Callable

from annotator.construction.code_facts import parse
from annotator.construction.edits import Proposal, apply
from annotator.construction.spans import Function, Program

_MOST_PER_USE = 2
_CALLED = {
    "len": "int", "int": "int", "sum": "int", "abs": "number", "ord": "int", "round": "number", "float": "float",
    "str": "str", "chr": "str", "list": "list", "sorted": "list", "set": "set", "dict": "dict", "tuple": "tuple",
    "bool": "bool", "Counter": "dict", "defaultdict": "dict", "deque": "deque",
}  # fmt: skip
_METHODS = {"split": "list", "lower": "str", "upper": "str", "strip": "str", "join": "str", "replace": "str",
            "count": "int", "find": "int", "index": "int", "copy": "same"}  # fmt: skip


def variable_bugs(code: str) -> list[Proposal]:
    """Return bugs that read another variable of the same type. Raises `ConstructionError` (not Python)."""
    program = Program(code)
    repeated = _repetitions(program.tree)
    found = []
    for function in program.functions():
        kinds = types_of(function)
        bound = _first_lines(function)
        for node in program.inside(function):
            if not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in kinds):
                continue
            others = [
                name
                for name, kind in kinds.items()
                if name != node.id and kind == kinds[node.id] and bound.get(name, 0) < node.lineno
            ]
            for other in others[:_MOST_PER_USE]:
                changed = apply(code, [program.replace(node, other)])
                if _repetitions(parse(changed)) > repeated:
                    # Nobody subtracts a value from itself.
                    continue
                why = f"uses {other} instead of {node.id}"
                found.append(Proposal("logic.variable", "wrong_variable", changed, code, why))
    return found


def _repetitions(tree: ast.AST) -> int:
    """Return how often the same stands on both sides of a sign, of an assignment, or twice among arguments."""
    count = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp):
            sides: list[ast.expr] = [node.left, node.right]
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
        elif isinstance(node, ast.Assign | ast.AugAssign):
            sides = [*(node.targets if isinstance(node, ast.Assign) else [node.target]), node.value]
        elif isinstance(node, ast.Call):
            sides = [item for item in node.args if not isinstance(item, ast.Constant)]
        else:
            continue
        count += len(sides) - len({ast.unparse(side) for side in sides})
    return count


def _first_lines(function: Function) -> dict[str, int]:
    lines = {item.arg: 0 for item in (*function.args.args, *function.args.kwonlyargs)}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            lines[node.id] = min(lines.get(node.id, node.lineno), node.lineno)
    return lines


def types_of(function: Function) -> dict[str, str]:
    """Return a type for each local variable of which one is known: annotation, literal, known call, loop variable."""
    found: dict[str, set[str]] = {}
    for item in (*function.args.args, *function.args.kwonlyargs):
        if item.annotation is not None:
            found.setdefault(item.arg, set()).add(ast.unparse(item.annotation))
    for node in ast.walk(function):
        for name, kind in _bound(node, found):
            found.setdefault(name, set()).add(kind)
    return {name: kinds.pop() for name, kinds in found.items() if len(kinds) == 1 and "" not in kinds}


def _bound(node: ast.AST, known: dict[str, set[str]]) -> list[tuple[str, str]]:
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        return _assigned(node.targets[0], node.value, known)
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [(node.target.id, ast.unparse(node.annotation))]
    if isinstance(node, ast.For):
        return _looped(node.target, node.iter)
    return []


def _assigned(target: ast.expr, value: ast.expr, known: dict[str, set[str]]) -> list[tuple[str, str]]:
    if isinstance(target, ast.Name):
        return [(target.id, _type(value, known))]
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        pairs = zip(target.elts, value.elts, strict=True)
        return [(left.id, _type(right, known)) for left, right in pairs if isinstance(left, ast.Name)]
    return [(item.id, "") for item in ast.walk(target) if isinstance(item, ast.Name)]


def _looped(target: ast.expr, source: ast.expr) -> list[tuple[str, str]]:
    called = source.func.id if isinstance(source, ast.Call) and isinstance(source.func, ast.Name) else ""
    if called == "range" and isinstance(target, ast.Name):
        return [(target.id, "int")]
    names = [item for item in ast.walk(target) if isinstance(item, ast.Name)]
    if called == "enumerate" and isinstance(target, ast.Tuple) and isinstance(source, ast.Call) and source.args:
        rest = f"item of {ast.unparse(source.args[0])}"
        return [(item.id, "int" if number == 0 else rest) for number, item in enumerate(names)]
    if isinstance(target, ast.Name):
        return [(target.id, f"item of {ast.unparse(source)}")]
    return [(item.id, f"part of {ast.unparse(source)}") for item in names]


def _type(value: ast.expr, known: dict[str, set[str]]) -> str:
    reader = _TYPED.get(type(value))
    return reader(value, known) if reader is not None else ""


def _constant(value: ast.expr, _known: dict[str, set[str]]) -> str:
    assert isinstance(value, ast.Constant)
    return "" if value.value is None else type(value.value).__name__


def _name(value: ast.expr, known: dict[str, set[str]]) -> str:
    assert isinstance(value, ast.Name)
    kinds = known.get(value.id, {""})
    return next(iter(kinds)) if len(kinds) == 1 else ""


def _call(value: ast.expr, known: dict[str, set[str]]) -> str:
    assert isinstance(value, ast.Call)
    if isinstance(value.func, ast.Name):
        return _CALLED.get(value.func.id, "")
    if isinstance(value.func, ast.Attribute):
        kind = _METHODS.get(value.func.attr, "")
        return _type(value.func.value, known) if kind == "same" else kind
    return ""


def _calculated(value: ast.expr, known: dict[str, set[str]]) -> str:
    assert isinstance(value, ast.BinOp)
    left, right = _type(value.left, known), _type(value.right, known)
    return left if left == right else ""


_TYPED: dict[type[ast.expr], Callable[[ast.expr, dict[str, set[str]]], str]] = {
    ast.Constant: _constant, ast.Name: _name, ast.Call: _call, ast.BinOp: _calculated,
    ast.List: lambda _value, _known: "list", ast.ListComp: lambda _value, _known: "list",
    ast.Dict: lambda _value, _known: "dict", ast.DictComp: lambda _value, _known: "dict",
    ast.Set: lambda _value, _known: "set", ast.SetComp: lambda _value, _known: "set",
    ast.Compare: lambda _value, _known: "bool",
}  # fmt: skip
