"""Detect the language of a file and parse its code into `Parsed`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Literal

from tree_sitter import Node

from annotator.mining.generated_code.parsed_python import parse_python
from annotator.mining.generated_code.parsed_source import Data, Definition, Parsed, RawComment, Token, join_comments
from annotator.text.syntax_trees import parse_code

LANGUAGES = ("python", "java", "javascript", "typescript", "c++")
_SUFFIXES = {
    ".py": "python", ".java": "java", ".js": "javascript", ".jsx": "javascript", ".mjs": "javascript",
    ".cjs": "javascript", ".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "typescript",
    ".c": "c++", ".h": "c++", ".cc": "c++", ".cpp": "c++", ".cxx": "c++", ".hh": "c++", ".hpp": "c++", ".hxx": "c++",
}  # fmt: skip


def language_of(name: str) -> str:
    """Return the language of a file by its name, "" for an unsupported one."""
    return _SUFFIXES.get(PurePosixPath(name).suffix.lower(), "")


def parse_source_code(text: str, language: str, name: str = "") -> Parsed:
    """Parse source code; the file's ``name`` distinguishes .tsx from .ts.

    Languages outside `LANGUAGES` are parsed with the grammar of C++, which splits most of them into tokens.
    """
    if language == "python":
        return parse_python(text)

    grammar = language if language in LANGUAGES else "c++"
    if language == "typescript" and name.lower().endswith("x"):
        grammar = "tsx"
    return _parse_with_grammar(text, language, grammar)


def parse_piece(code: str, language: str, name: str = "") -> Parsed:
    """Parse the code of one definition; a method is wrapped in a class, because alone it would parse differently."""
    alone = parse_source_code(code, language, name)
    if language not in ("java", "javascript", "typescript") or (alone.sound and language != "java"):
        return alone
    wrapped = parse_source_code(f"class Piece {{\n{code}\n}}", language, name)
    if not wrapped.sound:
        return alone
    # The wrapping is "class", "Piece", "{" … "}", and a line of its own.
    comments = tuple(replace(item, start=item.start - 1, end=item.end - 1) for item in wrapped.comments)
    return replace(wrapped, comments=comments, tokens=wrapped.tokens[3:-1], logical_lines=wrapped.logical_lines - 1)


COMMENTS = frozenset(("comment", "line_comment", "block_comment", "html_comment"))
_FUNCTIONS = frozenset((
    "method_declaration", "constructor_declaration", "function_declaration", "generator_function_declaration",
    "method_definition", "function_definition",
))  # fmt: skip
_CLASSES = frozenset((
    "class_declaration", "record_declaration", "abstract_class_declaration", "class_specifier", "struct_specifier",
))  # fmt: skip
# An anonymous function takes the name of the variable it is assigned to.
_VALUES = frozenset(("arrow_function", "function_expression", "generator_function"))
_HOLDERS = frozenset(
    ("variable_declarator", "assignment_expression", "pair", "field_definition", "public_field_definition")
)
# A function assigned to one of these has no name of its own.
_EXPORTS = frozenset(("module.exports", "exports"))
_DATA = frozenset((
    "field_declaration", "field_definition", "public_field_definition", "property_signature", "enum_constant",
    "lexical_declaration", "variable_declaration", "declaration", "pair",
))  # fmt: skip
_WRAPPERS = frozenset((
    "export_statement", "template_declaration", "lexical_declaration", "variable_declaration", "expression_statement",
    "variable_declarator", "assignment_expression",
))  # fmt: skip
_DECISIONS = frozenset((
    "if_statement", "while_statement", "do_statement", "for_statement", "enhanced_for_statement", "for_in_statement",
    "for_range_loop", "catch_clause", "ternary_expression", "conditional_expression", "switch_case", "case_statement",
    "switch_label", "&&", "||", "??",
))  # fmt: skip
_STATEMENTS = frozenset((
    "lexical_declaration", "variable_declaration", "local_variable_declaration", "declaration", "field_declaration",
    "field_definition", "public_field_definition", "for_range_loop", "switch_expression",
))  # fmt: skip
_NO_STATEMENTS = frozenset(
    ("compound_statement", "export_statement", "empty_statement", "labeled_statement", "case_statement")
)
_LITERALS = ("string", "number", "literal", "integer", "char", "regex", "template")
_ARROWS = frozenset((".", "->", "::", "?."))
_OPAQUE = frozenset(("string_literal", "char_literal", "raw_string_literal", "number_literal", "string", "regex"))


def _parse_with_grammar(text: str, language: str, grammar: str) -> Parsed:
    """Parse source code; the result is ``sound`` if there is no syntax error."""
    source = text.encode("utf-8", "surrogatepass")
    root = parse_code(text, grammar)
    assert root is not None
    findings = _Findings(source=source, language=language)
    _collect(root, findings)
    return Parsed(
        sound=not root.has_error,
        comments=join_comments(findings.comments),
        definitions=tuple(findings.definitions),
        tokens=tuple(findings.tokens),
        logical_lines=findings.lines,
        complexity=max(1, findings.complexity),
        imports=tuple(findings.imports),
        data=tuple(findings.data),
    )


@dataclass(kw_only=True)
class _Findings:
    source: bytes
    language: str
    comments: list[RawComment] = field(default_factory=list)
    definitions: list[Definition] = field(default_factory=list)
    tokens: list[Token] = field(default_factory=list)
    imports: list[tuple[str, str]] = field(default_factory=list)
    data: list[Data] = field(default_factory=list)
    lines: int = 0
    complexity: int = 0

    def text(self, node: Node) -> str:
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _collect(root: Node, findings: _Findings) -> None:
    """Visit every node in text order, without recursion, because code may be nested arbitrarily deep."""
    pending: list[tuple[Node, str, tuple[str, ...]]] = [(root, "", ())]
    while pending:
        node, prefix, outer = pending.pop()
        if node.type in COMMENTS:
            findings.comments.append(_comment(node, findings))
            continue
        if node.type in _DECISIONS and _decides(node):
            findings.complexity += 1
        if _is_statement(node):
            findings.lines += 1
        kind = _kind(node)
        if kind is not None:
            name = f"{prefix}{_name(node, findings)}"
            if kind == "function":
                findings.complexity += 1
            findings.definitions.append(_definition(node, name, kind, outer, findings))
            prefix, outer = f"{name}.", (*outer, kind)
        elif node.type in ("import_declaration", "import_statement", "preproc_include") or _is_require(node, findings):
            findings.imports.extend(_imports(node, findings))
        elif node.type in _DATA and "function" not in outer and (data_name := _data_name(node, findings)):
            findings.data.append(Data(f"{prefix}{data_name}", node.start_point.row + 1, node.end_point.row + 1))
        if node.child_count and node.type not in _OPAQUE:
            pending.extend((child, prefix, outer) for child in reversed(node.children))
        elif text := findings.text(node):
            findings.tokens.append(_token(node, text, findings.tokens))


def _comment(node: Node, findings: _Findings) -> RawComment:
    row = node.start_point.row
    start = findings.source.rfind(b"\n", 0, node.start_byte) + 1
    before = findings.source[start : node.start_byte].decode("utf-8", "replace")
    text = findings.text(node)
    return RawComment(
        text=text,
        start=row + 1,
        end=row + 1 + text.rstrip("\n").count("\n"),
        column=len(before),
        alone=not before.strip(),
        line_comment=text.startswith("//"),
    )


def _decides(node: Node) -> bool:
    # "default:" is a label too, but not a decision.
    return node.type != "switch_label" or not (node.children and node.children[0].type == "default")


def _is_statement(node: Node) -> bool:
    if node.type in _FUNCTIONS or node.type in _CLASSES:
        return node.child_by_field_name("body") is not None
    if node.type in _STATEMENTS or (node.type.endswith("_statement") and node.type not in _NO_STATEMENTS):
        parent = node.parent
        # A declaration in a loop's head belongs to the loop's line.
        return parent is None or not parent.type.startswith("for") or parent.child_by_field_name("body") == node
    return False


def _kind(node: Node) -> Literal["function", "class"] | None:
    if node.child_by_field_name("body") is None:
        return None
    if node.type in _CLASSES:
        return "class"
    if node.type in _FUNCTIONS:
        return "function"
    if node.type in _VALUES and node.parent is not None:
        holder = node.parent
        if holder.type in _HOLDERS or holder.type == "export_statement":
            return "function"
    return None


def _name(node: Node, findings: _Findings) -> str:
    owner = node
    if node.type in _VALUES and node.parent is not None:
        owner = node.parent
        if findings.text(owner.child_by_field_name("left") or owner) in _EXPORTS:
            owner = node
    for field_name in ("name", "left", "key", "property"):
        name_node = owner.child_by_field_name(field_name)
        if name_node is not None:
            return findings.text(name_node).rpartition(".")[2].strip("'\"[]")
    inner = node.child_by_field_name("declarator")
    while inner is not None:
        further = inner.child_by_field_name("declarator")
        if further is None and inner.type in ("reference_declarator", "parenthesized_declarator"):
            further = inner.named_children[0] if inner.named_children else None
        if further is None:
            return findings.text(inner).replace("::", ".")
        inner = further
    return "default"


def _data_name(node: Node, findings: _Findings) -> str:
    """Return the name of a field or variable, "" if the node declares a function or imports a module."""
    current: Node | None = node
    while current is not None and not _is_name(current):
        if current.type == "function_declarator" or _is_require(current, findings):
            return ""
        fields = (current.child_by_field_name(name) for name in ("declarator", "name", "property", "key"))
        inner = next((item for item in fields if item is not None), None)
        if inner is None and current.type in ("lexical_declaration", "variable_declaration"):
            inner = next((item for item in current.named_children if item.type == "variable_declarator"), None)
        current = inner
    return findings.text(current).strip("'\"[]") if current is not None else ""


def _is_name(node: Node) -> bool:
    return "identifier" in node.type or node.type in ("string", "number", "computed_property_name")


def _definition(
    node: Node, name: str, kind: Literal["function", "class"], outer: tuple[str, ...], findings: _Findings
) -> Definition:
    outermost = node
    while outermost.parent is not None and outermost.parent.type in _WRAPPERS:
        outermost = outermost.parent
    first = outermost
    while first.prev_named_sibling is not None and first.prev_named_sibling.type == "decorator":
        first = first.prev_named_sibling
    code = findings.source[first.start_byte : outermost.end_byte].decode("utf-8", "replace")
    return Definition(
        name=name, kind=kind, start=first.start_point.row + 1, end=outermost.end_point.row + 1, code=code, outer=outer
    )


def _token(node: Node, text: str, before: list[Token]) -> Token:
    if "identifier" in node.type and node.is_named:
        follows = bool(before) and before[-1].text in _ARROWS
        return Token("member" if follows else "name", text)
    if node.is_named and any(mark in node.type for mark in _LITERALS):
        return Token("literal", text)
    return Token("other", text)


def _is_require(node: Node, findings: _Findings) -> bool:
    if node.type != "variable_declarator" or findings.language not in ("javascript", "typescript"):
        return False
    value = node.child_by_field_name("value")
    return value is not None and value.type == "call_expression" and findings.text(value).startswith("require(")


def _imports(node: Node, findings: _Findings) -> Iterator[tuple[str, str]]:
    text = findings.text(node)
    if node.type == "preproc_include":
        path = node.child_by_field_name("path")
        if path is not None:
            yield "", findings.text(path).strip('<>"')
    elif node.type == "import_declaration":
        names = [findings.text(child) for child in node.named_children if "identifier" in child.type]
        if names:
            yield ("*" if text.rstrip(" ;").endswith("*") else names[0].rpartition(".")[2]), names[0]
    else:
        source = text.replace('"', "'").split("'")
        origin = source[1] if len(source) > 2 else ""
        yield from ((name, origin) for name in _imported_names(node, findings))


def _imported_names(node: Node, findings: _Findings) -> Iterator[str]:
    """Yield the local names that an import or ``require`` binds."""
    pending = [node.child_by_field_name("name") or node] if node.type == "variable_declarator" else [node]
    while pending:
        item = pending.pop()
        if item.type in ("identifier", "shorthand_property_identifier_pattern"):
            yield findings.text(item)
        elif item.type == "import_specifier":
            local = item.child_by_field_name("alias") or item.child_by_field_name("name")
            if local is not None:
                yield findings.text(local)
        else:
            pending.extend(item.named_children)
