"""The functions, classes and constants of a file that a piece of its code needs to run by itself."""

from __future__ import annotations

import ast
import re

from tree_sitter import Node

from annotator.text.python_tree import first_line, readable_tree
from annotator.text.syntax_trees import parse_program

MOST_LINES = 200
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_SCRIPTS = ("javascript", "typescript")
_DECLARED = frozenset((
    "function_declaration", "generator_function_declaration", "class_declaration", "lexical_declaration",
    "variable_declaration", "enum_declaration",
))  # fmt: skip


def definitions_of_code(text: str, code: str, language: str) -> str:
    """Return what a file defines at its top level that ``code`` uses, and what that uses, in the order of the file.

    Of Python, JavaScript and TypeScript; nothing where that is over `MOST_LINES`, which is no piece of its own.
    """
    if language == "python":
        defined, own = _python(text), _python(code)
    elif language in _SCRIPTS:
        defined, own = _script(text, language), _script(code, language)
    else:
        return ""
    known = {name for names, _ in own for name in names}
    wanted: set[str] = set()
    waiting = [code]
    while waiting:
        words = set(_WORD.findall(waiting.pop()))
        for names, piece in defined:
            if not known.intersection(names) and words.intersection(names):
                known.update(names)
                wanted.add(piece)
                waiting.append(piece)
    pieces = [piece for _, piece in defined if piece in wanted]
    joined = "\n\n".join(pieces)
    return f"{joined}\n" if pieces and joined.count("\n") < MOST_LINES else ""


_Defined = list[tuple[frozenset[str], str]]


def _python(text: str) -> _Defined:
    tree = readable_tree(text)
    lines = text.splitlines()
    found: _Defined = []
    for node in tree.body if tree is not None else ():
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names = {node.name}
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = {item.id for target in targets for item in ast.walk(target) if isinstance(item, ast.Name)}
        else:
            continue
        found.append((frozenset(names), "\n".join(lines[first_line(node) - 1 : node.end_lineno])))
    return found


def _script(text: str, language: str) -> _Defined:
    root = parse_program(text, language)
    found: _Defined = []
    for node in root.named_children if root is not None else ():
        whole = node.child_by_field_name("declaration") or node if node.type == "export_statement" else node
        if whole.type not in _DECLARED:
            continue
        piece = _text(whole)
        if "require(" not in piece:
            found.append((frozenset(_names(whole)), piece))
    return found


def _names(node: Node) -> list[str]:
    if named := node.child_by_field_name("name"):
        return [_text(named)]
    declared = [item for item in node.named_children if item.type == "variable_declarator"]
    return [_text(item.child_by_field_name("name")) for item in declared]


def _text(node: Node | None) -> str:
    return node.text.decode("utf-8", "replace") if node is not None and node.text is not None else ""
