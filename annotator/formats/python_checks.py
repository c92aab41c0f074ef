"""Python tests of any style as one function ``check(candidate)``, as HumanEval and its relatives run them."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotator.formats.writing import CannotHoldError
from annotator.sandbox.python_tests import look
from annotator.text.python_tree import UNREADABLE, read_tree

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
    try:
        return read_tree(code)
    except UNREADABLE:
        raise CannotHoldError("its test code is not Python") from None


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
