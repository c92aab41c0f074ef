"""The control of a pass: the same tests expecting other values, which nothing honest passes.

Each comparison with an expected value is made with another one and noted; a test passes only if one of them held.
"""

from __future__ import annotations

import ast
import re
import secrets

from annotator.text.python_tree import UNREADABLE, read_tree

_OTHER_VALUE = """
def {name}(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float, complex)):
        return value + {number} if value + {number} != value else -value
    if isinstance(value, str):
        return value + value[-1:] + {letter!r}
    if isinstance(value, bytes):
        return value + b'0'
    if type(value) in (list, tuple):
        return type(value)([{name}(item) for item in value] or [{number}])
    if type(value) is set:
        return value | {{{number}, {letter!r}}} if len(value) < 2 else set()
    if type(value) is dict:
        return {{key: {name}(item) for key, item in value.items()}} or {{{letter!r}: {number}}}
    if hasattr(value, 'shape') and hasattr(value, 'dtype') and value.dtype.kind in 'iufc':
        return value + {number}
    return object()
def {name}_(value, bound):
    assert isinstance(value, (int, float))
    return bound
{held} = []
"""
_CLOSE = {"allclose", "isclose", "array_equal"}
_EQUALITY = re.compile(
    r"assert(?:_allclose|(?:_array|_frame|_series|_index)?(?:_almost)?_equal(?:_nulp)?"
    r"|(?:Almost|Count|Dict|List|MultiLine|Sequence|Set|Tuple)?Equals?)"
)
"""Assertions of unittest, NumPy and pandas that a result, their first argument, equals the second."""
_EXPECTED_TO_FAIL = re.compile(r"\bxfail\b|\bexpectedFailure\b")


def altered(test: str, style: str) -> str:
    """Return test code that a right answer fails."""
    try:
        tree = read_tree(test)
    except UNREADABLE:
        return test
    alter = _Alter()
    body = [item for node in tree.body for item in alter.statements(node)]
    if style == "snippet":
        body.append(alter.end())
    start = next((at for at, node in enumerate(body) if not _leads(node)), len(body))
    body[start:start] = alter.beginning()
    return ast.unparse(ast.fix_missing_locations(ast.Module(body, [])))


def may_pass_altered(test: str) -> bool:
    """Tell whether some of the tests are expected to fail, which they do with other values too."""
    return _EXPECTED_TO_FAIL.search(test) is not None


def _leads(node: ast.stmt) -> bool:
    """Tell whether a statement must stand before all others: the documentation, imports from the future."""
    documents = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return documents or (isinstance(node, ast.ImportFrom) and node.module == "__future__")


class _Alter(ast.NodeTransformer):
    """Alters every comparison; numbers and names are new each time, so that no answer knows them."""

    def __init__(self) -> None:
        self._name, self._held = _new_name(), _new_name()
        self._number = 2 + secrets.randbelow(50)
        self._letter = secrets.choice("abcdefghijklmnopqrstuvwxyz")

    def beginning(self) -> list[ast.stmt]:
        """Return what stands before the tests."""
        text = _OTHER_VALUE.format(name=self._name, held=self._held, number=self._number, letter=self._letter)
        return read_tree(text).body

    def end(self) -> ast.stmt:
        """Return what a test ends with."""
        return read_tree(f"assert any({self._held})").body[0]

    def statements(self, node: ast.stmt) -> list[ast.stmt]:
        """Return what stands for a statement."""
        found = self.visit(node)
        return found if isinstance(found, list) else [found]

    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        parts = [node.test]
        if isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And):
            parts = node.test.values
        return [ast.copy_location(self._noted(part) or ast.Assert(part, node.msg), node) for part in parts]

    def _noted(self, part: ast.expr) -> ast.stmt | None:
        changed = self._changed(part)
        return None if changed is None else self._tried(ast.Assert(changed))

    def _changed(self, part: ast.expr) -> ast.expr | None:
        """Return what nothing honest fulfils that fulfils a condition, None where we know of none."""
        if isinstance(part, ast.Compare) and len(part.ops) == 1:
            return self._compared(part.left, part.ops[0], part.comparators[0])
        if not isinstance(part, ast.Call):
            return None
        if isinstance(part.func, ast.Attribute) and part.func.attr == "all" and not part.args:
            inner = self._changed(part.func.value)
            return None if inner is None else ast.Call(ast.Attribute(inner, "all", ast.Load()), [], part.keywords)
        name = _called(part)
        if name in _CLOSE and len(part.args) >= 2:
            return ast.Call(part.func, [part.args[0], self._other(part.args[1]), *part.args[2:]], part.keywords)
        if name == "equals" and len(part.args) == 1:
            return ast.Call(part.func, [self._other(part.args[0])], part.keywords)
        return None

    def _compared(self, left: ast.expr, operation: ast.cmpop, right: ast.expr) -> ast.expr | None:
        if isinstance(operation, ast.Eq):
            return ast.Compare(left, [operation], [self._other(right)])
        if isinstance(operation, ast.In):
            return ast.Compare(_expression("object()"), [operation], [right])
        for kinds, strict, bound in (((ast.Lt, ast.LtE), ast.Lt(), "-inf"), ((ast.Gt, ast.GtE), ast.Gt(), "inf")):
            if isinstance(operation, kinds):
                far = ast.Call(ast.Name(f"{self._name}_", ast.Load()), [right, _expression(f"float('{bound}')")], [])
                return ast.Compare(left, [strict], [far])
        return None

    def _tried(self, check: ast.stmt) -> ast.stmt:
        """Return a check that is noted if it holds; its line and constants look as those of the tests."""
        note = f"{self._held}.append({self._held})"
        tried = read_tree(f"try:\n    pass\n    {note}\nexcept AssertionError: pass").body[0]
        assert isinstance(tried, ast.Try)
        tried.body[0] = check
        return tried

    def _other(self, value: ast.expr) -> ast.expr:
        if isinstance(value, ast.Constant):
            if isinstance(value.value, bool):
                return ast.Constant(not value.value)
            if isinstance(value.value, int):
                return ast.Constant(value.value + self._number)
            if isinstance(value.value, str):
                return ast.Constant(value.value + value.value[-1:] + self._letter)
        if isinstance(value, ast.Call) and _called(value) == "approx" and value.args:
            return ast.Call(value.func, [self._other(value.args[0]), *value.args[1:]], value.keywords)
        return ast.Call(ast.Name(self._name, ast.Load()), [value], [])

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        call = node.value
        if isinstance(call, ast.Call) and _EQUALITY.fullmatch(_called(call)) and len(call.args) >= 2:
            call.args[1] = self._other(call.args[1])
            return ast.copy_location(self._tried(node), node)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        self.generic_visit(node)
        if node.name.startswith("test"):
            node.body = self._ended(node.body)
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.stmt:
        self.generic_visit(node)
        if node.name.startswith("test"):
            node.body = self._ended(node.body)
        return node

    def _ended(self, body: list[ast.stmt]) -> list[ast.stmt]:
        clear = read_tree(f"{self._held}.clear()").body[0]
        return [clear, ast.Try(body, [], [], [self.end()])]


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _expression(text: str) -> ast.expr:
    return read_tree(text, "eval").body


def _new_name() -> str:
    return f"_{secrets.choice('abcdefgh')}{secrets.token_hex(2)}"
