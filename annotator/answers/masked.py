"""The code task of an item, and the program built from an answer, on its own or in place of [MASK]."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Sequence, Set
from dataclasses import dataclass

from annotator.answers.choice import build_code_spec, find_code
from annotator.answers.outcome import ExtractedAnswer
from annotator.answers.python_source import is_stub, names_bound_by
from annotator.answers.source import Part, Reader, join_parts
from annotator.text.python_tree import first_line, readable_tree

MASK = "[MASK]"
_HOLE = "mask_of_the_answer"
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskedPlace:
    """A mask in a program that parses.

    ``owners`` are the classes around it, outermost first; ``function`` is the function whose body is masked, None if a
    whole definition is.
    """

    context: str
    tree: ast.Module
    owners: tuple[ast.ClassDef, ...]
    function: _Function | None
    hole: ast.Expr

    @property
    def owner(self) -> str:
        """The class that must contain the answer; empty for none."""
        return self.owners[-1].name if self.owners else ""

    @property
    def opening(self) -> str:
        """The code before a masked body; empty if a whole definition is masked."""
        return self.context.partition(MASK)[0].rstrip() if self.function is not None else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeTask:
    """The code that an item asks for.

    ``context`` is either the code around the answer, with one `MASK` in place of the answer, or code shown with the
    prompt; ``tests`` are the sources of the tests.
    """

    language: str
    entry_point: str
    prompt: str = ""
    context: str = ""
    tests: tuple[str, ...] = ()

    @property
    def is_masked(self) -> bool:
        """Whether the context contains exactly one mask."""
        return self.context.count(MASK) == 1


def find_task_answer(
    task: CodeTask,
    response: str,
    reader: Reader,
    *,
    finish_reason: str = "stop",
    alone: bool = False,
) -> ExtractedAnswer:
    """Return the code in a response; with ``alone``, no definitions are added from the context."""
    is_masked = task.is_masked
    place = find_masked_place(task.context) if is_masked and task.language.lower() == "python" else None
    name = task.entry_point.rpartition(".")[2]
    spec = build_code_spec(
        reader,
        task.language,
        (f"{place.owner}.{name}" if place is not None and place.owner else name) if is_masked else task.entry_point,
        # The code around a mask is part of the program anyway, so no definitions are added from it.
        prompt="" if is_masked else task.prompt,
        visible_code=(task.context,) if task.context and not is_masked and not alone else (),
        tests=() if is_masked else task.tests,
    )
    prompt = task.prompt if not is_masked else place.opening if place is not None else ""
    return find_code(response, spec, finish_reason=finish_reason, prompt=prompt)


def place_in_context(task: CodeTask, code: str) -> str:
    """Return the context with the mask replaced by code, or the code alone if there is no mask.

    Python is placed by its syntax tree (`fill_mask`); other languages, and Python that does not parse, are indented
    like the mask.
    """
    if not task.is_masked:
        return code
    if task.language.lower() == "python":
        place = find_masked_place(task.context)
        filled = fill_mask(place, task.entry_point.rpartition(".")[2], code) if place is not None else None
        if filled is not None:
            return filled
    line = next(line for line in task.context.split("\n") if MASK in line)
    margin = line[: len(line) - len(line.lstrip())]
    if line.strip() != MASK:
        return code
    return task.context.replace(line, textwrap.indent(textwrap.dedent(code).strip("\n"), margin), 1)


def find_masked_place(context: str) -> MaskedPlace | None:
    """Return the place of the one mask in a Python program; None if it does not parse or the mask is elsewhere."""
    if context.count(MASK) != 1 or _HOLE in context:
        return None
    tree = readable_tree(context.replace(MASK, _HOLE))
    if tree is None:
        return None
    owners: list[ast.ClassDef] = []
    body = tree.body
    while True:
        node = next((node for node in body if any(map(_is_hole, ast.walk(node)))), None)
        if not isinstance(node, ast.ClassDef):
            break
        owners.append(node)
        body = node.body
    function = node if isinstance(node, _Function) else None
    hole = function.body[-1] if function is not None else node
    if not isinstance(hole, ast.Expr) or not _is_hole(hole.value):
        return None
    if function is None:
        is_alone = context.split("\n")[hole.lineno - 1].strip() == MASK
    else:
        is_alone = len(function.body) == 1 + (ast.get_docstring(function, clean=False) is not None)
    place = MaskedPlace(context=context, tree=tree, owners=tuple(owners), function=function, hole=hole)
    return place if is_alone else None


def _is_hole(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == _HOLE


def fill_mask(place: MaskedPlace, entry: str, code: str) -> str | None:
    """Return the code around a mask with an answer in its place; None if the answer does not define the function.

    An answer that repeats all the code around the mask is used unchanged, plus missing imports. Otherwise its function
    replaces the mask, and its other definitions go before it or into the class.
    """
    tree = readable_tree(code)
    name = place.function.name if place.function is not None else entry
    names = tuple(owner.name for owner in place.owners)
    match = (_find_function(tree.body, names, name) or _find_function(tree.body, (), name)) if tree else None
    if tree is None or match is None:
        return None
    function, owners = match
    bodies = [(tree.body, place.tree.body)]
    bodies += [(mine.body, theirs.body) for mine, theirs in zip(owners, place.owners, strict=False)]
    is_inside = len(owners) == len(place.owners)
    if is_inside and all(_names(mine) >= _names(theirs) for mine, theirs in bodies):
        imports = _lacking(place.tree.body, tree.body, _names(tree.body))
        return join_parts([Part(code=ast.unparse(node), is_import=True) for node in imports], code) if imports else code
    members = _lacking(*bodies[-1], {function.name}) if owners and is_inside else []
    apart = _lacking([node for node in tree.body if node not in (function, *owners)], place.tree.body, {function.name})
    futures = [node for node in apart if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    lines, answer_lines = place.context.split("\n"), code.split("\n")
    masked: ast.stmt = place.function or place.hole
    margin = lines[masked.lineno - 1][: masked.col_offset]
    # The decorators of a masked body are in the context already.
    is_decorated = place.function is not None and bool(place.function.decorator_list)
    top = first_line(place.owners[0] if place.owners else masked) - 1
    texts = [
        *map(ast.unparse, futures),
        *lines[:top],
        *(_reindent(node, answer_lines, "") for node in apart if node not in futures),
        *lines[top : masked.lineno - 1],
        _reindent(function, answer_lines, margin, first=function.lineno if is_decorated else 0),
        *("\n" + _reindent(node, answer_lines, margin) for node in members),
        *lines[masked.end_lineno or masked.lineno :],
    ]
    return "\n".join(texts)


def _reindent(node: ast.stmt, lines: Sequence[str], margin: str, *, first: int = 0) -> str:
    """Return a statement's lines, from line ``first`` if given, with another indentation outside strings."""
    own = lines[node.lineno - 1][: node.col_offset]
    strings = (
        item
        for item in ast.walk(node)
        if isinstance(item, ast.JoinedStr) or (isinstance(item, ast.Constant) and isinstance(item.value, str | bytes))
    )
    inside = {number for item in strings for number in range(item.lineno + 1, (item.end_lineno or item.lineno) + 1)}
    numbers = range(first or first_line(node), (node.end_lineno or node.lineno) + 1)
    texts = {number: lines[number - 1] for number in numbers}
    return "\n".join(
        text if number in inside else f"{margin}{text.removeprefix(own)}".rstrip() for number, text in texts.items()
    )


def _find_function(
    body: Sequence[ast.stmt], owners: Sequence[str], name: str
) -> tuple[_Function, list[ast.ClassDef]] | None:
    """Return the last function with this name, and the nested classes with these names around it."""
    around: list[ast.ClassDef] = []
    for owner in owners:
        around += [node for node in body if isinstance(node, ast.ClassDef) and node.name == owner][-1:]
        body = around[-1].body if around and around[-1].name == owner else []
    functions = [node for node in body if isinstance(node, _Function) and node.name == name]
    return (functions[-1], around) if functions else None


def _names(body: Sequence[ast.stmt]) -> frozenset[str]:
    """Return the names that statements define or assign, without imports and functions that lack a body."""
    nodes = [node for node in body if not _is_import(node) and not (isinstance(node, _Function) and is_stub(node))]
    return frozenset().union(*(names_bound_by(node) for node in nodes))


def _lacking(body: Sequence[ast.stmt], other: Sequence[ast.stmt], names: Set[str]) -> list[ast.stmt]:
    """Return the imports that other code lacks, and the definitions of names that are neither in it nor ``names``."""
    present, used_names = {ast.dump(node) for node in other}, _names(other) | names
    lacking = [node for node in body if ast.dump(node) not in present]
    return [
        node for node in lacking if _is_import(node) or ((own_names := _names([node])) and not own_names & used_names)
    ]


def _is_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)
