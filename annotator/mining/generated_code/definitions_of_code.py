"""Find the imports, functions, classes and constants of a file that a piece of its code needs to run alone."""

from __future__ import annotations

import ast
import re

from tree_sitter import Node

from annotator.text.python_tree import first_line, readable_tree
from annotator.text.syntax_trees import parse_program

MAX_LINES = 200
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_C_HEADERS = frozenset((
    "assert", "complex", "ctype", "errno", "fenv", "float", "inttypes", "limits", "locale", "math", "setjmp", "signal",
    "stdarg", "stdbool", "stddef", "stdint", "stdio", "stdlib", "string", "threads", "time", "wchar", "wctype",
))  # fmt: skip
_DECLARATIONS = frozenset((
    "function_declaration", "generator_function_declaration", "class_declaration", "lexical_declaration",
    "variable_declaration", "enum_declaration", "interface_declaration", "type_alias_declaration",
    "function_definition", "declaration", "struct_specifier", "class_specifier", "enum_specifier", "union_specifier",
    "alias_declaration", "type_definition", "template_declaration", "preproc_def", "preproc_function_def",
    "method_declaration", "field_declaration",
))  # fmt: skip


def definitions_of_code(text: str, code: str, language: str) -> str:
    """Return the top-level definitions of a file that ``code`` uses, directly or indirectly, in the order of the file.

    In Java these are the methods and fields of its class. "" for more than `MAX_LINES` lines.
    """
    if language == "python":
        definitions, own = _python_definitions(text), _python_definitions(code)
    else:
        definitions = [item for item in _tree_definitions(text, language, code) if item[1] not in (code, f"{code};")]
        own = _tree_definitions(code, language, code)
    included_names = {name for names, _ in own for name in names}
    needed: set[str] = set()
    pending = [code]
    while pending:
        words = set(_WORD.findall(pending.pop())) - included_names
        pieces = [piece for names, piece in definitions if words.intersection(names)]
        included_names.update(*(names for names, _ in definitions if words.intersection(names)))
        needed.update(pieces)
        pending += pieces
    pieces = [piece for _, piece in definitions if piece in needed]
    joined = "\n\n".join(pieces)
    return f"{joined}\n" if pieces and joined.count("\n") < MAX_LINES else ""


_Definitions = list[tuple[frozenset[str], str]]


def _python_definitions(text: str) -> _Definitions:
    tree = readable_tree(text)
    lines = text.splitlines()
    definitions: _Definitions = []
    for node in tree.body if tree is not None else ():
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names = {node.name}
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = {item.id for target in targets for item in ast.walk(target) if isinstance(item, ast.Name)}
        else:
            continue
        definitions.append((frozenset(names), "\n".join(lines[first_line(node) - 1 : node.end_lineno])))
    return definitions


def _tree_definitions(text: str, language: str, code: str) -> _Definitions:
    root = parse_program(text, language)
    nodes = root.named_children if root is not None else []
    if language == "java":
        classes = (node.child_by_field_name("body") for node in nodes if code in _text(node))
        nodes = [member for body in classes if body is not None for member in body.named_children]
    definitions: _Definitions = []
    for node in nodes:
        declaration = node.child_by_field_name("declaration") or node if node.type == "export_statement" else node
        piece = _text(declaration)
        if declaration.type in _DECLARATIONS and "require(" not in piece:
            # The grammar of C++ leaves the semicolon after a type out.
            end = ";" if declaration.type.endswith("_specifier") else ""
            definitions.append((frozenset(_declared_names(declaration)), f"{piece.rstrip()}{end}"))
    return definitions


def _declared_names(node: Node) -> list[str]:
    if node.type == "template_declaration":
        return _declared_names(node.named_children[-1])
    if name_node := node.child_by_field_name("name"):
        return [_text(name_node)]
    inner = [item for item in node.named_children if item.type == "variable_declarator"]
    inner = inner or node.children_by_field_name("declarator")
    return [name for item in inner for name in _declared_names(item)] or [_text(node)]


def _text(node: Node | None) -> str:
    return node.text.decode("utf-8", "replace") if node is not None and node.text is not None else ""


def imports_of_code(text: str, code: str, language: str) -> str:
    """Return the import lines of a file for the names that ``code`` uses, "" if it uses none.

    For Java and C++ only the standard library counts, since nothing else is available. Always "" for JavaScript and
    TypeScript, which import packages and neighbouring files.
    """
    if language == "python":
        lines = _python_imports(text, code)
    elif language == "c++":
        lines = list(dict.fromkeys(filter(None, map(_standard_header, text.splitlines()))))
    elif language == "java":
        used = {"*", *_WORD.findall(code)}
        imports = [line.strip() for line in text.splitlines() if line.startswith("import ")]
        names = ((line, line.partition(";")[0].split()[-1]) for line in imports)
        lines = [line for line, name in names if name.startswith("java.") and name.rpartition(".")[2] in used]
    else:
        lines = []
    return "".join(f"{line}\n" for line in lines)


def _standard_header(line: str) -> str:
    """Return the line of C++ if it includes a header of the standard library or uses its namespace, else ""."""
    header = "".join(line.split()).partition("#include<")[2].partition(">")[0]
    if header.isidentifier() or (header.endswith(".h") and header[:-2] in _C_HEADERS):
        return f"#include <{header}>"
    return "using namespace std;" if line.strip().startswith("using namespace std;") else ""


def _python_imports(text: str, code: str) -> list[str]:
    file, piece = readable_tree(text), readable_tree(code)
    if file is None or piece is None:
        return []
    used = {node.id for node in ast.walk(piece) if isinstance(node, ast.Name)}
    lines = []
    for node in file.body:
        if isinstance(node, ast.ImportFrom):
            # The package is not available to a single function, so relative imports are dropped.
            names = [] if node.level else [item for item in node.names if _local_name(item) in used]
            if node.module == "__future__":
                names = node.names
            if names:
                lines.append(ast.unparse(ast.ImportFrom(node.module, names, 0)))
        elif isinstance(node, ast.Import):
            aliases = [item for item in node.names if _local_name(item).partition(".")[0] in used]
            if aliases:
                lines.append(ast.unparse(ast.Import(aliases)))
    return lines


def _local_name(item: ast.alias) -> str:
    return item.asname or item.name
