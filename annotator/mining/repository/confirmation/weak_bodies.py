"""Wrong bodies that good tests notice: one returns an argument or a constant, another swaps branches."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from annotator.mining.repository.discovery.modules import FunctionInfo
from annotator.mining.repository.discovery.scopes import FUNCTIONS
from annotator.mining.repository.discovery.spans import replace_body
from annotator.text.python_tree import child_nodes

MAX_CONSTANTS = 2
"""Constants to try: first the function's own, then those of its type, then booleans, which a bare assert accepts."""
_BY_TYPE = {"bool": ("True", "False"), "int": ("0",), "float": ("0.0",), "str": ("''",), "bytes": ("b''",),
            "list": ("[]",), "dict": ("{}",), "tuple": ("()",), "set": ("set()",)}  # fmt: skip


@dataclass(frozen=True, slots=True)
class WeakBody:
    """A wrong body: a description, the whole file with it, and the kind of test that would notice it."""

    description: str
    file: str
    noticed_by: str


def weak_bodies(info: FunctionInfo) -> tuple[WeakBody, ...]:
    """Return the wrong bodies to try on a function's tests, without duplicates."""
    bodies: dict[str, WeakBody] = {}
    for body in (*_echo_bodies(info), *_constant_bodies(info), *_swap_branches(info)):
        bodies.setdefault(body.file, body)
    original = "\n".join(info.module.lines)
    return tuple(body for text, body in bodies.items() if text != original)


def _returning_body(info: FunctionInfo, value: str, noticed_by: str) -> WeakBody:
    return WeakBody(f"return {value}", replace_body(info, f"return {value}"), noticed_by)


def _echo_bodies(info: FunctionInfo) -> Iterator[WeakBody]:
    arguments = [item.arg for item in (*info.node.args.posonlyargs, *info.node.args.args)]
    receiver = arguments[:1] if info.owner is not None and not info.is_static else []
    for name in receiver:
        yield _returning_body(info, name, "a test that changes the result and then looks at the original")
    for name in arguments[len(receiver) : len(receiver) + 1]:
        yield _returning_body(info, name, f"a test whose result differs from its {name}")


def _constant_bodies(info: FunctionInfo) -> Iterator[WeakBody]:
    values = [node.value for node in _own_nodes(info.node) if isinstance(node, ast.Return) and node.value is not None]
    if not values:
        return
    texts = [ast.unparse(value) for value in values if _is_plain(value)]
    annotation = ast.unparse(info.node.returns) if info.node.returns is not None else ""
    texts += _BY_TYPE.get(annotation.partition("[")[0].lower(), ())
    texts += _BY_TYPE["bool"]
    for text in [text for text in dict.fromkeys(texts) if text != "None"][:MAX_CONSTANTS]:
        yield _returning_body(info, text, f"a test that expects another value than {text}")


def _is_plain(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _swap_branches(info: FunctionInfo) -> Iterator[WeakBody]:
    for node in _own_nodes(info.node):
        if isinstance(node, (ast.If, ast.IfExp)):
            condition = ast.unparse(node.test)
            shortened = condition if len(condition) <= 60 else f"{condition[:59]}…"
            yield WeakBody(
                f"the branches of {shortened} swapped",
                _negate_condition(info, node.test),
                f"a test for each side of {shortened}",
            )
            return


def _negate_condition(info: FunctionInfo, test: ast.expr) -> str:
    """Return the file with a condition negated. (``ast`` columns count bytes.)"""
    lines = [line.encode("utf-8") for line in info.module.lines]
    last, end = (test.end_lineno or test.lineno) - 1, test.end_col_offset or test.col_offset
    lines[last] = lines[last][:end] + b"))" + lines[last][end:]
    first = test.lineno - 1
    lines[first] = lines[first][: test.col_offset] + b"(not (" + lines[first][test.col_offset :]
    return b"\n".join(lines).decode("utf-8")


def _own_nodes(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.AST]:
    """Yield the nodes of a function's body in order, without those of functions in it."""
    pending: list[ast.AST] = list(reversed(node.body))
    while pending:
        item = pending.pop()
        yield item
        if not isinstance(item, (*FUNCTIONS, ast.Lambda, ast.ClassDef)):
            pending.extend(reversed(child_nodes(item)))
