"""Collect the names that a scope binds, each with where its value comes from."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Literal, TypeAlias

from annotator.text.python_tree import child_nodes

Kind = Literal["module", "class", "function", "comprehension"]
How = Literal["def", "import", "from", "value", "annotated", "element", "except", "parameter"]
FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
ScopeNode: TypeAlias = (
    ast.Module | ast.ClassDef | FunctionNode | ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Binding:
    """One binding of a name; ``node`` is the definition, the alias, or the expression that has the value."""

    name: str
    how: How
    node: ast.AST
    annotation: ast.expr | None = None
    origin: ast.ImportFrom | None = None
    default: ast.expr | None = None


@dataclass(slots=True, eq=False, kw_only=True)
class Scope:
    """A module, class, function or comprehension and the names bound in it."""

    kind: Kind
    node: ScopeNode
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    attributes: dict[tuple[str, str], list[Binding]] = field(default_factory=dict)
    """Assignments to attributes, by (dotted owner, attribute)."""
    stars: list[ast.ImportFrom] = field(default_factory=list)
    returns: list[ast.expr] = field(default_factory=list)
    yields: list[ast.expr] = field(default_factory=list)
    yields_from: list[ast.expr] = field(default_factory=list)
    generates: bool = False
    globals: set[str] = field(default_factory=set)


def scope_of(node: ScopeNode) -> Scope:
    """Return the scope a node opens."""
    if isinstance(node, ast.Module):
        scope = Scope(kind="module", node=node)
    elif isinstance(node, ast.ClassDef):
        scope = Scope(kind="class", node=node)
    elif isinstance(node, COMPREHENSIONS):
        scope = Scope(kind="comprehension", node=node)
    else:
        scope = Scope(kind="function", node=node)
    _ScopeCollector(scope).collect()
    return scope


def end_of(node: ast.AST) -> tuple[int, int]:
    """Return where a node ends: line from 1, column in bytes from 0."""
    return (getattr(node, "end_lineno", None) or 0, getattr(node, "end_col_offset", None) or 0)


def plain_parameters(arguments: ast.arguments) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    """Yield the plain parameters with their defaults (without ``*args`` and ``**kwargs``)."""
    positional = [*arguments.posonlyargs, *arguments.args]
    missing = len(positional) - len(arguments.defaults)
    for number, argument in enumerate(positional):
        yield argument, arguments.defaults[number - missing] if number >= missing else None
    yield from zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)


def dotted_name(node: ast.AST) -> str:
    """Return ``a.b.c`` for names and attributes of names, else an empty text."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([node.id, *reversed(parts)])


def _parts_of(value: ast.expr, targets: list[ast.expr]) -> list[ast.expr]:
    """Return the elements of a tuple or list that are assigned to the targets one to one, else nothing."""
    parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
    has_star = any(isinstance(item, ast.Starred) for item in (*parts, *targets))
    return parts if len(parts) == len(targets) and not has_star else []


class _ScopeCollector:
    """Walks one scope without entering the scopes inside it."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def collect(self) -> None:
        node = self.scope.node
        if isinstance(node, COMPREHENSIONS):
            for generator in node.generators:
                self.target(generator.target, generator.iter, "element")
            return
        if isinstance(node, (*FUNCTIONS, ast.Lambda)):
            for argument, default in plain_parameters(node.args):
                self.add(argument.arg, "parameter", argument, annotation=argument.annotation, default=default)
            for extra in (node.args.vararg, node.args.kwarg):
                if extra is not None:
                    self.add(extra.arg, "parameter", extra)
        if isinstance(node, ast.Lambda):
            self.scope.returns.append(node.body)
        else:
            self.statements(node.body)

    def add(
        self,
        name: str,
        how: How,
        node: ast.AST,
        *,
        annotation: ast.expr | None = None,
        origin: ast.ImportFrom | None = None,
        default: ast.expr | None = None,
    ) -> None:
        binding = Binding(
            name=name,
            how=how,
            node=node,
            annotation=annotation,
            origin=origin,
            default=default,
        )
        self.scope.bindings.setdefault(name, []).append(binding)

    def statements(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self.add(node.name, "def", node)
                return
            case ast.Import():
                for alias in node.names:
                    self.add(alias.asname or alias.name.partition(".")[0], "import", alias)
                return
            case ast.ImportFrom():
                self.import_from(node)
                return
            case ast.Global():
                self.scope.globals.update(node.names)
                return
            case ast.If() | ast.While() | ast.For() | ast.AsyncFor() | ast.With() | ast.AsyncWith():
                self.block(node)
                return
            case ast.Try() | ast.TryStar():
                self.attempt(node)
                return
            case ast.Match():
                self.expression(node.subject)
                for option in node.cases:
                    self.statements(option.body)
                return
            case ast.Assign():
                for target in node.targets:
                    self.target(target, node.value, "value")
            case ast.AnnAssign():
                self.annotated(node)
            case ast.Return() if node.value is not None:
                self.scope.returns.append(node.value)
        for child in child_nodes(node):
            self.expression(child)

    def import_from(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name == "*":
                self.scope.stars.append(node)
            else:
                self.add(alias.asname or alias.name, "from", alias, origin=node)

    def block(self, node: ast.If | ast.While | ast.For | ast.AsyncFor | ast.With | ast.AsyncWith) -> None:
        match node:
            case ast.If():
                self.branches(node)
                return
            case ast.While():
                self.expression(node.test)
            case ast.For() | ast.AsyncFor():
                self.expression(node.iter)
                self.target(node.target, node.iter, "element")
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    self.expression(item.context_expr)
                    if item.optional_vars is not None:
                        self.target(item.optional_vars, item.context_expr, "element")
        self.statements(node.body)
        if isinstance(node, (ast.While, ast.For, ast.AsyncFor)):
            self.statements(node.orelse)

    def branches(self, node: ast.If) -> None:
        """Walk a chain of ``elif`` in a loop: recursion would go as deep as the chain is long."""
        while True:
            self.expression(node.test)
            self.statements(node.body)
            if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
                self.statements(node.orelse)
                return
            node = node.orelse[0]

    def attempt(self, node: ast.Try | ast.TryStar) -> None:
        self.statements(node.body)
        for handler in node.handlers:
            if handler.name and handler.type is not None:
                self.add(handler.name, "except", handler.type)
            self.statements(handler.body)
        self.statements(node.orelse)
        self.statements(node.finalbody)

    def annotated(self, node: ast.AnnAssign) -> None:
        value: ast.expr = node.value if node.value is not None else node.annotation
        if isinstance(node.target, ast.Name):
            self.add(node.target.id, "annotated", value, annotation=node.annotation)
        elif isinstance(node.target, ast.Attribute):
            self.attribute(node.target, "annotated", value, node.annotation)

    def target(self, target: ast.expr, value: ast.expr, how: How) -> None:
        match target:
            case ast.Name():
                self.add(target.id, how, value)
            case ast.Attribute():
                self.attribute(target, how, value, None)
            case ast.Tuple() | ast.List():
                parts = _parts_of(value, target.elts) if how == "value" else []
                rest: How = "element" if how == "value" else how
                for element, part in zip_longest(target.elts, parts):
                    self.target(element, part or value, how if part is not None else rest)
            case ast.Starred():
                self.target(target.value, value, how)

    def attribute(self, target: ast.Attribute, how: How, value: ast.expr, annotation: ast.expr | None) -> None:
        owner = dotted_name(target.value)
        if owner:
            binding = Binding(name=target.attr, how=how, node=value, annotation=annotation)
            self.scope.attributes.setdefault((owner, target.attr), []).append(binding)

    def expression(self, node: ast.AST) -> None:
        """Find yields and assignment expressions below a node, without entering other scopes."""
        pending = [node]
        while pending:
            current = pending.pop()
            if isinstance(current, (*FUNCTIONS, ast.ClassDef, ast.Lambda)):
                continue
            match current:
                case ast.Yield():
                    self.scope.generates = True
                    if current.value is not None:
                        self.scope.yields.append(current.value)
                case ast.YieldFrom():
                    self.scope.generates = True
                    self.scope.yields_from.append(current.value)
                case ast.NamedExpr():
                    self.add(current.target.id, "value", current.value)
            pending.extend(child_nodes(current))
