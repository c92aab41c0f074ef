"""Changes that are easily confused with the original: a similar method, a call without its last argument.

They differ from the reference on few inputs, so they show whether tests cover those. Review items never use them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, pairwise

from tree_sitter import Node

from annotator.construction.edits import Edit, OperatorMatch, Proposal, make_proposals
from annotator.construction.languages.language_calls import SCRIPTS
from annotator.construction.languages.tree_sitter_bugs import callee_of, nodes_in_functions, parse_foreign
from annotator.construction.task_material import PYTHON
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


def lookalikes(code: str, language: str) -> list[Proposal]:
    """Return the lookalike changes of a program; most are for Python and scripting languages.

    Raises `ConstructionError` for a language without a parser.
    """
    data = code.encode("utf-8", "surrogatepass")
    root = parse_foreign(code, language)
    nodes = list(nodes_in_functions(root, language) if language == PYTHON else walk_nodes(root))
    make = _python_changes if language == PYTHON else _script_changes if language in SCRIPTS else _other_result
    swapped = (change for node in walk_nodes(root) for change in _parameter_swaps(node, data))
    return make_proposals(code, "logic", chain(swapped, (change for node in nodes for change in make(node, data))))


def _renamed(node: Node, old: str, new: str) -> OperatorMatch:
    edit = Edit(node.end_byte - len(old), node.end_byte, new)
    return "operation", "lookalike", [edit], f"says {new} instead of {old}"


def _python_changes(node: Node, data: bytes) -> Iterator[OperatorMatch]:
    text = node_text(node, data)
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    sign = node.child_by_field_name("operator")
    if node.type == "identifier" and text in _CONSTANT_SWAPS:
        yield _renamed(node, text, _CONSTANT_SWAPS[text])
    elif node.type == "binary_operator" and sign is not None and sign.type == "//" and left and right:
        start, end = Edit(node.start_byte, node.start_byte, "int("), Edit(node.end_byte, node.end_byte, ")")
        edits = [start, Edit(sign.start_byte, sign.end_byte, "/"), end]
        yield "operation", "lookalike", edits, "cuts the fraction off instead of rounding down"
    elif (
        node.type == "tuple" and node.parent is not None and node.parent.type == "lambda" and node.named_child_count > 1
    ):
        before, last = node.named_children[-2:]
        edit = Edit(before.end_byte, last.end_byte, "," if node.named_child_count == 2 else "")
        yield "missing", "tie", [edit], "ties are not broken"
    elif node.type == "call":
        yield from _python_call(node, data)


def _python_call(node: Node, data: bytes) -> Iterator[OperatorMatch]:
    receiver, function = callee_of(node)
    name, arguments = node_text(function, data), node.child_by_field_name("arguments")
    values = arguments.named_children if arguments is not None and arguments.type == "argument_list" else []
    values = [value for value in values if value.type != "comment"]
    if receiver is not None and name in _METHODS:
        yield _renamed(function, name, _METHODS[name])
    if receiver is not None and name == "total_seconds":
        edit = Edit(function.start_byte, node.end_byte, "seconds")
        yield "operation", "lookalike", [edit], "says seconds instead of total_seconds"
    if receiver is not None and not values and name in _WHITESPACE_METHODS:
        yield "operation", "lookalike", [Edit(function.end_byte, node.end_byte, "(' ')")], f"{name} takes spaces only"
    if receiver is not None and not values and name == "splitlines":
        edit = Edit(function.start_byte, node.end_byte, "split('\\n')")
        yield "operation", "lookalike", [edit], "calls split instead of splitlines"
    # A single positional argument stays, since most calls fail at once without it.
    if len(values) > 1 or (values and values[0].type == "keyword_argument"):
        yield _without_last(values, data)


def _without_last(values: list[Node], data: bytes) -> OperatorMatch:
    """Leave out the last argument."""
    start = values[-2].end_byte if len(values) > 1 else values[-1].start_byte
    text = " ".join(node_text(values[-1].child_by_field_name("name") or values[-1], data).split())[:40]
    return "missing", "dropped_argument", [Edit(start, values[-1].end_byte, "")], f"an argument is missing: {text}"


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


def _parameter_swaps(node: Node, data: bytes) -> Iterator[OperatorMatch]:
    """Swap the names of two adjacent parameters of the same type, except in functions passed as arguments."""
    around = node.parent.parent if node.parent is not None else None
    if node.type not in ("formal_parameters", "parameter_list", "parameters") or (
        around is not None and around.type == "arguments"
    ):
        return
    for one, two in pairwise(item for item in node.named_children if item.text not in (b"self", b"cls")):
        left, right = _name_of(one), _name_of(two)
        if left is None or right is None:
            continue
        kinds = [_type_of(item, name, data) for item, name in ((one, left), (two, right))]
        if len(set(kinds)) == 1:
            names = node_text(left, data), node_text(right, data)
            edits = [Edit(left.start_byte, left.end_byte, names[1]), Edit(right.start_byte, right.end_byte, names[0])]
            yield "variable", "parameter_swap", edits, f"{names[0]} and {names[1]} are exchanged"


def _type_of(parameter: Node, name: Node, data: bytes) -> str:
    """Return the declared type of a parameter; a default of Python declares none."""
    if parameter.type in ("default_parameter", "typed_default_parameter"):
        kind = parameter.child_by_field_name("type")
        return f": {node_text(kind, data)}" if kind is not None else ""
    return node_text(parameter, data).replace(node_text(name, data), "", 1).strip()


def _name_of(parameter: Node) -> Node | None:
    """Return the name node of a parameter; None if it is destructured or has a default."""
    if parameter.type == "identifier":
        return parameter
    if parameter.type == "typed_parameter":
        return parameter.named_children[0] if parameter.named_children[0].type == "identifier" else None
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
        yield _without_last(values, data)
