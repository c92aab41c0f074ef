"""Locate [MASK] in Python code and replace it by an answer: a function, a method or a body."""

from __future__ import annotations

import ast
from collections.abc import Sequence, Set
from dataclasses import dataclass

from annotator.answers.python_source import is_stub, names_bound_by
from annotator.answers.source import Part, join_parts
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
    if tree is None:
        return None
    name = place.function.name if place.function is not None else entry
    names = tuple(owner.name for owner in place.owners)
    match = _find_function(tree.body, names, name) or _find_function(tree.body, (), name)
    if match is None:
        return None
    function, owners = match
    answer_bodies = [tree.body, *(owner.body for owner in owners)]
    place_bodies = [place.tree.body, *(owner.body for owner in place.owners)]
    if len(owners) == len(place.owners) and all(
        _names(mine) >= _names(theirs) for mine, theirs in zip(answer_bodies, place_bodies, strict=True)
    ):
        lacking = _lacking(place.tree.body, {ast.dump(node) for node in tree.body}, None)
        parts = [Part(code=ast.unparse(node), is_import=True) for node in lacking]
        return join_parts(parts, code) if parts else code
    mine = (function, *owners)
    members = owners[-1].body if owners and len(owners) == len(place.owners) else []
    around_names = _names(place.owners[-1].body if place.owners else []) | {function.name}
    members = [node for node in members if (bound := _names([node])) and not bound & around_names]
    apart = [node for node in tree.body if node not in mine]
    apart = _lacking(apart, {ast.dump(node) for node in place.tree.body}, _names(place.tree.body) | {function.name})
    return _build_program(place, code.split("\n"), function, members, apart)


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


def _lacking(body: Sequence[ast.stmt], present: Set[str], around_names: Set[str] | None) -> list[ast.stmt]:
    """Return imports that other code lacks and, unless ``around_names`` is None, definitions of names outside it."""
    lacking = [node for node in body if ast.dump(node) not in present]
    return [
        node
        for node in lacking
        if _is_import(node) or (around_names is not None and (bound := _names([node])) and not bound & around_names)
    ]


def _is_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)


def _build_program(
    place: MaskedPlace, code: list[str], function: _Function, members: Sequence[ast.stmt], apart: Sequence[ast.stmt]
) -> str:
    """Return the code around a mask with a function in its place, other members behind it, and the rest before."""
    lines = place.context.split("\n")
    masked: ast.stmt = place.function or place.hole
    line = lines[masked.lineno - 1]
    margin = line[: len(line) - len(line.lstrip())]
    # The decorators of a masked body are in the context already.
    decorated = place.function is None or not place.function.decorator_list
    filling = _reindent(function, code, margin, decorated=decorated)
    for node in members:
        filling += ["", *_reindent(node, code, margin)]
    futures = [node for node in apart if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    others = [line for node in apart if node not in futures for line in _reindent(node, code, "")]
    top = first_line(place.owners[0] if place.owners else masked) - 1
    around = [*lines[:top], *others, *lines[top : masked.lineno - 1]]
    return "\n".join([*map(ast.unparse, futures), *around, *filling, *lines[masked.end_lineno or masked.lineno :]])


def _reindent(node: ast.stmt, lines: list[str], margin: str, *, decorated: bool = True) -> list[str]:
    """Return the lines of a statement with another indentation; the inside of multi-line strings is unchanged."""
    own = lines[node.lineno - 1][: node.col_offset]
    inside_strings = {
        number
        for item in ast.walk(node)
        if isinstance(item, ast.JoinedStr) or (isinstance(item, ast.Constant) and isinstance(item.value, str | bytes))
        for number in range(item.lineno + 1, (item.end_lineno or item.lineno) + 1)
    }
    return [
        lines[number - 1] if number in inside_strings else f"{margin}{lines[number - 1].removeprefix(own)}".rstrip()
        for number in range(first_line(node) if decorated else node.lineno, (node.end_lineno or node.lineno) + 1)
    ]
