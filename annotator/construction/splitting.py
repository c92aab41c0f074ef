"""Split Python tests into single assertions, so that a bug can fail one of them and pass another."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotator.text.python_tree import UNREADABLE, read_tree

if TYPE_CHECKING:
    from annotator.sandbox import TestCode


def split_tests(code: str, entry_point: str = "") -> tuple[TestCode, ...]:
    """Return one test per assertion of a snippet, a ``check(candidate)`` function or test functions.

    What stands before an assertion (set-up, earlier statements that are no assertions) is kept in its test. A compound
    statement with assertions inside stays one test. Text that does not parse is returned whole.
    """
    from annotator.sandbox import TestCode

    try:
        tree = read_tree(code)
    except UNREADABLE:
        return (TestCode("test 1", code),)
    splitter = _Splitter(code.splitlines(keepends=True))
    found = splitter.module(tree, entry_point)
    if not found:
        return (TestCode("test 1", code),)
    return tuple(TestCode(f"test {number}", text) for number, text in enumerate(found, start=1))


@dataclass(frozen=True, slots=True)
class _Splitter:
    lines: list[str]

    def module(self, tree: ast.Module, entry_point: str) -> list[str]:
        functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and _asserts(node)]
        if not functions:
            return self._cut(tree.body, "", "")
        chosen = [node for node in functions if node.name == "check" or node.name.startswith("test")]
        if len(chosen) != len(functions) or any(_not_plain(node) for node in chosen):
            return []
        before = "".join(self._text(node) for node in tree.body if node not in chosen and not _calls_check(node))
        found = []
        for node in chosen:
            if node.args.args and not entry_point:
                return []
            bound = "".join(f"{argument.arg} = {entry_point}\n" for argument in node.args.args)
            found += self._cut(node.body, before + bound, " " * node.body[0].col_offset)
        return found

    def _cut(self, body: list[ast.stmt], before: str, indent: str) -> list[str]:
        found, setup = [], before
        for node in body:
            text = self._text(node, indent)
            if _always(node):
                continue
            if _asserts(node):
                found.append(setup + text)
            if not isinstance(node, ast.Assert):
                # A loop with assertions may also set what later ones need, but would fail for them: it is left out.
                setup += "" if _asserts(node) and not _binds(node) else text
        return found

    def _text(self, node: ast.stmt, indent: str = "") -> str:
        first = min([node.lineno, *(item.lineno for item in getattr(node, "decorator_list", []))])
        lines = self.lines[first - 1 : node.end_lineno]
        if len(lines) == 1 and not lines[0][: node.col_offset].isspace() and node.col_offset:
            return ast.unparse(node) + "\n"
        inside = _string_lines(node)
        kept = [
            line.removeprefix(indent) if number not in inside else line
            for number, line in enumerate(lines, start=first)
        ]
        return "".join(kept).rstrip("\n") + "\n"


def _string_lines(node: ast.stmt) -> set[int]:
    """Return the lines that begin inside a string, which must keep their indentation."""
    return {
        line
        for item in ast.walk(node)
        if isinstance(item, ast.Constant | ast.JoinedStr) and isinstance(getattr(item, "value", ""), str)
        for line in range(item.lineno + 1, (item.end_lineno or item.lineno) + 1)
    }


def _asserts(node: ast.AST) -> bool:
    return any(isinstance(item, ast.Assert) for item in ast.walk(node))


def _always(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assert) and isinstance(node.test, ast.Constant) and bool(node.test.value)


def _binds(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef | ast.ClassDef | ast.With)


def _calls_check(node: ast.stmt) -> bool:
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        return False
    called = node.value.func
    return isinstance(called, ast.Name) and (called.id == "check" or called.id.startswith("test"))


def _not_plain(node: ast.FunctionDef) -> bool:
    if node.decorator_list or (node.name != "check" and node.args.args):
        return True
    # A return or yield would stand outside a function once the body is cut up.
    return any(isinstance(item, ast.Return | ast.Yield | ast.YieldFrom | ast.Nonlocal) for item in ast.walk(node))
