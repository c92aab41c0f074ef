"""Parse ten languages with tree-sitter; the bug operators also change programs in four of them."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from functools import lru_cache
from types import MappingProxyType
from typing import Final

import tree_sitter
from tree_sitter import Node, Parser

LANGUAGES = ("java", "javascript", "typescript", "c++")
"""The languages whose programs the bug operators change."""
GRAMMARS: Final = MappingProxyType(
    {
        "java": ("tree_sitter_java", "language"),
        "javascript": ("tree_sitter_javascript", "language"),
        "typescript": ("tree_sitter_typescript", "language_typescript"),
        "tsx": ("tree_sitter_typescript", "language_tsx"),
        "c++": ("tree_sitter_cpp", "language"),
        "c": ("tree_sitter_c", "language"),
        "c#": ("tree_sitter_c_sharp", "language"),
        "go": ("tree_sitter_go", "language"),
        "rust": ("tree_sitter_rust", "language"),
        "ruby": ("tree_sitter_ruby", "language"),
        "php": ("tree_sitter_php", "language_php"),
        "php without a tag": ("tree_sitter_php", "language_php_only"),
    }
)
"""The languages whose answers are parsed, each with its grammar's module and function."""
_PYTHON = ("tree_sitter_python", "language")
"""Answers in Python are read with the `ast` module; the bug operators use the same kind of tree everywhere."""
_TYPEID = re.compile(rb"\btypeid\b")


def parse_program(code: str, language: str) -> Node | None:
    """Return the root of a program's tree, with offsets in UTF-8 bytes; None for languages outside ``LANGUAGES``."""
    return parse_code(code, language) if language in LANGUAGES else None


def parse_python(code: str) -> Node:
    """Return the root of a Python program's tree, with offsets in UTF-8 bytes."""
    return _parser_of("python").parse(code.encode("utf-8", "surrogatepass")).root_node


def parse_code(code: str, language: str) -> Node | None:
    """Return the root of a program's tree, with offsets in UTF-8 bytes; None for languages outside ``GRAMMARS``."""
    if language == "php" and "<?" not in code:
        language = "php without a tag"
    if language not in GRAMMARS:
        return None
    data = code.encode("utf-8", "surrogatepass")
    if language == "c++":
        # The grammar rejects ``typeid(int)`` but accepts ``sizeof(int)``, which has the same length.
        data = _TYPEID.sub(b"sizeof", data)
    return _parser_of(language).parse(data).root_node


@lru_cache(maxsize=16)
def _parser_of(language: str) -> Parser:
    module, name = _PYTHON if language == "python" else GRAMMARS[language]
    return tree_sitter.Parser(tree_sitter.Language(getattr(importlib.import_module(module), name)()))


def walk_nodes(root: Node) -> Iterator[Node]:
    """Yield a node and its descendants in the order of the text."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack += reversed(node.children)


def node_text(node: Node, data: bytes) -> str:
    """Return a node's text in the parsed bytes."""
    return data[node.start_byte : node.end_byte].decode("utf-8", "surrogatepass")
