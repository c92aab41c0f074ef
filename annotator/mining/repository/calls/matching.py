"""From tests to the functions they call (specification, 3)."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from annotator.jobs.progress import Progress
from annotator.mining.repository.calls.evaluator import OPERATORS, Evaluator, memoise
from annotator.mining.repository.calls.fixtures import is_fixture
from annotator.mining.repository.calls.possible_values import (
    ClassValue,
    Frame,
    FunctionValue,
    Instance,
    LambdaValue,
    Value,
    Values,
    is_ours,
)
from annotator.mining.repository.discovery.modules import ClassInfo, FunctionInfo
from annotator.mining.repository.discovery.scopes import COMPREHENSIONS, FUNCTIONS, dotted_name
from annotator.mining.repository.discovery.test_functions import TestFunction
from annotator.text.python_tree import child_nodes

How = Literal["call", "argument", "property", "helper"]
HELPER_DEPTH = 2
OWN_METHOD_SHARE = 0.25
"""Share of subclasses with their own method from which the base's method is no longer assumed to run."""
_CALLED_ARGUMENT = {
    "assertRaises": 1, "assertWarns": 1, "raises": 1, "warns": 1, "assertRaisesRegex": 2, "assertWarnsRegex": 2,
    "assertRaisesRegexp": 2, "assertRaisesMessage": 2, "map": 0, "filter": 0, "deprecated_call": 0,
}  # fmt: skip
_CALLBACK_POSITION = {
    "sub": 1, "subn": 1, "reduce": 0, "starmap": 0, "takewhile": 0, "dropwhile": 0, "filterfalse": 0, "accumulate": 1,
    "groupby": 1,
}  # fmt: skip
"""Functions of Python's library that call what they are given, and its last place among the arguments."""
_KEY_FUNCTIONS = {"sorted", "sort", "min", "max", "nlargest", "nsmallest", "groupby"}
"""Those that call what they are given as ``key``."""
_IMPLIED_METHODS = {"len": "__len__", "str": "__str__", "repr": "__repr__", "hash": "__hash__", "bool": "__bool__",
            "int": "__int__", "bytes": "__bytes__", "float": "__float__", "next": "__next__", "iter": "__iter__",
            "list": "__iter__", "tuple": "__iter__",
            "format": "__format__", "abs": "__abs__", "round": "__round__", "dir": "__dir__"}  # fmt: skip

_COMPARISONS: dict[type[ast.AST], str] = {
    ast.Eq: "__eq__", ast.NotEq: "__ne__", ast.Lt: "__lt__", ast.LtE: "__le__", ast.Gt: "__gt__", ast.GtE: "__ge__",
}  # fmt: skip
_SUBSCRIPTS: dict[type[ast.AST], str] = {
    ast.Load: "__getitem__", ast.Store: "__setitem__", ast.Del: "__delitem__",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CallMatch:
    """A function that a test runs, how the test reaches it, and the line of the call."""

    function: FunctionInfo
    how: How
    line: int


def match_tests(
    ev: Evaluator, tests: tuple[TestFunction, ...], progress: Progress | None = None
) -> dict[TestFunction, tuple[CallMatch, ...]]:
    """Match every test; each function is named once per test, by the most direct way."""
    progress = progress or Progress()
    matches = {}
    for number, test in enumerate(tests):
        if number % 32 == 0:
            progress.report(number, len(tests), "matching tests")
        matches[test] = match_test(ev, test)
    return matches


def match_test(ev: Evaluator, test: TestFunction) -> tuple[CallMatch, ...]:
    """Return the functions a test calls, directly first."""
    receiver: Value | None = None
    if test.case is not None and not test.info.is_static:
        kind = ev.frames.class_value(test.case)
        receiver = kind if test.info.takes_class else Instance(kind.info, kind.frame)
    frame = ev.frames.of_function(test.info, receiver)
    matches: dict[int, CallMatch] = {}
    try:
        for item in _matches(ev, test.info.node, frame, 0, set()):
            previous = matches.get(id(item.function.node))
            if previous is None or _RANK[item.how] < _RANK[previous.how]:
                matches[id(item.function.node)] = item
    except RecursionError:
        pass
    return tuple(sorted(matches.values(), key=lambda item: (_RANK[item.how], item.line)))


_RANK: dict[How, int] = {"call": 0, "argument": 1, "property": 2, "helper": 3}


def _matches(ev: Evaluator, node: ast.AST, frame: Frame, depth: int, visited: set[int]) -> Iterator[CallMatch]:
    """Yield the calls in a function's body, including the bodies of functions and classes inside it."""
    visited.add(id(frame))
    body = getattr(node, "body", [])
    pending: list[tuple[ast.AST, Frame]] = [(item, frame) for item in (body if isinstance(body, list) else [body])]
    while pending:
        item, current_frame = pending.pop()
        if isinstance(item, FUNCTIONS):
            value = FunctionValue(ev.project.functions[id(item)], current_frame)
            receiver = _receiver_in(current_frame)
            inner = ev.frames.of_function(value.info, receiver, current_frame)
            pending.extend((child, current_frame) for child in (*item.decorator_list, *_defaults(item)))
            pending.extend((child, inner) for child in item.body)
            continue
        if isinstance(item, ast.ClassDef):
            kind = ClassValue(ev.project.classes[id(item)], current_frame)
            pending.extend((child, current_frame) for child in (*item.bases, *item.decorator_list))
            pending.extend((child, ev.frames.of_class(kind)) for child in item.body)
            continue
        if isinstance(item, ast.Lambda):
            inner = ev.frames.of_lambda(LambdaValue(item, current_frame), ())
            pending.append((item.body, inner))
            continue
        if isinstance(item, COMPREHENSIONS):
            inner = ev.frames.of_comprehension(item, current_frame)
            for number, loop in enumerate(item.generators):
                yield from _matches_of_loop(
                    ev, loop.iter, inner if number else current_frame, item.lineno, is_async=bool(loop.is_async)
                )
            pending.extend((child, inner) for child in child_nodes(item))
            continue
        if isinstance(item, ast.Call):
            yield from _matches_of_call(ev, item, current_frame, depth, visited)
        elif isinstance(item, ast.Attribute):
            yield from (
                _matches_of_read(ev, item, current_frame)
                if isinstance(item.ctx, ast.Load)
                else _matches_of_write(ev, item, current_frame)
            )
        elif isinstance(item, (ast.For, ast.AsyncFor)):
            yield from _matches_of_loop(
                ev, item.iter, current_frame, item.lineno, is_async=isinstance(item, ast.AsyncFor)
            )
        elif isinstance(item, (ast.With, ast.AsyncWith)):
            names = ["__enter__", "__exit__"] if isinstance(item, ast.With) else ["__aenter__", "__aexit__"]
            for entered in item.items:
                yield from _matches_of_method(ev, entered.context_expr, names, current_frame, item.lineno)
        elif isinstance(item, (ast.BinOp, ast.Compare, ast.Subscript)):
            yield from _matches_of_operator(ev, item, current_frame)
        pending.extend((child, current_frame) for child in child_nodes(item))


def _receiver_in(frame: Frame) -> Value | None:
    if frame.owner is None or frame.outer is None:
        return None
    return Instance(frame.owner, frame.outer)


def _defaults(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.expr]:
    return [*node.args.defaults, *(item for item in node.args.kw_defaults if item is not None)]


def _matches_of_call(ev: Evaluator, node: ast.Call, frame: Frame, depth: int, visited: set[int]) -> Iterator[CallMatch]:
    callees = ev.evaluate(node.func, frame)
    for value in callees:
        if isinstance(value, LambdaValue):
            body = ev.frames.of_lambda(value, ev.bind_arguments(value, node, frame))
            if id(body) not in visited:
                yield from _matches(ev, ast.Expression(value.node.body), body, depth, visited)
        for target in ev.called_functions(value):
            if is_unsure(ev, target.receiver, target.info.name):
                continue
            yield CallMatch(target.info, "call", node.lineno)
            if depth < HELPER_DEPTH and target.info.module.is_test and not is_fixture(target.info):
                arguments = ev.bind_arguments(target, node, frame) if value is target else ()
                inner = ev.frames.of_function(target.info, target.receiver, target.frame, arguments)
                if id(inner) not in visited:
                    for item in _matches(ev, target.info.node, inner, depth + 1, visited):
                        yield CallMatch(item.function, "helper", node.lineno)
    name = node.func.attr if isinstance(node.func, ast.Attribute) else dotted_name(node.func)
    if name in _CALLED_ARGUMENT:
        index = _CALLED_ARGUMENT[name]
        if len(node.args) > index:
            yield from _matches_of_argument(ev, ev.evaluate(node.args[index], frame), node.lineno)
    if not any(map(is_ours, callees)):
        for argument in _callback_arguments(name, node):
            yield from _matches_of_argument(ev, ev.evaluate(argument, frame), node.lineno)
    if name in _IMPLIED_METHODS and isinstance(node.func, ast.Name) and len(node.args) == 1:
        for value in ev.evaluate(node.args[0], frame):
            if isinstance(value, Instance):
                yield from _matches_of_argument(ev, ev.attribute(value, _IMPLIED_METHODS[name]), node.lineno)


def _callback_arguments(name: str, node: ast.Call) -> Iterator[ast.expr]:
    """Yield those arguments of a call of Python's library that it calls itself."""
    if name in _CALLBACK_POSITION:
        yield from node.args[: _CALLBACK_POSITION[name] + 1]
        yield from (keyword.value for keyword in node.keywords if keyword.arg in ("repl", "func"))
    if name in _KEY_FUNCTIONS:
        yield from (keyword.value for keyword in node.keywords if keyword.arg == "key")


def _matches_of_argument(ev: Evaluator, values: Values, line: int) -> Iterator[CallMatch]:
    for value in values:
        for target in ev.called_functions(value):
            if not is_unsure(ev, target.receiver, target.info.name):
                yield CallMatch(target.info, "argument", line)


def _matches_of_operator(
    ev: Evaluator, node: ast.BinOp | ast.Compare | ast.Subscript, frame: Frame
) -> Iterator[CallMatch]:
    """Yield the methods that an operator or a subscript runs on what stands left of it."""
    if isinstance(node, ast.Subscript):
        operand, names = node.value, [_SUBSCRIPTS[type(node.ctx)]]
    elif isinstance(node, ast.BinOp):
        operand, names = node.left, [f"__{OPERATORS[type(node.op)]}__"]
    else:
        operand, names = node.left, [_COMPARISONS[type(item)] for item in node.ops[:1] if type(item) in _COMPARISONS]
    yield from _matches_of_method(ev, operand, names, frame, node.lineno)
    if isinstance(node, ast.Compare):
        for kind, container in zip(node.ops, node.comparators, strict=True):
            if isinstance(kind, (ast.In, ast.NotIn)):
                yield from _matches_of_method(ev, container, ["__contains__"], frame, node.lineno)


def _matches_of_loop(ev: Evaluator, node: ast.expr, frame: Frame, line: int, *, is_async: bool) -> Iterator[CallMatch]:
    """Yield the methods that looping over what an expression gives runs."""
    begin, step = ("__aiter__", "__anext__") if is_async else ("__iter__", "__next__")
    yield from _matches_of_method(ev, node, [begin], frame, line)
    for owner in ev.evaluate(node, frame):
        for iterator in ev.call_method(owner, begin) if isinstance(owner, Instance) else ():
            if isinstance(iterator, Instance):
                yield from _matches_of_argument(ev, ev.attribute(iterator, step), line)


def _matches_of_method(
    ev: Evaluator, node: ast.expr, names: Sequence[str], frame: Frame, line: int
) -> Iterator[CallMatch]:
    """Yield the methods of some names that what an expression gives has."""
    for owner in ev.evaluate(node, frame):
        if isinstance(owner, Instance):
            for name in names:
                yield from _matches_of_argument(ev, ev.attribute(owner, name), line)


def _matches_of_read(ev: Evaluator, node: ast.Attribute, frame: Frame) -> Iterator[CallMatch]:
    """Yield the property that reading an attribute runs, and what a class does whenever one is read."""
    for owner in ev.evaluate(node.value, frame):
        if isinstance(owner, Instance):
            yield from _matches_of_argument(ev, ev.attribute(owner, "__getattribute__"), node.lineno)
            if is_unsure(ev, owner, node.attr):
                continue
            values, owner_frame = ev.look_up(ev.mro(owner), node.attr)
            for item in values:
                if isinstance(item, FunctionValue) and item.info.is_property:
                    yield CallMatch(item.info, "property", node.lineno)
            if owner_frame is None and not ev.attribute(owner, node.attr):
                yield from _matches_of_argument(ev, ev.attribute(owner, "__getattr__"), node.lineno)


def _matches_of_write(ev: Evaluator, node: ast.Attribute, frame: Frame) -> Iterator[CallMatch]:
    """Yield what a class does whenever one of its attributes is set or deleted."""
    name = "__setattr__" if isinstance(node.ctx, ast.Store) else "__delattr__"
    for owner in ev.evaluate(node.value, frame):
        if isinstance(owner, Instance):
            yield from _matches_of_argument(ev, ev.attribute(owner, name), node.lineno)
        elif isinstance(owner, ClassValue):
            yield from _matches_of_argument(ev, ev.metaclass_attribute(owner, name), node.lineno)


def is_unsure(ev: Evaluator, owner: Value | None, name: str) -> bool:
    """Whether a subclass's method may run instead of the one found; only running the tests can tell."""
    if not isinstance(owner, (Instance, ClassValue)) or not owner.declared:
        return False
    subclasses = [kind for kind in subclasses_of(ev, owner.info) if isinstance(kind, ClassValue)]
    return bool(subclasses) and sum(
        _has_own(ev, kind, owner.info, name) for kind in subclasses
    ) >= OWN_METHOD_SHARE * len(subclasses)


def _has_own(ev: Evaluator, kind: ClassValue, info: ClassInfo, name: str) -> bool:
    """Return whether a class finds a name before it comes to a base."""
    for base in ev.mro(kind):
        if isinstance(base, ClassValue):
            if base.info is info:
                return False
            if name in ev.frames.of_class(base).scope.bindings:
                return True
    return False


@memoise
def subclasses_of(ev: Evaluator, info: ClassInfo) -> Values:
    """Return the classes that have a class among their bases, those of the tests left out."""
    kinds = [
        ev.frames.class_value(other)
        for other in ev.project.classes.values()
        if other is not info and not other.module.is_test
    ]
    return tuple(
        kind for kind in kinds if any(isinstance(base, ClassValue) and base.info is info for base in ev.mro(kind))
    )
