"""The possible values of expressions, and the frames they are evaluated in."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TypeAlias

from annotator.mining.repository.discovery.modules import ClassInfo, FunctionInfo, Module
from annotator.mining.repository.discovery.scopes import COMPREHENSIONS, Scope, ScopeNode, scope_of

MAX_VALUES = 12
"""Maximum number of values per expression."""


@dataclass(frozen=True, slots=True)
class ModuleValue:
    """A module of the repository."""

    module: Module


@dataclass(frozen=True, slots=True)
class External:
    """Something outside the repository, by its dotted name (``pytest.fixture``, ``builtins.len``)."""

    name: str


@dataclass(frozen=True, slots=True)
class ClassValue:
    """A class of the repository; ``frame`` is where it is defined."""

    info: ClassInfo
    frame: Frame

    @property
    def instance(self) -> Instance:
        """An instance of the class."""
        return Instance(self.info, self.frame)

    @property
    def type(self) -> ClassValue:
        """The class itself."""
        return self


@dataclass(frozen=True, slots=True)
class Instance:
    """An instance of a class of the repository."""

    info: ClassInfo
    frame: Frame

    @property
    def type(self) -> ClassValue:
        """The instance's class."""
        return ClassValue(self.info, self.frame)


@dataclass(frozen=True, slots=True)
class FunctionValue:
    """A function with the frame it closes over and, for a method taken from an object, its receiver."""

    info: FunctionInfo
    frame: Frame
    receiver: Value | None = None


@dataclass(frozen=True, slots=True)
class Super:
    """``super()`` in a method of a class, for a receiver."""

    info: ClassInfo
    receiver: Value


@dataclass(frozen=True, slots=True)
class ContainerValue:
    """A container, iterator or context manager with one of its items, which may be nested at any depth."""

    value: Value


Value: TypeAlias = ModuleValue | External | ClassValue | Instance | FunctionValue | Super | ContainerValue
Values: TypeAlias = tuple[Value, ...]


def merged(*groups: Values) -> Values:
    """Return the distinct values of several groups in order, at most `MAX_VALUES`."""
    distinct: dict[Value, None] = {}
    for group in groups:
        for value in group:
            distinct[value] = None
    return tuple(distinct)[:MAX_VALUES]


def linearize(mros: list[list[Value]], own: ClassValue) -> list[Value]:
    """Merge the MROs of base classes as Python does; if that is impossible, append the rest in order."""
    order: list[Value] = []
    mros = [mro for mro in mros if mro]
    while mros:
        heads = [mro[0] for mro in mros]
        next_class = next((head for head in heads if not any(head in mro[1:] for mro in mros)), heads[0])
        if next_class not in order and next_class != own:
            order.append(next_class)
        mros = [rest for mro in mros if (rest := [item for item in mro if item != next_class])]
    return order


def containers_of(values: Values) -> Values:
    """Return a container value for each value."""
    return tuple(item if isinstance(item, ContainerValue) else ContainerValue(item) for item in values)


def is_repository_object(value: Value) -> bool:
    """Return whether a value is, or contains, an object of the repository."""
    if isinstance(value, ContainerValue):
        return is_repository_object(value.value)
    return not isinstance(value, External)


@dataclass(eq=False, slots=True, kw_only=True)
class Frame:
    """An environment to look names up in: a scope and the frame around it. Compared by identity.

    ``owner`` is set for the frame of a class body.
    """

    scope: Scope
    module: Module
    outer: Frame | None
    function: FunctionInfo | None = None
    owner: ClassInfo | None = None
    receiver: Value | None = None


class Frames:
    """Creates and caches the frames of one repository."""

    def __init__(self) -> None:
        self._scopes: dict[ScopeNode, Scope] = {}
        self._frames: dict[tuple[object, ...], Frame] = {}

    def scope(self, node: ScopeNode) -> Scope:
        """Return the scope of a node, collected once."""
        known_scope = self._scopes.get(node)
        if known_scope is None:
            known_scope = self._scopes[node] = scope_of(node)
        return known_scope

    def of_module(self, module: Module) -> Frame:
        """Return the frame of a module's top level."""
        return self._frame(module.tree, module, None)

    def of_class(self, value: ClassValue | Instance) -> Frame:
        """Return the frame of a class body."""
        return self._frame(value.info.node, value.info.module, value.frame, owner=value.info)

    def class_value(self, info: ClassInfo) -> ClassValue:
        """Return a class by its definition."""
        outer = info.module.classes.get(info.qualname.rpartition(".")[0])
        if outer is not None and outer is not info:
            return ClassValue(info, self.of_class(self.class_value(outer)))
        return ClassValue(info, self.of_module(info.module))

    def of_function(
        self,
        info: FunctionInfo,
        receiver: Value | None = None,
        outer: Frame | None = None,
    ) -> Frame:
        """Return the frame of a function's calls; those for different receivers differ."""
        if outer is None:
            outer = self.of_class(self.class_value(info.owner)) if info.owner else self.of_module(info.module)
        return self._frame(info.node, info.module, outer, function=info, receiver=receiver)

    def of_lambda(self, node: ast.Lambda, frame: Frame) -> Frame:
        """Return the frame of a lambda's body."""
        return self._frame(node, frame.module, frame)

    def _frame(
        self,
        node: ScopeNode,
        module: Module,
        outer: Frame | None,
        *,
        function: FunctionInfo | None = None,
        owner: ClassInfo | None = None,
        receiver: Value | None = None,
    ) -> Frame:
        key = (node, outer, receiver)
        frame = self._frames.get(key)
        if frame is None:
            frame = Frame(
                scope=self.scope(node),
                module=module,
                outer=outer,
                function=function,
                owner=owner,
                receiver=receiver,
            )
            self._frames[key] = frame
        return frame

    def of_comprehension(self, node: ast.AST, frame: Frame) -> Frame:
        """Return the frame of a comprehension."""
        assert isinstance(node, COMPREHENSIONS)
        return self._frame(node, frame.module, frame)
