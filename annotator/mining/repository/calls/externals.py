"""The results of external functions that pass on objects of the repository."""

from __future__ import annotations

import ast
from collections.abc import Callable

from annotator.mining.repository.calls.evaluator import Evaluator
from annotator.mining.repository.calls.possible_values import (
    ClassValue,
    External,
    ExternalInstance,
    Frame,
    FunctionValue,
    Instance,
    Items,
    LambdaValue,
    Literal,
    Many,
    ModuleValue,
    Partial,
    Super,
    Values,
    merged,
)

_SAME_ELEMENTS = {
    "list",
    "tuple",
    "set",
    "frozenset",
    "sorted",
    "reversed",
    "iter",
    "deque",
    "chain",
    "cycle",
    "islice",
}
_ONE_ELEMENT = {"next", "max", "min", "anext"}
_SAME_VALUE = {
    "copy", "deepcopy", "closing", "aclosing", "suppress", "lru_cache", "cache", "wraps", "run", "nullcontext",
    "reload", "run_until_complete", "wait_for", "replace", "cast", "spy", "dataclass", "decorator", "staticmethod",
    "classmethod",
}  # fmt: skip
_ENTERING = {"enter_context", "enterContext", "enterClassContext", "enter_async_context"}


def call_external(ev: Evaluator, name: str, node: ast.Call, frame: Frame) -> Values:
    """Return the values of calling an external function; an `ExternalInstance` for one without a rule here."""
    last = name.rpartition(".")[2]
    first = node.args[0] if node.args and not isinstance(node.args[0], ast.Starred) else None
    if name == "builtins.super":
        return _super(ev, frame)
    if first is None:
        return (ExternalInstance(name),)
    special = _SPECIAL.get(last)
    if special is not None:
        return special(ev, node, frame)
    if last in _SAME_ELEMENTS:
        return (Many(ev.elements(merged(*(ev.evaluate(item, frame) for item in node.args)))),)
    if last in _ONE_ELEMENT:
        return ev.elements(ev.evaluate(first, frame)) if len(node.args) == 1 or last == "next" else ()
    if last in _SAME_VALUE:
        return ev.evaluate(first, frame)
    if last in _ENTERING:
        return ev.enter(ev.evaluate(first, frame))
    return (ExternalInstance(name),)


def _super(ev: Evaluator, frame: Frame) -> Values:
    current: Frame | None = frame
    while current is not None and (current.function is None or current.function.owner is None):
        current = current.outer
    if current is None or current.function is None or current.function.owner is None:
        return ()
    owner = current.function.owner
    receiver = current.receiver
    if receiver is None:
        kind = ev.frames.class_value(owner)
        receiver = kind if current.function.takes_class else Instance(kind.info, kind.frame)
    return (Super(owner, receiver),)


def _type(ev: Evaluator, node: ast.Call, frame: Frame) -> Values:
    if len(node.args) != 1:
        return merged(*(ev.elements(ev.evaluate(item, frame)) for item in node.args[1:2]))
    return tuple(item.type for item in ev.evaluate(node.args[0], frame) if isinstance(item, Instance))


def _getattr(ev: Evaluator, node: ast.Call, frame: Frame) -> Values:
    if len(node.args) < 2:
        return ()
    names = [item.value for item in ev.evaluate(node.args[1], frame) if isinstance(item, Literal)]
    owners = ev.evaluate(node.args[0], frame)
    values = merged(*(ev.attribute(owner, name) for owner in owners for name in names if isinstance(name, str)))
    return values or merged(*(ev.evaluate(default, frame) for default in node.args[2:3]))


def _import_module(ev: Evaluator, node: ast.Call, frame: Frame) -> Values:
    names = [item.value for item in ev.evaluate(node.args[0], frame) if isinstance(item, Literal)]
    modules = [(name, ev.project.module_named(name, frame.module)) for name in names if isinstance(name, str)]
    return tuple(External(name) if module is None else ModuleValue(module) for name, module in modules)


def _partial(ev: Evaluator, node: ast.Call, frame: Frame) -> Values:
    return tuple(
        Partial(item)
        for item in ev.evaluate(node.args[0], frame)
        if isinstance(item, (FunctionValue, ClassValue, Instance, LambdaValue, Partial))
    )


def _cast(ev: Evaluator, node: ast.Call, frame: Frame) -> Values:
    return ev.annotated(node.args[0], frame) or ev.evaluate(node.args[-1], frame)


def _param(ev: Evaluator, node: ast.Call, frame: Frame) -> Values:
    if len(node.args) == 1:
        return ev.evaluate(node.args[0], frame)
    return (Items(tuple(ev.evaluate(item, frame) for item in node.args)),)


_SPECIAL: dict[str, Callable[[Evaluator, ast.Call, Frame], Values]] = {
    "type": _type, "getattr": _getattr, "partial": _partial, "partialmethod": _partial, "cast": _cast, "param": _param,
    "import_module": _import_module,
}  # fmt: skip
