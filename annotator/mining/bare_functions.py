"""Mined methods made into functions that tests can call by their bare name."""

from __future__ import annotations

import ast
import re

from annotator.text.python_tree import tree_or_empty

_RECEIVERS = ("self", "cls")
_SCRIPT_METHOD = re.compile(r"(?:(?:public|private|protected|static)\s+)*((?:async\s+)?\*?\s*)")


def bare_function(code: str, language: str, name: str) -> str:
    """Return code in which ``name`` is a function at the top level; a method gets no object of its own."""
    if language == "python":
        return _python(code, name)
    if language == "java":
        return _java(code)
    if language == "c++":
        return _cpp(code, name)
    return _script(code, name) if language in ("javascript", "typescript") else code


def has_receiver(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Tell whether a Python function stood in a class, by the name of its first parameter."""
    given = [*function.args.posonlyargs, *function.args.args]
    return bool(given) and given[0].arg in _RECEIVERS


def _python(code: str, name: str) -> str:
    methods = [
        node
        for node in tree_or_empty(code).body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name and has_receiver(node)
    ]
    if not methods:
        return code
    call = f"\n\n_method = {name}\n\n\ndef {name}(*arguments):\n    return _method(None, *arguments)\n"
    return code.rstrip("\n") + call


def _java(code: str) -> str:
    if re.search(r"\bclass ", code):
        return code
    imports = [line for line in code.splitlines() if line.startswith("import ")]
    body = "\n".join(line for line in code.splitlines() if not line.startswith("import "))
    return "\n".join([*imports, "import java.util.*;", "class Solution {", body, "}", ""])


def _cpp(code: str, name: str) -> str:
    head = re.search(
        rf"(?:\w+(?:<[^<>]*>)?::)+{re.escape(name)}(\s*\([^()]*\))(?:\s*(?:const|noexcept|override))*", code
    )
    return f"{code[: head.start()]}{name}{head[1]}{code[head.end() :]}" if head else code


def _script(code: str, name: str) -> str:
    start = len(code) - len(code.lstrip())
    head = _SCRIPT_METHOD.match(code, start)
    if head is None or not re.match(rf"{re.escape(name)}\s*[(<]", code[head.end() :]):
        return code
    return f"const {name} = ({{\n{head[1]}{code[head.end() :]}\n}}).{name};\n"
