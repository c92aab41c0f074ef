"""Turn mined methods into functions that tests can call by their bare name, and read their parameters."""

from __future__ import annotations

import ast
import re

from tree_sitter import Node

from annotator.text.python_tree import tree_or_empty
from annotator.text.syntax_trees import parse_program, walk_nodes

_RECEIVERS = ("self", "cls")
_SCRIPT_METHOD = re.compile(r"(?:(?:public|private|protected|static)\s+)*((?:async\s+)?\*?\s*)")


def bare_function(code: str, language: str, name: str) -> str:
    """Return code in which ``name`` is a top-level function; a method is called with no receiver (None in Python)."""
    if language == "python":
        return _bare_python(code, name)
    if language == "java":
        return _bare_java(code)
    if language == "c++":
        return _bare_cpp(code, name)
    return (
        _bare_script(_bind_assigned_function(code, language, name), name)
        if language in ("javascript", "typescript")
        else code
    )


def has_receiver(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a Python function is a method, judging by the name of its first parameter."""
    parameters = [*function.args.posonlyargs, *function.args.args]
    return bool(parameters) and parameters[0].arg in _RECEIVERS


def _bare_python(code: str, name: str) -> str:
    methods = [
        node
        for node in tree_or_empty(code).body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name and has_receiver(node)
    ]
    if not methods:
        return code
    call = f"\n\n_method = {name}\n\n\ndef {name}(*arguments):\n    return _method(None, *arguments)\n"
    return code.rstrip("\n") + call


def _bare_java(code: str) -> str:
    if re.search(r"\bclass ", code):
        return code
    imports = [line for line in code.splitlines() if line.startswith("import ")]
    body = "\n".join(line for line in code.splitlines() if not line.startswith("import "))
    return "\n".join([*imports, "import java.util.*;", "class Solution {", body, "}", ""])


def _bare_cpp(code: str, name: str) -> str:
    head = re.search(
        rf"(?:\w+(?:<[^<>]*>)?::)+{re.escape(name)}(\s*\([^()]*\))(?:\s*(?:const|noexcept|override))*", code
    )
    return f"{code[: head.start()]}{name}{head[1]}{code[head.end() :]}" if head else code


_FUNCTION_VALUES = frozenset(("function_expression", "generator_function", "arrow_function"))


def _bind_assigned_function(code: str, language: str, name: str) -> str:
    """Return code in which a function assigned to a member, such as module.exports, is bound to ``name`` instead."""
    root = parse_program(code, language)
    for statement in root.named_children if root is not None else ():
        expression = statement.named_children[0] if statement.type == "expression_statement" else statement
        target, value = expression.child_by_field_name("left"), expression.child_by_field_name("right")
        if target is None or value is None or target.type != "member_expression" or value.type not in _FUNCTION_VALUES:
            continue
        data = code.encode()
        before, after = data[: expression.start_byte].decode(), data[expression.end_byte :].decode()
        return f"{before}const {name} = {_text(value)}{after}"
    return code


def _bare_script(code: str, name: str) -> str:
    start = len(code) - len(code.lstrip())
    head = _SCRIPT_METHOD.match(code, start)
    if head is None or not re.match(rf"{re.escape(name)}\s*[(<]", code[head.end() :]):
        return code
    return f"const {name} = ({{\n{head[1]}{code[head.end() :]}\n}}).{name};\n"


def without_main(code: str, language: str) -> str:
    """Return Java or C++ code without its main function, which only demonstrates the other functions."""
    root = parse_program(code, language) if language in ("java", "c++") else None
    nodes = [node for node in walk_nodes(root) if node.type in _FUNCTION_NODES[language]] if root is not None else []
    data = code.encode()
    for node in reversed([node for node in nodes if _head_name(node) == "main"]):
        start = data.rfind(b"\n", 0, node.start_byte) + 1
        data = data[: start if not data[start : node.start_byte].strip() else node.start_byte] + data[node.end_byte :]
    return data.decode()


_FUNCTION_NODES = {
    "javascript": ("function_declaration", "generator_function_declaration", "method_definition"),
    "typescript": ("function_declaration", "generator_function_declaration", "method_definition"),
    "java": ("method_declaration",),
    "c++": ("function_definition",),
}


def read_parameters(code: str, language: str, name: str) -> tuple[tuple[str, str], ...] | None:
    """Return the name and declared type of each parameter of a function or method.

    None if it is not found or the language is not supported.
    """
    root = parse_program(bare_function(code, language, name), language) if language in _FUNCTION_NODES else None
    if root is None:
        return None
    for node in walk_nodes(root):
        if node.type in _FUNCTION_NODES[language] and _head_name(node) == name:
            parameter_list = _head(node).child_by_field_name("parameters")
            nodes = parameter_list.named_children if parameter_list is not None else []
            return tuple(_parameter(item) for item in nodes if item.type != "comment")
        if node.type == "variable_declarator" and _text(node.child_by_field_name("name")) == name:
            value = node.child_by_field_name("value")
            parameter_list = value.child_by_field_name("parameters") if value is not None else None
            single_parameter = value.child_by_field_name("parameter") if value is not None else None
            if single_parameter is not None:
                return (_parameter(single_parameter),)
            if parameter_list is not None:
                return tuple(_parameter(item) for item in parameter_list.named_children if item.type != "comment")
    return None


def _head(node: Node) -> Node:
    """Return the node with a function's name and parameters; in C++ that is the innermost declarator."""
    inner = node.child_by_field_name("declarator")
    while inner is not None and inner.type != "function_declarator":
        inner = inner.child_by_field_name("declarator")
    return inner if inner is not None else node


def _head_name(node: Node) -> str:
    head = _head(node)
    return _text(head.child_by_field_name("name") or head.child_by_field_name("declarator"))


def _parameter(node: Node) -> tuple[str, str]:
    kind = _text(node.child_by_field_name("type")).removeprefix(":").strip()
    name = node.child_by_field_name("name") or node.child_by_field_name("pattern")
    name = name or node.child_by_field_name("left") or node.child_by_field_name("declarator")
    return _text(name if name is not None else node).lstrip("&* "), kind


def _text(node: Node | None) -> str:
    return node.text.decode() if node is not None and node.text is not None else ""
