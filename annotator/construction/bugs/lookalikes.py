"""Changes that are easily confused with the original: a similar method, a call without its last argument.

They differ from the reference on few inputs, so they show whether tests cover those. Review items never use them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, pairwise

from tree_sitter import Node

from annotator.construction.edits import Edit, OperatorMatch, Proposal, make_proposals
from annotator.construction.languages.language_calls import SCRIPTS
from annotator.construction.languages.tree_sitter_bugs import CALL_NODES, callee_of, nodes_in_functions, parse_foreign
from annotator.construction.task_material import PYTHON
from annotator.text.syntax_trees import node_text, walk_nodes

_LOOKALIKE_CALLS = {
    "fullmatch": "match", "casefold": "lower", "removeprefix": "lstrip", "removesuffix": "rstrip", "deepcopy": "copy",
    "replaceAll": "replace", "trunc": "floor", "allSettled": "all", "flatMap": "map", "codePointAt": "charCodeAt",
    "parseFloat": "parseInt", "Number.isNaN": "isNaN", "Number": "parseInt",
}  # fmt: skip
"""Functions and methods by those that people take them for, in all languages."""
_CONSTANT_SWAPS = {"ROUND_HALF_UP": "ROUND_HALF_EVEN", "ROUND_HALF_EVEN": "ROUND_HALF_UP"}
_WHITESPACE_METHODS = ("split", "strip", "lstrip", "rstrip")
"""Methods that act on any white space when called without arguments."""
_METHODS_WITH_OPTIONAL_ARGUMENT = ("sort", "toSorted", "join", "flat", "at", "toFixed")
"""Methods of scripts whose only argument may be left out."""
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
_NUMBER_TYPES = ("double", "float")


def lookalikes(code: str, language: str) -> list[Proposal]:
    """Return the lookalike changes of a program; most are for Python and scripting languages.

    Raises `ConstructionError` for a language without a parser.
    """
    data = code.encode("utf-8", "surrogatepass")
    root = parse_foreign(code, language)
    nodes = nodes_in_functions(root, language) if language == PYTHON else walk_nodes(root)
    makers = [_similar_call]
    if language == PYTHON:
        makers += [_python_changes, _dropped_argument]
    elif language in SCRIPTS:
        makers += [_dropped_condition, _dropped_argument]
    head_makers = (_parameter_swaps, _other_result)
    heads = (change for node in walk_nodes(root) for make in head_makers for change in make(node, data))
    bodies = (change for node in nodes for make in makers for change in make(node, data))
    return make_proposals(code, "logic", chain(heads, bodies))


def _replaced_name(node: Node, data: bytes, names: Mapping[str, str]) -> Iterator[OperatorMatch]:
    old = node_text(node, data)
    if old in names:
        edit = Edit(node.start_byte, node.end_byte, names[old])
        yield "operation", "lookalike", [edit], f"says {names[old]} instead of {old}"


def _similar_call(node: Node, data: bytes) -> Iterator[OperatorMatch]:
    """Call a function that is easily taken for the right one; a dotted name is looked up whole, then its last part."""
    if node.type not in CALL_NODES:
        return
    receiver, name = callee_of(node)
    # A function that Python imported by name is left alone: its lookalike would be undefined.
    if receiver is not None or node.type != "call":
        full_name = node.child_by_field_name("function") or name
        yield from _replaced_name(
            full_name if receiver is None or node_text(full_name, data) in _LOOKALIKE_CALLS else name,
            data,
            _LOOKALIKE_CALLS,
        )


def _dropped_argument(node: Node, data: bytes) -> Iterator[OperatorMatch]:
    """Leave out the last argument. A single positional argument stays, since most calls fail at once without it."""
    arguments = node.child_by_field_name("arguments")
    if node.type not in CALL_NODES or arguments is None or arguments.type not in ("arguments", "argument_list"):
        return
    values = [value for value in arguments.named_children if value.type != "comment"]
    is_optional = (
        arguments.type == "arguments" and node_text(callee_of(node)[1], data) in _METHODS_WITH_OPTIONAL_ARGUMENT
    )
    if values and (len(values) > 1 or is_optional or values[0].type == "keyword_argument"):
        start = values[-2].end_byte if len(values) > 1 else values[-1].start_byte
        text = " ".join(node_text(values[-1].child_by_field_name("name") or values[-1], data).split())[:40]
        edit = Edit(start, values[-1].end_byte, "")
        yield "missing", "dropped_argument", [edit], f"an argument is missing: {text}"


def _dropped_condition(node: Node, data: bytes) -> Iterator[OperatorMatch]:
    sign = node.child_by_field_name("operator")
    right = node.child_by_field_name("right")
    if sign is not None and right is not None and node_text(sign, data) in ("||", "&&"):
        yield "missing", "tie", [Edit(sign.start_byte, right.end_byte, "")], "a part of the condition is missing"


def _python_changes(node: Node, data: bytes) -> Iterator[OperatorMatch]:
    left = node.child_by_field_name("left")
    right = node.child_by_field_name("right")
    sign = node.child_by_field_name("operator")
    if node.type == "identifier":
        yield from _replaced_name(node, data, _CONSTANT_SWAPS)
    elif node.type == "binary_operator" and sign is not None and sign.type == "//" and left and right:
        opening = Edit(node.start_byte, node.start_byte, "int(")
        closing = Edit(node.end_byte, node.end_byte, ")")
        edits = [opening, Edit(sign.start_byte, sign.end_byte, "/"), closing]
        yield "operation", "lookalike", edits, "cuts the fraction off instead of rounding down"
    elif (
        node.type == "tuple" and node.parent is not None and node.parent.type == "lambda" and node.named_child_count > 1
    ):
        # A sort key such as (-score, name); without its last part, equal scores keep their order.
        previous, last = node.named_children[-2:]
        edit = Edit(previous.end_byte, last.end_byte, "," if node.named_child_count == 2 else "")
        yield "missing", "tie", [edit], "ties are not broken"
    elif node.type == "call":
        yield from _python_call(node, data)


def _python_call(node: Node, data: bytes) -> Iterator[OperatorMatch]:
    receiver, function = callee_of(node)
    name = node_text(function, data)
    arguments = node.child_by_field_name("arguments")
    if receiver is None or arguments is None or arguments.type != "argument_list":
        return
    if name == "total_seconds":
        edit = Edit(function.start_byte, node.end_byte, "seconds")
        yield "operation", "lookalike", [edit], "says seconds instead of total_seconds"
    elif name in _WHITESPACE_METHODS and not arguments.named_children:
        yield "operation", "lookalike", [Edit(function.end_byte, node.end_byte, "(' ')")], f"{name} takes spaces only"
    elif name == "splitlines" and not arguments.named_children:
        edit = Edit(function.start_byte, node.end_byte, "split('\\n')")
        yield "operation", "lookalike", [edit], "calls split instead of splitlines"


def _other_result(function: Node, data: bytes) -> Iterator[OperatorMatch]:
    """Change every return value of a function in Java or C++; tests may check only its first parts, or not closely."""
    kind = function.child_by_field_name("type")
    body = function.child_by_field_name("body")
    if function.type not in ("function_definition", "method_declaration") or kind is None or body is None:
        return
    text = node_text(kind, data)
    name = _type_name(text)
    changed_return = _CHANGED_RESULTS.get(name, "")
    returns = [
        node for node in walk_nodes(body) if node.type == "return_statement" and _enclosing_function(node) == function
    ]
    edits = [
        Edit(
            node.start_byte,
            node.end_byte,
            changed_return.format(kind=text, value=node_text(node.named_children[0], data)),
        )
        for node in returns
        # Tests check literal results (special cases) more closely than computed ones.
        if node.named_children and node.named_children[0].type not in _LITERALS
    ]
    if changed_return and edits:
        explanation = (
            "the number returned is too large" if name in _NUMBER_TYPES else "the last part of the result is missing"
        )
        yield "missing", "other_result", edits, explanation


def _type_name(kind: str) -> str:
    """Return the name of a type without its namespace and arguments; ``[]`` for an array."""
    if kind.endswith("[]"):
        return "[]"
    return kind.removeprefix("const ").removeprefix("std::").removeprefix("java.util.").partition("<")[0]


def _enclosing_function(node: Node) -> Node | None:
    """Return the function or lambda that contains a statement."""
    ancestor = node.parent
    while ancestor is not None and ancestor.type not in (
        "function_definition",
        "method_declaration",
        "lambda_expression",
    ):
        ancestor = ancestor.parent
    return ancestor


def _parameter_swaps(node: Node, data: bytes) -> Iterator[OperatorMatch]:
    """Swap the names of two adjacent parameters of the same type, except in functions passed as arguments."""

    outer = node.parent.parent if node.parent is not None else None
    if node.type not in ("formal_parameters", "parameter_list", "parameters") or (
        outer is not None and outer.type == "arguments"
    ):
        return
    for first, second in pairwise(item for item in node.named_children if item.text not in (b"self", b"cls")):
        first_name, second_name = _name_of(first), _name_of(second)
        if first_name is None or second_name is None:
            continue
        kinds = [_type_of(item, name, data) for item, name in ((first, first_name), (second, second_name))]
        if len(set(kinds)) == 1:
            names = node_text(first_name, data), node_text(second_name, data)
            edits = [
                Edit(first_name.start_byte, first_name.end_byte, names[1]),
                Edit(second_name.start_byte, second_name.end_byte, names[0]),
            ]
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
