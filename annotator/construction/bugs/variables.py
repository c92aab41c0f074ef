"""Bugs of names in Python: another variable of the same inferred type is used, or a name is not defined (2.3)."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from annotator.construction.edits import OperatorMatch, Proposal, apply_edits, make_proposals
from annotator.construction.python_facts import parse_python_code
from annotator.construction.python_program import Function, PythonProgram

_MAX_PER_USE = 2
"""Variables that are tried in place of one use of another."""
_CALL_TYPES = {
    "len": "int", "int": "int", "sum": "int", "abs": "number", "ord": "int", "round": "number", "float": "float",
    "str": "str", "chr": "str", "list": "list", "sorted": "list", "set": "set", "dict": "dict", "tuple": "tuple",
    "bool": "bool", "Counter": "dict", "defaultdict": "dict", "deque": "deque",
}  # fmt: skip
_METHOD_TYPES = {"split": "list", "lower": "str", "upper": "str", "strip": "str", "join": "str", "replace": "str",
                 "count": "int", "find": "int", "index": "int", "copy": "same"}  # fmt: skip


def variable_bugs(code: str) -> list[Proposal]:
    """Return bugs that read another variable of the same type. Raises `ConstructionError` if it is not Python."""
    program = PythonProgram(code)
    repetition_count = _count_repetitions(program.tree)
    matches: list[OperatorMatch] = []
    for function in program.functions():
        kinds = types_of(function)
        first_lines = _first_lines(function)
        for node in program.nodes_inside(function):
            if not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in kinds):
                continue
            others = [
                name
                for name, kind in kinds.items()
                if name != node.id and kind == kinds[node.id] and first_lines.get(name, 0) < node.lineno
            ]
            for other in others[:_MAX_PER_USE]:
                edits = [program.replace(node, other)]
                # Nobody subtracts a value from itself.
                if _count_repetitions(parse_python_code(apply_edits(code, edits))) <= repetition_count:
                    matches.append(("variable", "wrong_variable", edits, f"uses {other} instead of {node.id}"))
    return make_proposals(code, "logic", matches)


def _count_repetitions(tree: ast.AST) -> int:
    """Count equal expressions on both sides of an operator or assignment, or among the arguments of a call."""
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
    """Return the types of local variables that annotations, literals, known calls and loops determine."""
    types: dict[str, set[str]] = {}
    for item in (*function.args.args, *function.args.kwonlyargs):
        if item.annotation is not None:
            types.setdefault(item.arg, set()).add(ast.unparse(item.annotation))
    for node in ast.walk(function):
        for name, kind in _binding_types(node, types):
            types.setdefault(name, set()).add(kind)
    return {name: kinds.pop() for name, kinds in types.items() if len(kinds) == 1 and "" not in kinds}


def _binding_types(node: ast.AST, types: dict[str, set[str]]) -> list[tuple[str, str]]:
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        return _assignment_types(node.targets[0], node.value, types)
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [(node.target.id, ast.unparse(node.annotation))]
    if isinstance(node, ast.For):
        return _loop_types(node.target, node.iter)
    return []


def _assignment_types(target: ast.expr, value: ast.expr, types: dict[str, set[str]]) -> list[tuple[str, str]]:
    if isinstance(target, ast.Name):
        return [(target.id, _infer_type(value, types))]
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        pairs = zip(target.elts, value.elts, strict=True)
        return [(left.id, _infer_type(right, types)) for left, right in pairs if isinstance(left, ast.Name)]
    return [(item.id, "") for item in ast.walk(target) if isinstance(item, ast.Name)]


def _loop_types(target: ast.expr, source: ast.expr) -> list[tuple[str, str]]:
    function_name = source.func.id if isinstance(source, ast.Call) and isinstance(source.func, ast.Name) else ""
    if function_name == "range" and isinstance(target, ast.Name):
        return [(target.id, "int")]
    names = [item for item in ast.walk(target) if isinstance(item, ast.Name)]
    if function_name == "zip" and isinstance(target, ast.Tuple) and isinstance(source, ast.Call):
        pairs = zip(target.elts, source.args, strict=False)
        return [(item.id, f"item of {ast.unparse(iterable)}") for item, iterable in pairs if isinstance(item, ast.Name)]
    if function_name == "enumerate" and isinstance(target, ast.Tuple) and isinstance(source, ast.Call) and source.args:
        item_type = f"item of {ast.unparse(source.args[0])}"
        return [(item.id, "int" if number == 0 else item_type) for number, item in enumerate(names)]
    if isinstance(target, ast.Name):
        return [(target.id, f"item of {ast.unparse(source)}")]
    return [(item.id, f"part of {ast.unparse(source)}") for item in names]


def _infer_type(value: ast.expr, types: dict[str, set[str]]) -> str:
    """Return the type of an expression; empty if it is not known."""
    match value:
        case ast.Constant(value=constant):
            return "" if constant is None else type(constant).__name__
        case ast.Name(id=name):
            kinds = types.get(name, {""})
            return next(iter(kinds)) if len(kinds) == 1 else ""
        case ast.Call(func=ast.Name(id=name)):
            return _CALL_TYPES.get(name, "")
        case ast.Call(func=ast.Attribute(value=owner, attr=name)):
            kind = _METHOD_TYPES.get(name, "")
            return _infer_type(owner, types) if kind == "same" else kind
        case ast.BinOp(left=left, right=right):
            kind = _infer_type(left, types)
            return kind if kind == _infer_type(right, types) else ""
    kinds_of_nodes = {"ListComp": "list", "DictComp": "dict", "SetComp": "set", "Compare": "bool"}
    name = type(value).__name__
    return kinds_of_nodes.get(name, name.lower() if name in ("List", "Dict", "Set") else "")


def undefined_name_bugs(code: str) -> list[Proposal]:
    """Return bugs of names that are not defined. Raises `ConstructionError` if the code is not Python."""
    program = PythonProgram(code)
    matches = [change for node in program.nodes_in_functions() for change in _wrong_name(program, node)]
    matches += [change for node in program.tree.body for change in _removed_import(program, node)]
    return make_proposals(code, "syntax", matches)


def _wrong_name(program: PythonProgram, node: ast.AST) -> Iterator[OperatorMatch]:
    if isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool)):
        new = "null" if node.value is None else str(node.value).lower()
        yield "name", "foreign_constant", [program.replace(node, new)], f"writes {new}"
    if not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)):
        return
    if len(node.id) >= 4 and not hasattr(builtins, node.id):
        yield "name", "misspelt_name", [program.replace(node, _transpose_letters(node.id))], f"{node.id} is misspelt"


def _transpose_letters(name: str) -> str:
    """Return a name with two letters swapped, as in a typing error."""
    for index in range(len(name) // 2, len(name) - 1):
        if name[index] != name[index + 1] and "_" not in name[index : index + 2]:
            return name[:index] + name[index + 1] + name[index] + name[index + 2 :]
    return name[:-1]


def _removed_import(program: PythonProgram, node: ast.stmt) -> Iterator[OperatorMatch]:
    if isinstance(node, ast.Import | ast.ImportFrom) and getattr(node, "module", "") not in ("typing", "__future__"):
        edit = program.remove(node)
        if edit is not None:
            yield "name", "missing_import", [edit], "an import is missing"
