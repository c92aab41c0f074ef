"""Extract a function's context and its tests as code that runs without the repository."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from annotator.answers.masked import MASK
from annotator.mining.repository.calls import fixtures
from annotator.mining.repository.calls.evaluator import Evaluator
from annotator.mining.repository.calls.possible_values import ModuleValue
from annotator.mining.repository.context.shapes import LOCATION_NAMES, ModuleShapes, Use
from annotator.mining.repository.context.twins import twins_of
from annotator.mining.repository.discovery.modules import FunctionInfo, Module
from annotator.mining.repository.discovery.scopes import FUNCTIONS, Binding, end_of, scope_of
from annotator.mining.repository.discovery.test_functions import TestFunction
from annotator.text.python_tree import first_line

MAX_STATEMENTS = 400
_TYPING_ONLY = "TYPE_CHECKING"
_FUTURE = "from __future__ import annotations\n"
_THE_MODULE = "the module "


class NotStandaloneError(ValueError):
    """A function or test cannot run without its repository; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A top-level statement of a module, by its number."""

    path: str
    number: int


@dataclass(slots=True, kw_only=True)
class ModuleSection:
    """The code from one module: generated imports, aliases and namespaces, then its own statements (``pieces``).

    ``needs`` are the modules whose names it uses. Those in ``at_once`` must come before it, because its statements use
    them immediately and not only when a function is called; ``names_at_once`` are the names used in that way.
    """

    imports: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    namespaces: dict[str, set[tuple[str, ...]]] = field(default_factory=dict)
    roots: dict[str, str] = field(default_factory=dict)
    pieces: set[int] = field(default_factory=set)
    needs: list[str] = field(default_factory=list)
    at_once: list[str] = field(default_factory=list)
    names_at_once: set[str] = field(default_factory=set)


class Closure:
    """Collects statements and, transitively, all statements they need."""

    def __init__(self, evaluator: Evaluator, shapes: ModuleShapes, dropped: Iterable[int] = ()) -> None:
        """``dropped`` are definitions (by the id of their node) to cut out of their classes."""
        self.evaluator = evaluator
        self.shapes = shapes
        self.dropped = frozenset(dropped)
        self.sections: dict[str, ModuleSection] = {}
        self.owners: dict[str, tuple[str, str]] = {}
        self.replaced: dict[int, str] = {}
        self.has_future_import = False
        self.tests_have_future_import = False
        self._count = 0
        self._waiting: list[Piece] = []
        self._at_once = True
        self._begun: set[tuple[str, Use, bool]] = set()
        self._done: set[tuple[str, Use, bool]] = set()

    def section(self, module: Module) -> ModuleSection:
        """Return a module's section."""
        return self.sections.setdefault(module.path, ModuleSection())

    def add(self, module: Module, number: int) -> None:
        """Add a statement and all it needs. Raises `NotStandaloneError`."""
        self._enter(module, number)
        while self._waiting:
            piece = self._waiting.pop()
            self._add_needs(self.evaluator.project.by_path[piece.path], piece.number)

    def add_definition(self, info: FunctionInfo) -> None:
        """Add the statement that contains a function. Raises `NotStandaloneError`."""
        self.add(info.module, statement_of(info.module, info.node.lineno))

    def _enter(self, module: Module, number: int) -> None:
        section = self.section(module)
        if number in section.pieces:
            return
        self._count += 1
        if self._count > MAX_STATEMENTS:
            raise NotStandaloneError(f"it reaches more than {MAX_STATEMENTS} statements")
        section.pieces.add(number)
        self._waiting.append(Piece(module.path, number))

    def _claim(self, name: str, owner: str, text: str = "") -> None:
        """Reserve a name for an owner. Raises `NotStandaloneError` if something else has it."""
        claim = self.owners.setdefault(name, (owner, text))
        if not is_same_claim(claim, (owner, text)):
            owners_text = " and ".join(_describe_owner(item) for item in sorted((claim[0], owner)))
            raise NotStandaloneError(f"a name has two meanings: {name} ({owners_text})")

    def _add_needs(self, module: Module, number: int) -> None:
        statement = module.tree.body[number]
        if any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in module.tree.body[:5]):
            self.has_future_import = True
        self._check_inner_imports(module, statement)
        text = "\n".join(module.lines[statement.lineno - 1 : end_of(statement)[0]])
        for name, imported in self.shapes.names_bound(statement).items():
            own = self._own_import_sources(module, statement, name)
            if own and None not in own:
                continue
            if self._is_bound_in_several_ways(module, name):
                self._claim(name, module.path)
            else:
                # The fallback for a missing library is the same object as in the module that defines it.
                self._claim(name, "\n".join([imported or module.path, *sorted(filter(None, own))]), text)
        at_once = self.shapes.names_at_once(statement, self.dropped)
        self.section(module).names_at_once |= at_once
        for use in self.shapes.uses(statement, self.dropped):
            self._at_once = use.name in at_once
            self._resolve(module, use)

    def _check_inner_imports(self, module: Module, statement: ast.stmt) -> None:
        """Replace imports of the repository's modules inside a statement.

        Raises `NotStandaloneError` if code depends on its path.
        """
        for item in self.shapes.inner(statement):
            node = item.node
            if item.around & self.dropped:
                continue
            if isinstance(node, (ast.Import, ast.ImportFrom)) and self._is_own(module, node):
                self._replace_import(module, node, at_once=not item.around)
            if isinstance(node, ast.Name):
                raise NotStandaloneError(f"code depends on its path: {node.id} in line {node.lineno} of {module.path}")

    def _own_import_sources(self, module: Module, statement: ast.stmt, name: str) -> set[str | None]:
        """Return the files of the repository that a compound statement imports a name from; None for any other binding.

        A name that is only imported is the same object as in those files.
        """
        if not isinstance(statement, (ast.If, ast.Try, ast.With)):
            return set()
        bindings = scope_of(ast.Module(body=[statement], type_ignores=[])).bindings[name]
        return {self._imported_from(module, item) for item in bindings}

    def _imported_from(self, module: Module, binding: Binding) -> str | None:
        node = binding.node
        if not isinstance(node, ast.alias) or node.asname not in (None, node.name) or binding.origin is None:
            return None
        source = self.shapes.source(module, binding.origin)
        return source.path if source is not None else None

    def _is_bound_in_several_ways(self, module: Module, name: str) -> bool:
        """Return whether different statements of a module bind a name, as fallbacks do; all of them are needed."""
        numbers = self.shapes.of(module).binders[name]
        bodies = [module.tree.body[number] for number in numbers]
        has_import = any(isinstance(item, (ast.Import, ast.ImportFrom)) for item in bodies)
        return not has_import and len({self.shapes.names_bound(item)[name] for item in bodies}) > 1

    def _replace_import(self, module: Module, node: ast.Import | ast.ImportFrom, *, at_once: bool) -> None:
        source = self.shapes.source(module, node) if isinstance(node, ast.ImportFrom) else None
        if source is None or any(item.name == "*" or not self.shapes.binds(source, item.name) for item in node.names):
            raise NotStandaloneError(f"a module is imported inside other code: line {node.lineno} of {module.path}")
        words = []
        self._at_once = at_once
        for alias in node.names:
            self._add_definition_of(module, source, alias.name, alias.name)
            words.append(f"{alias.asname} = {alias.name}" if alias.asname not in (None, alias.name) else "pass")
        last, column = end_of(node)
        behind = module.lines[last - 1].encode()[column:].strip()
        if module.lines[node.lineno - 1][: node.col_offset].strip() or (behind and not behind.startswith(b"#")):
            raise NotStandaloneError(f"an import shares its line with other code: line {node.lineno} of {module.path}")
        self.replaced[id(node)] = "; ".join(dict.fromkeys(words))

    def _is_own(self, module: Module, node: ast.Import | ast.ImportFrom) -> bool:
        if isinstance(node, ast.ImportFrom):
            return bool(node.level) or self.shapes.source(module, node) is not None
        return any(self.evaluator.project.module_named(item.name, module) is not None for item in node.names)

    def _resolve(self, module: Module, use: Use) -> None:
        """Add the statements that define a name in a module, once."""
        key = (module.path, use, self._at_once)
        if key in self._done:
            return
        if key in self._begun:
            raise NotStandaloneError(f"modules import each other in a cycle: {use.name} in {module.path}")
        self._begun.add(key)
        self._add_definers(module, use)
        self._done.add(key)

    def _add_definers(self, module: Module, use: Use) -> None:
        shape = self.shapes.of(module)
        numbers = shape.binders.get(use.name, [])
        if not numbers:
            self._resolve_star(module, use)
            return
        for number in numbers:
            statement = module.tree.body[number]
            if isinstance(statement, (ast.Import, ast.ImportFrom)):
                self._add_import(module, statement, use)
            elif not _is_typing_only(statement) or self._binds_otherwise(statement, use.name):
                self._enter(module, number)
        for number in shape.changers.get(use.name, []):
            if not all(isinstance(module.tree.body[number], (ast.Import, ast.ImportFrom)) for number in numbers):
                self._enter(module, number)

    def _binds_otherwise(self, statement: ast.stmt, name: str) -> bool:
        """Return whether the ``else`` of an ``if`` binds a name."""
        return any(name in self.shapes.names_bound(item) for item in getattr(statement, "orelse", ()))

    def _resolve_star(self, module: Module, use: Use) -> None:
        source = self.shapes.star(module, use.name)
        if source is not None:
            self._add_definition_of(module, source, use.name, use.name)
            return
        for node in self.evaluator.frames.of_module(module).scope.stars:
            if node.module and self.shapes.source(module, node) is None:
                self.section(module).imports[f"*{node.module}"] = f"from {node.module} import *"

    def _add_import(self, module: Module, node: ast.Import | ast.ImportFrom, use: Use) -> None:
        section = self.section(module)
        for alias in node.names:
            if isinstance(node, ast.ImportFrom):
                if (alias.asname or alias.name) != use.name or node.module == "__future__":
                    continue
                source = self.shapes.source(module, node)
                if source is None and node.level:
                    raise NotStandaloneError(f"an imported module does not exist: line {node.lineno} of {module.path}")
                if source is not None:
                    self._add_imported_name(module, source, alias.name, use)
                    continue
                submodule = self.evaluator.project.module_named(f"{node.module}.{alias.name}", module)
                if submodule is not None:
                    self._add_namespace(module, submodule, use, 0)
                    continue
                text = claimed = f"from {node.module} import {alias.name}"
            else:
                if (alias.asname or alias.name.partition(".")[0]) != use.name:
                    continue
                name = alias.name if alias.asname else use.name
                imported_module = self.evaluator.project.module_named(name, module)
                if imported_module is not None:
                    self._add_namespace(module, imported_module, use, 0)
                    continue
                text, claimed = f"import {alias.name}", f"import {name}"
            text += f" as {alias.asname}" if alias.asname else ""
            self._claim(use.name, claimed)
            section.imports[text] = text

    def _add_imported_name(self, module: Module, source: Module, name: str, use: Use) -> None:
        # A package often binds a submodule's name to that submodule itself, by ``from . import name`` or a star.
        child = self._module_bound(source, name)
        if child is None and source is not module and self.shapes.binds(source, name):
            self._add_definition_of(module, source, name, use.name)
            return
        child = child or self.evaluator.project.child(source, name)
        if child is None and source is not module and self.shapes.may_bind(source):
            self._add_definition_of(module, source, name, use.name)
            return
        if child is None:
            raise NotStandaloneError(f"a name is not found: {name} in {source.path}")
        self._add_namespace(module, child, use, 0)

    def _add_definition_of(self, module: Module, source: Module, name: str, local: str) -> None:
        """Add the definition of a name of another module, with an alias if the local name differs."""
        section = self.section(module)
        if module is not source and source.path not in section.needs:
            section.needs.append(source.path)
        if self._at_once and module is not source and source.path not in section.at_once:
            section.at_once.append(source.path)
        if local != name:
            self._claim(local, f"{source.path}: {name}")
            self.section(module).aliases[local] = name
        self.section(source)
        self._resolve(source, Use(name, ()))

    def _add_namespace(self, module: Module, root_module: Module, use: Use, depth: int) -> None:
        """Add the definition behind ``package.module.name`` and record a namespace object for its path."""
        root, current = root_module, root_module
        while depth < len(use.attributes):
            name = use.attributes[depth]
            if self.shapes.binds(current, name):
                inner = self._module_bound(current, name)
                if inner is None:
                    break
                current = inner
            else:
                child = self.evaluator.project.child(current, name)
                if child is None and self.shapes.may_bind(current):
                    break
                if child is None and name in LOCATION_NAMES:
                    raise NotStandaloneError(f"code depends on its path: {name} of {current.path} in {module.path}")
                if child is None:
                    raise NotStandaloneError(f"a name is not found: {name} in {current.path}")
                current = child
            depth += 1
        if depth >= len(use.attributes):
            raise NotStandaloneError(f"a module is used as a whole: {use.name} in {module.path}")
        self._claim(use.name, f"{_THE_MODULE}{root.path}")
        section = self.section(module)
        section.namespaces.setdefault(use.name, set()).add(use.attributes[: depth + 1])
        section.roots[use.name] = root.path
        self._add_definition_of(module, current, use.attributes[depth], use.attributes[depth])

    def _module_bound(self, module: Module, name: str) -> Module | None:
        """Return the module that a name in ``module`` refers to, None if it is not a module."""
        values = self.evaluator.module_attribute(module, name)
        return values[0].module if len(values) == 1 and isinstance(values[0], ModuleValue) else None

    def order(self) -> list[str]:
        """Return the modules, each after those it needs; if these form a cycle, after those it needs at once."""
        paths = _topological_order({path: section.needs for path, section in self.sections.items()})
        positions = {path: number for number, path in enumerate(paths)}
        if all(positions[other] < positions[path] for path in paths for other in self.sections[path].at_once):
            return paths
        return _topological_order({path: self.sections[path].at_once for path in paths})


def _describe_owner(owner: str) -> str:
    """Describe the owner of a name: a module, a definition in a module, or an import."""
    is_definition = owner.endswith(".py") and not owner.startswith(_THE_MODULE)
    return f"a definition in {owner}" if is_definition else owner.replace("\n", " or ")


def _topological_order(needs: Mapping[str, Sequence[str]]) -> list[str]:
    done: dict[str, None] = {}
    for start in needs:
        pending = [(start, False)]
        visited: set[str] = set()
        while pending:
            path, ready = pending.pop()
            if ready:
                done.setdefault(path)
            elif path not in done and path not in visited:
                visited.add(path)
                pending.append((path, True))
                pending.extend((other, False) for other in reversed(needs[path]))
    return list(done)


def is_same_claim(claim: tuple[str, str], other: tuple[str, str]) -> bool:
    """Return whether two claims of a name mean the same object: they share an import, or have equal text."""
    (owner, text), (other_owner, other_text) = claim, other
    return bool(set(owner.split("\n")) & set(other_owner.split("\n"))) or (bool(text) and text == other_text)


def _is_typing_only(node: ast.stmt) -> bool:
    if not isinstance(node, ast.If):
        return False
    test = node.test
    return (test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", "")) == _TYPING_ONLY


def statement_of(module: Module, line: int) -> int:
    """Return the number of the top-level statement that contains a line. Raises `NotStandaloneError` without one."""
    for number, statement in enumerate(module.tree.body):
        if first_line(statement) <= line <= end_of(statement)[0]:
            return number
    raise NotStandaloneError("its statement is not found")


MAX_CHARS = 200_000


@dataclass(frozen=True, slots=True)
class FunctionContext:
    """A function with all code it needs, and the same text with the function's code replaced by `MASK`."""

    text: str
    masked: str
    closure: Closure

    def for_its_tests(self) -> FunctionContext:
        """Return the context with ``from __future__ import annotations`` if the code of its tests relies on that.

        The import must be at the top of the file, so it also applies to the context.
        """
        if self.closure.has_future_import or not self.closure.tests_have_future_import:
            return self
        return replace(self, text=f"{_FUTURE}\n\n{self.text}", masked=f"{_FUTURE}\n\n{self.masked}")


def context_of(evaluator: Evaluator, shapes: ModuleShapes, info: FunctionInfo) -> FunctionContext:
    """Return a function's context. Raises `NotStandaloneError` with the reason if it does not run alone.

    Twins in its class are cut out, unless it calls them. If another twin would remain, it counts as not standalone.
    """
    twins = list(twins_of(info))
    used_names = {getattr(node, "attr", getattr(node, "id", "")) for node in ast.walk(info.node)}
    siblings = {
        id(twin.node) for twin in twins if twin.owner and twin.owner is info.owner and twin.name not in used_names
    }
    closure = Closure(evaluator, shapes, siblings)
    closure.add_definition(info)
    for number in _overloads(shapes, info):
        closure.add(info.module, number)
    pieces = closure.section(info.module).pieces
    for twin in twins:
        if id(twin.node) not in siblings and statement_of(twin.module, twin.node.lineno) in pieces:
            raise NotStandaloneError(f"it needs code with nearly the same body: {twin.qualname}")
    text = _render(closure, {})
    masked = _render(closure, {id(info.node): MASK}, info)
    if len(text) > MAX_CHARS:
        raise NotStandaloneError(f"it reaches too much code: {len(text) // 1000} KB")
    return FunctionContext(text, masked, closure)


def _overloads(shapes: ModuleShapes, info: FunctionInfo) -> list[int]:
    """Return the statements with a function's overloads. Added later, with a test, they would hide the function."""
    if info.owner is not None:
        return []
    body = info.module.tree.body
    numbers = shapes.of(info.module).binders.get(info.name, ())
    return [number for number in numbers if _is_overload(body[number])]


def _is_overload(node: ast.stmt) -> bool:
    return isinstance(node, FUNCTIONS) and any(
        getattr(item, "attr", getattr(item, "id", "")) == "overload" for item in node.decorator_list
    )


def standalone_test_code(
    evaluator: Evaluator, shapes: ModuleShapes, context: FunctionContext, test: TestFunction
) -> str:
    """Return a test with its own context, to append to a function's context. Raises `NotStandaloneError`.

    Autouse fixtures that cannot run alone are left out; running the test shows whether it needs them.
    """
    autouse = _autouse_fixtures(evaluator, test.info.module)
    try:
        return _test_code(evaluator, shapes, context, test, autouse)
    except NotStandaloneError:
        if not autouse:
            raise
    return _test_code(evaluator, shapes, context, test, [])


def _test_code(
    evaluator: Evaluator,
    shapes: ModuleShapes,
    context: FunctionContext,
    test: TestFunction,
    autouse: Sequence[FunctionInfo],
) -> str:
    info = test.info
    closure = Closure(evaluator, shapes, shapes.test_methods() - {id(info.node)})
    closure.add_definition(info)
    if test.case is not None and test.case is not info.owner:
        closure.add(test.case.module, statement_of(test.case.module, test.case.node.lineno))
    _add_fixtures(evaluator, closure, test, autouse)
    for name, claim in context.closure.owners.items():
        if not is_same_claim(claim, closure.owners.get(name, claim)):
            raise NotStandaloneError(f"a name has two meanings: {name} (in the function and in its test)")
    text = _render(closure, {}, base=context.closure)
    if len(text) > MAX_CHARS:
        raise NotStandaloneError(f"it reaches too much code: {len(text) // 1000} KB")
    context.closure.tests_have_future_import |= closure.has_future_import
    return text


def _add_fixtures(evaluator: Evaluator, closure: Closure, test: TestFunction, autouse: Sequence[FunctionInfo]) -> None:
    receiver = evaluator.receiver_of(test.info, test.case)
    pending = [(test.info, name) for name in (*test.fixtures, *_used_fixtures(test))]
    pending += [(test.info, item.name) for item in autouse]
    visited: set[str] = set()
    while pending:
        requesting, name = pending.pop()
        if name in visited:
            continue
        visited.add(name)
        fixture = fixtures.find_fixture(evaluator, requesting, name, receiver)
        if fixture is not None:
            if fixture.info.module is not closure.evaluator.project.by_path.get(requesting.module.path):
                closure.section(requesting.module).needs.append(fixture.info.module.path)
            closure.add_definition(fixture.info)
            pending.extend((fixture.info, item.arg) for item in fixture.info.node.args.args)


def _used_fixtures(test: TestFunction) -> list[str]:
    nodes = list(test.info.node.decorator_list)
    if test.case is not None:
        nodes += test.case.node.decorator_list
    return [
        str(item.value)
        for node in nodes
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "usefixtures"
        for item in node.args
        if isinstance(item, ast.Constant)
    ]


def _autouse_fixtures(evaluator: Evaluator, module: Module) -> list[FunctionInfo]:
    """Return the autouse fixtures of a module and its ``conftest`` files."""
    autouse = []
    for current_module in fixtures.conftest_chain(evaluator, module):
        for info in current_module.functions.values():
            if info.owner is None and fixtures.is_fixture(info) and _is_autouse(info):
                autouse.append(info)
    return autouse


def _is_autouse(info: FunctionInfo) -> bool:
    return any(
        keyword.arg == "autouse" and isinstance(keyword.value, ast.Constant) and keyword.value.value is True
        for item in info.node.decorator_list
        if isinstance(item, ast.Call)
        for keyword in item.keywords
    )


# -- text -------------------------------------------------------------------------------------------------------------


def _render(
    closure: Closure, masks: dict[int, str], subject: FunctionInfo | None = None, base: Closure | None = None
) -> str:
    """Join the sections into one text, without what ``base`` already contains."""
    base_sections = base.sections if base is not None else {}
    parts: list[str] = [_FUTURE] if closure.has_future_import and base is None else []
    namespaces: dict[str, set[tuple[str, ...]]] = {}
    existing: dict[str, set[tuple[str, ...]]] = {}
    for other in base_sections.values():
        for name, paths in other.namespaces.items():
            existing.setdefault(name, set()).update(paths)
    order = closure.order()
    trailing: list[str] = []
    late_namespaces: set[str] = set()
    for number, path in enumerate(order):
        section = closure.sections[path]
        module = closure.evaluator.project.by_path[path]
        for name, paths in section.namespaces.items():
            namespaces.setdefault(name, set()).update(paths)
        old = base_sections.get(path, ModuleSection())
        late = _late_names(section, order[number:])
        aliases = {local: name for local, name in section.aliases.items() if old.aliases.get(local) != name}
        head = [*(item for item in section.imports.values() if item not in old.imports.values())]
        head += [f"{local} = {name}" for local, name in aliases.items() if local not in late]
        head += _namespaces({name: namespaces[name] for name in section.namespaces if name not in late}, existing)
        trailing += [f"{local} = {name}" for local, name in aliases.items() if local in late]
        late_namespaces |= late & section.namespaces.keys()
        body = [
            _render_statement(closure, module, number, masks, subject) for number in sorted(section.pieces - old.pieces)
        ]
        text = "\n".join([*head, *([""] if head and body else []), "\n\n".join(item for item in body if item)])
        if text.strip():
            parts.append(text.strip("\n") + "\n")
    trailing += _namespaces({name: namespaces[name] for name in late_namespaces}, existing)
    parts += ["\n".join(trailing) + "\n"] if trailing else []
    return "\n\n".join(parts)


def _late_names(section: ModuleSection, rest: Sequence[str]) -> set[str]:
    """Return the aliases and namespaces to define at the end, because they refer to a module that comes later."""
    if not set(rest).intersection(section.needs):
        return set()
    return {*section.aliases, *section.namespaces} - section.names_at_once


def _namespaces(namespaces: dict[str, set[tuple[str, ...]]], existing: dict[str, set[tuple[str, ...]]]) -> list[str]:
    """Return statements that create namespaces or extend existing ones.

    A test and its function must share a namespace, so that the function sees what the test patches into it.
    """
    lines: list[str] = []
    for name, paths in sorted(namespaces.items()):
        if name in existing:
            lines += _extension(name, paths - existing[name], existing[name])
            existing[name] |= paths
        else:
            lines.append(f"{name} = {_namespace(sorted(paths))}")
    return ["import types", *lines] if lines else []


def _extension(name: str, paths: set[tuple[str, ...]], existing: set[tuple[str, ...]]) -> list[str]:
    prefixes = {path[:depth] for path in existing for depth in range(len(path))}
    grouped: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for path in paths:
        depth = next((depth for depth in range(1, len(path)) if path[:depth] not in prefixes), len(path))
        grouped.setdefault(path[:depth], set()).add(path[depth:])
    lines = []
    for prefix, rest in sorted(grouped.items()):
        deeper = sorted(path for path in rest if path)
        lines.append(f"{'.'.join((name, *prefix))} = {_namespace(deeper) if deeper else prefix[-1]}")
    return lines


def _namespace(paths: list[tuple[str, ...]]) -> str:
    grouped: dict[str, list[tuple[str, ...]]] = {}
    for path in paths:
        grouped.setdefault(path[0], []).append(path[1:])
    inner = []
    for name, rest in grouped.items():
        deeper = [path for path in rest if path]
        inner.append(f"{name}={_namespace(deeper) if deeper else name}")
    return f"types.SimpleNamespace({', '.join(inner)})"


def _render_statement(
    closure: Closure, module: Module, number: int, masks: dict[int, str], subject: FunctionInfo | None
) -> str:
    """Return a statement's lines, without the definitions that are dropped and with the subject masked."""
    node = module.tree.body[number]
    cuts: list[tuple[int, int, str]] = []
    for inner in (item.node for item in closure.shapes.inner(node)):
        if id(inner) in closure.replaced and isinstance(inner, ast.ImportFrom):
            cuts.append((inner.lineno, end_of(inner)[0], " " * inner.col_offset + closure.replaced[id(inner)]))
        if not isinstance(inner, FUNCTIONS):
            continue
        first, last = first_line(inner), end_of(inner)[0]
        if id(inner) in closure.dropped:
            cuts.append((first, last, ""))
        elif subject is not None and id(inner) in masks:
            cuts.append((first, last, " " * inner.col_offset + masks[id(inner)]))
    lines: list[str] = []
    line = first_line(node)
    for first, last, text in sorted(cuts):
        if first < line:
            continue
        lines += module.lines[line - 1 : first - 1]
        while not text and lines and not lines[-1].strip():
            lines.pop()
        lines += [text] if text else []
        line = last + 1
    lines += module.lines[line - 1 : end_of(node)[0]]
    if isinstance(node, ast.ClassDef) and all(id(item) in closure.dropped for item in node.body):
        lines.append("    pass")
    return "\n".join(lines)
