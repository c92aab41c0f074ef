"""Parse Python with the standard library: comments and docstrings, definitions, tokens, measures."""

from __future__ import annotations

import ast
import keyword
import textwrap
import tokenize
from collections.abc import Iterator
from typing import Literal

from annotator.mining.generated_code.parsed_source import (
    CodeComment,
    Data,
    Definition,
    Parsed,
    RawComment,
    Token,
    join_comments,
    plain_comment,
)
from annotator.text.python_tokens import read_tokens
from annotator.text.python_tree import first_line, readable_tree

_LAYOUT = {tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DECISIONS = (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.Assert)


def parse_python(text: str) -> Parsed:
    """Parse Python code. Invalid code is not ``sound`` and only has the comments up to the error."""
    tokens_read, is_complete = read_tokens(text)
    comments = [
        RawComment(
            text=word.string,
            start=word.start[0],
            end=word.end[0],
            column=word.start[1],
            alone=not word.line[: word.start[1]].strip(),
            line_comment=True,
        )
        for word in tokens_read
        if word.type == tokenize.COMMENT
    ]
    docstrings = list(_docstrings(tokens_read))
    tree = readable_tree(text) if is_complete else None
    tokens = tuple(_code_tokens(tokens_read, {id(word) for word in docstrings}))
    lines = sum(word.type == tokenize.NEWLINE for word in tokens_read) - len(docstrings)
    if tree is None:
        return Parsed(
            sound=False,
            comments=join_comments(comments),
            definitions=(),
            tokens=tokens,
            logical_lines=lines,
            complexity=1,
        )
    docstring_comments = [
        CodeComment(
            text=plain_comment(_unquoted(word.string)),
            start=word.start[0],
            end=word.end[0],
            column=word.start[1],
            end_column=word.end[1],
            place="docstring",
        )
        for word in docstrings
    ]
    merged = sorted([*join_comments(comments), *docstring_comments], key=lambda item: (item.start, item.end))
    unsorted = _definitions(tree, text.splitlines(keepends=True))
    definitions = tuple(sorted(unsorted, key=lambda item: (item.start, -item.end)))
    data = tuple(sorted(_data(tree), key=lambda item: item.start))
    return Parsed(
        sound=True,
        comments=tuple(merged),
        definitions=definitions,
        tokens=tokens,
        logical_lines=lines,
        complexity=_complexity(tree),
        imports=tuple(_imports(tree)),
        data=data,
    )


def _docstrings(words: list[tokenize.TokenInfo]) -> Iterator[tokenize.TokenInfo]:
    """Yield the strings that are statements."""
    at_start = True
    for index, word in enumerate(words):
        if word.type == tokenize.STRING and at_start:
            following = next(
                (item for item in words[index + 1 :] if item.type not in (tokenize.NL, tokenize.COMMENT)), None
            )
            if following is None or following.type in (tokenize.NEWLINE, tokenize.ENDMARKER):
                yield word
        if word.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING):
            at_start = True
        elif word.type not in (tokenize.NL, tokenize.COMMENT):
            at_start = False


def _unquoted(text: str) -> str:
    body = text.lstrip("rRbBuUfF")
    size = 3 if body[:3] in ('"""', "'''") else 1
    return body[size:-size]


def _code_tokens(words: list[tokenize.TokenInfo], excluded: set[int]) -> Iterator[Token]:
    previous = ""
    for word in words:
        if word.type in _LAYOUT or word.type == tokenize.COMMENT or id(word) in excluded:
            # In Python, indentation is part of the code.
            if word.type in (tokenize.INDENT, tokenize.DEDENT):
                yield Token("other", "{" if word.type == tokenize.INDENT else "}")
            continue
        if word.type == tokenize.NAME and not keyword.iskeyword(word.string):
            yield Token("member" if previous == "." else "name", word.string)
        elif word.type in (tokenize.NUMBER, tokenize.STRING):
            yield Token("literal", word.string)
        else:
            yield Token("other", word.string)
        previous = word.string


def _definitions(tree: ast.Module, lines: list[str]) -> Iterator[Definition]:
    pending: list[tuple[ast.AST, str, tuple[str, ...]]] = [(tree, "", ())]
    while pending:
        node, prefix, outer = pending.pop()
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, (*_FUNCTIONS, ast.ClassDef)):
                pending.append((child, prefix, outer))
                continue
            kind: Literal["function", "class"] = "class" if isinstance(child, ast.ClassDef) else "function"
            name = f"{prefix}{child.name}"
            start = first_line(child)
            end = child.end_lineno or child.lineno
            code = textwrap.dedent("".join(lines[start - 1 : end]))
            yield Definition(name=name, kind=kind, start=start, end=end, code=code, outer=outer)
            pending.append((child, f"{name}.", (*outer, kind)))


def _data(tree: ast.Module) -> Iterator[Data]:
    """Yield the assignments outside functions."""
    pending: list[tuple[ast.AST, str]] = [(tree, "")]
    while pending:
        node, prefix = pending.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                target = child.targets[0] if isinstance(child, ast.Assign) else child.target
                yield Data(f"{prefix}{ast.unparse(target)}", child.lineno, child.end_lineno or child.lineno)
            elif isinstance(child, ast.ClassDef):
                pending.append((child, f"{prefix}{child.name}."))
            elif isinstance(child, (ast.stmt, ast.ExceptHandler)) and not isinstance(child, _FUNCTIONS):
                pending.append((child, prefix))


def _complexity(tree: ast.Module) -> int:
    total = 0
    for node in ast.walk(tree):
        if isinstance(node, (*_FUNCTIONS, *_DECISIONS)):
            total += 1
        elif isinstance(node, ast.BoolOp):
            total += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            total += 1 + len(node.ifs)
        elif isinstance(node, ast.match_case):
            total += 1
    return max(total, 1)


def _imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.asname or alias.name.partition(".")[0], alias.name
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module or ''}.{alias.name}".lstrip(".")
