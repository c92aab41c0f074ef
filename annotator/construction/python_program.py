"""A Python program with the byte positions of its nodes, and the basic edits that operators use."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from annotator.construction.edits import Edit, remove_lines
from annotator.construction.python_facts import parse_python_code

Function = ast.FunctionDef | ast.AsyncFunctionDef
PlacedNode = ast.expr | ast.stmt | ast.arg | ast.keyword | ast.ExceptHandler
_COMMENT = re.compile(rb"#[^\n]*")


class PythonProgram:
    """A Python program with its tree, parents and byte positions."""

    def __init__(self, code: str) -> None:
        """Parse the code. Raises `ConstructionError` if it is not Python."""
        self.code = code
        self.tree = parse_python_code(code)
        self.data = code.encode("utf-8", "surrogatepass")
        self._line_starts = [0]
        for index, byte in enumerate(self.data):
            if byte == 10:
                self._line_starts.append(index + 1)
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    def byte_offset(self, line: int, column: int) -> int:
        """Return the byte offset of a line (1-based) and byte column."""
        return self._line_starts[line - 1] + column

    def line_span(self, line: int) -> tuple[int, int]:
        """Return the start and end of a line, without its newline."""
        start = self._line_starts[line - 1]
        end = self._line_starts[line] - 1 if line < len(self._line_starts) else len(self.data)
        return start, end

    def span(self, node: PlacedNode) -> tuple[int, int]:
        """Return a node's start and end in bytes."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self.byte_offset(node.lineno, node.col_offset), self.byte_offset(node.end_lineno, node.end_col_offset)

    def text(self, node: PlacedNode) -> str:
        """Return a node's source."""
        start, end = self.span(node)
        return self.data[start:end].decode("utf-8", "surrogatepass")

    def replace(self, node: PlacedNode, text: str) -> Edit:
        """Return the edit that replaces a node by a text."""
        return Edit(*self.span(node), text)

    def functions(self) -> list[Function]:
        """Return all functions, in their order."""
        nodes = [node for node in ast.walk(self.tree) if isinstance(node, Function)]
        return sorted(nodes, key=lambda node: node.lineno)

    def nodes_inside(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the nodes inside a node, without docstrings, annotations, decorators and f-strings."""
        if isinstance(node, Function | ast.ClassDef | ast.Module):
            children: Sequence[ast.AST] = node.body
        elif isinstance(node, ast.AnnAssign):
            children = [item for item in (node.target, node.value) if item is not None]
        else:
            children = list(ast.iter_child_nodes(node))
        for child in children:
            if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
                continue
            if isinstance(child, ast.JoinedStr):
                # Before Python 3.12 the parts of an f-string have no correct positions.
                continue
            yield child
            yield from self.nodes_inside(child)

    def nodes_in_functions(self) -> Iterator[ast.AST]:
        """Yield every node in the body of a function, each once."""
        yielded_ids: set[int] = set()
        for function in self.functions():
            for node in self.nodes_inside(function):
                if id(node) not in yielded_ids:
                    yielded_ids.add(id(node))
                    yield node

    def containing_body(self, node: ast.stmt) -> list[ast.stmt]:
        """Return the list of statements that contains a statement."""
        parent = self.parents[node]
        for name in ("body", "orelse", "finalbody", "handlers"):
            statements: list[ast.stmt] = getattr(parent, name, [])
            if isinstance(statements, list) and node in statements:
                return statements
        return [node]

    def remove(self, node: ast.stmt) -> Edit | None:
        """Return the edit that removes a statement's lines, or replaces the only statement of a body by ``pass``.

        None if it shares a line with other code.
        """
        start, end = self.span(node)
        first, last = self.line_span(node.lineno), self.line_span(node.end_lineno or node.lineno)
        is_alone = not self.data[first[0] : start].strip() and not _COMMENT.sub(b"", self.data[end : last[1]]).strip()
        if not is_alone:
            return None
        if len(self.containing_body(node)) == 1:
            return Edit(start, end, "pass")
        return remove_lines(self.data, first[0], min(last[1] + 1, len(self.data)))


def names_in(node: ast.AST) -> set[str]:
    """Return the names that a node reads or binds."""
    return {item.id for item in ast.walk(node) if isinstance(item, ast.Name)}
