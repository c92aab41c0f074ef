"""The state of EvoCodeBench's parser: names with their types, scopes, and which name uses which.

A type is the dotted path of a definition. The parser follows assignments and imports in source order and ignores
branches, so the type of a name is that of its last binding.
"""

from __future__ import annotations

import symtable
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["unknown", "namespace", "attribute", "import", "module", "class", "function", "method", "name"]
_WEIGHTS: Mapping[Kind, int] = {"unknown": 0, "namespace": 1, "attribute": 1, "import": 2}
"""How specific a kind is: a name's kind is only replaced by a more specific one. All other kinds weigh 3."""
ARGUMENT = "^^^argument^^^"
INNER_SCOPES = ("lambda", "listcomp", "setcomp", "dictcomp", "genexpr")


@dataclass(eq=False, slots=True, kw_only=True)
class Entity:
    """A name in a namespace; ``type`` is the path of the definition it is bound to, ``value`` its entity if known."""

    namespace: str | None
    name: str
    file: str
    kind: Kind = "unknown"
    type: str | None = None
    value: Entity | None = None
    defined: bool = False

    @property
    def path(self) -> str:
        """The dotted path: namespace and name."""
        return self.name if self.namespace == "" else f"{'*' if self.namespace is None else self.namespace}.{self.name}"

    @property
    def is_function(self) -> bool:
        """Whether it is a function or a method."""
        return self.kind in ("function", "method")


@dataclass(eq=False, slots=True)
class NameScope:
    """A scope: its names with their present bindings, and the type that calls of it return (``returned``)."""

    path: str
    names: dict[str, Entity | None] = field(default_factory=dict)
    returned: str | None = None


def split_path(path: str | None) -> tuple[str | None, str | None]:
    """Return a dotted path's namespace and its last name."""
    if path is None:
        return None, None
    namespace, _, name = path.rpartition(".")
    return namespace, name


class NameGraph:
    """All names of a repository and their uses of each other."""

    def __init__(self, files: Mapping[str, str]) -> None:
        """``files`` are the modules' files by dotted name."""
        self._files = files
        self.file = ""
        self.scopes: dict[str, NameScope] = {}
        self.uses: dict[str, dict[Entity, None]] = {}
        self._entities: dict[tuple[str | None, str], Entity] = {}

    def entity(self, namespace: str | None, name: str, kind: Kind = "unknown") -> Entity:
        """Return the entity of a name in a namespace; create it if it does not exist."""
        entity = self._entities.get((namespace, name))
        if entity is None:
            file = self._files.get(namespace or "", self.file)
            entity = Entity(namespace=namespace, name=name, file=file, kind=kind)
            self._entities[namespace, name] = entity
        elif _WEIGHTS.get(kind, 3) > _WEIGHTS.get(entity.kind, 3):
            entity.kind = kind
        return entity

    def find(self, path: str | None) -> Entity | None:
        """Return the entity at a path, None if there is none."""
        namespace, name = split_path(path)
        return self._entities.get((namespace, name)) if name is not None else None

    def add_scopes(self, module: str, code: str) -> None:
        """Add the scopes of a file; names that exist already keep their bindings."""
        pending = [("", symtable.symtable(code, module, "exec"))]
        while pending:
            above, table = pending.pop()
            path = f"{above}.{table.get_name()}" if above else module
            scope = self.scopes.setdefault(path, NameScope(path))
            for name in table.get_identifiers():
                scope.names.setdefault(name, None)
            pending += [(path, child) for child in table.get_children()]

    def look_up_in(self, path: str, name: str) -> Entity | None:
        """Return the binding of a name in the scope at a path."""
        scope = self.scopes.get(path)
        return scope.names.get(name) if scope is not None else None

    def add_use(self, user: Entity | None, used: Entity, *, by_type: bool = True) -> None:
        """Record that ``user`` uses ``used`` (``by_type``: the definition it is bound to); ignore undefined names."""
        if user is None:
            return
        own = self.look_up_in(user.path, used.name)
        if own is not None and own.path == used.path:
            return
        target: Entity | None = self._resolve_type(used) if by_type else used
        if target is not None and target.defined:
            self.uses.setdefault(user.path, {})[target] = None

    def _resolve_type(self, used: Entity) -> Entity | None:
        followed: set[Entity] = set()
        while used.type and used.type != used.path and used not in followed:
            followed.add(used)
            entity = self.find(used.type)
            if entity is None:
                break
            used = entity
        used.type = used.type or used.path
        namespace, name = split_path(used.type)
        if used.type not in self.scopes and namespace in self.scopes and name in self.scopes[namespace].names:
            return self.scopes[namespace].names[name]
        return used

    def collapse_inner_scopes(self) -> None:
        """Attribute the uses in lambdas and comprehensions to the functions around them."""
        for name in dict.fromkeys(name for _, name in self._entities if name in INNER_SCOPES):
            for inner in [item for item in self._entities.values() if item.name == name]:
                namespace, outer = split_path(inner.namespace)
                user = self.entity(namespace, outer) if outer else None
                for used in list(self.uses.get(inner.path, ())):
                    self.add_use(user, used, by_type=not used.defined)
                inner.defined = False


def linearize_classes(bases: Mapping[Entity, list[Entity]]) -> dict[Entity, list[Entity]]:
    """Return the method resolution order of each class, itself first.

    If some class has no such order, all classes get their bases in depth-first order, as in the parser.
    """
    orders: dict[Entity, list[Entity]] = {}
    try:
        for item in bases:
            _linearize(item, bases, orders, set())
    except ValueError:
        return {item: _depth_first_order(item, bases, set()) for item in bases}
    return {item: orders[item] for item in bases}


def _linearize(
    item: Entity, bases: Mapping[Entity, list[Entity]], orders: dict[Entity, list[Entity]], visited: set[Entity]
) -> list[Entity]:
    visited.add(item)
    if item not in orders:
        above = bases.get(item, [])
        lists = [_linearize(base, bases, orders, visited) for base in above if base not in visited]
        orders[item] = [item, *(_merge([*lists, above]) if above else ())]
    return orders[item]


def _merge(lists: Iterable[list[Entity]]) -> list[Entity]:
    merged: list[Entity] = []
    remaining = [order for order in lists if order]
    while remaining:
        tails = {item for order in remaining for item in order[1:]}
        head = next((order[0] for order in remaining if order[0] not in tails), None)
        if head is None:
            raise ValueError("the classes have no order")
        merged.append(head)
        remaining = [rest for order in remaining if (rest := [item for item in order if item is not head])]
    return merged


def _depth_first_order(item: Entity, bases: Mapping[Entity, list[Entity]], visited: set[Entity]) -> list[Entity]:
    visited.add(item)
    order = [item]
    for base in bases.get(item, ()):
        if base not in visited:
            order += [base, *_depth_first_order(base, bases, visited)]
    return order
