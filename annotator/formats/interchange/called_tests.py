"""Tests of pytest and unittest with a call of their own, for formats whose programs run a test by running its code."""

from __future__ import annotations

import ast

from annotator.formats.write.export_folder import CannotHoldError
from annotator.text.python_tree import tree_or_empty

_PREPARES = frozenset({"setup_method", "setup_class", "teardown_method", "teardown_class", "setup", "teardown"})
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def with_call(code: str, node_id: str) -> str:
    """Return a test's code with the call that runs it; unchanged if pytest does not know the test by a node id.

    Raises `CannotHoldError` for a test that only pytest can run, as it takes fixtures or parameters.
    """
    names = node_id.partition("::")[2].split("::")
    body = {node.name: node for node in tree_or_empty(code).body if isinstance(node, (_Function, ast.ClassDef))}
    first = body.get(names[0])
    if first is None or len(names) > 2:
        return code
    if any(_is_automatic(node) for node in body.values()):
        raise CannotHoldError("its tests need fixtures, which only pytest provides")
    if not isinstance(first, ast.ClassDef):
        return f"{code.rstrip()}\n\n\n{_plain(first, 0)}\n" if len(names) == 1 else code
    methods = {node.name: node for node in first.body if isinstance(node, _Function)}
    if len(names) < 2 or names[1] not in methods:
        return code
    if _is_case(first, body):
        call = f'{names[0]}("{names[1]}").debug()'
    elif _PREPARES.intersection(methods) or any(map(_is_automatic, methods.values())):
        raise CannotHoldError("its tests are prepared in a way that only pytest knows")
    else:
        call = f"{names[0]}().{_plain(methods[names[1]], 1)}"
    return f"{code.rstrip()}\n\n\n{call}\n"


def _plain(node: _Function, given: int) -> str:
    """Return the call of a function that takes ``given`` arguments from its class and no other."""
    arguments = node.args
    wanted = len(arguments.posonlyargs) + len(arguments.args) + len(arguments.kwonlyargs)
    static = any(isinstance(item, ast.Name) and item.id == "staticmethod" for item in node.decorator_list)
    marked = any("parametrize" in ast.dump(item) or "usefixtures" in ast.dump(item) for item in node.decorator_list)
    if wanted > (0 if static else given) or marked or isinstance(node, ast.AsyncFunctionDef):
        raise CannotHoldError("its tests need fixtures or parameters, which only pytest provides")
    return f"{node.name}()"


def _is_automatic(node: ast.stmt) -> bool:
    """Tell whether a definition is a fixture that is used without being named."""
    return any("autouse" in ast.dump(item) for item in getattr(node, "decorator_list", ()))


def _is_case(node: ast.ClassDef, body: dict[str, _Function | ast.ClassDef], depth: int = 0) -> bool:
    """Tell whether a class is one of unittest's cases, by the name of a base, or a base of a base."""
    for base in node.bases:
        name = base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")
        above = body.get(name)
        if name.endswith("TestCase"):
            return True
        if isinstance(above, ast.ClassDef) and depth < len(body) and _is_case(above, body, depth + 1):
            return True
    return False
