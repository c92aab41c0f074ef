"""What a call gives back, and which functions it runs."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from annotator.mining.repository import attributes, externals, hints
from annotator.mining.repository.frames import Frame
from annotator.mining.repository.modules import FunctionInfo
from annotator.mining.repository.values import (
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    Items,
    LambdaValue,
    Literal,
    Managed,
    Many,
    Mapping,
    Method,
    Partial,
    Value,
    Values,
    is_ours,
    merged,
)

if TYPE_CHECKING:
    from annotator.mining.repository.evaluator import Evaluator

Given = tuple[tuple[str, Values], ...]
_ARGUMENTS_LIMIT = 12


def call(ev: Evaluator, value: Value, node: ast.Call, frame: Frame) -> Values:
    """Return what calling a value gives."""
    match value:
        case ClassValue():
            return (value.instance,)
        case FunctionValue():
            return call_function(ev, value, bind(ev, value, node, frame))
        case Instance():
            targets = attributes.attribute(ev, value, "__call__")
            return merged(*(call(ev, target, node, frame) for target in targets if isinstance(target, FunctionValue)))
        case LambdaValue():
            return _lambda(ev, value, node, frame)
        case Partial():
            return call_plain(ev, value.target)
        case External():
            return externals.call(ev, value.name, node, frame)
        case Method():
            return externals.container_method(ev, value, node, frame)
    return ()


def call_plain(ev: Evaluator, value: Value) -> Values:
    """Return what calling a value gives, whatever the arguments."""
    match value:
        case ClassValue():
            return (value.instance,)
        case FunctionValue():
            return call_function(ev, value, ())
        case LambdaValue():
            return ev.values(value.node.body, ev.lambda_frame(value, ()))
        case Partial():
            return call_plain(ev, value.target)
        case Instance():
            return call_method(ev, value, "__call__")
    return ()


def call_method(ev: Evaluator, value: Instance, name: str) -> Values:
    """Return what calling a method of an instance gives, whatever the arguments."""
    found = attributes.attribute(ev, value, name)
    return merged(*(call_function(ev, item, ()) for item in found if isinstance(item, FunctionValue)))


def call_function(ev: Evaluator, value: FunctionValue, given: Given) -> Values:
    """Return what a function gives for arguments."""
    frame = ev.function_frame(value.info, value.receiver, value.frame, given)
    return ev.once(("result", id(value.info.node), id(frame)), _result, ev, value.info, frame)


def _result(ev: Evaluator, info: FunctionInfo, frame: Frame) -> Values:
    """Take the annotation where it says something; else what is returned or yielded."""
    scope = frame.scope
    managed = info.decorated("contextmanager", "asynccontextmanager")
    annotated: Values = ()
    if info.node.returns is not None and frame.outer is not None:
        annotated = hints.instances(ev, info.node.returns, frame.outer)
        if annotated and not managed and not scope.generates:
            return _narrowed(ev, annotated, frame)
    if managed:
        yielded = merged(*(ev.values(item, frame) for item in scope.yields))
        return (Managed(yielded or ev.elements(annotated)),)
    if annotated:
        return annotated
    if scope.generates:
        passed = merged(*(ev.values(item, frame) for item in scope.yields_from))
        return (Many(merged(*(ev.values(item, frame) for item in scope.yields), ev.elements(passed))),)
    return merged(*(ev.values(item, frame) for item in scope.returns))


def _narrowed(ev: Evaluator, annotated: Values, frame: Frame) -> Values:
    """Prefer what is returned where it is the annotated class for certain, or one below it."""
    if all(isinstance(value, Instance) for value in annotated):
        return narrowed(ev, annotated, merged(*(ev.values(item, frame) for item in frame.scope.returns)))
    return annotated


def narrowed(ev: Evaluator, annotated: Values, returned: Values) -> Values:
    """Return what is there in place of what an annotation says, where it fits that and says more."""
    wanted = [value for value in annotated if isinstance(value, Instance)]
    if not wanted or len(wanted) != len(annotated):
        return annotated
    below = tuple(
        value
        for value in returned
        if isinstance(value, Instance)
        and value not in wanted
        and any(ClassValue(item.info, item.frame) in attributes.order(ev, value) for item in wanted)
    )
    return below if below and len(below) == len(returned) else annotated


def bind(ev: Evaluator, value: FunctionValue, node: ast.Call, frame: Frame) -> Given:
    """Return those arguments of a call that lead to something of the repository, by parameter."""
    arguments = value.info.node.args
    names = [item.arg for item in (*arguments.posonlyargs, *arguments.args)]
    if value.receiver is not None and not value.info.is_static:
        names = names[1:]
    return _bind(ev, names, node, frame, arguments)


def _bind(ev: Evaluator, names: list[str], node: ast.Call, frame: Frame, into: ast.arguments) -> Given:
    found: dict[str, Values] = {}
    for name, argument in zip(names[:_ARGUMENTS_LIMIT], node.args, strict=False):
        if isinstance(argument, ast.Starred):
            break
        found[name] = ev.values(argument, frame)
    named = {item.arg for item in (*into.args, *into.kwonlyargs)}
    others: list[tuple[str, Values]] = []
    for keyword in node.keywords[:_ARGUMENTS_LIMIT]:
        if keyword.arg is None:
            continue
        values = ev.values(keyword.value, frame)
        if into.kwarg is not None and keyword.arg not in named:
            others.append((keyword.arg, values))
        else:
            found[keyword.arg] = values
    if into.kwarg is not None and others:
        found[into.kwarg.arg] = (Mapping(merged(*(values for _, values in others)), tuple(others)),)
    return tuple((name, values) for name, values in found.items() if any(map(is_ours, values)))


def _lambda(ev: Evaluator, value: LambdaValue, node: ast.Call, frame: Frame) -> Values:
    return ev.values(value.node.body, ev.lambda_frame(value, bind_lambda(ev, value, node, frame)))


def bind_lambda(ev: Evaluator, value: LambdaValue, node: ast.Call, frame: Frame) -> Given:
    """Return those arguments of a lambda's call that lead to something of the repository, by parameter."""
    arguments = value.node.args
    return _bind(ev, [item.arg for item in (*arguments.posonlyargs, *arguments.args)], node, frame, arguments)


def entered(ev: Evaluator, values: Values) -> Values:
    """Return what entering context managers gives."""
    found: list[Values] = []
    for value in values:
        match value:
            case Managed():
                found.append(value.values)
            case Instance():
                found.append(call_method(ev, value, "__enter__") or call_method(ev, value, "__aenter__"))
            case Items() | Many():
                continue
            case _ if is_ours(value):
                found.append((value,))
    return merged(*found)


def subscript(ev: Evaluator, values: Values, index: ast.expr, frame: Frame) -> Values:
    """Return what ``value[index]`` gives."""
    found: list[Values] = []
    for value in values:
        match value:
            case Items() | Many() if isinstance(index, ast.Slice):
                found.append((Many(ev.elements((value,))),))
            case Items():
                found.append(_item(ev, value, ev.values(index, frame), index))
            case Many():
                found.append(value.element)
            case Mapping():
                keys = [item.value for item in ev.values(index, frame) if isinstance(item, Literal)]
                named = [values for name, values in value.named if name in keys]
                found.append(merged(*named) if named else value.values)
            case Instance():
                found.append(call_method(ev, value, "__getitem__"))
            case ClassValue() if attributes.is_enum(ev, value):
                found.append((Instance(value.info, value.frame),))
            case ClassValue() | External():
                found.append((value,))
    return merged(*found)


def _item(ev: Evaluator, value: Items, keys: Values, index: ast.expr) -> Values:
    places = [item.value for item in keys if isinstance(item, Literal) and isinstance(item.value, int)]
    if isinstance(index, ast.UnaryOp) and isinstance(index.operand, ast.Constant):
        number = index.operand.value
        places = [-number] if isinstance(number, int) else []
    chosen = [value.elements[place] for place in places if -len(value.elements) <= place < len(value.elements)]
    return merged(*chosen) if chosen else ev.elements((value,))


# -- which functions run ----------------------------------------------------------------------------------------------


def targets(ev: Evaluator, value: Value) -> tuple[FunctionValue, ...]:
    """Return the functions that run when a value is called, constructors included."""
    match value:
        case FunctionValue():
            return (value,)
        case Partial():
            return targets(ev, value.target)
        case Instance():
            return _functions(attributes.attribute(ev, value, "__call__"))
        case ClassValue():
            called = attributes.attribute(ev, value, "__new__") if not attributes.is_enum(ev, value) else ()
            by_kind = _functions(attributes.of_metaclass(ev, value, "__call__"))
            return (*by_kind, *_functions(called), *_functions(attributes.attribute(ev, value.instance, "__init__")))
        case External() | ExternalInstance():
            return ()
    return ()


def _functions(values: Values) -> tuple[FunctionValue, ...]:
    return tuple(item for item in values if isinstance(item, FunctionValue))
