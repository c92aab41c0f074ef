"""Index the top level of modules: which statements bind each name, and which names each statement needs."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from annotator.mining.repository.calls.evaluator import Evaluator
from annotator.mining.repository.discovery.modules import Module
from annotator.mining.repository.discovery.scopes import COMPREHENSIONS, FUNCTIONS, Binding, Scope, scope_of
from annotator.text.python_tree import child_nodes

LOCATION_NAMES = ("__file__", "__path__")
"""Module attributes that hold its path; code that uses them cannot be moved."""


@dataclass(frozen=True, slots=True)
class Use:
    """A free name with the attributes read from it: ``rsa.prime.is_prime`` is rsa with (prime, is_prime)."""

    name: str
    attributes: tuple[str, ...]


def free_names(
    evaluator: Evaluator, node: ast.AST, dropped: Collection[int] = (), *, with_bodies: bool = True
) -> Iterator[Use]:
    """Yield the names a statement reads that nothing inside it binds; nodes in ``dropped`` (by id) are left out.

    Without ``with_bodies`` it yields only names read when the statement itself runs, not those in function bodies.
    """
    none: frozenset[str] = frozenset()
    pending: list[tuple[ast.AST, frozenset[str]]] = [(node, none)]
    while pending:
        item, bound_names = pending.pop()
        if id(item) in dropped:
            continue
        if isinstance(item, (ast.Attribute, ast.Name)):
            use, rest = _attribute_chain(item)
            if rest is not None:
                pending.append((rest, bound_names))
            elif use is not None and use.name not in bound_names:
                yield use
        elif isinstance(item, ast.ClassDef):
            pending.extend((child, bound_names) for child in (*item.decorator_list, *item.bases, *item.keywords))
            own = bound_names | evaluator.frames.scope(item).bindings.keys()
            for child in item.body:
                # A class's names are visible in its own statements, not inside its methods.
                pending.append((child, bound_names if isinstance(child, FUNCTIONS) else own))
        elif isinstance(item, (*FUNCTIONS, ast.Lambda)):
            pending.extend((child, bound_names) for child in _evaluated_outside(item))
            inner = bound_names | _local_names(evaluator.frames.scope(item))
            body = [item.body] if isinstance(item, ast.Lambda) else item.body
            pending.extend((child, inner) for child in body if with_bodies)
        elif isinstance(item, COMPREHENSIONS):
            pending.append((item.generators[0].iter, bound_names))
            inner = bound_names | _local_names(evaluator.frames.scope(item))
            pending.extend((child, inner) for child in child_nodes(item))
        else:
            pending.extend((child, bound_names) for child in child_nodes(item))


def _local_names(scope: Scope) -> set[str]:
    return scope.bindings.keys() - scope.globals


def _attribute_chain(node: ast.Attribute | ast.Name) -> tuple[Use | None, ast.AST | None]:
    """Return a chain of attributes on a name, or the expression the chain begins with."""
    parts: list[str] = []
    inner: ast.AST = node
    while isinstance(inner, ast.Attribute):
        parts.append(inner.attr)
        inner = inner.value
    if isinstance(inner, ast.Name):
        return Use(inner.id, tuple(reversed(parts))), None
    return None, inner


def _evaluated_outside(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> list[ast.AST]:
    """Return the parts of a function that are evaluated at its definition: decorators, defaults, annotations."""
    nodes: list[ast.AST] = [*node.args.defaults, *(item for item in node.args.kw_defaults if item is not None)]
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
    nodes.extend(item.annotation for item in arguments if item is not None and item.annotation is not None)
    if not isinstance(node, ast.Lambda):
        nodes.extend(node.decorator_list)
        if node.returns is not None:
            nodes.append(node.returns)
    return nodes


def bound_names(node: ast.stmt) -> dict[str, str]:
    """Return the names a top-level statement binds, each with its imports or constants as text, else ""."""
    origins = {}
    for name, bindings in scope_of(ast.Module(body=[node], type_ignores=[])).bindings.items():
        if all(isinstance(binding.node, ast.Constant) and binding.how == "value" for binding in bindings):
            origins[name] = "= " + ", ".join(sorted({ast.dump(binding.node) for binding in bindings}))
            continue
        texts = {_import_text(binding) for binding in bindings}
        origins[name] = "" if "" in texts else "\n".join(sorted(texts))
    return origins


def _import_text(binding: Binding) -> str:
    alias = binding.node
    if not isinstance(alias, ast.alias):
        return ""
    if binding.origin is not None:
        return f"from {binding.origin.module} import {alias.name}" if not binding.origin.level else ""
    return f"import {alias.name if alias.asname else alias.name.partition('.')[0]}"


@dataclass(slots=True, eq=False)
class ModuleShape:
    """A module's top level: the statements (by number) that bind each name, and those that change its object."""

    module: Module
    binders: dict[str, list[int]] = field(default_factory=dict)
    changers: dict[str, list[int]] = field(default_factory=dict)


class ModuleShapes:
    """The shapes of a project's modules, computed on demand and cached."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._shapes: dict[str, ModuleShape] = {}
        self._uses: dict[tuple[int, frozenset[int]], tuple[Use, ...]] = {}
        self._names_bound: dict[int, dict[str, str]] = {}
        self._methods: frozenset[int] | None = None
        self._inner: dict[int, tuple[Inner, ...]] = {}
        self._sources: dict[int, Module | None] = {}
        self._binding: dict[tuple[str, str], bool] = {}

    def of(self, module: Module) -> ModuleShape:
        """Return a module's shape."""
        shape = self._shapes.get(module.path)
        if shape is None:
            shape = self._shapes[module.path] = ModuleShape(module)
            for number, statement in enumerate(module.tree.body):
                for name in self.names_bound(statement):
                    shape.binders.setdefault(name, []).append(number)
                for name in changed_names(statement):
                    shape.changers.setdefault(name, []).append(number)
        return shape

    def source(self, module: Module, node: ast.ImportFrom) -> Module | None:
        """Return the module of the repository that an import in ``module`` imports from, None if it is foreign."""
        if id(node) not in self._sources:
            self._sources[id(node)] = self._evaluator.project.source_of(module, node)
        return self._sources[id(node)]

    def binds(self, module: Module, name: str) -> bool:
        """Return whether a module binds a name, itself or by star imports from the repository."""
        if name in self.of(module).binders:
            return True
        key = (module.path, name)
        if key not in self._binding:
            pending, visited = [module], {module.path}
            is_bound = False
            while pending and not is_bound:
                current = pending.pop()
                is_bound = name in self.of(current).binders
                for source in self._star_sources(current):
                    if source.path not in visited and source.exports_name(name):
                        visited.add(source.path)
                        pending.append(source)
            self._binding[key] = is_bound
        return self._binding[key]

    def may_bind(self, module: Module) -> bool:
        """Return whether a module has a star import from outside the repository, which may bind any name."""
        return any(self.source(module, node) is None for node in self._evaluator.frames.of_module(module).scope.stars)

    def star(self, module: Module, name: str) -> Module | None:
        """Return the module of the repository that a star import in ``module`` gets a name from."""
        for source in self._star_sources(module):
            if source is not module and source.exports_name(name) and self.binds(source, name):
                return source
        return None

    def _star_sources(self, module: Module) -> list[Module]:
        """Return the modules of a module's star imports, the last first, since its names hide those of the others."""
        sources = (self.source(module, node) for node in reversed(self._evaluator.frames.of_module(module).scope.stars))
        return [source for source in sources if source is not None]

    def names_bound(self, statement: ast.stmt) -> dict[str, str]:
        """Return the names a statement binds (`bound_names`)."""
        names = self._names_bound.get(id(statement))
        if names is None:
            names = self._names_bound[id(statement)] = bound_names(statement)
        return names

    def uses(self, statement: ast.stmt, dropped: frozenset[int]) -> tuple[Use, ...]:
        """Return the names a statement needs (`free_names`), each once."""
        functions = [id(item.node) for item in self.inner(statement) if isinstance(item.node, FUNCTIONS)]
        key = (id(statement), dropped.intersection(functions))
        if key not in self._uses:
            self._uses[key] = tuple(dict.fromkeys(free_names(self._evaluator, statement, key[1])))
        return self._uses[key]

    def names_at_once(self, statement: ast.stmt, dropped: frozenset[int]) -> frozenset[str]:
        """Return the names that a statement needs when it runs, without those in function bodies."""
        return frozenset(use.name for use in free_names(self._evaluator, statement, dropped, with_bodies=False))

    def test_methods(self) -> frozenset[int]:
        """Return the ids of the nodes of all test methods: the others are cut out around the one that is needed."""
        if self._methods is None:
            self._methods = frozenset(
                id(info.node)
                for module in self._evaluator.project.modules
                for info in module.functions.values()
                if info.owner is not None and info.name.startswith("test") and not info.decorated("fixture")
                if module.is_test or "test" in info.owner.name.lower()
            )
        return self._methods

    def inner(self, statement: ast.stmt) -> tuple[Inner, ...]:
        """Return the functions, imports and uses of ``__file__`` in a statement, with the functions around them."""
        inner_nodes = self._inner.get(id(statement))
        if inner_nodes is None:
            collected: list[Inner] = []
            pending: list[tuple[ast.AST, frozenset[int]]] = [(statement, frozenset())]
            while pending:
                node, around = pending.pop()
                if isinstance(node, (*FUNCTIONS, ast.Import, ast.ImportFrom)) or _is_location_name(node):
                    collected.append(Inner(node, around))
                if isinstance(node, FUNCTIONS):
                    around = around | {id(node)}
                pending.extend((child, around) for child in child_nodes(node))
            inner_nodes = self._inner[id(statement)] = tuple(collected)
        return inner_nodes


@dataclass(frozen=True, slots=True, eq=False)
class Inner:
    """A node of interest inside a statement and the functions around it, by id."""

    node: ast.AST
    around: frozenset[int]


def _is_location_name(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in LOCATION_NAMES


def changed_names(statement: ast.stmt) -> set[str]:
    """Return the names whose objects a statement of a module changes, in loops and conditions too.

    ``NAME.update(...)``, ``NAME[k] = v`` and ``NAME += v`` change one.
    """
    names: set[str] = set()
    pending: list[ast.AST] = [statement]
    while pending:
        node = pending.pop()
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            continue
        names.add(_changed_name(node))
        pending.extend(child for child in child_nodes(node) if isinstance(child, _STATEMENT_PARTS))
    return names - {""}


_STATEMENT_PARTS = (ast.stmt, ast.ExceptHandler, ast.match_case)


def _changed_name(node: ast.AST) -> str:
    target: ast.AST | None = None
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        target = node.value.func.value
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], (ast.Attribute, ast.Subscript)):
        target = node.targets[0].value
    elif isinstance(node, ast.AugAssign):
        target = node.target
    while isinstance(target, (ast.Attribute, ast.Subscript)):
        target = target.value
    return target.id if isinstance(target, ast.Name) else ""
