"""Check whether a call with the new signature fits mined code: its number of parameters and its changed types.

An error from a call that does not fit proves nothing, so no row may pass because of it (specification, 4.3).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any

from tree_sitter import Node

from annotator.mining.bare_functions import has_receiver
from annotator.mining.parity import ParityTable
from annotator.mining.rewriting import Rewrite, TaskSignature, normalise_text
from annotator.text.python_tree import tree_or_empty
from annotator.text.syntax_trees import parse_program, walk_nodes

_SCRIPTS = ("javascript", "typescript")
_FUNCTIONS = ("function_declaration", "generator_function_declaration")
_VALUE_TYPES: dict[str, type | tuple[type, ...]] = {
    "str": str, "string": str, "int": int, "integer": int, "long": int, "float": (int, float), "double": (int, float),
    "number": (int, float), "bool": bool, "boolean": bool, "list": list, "array": list, "sequence": list, "dict": dict,
    "map": dict, "mapping": dict, "record": dict, "object": dict, "none": type(None), "null": type(None),
    "undefined": type(None),
}  # fmt: skip
"""The Python types of JSON values, by the names of types in Python, JavaScript and TypeScript."""


_ACCIDENTAL_ERRORS = {
    "python": ("TypeError", "AttributeError", "NameError", "ImportError"),
    "javascript": ("TypeError", "ReferenceError"),
    "typescript": ("TypeError", "ReferenceError"),
}
"""Errors that code raises for a value of an unexpected type or an undefined name."""


def accidental_errors(code: str, language: str) -> tuple[str, ...]:
    """Return the accidental error classes that mined code never raises itself, so they do not reject an input."""
    return tuple(
        name
        for name in _ACCIDENTAL_ERRORS.get(language, ())
        if not re.search(rf"\b(?:raise|throw(?:\s+new)?)\s+{name}\b", code)
    )


def rows_that_do_not_fit(rewrite: Rewrite, table: ParityTable, code: str, language: str) -> frozenset[str]:
    """Return the rows whose call does not fit the mined code.

    Compilers report this themselves, so it is for Python, JavaScript and TypeScript. Unclear calls count as fitting.
    """
    if not takes_arguments(code, language, rewrite.before.name, table.width):
        return frozenset(row.name for row in table.rows)
    return frozenset(row.name for row in table.rows if _has_unexpected_type(rewrite.before, rewrite.after, row.inputs))


def takes_arguments(code: str, language: str, name: str, count: int) -> bool:
    """Whether a top-level function takes ``count`` positional arguments."""
    if language == "python":
        return _python_takes(code, name, count)
    if language in _SCRIPTS:
        return _script_takes(code, language, name, count)
    return True


def _python_takes(code: str, name: str, count: int) -> bool:
    function: ast.FunctionDef | ast.AsyncFunctionDef | None = None
    for node in tree_or_empty(code).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name:
            function = node
    if function is None or function.decorator_list:
        return True
    arguments = function.args
    max_count = len(arguments.posonlyargs) + len(arguments.args) - has_receiver(function)
    required = max(0, max_count - len(arguments.defaults))
    lacks_keyword = any(default is None for default in arguments.kw_defaults)
    return required <= count and (count <= max_count or arguments.vararg is not None) and not lacks_keyword


def _script_takes(code: str, language: str, name: str, count: int) -> bool:
    root = parse_program(code, language)
    function = _script_function(root, name) if root is not None else None
    if function is None:
        return True
    if function.child_by_field_name("parameter") is not None:
        return count == 1
    listed = function.child_by_field_name("parameters")
    parameters = [node for node in listed.named_children if node.type != "comment"] if listed is not None else []
    body = function.child_by_field_name("body")
    variadic = any(_is_rest(node) for node in parameters) or (body is not None and _uses_arguments(body))
    required = sum(not _is_optional(node) and not _is_rest(node) for node in parameters)
    return required <= count and (variadic or count <= len(parameters))


def _script_function(root: Node, name: str) -> Node | None:
    function = None
    for node in root.named_children:
        inner = node.child_by_field_name("declaration") if node.type == "export_statement" else node
        if inner is None:
            continue
        if inner.type in _FUNCTIONS and _name_of(inner) == name:
            function = inner
        for part in inner.named_children if inner.type in ("lexical_declaration", "variable_declaration") else ():
            value = part.child_by_field_name("value")
            is_function = value is not None and value.type in ("arrow_function", "function_expression")
            if is_function and _name_of(part) == name:
                function = value
    return function


def _name_of(node: Node) -> str:
    name = node.child_by_field_name("name")
    return name.text.decode() if name is not None and name.text is not None else ""


def _is_rest(node: Node) -> bool:
    return node.type == "rest_pattern" or any(child.type == "rest_pattern" for child in node.named_children)


def _is_optional(node: Node) -> bool:
    return node.type in ("assignment_pattern", "optional_parameter") or node.child_by_field_name("value") is not None


def _uses_arguments(body: Node) -> bool:
    return any(node.type == "identifier" and node.text == b"arguments" for node in walk_nodes(body))


def _has_unexpected_type(before: TaskSignature, after: TaskSignature, inputs: Sequence[Any]) -> bool:
    """Return whether some parameter's type has changed and its value is not of the old type."""
    both = zip(before.parameters, after.parameters, inputs, strict=False)
    return any(
        normalise_text(old.type) != normalise_text(new.type) and type_accepts(old.type, value) is False
        for old, new, value in both
    )


def type_accepts(type_text: str, value: Any) -> bool | None:
    """Return whether a type accepts a JSON value; None for an unknown type."""
    text = normalise_text(type_text)
    head, _, inner = text.partition("[")
    is_optional = head in ("optional", "typing.optional")
    matches = []
    for part in _alternatives(f"{inner.removesuffix(']')} | none" if is_optional else text):
        head = part.replace("<", "[").partition("[")[0]
        name = "array" if part.endswith("[]") else head.rpartition(".")[2]
        kind = _VALUE_TYPES.get(name)
        if kind is None:
            return None
        matches.append(isinstance(value, kind) and (kind is bool or not isinstance(value, bool)))
    return any(matches)


def _alternatives(text: str) -> list[str]:
    """Split a union at its bars, except those inside brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "[<(") - (letter in "]>)")
        if letter == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]
