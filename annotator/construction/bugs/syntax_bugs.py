"""Bugs of syntax in Python: code that does not parse, and names that are not defined
(specification, task construction, 2.3)."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from annotator.construction.edits import Edit, OperatorMatch, Proposal, make_proposals
from annotator.construction.python_program import PythonProgram

_COMPOUND_STATEMENTS = (ast.If, ast.For, ast.While, ast.FunctionDef, ast.With, ast.Try, ast.ClassDef)
_PAIRS = {"()": (ast.Call, ast.Tuple), "[]": (ast.Subscript, ast.List, ast.ListComp), "{}": (ast.Dict, ast.DictComp)}


def syntax_bugs(code: str) -> list[Proposal]:
    """Return syntax bugs of a program's functions. Raises `ConstructionError` if the code is not Python."""
    program = PythonProgram(code)
    makers = (_colon, _closing, _quote, _indentation, _equals, _foreign_syntax, _wrong_name)
    matches = [change for node in program.nodes_in_functions() for make in makers for change in make(program, node)]
    matches += [change for node in program.tree.body for change in _import(program, node)]
    return make_proposals(code, "syntax", matches)


def _find_colon(program: PythonProgram, node: ast.AST) -> int | None:
    """Return the offset of a compound statement's colon, if it is on the statement's first line."""
    if not isinstance(node, _COMPOUND_STATEMENTS):
        return None
    first = node.body[0]
    start, end = program.line_span(node.lineno)
    if first.lineno == node.lineno:
        return None
    text = program.data[start:end]
    bare = text.split(b"#")[0].rstrip()
    return start + len(bare) - 1 if bare.endswith(b":") else None


def _colon(program: PythonProgram, node: ast.AST) -> Iterator[OperatorMatch]:
    at = _find_colon(program, node)
    if at is not None:
        yield "parse", "dropped_colon", [Edit(at, at + 1, "")], "the colon is missing"


def _closing(program: PythonProgram, node: ast.AST) -> Iterator[OperatorMatch]:
    for brackets, kinds in _PAIRS.items():
        if isinstance(node, kinds):
            start, end = program.span(node)
            ends = program.data[end - 1 : end] == brackets[1].encode()
            if ends and program.line_at(start) == program.line_at(end):
                yield "parse", "dropped_bracket", [Edit(end - 1, end, "")], f"the closing {brackets[1]} is missing"


def _quote(program: PythonProgram, node: ast.AST) -> Iterator[OperatorMatch]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        start, end = program.span(node)
        text = program.data[start:end]
        if text[-1:] in (b"'", b'"') and not text.endswith((b'"""', b"'''")):
            yield "parse", "dropped_quote", [Edit(end - 1, end, "")], "the closing quote is missing"


def _indentation(program: PythonProgram, node: ast.AST) -> Iterator[OperatorMatch]:
    if not isinstance(node, ast.stmt) or program.containing_body(node)[0] is node:
        return
    start, _ = program.line_span(node.lineno)
    if not program.data[start : program.byte_offset(node.lineno, node.col_offset)].strip() and node.col_offset:
        yield "parse", "wrong_indentation", [Edit(start, start, "  ")], "the line is indented too far"


def _equals(program: PythonProgram, node: ast.AST) -> Iterator[OperatorMatch]:
    if isinstance(node, ast.If | ast.While) and isinstance(node.test, ast.Compare) and len(node.test.ops) == 1:
        test = node.test
        edit = program.replace_between(test.left, test.comparators[0], "==", "=")
        if isinstance(test.ops[0], ast.Eq) and edit is not None:
            yield "parse", "assignment_in_condition", [edit], "assigns where it should compare"


def _foreign_syntax(program: PythonProgram, node: ast.AST) -> Iterator[OperatorMatch]:
    if isinstance(node, ast.If):
        start, _ = program.span(node)
        if program.data[start : start + 4] == b"elif":
            yield "parse", "foreign_keyword", [Edit(start, start + 4, "else if")], "writes else if"
    elif isinstance(node, ast.BoolOp):
        old, new = ("and", "&&") if isinstance(node.op, ast.And) else ("or", "||")
        edit = program.replace_between(node.values[0], node.values[1], old, new)
        if edit is not None:
            yield "parse", "foreign_operator", [edit], f"writes {new}"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "parse", "foreign_operator", [Edit(*program.operator_span(node, "not"), "!")], "writes !"
    elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add) and isinstance(node.target, ast.Name):
        if isinstance(node.value, ast.Constant) and node.value.value == 1:
            edit = Edit(program.span(node.target)[1], program.span(node)[1], "++")
            yield "parse", "foreign_operator", [edit], "writes ++"
    elif isinstance(node, ast.Raise):
        start, _ = program.span(node)
        yield "parse", "foreign_keyword", [Edit(start, start + 5, "throw")], "writes throw"


def _wrong_name(program: PythonProgram, node: ast.AST) -> Iterator[OperatorMatch]:
    if isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool)):
        new = "null" if node.value is None else str(node.value).lower()
        yield "name", "foreign_constant", [program.replace(node, new)], f"writes {new}"
    if not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)):
        return
    if len(node.id) >= 4 and not hasattr(builtins, node.id):
        yield "name", "misspelt_name", [program.replace(node, _transpose_letters(node.id))], f"{node.id} is misspelt"


def _transpose_letters(name: str) -> str:
    """Return a name with two letters swapped, as in a typing error."""
    for at in range(len(name) // 2, len(name) - 1):
        if name[at] != name[at + 1] and "_" not in name[at : at + 2]:
            return name[:at] + name[at + 1] + name[at] + name[at + 2 :]
    return name[:-1]


def _import(program: PythonProgram, node: ast.stmt) -> Iterator[OperatorMatch]:
    if isinstance(node, ast.Import | ast.ImportFrom) and getattr(node, "module", "") not in ("typing", "__future__"):
        edit = program.remove(node)
        if edit is not None:
            yield "name", "missing_import", [edit], "an import is missing"
