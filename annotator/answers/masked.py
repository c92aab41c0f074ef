"""Locate [MASK] in Python code, and put an answer in its place: a function, a method or a body."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from annotator.text.python_tree import first_line, readable_tree

MASK = "[MASK]"
_HOLE = "mask_of_the_answer"
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Block = _Function | ast.ClassDef


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
        """The class that must hold the answer; empty for none."""
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
    body: Sequence[ast.stmt] = tree.body
    while True:
        for node in body:
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Name) and node.value.id == _HOLE:
                alone = context.split("\n")[node.lineno - 1].strip() == MASK
                return (
                    MaskedPlace(context=context, tree=tree, owners=tuple(owners), function=None, hole=node)
                    if alone
                    else None
                )
        inside = next((node for node in body if isinstance(node, _Block) and _holds_hole(node)), None)
        if isinstance(inside, ast.ClassDef):
            owners.append(inside)
            body = inside.body
            continue
        hole = _body_hole(inside) if inside is not None else None
        return (
            MaskedPlace(context=context, tree=tree, owners=tuple(owners), function=inside, hole=hole)
            if hole is not None
            else None
        )


def fill_mask(place: MaskedPlace, entry: str, code: str) -> str | None:
    """Return the code around a mask with an answer in its place; None for an answer that does not fit.

    An answer that repeats all the code around the mask is used unchanged, plus the imports it leaves out. Otherwise its
    function replaces the mask, and its other definitions go before that, or into the class.
    """
    tree = readable_tree(code)
    if tree is None:
        return None
    name = place.function.name if place.function is not None else entry
    answer = _MaskAnswer(code, tree, tuple(owner.name for owner in place.owners), name)
    if answer.function is None:
        return None
    if answer.repeats(place):
        return _with_imports(code, tree, place.tree)
    return _fill_place(place, answer)


@dataclass(frozen=True, slots=True)
class _AnswerFunction:
    """A function in an answer, and the classes around it there."""

    node: _Function
    owners: tuple[ast.ClassDef, ...]


class _MaskAnswer:
    """An answer that parses, and the function in it that belongs at the mask."""

    def __init__(self, code: str, tree: ast.Module, owners: Sequence[str], name: str) -> None:
        self.code = code
        self.tree = tree
        self.function = _find_definition(tree.body, owners, name) or _find_definition(tree.body, (), name)

    def repeats(self, place: MaskedPlace) -> bool:
        """Whether it defines all the names that are defined around the mask."""
        assert self.function is not None
        if len(self.function.owners) != len(place.owners):
            return False
        answer_bodies = [self.tree.body, *(owner.body for owner in self.function.owners)]
        place_bodies = [place.tree.body, *(owner.body for owner in place.owners)]
        return all(
            _bound_names(answer_body) >= _bound_names(place_body)
            for answer_body, place_body in zip(answer_bodies, place_bodies, strict=True)
        )


def _holds_hole(node: ast.AST) -> bool:
    return any(isinstance(item, ast.Name) and item.id == _HOLE for item in ast.walk(node))


def _body_hole(node: ast.stmt) -> ast.Expr | None:
    """Return the mask if it is the whole body of a function apart from its docstring."""
    if not isinstance(node, _Function):
        return None
    last = node.body[-1]
    alone = len(node.body) == 1 or (len(node.body) == 2 and ast.get_docstring(node, clean=False) is not None)
    is_hole = isinstance(last, ast.Expr) and isinstance(last.value, ast.Name) and last.value.id == _HOLE
    return last if alone and is_hole and isinstance(last, ast.Expr) else None


def _find_definition(body: Sequence[ast.stmt], owners: Sequence[str], name: str) -> _AnswerFunction | None:
    """Return the last function with this name, inside nested classes with these names."""
    inside: list[ast.ClassDef] = []
    for owner in owners:
        classes = [node for node in body if isinstance(node, ast.ClassDef) and node.name == owner]
        if not classes:
            return None
        inside.append(classes[-1])
        body = classes[-1].body
    functions = [node for node in body if isinstance(node, _Function) and node.name == name]
    return _AnswerFunction(functions[-1], tuple(inside)) if functions else None


def _bound_names(body: Sequence[ast.stmt]) -> set[str]:
    """Return the names that statements define or assign, without imports and functions that lack a body."""
    names: set[str] = set()
    for node in body:
        if isinstance(node, _Block):
            names |= {node.name} if isinstance(node, ast.ClassDef) or not _is_outline(node) else set()
        elif not isinstance(node, ast.Import | ast.ImportFrom):
            names |= {item.id for item in ast.walk(node)
                      if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store)}  # fmt: skip
    return names


def _is_outline(node: _Function) -> bool:
    return all(isinstance(item, ast.Pass) or (isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant))
               for item in node.body)  # fmt: skip


def _reindent(node: ast.stmt, code: str, margin: str, *, decorated: bool = True) -> list[str]:
    """Return the lines of a statement with another indentation; the inside of multi-line strings is unchanged."""
    lines = code.split("\n")
    own = lines[node.lineno - 1][: len(lines[node.lineno - 1]) - len(lines[node.lineno - 1].lstrip())]
    in_texts = {
        number
        for item in ast.walk(node)
        if isinstance(item, ast.JoinedStr) or (isinstance(item, ast.Constant) and isinstance(item.value, str | bytes))
        for number in range(item.lineno + 1, (item.end_lineno or item.lineno) + 1)
    }
    first = first_line(node) if decorated else node.lineno
    numbers = range(first, (node.end_lineno or node.lineno) + 1)
    return [
        lines[number - 1] if number in in_texts else f"{margin}{lines[number - 1].removeprefix(own)}".rstrip()
        for number in numbers
    ]


def _is_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _with_imports(code: str, tree: ast.Module, around: ast.Module) -> str:
    """Return an answer with the imports around the mask that it lacks."""
    has = {ast.dump(node) for node in tree.body}
    lacking = [node for node in around.body if _is_import(node) and ast.dump(node) not in has]
    if not lacking:
        return code
    lines = code.split("\n")
    # `from __future__` must come before everything but the docstring.
    own = [node for node in tree.body if _is_future(node)]
    for node in own:
        lines[node.lineno - 1 : node.end_lineno] = [""] * ((node.end_lineno or node.lineno) - node.lineno + 1)
    at = 0
    if ast.get_docstring(tree, clean=False) is not None:
        at = tree.body[0].end_lineno or 0
    added = sorted((*own, *lacking), key=lambda node: not _is_future(node))
    return "\n".join([*lines[:at], *map(ast.unparse, added), *lines[at:]])


def _missing_statements(answer: _MaskAnswer, place: MaskedPlace) -> list[ast.stmt]:
    """Return the answer's other statements that the code around the mask lacks: imports and new definitions."""
    assert answer.function is not None
    mine = {answer.function.node, *answer.function.owners}
    present_nodes = {ast.dump(node) for node in place.tree.body}
    taken_names = _bound_names(place.tree.body) | {answer.function.node.name}
    additions = []
    for node in answer.tree.body:
        if node in mine or ast.dump(node) in present_nodes:
            continue
        names = _bound_names([node])
        if _is_import(node) or (names and not names & taken_names):
            additions.append(node)
    return additions


def _missing_members(answer: _MaskAnswer, place: MaskedPlace) -> list[ast.stmt]:
    """Return the other members of the answer's class that the class around the mask lacks."""
    assert answer.function is not None
    owners = answer.function.owners
    if not owners or len(owners) != len(place.owners):
        return []
    has = _bound_names(place.owners[-1].body) | {answer.function.node.name}
    return [node for node in owners[-1].body if (names := _bound_names([node])) and not names & has]


def _fill_place(place: MaskedPlace, answer: _MaskAnswer) -> str:
    """Return the code around a mask with the answer's function in its place, and the definitions that it needs."""
    assert answer.function is not None
    lines = place.context.split("\n")
    masked: ast.stmt = place.function or place.hole
    line = lines[masked.lineno - 1]
    margin = line[: len(line) - len(line.lstrip())]
    # The decorators of a masked body are in the context already.
    decorated = place.function is not None and bool(place.function.decorator_list)
    function = _reindent(answer.function.node, answer.code, margin, decorated=not decorated)
    for node in _missing_members(answer, place):
        function += ["", *_reindent(node, answer.code, margin)]
    apart = _missing_statements(answer, place)
    futures = [ast.unparse(node) for node in apart if _is_future(node)]
    others = [text for node in apart if not _is_future(node) for text in _reindent(node, answer.code, "")]
    top = first_line(place.owners[0] if place.owners else masked) - 1
    rest = lines[top : masked.lineno - 1]
    return "\n".join([*futures, *lines[:top], *others, *rest, *function, *lines[masked.end_lineno or masked.lineno :]])
