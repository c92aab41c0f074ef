"""What is known of modules' top levels: which statements bind a name, and what each of them needs."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from annotator.mining.repository.calls.evaluator import Evaluator
from annotator.mining.repository.discovery.modules import Module
from annotator.mining.repository.discovery.scopes import COMPREHENSIONS, FUNCTIONS, Binding, Scope, scope_of
from annotator.text.python_tree import children

PLACES = ("__file__", "__path__")
"""Names of a module that tell where it is."""


@dataclass(frozen=True, slots=True)
class Use:
    """A free name with the attributes read from it: ``rsa.prime.is_prime`` is rsa with (prime, is_prime)."""

    name: str
    attributes: tuple[str, ...]


def free_names(
    ev: Evaluator, node: ast.AST, dropped: Collection[int] = (), *, with_bodies: bool = True
) -> Iterator[Use]:
    """Yield the names a statement reads that nothing inside it binds; nodes in ``dropped`` (by id) are left out.

    Without ``with_bodies`` it yields those that are read when the statement is run, before a function in it is called.
    """
    none: frozenset[str] = frozenset()
    waiting: list[tuple[ast.AST, frozenset[str]]] = [(node, none)]
    while waiting:
        item, bound = waiting.pop()
        if id(item) in dropped:
            continue
        if isinstance(item, (ast.Attribute, ast.Name)):
            use, rest = _chain(item)
            if rest is not None:
                waiting.append((rest, bound))
            elif use is not None and use.name not in bound:
                yield use
        elif isinstance(item, ast.ClassDef):
            waiting.extend((child, bound) for child in (*item.decorator_list, *item.bases, *item.keywords))
            own = bound | ev.frames.scope(item).bindings.keys()
            for child in item.body:
                # A class's names are seen in its own statements, not inside the functions that stand in it.
                waiting.append((child, bound if isinstance(child, FUNCTIONS) else own))
        elif isinstance(item, (*FUNCTIONS, ast.Lambda)):
            waiting.extend((child, bound) for child in _outside(item))
            inner = bound | _local(ev.frames.scope(item))
            body = [item.body] if isinstance(item, ast.Lambda) else item.body
            waiting.extend((child, inner) for child in body if with_bodies)
        elif isinstance(item, COMPREHENSIONS):
            waiting.append((item.generators[0].iter, bound))
            inner = bound | _local(ev.frames.scope(item))
            waiting.extend((child, inner) for child in children(item))
        else:
            waiting.extend((child, bound) for child in children(item))


def _local(scope: Scope) -> set[str]:
    return scope.bindings.keys() - scope.globals


def _chain(node: ast.Attribute | ast.Name) -> tuple[Use | None, ast.AST | None]:
    """Return a chain of attributes on a name, or the expression the chain begins with."""
    parts: list[str] = []
    inner: ast.AST = node
    while isinstance(inner, ast.Attribute):
        parts.append(inner.attr)
        inner = inner.value
    if isinstance(inner, ast.Name):
        return Use(inner.id, tuple(reversed(parts))), None
    return None, inner


def _outside(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> list[ast.AST]:
    """Return what of a function is evaluated outside it: decorators, defaults, annotations."""
    found: list[ast.AST] = [*node.args.defaults, *(item for item in node.args.kw_defaults if item is not None)]
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
    found.extend(item.annotation for item in arguments if item is not None and item.annotation is not None)
    if not isinstance(node, ast.Lambda):
        found.extend(node.decorator_list)
        if node.returns is not None:
            found.append(node.returns)
    return found


def bound_names(node: ast.stmt) -> dict[str, str]:
    """Return the names a top-level statement binds, with the imports or constants if nothing else binds a name."""
    found = {}
    for name, bindings in scope_of(ast.Module(body=[node], type_ignores=[])).bindings.items():
        if all(isinstance(binding.node, ast.Constant) and binding.how == "value" for binding in bindings):
            found[name] = "= " + ", ".join(sorted({ast.dump(binding.node) for binding in bindings}))
            continue
        texts = {_import_text(binding) for binding in bindings}
        found[name] = "" if "" in texts else "\n".join(sorted(texts))
    return found


def _import_text(binding: Binding) -> str:
    alias = binding.node
    if not isinstance(alias, ast.alias):
        return ""
    if binding.origin is not None:
        return f"from {binding.origin.module} import {alias.name}" if not binding.origin.level else ""
    return f"import {alias.name if alias.asname else alias.name.partition('.')[0]}"


@dataclass(slots=True, eq=False)
class Shape:
    """What is known of a module's top level: its statements and which of them bind a name."""

    module: Module
    binders: dict[str, list[int]] = field(default_factory=dict)
    changers: dict[str, list[int]] = field(default_factory=dict)


class Shapes:
    """The shapes of a project's modules, each made once."""

    def __init__(self, ev: Evaluator) -> None:
        """Make them when they are asked for."""
        self._ev = ev
        self._made: dict[str, Shape] = {}
        self._uses: dict[tuple[int, frozenset[int]], tuple[Use, ...]] = {}
        self._bound: dict[int, dict[str, str]] = {}
        self._methods: frozenset[int] | None = None
        self._inner: dict[int, tuple[Inner, ...]] = {}
        self._sources: dict[int, Module | None] = {}
        self._binding: dict[tuple[str, str], bool] = {}

    def of(self, module: Module) -> Shape:
        """Return a module's shape."""
        found = self._made.get(module.path)
        if found is None:
            found = self._made[module.path] = Shape(module)
            for number, statement in enumerate(module.tree.body):
                for name in self.bound(statement):
                    found.binders.setdefault(name, []).append(number)
                for name in changed_names(statement):
                    found.changers.setdefault(name, []).append(number)
        return found

    def source(self, module: Module, node: ast.ImportFrom) -> Module | None:
        """Return the module of the repository that names are imported from; None if it is not one of them."""
        if id(node) not in self._sources:
            self._sources[id(node)] = self._ev.project.source_of(module, node)
        return self._sources[id(node)]

    def binds(self, module: Module, name: str) -> bool:
        """Tell whether a module binds a name, by itself or by what it takes whole from others."""
        if name in self.of(module).binders:
            return True
        key = (module.path, name)
        if key not in self._binding:
            waiting, seen = [module], {module.path}
            found = False
            while waiting and not found:
                place = waiting.pop()
                found = name in self.of(place).binders
                for source in self._star_sources(place):
                    if source.path not in seen and source.hands_out(name):
                        seen.add(source.path)
                        waiting.append(source)
            self._binding[key] = found
        return self._binding[key]

    def may_bind(self, module: Module) -> bool:
        """Tell whether a module takes another one whole that is not of the repository, and so may bind any name."""
        return any(self.source(module, node) is None for node in self._ev.frames.of_module(module).scope.stars)

    def star(self, module: Module, name: str) -> Module | None:
        """Return the module of the repository that ``from m import *`` in another one brings a name from."""
        for source in self._star_sources(module):
            if source is not module and source.hands_out(name) and self.binds(source, name):
                return source
        return None

    def _star_sources(self, module: Module) -> list[Module]:
        """Return what a module takes whole, the last first: its names hide those of the others."""
        sources = (self.source(module, node) for node in reversed(self._ev.frames.of_module(module).scope.stars))
        return [source for source in sources if source is not None]

    def bound(self, statement: ast.stmt) -> dict[str, str]:
        """Return the names a statement binds (`bound_names`)."""
        found = self._bound.get(id(statement))
        if found is None:
            found = self._bound[id(statement)] = bound_names(statement)
        return found

    def uses(self, statement: ast.stmt, dropped: frozenset[int]) -> tuple[Use, ...]:
        """Return the names a statement needs (`free_names`), each once."""
        functions = [id(item.node) for item in self.inner(statement) if isinstance(item.node, FUNCTIONS)]
        key = (id(statement), dropped.intersection(functions))
        if key not in self._uses:
            self._uses[key] = tuple(dict.fromkeys(free_names(self._ev, statement, key[1])))
        return self._uses[key]

    def names_at_once(self, statement: ast.stmt, dropped: frozenset[int]) -> frozenset[str]:
        """Return the names that a statement needs when it is run, before any function in it is called."""
        return frozenset(use.name for use in free_names(self._ev, statement, dropped, with_bodies=False))

    def test_methods(self) -> frozenset[int]:
        """Return the test methods of all classes, by their nodes' ids: what is cut out around one of them."""
        if self._methods is None:
            self._methods = frozenset(
                id(info.node)
                for module in self._ev.project.modules
                for info in module.functions.values()
                if info.owner is not None and info.name.startswith("test") and not info.decorated("fixture")
                if module.is_test or "test" in info.owner.name.lower()
            )
        return self._methods

    def inner(self, statement: ast.stmt) -> tuple[Inner, ...]:
        """Return the functions, imports and uses of ``__file__`` in a statement, with the functions around them."""
        found = self._inner.get(id(statement))
        if found is None:
            made: list[Inner] = []
            waiting: list[tuple[ast.AST, frozenset[int]]] = [(statement, frozenset())]
            while waiting:
                node, around = waiting.pop()
                if isinstance(node, (*FUNCTIONS, ast.Import, ast.ImportFrom)) or _is_place(node):
                    made.append(Inner(node, around))
                if isinstance(node, FUNCTIONS):
                    around = around | {id(node)}
                waiting.extend((child, around) for child in children(node))
            found = self._inner[id(statement)] = tuple(made)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Inner:
    """A node of interest inside a statement and the functions around it, by id."""

    node: ast.AST
    around: frozenset[int]


def _is_place(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in PLACES


def changed_names(statement: ast.stmt) -> set[str]:
    """Return the names whose objects a statement of a module changes, in loops and conditions too.

    ``NAME.update(...)``, ``NAME[k] = v`` and ``NAME += v`` change one.
    """
    found: set[str] = set()
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            continue
        found.add(_changed_by(node))
        waiting.extend(child for child in children(node) if isinstance(child, _OF_STATEMENTS))
    return found - {""}


_OF_STATEMENTS = (ast.stmt, ast.ExceptHandler, ast.match_case)


def _changed_by(node: ast.AST) -> str:
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
