"""Find the values that pytest passes to tests: fixtures (own or from conftest files) and parametrised values."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from annotator.mining.repository.calls.evaluator import Evaluator, memoise
from annotator.mining.repository.calls.possible_values import (
    ClassValue,
    Frame,
    FunctionValue,
    Instance,
    Value,
    Values,
    merged,
)
from annotator.mining.repository.discovery.modules import FunctionInfo, Module
from annotator.mining.repository.discovery.scopes import dotted_name

FIXTURE_DECORATORS = ("fixture", "yield_fixture")


def is_fixture(info: FunctionInfo) -> bool:
    """Return whether a function is a pytest fixture."""
    return info.decorated(*FIXTURE_DECORATORS)


class PytestEvaluator(Evaluator):
    """An evaluator that also knows the arguments that pytest passes."""

    def pytest_argument(self, info: FunctionInfo, name: str, frame: Frame) -> Values:
        """Return the values that pytest passes for a parameter of a test or fixture; empty for other functions."""
        if not (is_fixture(info) or (info.module.is_test and info.name.startswith("test"))):
            return ()
        return parametrised_values(self, info, name, frame) or fixture_value(self, info, name, frame.receiver)


def parametrised_values(evaluator: Evaluator, info: FunctionInfo, name: str, frame: Frame) -> Values:
    """Return the values of ``parametrize`` marks on the function."""
    outer = frame.outer
    if outer is None:
        return ()
    calls = (item for item in info.node.decorator_list if isinstance(item, ast.Call))
    marks = (item for item in calls if dotted_name(item.func).rpartition(".")[2] == "parametrize")
    return merged(*(_values_of_mark(evaluator, mark, name, outer) for mark in marks))


def _values_of_mark(evaluator: Evaluator, node: ast.Call, name: str, frame: Frame) -> Values:
    keywords = {item.arg: item.value for item in node.keywords}
    labels = node.args[0] if node.args else keywords.get("argnames")
    rows = node.args[1] if len(node.args) > 1 else keywords.get("argvalues")
    names = _labels(labels)
    if rows is None or name not in names:
        return ()
    # Rows are not told apart by their columns.
    values = evaluator.elements(evaluator.evaluate(rows, frame))
    return values if len(names) == 1 else evaluator.elements(values)


def _labels(node: ast.expr | None) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [part.strip() for part in node.value.split(",") if part.strip()]
    elements = node.elts if isinstance(node, (ast.Tuple, ast.List)) else []
    return [item.value for item in elements if isinstance(item, ast.Constant) and isinstance(item.value, str)]


def fixture_value(evaluator: Evaluator, info: FunctionInfo, name: str, receiver: Value | None) -> Values:
    """Return the values of the fixture of this name for a function."""
    if name == "request":
        return ()
    fixture = find_fixture(evaluator, info, name, receiver)
    return _value_of_fixture(evaluator, fixture) if fixture is not None else ()


@memoise
def _value_of_fixture(evaluator: Evaluator, value: FunctionValue) -> Values:
    values = evaluator.call_function(value)
    return evaluator.elements(values) if evaluator.frames.scope(value.info.node).generates else values


def find_fixture(evaluator: Evaluator, info: FunctionInfo, name: str, receiver: Value | None) -> FunctionValue | None:
    """Return the fixture of a name for a function: from its class, its module, or the nearest ``conftest`` file."""
    if info.owner is not None:
        class_value = evaluator.frames.class_value(info.owner)
        mro = evaluator.mro(receiver if isinstance(receiver, (Instance, ClassValue)) else class_value)
        candidates = evaluator.look_up(mro, name)
        for item in candidates:
            if isinstance(item, FunctionValue) and is_fixture(item.info) and item.info is not info:
                return FunctionValue(item.info, item.frame, receiver or class_value.instance)
    for module in conftest_chain(evaluator, info.module):
        fixture = _fixture_in_module(evaluator, module, name, info)
        if fixture is not None:
            return fixture
    return None


def conftest_chain(evaluator: Evaluator, module: Module) -> Iterator[Module]:
    """Yield a module and the ``conftest`` files above it, the nearest first."""
    yield module
    folders = module.path.split("/")[:-1]
    for depth in range(len(folders), -1, -1):
        conftest = evaluator.project.by_path.get("/".join([*folders[:depth], "conftest.py"]))
        if conftest is not None and conftest is not module:
            yield conftest


def _fixture_in_module(
    evaluator: Evaluator, module: Module, name: str, requesting: FunctionInfo
) -> FunctionValue | None:
    for item in evaluator.module_attribute(module, name):
        if isinstance(item, FunctionValue) and is_fixture(item.info) and item.info is not requesting:
            return item
    for function in module.functions.values():
        if function.owner is None and is_fixture(function) and _explicit_name(function) == name:
            return FunctionValue(function, evaluator.frames.of_module(module))
    return None


def _explicit_name(info: FunctionInfo) -> str:
    for item in info.node.decorator_list:
        if isinstance(item, ast.Call):
            for keyword in item.keywords:
                if keyword.arg == "name" and isinstance(keyword.value, ast.Constant):
                    return str(keyword.value.value)
    return ""
