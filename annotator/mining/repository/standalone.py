"""A function's context and its tests as files that run without the repository."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from annotator.mining.repository import fixtures
from annotator.mining.repository.closure import Closure, NotAloneError, Section, first_line, same, statement_of
from annotator.mining.repository.discovery import TestFunction
from annotator.mining.repository.evaluator import Evaluator
from annotator.mining.repository.modules import FunctionInfo, Module
from annotator.mining.repository.scopes import FUNCTIONS, end_of
from annotator.mining.repository.shapes import Shapes
from annotator.mining.repository.values import Instance

MASK = "[MASK]"
TEXT_LIMIT = 200_000


@dataclass(frozen=True, slots=True)
class Context:
    """A function with all it reaches: the text, and the text with the function's code replaced by `MASK`."""

    text: str
    masked: str
    closure: Closure


def context_of(ev: Evaluator, shapes: Shapes, info: FunctionInfo) -> Context:
    """Return a function's context. Raises `NotAloneError` with the reason if it does not run alone."""
    closure = Closure(ev, shapes)
    closure.add_definition(info)
    text = _render(closure, {})
    masked = _render(closure, {id(info.node): MASK}, info)
    if len(text) > TEXT_LIMIT:
        raise NotAloneError(f"it reaches {len(text) // 1000} KB of code")
    return Context(text, masked, closure)


def test_code(ev: Evaluator, shapes: Shapes, context: Context, test: TestFunction) -> str:
    """Return a test with its own context, to be put behind a function's context. Raises `NotAloneError`."""
    info = test.info
    closure = Closure(ev, shapes, shapes.test_methods() - {id(info.node)})
    closure.add_definition(info)
    if test.case is not None and test.case is not info.owner:
        closure.add(test.case.module, statement_of(test.case.module, test.case.node.lineno))
    _add_fixtures(ev, closure, test)
    for name, claim in context.closure.owners.items():
        if not same(claim, closure.owners.get(name, claim)):
            raise NotAloneError(f"the name {name} means something else in the test")
    text = _render(closure, {}, known=context.closure)
    if len(text) > TEXT_LIMIT:
        raise NotAloneError(f"the test reaches {len(text) // 1000} KB of code")
    return text


def _add_fixtures(ev: Evaluator, closure: Closure, test: TestFunction) -> None:
    receiver = None
    if test.case is not None:
        kind = ev.class_value(test.case)
        receiver = Instance(kind.info, kind.frame)
    waiting = [(test.info, name) for name in (*test.fixtures, *_used(test))]
    waiting += [(test.info, item.name) for item in _automatic(ev, test.info.module)]
    seen: set[str] = set()
    while waiting:
        asking, name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        found = fixtures.find_fixture(ev, asking, name, receiver)
        if found is not None:
            if found.info.module is not closure.ev.project.by_path.get(asking.module.path):
                closure.section(asking.module).needs.append(found.info.module.path)
            closure.add_definition(found.info)
            waiting.extend((found.info, item.arg) for item in found.info.node.args.args)


def _used(test: TestFunction) -> list[str]:
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


def _automatic(ev: Evaluator, module: Module) -> list[FunctionInfo]:
    """Return the fixtures of a module and its ``conftest`` files that are used without being named."""
    found = []
    for place in fixtures.chain(ev, module):
        for info in place.functions.values():
            if info.owner is None and fixtures.is_fixture(info) and _is_automatic(info):
                found.append(info)
    return found


def _is_automatic(info: FunctionInfo) -> bool:
    return any(
        keyword.arg == "autouse" and isinstance(keyword.value, ast.Constant) and keyword.value.value is True
        for item in info.node.decorator_list
        if isinstance(item, ast.Call)
        for keyword in item.keywords
    )


# -- text -------------------------------------------------------------------------------------------------------------


def _render(
    closure: Closure, masks: dict[int, str], subject: FunctionInfo | None = None, known: Closure | None = None
) -> str:
    """Put the sections together; what ``known`` holds already is left out."""
    before = known.sections if known is not None else {}
    parts: list[str] = ["from __future__ import annotations\n"] if closure.future and known is None else []
    spaces: dict[str, set[tuple[str, ...]]] = {}
    there: dict[str, set[tuple[str, ...]]] = {}
    for other in before.values():
        for name, paths in other.spaces.items():
            there.setdefault(name, set()).update(paths)
    for path in closure.order():
        section = closure.sections[path]
        module = closure.ev.project.by_path[path]
        for name, paths in section.spaces.items():
            spaces.setdefault(name, set()).update(paths)
        old = before.get(path, Section())
        head = [*(item for item in section.imports.values() if item not in old.imports.values())]
        head += [f"{local} = {name}" for local, name in section.aliases.items() if old.aliases.get(local) != name]
        head += _namespaces({name: spaces[name] for name in section.spaces}, there)
        body = [_statement(closure, module, number, masks, subject) for number in sorted(section.pieces - old.pieces)]
        text = "\n".join([*head, *([""] if head and body else []), "\n\n".join(item for item in body if item)])
        if text.strip():
            parts.append(text.strip("\n") + "\n")
    return "\n\n".join(parts)


def _namespaces(spaces: dict[str, set[tuple[str, ...]]], there: dict[str, set[tuple[str, ...]]]) -> list[str]:
    """Return statements that make namespaces, or extend those that are there: a test may put something into one in
    place of a function, which only shows if it is the one that the function's own code reads."""
    lines: list[str] = []
    for name, paths in sorted(spaces.items()):
        if name in there:
            lines += _extension(name, paths - there[name], there[name])
            there[name] |= paths
        else:
            lines.append(f"{name} = {_namespace(sorted(paths))}")
    return ["import types", *lines] if lines else []


def _extension(name: str, paths: set[tuple[str, ...]], there: set[tuple[str, ...]]) -> list[str]:
    known = {path[:depth] for path in there for depth in range(len(path))}
    grouped: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for path in paths:
        depth = next((depth for depth in range(1, len(path)) if path[:depth] not in known), len(path))
        grouped.setdefault(path[:depth], set()).add(path[depth:])
    lines = []
    for place, rest in sorted(grouped.items()):
        deeper = sorted(path for path in rest if path)
        lines.append(f"{'.'.join((name, *place))} = {_namespace(deeper) if deeper else place[-1]}")
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


def _statement(
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
        lines += [text] if text else []
        line = last + 1
    lines += module.lines[line - 1 : end_of(node)[0]]
    if isinstance(node, ast.ClassDef) and all(id(item) in closure.dropped for item in node.body):
        lines.append("    pass")
    return "\n".join(lines)
