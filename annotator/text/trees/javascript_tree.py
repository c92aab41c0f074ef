"""Imports, declarations and calls of JavaScript and TypeScript programs, and edits of their source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from tree_sitter import Node

from annotator.text.syntax_trees import node_text, parse_code, walk_nodes

FUNCTIONS = frozenset(
    ("arrow_function", "function_declaration", "function_expression", "generator_function",
     "generator_function_declaration", "method_definition")
)  # fmt: skip
"""Nodes that are functions."""
_DECLARATIONS = frozenset(
    ("function_declaration", "generator_function_declaration", "class_declaration", "abstract_class_declaration",
     "enum_declaration", "internal_module")
)  # fmt: skip
"""Statements that declare one name."""


@dataclass(frozen=True, slots=True)
class ModuleImport:
    """A statement that imports from a module; ``names`` are pairs of exported (``*``: all) and local name."""

    node: Node
    module: str
    names: tuple[tuple[str, str], ...]
    is_import: bool


class JavaScriptSource:
    """A program with its syntax tree."""

    def __init__(self, text: str, language: str) -> None:
        self.text = text
        self.data = text.encode("utf-8", "surrogatepass")
        root = parse_code(text, language)
        assert root is not None
        self.root = root

    def of(self, node: Node | None) -> str:
        """Return a node's text, or an empty text for None."""
        return "" if node is None else node_text(node, self.data)

    @cached_property
    def outside(self) -> tuple[Node, ...]:
        """The nodes outside functions."""
        return tuple(outside_functions(self.root))

    @cached_property
    def has_top_level_await(self) -> bool:
        """Whether there is a top-level ``await``."""
        return any(node.type in ("await_expression", "await") for node in self.outside)

    @cached_property
    def is_module(self) -> bool:
        """Whether the program must be run as an ES module."""
        kinds = {node.type for node in self.root.children}
        return bool(kinds & {"import_statement", "export_statement"}) or self.has_top_level_await

    @cached_property
    def imports(self) -> tuple[ModuleImport, ...]:
        """The top-level imports, and the declarations that bind the result of ``require``."""
        module_imports = []
        for node in self.root.children:
            if node.type == "import_statement" and self.of(node.child(1)) != "type":
                names = (pair for part in node.children for pair in self._imported_names(part))
                module_imports.append(
                    ModuleImport(node, self._quoted(node.child_by_field_name("source")), tuple(names), True)
                )
            elif node.type in ("lexical_declaration", "variable_declaration") and node.named_child_count == 1:
                declarator = node.named_children[0]
                module = self.required_module(declarator.child_by_field_name("value"))
                if module:
                    pattern = declarator.child_by_field_name("name")
                    module_imports.append(ModuleImport(node, module, tuple(self._bound_names(pattern, "*")), False))
        return tuple(module_imports)

    @cached_property
    def declared(self) -> dict[str, str]:
        """The kind of declaration by name, for all top-level declarations."""
        names = {
            local_name: "import"
            for module_import in self.imports
            if module_import.is_import
            for _, local_name in module_import.names
        }
        for node in self.root.children:
            if node.type == "export_statement":
                node = node.child_by_field_name("declaration") or node
            elif node.type == "expression_statement" and node.named_child_count:
                # The grammar parses a namespace as an expression.
                node = node.named_children[0]
            if node.type in ("lexical_declaration", "variable_declaration"):
                for part in node.named_children:
                    names |= {
                        local_name: self.of(node.child(0))
                        for _, local_name in self._bound_names(part.child_by_field_name("name"))
                    }
            elif node.type in _DECLARATIONS:
                names[self.of(node.child_by_field_name("name")).partition(".")[0]] = node.type
        names.pop("", None)
        return names

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """The names that are used or bound anywhere, except property names."""
        kinds = ("identifier", "shorthand_property_identifier")
        return frozenset(self.of(node) for node in walk_nodes(self.root) if node.type in kinds)

    def calls(self, nodes: Iterable[Node]) -> Iterator[tuple[Node, str]]:
        """Yield the calls among nodes with the text of the called function."""
        for node in nodes:
            if node.type == "call_expression":
                yield node, self.of(node.child_by_field_name("function"))

    def required_module(self, node: Node | None, word: str = "require") -> str:
        """Return the module that a call of ``require`` or ``import`` loads, or an empty text."""
        if node is None or node.type != "call_expression" or self.of(node.child_by_field_name("function")) != word:
            return ""
        arguments = node.child_by_field_name("arguments")
        return self._quoted(arguments.named_children[0]) if arguments and arguments.named_child_count else ""

    def _quoted(self, node: Node | None) -> str:
        return self.of(node)[1:-1] if node is not None and node.type == "string" else ""

    def _imported_names(self, part: Node) -> Iterator[tuple[str, str]]:
        for node in part.named_children if part.type == "import_clause" else ():
            if node.type == "identifier":
                yield "default", self.of(node)
            elif node.type == "namespace_import":
                yield "*", self.of(node.named_children[0])
            for specifier in node.named_children if node.type == "named_imports" else ():
                if self.of(specifier.child(0)) != "type":
                    exported_name = self.of(specifier.child_by_field_name("name"))
                    yield exported_name, self.of(specifier.child_by_field_name("alias")) or exported_name

    def _bound_names(self, node: Node | None, member_name: str = "*") -> Iterator[tuple[str, str]]:
        """Yield (member name, bound name) pairs of a destructuring pattern."""
        if node is None:
            return
        if node.type in ("identifier", "shorthand_property_identifier_pattern"):
            yield (member_name if node.type == "identifier" else self.of(node)), self.of(node)
        elif node.type in ("assignment_pattern", "object_assignment_pattern"):
            yield from self._bound_names(node.child_by_field_name("left"), member_name)
        elif node.type == "pair_pattern":
            yield from self._bound_names(node.child_by_field_name("value"), self.of(node.child_by_field_name("key")))
        elif node.type in ("object_pattern", "array_pattern", "rest_pattern"):
            for part in node.named_children:
                yield from self._bound_names(part, member_name)


def outside_functions(root: Node) -> Iterator[Node]:
    """Yield a node and its descendants, without the contents of functions and classes inside it."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        if node is root or node.type not in FUNCTIONS | {"class_body"}:
            stack += reversed(node.children)


class ByteEdits:
    """Edits of a text by byte offset."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._edits: list[tuple[int, int, str]] = []

    def insert(self, at: int, text: str) -> None:
        """Insert a text before a byte offset."""
        self._edits.append((at, at, text))

    def replace(self, node: Node, text: str) -> None:
        """Replace a node by a text, padded so that line numbers below stay the same."""
        lines = self._data[node.start_byte : node.end_byte].count(b"\n")
        self._edits.append((node.start_byte, node.end_byte, text + "\n" * lines))

    def apply(self) -> str:
        """Return the changed text; edits inside a replaced range are dropped."""
        data = self._data
        removed = [(start, end) for start, end, _ in self._edits if end > start]
        for start, end, text in sorted(self._edits, key=lambda edit: edit[:2], reverse=True):
            if not any(first <= start and end <= last and (first, last) != (start, end) for first, last in removed):
                data = data[:start] + text.encode("utf-8", "surrogatepass") + data[end:]
        return data.decode("utf-8", "surrogatepass")


__all__ = ["FUNCTIONS", "ByteEdits", "JavaScriptSource", "ModuleImport", "Node", "outside_functions"]
