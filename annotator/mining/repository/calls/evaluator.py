"""Lazy abstract evaluation: the values an expression may have, without running anything.

Expressions are evaluated on demand and once per context. Recursion is bounded by the evaluations in progress, by depth,
by the number of values, and by the number of frames per function.
"""

from __future__ import annotations

import ast
import builtins
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import wraps
from typing import TypeVar, TypeVarTuple

from annotator.mining.repository.calls.possible_values import (
    Arguments,
    ClassValue,
    External,
    ExternalInstance,
    Frame,
    Frames,
    FunctionValue,
    Instance,
    Items,
    LambdaValue,
    Literal,
    Managed,
    Many,
    Mapping,
    Method,
    ModuleValue,
    Partial,
    Super,
    Value,
    Values,
    is_ours,
    linearize,
    merged,
)
from annotator.mining.repository.discovery.modules import FunctionInfo, Module, ParsedProject
from annotator.mining.repository.discovery.scopes import FUNCTIONS, STAR, Binding, Position, dotted_name, start_of
from annotator.text.python_tree import UNREADABLE, read_tree

DEPTH_LIMIT = 70
_BUILTINS = frozenset(dir(builtins))
_ENUMS = ("Enum", "IntEnum", "Flag", "IntFlag", "StrEnum")
_ARGUMENTS_LIMIT = 12
_ITERABLES = {
    "list", "List", "Sequence", "MutableSequence", "Iterable", "Iterator", "Generator", "AsyncIterator",
    "AsyncIterable", "AsyncGenerator", "Collection", "Set", "set", "FrozenSet", "frozenset", "AbstractSet", "deque",
    "Deque",
}  # fmt: skip
_MAPPINGS = {"dict", "Dict", "Mapping", "MutableMapping", "DefaultDict", "defaultdict", "OrderedDict"}
_TRANSPARENT = {"Optional", "Union", "Annotated", "ClassVar", "Final", "Awaitable", "Coroutine", "Required"}
_UNKNOWN = {"Any", "object", "Literal", "TypeVar", "Callable", "NoReturn", "Never", "Self"}
_TEXT_LIMIT = 500

Ts = TypeVarTuple("Ts")
E = TypeVar("E", bound="Evaluator")


def memoise(compute: Callable[[E, *Ts], Values]) -> Callable[[E, *Ts], Values]:
    """Memoise by arguments; return nothing for a cycle or beyond `DEPTH_LIMIT`."""

    @wraps(compute)
    def cached(evaluator: E, *arguments: *Ts) -> Values:
        key = (compute, *arguments)
        memoised = evaluator.memo.get(key)
        if memoised is not None:
            return memoised
        if key in evaluator.active or len(evaluator.active) >= DEPTH_LIMIT:
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
        """Evaluate in a project. Not to be shared between threads."""
        self.project = project
        self.frames = Frames()
        self.memo: dict[tuple[object, ...], Values] = {}
        self.active: set[tuple[object, ...]] = set()

    @abstractmethod
    def call_external(self, name: str, node: ast.Call, frame: Frame) -> Values:
        """Return what calling a function outside the repository gives."""

    @abstractmethod
    def pytest_argument(self, info: FunctionInfo, name: str, frame: Frame) -> Values:
        """Return the values that pytest passes for a parameter of a test or fixture; empty for other functions."""

    # -- expressions ----------------------------------------------------------------------------------------------

    def evaluate(self, node: ast.AST, frame: Frame) -> Values:
        """Return the possible values of an expression; empty if unknown."""
        if not isinstance(node, ast.Constant):
            return self._compute(node, frame)
        if isinstance(node.value, (str, int)) and not isinstance(node.value, bool):
            return (Literal(node.value),)
        return (ExternalInstance(type(node.value).__name__),)

    @memoise
    def _compute(self, node: ast.AST, frame: Frame) -> Values:
        match node:
            case ast.Name():
                return self.look_up_name(node.id, frame, start_of(node))
            case ast.Attribute():
                owners = self.evaluate(node.value, frame)
                return merged(*(self.attribute(owner, node.attr) for owner in owners))
            case ast.Call():
                return merged(*(self.call(each, node, frame) for each in self.evaluate(node.func, frame)))
            case ast.Subscript():
                return self.subscript(self.evaluate(node.value, frame), node.slice, frame)
            case ast.BinOp(op=ast.Add() | ast.Mult()):
                return self._sum(node, frame)
            case ast.BoolOp():
                return merged(*(self.evaluate(item, frame) for item in node.values))
            case ast.IfExp():
                return merged(self.evaluate(node.body, frame), self.evaluate(node.orelse, frame))
            case ast.Await() | ast.Starred() | ast.NamedExpr():
                return self.evaluate(node.value, frame)
            case ast.Lambda():
                return (LambdaValue(node, frame),)
        return self._container(node, frame)

    def _container(self, node: ast.AST, frame: Frame) -> Values:
        match node:
            case ast.Tuple() | ast.List():
                if any(isinstance(item, ast.Starred) for item in node.elts) or len(node.elts) > 64:
                    return (Many(merged(*(self.evaluate(item, frame) for item in node.elts[:64]))),)
                return (Items(tuple(self.evaluate(item, frame) for item in node.elts)),)
            case ast.Set():
                return (Many(merged(*(self.evaluate(item, frame) for item in node.elts[:64]))),)
            case ast.Dict():
                pairs = list(zip(node.keys, node.values, strict=True))[:64]
                named_values = tuple(
                    (key.value, self.evaluate(value, frame))
                    for key, value in pairs
                    if isinstance(key, ast.Constant) and isinstance(key.value, str)
                )
                return (Mapping(merged(*(self.evaluate(value, frame) for _, value in pairs)), named_values),)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                return (Many(self.evaluate(node.elt, self.frames.of_comprehension(node, frame))),)
            case ast.DictComp():
                return (Mapping(self.evaluate(node.value, self.frames.of_comprehension(node, frame))),)
            case ast.JoinedStr():
                return (ExternalInstance("str"),)
        return ()

    def _sum(self, node: ast.BinOp, frame: Frame) -> Values:
        """Return the values of a sum or a repetition of containers."""
        values = merged(self.evaluate(node.left, frame), self.evaluate(node.right, frame))
        return (Many(self.elements(values)),) if any(isinstance(item, (Items, Many)) for item in values) else ()

    # -- names ----------------------------------------------------------------------------------------------------

    def look_up_name(self, name: str, frame: Frame, at: Position | None) -> Values:
        """Return the values of a name at a position (anywhere if None)."""
        current: Frame | None = frame
        while current is not None:
            scope = current.scope
            if name in scope.globals:
                current, at = self.frames.of_module(current.module), None
                continue
            if scope.kind != "class" or current is frame:
                if name in current.arguments:
                    return current.arguments[name]
                bindings = scope.bindings.get(name)
                if bindings:
                    return self.values_at(bindings, current, at)
                if scope.stars:
                    starred = self.star_attribute(current, name)
                    if starred:
                        return starred
            if scope.kind == "function":
                at = None
            current = current.outer
        return (External(f"builtins.{name}"),) if name in _BUILTINS else ()

    def values_at(self, bindings: list[Binding], frame: Frame, at: Position | None) -> Values:
        """Return the values of the bindings that may reach a position: back to the last unconditional one."""
        reaching = []
        for binding in reversed(bindings):
            if at is not None and binding.at > at:
                continue
            reaching.append(binding)
            inside = all(at is not None and low <= at[0] <= high for low, high in binding.blocks)
            if inside:
                break
        return merged(*(self.binding(item, frame) for item in reaching or bindings))

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
                return self.unpack(self.evaluate(node, frame), binding.path)
            case "annotated":
                return self._annotated(binding, frame)
            case "element":
                return self.unpack(self.elements(self.evaluate(node, frame)), binding.path)
            case "enter":
                return self.unpack(self.enter(self.evaluate(node, frame)), binding.path)
            case "except":
                classes = merged(self.evaluate(node, frame), self.elements(self.evaluate(node, frame)))
                return tuple(Instance(item.info, item.frame) for item in classes if isinstance(item, ClassValue))
            case "parameter":
                return self._parameter(binding, frame)
        return ()

    def _definition(self, node: ast.AST, frame: Frame) -> Values:
        if isinstance(node, ast.ClassDef):
            return (ClassValue(self.project.classes[id(node)], frame),)
        assert isinstance(node, FUNCTIONS)
        return (FunctionValue(self.project.functions[id(node)], frame),)

    def _annotated(self, binding: Binding, frame: Frame) -> Values:
        assert binding.annotation is not None
        assigned = () if binding.node is binding.annotation else self.evaluate(binding.node, frame)
        if any(map(is_ours, assigned)):
            return self.unpack(assigned, binding.path)
        return self.annotated(binding.annotation, frame) or assigned

    def _parameter(self, binding: Binding, frame: Frame) -> Values:
        function = frame.function
        if function is None:
            return self.evaluate(binding.default, frame.outer) if binding.default and frame.outer else ()
        positional = [*function.node.args.posonlyargs, *function.node.args.args]
        if not function.is_static and positional and positional[0] is binding.node:
            if frame.receiver is not None:
                return (frame.receiver,)
            assert function.owner is not None
            owner = self.frames.class_value(function.owner)
            return (owner,) if function.takes_class else (Instance(owner.info, owner.frame),)
        annotated: Values = ()
        if binding.annotation is not None and frame.outer is not None:
            annotated = self.annotated(binding.annotation, frame.outer)
            extra = function.node.args
            if binding.node is extra.vararg:
                annotated = (Many(annotated),)
        passed = self.pytest_argument(function, binding.name, frame)
        if any(map(is_ours, annotated)):
            return self.narrow(annotated, passed)
        if passed:
            return passed
        default = self.evaluate(binding.default, frame.outer) if binding.default and frame.outer else ()
        return merged(tuple(value for value in default if is_ours(value)), annotated)

    # -- taking values apart --------------------------------------------------------------------------------------

    def elements(self, values: Values) -> Values:
        """Return the values of iterating over ``values``."""
        groups: list[Values] = []
        for value in values:
            match value:
                case Many():
                    groups.append(value.element)
                case Items():
                    groups.extend(value.elements)
                case Instance():
                    groups.append(self._iterate(value))
        return merged(*groups)

    @memoise
    def _iterate(self, value: Instance) -> Values:
        iterators = self.call_method(value, "__iter__")
        if iterators:
            others = tuple(item for item in iterators if not isinstance(item, Instance))
            stepped = [
                self.call_method(item, "__next__") or (self.elements((item,)) if item != value else ())
                for item in iterators
                if isinstance(item, Instance)
            ]
            return merged(self.elements(others), *stepped)
        return self.call_method(value, "__getitem__")

    def unpack(self, values: Values, path: tuple[int, ...]) -> Values:
        """Follow a path into unpacked values."""
        for index in path:
            groups: list[Values] = []
            for value in values:
                if isinstance(value, Items):
                    if index == STAR:
                        groups.append((Many(merged(*value.elements)),))
                    elif index < len(value.elements):
                        groups.append(value.elements[index])
                elif isinstance(value, Many) and index == STAR:
                    groups.append((value,))
                else:
                    groups.append(self.elements((value,)))
            values = merged(*groups)
        return values

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
            case Items() | Many() | Mapping() | Managed():
                return (Method(value, name),)
            case Partial() if name == "func":
                return (value.target,)
            case FunctionValue() if name in ("__wrapped__", "__func__", "callback"):
                return (value,)
        return ()

    # -- modules --------------------------------------------------------------------------------------------------

    @memoise
    def module_attribute(self, module: Module, name: str) -> Values:
        """Return the values of a module's name: bound there, re-exported by a star import, or a submodule."""
        frame = self.frames.of_module(module)
        bindings = frame.scope.bindings.get(name)
        values = self.values_at(bindings, frame, None) if bindings else ()
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
            values = self.module_attribute(module, name) if module is not None and module.hands_out(name) else ()
            if values:
                return values
        return ()

    def imported(self, binding: Binding, module: Module) -> Values:
        """Return the values that an import binds."""
        alias = binding.node
        assert isinstance(alias, ast.alias)
        if binding.how == "import":
            # ``import a.b`` binds a, ``import a.b as c`` binds a.b.
            name = alias.name if alias.asname else alias.name.partition(".")[0]
            imported_module = self.project.module_named(name, module)
            return (ModuleValue(imported_module),) if imported_module is not None else (External(name),)
        assert binding.origin is not None
        source = self.project.source_of(module, binding.origin)
        if source is None:
            if binding.origin.level:
                return ()
            package = f"{binding.origin.module}.{alias.name}"
            submodule = self.project.module_named(package, module)
            return (ModuleValue(submodule),) if submodule is not None else (External(package),)
        if source is module:
            child = self.project.child(module, alias.name)
            return (ModuleValue(child),) if child is not None else ()
        return self.module_attribute(source, alias.name)

    # -- classes --------------------------------------------------------------------------------------------------

    def mro(self, value: ClassValue | Instance) -> Values:
        """Return a class and its bases in the order attributes are looked up."""
        return self._mro(ClassValue(value.info, value.frame))

    @memoise
    def _mro(self, kind: ClassValue) -> Values:
        bases = [
            base
            for node in kind.info.node.bases
            for base in self.evaluate(node, kind.frame)
            if isinstance(base, (ClassValue, External)) and base != kind
        ]
        lines: list[list[Value]] = [list(self.mro(base)) if isinstance(base, ClassValue) else [base] for base in bases]
        direct: list[Value] = list(bases)
        return (kind, *linearize([*lines, direct], kind))

    def is_enum(self, value: ClassValue) -> bool:
        """Return whether a class is an enumeration."""
        names = (base.name.rpartition(".")[2] for base in self.mro(value) if isinstance(base, External))
        return any(name in _ENUMS for name in names)

    def look_up(self, line: Values, name: str) -> tuple[Values, Frame | None]:
        """Return the values of a name in the first class of ``line`` that binds it, and that class's frame."""
        for kind in line:
            if isinstance(kind, ClassValue):
                frame = self.frames.of_class(kind)
                bindings = frame.scope.bindings.get(name)
                if bindings:
                    getter = self._getter(bindings)
                    return (self.binding(getter, frame) if getter else self.values_at(bindings, frame, None)), frame
        return (), None

    def _getter(self, bindings: list[Binding]) -> Binding | None:
        """Return the binding of a property's getter: its setter is bound to the same name later."""
        for binding in bindings:
            if isinstance(binding.node, FUNCTIONS) and self.project.functions[id(binding.node)].is_property:
                return binding
        return None

    @memoise
    def class_attribute(self, value: ClassValue, name: str) -> Values:
        """Return the values of a class's attribute."""
        if name == "__class__":
            return (value,)
        values, _ = self.look_up(self.mro(value), name)
        if values and self.is_enum(value) and not any(isinstance(item, FunctionValue) for item in values):
            return (Instance(value.info, value.frame),)
        bound_values = [_bind_receiver(item, value, value) for item in values]
        return merged(tuple(bound_values)) or self._assigned(value, value, name)

    @memoise
    def instance_attribute(self, value: Instance, name: str) -> Values:
        """Return the values of an instance's attribute: properties, methods, and assignments to ``self``."""
        if name == "__class__":
            return (value.type,)
        values_found, _ = self.look_up(self.mro(value), name)
        results: list[Values] = []
        for item in values_found:
            if isinstance(item, FunctionValue) and item.info.is_property:
                results.append(self.call_function(FunctionValue(item.info, item.frame, value), ()))
            else:
                results.append((_bind_receiver(item, value, value.type),))
        values = merged(*results)
        if any(isinstance(item, FunctionValue) for item in values_found):
            return values
        assigned = self._assigned(value.type, value, name)
        if any(map(is_ours, assigned)) and not any(map(is_ours, values)):
            return assigned
        return merged(values, assigned)

    def _assigned(self, kind: ClassValue, receiver: Value, name: str) -> Values:
        """Return what the methods of a class and its bases assign to an attribute of their first parameter."""
        groups: list[Values] = []
        for base in self.mro(kind):
            if not isinstance(base, ClassValue):
                continue
            frame = self.frames.of_class(base)
            for bindings in frame.scope.bindings.values():
                for binding in bindings:
                    if isinstance(binding.node, FUNCTIONS) and binding.how == "def":
                        groups.append(self._assigned_in(binding.node, frame, receiver, kind, name))
        return merged(*groups)

    def _assigned_in(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef,
        outer: Frame,
        receiver: Value,
        kind: ClassValue,
        name: str,
    ) -> Values:
        arguments = [*node.args.posonlyargs, *node.args.args]
        if not arguments:
            return ()
        scope = self.frames.scope(node)
        bindings = scope.attributes.get((arguments[0].arg, name))
        if not bindings:
            return ()
        info = self.project.functions[id(node)]
        frame = self.frames.of_function(info, kind if info.takes_class else receiver, outer)
        return merged(*(self.binding(binding, frame) for binding in bindings))

    def super_attribute(self, value: Super, name: str) -> Values:
        """Return the values of ``super().name``, looked up after the method's own class."""
        receiver = value.receiver
        if not isinstance(receiver, (ClassValue, Instance)):
            return ()
        line = self.mro(receiver)
        at = [number for number, kind in enumerate(line) if isinstance(kind, ClassValue) and kind.info is value.info]
        values, _ = self.look_up(line[at[0] + 1 :] if at else line[1:], name)
        return tuple(_bind_receiver(item, receiver, ClassValue(receiver.info, receiver.frame)) for item in values)

    # -- calls ----------------------------------------------------------------------------------------------------

    def call(self, value: Value, node: ast.Call, frame: Frame) -> Values:
        """Return the values of calling ``value``."""
        match value:
            case ClassValue():
                return (value.instance,)
            case FunctionValue():
                return self.call_function(value, self.bind_arguments(value, node, frame))
            case Instance():
                targets = _functions(self.attribute(value, "__call__"))
                return merged(*(self.call(target, node, frame) for target in targets))
            case LambdaValue():
                return self.evaluate(
                    value.node.body, self.frames.of_lambda(value, self.bind_arguments(value, node, frame))
                )
            case Partial():
                return self.call_plain(value.target)
            case External():
                return self.call_external(value.name, node, frame)
            case Method():
                return self.call_container_method(value, node, frame)
        return ()

    def call_plain(self, value: Value) -> Values:
        """Return the values of calling ``value`` with unknown arguments."""
        match value:
            case ClassValue():
                return (value.instance,)
            case FunctionValue():
                return self.call_function(value, ())
            case LambdaValue():
                return self.evaluate(value.node.body, self.frames.of_lambda(value, ()))
            case Partial():
                return self.call_plain(value.target)
            case Instance():
                return self.call_method(value, "__call__")
        return ()

    def call_method(self, value: Instance, name: str) -> Values:
        """Return the values of calling a method of an instance with unknown arguments."""
        return merged(*(self.call_function(item, ()) for item in _functions(self.attribute(value, name))))

    def call_function(self, value: FunctionValue, arguments: Arguments) -> Values:
        """Return the values of a function for these arguments."""
        frame = self.frames.of_function(value.info, value.receiver, value.frame, arguments)
        return self._result(value.info, frame)

    @memoise
    def _result(self, info: FunctionInfo, frame: Frame) -> Values:
        """Use the annotation if it is informative; else the returned or yielded values."""
        scope = frame.scope
        managed = info.decorated("contextmanager", "asynccontextmanager")
        annotated: Values = ()
        if info.node.returns is not None and frame.outer is not None:
            annotated = self.annotated(info.node.returns, frame.outer)
            if annotated and not managed and not scope.generates:
                return self.narrow(annotated, merged(*(self.evaluate(item, frame) for item in scope.returns)))
        if managed:
            yielded = merged(*(self.evaluate(item, frame) for item in scope.yields))
            return (Managed(yielded or self.elements(annotated)),)
        if annotated:
            return annotated
        if scope.generates:
            passed = merged(*(self.evaluate(item, frame) for item in scope.yields_from))
            return (Many(merged(*(self.evaluate(item, frame) for item in scope.yields), self.elements(passed))),)
        return merged(*(self.evaluate(item, frame) for item in scope.returns))

    def narrow(self, annotated: Values, returned: Values) -> Values:
        """Return the returned instances instead of the annotated ones if all are of subclasses of these."""
        instances = [value for value in annotated if isinstance(value, Instance)]
        if not instances or len(instances) != len(annotated):
            return annotated
        narrower = tuple(
            value
            for value in returned
            if isinstance(value, Instance)
            and value not in instances
            and any(ClassValue(item.info, item.frame) in self.mro(value) for item in instances)
        )
        return narrower if narrower and len(narrower) == len(returned) else annotated

    def bind_arguments(self, value: FunctionValue | LambdaValue, node: ast.Call, frame: Frame) -> Arguments:
        """Return the arguments of a call that hold objects of the repository, by parameter."""
        parameters = value.node.args if isinstance(value, LambdaValue) else value.info.node.args
        names = [item.arg for item in (*parameters.posonlyargs, *parameters.args)]
        if isinstance(value, FunctionValue) and value.receiver is not None and not value.info.is_static:
            names = names[1:]
        by_parameter: dict[str, Values] = {}
        for name, argument in zip(names[:_ARGUMENTS_LIMIT], node.args, strict=False):
            if isinstance(argument, ast.Starred):
                break
            by_parameter[name] = self.evaluate(argument, frame)
        parameter_names = {item.arg for item in (*parameters.args, *parameters.kwonlyargs)}
        others: list[tuple[str, Values]] = []
        for keyword in node.keywords[:_ARGUMENTS_LIMIT]:
            if keyword.arg is None:
                continue
            values = self.evaluate(keyword.value, frame)
            if parameters.kwarg is not None and keyword.arg not in parameter_names:
                others.append((keyword.arg, values))
            else:
                by_parameter[keyword.arg] = values
        if parameters.kwarg is not None and others:
            by_parameter[parameters.kwarg.arg] = (Mapping(merged(*(values for _, values in others)), tuple(others)),)
        return tuple((name, values) for name, values in by_parameter.items() if any(map(is_ours, values)))

    def enter(self, values: Values) -> Values:
        """Return the values of entering context managers."""
        groups: list[Values] = []
        for value in values:
            match value:
                case Managed():
                    groups.append(value.values)
                case Instance():
                    groups.append(self.call_method(value, "__enter__") or self.call_method(value, "__aenter__"))
                case Items() | Many():
                    continue
                case _ if is_ours(value):
                    groups.append((value,))
        return merged(*groups)

    def call_container_method(self, method: Method, node: ast.Call, frame: Frame) -> Values:
        """Return the values of calling a method of a list, tuple, mapping or generator."""
        owner, name = method.owner, method.name
        if isinstance(owner, Mapping):
            if name in ("get", "pop", "setdefault", "__getitem__"):
                return self.subscript((owner,), node.args[0], frame) if node.args else owner.values
            if name == "values":
                return (Many(owner.values),)
            if name == "items":
                return (Many((Items(((ExternalInstance("str"),), owner.values)),)),)
            return (owner,) if name == "copy" else ()
        if name in ("pop", "popleft", "__next__", "send", "__getitem__"):
            return self.elements((owner,))
        return (owner,) if name in ("copy", "__iter__", "__reversed__") else ()

    def subscript(self, values: Values, index: ast.expr, frame: Frame) -> Values:
        """Return the values of ``value[index]``."""
        groups: list[Values] = []
        for value in values:
            match value:
                case Items() | Many() if isinstance(index, ast.Slice):
                    groups.append((Many(self.elements((value,))),))
                case Items():
                    groups.append(self._item(value, self.evaluate(index, frame), index))
                case Many():
                    groups.append(value.element)
                case Mapping():
                    keys = [item.value for item in self.evaluate(index, frame) if isinstance(item, Literal)]
                    matching = [values for name, values in value.by_name if name in keys]
                    groups.append(merged(*matching) if matching else value.values)
                case Instance():
                    groups.append(self.call_method(value, "__getitem__"))
                case ClassValue() if self.is_enum(value):
                    groups.append((Instance(value.info, value.frame),))
                case ClassValue() | External():
                    groups.append((value,))
        return merged(*groups)

    def _item(self, value: Items, keys: Values, index: ast.expr) -> Values:
        spots = [item.value for item in keys if isinstance(item, Literal) and isinstance(item.value, int)]
        if isinstance(index, ast.UnaryOp) and isinstance(index.operand, ast.Constant):
            number = index.operand.value
            spots = [-number] if isinstance(number, int) else []
        picked = [value.elements[at] for at in spots if -len(value.elements) <= at < len(value.elements)]
        return merged(*picked) if picked else self.elements((value,))

    def called_functions(self, value: Value) -> tuple[FunctionValue, ...]:
        """Return the functions that run when a value is called, constructors included."""
        match value:
            case FunctionValue():
                return (value,)
            case Partial():
                return self.called_functions(value.target)
            case Instance():
                return _functions(self.attribute(value, "__call__"))
            case ClassValue():
                constructors = self.attribute(value, "__new__") if not self.is_enum(value) else ()
                initialisers = self.attribute(value.instance, "__init__")
                return (*_functions(constructors), *_functions(initialisers))
        return ()

    # -- annotations ----------------------------------------------------------------------------------------------

    @memoise
    def annotated(self, node: ast.expr, frame: Frame) -> Values:
        """Return instances of what an annotation names; nothing where it says nothing (``Any``, a type variable)."""
        match node:
            case ast.Constant(value=str() as text):
                parsed = _parse_annotation(text)
                return self.annotated(parsed, frame) if parsed is not None else ()
            case ast.Constant(value=None):
                return (ExternalInstance("None"),)
            case ast.BinOp(op=ast.BitOr()):
                return merged(self.annotated(node.left, frame), self.annotated(node.right, frame))
            case ast.Subscript():
                return self._generic_annotation(node, frame)
            case ast.Name() | ast.Attribute():
                return merged(*(_declared_instance(value) for value in self._annotation_name(node, frame)))
        return ()

    def _annotation_name(self, node: ast.expr, frame: Frame) -> Values:
        """Look a name up anywhere in its scopes: annotations may name what is defined later."""
        if isinstance(node, ast.Name):
            return self.look_up_name(node.id, frame, None)
        if isinstance(node, ast.Attribute):
            return merged(*(self.attribute(value, node.attr) for value in self._annotation_name(node.value, frame)))
        return ()

    def _generic_annotation(self, node: ast.Subscript, frame: Frame) -> Values:
        name = dotted_name(node.value).rpartition(".")[2]
        inner = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name in _TRANSPARENT:
            if name == "Coroutine":
                inner = inner[-1:]
            elif name == "Annotated":
                inner = inner[:1]
            return merged(*(self.annotated(item, frame) for item in inner))
        if name in ("Type", "type"):
            annotated_values = merged(*(self.annotated(item, frame) for item in inner))
            return tuple(value.type for value in annotated_values if isinstance(value, Instance))
        if name in _ITERABLES:
            return (Many(self.annotated(inner[0], frame)),)
        if name in ("tuple", "Tuple"):
            if len(inner) == 2 and isinstance(inner[1], ast.Constant) and inner[1].value is Ellipsis:
                return (Many(self.annotated(inner[0], frame)),)
            return (Items(tuple(self.annotated(item, frame) for item in inner)),)
        if name in _MAPPINGS:
            return (Mapping(self.annotated(inner[-1], frame)),)
        if name in ("ContextManager", "AbstractContextManager", "AsyncContextManager"):
            return ()
        return self.annotated(node.value, frame)


def _bind_receiver(item: Value, receiver: Value, kind: ClassValue) -> Value:
    """Bind a function taken from a class or an instance to its receiver."""
    if not isinstance(item, FunctionValue) or item.receiver is not None or item.info.is_static:
        return item
    if item.info.takes_class:
        return FunctionValue(item.info, item.frame, kind)
    return item if isinstance(receiver, ClassValue) else FunctionValue(item.info, item.frame, receiver)


def _functions(values: Values) -> tuple[FunctionValue, ...]:
    return tuple(item for item in values if isinstance(item, FunctionValue))


def _parse_annotation(text: str) -> ast.expr | None:
    if len(text) > _TEXT_LIMIT:
        return None
    try:
        return read_tree(text.strip(), "eval").body
    except UNREADABLE:
        return None


def _declared_instance(value: Value) -> Values:
    match value:
        case ClassValue():
            return (Instance(value.info, value.frame),)
        case External():
            last = value.name.rpartition(".")[2]
            return () if last in _UNKNOWN else (ExternalInstance(value.name),)
    return ()
