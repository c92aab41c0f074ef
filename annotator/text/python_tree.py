"""Parse Python from several threads, one at a time and without warnings.

CPython 3.11 counts the depth of a tree in one place for all threads and raises `SystemError` if two of them parse at
once (python/cpython issue 106905). `warnings.catch_warnings` is not thread-safe either.
"""

from __future__ import annotations

import ast
import builtins
import threading
import warnings
from types import MappingProxyType
from typing import Final, Literal, overload

UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
PREDEFINED = frozenset(dir(builtins)) | {"__name__", "__file__", "self"}
"""Names that need no definition, and ``self``, the usual name of a method's object."""
_TRIES = 20
_LOCK = threading.Lock()
_LEAF_FIELDS: Final = frozenset(
    ("ctx", "op", "ops", "id", "attr", "arg", "asname", "module", "level", "kind", "simple", "conversion", "is_async",
     "type_comment", "type_ignores", "rest", "tag", "lineno")
)  # fmt: skip
"""Fields that hold no child nodes of interest: names, numbers, operators and contexts."""
_FIELDS: Final = MappingProxyType(
    {
        node_type: ()
        if node_type is ast.Constant
        else tuple(name for name in node_type._fields if name not in _LEAF_FIELDS)
        for node_type in vars(ast).values()
        if isinstance(node_type, type) and issubclass(node_type, ast.AST)
    }
)
"""The fields that may hold other nodes, by node type."""


@overload
def read_tree(code: str, mode: Literal["exec"] = "exec") -> ast.Module: ...


@overload
def read_tree(code: str, mode: Literal["eval"]) -> ast.Expression: ...


def read_tree(code: str, mode: Literal["exec", "eval"] = "exec") -> ast.Module | ast.Expression:
    """Parse a program, or one expression. Raises one of ``UNREADABLE`` if the text does not parse."""
    for tries_left in range(_TRIES, 0, -1):
        try:
            with _LOCK, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(code) if mode == "exec" else ast.parse(code, mode="eval")
        except SystemError:
            # A thread outside our lock was parsing at the same moment.
            if tries_left == 1:
                raise
    raise AssertionError  # not reached: the last try returns or raises


def first_line(node: ast.stmt) -> int:
    """Return a statement's first line, decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def condition_over(tree: ast.Module, line: int) -> str:
    """Return the head of the innermost conditional branch around a line outside functions, or an empty text.

    Such as ``if sys.platform == 'win32'``, ``else of if DEBUG`` or ``except ImportError``.
    """
    condition = ""
    block: list[ast.stmt] = tree.body
    while True:
        node = next(
            (
                statement
                for statement in block
                if first_line(statement) <= line <= (statement.end_lineno or statement.lineno)
            ),
            None,
        )
        branches = _branches(node) if node is not None else []
        containing_branches = [
            (head, branch_block)
            for head, branch_block in branches
            if branch_block and _contains_line(branch_block, line)
        ]
        if not containing_branches:
            return condition
        head, block = containing_branches[0]
        condition = head or condition


def _contains_line(block: list[ast.stmt], line: int) -> bool:
    return first_line(block[0]) <= line <= (block[-1].end_lineno or block[-1].lineno)


def _branches(node: ast.stmt) -> list[tuple[str, list[ast.stmt]]]:
    """Return the (head, block) pairs of a statement other than a function; unconditional blocks have no head."""
    if isinstance(node, ast.If):
        head = f"if {ast.unparse(node.test)}"
        return [(head, node.body), (f"else of {head}", node.orelse)]
    if isinstance(node, (ast.Try, ast.TryStar)):
        handlers = [
            (f"except {ast.unparse(handler.type)}" if handler.type else "except", handler.body)
            for handler in node.handlers
        ]
        return [("", node.body), *handlers, ("", node.orelse), ("", node.finalbody)]
    return [("", node.body)] if isinstance(node, (ast.ClassDef, ast.With)) else []


def readable_tree(code: str) -> ast.Module | None:
    """Parse a program; return None for a text that is not Python."""
    try:
        return read_tree(code)
    except UNREADABLE:
        return None


def accepted_tree(code: str) -> ast.Module | None:
    """Parse a program that also compiles; return None otherwise, as for a top-level ``return``."""
    tree = readable_tree(code)
    try:
        with _LOCK, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return tree if tree is not None and compile(tree, "answer", "exec", dont_inherit=True) else None
    except UNREADABLE:
        return None


def tree_or_empty(code: str) -> ast.Module:
    """Parse a program; return an empty module for a text that is not Python."""
    return readable_tree(code) or ast.Module([], [])


def imported_modules(tree: ast.AST) -> set[str]:
    """Return the top-level modules that code imports anywhere, without relative imports."""
    modules: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules.add(node.module.partition(".")[0])
    return modules


def imported_names(tree: ast.AST) -> dict[str, set[str]]:
    """Return the names that code imports from or reads on each module, without relative imports."""
    names_by_module: dict[str, set[str]] = {}
    module_by_alias: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names_by_module.setdefault(node.module, set()).update(alias.name for alias in node.names)
        elif isinstance(node, ast.Import):
            module_by_alias.update({alias.asname or alias.name: alias.name for alias in node.names})
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in module_by_alias:
            names_by_module.setdefault(module_by_alias[node.value.id], set()).add(node.attr)
    return names_by_module


def bound_names(tree: ast.AST) -> set[str]:
    """Return the names that code binds anywhere: definitions, imports and assignments."""
    bindings: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                bindings.add(name)
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                bindings.add(name)
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                bindings.update(alias.asname or alias.name.partition(".")[0] for alias in names)
    return bindings


def local_names(tree: ast.AST) -> frozenset[str]:
    """Return the names that code binds anywhere, parameters and the names of handlers and patterns included."""
    names = bound_names(tree)
    for node in ast.walk(tree):
        match node:
            case ast.arg(arg=name):
                names.add(name)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                names.add(name)
    return frozenset(names)


def free_names(tree: ast.AST) -> frozenset[str]:
    """Return the names that code reads and never binds, without those that every module has."""
    names_read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    return frozenset(names_read) - local_names(tree) - PREDEFINED


def candidate_code_modules(code: str, test: str) -> set[str]:
    """Return the modules from which a test imports only names that the code defines: the test may mean the code."""
    tree, code_names = tree_or_empty(test), bound_names(tree_or_empty(code))
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} & code_names
    imported = {name: used | names - {"*"} if "*" in names else names for name, names in imported_names(tree).items()}
    return {name.partition(".")[0] for name, names in imported.items() if names and names <= code_names}


def child_nodes(node: ast.AST) -> list[ast.AST]:
    """Return the child nodes of a node in order, without operators and contexts such as ``ast.Load``.

    Two to three times as fast as `ast.iter_child_nodes`, which takes most of the time of analysing a repository.
    """
    nodes: list[ast.AST] = []
    for name in _FIELDS.get(node.__class__, node._fields):
        value = getattr(node, name, None)
        if value.__class__ is list:
            nodes += [child for child in value if isinstance(child, ast.AST)]
        elif isinstance(value, ast.AST):
            nodes.append(value)
    return nodes
