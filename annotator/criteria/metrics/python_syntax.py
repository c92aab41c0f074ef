"""The ``ast`` matcher: does Python code in the response call a function, import a module, define a name?"""

from __future__ import annotations

import ast
import re

from annotator.criteria.document.criterion_document import SyntaxRule
from annotator.criteria.metrics.extraction import fenced_code_of
from annotator.criteria.metrics.rule_results import RuleResult, rate_rule
from annotator.text.python_tree import UNREADABLE, read_tree

_DOTTED_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*\Z")


def is_name(text: str) -> bool:
    """Return whether a text is a valid dotted name."""
    return _DOTTED_NAME.match(text) is not None


def score_syntax(rule: SyntaxRule, response: str) -> RuleResult:
    """Judge the code in the response's fences (the whole response if it has none) by its syntax tree."""
    label = f"{'no ' if rule.absent else ''}{rule.kind} {rule.name}"
    code = fenced_code_of(response)
    try:
        tree = read_tree(code)
    except UNREADABLE as error:
        return rate_rule(rule, "ast", label, False, f"the code cannot be read ({error})")
    lines = [_line_number(node) for node in ast.walk(tree) if _node_fits(rule, node)]
    matched = bool(lines) != rule.absent
    known_lines = [line for line in lines if line]
    detail = f"in line {known_lines[0]} of the code" if known_lines else "not in the code"
    return rate_rule(rule, "ast", label, matched, detail, spans=_line_spans(response, code, known_lines))


def _line_number(node: ast.AST) -> int:
    return int(getattr(node, "lineno", 0))


def _node_fits(rule: SyntaxRule, node: ast.AST) -> bool:
    name = rule.name
    if rule.kind == "calls":
        return isinstance(node, ast.Call) and _ends_with(_dotted_name(node.func), name)
    if rule.kind == "defines":
        return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.name == name
    if isinstance(node, ast.Import):
        return any(item.name == name or item.name.startswith(f"{name}.") for item in node.names)
    if isinstance(node, ast.ImportFrom):
        module = node.module or ""
        return (
            module == name
            or module.startswith(f"{name}.")
            or any(f"{module}.{item.name}" == name for item in node.names)
        )
    return False


def _dotted_name(node: ast.AST) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    parts.append(node.id if isinstance(node, ast.Name) else "")
    return ".".join(reversed(parts))


def _ends_with(dotted_name: str, name: str) -> bool:
    return dotted_name == name or dotted_name.endswith(f".{name}")


def _line_spans(response: str, code: str, lines: list[int]) -> tuple[tuple[int, int], ...]:
    start = response.find(code)
    if start < 0 or not lines:
        return ()
    texts = code.splitlines(keepends=True)
    spans = []
    for number in dict.fromkeys(lines):
        line_start = start + sum(len(text) for text in texts[: number - 1])
        line = texts[number - 1]
        stripped_line = line.strip()
        if stripped_line:
            spans.append(
                (line_start + line.index(stripped_line), line_start + line.index(stripped_line) + len(stripped_line))
            )
    return tuple(spans)
