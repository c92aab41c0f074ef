"""Read Python from several threads at once: one at a time, without warnings.

CPython 3.11 counts the depth of a tree in one place for all threads and raises `SystemError` if they meet there
(python/cpython issue 106905); hiding warnings is no business of several threads either.
"""

from __future__ import annotations

import ast
import threading
import warnings
from types import MappingProxyType
from typing import Final, Literal, overload

UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
_TRIES = 20
_LOCK = threading.Lock()
_PLAIN: Final = frozenset(
    ("ctx", "op", "ops", "id", "attr", "arg", "asname", "module", "level", "kind", "simple", "conversion", "is_async",
     "type_comment", "type_ignores", "rest", "tag", "lineno")
)  # fmt: skip
"""Fields that hold words, numbers, operators, or whether a name is read or written."""
_FIELDS: Final = MappingProxyType(
    {
        kind: () if kind is ast.Constant else tuple(name for name in kind._fields if name not in _PLAIN)
        for kind in vars(ast).values()
        if isinstance(kind, type) and issubclass(kind, ast.AST)
    }
)
"""Of each kind of node, the fields that may hold other nodes."""


@overload
def read_tree(code: str, mode: Literal["exec"] = "exec") -> ast.Module: ...


@overload
def read_tree(code: str, mode: Literal["eval"]) -> ast.Expression: ...


def read_tree(code: str, mode: Literal["exec", "eval"] = "exec") -> ast.Module | ast.Expression:
    """Return the tree of a program, or of one expression. Raises one of ``UNREADABLE`` for text that is neither."""
    for left in range(_TRIES, 0, -1):
        try:
            with _LOCK, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(code) if mode == "exec" else ast.parse(code, mode="eval")
        except SystemError:
            # Another thread, outside our lock, was reading at the same moment.
            if left == 1:
                raise
    raise AssertionError


def first_line(node: ast.stmt) -> int:
    """Return a statement's first line, decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(item.lineno for item in decorators)])


def condition_over(tree: ast.Module, line: int) -> str:
    """Return the head of the innermost branch outside of functions that a line stands in, empty if it is in none.

    As in ``if sys.platform == 'win32'``, ``else of if DEBUG`` or ``except ImportError``.
    """
    found, block = "", list[ast.stmt](tree.body)
    while True:
        node = next((item for item in block if first_line(item) <= line <= (item.end_lineno or item.lineno)), None)
        branches = _branches(node) if node is not None else []
        inside = [(head, part) for head, part in branches if part and _holds(part, line)]
        if not inside:
            return found
        head, block = inside[0]
        found = head or found


def _holds(block: list[ast.stmt], line: int) -> bool:
    return first_line(block[0]) <= line <= (block[-1].end_lineno or block[-1].lineno)


def _branches(node: ast.stmt) -> list[tuple[str, list[ast.stmt]]]:
    """Return the blocks of a statement that is no function, with the heads of those that are run on a condition."""
    if isinstance(node, ast.If):
        head = f"if {ast.unparse(node.test)}"
        return [(head, node.body), (f"else of {head}", node.orelse)]
    if isinstance(node, (ast.Try, ast.TryStar)):
        handlers = [
            (f"except {ast.unparse(item.type)}" if item.type else "except", item.body) for item in node.handlers
        ]
        return [("", node.body), *handlers, ("", node.orelse), ("", node.finalbody)]
    return [("", node.body)] if isinstance(node, (ast.ClassDef, ast.With)) else []


def readable_tree(code: str) -> ast.Module | None:
    """Return the tree of a program, None for text that is none."""
    try:
        return read_tree(code)
    except UNREADABLE:
        return None


def accepted_tree(code: str) -> ast.Module | None:
    """Return the tree of a program that can be compiled, None for other text; ``return`` alone is only read."""
    tree = readable_tree(code)
    try:
        with _LOCK, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return tree if tree is not None and compile(tree, "answer", "exec", dont_inherit=True) else None
    except UNREADABLE:
        return None


def tree_or_empty(code: str) -> ast.Module:
    """Return the tree of a program, one without statements for text that is none."""
    return readable_tree(code) or ast.Module([], [])


def imported_modules(tree: ast.AST) -> set[str]:
    """Return the modules of the first level that code imports anywhere, those of its own package left out."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(item.name.partition(".")[0] for item in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def imported_names(tree: ast.AST) -> dict[str, set[str]]:
    """Return what code imports of each module, or asks one that it imports for; those of its own package left out."""
    found: dict[str, set[str]] = {}
    modules: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.setdefault(node.module, set()).update(item.name for item in node.names)
        elif isinstance(node, ast.Import):
            modules.update({item.asname or item.name: item.name for item in node.names})
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            found.setdefault(modules[node.value.id], set()).add(node.attr)
    return found


def bound_names(tree: ast.AST) -> set[str]:
    """Return the names that code binds anywhere by statements and assignments."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                found.add(name)
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                found.update(item.asname or item.name.partition(".")[0] for item in names)
    return found


def modules_meaning(code: str, test: str) -> set[str]:
    """Return the modules (of the first level) of which a test imports only what the code has: it may mean the code."""
    tree, has = tree_or_empty(test), bound_names(tree_or_empty(code))
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} & has
    imported = {
        name: used | wanted - {"*"} if "*" in wanted else wanted for name, wanted in imported_names(tree).items()
    }
    return {name.partition(".")[0] for name, wanted in imported.items() if wanted and wanted <= has}


def children(node: ast.AST) -> list[ast.AST]:
    """Return the nodes directly below a node, in order; operators and ``ast.Load`` and its like are left out.

    Two to three times as fast as `ast.iter_child_nodes`, which is most of the time that reading a repository takes.
    """
    found: list[ast.AST] = []
    for name in _FIELDS.get(node.__class__, node._fields):
        value = getattr(node, name, None)
        if value.__class__ is list:
            found += [item for item in value if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found
