"""The condition language of keyword rules: a small subset of Python's expressions, interpreted and never evaluated.

Names: ``context`` (a list of "match" or "unmatch" for each rule before), ``ans`` (the text of the rule) and
``response``; in blanks also ``response_str``, ``ans_str``, ``ans_re``, ``no`` (the blank's number from 0) and
``grading_details`` (the details of the blanks before). Operations: indexing, comparisons, ``in``, and/or/not, and the
methods startswith, endswith, count, lower, upper and strip; ``count`` works on ``context`` too.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from annotator.text.python_tree import UNREADABLE, read_tree

NAMES = ("context", "ans", "response", "response_str", "ans_str", "ans_re", "no", "grading_details")
_METHODS = ("startswith", "endswith", "count", "lower", "upper", "strip")
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
LENGTH_LIMIT = 500


class ConditionError(ValueError):
    """A condition is not part of the language, or cannot be computed for a response."""


def parse_condition(text: str) -> ast.expr:
    """Parse and check a condition. Raises `ConditionError` for anything that is not allowed."""
    if len(text) > LENGTH_LIMIT:
        raise ConditionError(f"a condition may have {LENGTH_LIMIT} characters at most")
    try:
        tree = read_tree(text.strip(), "eval").body
    except UNREADABLE as error:
        raise ConditionError("this is not a condition") from error
    for node in ast.walk(tree):
        _check_node(node)
    return tree


def _check_node(node: ast.AST) -> None:
    allowed = (
        ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.Compare, ast.In, ast.NotIn, ast.Subscript,
        ast.Call, ast.Attribute, ast.Name, ast.Load, ast.Constant, *_COMPARISONS,
    )  # fmt: skip
    if not isinstance(node, allowed):
        raise ConditionError(f"{type(node).__name__} is not part of the condition language")
    if isinstance(node, ast.Name) and node.id not in NAMES:
        raise ConditionError(f"there is no name {node.id}; there are: {', '.join(NAMES)}")
    if isinstance(node, ast.Attribute) and node.attr not in _METHODS:
        raise ConditionError(f"there is no method {node.attr}; there are: {', '.join(_METHODS)}")
    if isinstance(node, ast.Call) and (node.keywords or not isinstance(node.func, ast.Attribute)):
        raise ConditionError("only the methods of texts can be called")
    if isinstance(node, ast.Constant) and not isinstance(node.value, (str, int)):
        raise ConditionError("the only values allowed in a condition are texts and whole numbers")


def condition_holds(tree: ast.expr, names: Mapping[str, Any]) -> bool:
    """Evaluate a parsed condition. Raises `ConditionError` for an index out of range or types that do not fit."""
    try:
        return bool(_evaluate(tree, names))
    except (IndexError, TypeError, AttributeError) as error:
        raise ConditionError(f"the condition cannot be computed here ({error})") from error


def _evaluate(node: ast.expr, names: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        if node.id not in names:
            raise TypeError(f"{node.id} is not available here")
        return names[node.id]
    if isinstance(node, ast.BoolOp):
        values = (_evaluate(item, names) for item in node.values)
        return all(values) if isinstance(node.op, ast.And) else any(values)
    if isinstance(node, ast.UnaryOp):
        value = _evaluate(node.operand, names)
        return not value if isinstance(node.op, ast.Not) else -value
    if isinstance(node, ast.Subscript):
        return _evaluate(node.value, names)[_evaluate(node.slice, names)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        owner = _evaluate(node.func.value, names)
        # The published grader allows counting in the list of earlier verdicts.
        if not isinstance(owner, str) and not (isinstance(owner, list) and node.func.attr == "count"):
            raise TypeError("only texts have methods")
        return getattr(owner, node.func.attr)(*(_evaluate(item, names) for item in node.args))
    if isinstance(node, ast.Compare):
        return _evaluate_comparison(node, names)
    raise ConditionError(f"{type(node).__name__} is not part of the condition language")


def _evaluate_comparison(node: ast.Compare, names: Mapping[str, Any]) -> bool:
    value = _evaluate(node.left, names)
    for operation, item in zip(node.ops, node.comparators, strict=True):
        next_value = _evaluate(item, names)
        if isinstance(operation, (ast.In, ast.NotIn)):
            result = (value in next_value) == isinstance(operation, ast.In)
        else:
            result = bool(_COMPARISONS[type(operation)](value, next_value))
        if not result:
            return False
        value = next_value
    return True
