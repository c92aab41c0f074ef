"""Abstract evaluation: find the values an expression may have, without running anything.

The result proposes what a test may call; running the test decides. So it may be imprecise: a container has items but no
positions, a function outside the repository may return its arguments or their items, and the calls of a function are
not told apart by their arguments. Expressions are evaluated lazily, once per frame. Cycles, depth and the number of
values are limited.
"""

from __future__ import annotations

import ast
import builtins
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import TypeVar, TypeVarTuple

from annotator.mining.repository.calls.possible_values import (
    ClassValue,
    ContainerValue,
    External,
    Frame,
    Frames,
    FunctionValue,
    Instance,
    ModuleValue,
    Super,
    Value,
    Values,
    containers_of,
    is_repository_object,
    linearize,
    merged,
)
from annotator.mining.repository.discovery.modules import ClassInfo, FunctionInfo, Module, ParsedProject
from annotator.mining.repository.discovery.scopes import (
    COMPREHENSIONS,
    FUNCTIONS,
    Binding,
    FunctionNode,
)
from annotator.text.python_tree import UNREADABLE, child_nodes, read_tree

MAX_DEPTH = 70
_BUILTINS = frozenset(dir(builtins))
_MAX_ITEMS = 64
_MAX_ANNOTATION_CHARS = 500

Ts = TypeVarTuple("Ts")
E = TypeVar("E", bound="Evaluator")


def memoise(compute: Callable[[E, *Ts], Values]) -> Callable[[E, *Ts], Values]:
    """Memoise by arguments; return nothing for a cycle or beyond `MAX_DEPTH`."""

    @wraps(compute)
    def cached(evaluator: E, *arguments: *Ts) -> Values:
        key = (compute, *arguments)
        memoised = evaluator.memo.get(key)
        if memoised is not None:
            return memoised
        if key in evaluator.active or len(evaluator.active) >= MAX_DEPTH:
            return ()
        evaluator.active.add(key)
        try:
            values = compute(evaluator, *arguments)
        finally:
            evaluator.active.discard(key)
        evaluator.memo[key] = values
        return values

    return cached


class Evaluator(ABC):
    """Evaluates expressions of one repository, and caches their values."""

    def __init__(self, project: ParsedProject) -> None:
        """Evaluate code of a project. Not thread-safe."""
        self.project = project
        self.frames = Frames()
        self.memo: dict[tuple[object, ...], Values] = {}
        self.active: set[tuple[object, ...]] = set()

    @abstractmethod
    def pytest_argument(self, info: FunctionInfo, name: str, frame: Frame) -> Values:
        """Return the values that pytest passes for a parameter of a test or fixture; empty for other functions."""

    # -- expressions ----------------------------------------------------------------------------------------------

    @memoise
    def evaluate(self, node: ast.AST, frame: Frame) -> Values:
        """Return the possible values of an expression; empty if unknown."""
        match node:
            case ast.Name():
                return self.look_up_name(node.id, frame)
            case ast.Attribute():
                return merged(*(self.attribute(owner, node.attr) for owner in self.evaluate(node.value, frame)))
            case ast.Call():
                return merged(*(self.call(callee, node, frame) for callee in self.evaluate(node.func, frame)))
            case ast.Subscript():
                return self.elements(self.evaluate(node.value, frame))
            case ast.IfExp():
                return self._all_of((node.body, node.orelse), frame)
            case ast.BinOp(op=ast.Add() | ast.Mult()):
                return self._all_of((node.left, node.right), frame)
            case ast.Await() | ast.Starred() | ast.NamedExpr():
                return self.evaluate(node.value, frame)
            case ast.BoolOp():
                return self._all_of(node.values, frame)
            case ast.Dict():
                return containers_of(self._all_of(node.values, frame))
            case ast.Tuple() | ast.List() | ast.Set():
                return containers_of(self._all_of(node.elts, frame))
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                return containers_of(self.evaluate(node.elt, self.frames.of_comprehension(node, frame)))
            case ast.DictComp():
                return containers_of(self.evaluate(node.value, self.frames.of_comprehension(node, frame)))
        return ()

    def _all_of(self, nodes: Sequence[ast.expr], frame: Frame) -> Values:
        return merged(*(self.evaluate(item, frame) for item in nodes[:_MAX_ITEMS]))

    def children(self, node: ast.AST, frame: Frame) -> Iterator[tuple[ast.AST, Frame]]:
        """Yield the children of a node, each with the frame to look names up in."""
        inner, inside = frame, child_nodes(node)
        if isinstance(node, FUNCTIONS):
            receiver = (
                Instance(frame.owner, frame.outer) if frame.owner is not None and frame.outer is not None else None
            )
            inner = self.frames.of_function(self.project.functions[id(node)], receiver, frame)
            inside = [*node.body]
        elif isinstance(node, ast.ClassDef):
            inner = self.frames.of_class(ClassValue(self.project.classes[id(node)], frame))
            inside = [*node.body]
        elif isinstance(node, ast.Lambda):
            inner, inside = self.frames.of_lambda(node, frame), [node.body]
        elif isinstance(node, COMPREHENSIONS):
            inner = self.frames.of_comprehension(node, frame)
        within = {id(child) for child in inside}
        for child in child_nodes(node):
            yield child, inner if id(child) in within else frame

    # -- names ----------------------------------------------------------------------------------------------------

    def look_up_name(self, name: str, frame: Frame) -> Values:
        """Return the values of a name: of all its bindings in the nearest scope that has some."""
        current: Frame | None = frame
        while current is not None:
            scope = current.scope
            if name in scope.globals:
                current = self.frames.of_module(current.module)
                continue
            if scope.kind != "class" or current is frame:
                bindings = scope.bindings.get(name)
                if bindings:
                    return self.bound_values(bindings, current)
                if scope.stars:
                    starred = self.star_attribute(current, name)
                    if starred:
                        return starred
            current = current.outer
        return (External(f"builtins.{name}"),) if name in _BUILTINS else ()

    def bound_values(self, bindings: Sequence[Binding], frame: Frame) -> Values:
        """Return the values of several bindings of a name, those of the last first."""
        return merged(*(self.binding(item, frame) for item in reversed(bindings)))

    @memoise
    def binding(self, binding: Binding, frame: Frame) -> Values:
        """Return the values of one binding."""
        node = binding.node
        match binding.how:
            case "def":
                return self._definition(node, frame)
            case "import" | "from":
                return self.imported(binding, frame.module)
            case "value":
                return self.evaluate(node, frame)
            case "annotated":
                assigned = () if node is binding.annotation else self.evaluate(node, frame)
                return self._or_annotated(assigned, binding.annotation, frame)
            case "element":
                return self.elements(self.evaluate(node, frame))
            case "except":
                classes = self.elements(self.evaluate(node, frame))
                return tuple(item.instance for item in classes if isinstance(item, ClassValue))
            case "parameter":
                return self._parameter(binding, frame)
        return ()

    def _definition(self, node: ast.AST, frame: Frame) -> Values:
        if isinstance(node, ast.ClassDef):
            return (ClassValue(self.project.classes[id(node)], frame),)
        assert isinstance(node, FUNCTIONS)
        return (FunctionValue(self.project.functions[id(node)], frame),)

    def _or_annotated(self, values: Values, annotation: ast.expr | None, frame: Frame | None) -> Values:
        """Return the values; if none belongs to the repository, instances of the annotated classes instead."""
        if annotation is None or frame is None or any(map(is_repository_object, values)):
            return values
        return self.annotated(annotation, frame) or values

    def _parameter(self, binding: Binding, frame: Frame) -> Values:
        function = frame.function
        default = self.evaluate(binding.default, frame.outer) if binding.default and frame.outer else ()
        if function is None:
            return default
        positional = [*function.node.args.posonlyargs, *function.node.args.args]
        if not function.is_static and positional and positional[0] is binding.node:
            receiver = frame.receiver or self.receiver_of(function)
            return (receiver,) if receiver is not None else ()
        values = self.pytest_argument(function, binding.name, frame) or tuple(filter(is_repository_object, default))
        return self._or_annotated(values, binding.annotation, frame.outer)

    def receiver_of(self, function: FunctionInfo, case: ClassInfo | None = None) -> Value | None:
        """Return a method's default receiver: an instance of ``case`` or of its own class (or the class itself)."""
        owner = case or function.owner
        if owner is None or function.is_static:
            return None
        class_value = self.frames.class_value(owner)
        return class_value if function.takes_class else class_value.instance

    # -- taking values apart --------------------------------------------------------------------------------------

    def elements(self, values: Values) -> Values:
        """Return the values of iterating over ``values``, or of their items: an object may be its own iterator."""
        return merged(tuple(map(_item_of, values)))

    # -- attributes -----------------------------------------------------------------------------------------------

    def attribute(self, value: Value, name: str) -> Values:
        """Return the values of an attribute."""
        match value:
            case ModuleValue():
                return self.module_attribute(value.module, name)
            case External():
                return (External(f"{value.name}.{name}"),)
            case ClassValue():
                return self.class_attribute(value, name)
            case Instance():
                return self.instance_attribute(value, name)
            case Super():
                return self.super_attribute(value, name)
            case FunctionValue() | ContainerValue():
                # A wrapped function, or a method of a container, which may return an item.
                return (value,)
        return ()

    # -- modules --------------------------------------------------------------------------------------------------

    @memoise
    def module_attribute(self, module: Module, name: str) -> Values:
        """Return the values of a module's name: bound there, re-exported by a star import, or a submodule."""
        frame = self.frames.of_module(module)
        bindings = frame.scope.bindings.get(name)
        values = self.bound_values(bindings, frame) if bindings else ()
        if values:
            return values
        values = self.star_attribute(frame, name)
        if values and not all(isinstance(item, ModuleValue) for item in values):
            return values
        # A package's own submodule takes precedence over a module that a star import binds to the same name.
        child = self.project.child(module, name)
        return (ModuleValue(child),) if child is not None else values

    @memoise
    def star_attribute(self, frame: Frame, name: str) -> Values:
        """Return the values of a name that ``from m import *`` binds, if the module exports it."""
        for origin in reversed(frame.scope.stars):
            module = self.project.source_of(frame.module, origin)
            values = self.module_attribute(module, name) if module is not None and module.exports_name(name) else ()
            if values:
                return values
        return ()

    def imported(self, binding: Binding, module: Module) -> Values:
        """Return the values that an import binds."""
        alias = binding.node
        assert isinstance(alias, ast.alias)
        if binding.how == "import":
            # ``import a.b`` binds a, ``import a.b as c`` binds a.b.
            return self._module_or_external(alias.name if alias.asname else alias.name.partition(".")[0], module)
        assert binding.origin is not None
        source = self.project.source_of(module, binding.origin)
        if source is None:
            if binding.origin.level:
                return ()
            return self._module_or_external(f"{binding.origin.module}.{alias.name}", module)
        if source is module:
            child = self.project.child(module, alias.name)
            return (ModuleValue(child),) if child is not None else ()
        return self.module_attribute(source, alias.name)

    def _module_or_external(self, name: str, near: Module) -> Values:
        module = self.project.module_named(name, near)
        return (ModuleValue(module),) if module is not None else (External(name),)

    # -- classes --------------------------------------------------------------------------------------------------

    def mro(self, value: ClassValue | Instance) -> Values:
        """Return a class and its bases in the order attributes are looked up."""
        return self._mro(ClassValue(value.info, value.frame))

    @memoise
    def _mro(self, class_value: ClassValue) -> Values:
        bases = [
            base
            for node in class_value.info.node.bases
            for base in self.evaluate(node, class_value.frame)
            if isinstance(base, (ClassValue, External)) and base != class_value
        ]
        lines: list[list[Value]] = [list(self.mro(base)) if isinstance(base, ClassValue) else [base] for base in bases]
        direct: list[Value] = list(bases)
        return (class_value, *linearize([*lines, direct], class_value))

    def look_up(self, mro: Values, name: str) -> Values:
        """Return the values of a name in the first class of ``mro`` that binds it."""
        for class_value in mro:
            if isinstance(class_value, ClassValue):
                frame = self.frames.of_class(class_value)
                bindings = frame.scope.bindings.get(name)
                if bindings:
                    return self.bound_values(bindings, frame)
        return ()

    @memoise
    def class_attribute(self, value: ClassValue, name: str) -> Values:
        """Return the values of a class's attribute."""
        values = self.look_up(self.mro(value), name)
        return merged(tuple(_bind_receiver(item, value) for item in values)) or self._assigned(value, name)

    @memoise
    def instance_attribute(self, value: Instance, name: str) -> Values:
        """Return the values of an instance's attribute: properties, methods, and assignments to ``self``."""
        if name == "__class__":
            return (value.type,)
        values = self.look_up(self.mro(value), name)
        return merged(*(self._read(item, value) for item in values), self._assigned(value, name))

    def _read(self, item: Value, receiver: Instance) -> Values:
        """Return the values of reading a class member on an instance: a property's result, or a bound method."""
        if isinstance(item, FunctionValue) and item.info.is_property:
            return self.call_function(FunctionValue(item.info, item.frame, receiver))
        return (_bind_receiver(item, receiver),)

    def _assigned(self, receiver: ClassValue | Instance, name: str) -> Values:
        """Return the values that methods of a class and its bases assign to an attribute of ``self`` (or ``cls``)."""
        groups: list[Values] = []
        for base in self.mro(receiver):
            frame = self.frames.of_class(base) if isinstance(base, ClassValue) else None
            for bindings in frame.scope.bindings.values() if frame is not None else ():
                for binding in bindings:
                    if frame is not None and isinstance(binding.node, FUNCTIONS) and binding.how == "def":
                        groups.append(self._assigned_in(binding.node, frame, receiver, name))
        return merged(*groups)

    def _assigned_in(self, node: FunctionNode, outer: Frame, receiver: ClassValue | Instance, name: str) -> Values:
        arguments = [*node.args.posonlyargs, *node.args.args]
        bindings = self.frames.scope(node).attributes.get((arguments[0].arg, name)) if arguments else None
        if not bindings:
            return ()
        info = self.project.functions[id(node)]
        frame = self.frames.of_function(info, receiver.type if info.takes_class else receiver, outer)
        return merged(*(self.binding(binding, frame) for binding in bindings))

    def super_attribute(self, value: Super, name: str) -> Values:
        """Return the values of ``super().name``, looked up after the method's own class."""
        receiver = value.receiver
        if not isinstance(receiver, (ClassValue, Instance)):
            return ()
        mro = self.mro(receiver)
        own = [
            number
            for number, class_value in enumerate(mro)
            if isinstance(class_value, ClassValue) and class_value.info is value.info
        ]
        return tuple(
            _bind_receiver(item, receiver) for item in self.look_up(mro[own[0] + 1 :] if own else mro[1:], name)
        )

    # -- calls ----------------------------------------------------------------------------------------------------

    def call(self, value: Value, node: ast.Call, frame: Frame) -> Values:
        """Return the values of calling ``value``."""
        match value:
            case ClassValue():
                return (value.instance,)
            case FunctionValue():
                return self.call_function(value)
            case External(name="builtins.super"):
                return self._super(frame)
            case External():
                # A function outside the repository may return its arguments.
                return self._all_of(node.args, frame) or (value,)
            case ContainerValue():
                return (value,)
        return ()

    def _super(self, frame: Frame) -> Values:
        current: Frame | None = frame
        while current is not None and (current.function is None or current.function.owner is None):
            current = current.outer
        if current is None or current.function is None or current.function.owner is None:
            return ()
        receiver = current.receiver or self.receiver_of(current.function)
        return (Super(current.function.owner, receiver),) if receiver is not None else ()

    def call_function(self, value: FunctionValue) -> Values:
        """Return the values of a function, whatever its arguments."""
        frame = self.frames.of_function(value.info, value.receiver, value.frame)
        return self._result(value.info, frame)

    @memoise
    def _result(self, info: FunctionInfo, frame: Frame) -> Values:
        """Return the returned and yielded values, or instances of the annotated classes if these are unknown."""
        scope = frame.scope
        passed = merged(*(self.evaluate(item, frame) for item in (*scope.yields, *scope.yields_from)))
        values = merged(containers_of(passed), *(self.evaluate(item, frame) for item in scope.returns))
        return self._or_annotated(values, info.node.returns, frame.outer)

    def called_functions(self, value: Value) -> tuple[FunctionValue, ...]:
        """Return the functions that run when a value is called, constructors included."""
        match value:
            case FunctionValue():
                return (value,)
            case Instance():
                return _functions(self.attribute(value, "__call__"))
            case ClassValue():
                constructors = self.attribute(value, "__new__")
                return _functions((*constructors, *self.attribute(value.instance, "__init__")))
        return ()

    # -- annotations ----------------------------------------------------------------------------------------------

    @memoise
    def annotated(self, node: ast.expr, frame: Frame) -> Values:
        """Return instances of the repository's classes named anywhere in an annotation, and containers of them."""
        classes: list[ClassValue] = []
        pending: list[ast.AST] = [node]
        while pending:
            item = pending.pop()
            if isinstance(item, ast.Constant) and isinstance(item.value, str):
                pending.extend(filter(None, [_parse_annotation(item.value)]))
            elif isinstance(item, (ast.Name, ast.Attribute)):
                classes += [value for value in self._annotation_name(item, frame) if isinstance(value, ClassValue)]
            else:
                pending.extend(child_nodes(item))
        instances = tuple(value.instance for value in classes)
        return merged(instances, containers_of(instances) if isinstance(node, ast.Subscript) else ())

    def _annotation_name(self, node: ast.expr, frame: Frame) -> Values:
        """Look a name up anywhere in its scopes: annotations may refer to later definitions."""
        if isinstance(node, ast.Name):
            return self.look_up_name(node.id, frame)
        if isinstance(node, ast.Attribute):
            return merged(*(self.attribute(value, node.attr) for value in self._annotation_name(node.value, frame)))
        return ()


def _bind_receiver(item: Value, receiver: ClassValue | Instance) -> Value:
    """Bind a function taken from a class or an instance to its receiver."""
    if not isinstance(item, FunctionValue) or item.receiver is not None or item.info.is_static:
        return item
    if item.info.takes_class:
        return FunctionValue(item.info, item.frame, receiver.type)
    return item if isinstance(receiver, ClassValue) else FunctionValue(item.info, item.frame, receiver)


def _item_of(value: Value) -> Value:
    return value.value if isinstance(value, ContainerValue) else value


def _functions(values: Values) -> tuple[FunctionValue, ...]:
    return tuple(item for item in values if isinstance(item, FunctionValue))


def _parse_annotation(text: str) -> ast.expr | None:
    if len(text) > _MAX_ANNOTATION_CHARS:
        return None
    try:
        return read_tree(text.strip(), "eval").body
    except UNREADABLE:
        return None
