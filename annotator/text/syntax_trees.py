"""Read Java, JavaScript, TypeScript and C++ into trees (tree-sitter)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import tree_sitter
import tree_sitter_cpp
import tree_sitter_java
import tree_sitter_javascript
import tree_sitter_typescript
from tree_sitter import Node, Parser

LANGUAGES = ("java", "javascript", "typescript", "c++")
_TYPEID = re.compile(rb"\btypeid\b")


def parse_program(code: str, language: str) -> Node | None:
    """Return the root of a program's tree, whose places are bytes of its UTF-8; None for another language."""
    parser = _parser_of(language)
    if parser is None:
        return None
    data = code.encode("utf-8", "surrogatepass")
    if language == "c++":
        # Its grammar takes no ``typeid(int)``, but ``sizeof(int)``, which is as long.
        data = _TYPEID.sub(b"sizeof", data)
    return parser.parse(data).root_node


@lru_cache(maxsize=8)
def _parser_of(language: str) -> Parser | None:
    """Return the parser of a language; None for one that is not of ``LANGUAGES``."""
    if language == "java":
        grammar = tree_sitter_java.language()
    elif language == "javascript":
        grammar = tree_sitter_javascript.language()
    elif language == "typescript":
        grammar = tree_sitter_typescript.language_typescript()
    elif language == "c++":
        grammar = tree_sitter_cpp.language()
    else:
        return None
    return tree_sitter.Parser(tree_sitter.Language(grammar))


def walk_nodes(root: Node) -> Iterator[Node]:
    """Yield a node and all below it, in the order of the text."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack += reversed(node.children)


def node_text(node: Node, data: bytes) -> str:
    """Return what a node stands for in the bytes that were read."""
    return data[node.start_byte : node.end_byte].decode("utf-8", "surrogatepass")
