"""Match tests to the functions they call (specification, 3). Running the tests confirms and completes the result.

Only functions that a test calls by name and properties that it reads are proposed; methods that operators, loops and
library functions call are found when it runs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from annotator.jobs.progress import Progress
from annotator.mining.repository.calls.evaluator import Evaluator
from annotator.mining.repository.calls.fixtures import is_fixture
from annotator.mining.repository.calls.possible_values import (
    Frame,
    FunctionValue,
    Instance,
)
from annotator.mining.repository.discovery.modules import FunctionInfo
from annotator.mining.repository.discovery.scopes import dotted_name
from annotator.mining.repository.discovery.test_functions import TestFunction

How = Literal["call", "argument", "property", "helper"]
MAX_HELPER_DEPTH = 2
_CALLABLE_ARGUMENT_INDEX = {
    "assertRaises": 1, "assertWarns": 1, "raises": 1, "warns": 1, "assertRaisesRegex": 2, "assertWarnsRegex": 2,
    "assertRaisesRegexp": 2, "assertRaisesMessage": 2, "deprecated_call": 0,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CallMatch:
    """A function that a test reaches: by a call, as an argument to be called, as a property, or through a helper."""

    function: FunctionInfo
    how: How
    line: int


def match_tests(
    evaluator: Evaluator, tests: tuple[TestFunction, ...], progress: Progress | None = None
) -> dict[TestFunction, tuple[CallMatch, ...]]:
    """Match every test; each function is listed once per test, with its most direct way."""
    progress = progress or Progress()
    matches = {}
    for number, test in enumerate(tests):
        if number % 32 == 0:
            progress.report(number, len(tests), "matching tests")
        matches[test] = match_test(evaluator, test)
    return matches


def match_test(evaluator: Evaluator, test: TestFunction) -> tuple[CallMatch, ...]:
    """Return the functions that a test calls, the most direct first."""
    frame = evaluator.frames.of_function(test.info, evaluator.receiver_of(test.info, test.case))
    matches: dict[int, CallMatch] = {}
    try:
        for item in _matches(evaluator, test.info.node, frame, 0, set()):
            previous = matches.get(id(item.function.node))
            if previous is None or _RANK[item.how] < _RANK[previous.how]:
                matches[id(item.function.node)] = item
    except RecursionError:
        pass
    return tuple(sorted(matches.values(), key=lambda item: (_RANK[item.how], item.line)))


_RANK: dict[How, int] = {"call": 0, "argument": 1, "property": 2, "helper": 3}


def _matches(evaluator: Evaluator, node: ast.AST, frame: Frame, depth: int, visited: set[int]) -> Iterator[CallMatch]:
    """Yield the calls in a function's body, including the bodies of functions and classes inside it."""
    visited.add(id(frame))
    body = getattr(node, "body", [])
    pending = [(item, frame) for item in (body if isinstance(body, list) else [body])]
    while pending:
        item, current_frame = pending.pop()
        if isinstance(item, ast.Call):
            yield from _matches_of_call(evaluator, item, current_frame, depth, visited)
        elif isinstance(item, ast.Attribute) and isinstance(item.ctx, ast.Load):
            yield from _matches_of_read(evaluator, item, current_frame)
        pending.extend(evaluator.children(item, current_frame))


def _matches_of_call(
    evaluator: Evaluator, node: ast.Call, frame: Frame, depth: int, visited: set[int]
) -> Iterator[CallMatch]:
    callees = evaluator.evaluate(node.func, frame)
    for value in callees:
        for target in evaluator.called_functions(value):
            yield CallMatch(target.info, "call", node.lineno)
            if depth < MAX_HELPER_DEPTH and target.info.module.is_test and not is_fixture(target.info):
                inner = evaluator.frames.of_function(target.info, target.receiver, target.frame)
                if id(inner) not in visited:
                    for item in _matches(evaluator, target.info.node, inner, depth + 1, visited):
                        yield CallMatch(item.function, "helper", node.lineno)
    name = node.func.attr if isinstance(node.func, ast.Attribute) else dotted_name(node.func)
    index = _CALLABLE_ARGUMENT_INDEX.get(name)
    if index is not None and len(node.args) > index:
        for value in evaluator.evaluate(node.args[index], frame):
            for target in evaluator.called_functions(value):
                yield CallMatch(target.info, "argument", node.lineno)


def _matches_of_read(evaluator: Evaluator, node: ast.Attribute, frame: Frame) -> Iterator[CallMatch]:
    """Yield the property that reading an attribute runs."""
    for owner in evaluator.evaluate(node.value, frame):
        if isinstance(owner, Instance):
            for item in evaluator.look_up(evaluator.mro(owner), node.attr):
                if isinstance(item, FunctionValue) and item.info.is_property:
                    yield CallMatch(item.info, "property", node.lineno)
