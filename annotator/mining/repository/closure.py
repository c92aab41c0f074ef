"""Everything a function or a test reaches, put together as one file that runs alone (specification, 4).

Whole statements are taken from the source by their lines, never written anew. A module of the repository that is used
by attributes becomes a small namespace that holds just those.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

from annotator.mining.repository.evaluator import Evaluator
from annotator.mining.repository.modules import FunctionInfo, Module
from annotator.mining.repository.names import Use
from annotator.mining.repository.scopes import FUNCTIONS, end_of
from annotator.mining.repository.shapes import Shapes

PIECES_LIMIT = 400
_TYPING_ONLY = "TYPE_CHECKING"


class NotAloneError(ValueError):
    """A function cannot be made to run alone, with the reason."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A top-level statement of a module by its number; as a key, and to be sorted by."""

    path: str
    number: int


@dataclass(slots=True)
class Section:
    """What one module adds: generated imports, aliases and namespaces, then its own statements."""

    imports: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    spaces: dict[str, set[tuple[str, ...]]] = field(default_factory=dict)
    roots: dict[str, str] = field(default_factory=dict)
    pieces: set[int] = field(default_factory=set)
    needs: list[str] = field(default_factory=list)


class Closure:
    """Collects what is reached from pieces that are asked for."""

    def __init__(self, ev: Evaluator, shapes: Shapes, dropped: Iterable[int] = ()) -> None:
        """Collect in a project; ``dropped`` are definitions (by the node's id) that are cut out of their classes."""
        self.ev = ev
        self.shapes = shapes
        self.dropped = frozenset(dropped)
        self.sections: dict[str, Section] = {}
        self.owners: dict[str, tuple[str, str]] = {}
        self.replaced: dict[int, str] = {}
        self.future = False
        self._count = 0
        self._waiting: list[Piece] = []
        self._begun: set[tuple[str, Use]] = set()
        self._done: set[tuple[str, Use]] = set()

    def section(self, module: Module) -> Section:
        """Return what a module adds."""
        return self.sections.setdefault(module.path, Section())

    def add(self, module: Module, number: int) -> None:
        """Ask for a statement and all it reaches. Raises `NotAloneError`."""
        self._enter(module, number)
        while self._waiting:
            piece = self._waiting.pop()
            self._follow(self.ev.project.by_path[piece.path], piece.number)

    def add_definition(self, info: FunctionInfo) -> None:
        """Ask for the statement a function stands in. Raises `NotAloneError`."""
        self.add(info.module, statement_of(info.module, info.node.lineno))

    def _enter(self, module: Module, number: int) -> None:
        section = self.section(module)
        if number in section.pieces:
            return
        self._count += 1
        if self._count > PIECES_LIMIT:
            raise NotAloneError(f"it reaches more than {PIECES_LIMIT} statements")
        section.pieces.add(number)
        self._waiting.append(Piece(module.path, number))

    def _claim(self, name: str, owner: str, text: str = "") -> None:
        """Take a name for an owner. Raises `NotAloneError` if it is taken for something else."""
        known = self.owners.setdefault(name, (owner, text))
        if not same(known, (owner, text)):
            places = " and ".join(item.replace("\n", " or ") for item in sorted((known[0], owner)))
            raise NotAloneError(f"the name {name} means two things: {places}")

    def _follow(self, module: Module, number: int) -> None:
        statement = module.tree.body[number]
        if any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in module.tree.body[:5]):
            self.future = True
        self._check_inner_imports(module, statement)
        text = "\n".join(module.lines[statement.lineno - 1 : end_of(statement)[0]])
        for name, imported in self.shapes.bound(statement).items():
            self._claim(name, imported or module.path, text)
        for use in self.shapes.uses(statement, self.dropped):
            self._resolve(module, use)

    def _check_inner_imports(self, module: Module, statement: ast.stmt) -> None:
        """Turn imports of the repository inside functions into plain names; refuse what else ties code to its place."""
        for item in self.shapes.inner(statement):
            node = item.node
            if item.around & self.dropped:
                continue
            if isinstance(node, (ast.Import, ast.ImportFrom)) and self._is_own(module, node):
                self._replace_import(module, node)
            if isinstance(node, ast.Name):
                raise NotAloneError(f"line {node.lineno} of {module.path} uses {node.id}")

    def _replace_import(self, module: Module, node: ast.Import | ast.ImportFrom) -> None:
        source = self.shapes.source(module, node) if isinstance(node, ast.ImportFrom) else None
        if source is None or any(item.name == "*" or not self.shapes.binds(source, item.name) for item in node.names):
            raise NotAloneError(f"line {node.lineno} of {module.path} imports a module of the repository")
        words = []
        for alias in node.names:
            self._definition(module, source, alias.name, alias.name)
            words.append(f"{alias.asname} = {alias.name}" if alias.asname not in (None, alias.name) else "pass")
        line = module.lines[node.lineno - 1]
        if line[: node.col_offset].strip() or end_of(node)[1] != len(module.lines[end_of(node)[0] - 1].encode()):
            raise NotAloneError(f"line {node.lineno} of {module.path} imports a module of the repository")
        self.replaced[id(node)] = "; ".join(dict.fromkeys(words))

    def _is_own(self, module: Module, node: ast.Import | ast.ImportFrom) -> bool:
        if isinstance(node, ast.ImportFrom):
            return bool(node.level) or self.shapes.source(module, node) is not None
        return any(self.ev.project.module_named(item.name, module) is not None for item in node.names)

    def _resolve(self, module: Module, use: Use) -> None:
        """Reach what a name means in a module, once."""
        key = (module.path, use)
        if key in self._done:
            return
        if key in self._begun:
            raise NotAloneError(f"{module.path} imports {use.name} in a circle")
        self._begun.add(key)
        self._reach(module, use)
        self._done.add(key)

    def _reach(self, module: Module, use: Use) -> None:
        shape = self.shapes.of(module)
        numbers = shape.binders.get(use.name, [])
        if not numbers:
            self._resolve_star(module, use)
            return
        for number in numbers:
            statement = module.tree.body[number]
            if isinstance(statement, (ast.Import, ast.ImportFrom)):
                self._import(module, statement, use)
            elif not _is_typing_only(statement):
                self._enter(module, number)
        for number in shape.changers.get(use.name, []):
            if not all(isinstance(module.tree.body[number], (ast.Import, ast.ImportFrom)) for number in numbers):
                self._enter(module, number)

    def _resolve_star(self, module: Module, use: Use) -> None:
        source = self.shapes.star(module, use.name)
        if source is not None:
            self._definition(module, source, use.name, use.name)
            return
        for node in self.ev.module_frame(module).scope.stars:
            if node.module and self.shapes.source(module, node) is None:
                self.section(module).imports[f"*{node.module}"] = f"from {node.module} import *"

    def _import(self, module: Module, node: ast.Import | ast.ImportFrom, use: Use) -> None:
        section = self.section(module)
        for alias in node.names:
            if isinstance(node, ast.ImportFrom):
                if (alias.asname or alias.name) != use.name or node.module == "__future__":
                    continue
                source = self.shapes.source(module, node)
                if source is None and node.level:
                    raise NotAloneError(f"line {node.lineno} of {module.path} imports what is not there")
                if source is not None:
                    self._from(module, source, alias.name, use)
                    continue
                inside = self.ev.project.module_named(f"{node.module}.{alias.name}", module)
                if inside is not None:
                    self._space(module, inside, use, 0)
                    continue
                text = claimed = f"from {node.module} import {alias.name}"
            else:
                if (alias.asname or alias.name.partition(".")[0]) != use.name:
                    continue
                name = alias.name if alias.asname else use.name
                found = self.ev.project.module_named(name, module)
                if found is not None:
                    self._space(module, found, use, 0)
                    continue
                text, claimed = f"import {alias.name}", f"import {name}"
            text += f" as {alias.asname}" if alias.asname else ""
            self._claim(use.name, claimed)
            section.imports[text] = text

    def _from(self, module: Module, source: Module, name: str, use: Use) -> None:
        own = name in self.shapes.of(source).binders
        # What a star brings under the name of a submodule is often that submodule itself.
        child = None if own else self._module_bound(source, name)
        if child is None and source is not module and self.shapes.binds(source, name):
            self._definition(module, source, name, use.name)
            return
        child = child or self.ev.project.child(source, name)
        if child is None:
            raise NotAloneError(f"{name} is not found in {source.path}")
        self._space(module, child, use, 0)

    def _definition(self, module: Module, source: Module, name: str, local: str) -> None:
        """Reach a name in another module; under another name there, an alias is written."""
        if module is not source and source.path not in self.section(module).needs:
            self.section(module).needs.append(source.path)
        if local != name:
            self._claim(local, f"{source.path}: {name}")
            self.section(module).aliases[local] = name
        self.section(source)
        self._resolve(source, Use(name, ()))

    def _space(self, module: Module, found: Module, use: Use, depth: int) -> None:
        """Reach ``package.module.name`` through the modules on its way; the name becomes a namespace."""
        root, place = found, found
        while depth < len(use.attributes):
            name = use.attributes[depth]
            if self.shapes.binds(place, name):
                inner = self._module_bound(place, name)
                if inner is None:
                    break
                place = inner
            else:
                child = self.ev.project.child(place, name)
                if child is None:
                    raise NotAloneError(f"{name} is not found in {place.path}")
                place = child
            depth += 1
        if depth >= len(use.attributes):
            raise NotAloneError(f"{module.path} uses the module {use.name} as a whole")
        self._claim(use.name, f"namespace {root.path}")
        section = self.section(module)
        section.spaces.setdefault(use.name, set()).add(use.attributes[: depth + 1])
        section.roots[use.name] = root.path
        self._definition(module, place, use.attributes[depth], use.attributes[depth])

    def _module_bound(self, module: Module, name: str) -> Module | None:
        """Return the module that an import in another module binds to a name."""
        from annotator.mining.repository.attributes import of_module
        from annotator.mining.repository.values import ModuleValue

        found = of_module(self.ev, module, name)
        return found[0].module if len(found) == 1 and isinstance(found[0], ModuleValue) else None

    def order(self) -> list[str]:
        """Return the modules, each after those it needs (as far as they do not need each other)."""
        done: dict[str, None] = {}
        for start in self.sections:
            waiting = [(start, False)]
            seen: set[str] = set()
            while waiting:
                path, ready = waiting.pop()
                if ready:
                    done.setdefault(path)
                elif path not in done and path not in seen:
                    seen.add(path)
                    waiting.append((path, True))
                    waiting.extend((other, False) for other in reversed(self.sections[path].needs))
        return list(done)


def same(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Tell whether two claims of a name bind the same: one import in common, or the same text in two modules."""
    (owner, text), (owner_too, text_too) = one, other
    return bool(set(owner.split("\n")) & set(owner_too.split("\n"))) or (bool(text) and text == text_too)


def _is_typing_only(node: ast.stmt) -> bool:
    if not isinstance(node, ast.If):
        return False
    test = node.test
    return (test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", "")) == _TYPING_ONLY


def statement_of(module: Module, line: int) -> int:
    """Return the number of the top-level statement a line of a module belongs to."""
    for number, statement in enumerate(module.tree.body):
        if first_line(statement) <= line <= end_of(statement)[0]:
            return number
    raise NotAloneError("its statement is not found")


def first_line(node: ast.stmt) -> int:
    """Return a statement's first line, decorators included."""
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)) and node.decorator_list:
        return min(node.lineno, *(item.lineno for item in node.decorator_list))
    return node.lineno
