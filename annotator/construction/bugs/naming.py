"""Bugs of naming in Python: consistent renames of what a function binds (specification, task construction, 2.3)."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from annotator.construction.bugs.variables import types_of
from annotator.construction.edits import Edit, OperatorMatch, Proposal, make_proposals
from annotator.construction.python_facts import find_function, parse_python_code
from annotator.construction.python_program import PythonProgram

if TYPE_CHECKING:
    import libcst as cst

# Built-in names that people give to a value of a type.
_BUILTIN_OF_TYPE = {"list": "list", "dict": "dict", "str": "str", "set": "set", "tuple": "tuple", "sum": "sum"}
_BUILTINS = frozenset(name for name in dir(builtins) if name.islower() and not name.startswith("_"))
_NOUN_BUILTINS = (
    "bytes", "dict", "dir", "float", "format", "hash", "id", "input", "int", "iter", "len", "list", "max", "min",
    "object", "range", "set", "slice", "str", "sum", "tuple", "type", "vars",
)  # fmt: skip
"""Built-ins that people use as variable names; nobody names a variable ``map`` that is not one."""
_MAX_PER_FUNCTION = 6
_MAX_MISLEADING = 2


def naming_bugs(code: str, entry_point: str = "") -> list[Proposal]:
    """Return renames of local variables, helper functions and parameters that the docstrings do not mention.

    The entry point and its parameters keep their names. Raises `ConstructionError` if the code is not Python.
    """
    import libcst as cst
    from libcst.metadata import ByteSpanPositionProvider, FunctionScope, MetadataWrapper, ScopeProvider

    tree = parse_python_code(code)
    outer_names = {
        name for node in ast.walk(tree) if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names
    }
    wrapper = MetadataWrapper(cst.parse_module(code), unsafe_skip_copy=True)
    spans = wrapper.resolve(ByteSpanPositionProvider)
    scopes = {id(scope): scope for scope in wrapper.resolve(ScopeProvider).values() if scope is not None}
    # The parameters of the entry point are its signature, which an answer must keep.
    protected_names = _parameter_names(code, entry_point)
    words = set(re.findall(r"\w+", code))
    documented_nodes = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = [ast.get_docstring(node) or "" for node in ast.walk(tree) if isinstance(node, documented_nodes)]
    documented_words = set(re.findall(r"\w+", " ".join(docstrings)))
    program = PythonProgram(code)
    helpers = {item.name for item in program.functions()}
    types = _types_of_locals(program)
    matches: list[OperatorMatch] = []
    for scope in scopes.values():
        names = {item.name for item in scope.assignments}
        for name in sorted(names)[:_MAX_PER_FUNCTION]:
            nodes = _find_nodes(scope, name, is_local=isinstance(scope, FunctionScope), entry_point=entry_point)
            if not nodes or name in documented_words or name in protected_names | outer_names:
                continue
            for kind, new_name in _new_names(name, words, types.get(name, ""), helper=name in helpers):
                edits = {Edit(spans[node].start, spans[node].start + spans[node].length, new_name) for node in nodes}
                matches.append((kind, f"rename_{kind}", list(edits), f"{new_name} is no good name here"))
    return make_proposals(code, "naming", matches)


def _parameter_names(code: str, entry_point: str) -> set[str]:
    if not entry_point:
        return set()
    arguments = find_function(code, entry_point).args
    return {item.arg for item in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}


def _find_nodes(scope: Any, name: str, *, is_local: bool, entry_point: str) -> list[cst.Name]:
    """Return every node that contains the name, or nothing if one of them cannot be renamed."""
    import libcst as cst
    from libcst.metadata import Assignment

    if name == entry_point or name.startswith("__") or name in ("self", "cls"):
        return []
    nodes: list[cst.Name] = []
    for item in scope[name]:
        if not isinstance(item, Assignment) or item.scope is not scope:
            return []
        node = item.node
        if isinstance(node, cst.Param | cst.FunctionDef):
            node = node.name
        if not isinstance(node, cst.Name) or (not is_local and not isinstance(item.node, cst.FunctionDef)):
            return []
        nodes.append(node)
        for access in item.references:
            if not isinstance(access.node, cst.Name):
                return []
            nodes.append(access.node)
    return nodes


def _types_of_locals(program: PythonProgram) -> dict[str, str]:
    """Return the type of each local variable (``sum`` for a running total), except where functions disagree."""
    types: dict[str, set[str]] = {}
    for item in program.functions():
        sums = {
            node.target.id
            for node in ast.walk(item)
            if isinstance(node, ast.AugAssign)
            and isinstance(node.op, ast.Add)
            and isinstance(node.target, ast.Name)
            and not isinstance(node.value, ast.Constant)
        }
        for name, kind in types_of(item).items():
            types.setdefault(name, set()).add("sum" if kind == "int" and name in sums else kind)
    return {name: kinds.pop() for name, kinds in types.items() if len(kinds) == 1}


def _new_names(name: str, words: set[str], kind: str, *, helper: bool) -> list[tuple[str, str]]:
    """Return pairs of kind and bad name: the wrong case for any name, and a shadowed built-in for a variable.

    The built-in comes from the name's own words, from its type, or from other names in the code.
    """
    if not name.strip("_"):
        # An unused value needs no name.
        return []
    first, *rest = name.strip("_").split("_")
    # The only other case of a single word is that of a class, which nobody gives a variable.
    camel = first + "".join(part.capitalize() for part in rest)
    # A parameter such as ``_2`` or a variable such as ``none`` would become an invalid name.
    is_valid_name = camel.isidentifier() and not keyword.iskeyword(camel)
    new_names = [("case", camel)] if is_valid_name and camel not in words and camel != name and len(name) > 1 else []
    if helper:
        return new_names
    # The words of a class name such as ``TypeError`` say nothing about the value of a variable.
    lower = sorted(word for word in words - {name} if word.islower())
    others = [part for part in _builtin_parts(lower) if part in _NOUN_BUILTINS]
    shadows = [*_builtin_parts([name]), _BUILTIN_OF_TYPE.get(kind, ""), *others]
    usable_shadows = [shadow for shadow in dict.fromkeys(shadows) if shadow and shadow not in words]
    return [*new_names, *(("misleading", shadow) for shadow in usable_shadows[:_MAX_MISLEADING])]


def _builtin_parts(names: Iterable[str]) -> list[str]:
    """Return the words of names that are also built-ins, such as ``max`` of ``max_width``."""
    parts = [part.lower() for name in names for part in re.findall(r"[a-z]+|[A-Z][a-z]*", name)]
    return [part for part in parts if len(part) > 1 and part in _BUILTINS and not keyword.iskeyword(part)]
