"""What an expression may stand for, as far as matching tests to functions needs to know."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from annotator.mining.repository.frames import Frame
    from annotator.mining.repository.modules import ClassInfo, FunctionInfo, Module

LIMIT = 12
"""As many values as an expression is followed to; more means that it is not known."""


@dataclass(frozen=True, slots=True)
class ModuleValue:
    """A module of the repository."""

    module: Module


@dataclass(frozen=True, slots=True)
class External:
    """Something outside the repository, by its dotted name (``pytest.fixture``, ``builtins.len``)."""

    name: str


@dataclass(frozen=True, slots=True)
class ExternalInstance:
    """An instance of an outside class; known to be nothing of the repository."""

    name: str


@dataclass(frozen=True, slots=True)
class ClassValue:
    """A class of the repository; ``frame`` is where it is defined.

    ``declared`` says that an annotation names it, so that it may be any class below. ``made`` are the members of a
    class that ``type(name, bases, members)`` makes of it: they come before its own.
    """

    info: ClassInfo
    frame: Frame
    declared: bool = False
    made: tuple[tuple[str, tuple[Value, ...]], ...] = ()

    @property
    def instance(self) -> Instance:
        """What calling the class gives."""
        return Instance(self.info, self.frame, self.declared, self.made)


@dataclass(frozen=True, slots=True)
class Instance:
    """An instance of a class of the repository, or (``declared``) of one below it."""

    info: ClassInfo
    frame: Frame
    declared: bool = False
    made: tuple[tuple[str, tuple[Value, ...]], ...] = ()

    @property
    def type(self) -> ClassValue:
        """The instance's class."""
        return ClassValue(self.info, self.frame, self.declared, self.made)


@dataclass(frozen=True, slots=True)
class FunctionValue:
    """A function with the frame it closes over and, for a method taken from an object, its receiver."""

    info: FunctionInfo
    frame: Frame
    receiver: Value | None = None


@dataclass(frozen=True, slots=True)
class LambdaValue:
    """A lambda expression."""

    node: ast.Lambda
    frame: Frame


@dataclass(frozen=True, slots=True)
class Partial:
    """A callable with some arguments given (``functools.partial``)."""

    target: Value


@dataclass(frozen=True, slots=True)
class Items:
    """A tuple or list whose elements are known one by one."""

    elements: tuple[tuple[Value, ...], ...]


@dataclass(frozen=True, slots=True)
class Many:
    """An iterable of things that are alike."""

    element: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Mapping:
    """A mapping, by its values; ``named`` are those under literal text keys."""

    values: tuple[Value, ...]
    named: tuple[tuple[str, tuple[Value, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Managed:
    """A context manager made from a generator, by what it yields."""

    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Literal:
    """A text or a whole number written in the code."""

    value: str | int


@dataclass(frozen=True, slots=True)
class Super:
    """``super()`` in a method of a class, for a receiver."""

    info: ClassInfo
    receiver: Value


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a container (``values`` of a mapping), or a type variable's name under ``typevar``."""

    owner: Value
    name: str


Value: TypeAlias = (
    ModuleValue | External | ExternalInstance | ClassValue | Instance | FunctionValue | LambdaValue | Partial | Items
    | Many | Mapping | Managed | Literal | Super | Method
)  # fmt: skip
Values: TypeAlias = tuple[Value, ...]


def merged(*groups: Values) -> Values:
    """Return the distinct values of several groups in order, at most `LIMIT`."""
    found: dict[Value, None] = {}
    for group in groups:
        for value in group:
            found[value] = None
    return tuple(found)[:LIMIT]


def is_ours(value: Value) -> bool:
    """Tell whether a value leads to something of the repository."""
    match value:
        case ModuleValue() | ClassValue() | Instance() | FunctionValue() | LambdaValue() | Partial() | Super():
            return True
        case Items():
            return any(is_ours(item) for element in value.elements for item in element)
        case Many():
            return any(map(is_ours, value.element))
        case Mapping() | Managed():
            return any(map(is_ours, value.values))
        case Method():
            return is_ours(value.owner)
    return False
