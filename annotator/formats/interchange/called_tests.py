"""Tests of pytest and unittest with a call of their own, for formats whose programs run a test by running its code."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotator.formats.write.export_folder import CannotHoldError
from annotator.sandbox.python_tests import look
from annotator.text.python_tree import readable_tree, tree_or_empty

_PREPARES = frozenset({"setup_method", "setup_class", "teardown_method", "teardown_class", "setup", "teardown"})
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_NEED_PYTEST = "its tests need fixtures or parameters, which only pytest provides"
_WITH_PARAMETERS = """
def call_with_parameters():
    import itertools

    marks = [mark for mark in {test}.pytestmark if mark.name == "parametrize"]
    for values in itertools.product(*(mark.args[1] for mark in marks)):
        arguments = {{}}
        for mark, value in zip(marks, values):
            names = mark.args[0]
            if isinstance(names, str):
                names = [name.strip() for name in names.split(",") if name.strip()]
                value = value if len(names) > 1 or type(value).__name__ == "ParameterSet" else [value]
            if type(value).__name__ == "ParameterSet":
                if value.marks:
                    break
                value = value.values
            arguments.update(zip(names, value))
        else:
            {test}(**arguments)


call_with_parameters()
"""
"""Sets of parameters with marks of their own, which may say that they fail, are left out."""


def with_call(code: str, node_id: str) -> str:
    """Return a test's code with the call that runs it; unchanged if pytest does not know the test by a node id.

    Parameters that stand in a test's decorators are given to it one set after the other. Raises `CannotHoldError` for
    a test that only pytest can run, as it takes fixtures.
    """
    names = node_id.partition("::")[2].split("::")
    body = {node.name: node for node in tree_or_empty(code).body if isinstance(node, (_Function, ast.ClassDef))}
    first = body.get(names[0])
    if first is None or len(names) > 2:
        return code
    if any(_is_automatic(node) for node in body.values()):
        raise CannotHoldError("its tests need fixtures, which only pytest provides")
    if not isinstance(first, ast.ClassDef):
        return f"{code.rstrip()}\n\n\n{_call(first, first.name, 0)}\n" if len(names) == 1 else code
    methods = {node.name: node for node in first.body if isinstance(node, _Function)}
    if len(names) < 2 or names[1] not in methods:
        return code
    if _is_case(first, body):
        call = f'{names[0]}("{names[1]}").debug()'
    elif _PREPARES.intersection(methods) or any(map(_is_automatic, methods.values())):
        raise CannotHoldError("its tests are prepared in a way that only pytest knows")
    else:
        call = _call(methods[names[1]], f"{names[0]}().{names[1]}", 1)
    return f"{code.rstrip()}\n\n\n{call}\n"


def _call(node: _Function, test: str, given: int) -> str:
    """Return the call of a test, an expression, that takes ``given`` arguments from its class."""
    static = any(isinstance(item, ast.Name) and item.id == "staticmethod" for item in node.decorator_list)
    positional = [*node.args.posonlyargs, *node.args.args][0 if static else given :]
    wanted = {item.arg for item in (*positional, *node.args.kwonlyargs)}
    parameters = _parameters(node)
    if wanted != parameters or isinstance(node, ast.AsyncFunctionDef):
        raise CannotHoldError(_NEED_PYTEST)
    return _WITH_PARAMETERS.format(test=test).strip() if parameters else f"{test}()"


def _parameters(node: _Function) -> set[str]:
    """Return the parameters that a test's decorators name. Raises `CannotHoldError` if only pytest can tell them."""
    found: set[str] = set()
    for item in node.decorator_list:
        told = ast.dump(item.func if isinstance(item, ast.Call) else item)
        if "usefixtures" in told or "xfail" in told:
            raise CannotHoldError(_NEED_PYTEST)
        if "parametrize" not in told:
            continue
        names = _names(item.args[0]) if isinstance(item, ast.Call) and len(item.args) > 1 else ()
        more = {keyword.arg for keyword in getattr(item, "keywords", ())} - {"ids"}
        if not names or more or node.args.posonlyargs or node.args.defaults or any(node.args.kw_defaults):
            raise CannotHoldError(_NEED_PYTEST)
        found.update(names)
    return found


def _names(node: ast.expr) -> tuple[str, ...]:
    """Return the names that the first argument of a decorator of parameters writes out; none if it does not."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return ()
    if isinstance(value, str):
        value = [name.strip() for name in value.split(",") if name.strip()]
    return tuple(value) if isinstance(value, (list, tuple)) and all(isinstance(name, str) for name in value) else ()


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


_RUNNER = '''_TESTS = {tests}


def check(candidate):
    """Run every test in a copy of the program's names."""
    import unittest

    for source, functions, classes, cases in _TESTS:
        names = dict(globals())
        names["__name__"] = "tests"
        exec(compile(source, "tests", "exec"), names)
        for name in functions:
            names[name](candidate) if name == "check" else names[name]()
        for name, members in classes:
            for member in members:
                one = names[name]()
                getattr(one, "setup_method", lambda: None)()
                getattr(one, member)()
                getattr(one, "teardown_method", lambda: None)()
        for name in cases:
            suite = unittest.defaultTestLoader.loadTestsFromTestCase(names[name])
            result = unittest.TestResult()
            suite.run(result)
            assert result.testsRun and result.wasSuccessful(), result.failures + result.errors
'''


@dataclass(frozen=True, slots=True)
class _Parts:
    """What a piece of test code defines that has to be called."""

    functions: list[str]
    classes: list[tuple[str, list[str]]]
    cases: list[str]


def check_of(tests: Sequence[Mapping[str, Any]]) -> str:
    """Return test code that defines ``check(candidate)``; one test that does so already stays as it is.

    Raises `CannotHoldError` where there is no Python test code, or where it needs pytest.
    """
    codes = [test["code"] for test in tests if test["code"].strip()]
    if not codes:
        raise CannotHoldError("it has no test code")
    if any((test["language"] or "python").lower() not in ("python", "python3") for test in tests if test["code"]):
        raise CannotHoldError("its tests are not in Python")
    if len(codes) == 1 and "check" in _functions(_tree(codes[0])):
        return str(codes[0])
    entries = [(code, _parts(code)) for code in codes]
    shown = ",\n".join(
        f"    ({code!r}, {part.functions!r}, {part.classes!r}, {part.cases!r})" for code, part in entries
    )
    return _RUNNER.format(tests=f"[\n{shown},\n]")


def _tree(code: str) -> ast.Module:
    tree = readable_tree(code)
    if tree is None:
        raise CannotHoldError("its test code is not Python")
    return tree


def _functions(tree: ast.Module) -> list[str]:
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]


def _parts(code: str) -> _Parts:
    tree = _tree(code)
    style = look(code)
    if style.style == "pytest":
        raise CannotHoldError("its tests need pytest")
    functions = _functions(tree)
    if "check" in functions:
        return _Parts(["check"], [], [])
    if style.style == "snippet":
        if style.runs_nothing:
            raise CannotHoldError("its test code runs nothing")
        return _Parts([], [], [])
    classes, cases = [], []
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            if any("TestCase" in ast.unparse(base) for base in node.bases):
                cases.append(node.name)
            elif node.name.startswith("Test"):
                classes.append((node.name, [name for name in _members(node) if name.startswith("test")]))
    called = _called_at_end(tree)
    return _Parts([name for name in functions if name.startswith("test") and name not in called], classes, cases)


def _members(node: ast.ClassDef) -> list[str]:
    return [member.name for member in node.body if isinstance(member, ast.FunctionDef)]


def _called_at_end(tree: ast.Module) -> set[str]:
    """Return the functions that the code calls itself at its top level."""
    return {
        node.value.func.id
        for node in tree.body
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name)
    }
