"""Split tests in Java, JavaScript, TypeScript and C++ into single assertions: a bug can fail one and pass another."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from annotator.construction.foreign import LANGUAGES, tree_of

if TYPE_CHECKING:
    from tree_sitter import Node

_ASSERTING = re.compile(rb"\b(?:assert\w*|expect|REQUIRE|CHECK)\s*(?:\.\s*\w+\s*)*\(|\bassert\b|\bthrow\b")
_ACTING = ("expression_statement", "if_statement", "assert_statement", "for_statement", "for_in_statement",
           "enhanced_for_statement", "for_range_loop", "while_statement", "try_statement", "statement_block",
           "compound_statement", "block")  # fmt: skip
_MAIN = ("function_definition", "method_declaration")


def split_foreign(code: str, language: str) -> tuple[str, ...]:
    """Return one program per assertion of a test; what stands before an assertion and asserts nothing is kept in it.

    Assertions are statements of a script, or of the function ``main``, that call assert or expect, or throw. A test
    that is not built so, or has one assertion only, is returned whole.
    """
    if language not in LANGUAGES:
        return (code,)
    data = code.encode("utf-8", "surrogatepass")
    root = tree_of(code, language)
    if root.has_error:
        return (code,)
    statements = root.named_children if language in ("javascript", "typescript") else _main(root, data)
    asserting = [node for node in statements if node.type in _ACTING and _ASSERTING.search(_bytes(node, data))]
    if len(asserting) < 2:
        return (code,)
    return tuple(_only(data, asserting, chosen).decode("utf-8", "surrogatepass") for chosen in asserting)


def _main(root: Node, data: bytes) -> list[Node]:
    """Return the statements of the function main; nothing if there is none."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type in _MAIN:
            named = node.child_by_field_name("declarator") or node.child_by_field_name("name")
            body = node.child_by_field_name("body")
            if named is not None and body is not None and re.match(rb"main\b", _bytes(named, data)):
                return list(body.named_children)
        stack += reversed(node.named_children)
    return []


def _bytes(node: Node, data: bytes) -> bytes:
    return data[node.start_byte : node.end_byte]


def _only(data: bytes, asserting: list[Node], chosen: Node) -> bytes:
    """Return the test without its other assertions, each taken out with the line it stood on alone."""
    parts, at = [], 0
    for node in asserting:
        if node == chosen:
            continue
        start, end = node.start_byte, node.end_byte
        line, after = data.rfind(b"\n", 0, start) + 1, data.find(b"\n", end)
        if not data[line:start].strip() and after >= 0 and not data[end:after].strip(b" \t;"):
            start, end = line, after + 1
        parts.append(data[at : max(at, start)])
        at = end
    return b"".join([*parts, data[at:]])
