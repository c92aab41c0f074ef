"""Where [MASK] stands in Python, and the program that an answer makes there: a function, a method or a body."""

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
    """A mask in a program that can be read. ``owners`` are the classes around it, from the outermost; ``function`` is
    the function whose body it is, None where a whole definition is masked."""

    context: str
    tree: ast.Module
    owners: tuple[ast.ClassDef, ...]
    function: _Function | None
    hole: ast.Expr

    @property
    def owner(self) -> str:
        """The class that is to hold the answer; empty for none."""
        return self.owners[-1].name if self.owners else ""

    @property
    def opening(self) -> str:
        """The code that a body goes on from; empty where a whole definition is masked."""
        return self.context.partition(MASK)[0].rstrip() if self.function is not None else ""


def masked_place(context: str) -> MaskedPlace | None:
    """Return where the one mask of a Python program stands; None if it cannot be read, or stands elsewhere in it."""
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
    """Return the program that an answer makes of the code around a mask; None for an answer that does not fit there.

    An answer that repeats all that stands around is taken as it is, with the imports that it leaves out; else its
    function goes where the mask is, and what it defines besides before it, or into the class.
    """
    tree = readable_tree(code)
    if tree is None:
        return None
    name = place.function.name if place.function is not None else entry
    answer = _Answer(code, tree, tuple(owner.name for owner in place.owners), name)
    if answer.function is None:
        return None
    if answer.repeats(place):
        return _with_imports(code, tree, place.tree)
    return _put(place, answer)


@dataclass(frozen=True, slots=True)
class _Definition:
    """A function in an answer, and the classes around it there."""

    node: _Function
    owners: tuple[ast.ClassDef, ...]


class _Answer:
    """An answer that can be read, as far as what is asked of it goes."""

    def __init__(self, code: str, tree: ast.Module, owners: Sequence[str], name: str) -> None:
        self.code = code
        self.tree = tree
        self.function = _defined(tree.body, owners, name) or _defined(tree.body, (), name)

    def repeats(self, place: MaskedPlace) -> bool:
        """Whether it defines all that stands around the mask."""
        assert self.function is not None
        if len(self.function.owners) != len(place.owners):
            return False
        theirs = [self.tree.body, *(owner.body for owner in self.function.owners)]
        ours = [place.tree.body, *(owner.body for owner in place.owners)]
        return all(_bound(mine) >= _bound(around) for mine, around in zip(theirs, ours, strict=True))


def _holds_hole(node: ast.AST) -> bool:
    return any(isinstance(item, ast.Name) and item.id == _HOLE for item in ast.walk(node))


def _body_hole(node: ast.stmt) -> ast.Expr | None:
    """Return the mask that is the body of a function, below its docstring at most."""
    if not isinstance(node, _Function):
        return None
    last = node.body[-1]
    alone = len(node.body) == 1 or (len(node.body) == 2 and ast.get_docstring(node, clean=False) is not None)
    is_hole = isinstance(last, ast.Expr) and isinstance(last.value, ast.Name) and last.value.id == _HOLE
    return last if alone and is_hole and isinstance(last, ast.Expr) else None


def _defined(body: Sequence[ast.stmt], owners: Sequence[str], name: str) -> _Definition | None:
    """Return the last function of a name, in classes of these names one in another."""
    inside: list[ast.ClassDef] = []
    for owner in owners:
        found = [node for node in body if isinstance(node, ast.ClassDef) and node.name == owner]
        if not found:
            return None
        inside.append(found[-1])
        body = found[-1].body
    functions = [node for node in body if isinstance(node, _Function) and node.name == name]
    return _Definition(functions[-1], tuple(inside)) if functions else None


def _bound(body: Sequence[ast.stmt]) -> set[str]:
    """Return the names that statements define or assign, but for imports, which are added, and mere outlines."""
    found: set[str] = set()
    for node in body:
        if isinstance(node, _Block):
            found |= {node.name} if isinstance(node, ast.ClassDef) or not _is_outline(node) else set()
        elif not isinstance(node, ast.Import | ast.ImportFrom):
            found |= {item.id for item in ast.walk(node)
                      if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store)}  # fmt: skip
    return found


def _is_outline(node: _Function) -> bool:
    return all(isinstance(item, ast.Pass) or (isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant))
               for item in node.body)  # fmt: skip


def _indented(node: ast.stmt, code: str, margin: str, *, decorated: bool = True) -> list[str]:
    """Return the lines of a statement below another margin; what stands in texts of several lines stays as it is."""
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
    """Return an answer with the imports around the mask that it does not have."""
    has = {ast.dump(node) for node in tree.body}
    lacking = [node for node in around.body if _is_import(node) and ast.dump(node) not in has]
    if not lacking:
        return code
    lines = code.split("\n")
    # What comes from the future stands before all but the docstring.
    own = [node for node in tree.body if _is_future(node)]
    for node in own:
        lines[node.lineno - 1 : node.end_lineno] = [""] * ((node.end_lineno or node.lineno) - node.lineno + 1)
    at = 0
    if ast.get_docstring(tree, clean=False) is not None:
        at = tree.body[0].end_lineno or 0
    added = sorted((*own, *lacking), key=lambda node: not _is_future(node))
    return "\n".join([*lines[:at], *map(ast.unparse, added), *lines[at:]])


def _apart(answer: _Answer, place: MaskedPlace) -> list[ast.stmt]:
    """Return what the answer says beside the function that is not there yet: imports, and what its definitions need."""
    assert answer.function is not None
    mine = {answer.function.node, *answer.function.owners}
    there = {ast.dump(node) for node in place.tree.body}
    bound = _bound(place.tree.body) | {answer.function.node.name}
    found = []
    for node in answer.tree.body:
        if node in mine or ast.dump(node) in there:
            continue
        names = _bound([node])
        if _is_import(node) or (names and not names & bound):
            found.append(node)
    return found


def _members_apart(answer: _Answer, place: MaskedPlace) -> list[ast.stmt]:
    """Return what the answer's class holds beside the function and the class around the mask does not."""
    assert answer.function is not None
    owners = answer.function.owners
    if not owners or len(owners) != len(place.owners):
        return []
    has = _bound(place.owners[-1].body) | {answer.function.node.name}
    return [node for node in owners[-1].body if (names := _bound([node])) and not names & has]


def _put(place: MaskedPlace, answer: _Answer) -> str:
    """Return the code around a mask with the answer's function there, and what it needs."""
    assert answer.function is not None
    lines = place.context.split("\n")
    masked: ast.stmt = place.function or place.hole
    line = lines[masked.lineno - 1]
    margin = line[: len(line) - len(line.lstrip())]
    # Decorators around a masked body stand.
    decorated = place.function is not None and bool(place.function.decorator_list)
    function = _indented(answer.function.node, answer.code, margin, decorated=not decorated)
    for node in _members_apart(answer, place):
        function += ["", *_indented(node, answer.code, margin)]
    apart = _apart(answer, place)
    futures = [ast.unparse(node) for node in apart if _is_future(node)]
    others = [text for node in apart if not _is_future(node) for text in _indented(node, answer.code, "")]
    top = first_line(place.owners[0] if place.owners else masked) - 1
    rest = lines[top : masked.lineno - 1]
    return "\n".join([*futures, *lines[:top], *others, *rest, *function, *lines[masked.end_lineno or masked.lineno :]])
