"""Convert tests to calls with plain values, for formats with argument lists that compare results with the reference.

A test is converted as a whole or not at all: each of its assertions must compare a call of the entry point with plain
values to a plain value, and it may contain nothing else that could fail.
"""

from __future__ import annotations

import ast
import json
import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from annotator.formats.write.export_folder import CannotHoldError
from annotator.text.python_tree import readable_tree

CALL_LIMIT = 2000
_VALUE_SIZE_LIMIT = 100_000
_HARMLESS_STATEMENTS = (ast.Import, ast.ImportFrom, ast.Pass)
_ARITHMETIC: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = MappingProxyType(
    {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Pow: operator.pow}
)
_EQUALITY_METHODS = frozenset({"assertEqual", "assertEquals", "assertListEqual", "assertDictEqual", "assertSetEqual"})


def plain_calls(code: str, entry_point: str) -> list[list[Any]]:
    """Return the distinct argument lists of the calls that a test compares.

    Raises `CannotHoldError` with the first line that cannot be converted, or if there are no calls.
    """
    tree = readable_tree(code)
    if tree is None:
        raise CannotHoldError("its test code is not Python")
    reader = _CallReader(entry_point)
    reader.read_block(tree.body)
    if not reader.argument_lists:
        raise CannotHoldError("its tests contain no calls with plain values, so there are no argument lists")
    if len(reader.argument_lists) > CALL_LIMIT:
        raise CannotHoldError(f"its tests contain more than {CALL_LIMIT} calls")
    return list(reader.argument_lists.values())


class _CallReader:
    """Reads statements in order and collects the argument lists, keyed by their JSON."""

    def __init__(self, entry_point: str) -> None:
        self.names = {"candidate", entry_point}
        self.argument_lists: dict[str, list[Any]] = {}

    def read_block(self, body: Sequence[ast.stmt]) -> None:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.decorator_list:
                self.read_block(node.body)
            elif isinstance(node, ast.If) and _is_main_check(node.test):
                self.read_block([*node.body, *node.orelse])
            elif isinstance(node, ast.Assert):
                self._read_condition(node.test)
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                self._read_call(node.value)
            elif not self._is_harmless(node):
                raise _not_convertible(node)

    def _is_harmless(self, node: ast.stmt) -> bool:
        """Return whether a statement can neither fail nor run the answer."""
        if isinstance(node, ast.Expr):
            return isinstance(node.value, ast.Constant | ast.Name)
        if isinstance(node, ast.Assign | ast.AnnAssign):
            # What a test writes into an object may change what the answer reads.
            return not any(
                isinstance(part, ast.Call)
                or (isinstance(part, ast.Attribute | ast.Subscript) and isinstance(part.ctx, ast.Store))
                for part in ast.walk(node)
            )
        return isinstance(node, _HARMLESS_STATEMENTS)

    def _read_call(self, node: ast.Call) -> None:
        """Read ``self.assertEqual(…)``, and ignore calls that start tests, whose bodies are read themselves."""
        if isinstance(node.func, ast.Attribute) and node.func.attr in _EQUALITY_METHODS and len(node.args) >= 2:
            self._read_equality(node.args[0], node.args[1])
        elif any(isinstance(part, ast.Call) for part in _argument_nodes(node)) or not _is_test_start(node, self.names):
            raise _not_convertible(node)

    def _read_condition(self, node: ast.expr) -> None:
        if isinstance(node, ast.Constant) and node.value:
            return
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
            for part in node.values:
                self._read_condition(part)
            return
        if not isinstance(node, ast.Compare) or len(node.ops) != 1:
            raise _not_convertible(node)
        left = node.left
        right = node.comparators[0]
        is_none_check = isinstance(right, ast.Constant) and right.value is None
        if not isinstance(node.ops[0], ast.Eq) and not (isinstance(node.ops[0], ast.Is) and is_none_check):
            raise _not_convertible(node)
        self._read_equality(left, right)

    def _read_equality(self, left: ast.expr, right: ast.expr) -> None:
        call, value = (left, right) if self._is_call(left) else (right, left)
        if not isinstance(call, ast.Call) or not self._is_call(call) or call.keywords:
            raise _not_convertible(call)
        try:
            expected = _literal_value(value)
            arguments = [argument for node in call.args for argument in _argument_values(node)]
            text = json.dumps(arguments, allow_nan=False)
            survives_json = json.loads(text) == arguments
        except (ValueError, TypeError, SyntaxError, ArithmeticError, RecursionError, MemoryError):
            raise _not_convertible(call) from None
        if not survives_json:
            raise _not_convertible(call)
        if _is_compared_roughly(expected):
            raise CannotHoldError(
                f"line {call.lineno} of its tests compares decimals exactly, but EvalPlus allows small differences"
            )
        self.argument_lists.setdefault(text, arguments)

    def _is_call(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in self.names


def _not_convertible(node: ast.stmt | ast.expr) -> CannotHoldError:
    return CannotHoldError(
        f"line {node.lineno} of its tests does not compare a call with plain values to a plain value"
    )


def _is_main_check(node: ast.expr) -> bool:
    return any(isinstance(part, ast.Name) and part.id == "__name__" for part in ast.walk(node))


def _argument_nodes(node: ast.Call) -> Iterator[ast.AST]:
    for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
        yield from ast.walk(argument)


def _is_test_start(node: ast.Call, names: set[str]) -> bool:
    """Return whether a call starts tests in the same code: ``check(f)``, ``test_f()``, ``unittest.main()``."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr == "main"
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    return name not in names and (name == "check" or name.startswith("test") or name == "print")


def _is_compared_roughly(value: Any) -> bool:
    """Return whether EvalPlus compares a value with a tolerance, as it does for floats and sequences of them."""
    if isinstance(value, list | tuple) and value:
        return all(isinstance(part, float) for part in value)
    return isinstance(value, float)


def _literal_value(node: ast.expr) -> Any:
    """Return the value of a literal, or of sums, products and powers of literals.

    Raises the same errors as `ast.literal_eval`.
    """
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        left = _literal_value(node.left)
        right = _literal_value(node.right)
        # Tests come from outside: a power such as 9**9**9 would use up time and memory here.
        if _max_result_size(node.op, left, right) > _VALUE_SIZE_LIMIT:
            raise ValueError("the value is too large")
        return _ARITHMETIC[type(node.op)](left, right)
    if isinstance(node, ast.List | ast.Tuple):
        parts = [part for item in node.elts for part in _argument_values(item)]
        return parts if isinstance(node, ast.List) else tuple(parts)
    return ast.literal_eval(node)


def _max_result_size(operation: ast.operator, left: Any, right: Any) -> float:
    """Return an upper bound for the size of a result: bits of a number, or the length of a text or list."""
    numbers = [abs(value) for value in (left, right) if isinstance(value, int | float)]
    sizes = [value.bit_length() if isinstance(value, int) else 64 for value in (left, right)]
    if isinstance(operation, ast.Pow):
        return sizes[0] * numbers[1] if len(numbers) == 2 else math.inf
    if len(numbers) == 2 or isinstance(operation, ast.Add):
        return sum(sizes)
    return max(numbers, default=1) * sum(len(value) for value in (left, right) if not isinstance(value, int | float))


def _argument_values(node: ast.expr) -> list[Any]:
    """Return the value of an argument, or the values of a starred one. Raises like `ast.literal_eval`."""
    if not isinstance(node, ast.Starred):
        return [_literal_value(node)]
    values = _literal_value(node.value)
    if not isinstance(values, (list, tuple)):
        raise ValueError("a starred argument must be a list or a tuple")
    return list(values)
