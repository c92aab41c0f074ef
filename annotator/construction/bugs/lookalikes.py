"""Changes that are easily confused with the original: a similar method, a call without its last argument.

They differ from the reference on few inputs, so they show whether tests cover those. Review items never use them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import chain, pairwise

from tree_sitter import Node

from annotator.construction.edits import Edit, OperatorMatch, Proposal, make_proposals
from annotator.construction.languages.language_calls import SCRIPTS
from annotator.construction.languages.tree_sitter_bugs import parse_foreign
from annotator.construction.python_program import Function, PythonProgram
from annotator.text.syntax_trees import node_text, walk_nodes

_METHODS = {
    "fullmatch": "match", "casefold": "lower", "removeprefix": "lstrip", "removesuffix": "rstrip", "deepcopy": "copy",
}  # fmt: skip
_CONSTANT_SWAPS = {"ROUND_HALF_UP": "ROUND_HALF_EVEN", "ROUND_HALF_EVEN": "ROUND_HALF_UP"}
_WHITESPACE_METHODS = ("split", "strip", "lstrip", "rstrip")
"""Methods that act on any white space when called without arguments."""
_SCRIPT_METHODS = {"replaceAll": "replace", "trunc": "floor", "allSettled": "all", "flatMap": "map",
                   "codePointAt": "charCodeAt", "parseFloat": "parseInt"}  # fmt: skip
_SCRIPT_CALLS = {"Number.isNaN": "isNaN", "Number": "parseInt", "parseFloat": "parseInt"}
_LITERALS = ("number_literal", "decimal_floating_point_literal", "decimal_integer_literal", "string_literal")
_CHANGED_RESULTS = {
    "vector": "{{ {kind} changed = {value}; if (!changed.empty()) changed.pop_back(); return changed; }}",
    "String": "{{ String changed = {value}; return changed.substring(0, Math.max(0, changed.length() - 1)); }}",
    "List": "{{ {kind} changed = {value}; return changed.subList(0, Math.max(0, changed.size() - 1)); }}",
    "[]": "{{ {kind} changed = {value}; return java.util.Arrays.copyOf(changed, Math.max(0, changed.length - 1)); }}",
    **dict.fromkeys(("double", "float"), "return ({value}) + 0.1f;"),
}
_CHANGED_RESULTS["string"] = _CHANGED_RESULTS["vector"]
"""Statements by return type: they return the value without its last part, or a number that is 0.1 too large."""
_NUMBERS = ("double", "float")


def python_lookalikes(code: str) -> list[Proposal]:
    """Return the lookalike changes of a Python program's functions. Raises `ConstructionError` if it is not Python."""
    program = PythonProgram(code)
    swapped = (change for node in program.functions() for change in _python_parameters(program, node))
    changed = (change for node in program.nodes_in_functions() for change in _python_changes(program, node))
    return make_proposals(code, "logic", chain(swapped, changed))


def _python_parameters(program: PythonProgram, function: Function) -> Iterator[OperatorMatch]:
    """Swap two adjacent parameters with the same annotation."""
    parameters = [item for item in function.args.args if item.arg not in ("self", "cls")]
    for one, two in pairwise(parameters):
        if _annotation_of(one) == _annotation_of(two):
            edits = [program.replace(one, program.text(two)), program.replace(two, program.text(one))]
            yield "variable", "parameter_swap", edits, f"{one.arg} and {two.arg} are exchanged"


def _annotation_of(parameter: ast.arg) -> str:
    return ast.unparse(parameter.annotation) if parameter.annotation is not None else ""


def _python_changes(program: PythonProgram, node: ast.AST) -> Iterator[OperatorMatch]:
    if isinstance(node, ast.Name | ast.Attribute) and (name := _last_name(node)) in _CONSTANT_SWAPS:
        end = program.span(node)[1]
        edit = Edit(end - len(name), end, _CONSTANT_SWAPS[name])
        yield "operation", "lookalike", [edit], f"says {_CONSTANT_SWAPS[name]} instead of {name}"
    elif isinstance(node, ast.Attribute) and node.attr == "total_seconds":
        call = program.parents.get(node)
        if isinstance(call, ast.Call):
            edit = Edit(program.span(node)[1] - len(node.attr), program.span(call)[1], "seconds")
            yield "operation", "lookalike", [edit], "says seconds instead of total_seconds"
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Is | ast.IsNot):
        yield from _none_check(program, node)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
        start, end = program.span(node)
        sign = program.data.find(b"//", program.span(node.left)[1], program.span(node.right)[0])
        if sign >= 0:
            edits = [Edit(start, start, "int("), Edit(sign, sign + 2, "/"), Edit(end, end, ")")]
            yield "operation", "lookalike", edits, "cuts the fraction off instead of rounding down"
    elif isinstance(node, ast.Lambda) and isinstance(node.body, ast.Tuple) and len(node.body.elts) > 1:
        *_, before, last = node.body.elts
        edit = Edit(program.span(before)[1], program.span(last)[1], "," if len(node.body.elts) == 2 else "")
        yield "missing", "tie", [edit], "ties are not broken"
    elif isinstance(node, ast.Call):
        yield from _call_changes(program, node)
        yield from _without_argument(program, node)


def _last_name(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr


def _none_check(program: PythonProgram, node: ast.Compare) -> Iterator[OperatorMatch]:
    """Replace a comparison with None by a test of truth."""
    right = node.comparators[0]
    if isinstance(right, ast.Constant) and right.value is None and isinstance(node.left, ast.Name | ast.Attribute):
        left = program.text(node.left)
        text = left if isinstance(node.ops[0], ast.IsNot) else f"(not {left})"
        yield "condition", "falsy", [program.replace(node, text)], "takes what is empty for what is missing"


def _call_changes(program: PythonProgram, node: ast.Call) -> Iterator[OperatorMatch]:
    if not isinstance(node.func, ast.Attribute):
        return
    name, end = node.func.attr, program.span(node.func)[1]
    if name in _METHODS:
        new = _METHODS[name]
        yield "operation", "lookalike", [Edit(end - len(name), end, new)], f"calls {new} instead of {name}"
    if name in _WHITESPACE_METHODS and not (node.args or node.keywords):
        edit = Edit(end, program.span(node)[1], "(' ')")
        yield "operation", "lookalike", [edit], f"{name} takes spaces only"
    if name == "splitlines" and not (node.args or node.keywords):
        edit = Edit(end - len(name), program.span(node)[1], "split('\\n')")
        yield "operation", "lookalike", [edit], "calls split instead of splitlines"


def _without_argument(program: PythonProgram, node: ast.Call) -> Iterator[OperatorMatch]:
    """Leave out the last of several arguments, or a single keyword argument.

    A single positional argument stays, since most calls fail at once without it.
    """
    arguments: list[ast.expr | ast.keyword] = sorted([*node.args, *node.keywords], key=lambda item: program.span(item))
    if not arguments or (len(arguments) == 1 and not node.keywords):
        return
    last = arguments[-1]
    start = program.span(arguments[-2])[1] if len(arguments) > 1 else program.span(last)[0]
    name = last.arg if isinstance(last, ast.keyword) and last.arg else "the last"
    yield "missing", "dropped_argument", [Edit(start, program.span(last)[1], "")], f"an argument is missing: {name}"


def foreign_lookalikes(code: str, language: str) -> list[Proposal]:
    """Return the lookalike changes of a program in another language; most are for scripting languages.

    Raises `ConstructionError` for a language without a parser.
    """
    data = code.encode("utf-8", "surrogatepass")
    nodes = list(walk_nodes(parse_foreign(code, language)))
    swapped = (change for node in nodes for change in _foreign_parameters(node, data))
    make = _script_changes if language in SCRIPTS else _other_result
    return make_proposals(code, "logic", chain(swapped, (change for node in nodes for change in make(node, data))))


def _other_result(function: Node, data: bytes) -> Iterator[OperatorMatch]:
    """Change every return value of a function in Java or C++; tests may check only its first parts, or not closely."""
    kind, body = function.child_by_field_name("type"), function.child_by_field_name("body")
    if function.type not in ("function_definition", "method_declaration") or kind is None or body is None:
        return
    text = node_text(kind, data)
    name = _type_name(text)
    changed = _CHANGED_RESULTS.get(name, "")
    returns = [
        node for node in walk_nodes(body) if node.type == "return_statement" and _enclosing_function(node) == function
    ]
    edits = [
        Edit(node.start_byte, node.end_byte, changed.format(kind=text, value=node_text(node.named_children[0], data)))
        for node in returns
        # Tests check literal results (special cases) more closely than computed ones.
        if node.named_children and node.named_children[0].type not in _LITERALS
    ]
    if changed and edits:
        explanation = (
            "the number returned is too large" if name in _NUMBERS else "the last part of the result is missing"
        )
        yield "missing", "other_result", edits, explanation


def _type_name(kind: str) -> str:
    """Return the name of a type without its namespace and arguments; ``[]`` for an array."""
    if kind.endswith("[]"):
        return "[]"
    return kind.removeprefix("const ").removeprefix("std::").removeprefix("java.util.").partition("<")[0]


def _enclosing_function(node: Node) -> Node | None:
    """Return the function or lambda that contains a statement."""
    up = node.parent
    while up is not None and up.type not in ("function_definition", "method_declaration", "lambda_expression"):
        up = up.parent
    return up


def _foreign_parameters(node: Node, data: bytes) -> Iterator[OperatorMatch]:
    """Swap the names of two adjacent parameters of the same type, except in functions passed as arguments."""
    around = node.parent.parent if node.parent is not None else None
    if node.type not in ("formal_parameters", "parameter_list") or (around is not None and around.type == "arguments"):
        return
    for one, two in pairwise(node.named_children):
        left, right = _name_of(one), _name_of(two)
        if left is None or right is None:
            continue
        kinds = [
            node_text(item, data).replace(node_text(name, data), "", 1) for item, name in ((one, left), (two, right))
        ]
        if len({kind.strip() for kind in kinds}) == 1:
            names = node_text(left, data), node_text(right, data)
            edits = [Edit(left.start_byte, left.end_byte, names[1]), Edit(right.start_byte, right.end_byte, names[0])]
            yield "variable", "parameter_swap", edits, f"{names[0]} and {names[1]} are exchanged"


def _name_of(parameter: Node) -> Node | None:
    """Return the name node of a parameter; None if it is destructured or has a default."""
    if parameter.type == "identifier":
        return parameter
    name_nodes = (parameter.child_by_field_name(name) for name in ("declarator", "name", "pattern"))
    name_node = next((node for node in name_nodes if node is not None), None)
    while (
        name_node is not None
        and name_node.type in ("reference_declarator", "pointer_declarator")
        and name_node.named_children
    ):
        name_node = name_node.named_children[-1]
    return name_node if name_node is not None and name_node.type == "identifier" else None


def _script_changes(node: Node, data: bytes) -> Iterator[OperatorMatch]:
    if node.type == "binary_expression":
        sign, right = node.child_by_field_name("operator"), node.child_by_field_name("right")
        if sign is not None and right is not None and node_text(sign, data) in ("||", "&&"):
            yield "missing", "tie", [Edit(sign.start_byte, right.end_byte, "")], "a part of the condition is missing"
    if node.type != "call_expression":
        return
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or arguments is None:
        return
    name = function.child_by_field_name("property") or function
    text, old = node_text(function, data), node_text(name, data)
    if text in _SCRIPT_CALLS:
        new = _SCRIPT_CALLS[text]
        edit = Edit(function.start_byte, function.end_byte, new)
        yield "operation", "lookalike", [edit], f"calls {new} instead of {text}"
    elif name != function and old in _SCRIPT_METHODS:
        edit = Edit(name.start_byte, name.end_byte, _SCRIPT_METHODS[old])
        yield "operation", "lookalike", [edit], f"calls {_SCRIPT_METHODS[old]} instead of {old}"
    values = [item for item in arguments.named_children if item.type != "comment"]
    if values and (len(values) > 1 or old in ("sort", "toSorted", "join", "flat", "at", "toFixed")):
        start = values[-2].end_byte if len(values) > 1 else values[-1].start_byte
        argument_text = re.sub(r"\s+", " ", node_text(values[-1], data))[:40]
        edit = Edit(start, values[-1].end_byte, "")
        yield "missing", "dropped_argument", [edit], f"an argument is missing: {argument_text}"
