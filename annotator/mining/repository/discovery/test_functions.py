"""Find test functions and their pytest node ids (specification, 2)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from annotator.mining.repository.calls.evaluator import Evaluator
from annotator.mining.repository.calls.fixtures import is_fixture
from annotator.mining.repository.calls.possible_values import ClassValue, External, FunctionValue
from annotator.mining.repository.discovery.modules import ClassInfo, FunctionInfo, Module
from annotator.mining.repository.discovery.scopes import dotted_name

NON_TEST_METHODS = {
    "setUp", "tearDown", "setUpClass", "tearDownClass", "setUpModule", "tearDownModule", "setup", "teardown",
    "setup_method", "teardown_method", "setup_class", "teardown_class", "setup_module", "teardown_module",
    "asyncSetUp", "asyncTearDown", "runTest", "setUpTestData",
}  # fmt: skip
_TEST_CASE_BASES = ("TestCase", "IsolatedAsyncioTestCase", "SimpleTestCase", "TransactionTestCase", "AsyncTestCase")
_ASSERTIONS = {"raises", "warns", "approx", "deprecated_call", "fail", "expect"}
_EXPECTING_DECORATORS = {"raises", "expectedException", "expectedFailure", "xfail"}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TestFunction:
    """A test: its definition, ``case``, the class it runs in (possibly a subclass of its own), and its fixtures.

    ``node_id`` is pytest's, empty if pytest would not collect it.
    """

    __test__ = False
    info: FunctionInfo
    case: ClassInfo | None
    node_id: str
    fixtures: tuple[str, ...]


def find_tests(evaluator: Evaluator) -> tuple[TestFunction, ...]:
    """Return every test of a project, an inherited one once per class that runs it."""
    tests: list[TestFunction] = []
    for module in evaluator.project.modules:
        if module.is_test or any("test" in name.lower() for name in (*module.functions, *module.classes)):
            tests.extend(_tests_in_module(evaluator, module))
    return tuple(tests)


def _tests_in_module(evaluator: Evaluator, module: Module) -> Iterator[TestFunction]:
    if not module.is_test and not _imports_testing(module):
        return
    for info in module.functions.values():
        if info.owner is None and _has_test_name(info.name) and _is_test(evaluator, info):
            yield _make_test(info, None)
    for class_info in module.classes.values():
        yield from _tests_in_class(evaluator, class_info)


def _imports_testing(module: Module) -> bool:
    for node in module.tree.body:
        if isinstance(node, ast.Import) and any(item.name in ("unittest", "pytest") for item in node.names):
            return True
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in ("unittest", "pytest"):
            return True
    return False


def _tests_in_class(evaluator: Evaluator, class_info: ClassInfo) -> Iterator[TestFunction]:
    value = evaluator.frames.class_value(class_info)
    mro = evaluator.mro(value)
    is_case = any(isinstance(base, External) and base.name.rpartition(".")[2] in _TEST_CASE_BASES for base in mro)
    is_test_class = _has_test_name(class_info.name)
    if not (is_case or is_test_class):
        return
    names_seen: set[str] = set()
    for base in mro:
        if not isinstance(base, ClassValue):
            continue
        for info in base.info.module.functions.values():
            if info.owner is base.info and info.name not in names_seen:
                names_seen.add(info.name)
                if (_has_test_name(info.name) or is_test_class) and _is_test(evaluator, info):
                    collected = is_case or class_info.name.startswith("Test")
                    yield _make_test(info, class_info, collected=collected)


def _has_test_name(name: str) -> bool:
    return "test" in name or "Test" in name


def _is_test(evaluator: Evaluator, info: FunctionInfo) -> bool:
    """Return whether a function is a test: it asserts something and is not set-up, a fixture or a helper."""
    if info.name in NON_TEST_METHODS or info.name.startswith("__") or is_fixture(info) or info.is_property:
        return False
    if not info.name.startswith("test") and _is_helper(info):
        return False
    return makes_assertion(evaluator, info, set())


def _is_helper(info: FunctionInfo) -> bool:
    """Return whether a function that pytest would not collect is used in its own file."""
    return info.name in info.module.mentioned()


def makes_assertion(evaluator: Evaluator, info: FunctionInfo, visited: set[int], depth: int = 0) -> bool:
    """Return whether a function asserts something: itself, by its decorators, or in a test helper that it calls."""
    if depth and not info.module.is_test:
        return False
    if any(name.rpartition(".")[2] in _EXPECTING_DECORATORS for name in info.decorators):
        return True
    visited.add(id(info.node))
    calls = []
    for node in ast.walk(info.node):
        if isinstance(node, ast.Assert):
            return True
        if isinstance(node, ast.Call):
            if _is_assertion(node.func):
                return True
            calls.append(node)
    if depth >= 2:
        return False
    frame = evaluator.frames.of_function(info, evaluator.receiver_of(info))
    for node in calls:
        for value in evaluator.evaluate(node.func, frame):
            if not isinstance(value, FunctionValue) or id(value.info.node) in visited:
                continue
            if makes_assertion(evaluator, value.info, visited, depth + 1):
                return True
    return False


def _is_assertion(callee: ast.expr) -> bool:
    name = callee.attr if isinstance(callee, ast.Attribute) else dotted_name(callee)
    return name.lower().startswith("assert") or name in _ASSERTIONS


def _make_test(info: FunctionInfo, case: ClassInfo | None, *, collected: bool = True) -> TestFunction:
    # pytest collects an inherited test in the file of the inheriting class.
    module = (case or info).module
    parts = [module.path, *(case.qualname.split(".") if case else []), info.name]
    arguments = [*info.node.args.posonlyargs, *info.node.args.args, *info.node.args.kwonlyargs]
    names = [item.arg for item in arguments][0 if info.is_static else 1 :]
    collected = collected and info.name.startswith("test") and (module.is_test or _is_collectable(module))
    return TestFunction(info=info, case=case, node_id="::".join(parts) if collected else "", fixtures=tuple(names))


def _is_collectable(module: Module) -> bool:
    name = module.path.rpartition("/")[2]
    return name.startswith("test") or name.endswith("_test.py")
