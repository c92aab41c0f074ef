"""What a type annotation says a value is."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from annotator.mining.repository import attributes
from annotator.mining.repository.frames import Frame
from annotator.mining.repository.scopes import dotted
from annotator.mining.repository.values import (
    ClassValue,
    External,
    ExternalInstance,
    Instance,
    Items,
    Many,
    Mapping,
    Value,
    Values,
    merged,
)
from annotator.text.python_tree import UNREADABLE, read_tree

if TYPE_CHECKING:
    from annotator.mining.repository.evaluator import Evaluator

_ITERABLES = {
    "list", "List", "Sequence", "MutableSequence", "Iterable", "Iterator", "Generator", "AsyncIterator",
    "AsyncIterable", "AsyncGenerator", "Collection", "Set", "set", "FrozenSet", "frozenset", "AbstractSet", "deque",
    "Deque",
}  # fmt: skip
_MAPPINGS = {"dict", "Dict", "Mapping", "MutableMapping", "DefaultDict", "defaultdict", "OrderedDict"}
_TRANSPARENT = {"Optional", "Union", "Annotated", "ClassVar", "Final", "Awaitable", "Coroutine", "Required"}
_UNKNOWN = {"Any", "object", "Literal", "TypeVar", "Callable", "NoReturn", "Never", "Self"}
_TEXT_LIMIT = 500


def instances(ev: Evaluator, node: ast.expr, frame: Frame) -> Values:
    """Return instances of what an annotation names; nothing where it says nothing (``Any``, a type variable)."""
    return ev.once(("annotation", id(node), id(frame)), _instances, ev, node, frame)


def _instances(ev: Evaluator, node: ast.expr, frame: Frame) -> Values:
    match node:
        case ast.Constant(value=str() as text):
            parsed = _parsed(ev, text)
            return instances(ev, parsed, frame) if parsed is not None else ()
        case ast.Constant(value=None):
            return (ExternalInstance("None"),)
        case ast.BinOp(op=ast.BitOr()):
            return merged(instances(ev, node.left, frame), instances(ev, node.right, frame))
        case ast.Subscript():
            return _generic(ev, node, frame)
        case ast.Name() | ast.Attribute():
            return merged(*(_instance(value) for value in _named(ev, node, frame)))
    return ()


def _parsed(ev: Evaluator, text: str) -> ast.expr | None:
    """Parse an annotation written as text; its nodes are kept, because what is found out is kept by node."""
    if len(text) > _TEXT_LIMIT:
        return None
    try:
        parsed = read_tree(text.strip(), "eval").body
    except UNREADABLE:
        return None
    ev.kept.append(parsed)
    return parsed


def _named(ev: Evaluator, node: ast.expr, frame: Frame) -> Values:
    """Look a name up anywhere in its scopes: annotations may name what is defined later."""
    if isinstance(node, ast.Name):
        return ev.name(node.id, frame, None)
    if isinstance(node, ast.Attribute):
        return merged(*(attributes.attribute(ev, value, node.attr) for value in _named(ev, node.value, frame)))
    return ()


def _instance(value: Value) -> Values:
    match value:
        case ClassValue():
            return (Instance(value.info, value.frame, declared=True),)
        case External():
            last = value.name.rpartition(".")[2]
            return () if last in _UNKNOWN else (ExternalInstance(value.name),)
    return ()


def _generic(ev: Evaluator, node: ast.Subscript, frame: Frame) -> Values:
    name = dotted(node.value).rpartition(".")[2]
    inner = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name in _TRANSPARENT:
        if name == "Coroutine":
            inner = inner[-1:]
        elif name == "Annotated":
            inner = inner[:1]
        return merged(*(instances(ev, item, frame) for item in inner))
    if name in ("Type", "type"):
        found = merged(*(instances(ev, item, frame) for item in inner))
        return tuple(value.type for value in found if isinstance(value, Instance))
    if name in _ITERABLES:
        return (Many(instances(ev, inner[0], frame)),)
    if name in ("tuple", "Tuple"):
        if len(inner) == 2 and isinstance(inner[1], ast.Constant) and inner[1].value is Ellipsis:
            return (Many(instances(ev, inner[0], frame)),)
        return (Items(tuple(instances(ev, item, frame) for item in inner)),)
    if name in _MAPPINGS:
        return (Mapping(instances(ev, inner[-1], frame)),)
    if name in ("ContextManager", "AbstractContextManager", "AsyncContextManager"):
        return ()
    return instances(ev, node.value, frame)
