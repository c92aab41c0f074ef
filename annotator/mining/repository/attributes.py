"""What ``value.name`` stands for: modules and their re-exports, classes along their order of bases, instances."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from annotator.mining.repository import calling, fixtures
from annotator.mining.repository.frames import Frame
from annotator.mining.repository.modules import Module
from annotator.mining.repository.scopes import FUNCTIONS, Binding
from annotator.mining.repository.values import (
    ClassValue,
    External,
    FunctionValue,
    Instance,
    Items,
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
    merged,
)

if TYPE_CHECKING:
    from annotator.mining.repository.evaluator import Evaluator

_ENUMS = ("Enum", "IntEnum", "Flag", "IntFlag", "StrEnum")


def attribute(ev: Evaluator, value: Value, name: str) -> Values:
    """Return what an attribute of a value stands for."""
    match value:
        case ModuleValue():
            return of_module(ev, value.module, name)
        case External():
            return (External(f"{value.name}.{name}"),)
        case ClassValue():
            return ev.once(("class", value, name), of_class, ev, value, name)
        case Instance():
            return ev.once(("instance", value, name), of_instance, ev, value, name)
        case Super():
            return of_super(ev, value, name)
        case Items() | Many() | Mapping() | Managed():
            return (Method(value, name),)
        case Partial() if name == "func":
            return (value.target,)
        case FunctionValue() if name in ("__wrapped__", "__func__", "callback"):
            return (value,)
    return ()


# -- modules ----------------------------------------------------------------------------------------------------------


def of_module(ev: Evaluator, module: Module, name: str) -> Values:
    """Return what a name of a module stands for: bound there, re-exported by a star, or a submodule."""
    return ev.once(("module", id(module), name), _of_module, ev, module, name)


def _of_module(ev: Evaluator, module: Module, name: str) -> Values:
    frame = ev.module_frame(module)
    bindings = frame.scope.bindings.get(name)
    found = ev.bound(bindings, frame, None) if bindings else ()
    if found:
        return found
    found = from_stars(ev, frame, name)
    if found and not all(isinstance(item, ModuleValue) for item in found):
        return found
    # A package's own submodule takes the place of another's that a star brings under the same name.
    child = ev.project.child(module, name)
    return (ModuleValue(child),) if child is not None else found


def from_stars(ev: Evaluator, frame: Frame, name: str) -> Values:
    """Return what a name stands for through ``from m import *``, as far as the modules hand it out."""
    return ev.once(("stars", id(frame), name), _from_stars, ev, frame, name)


def _from_stars(ev: Evaluator, frame: Frame, name: str) -> Values:
    for origin in reversed(frame.scope.stars):
        module = ev.project.source_of(frame.module, origin)
        found = of_module(ev, module, name) if module is not None and module.hands_out(name) else ()
        if found:
            return found
    return ()


def imported(ev: Evaluator, binding: Binding, module: Module) -> Values:
    """Return what an import binds."""
    alias = binding.node
    assert isinstance(alias, ast.alias)
    if binding.how == "import":
        # ``import a.b`` binds a, ``import a.b as c`` binds a.b.
        name = alias.name if alias.asname else alias.name.partition(".")[0]
        found = ev.project.module_named(name, module)
        return (ModuleValue(found),) if found is not None else (External(name),)
    assert binding.origin is not None
    source = ev.project.source_of(module, binding.origin)
    if source is None:
        if binding.origin.level:
            return ()
        package = f"{binding.origin.module}.{alias.name}"
        inside = ev.project.module_named(package, module)
        return (ModuleValue(inside),) if inside is not None else (External(package),)
    if source is module:
        child = ev.project.child(module, alias.name)
        return (ModuleValue(child),) if child is not None else ()
    return of_module(ev, source, alias.name)


# -- classes ----------------------------------------------------------------------------------------------------------


def order(ev: Evaluator, value: ClassValue | Instance) -> Values:
    """Return a class and its bases in the order attributes are looked up."""
    kind = ClassValue(value.info, value.frame)
    return ev.once(("order", kind), _order, ev, kind)


def _order(ev: Evaluator, kind: ClassValue) -> Values:
    bases = [
        base
        for node in kind.info.node.bases
        for base in ev.values(node, kind.frame)
        if isinstance(base, (ClassValue, External)) and base != kind
    ]
    lines: list[list[Value]] = [list(order(ev, base)) if isinstance(base, ClassValue) else [base] for base in bases]
    direct: list[Value] = list(bases)
    return (kind, *_linear([*lines, direct], kind))


def _linear(lines: list[list[Value]], kind: ClassValue) -> list[Value]:
    """Merge orders of bases as Python does; where that is impossible, take what is left as it comes."""
    found: list[Value] = []
    lines = [line for line in lines if line]
    while lines:
        heads = [line[0] for line in lines]
        good = next((head for head in heads if not any(head in line[1:] for line in lines)), heads[0])
        if good not in found and good != kind:
            found.append(good)
        lines = [rest for line in lines if (rest := [item for item in line if item != good])]
    return found


def is_enum(ev: Evaluator, value: ClassValue) -> bool:
    """Tell whether a class is an enumeration."""
    names = (base.name.rpartition(".")[2] for base in order(ev, value) if isinstance(base, External))
    return any(name in _ENUMS for name in names)


def find(ev: Evaluator, line: Values, name: str) -> tuple[Values, Frame | None]:
    """Return what a name stands for in the first class of a line that binds it, and that class's frame."""
    for kind in line:
        if isinstance(kind, ClassValue):
            frame = ev.class_frame(kind)
            bindings = frame.scope.bindings.get(name)
            if bindings:
                getter = _getter(ev, bindings)
                return (ev.binding(getter, frame) if getter else ev.bound(bindings, frame, None)), frame
    return (), None


def _getter(ev: Evaluator, bindings: list[Binding]) -> Binding | None:
    """Return the binding of a property's getter: its setter is bound to the same name later."""
    for binding in bindings:
        if isinstance(binding.node, FUNCTIONS) and ev.project.functions[id(binding.node)].is_property:
            return binding
    return None


def of_class(ev: Evaluator, value: ClassValue, name: str) -> Values:
    """Return what an attribute of a class stands for."""
    if name == "__class__":
        return (value,)
    added = _added(value, name)
    if added:
        return tuple(_taken(item, value, value) for item in added)
    found, _ = find(ev, order(ev, value), name)
    if found and is_enum(ev, value) and not any(isinstance(item, FunctionValue) for item in found):
        return (Instance(value.info, value.frame),)
    made = [_taken(item, value, value) for item in found]
    return merged(tuple(made)) or _assigned(ev, value, value, name)


def _added(value: ClassValue | Instance, name: str) -> Values:
    """Return what a class made by ``type`` was given under a name."""
    return next((values for member, values in value.made if member == name), ())


def of_metaclass(ev: Evaluator, value: ClassValue, name: str) -> Values:
    """Return what a name stands for in the metaclass of a class or of its bases, bound to the class."""
    for kind in order(ev, value):
        if not isinstance(kind, ClassValue):
            continue
        for keyword in kind.info.node.keywords:
            if keyword.arg == "metaclass":
                found = [item for item in ev.values(keyword.value, kind.frame) if isinstance(item, ClassValue)]
                taken = [find(ev, order(ev, item), name)[0] for item in found]
                return tuple(
                    FunctionValue(item.info, item.frame, value)
                    for item in merged(*taken)
                    if isinstance(item, FunctionValue)
                )
    return ()


def _taken(item: Value, receiver: Value, kind: ClassValue) -> Value:
    """Bind a function taken from a class or an instance to its receiver."""
    if not isinstance(item, FunctionValue) or item.receiver is not None or item.info.is_static:
        return item
    if item.info.takes_class:
        return FunctionValue(item.info, item.frame, kind)
    return item if isinstance(receiver, ClassValue) else FunctionValue(item.info, item.frame, receiver)


def of_instance(ev: Evaluator, value: Instance, name: str) -> Values:
    """Return what an attribute of an instance stands for: properties, methods, what methods assign to ``self``."""
    if name == "__class__":
        return (value.type,)
    found = _added(value, name) or find(ev, order(ev, value), name)[0]
    results: list[Values] = []
    for item in found:
        if isinstance(item, FunctionValue) and item.info.is_property:
            results.append(calling.call_function(ev, FunctionValue(item.info, item.frame, value), ()))
        else:
            results.append((_taken(item, value, value.type),))
    values = merged(*results)
    if any(isinstance(item, FunctionValue) for item in found):
        return values
    assigned = _assigned(ev, value.type, value, name)
    if any(map(is_ours, assigned)) and not any(map(is_ours, values)):
        return assigned
    return merged(values, assigned) or fixtures.from_request(ev, value, name)


def _assigned(ev: Evaluator, kind: ClassValue, receiver: Value, name: str) -> Values:
    """Return what the methods of a class and its bases assign to an attribute of their first parameter."""
    found: list[Values] = []
    for base in order(ev, kind):
        if not isinstance(base, ClassValue):
            continue
        frame = ev.class_frame(base)
        for bindings in frame.scope.bindings.values():
            for binding in bindings:
                if isinstance(binding.node, FUNCTIONS) and binding.how == "def":
                    found.append(_assigned_in(ev, binding.node, frame, receiver, kind, name))
    return merged(*found)


def _assigned_in(
    ev: Evaluator,
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    outer: Frame,
    receiver: Value,
    kind: ClassValue,
    name: str,
) -> Values:
    arguments = [*node.args.posonlyargs, *node.args.args]
    if not arguments:
        return ()
    scope = ev.scope(node)
    bindings = scope.attributes.get((arguments[0].arg, name))
    if not bindings:
        return ()
    info = ev.project.functions[id(node)]
    frame = ev.function_frame(info, kind if info.takes_class else receiver, outer)
    return merged(*(ev.binding(binding, frame) for binding in bindings))


def of_super(ev: Evaluator, value: Super, name: str) -> Values:
    """Return what ``super().name`` stands for: looked up behind the class that the method stands in."""
    receiver = value.receiver
    if not isinstance(receiver, (ClassValue, Instance)):
        return ()
    line = order(ev, receiver)
    places = [number for number, kind in enumerate(line) if isinstance(kind, ClassValue) and kind.info is value.info]
    found, _ = find(ev, line[places[0] + 1 :] if places else line[1:], name)
    return tuple(_taken(item, receiver, ClassValue(receiver.info, receiver.frame)) for item in found)
