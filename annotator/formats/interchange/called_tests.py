"""Add calls to tests, for formats that run a test by executing its code below the answer."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotator.criteria.document.from_tests import with_check_called
from annotator.formats.write.export_folder import CannotHoldError
from annotator.sandbox.python_tests import SOLUTION, inspect_tests
from annotator.text.python_tree import candidate_code_modules, imported_names, readable_tree, tree_or_empty

_PYTEST_SETUP_NAMES = frozenset({"setup_class", "teardown_class", "setup", "teardown"})
_SETUP_NAMES = _PYTEST_SETUP_NAMES | {"setup_method", "teardown_method"}
_PYTEST_SETUP_REASON = "its tests are prepared in a way that only pytest knows"
_PYTEST_ARGUMENTS_REASON = "its tests need fixtures or parameters, which only pytest provides"
_FUTURE = "__future__"
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_PARAMETRIZED_CALL = """
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
"""Calls a test once per parameter set; sets with their own marks are left out, since they may be expected to fail."""


def with_test_call(code: str, node_id: str) -> str:
    """Return a test's code with the call that runs it; unchanged if the node id names no test in it.

    A test with parametrize decorators is called once per parameter set. Raises `CannotHoldError` for a test that only
    pytest can run because it uses fixtures.
    """
    names = node_id.partition("::")[2].split("::")
    definitions = {node.name: node for node in tree_or_empty(code).body if isinstance(node, (_Function, ast.ClassDef))}
    tested = definitions.get(names[0])
    if tested is None or len(names) > 2:
        return code
    if any(_is_autouse_fixture(node) for node in definitions.values()):
        raise CannotHoldError("its tests need fixtures, which only pytest provides")
    if not isinstance(tested, ast.ClassDef):
        return f"{code.rstrip()}\n\n\n{_call_expression(tested, tested.name, 0)}\n" if len(names) == 1 else code
    methods = {node.name: node for node in tested.body if isinstance(node, _Function)}
    if len(names) < 2 or names[1] not in methods:
        return code
    if _is_unittest_case(tested, definitions):
        call = f'{names[0]}("{names[1]}").debug()'
    elif _SETUP_NAMES.intersection(methods) or any(map(_is_autouse_fixture, methods.values())):
        raise CannotHoldError(_PYTEST_SETUP_REASON)
    else:
        call = _call_expression(methods[names[1]], f"{names[0]}().{names[1]}", 1)
    return f"{code.rstrip()}\n\n\n{call}\n"


def _call_expression(node: _Function, test: str, bound_count: int) -> str:
    """Return the expression that calls a test, whose first ``bound_count`` arguments come from its class."""
    is_static = any(isinstance(item, ast.Name) and item.id == "staticmethod" for item in node.decorator_list)
    positional = [*node.args.posonlyargs, *node.args.args][0 if is_static else bound_count :]
    required = {item.arg for item in (*positional, *node.args.kwonlyargs)}
    parameters = _find_parameters(node)
    if required != parameters or isinstance(node, ast.AsyncFunctionDef):
        raise CannotHoldError(_PYTEST_ARGUMENTS_REASON)
    return _PARAMETRIZED_CALL.format(test=test).strip() if parameters else f"{test}()"


def _find_parameters(node: _Function) -> set[str]:
    """Return the parameters in a test's decorators. Raises `CannotHoldError` if only pytest can resolve them."""
    parameters: set[str] = set()
    for item in node.decorator_list:
        decorator = ast.dump(item.func if isinstance(item, ast.Call) else item)
        if "usefixtures" in decorator or "xfail" in decorator:
            raise CannotHoldError(_PYTEST_ARGUMENTS_REASON)
        if "parametrize" not in decorator:
            continue
        names = _parameter_names(item.args[0]) if isinstance(item, ast.Call) and len(item.args) > 1 else ()
        other_arguments = {keyword.arg for keyword in getattr(item, "keywords", ())} - {"ids"}
        if not names or other_arguments or node.args.posonlyargs or node.args.defaults or any(node.args.kw_defaults):
            raise CannotHoldError(_PYTEST_ARGUMENTS_REASON)
        parameters.update(names)
    return parameters


def _parameter_names(node: ast.expr) -> tuple[str, ...]:
    """Return the parameter names in the first argument of a parametrize decorator; empty if it is not a literal."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return ()
    if isinstance(value, str):
        value = [name.strip() for name in value.split(",") if name.strip()]
    return tuple(value) if isinstance(value, (list, tuple)) and all(isinstance(name, str) for name in value) else ()


def _is_autouse_fixture(node: ast.stmt) -> bool:
    """Return whether a definition is an autouse fixture."""
    return any("autouse" in ast.dump(item) for item in getattr(node, "decorator_list", ()))


def _is_unittest_case(node: ast.ClassDef, definitions: dict[str, _Function | ast.ClassDef], depth: int = 0) -> bool:
    """Return whether a class is a unittest case, by the name of one of its bases or their bases."""
    for base in node.bases:
        name = base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")
        base_definition = definitions.get(name)
        if name.endswith("TestCase"):
            return True
        if (
            isinstance(base_definition, ast.ClassDef)
            and depth < len(definitions)
            and _is_unittest_case(base_definition, definitions, depth + 1)
        ):
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
        result = unittest.TestResult()
        for name in cases:
            unittest.defaultTestLoader.loadTestsFromTestCase(names[name]).run(result)
        assert result.wasSuccessful() and (result.testsRun or not cases), result.failures + result.errors
'''


@dataclass(frozen=True, slots=True)
class _CalledParts:
    """The functions, classes (name and test methods) and unittest ``cases`` in a test's code that must be called."""

    functions: list[str]
    classes: list[tuple[str, list[str]]]
    cases: list[str]


def make_check(tests: Sequence[Mapping[str, Any]], program: str) -> str:
    """Return test code that defines ``check(candidate)``; a single test that already does so stays as it is.

    It is placed below the program, which tests may import by its module's name. Raises `CannotHoldError` if there is
    no Python test code, or if it needs pytest.
    """
    codes = [test["code"] for test in tests if test["code"].strip()]
    if not codes:
        raise CannotHoldError("it has no test code")
    if any((test["language"] or "python").lower() not in ("python", "python3") for test in tests if test["code"]):
        raise CannotHoldError("its tests are not in Python")
    modules = {name for code in codes for name in modules_of_answer(program, code)}
    if len(codes) == 1 and "check" in _function_names(_parse_tests(codes[0])) and not without_future(codes[0])[0]:
        return with_modules(str(codes[0]), modules)
    entries = [(code, _find_called_parts(code)) for code in codes]
    entry_lines = ",\n".join(
        f"    ({code!r}, {part.functions!r}, {part.classes!r}, {part.cases!r})" for code, part in entries
    )
    return with_modules(_RUNNER.format(tests=f"[\n{entry_lines},\n]"), modules)


def with_check(test: Mapping[str, Any], entry_point: str, program: str) -> str:
    """Return a test's code that runs the test when placed below the program.

    Raises `CannotHoldError` if there is no Python test code that runs without pytest.
    """
    code = with_test_call(test["code"], test["name"])
    if code == test["code"]:
        code = with_check_called(code, entry_point)
    tree = tree_or_empty(code)
    test_names = {name for name in _function_names(tree) if name.startswith("test")}
    is_called = bool(test_names) and test_names <= _called_at_end(tree)
    if code == test["code"] and inspect_tests(code).style != "snippet" and not is_called:
        return f"{make_check([test], program).rstrip()}\n\n\ncheck(None)\n"
    if inspect_tests(code).runs_nothing:
        raise CannotHoldError("its test code runs nothing")
    return with_modules(code, modules_of_answer(program, code))


def without_future(code: str) -> tuple[str, str]:
    """Return the ``__future__`` imports, which must come first in a program, and the rest of the code."""
    lines = code.splitlines(keepends=True)
    future_imports = [
        node for node in tree_or_empty(code).body if isinstance(node, ast.ImportFrom) and node.module == _FUTURE
    ]
    for node in reversed(future_imports):
        del lines[node.lineno - 1 : node.end_lineno]
    return "".join(f"{ast.unparse(node)}\n" for node in future_imports), "".join(lines)


def _parse_tests(code: str) -> ast.Module:
    tree = readable_tree(code)
    if tree is None:
        raise CannotHoldError("its test code is not Python")
    return tree


def _function_names(tree: ast.Module) -> list[str]:
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]


def _find_called_parts(code: str) -> _CalledParts:
    tree = _parse_tests(code)
    inspection = inspect_tests(code)
    if inspection.style == "pytest":
        raise CannotHoldError("its tests need pytest")
    functions = _function_names(tree)
    if "check" in functions:
        return _CalledParts(["check"], [], [])
    if inspection.style == "snippet":
        if inspection.runs_nothing:
            raise CannotHoldError("its test code runs nothing")
        return _CalledParts([], [], [])
    classes = []
    cases = []
    definitions = {node.name: node for node in tree.body if isinstance(node, (_Function, ast.ClassDef))}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            if _is_unittest_case(node, definitions):
                cases.append(node.name)
            elif node.name.startswith("Test"):
                classes.append((node.name, _test_members(node, definitions)))
    called_names = _called_at_end(tree)
    return _CalledParts(
        [name for name in functions if name.startswith("test") and name not in called_names], classes, cases
    )


def _test_members(node: ast.ClassDef, definitions: dict[str, _Function | ast.ClassDef]) -> list[str]:
    """Return a class's tests, inherited ones first. Raises `CannotHoldError` if only pytest can set them up."""
    members = _find_methods(node, definitions)
    setup_methods = [members[name] for name in ("setup_method", "teardown_method") if name in members]
    if _PYTEST_SETUP_NAMES.intersection(members) or any(len(method.args.args) > 1 for method in setup_methods):
        raise CannotHoldError(_PYTEST_SETUP_REASON)
    return [name for name in members if name.startswith("test")]


def _find_methods(
    node: ast.ClassDef, definitions: dict[str, _Function | ast.ClassDef], depth: int = 0
) -> dict[str, _Function]:
    """Return the methods of a class and of its bases in the same code, by name."""
    members: dict[str, _Function] = {}
    for base in node.bases:
        base_definition = definitions.get(base.id) if isinstance(base, ast.Name) else None
        if isinstance(base_definition, ast.ClassDef) and depth < len(definitions):
            members.update(_find_methods(base_definition, definitions, depth + 1))
    return members | {member.name: member for member in node.body if isinstance(member, _Function)}


def _called_at_end(tree: ast.Module) -> set[str]:
    """Return the functions that the code calls itself at its top level."""
    return {
        node.value.func.id
        for node in tree.body
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name)
    }


_REGISTER_MODULES = '''\
def _import_as(names):
    """Let tests import this program by these names, where nothing else has them."""
    import importlib.util
    import sys
    import types

    program = globals()

    class Program(types.ModuleType):
        def __setattr__(self, name, value):
            super().__setattr__(name, value)
            program[name] = value

    module = Program("solution")
    vars(module).update({{name: program[name] for name in program if name not in ("__name__", "__spec__")}})
    first = {{name.partition(".")[0] for name in names}}
    free = [name for name in first if name not in sys.modules and importlib.util.find_spec(name) is None]
    sys.modules.update({{name: module for name in names if name.partition(".")[0] in free}})


_import_as({names!r})
'''


def with_modules(test: str, names: Iterable[str]) -> str:
    """Return test code that first registers its own program under these module names; unchanged without names."""
    sorted_names = sorted(names)
    return f"{_REGISTER_MODULES.format(names=sorted_names)}\n\n{test}" if sorted_names else test


def modules_of_answer(code: str, test: str) -> set[str]:
    """Return the modules by which a test imports the code under test, with their parent packages."""
    answer_modules = {SOLUTION, *candidate_code_modules(code, test)} - sys.stdlib_module_names
    modules: set[str] = set()
    for name in imported_names(tree_or_empty(test)):
        parts = name.split(".")
        if parts[0] in answer_modules:
            modules.update(".".join(parts[: number + 1]) for number in range(len(parts)))
    return modules
