"""Find the lines of a function and its body in its file (counted from 1, both ends included), and their text."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from annotator.mining.repository.discovery.modules import FunctionInfo
from annotator.mining.repository.discovery.scopes import end_of
from annotator.text.python_tree import first_line


@dataclass(frozen=True, slots=True, kw_only=True)
class Spans:
    """A function's lines. ``body`` begins after the docstring; it is empty (first > last) if there is only that."""

    first: int
    last: int
    body_first: int
    body_last: int
    indent: int
    signature: str
    docstring: str

    @property
    def loc(self) -> int:
        """Number of lines of the body."""
        return max(0, self.body_last - self.body_first + 1)


def spans_of(info: FunctionInfo) -> Spans:
    """Return the lines of a function's parts; ``indent`` is that of its body, in columns."""
    node, lines = info.node, info.module.lines
    first, last = first_line(node), end_of(node)[0]
    docstring = ast.get_docstring(node, clean=True) or ""
    body = node.body[1:] if docstring and len(node.body) > 1 else [] if docstring else node.body
    start = first_line(body[0]) if body else last + 1
    end = (node.body[0].lineno, node.body[0].col_offset)
    signature = _signature_text(lines, node.lineno, node.col_offset, end)
    return Spans(
        first=first,
        last=last,
        body_first=start,
        body_last=last,
        indent=node.body[0].col_offset,
        signature=signature,
        docstring=docstring,
    )


def _signature_text(lines: list[str], line: int, column: int, end: tuple[int, int]) -> str:
    """Return the text from a position to the last colon before ``end``; columns count bytes."""
    encoded = [text.encode("utf-8") for text in lines[line - 1 : end[0]]]
    encoded[-1] = encoded[-1][: end[1]]
    encoded[0] = encoded[0][column:]
    text = b"\n".join(encoded).decode("utf-8", "replace")
    signature = text.rstrip()
    while signature and not _without_comment(signature).endswith(":"):
        # There is a comment between the colon and the body.
        signature = signature.rpartition("\n")[0].rstrip()
    return _without_comment(signature) or text.strip()


def _without_comment(text: str) -> str:
    """Return a text without the comment that ends its last line, if what is left ends in a colon."""
    head, _, last = text.rpartition("\n")
    bare = last.partition("#")[0].rstrip()
    if "#" in last and bare.endswith(":"):
        return f"{head}\n{bare}" if head else bare
    return text


def code_of(info: FunctionInfo) -> str:
    """Return a function's lines from its file, with decorators, dedented."""
    lines = info.module.lines[first_line(info.node) - 1 : end_of(info.node)[0]]
    indent = info.node.col_offset
    return "\n".join(line[indent:] if not line[:indent].strip() else line for line in lines)


def replace_body(info: FunctionInfo, body: str) -> str:
    """Return the file with a function's body (after the docstring) replaced; ``body`` is not indented."""
    spans = spans_of(info)
    lines = info.module.lines
    indented = [" " * spans.indent + line if line.strip() else line for line in body.split("\n")]
    if spans.body_first == info.node.lineno and spans.loc:
        # The whole function is on one line.
        line = lines[spans.body_first - 1].encode("utf-8")
        head = line[: info.node.body[0].col_offset].decode("utf-8")
        return "\n".join([*lines[: spans.body_first - 1], head + body, *lines[spans.body_last :]])
    return "\n".join([*lines[: spans.body_first - 1], *indented, *lines[spans.body_last :]])
