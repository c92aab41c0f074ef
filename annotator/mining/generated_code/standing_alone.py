"""Prepare mined code for display: remove credits to a model, distinguish C from C++, and find missing names."""

from __future__ import annotations

import ast
import builtins
import re
import symtable
from collections.abc import Sequence
from pathlib import PurePosixPath

from annotator.mining.generated_code.code_languages import parse_piece
from annotator.mining.generated_code.model_mentions import find_mentions
from annotator.mining.generated_code.parsed_source import CodeComment, plain_comment
from annotator.text.python_tree import UNREADABLE, readable_tree

_OPENING = re.compile(r"^(\s*(?:[rRuU]?(?:\"\"\"|'''|\"|')|/\*+|\*|#+|//+)?\s*)(.*?)(\s*(?:\"\"\"|'''|\"|'|\*/)?\s*)$")
_SENTENCE_END = re.compile(r"(?<=[.!?)])\s+")
_CPP_WORDS = re.compile(
    r"\b(?:class|namespace|template|typename|public|private|using|constexpr|nullptr|auto|virtual|new|delete)\b|::|&\s*\w+\s*[,)]"
)
_NEVER_MISSING = frozenset(dir(builtins)) | {"__file__", "__class__"}


def without_credits(code: str, language: str, path: str = "") -> str:
    """Return code without the comments, or their lines or sentences, that say a model wrote it."""
    lines: list[str | None] = list(code.split("\n"))
    # From the last to the first: comments before one on the same line keep their columns.
    for comment in reversed(parse_piece(code, language, path).comments):
        if find_mentions(comment.text):
            _remove_credit(lines, comment)
    return "\n".join(line for line in lines if line is not None)


def _remove_credit(lines: list[str | None], comment: CodeComment) -> None:
    """Remove the part of a comment that says a model wrote the code; a removed line becomes None."""
    numbers = range(comment.start - 1, comment.end)
    parts = [_parts_of_line(lines[number] or "", number, comment) for number in numbers]
    sentences = [_SENTENCE_END.split(words) for _, _, words, _, _ in parts]
    credited = _credited_sentences(sentences)
    # One-line comments and line comments lose the whole lines with the credit, other comments only its sentences.
    keeps_marks = comment.place == "docstring" or (len(parts) > 1 and parts[0][1].lstrip().startswith("/*"))
    for index, (before, opening, _, closing, after) in enumerate(parts):
        number = numbers[index]
        if not any(row == index for row, _ in credited):
            continue
        if keeps_marks:
            rest = [
                text for index_in_line, text in enumerate(sentences[index]) if (index, index_in_line) not in credited
            ]
            if index and not any(rest):
                margin = opening[: len(opening) - len(opening.lstrip())]
                lines[number] = margin + closing.strip() + after if index == len(parts) - 1 else None
            else:
                lines[number] = (before + opening + " ".join(rest) + closing.rstrip() + after).rstrip()
        elif before.strip():
            lines[number] = before.rstrip() + (" " if after[:1].isalnum() else "") + after
        else:
            lines[number] = before + after.lstrip() if after.strip() else None


def uncredited_text(lines: Sequence[str]) -> str:
    """Return the text of a comment, given its lines of code, without the sentences that say a model wrote the code."""
    sentences = [_SENTENCE_END.split(plain_comment(line).strip("\"' ")) for line in lines]
    credited = _credited_sentences(sentences)
    return " ".join(
        text for row, texts in enumerate(sentences) for index, text in enumerate(texts) if (row, index) not in credited
    )


def _parts_of_line(line: str, number: int, comment: CodeComment) -> tuple[str, str, str, str, str]:
    """Split a line into the code before a comment, its opening mark, its text, its closing mark, the code after it."""
    begin = comment.column if number == comment.start - 1 else 0
    end = comment.end_column if number == comment.end - 1 else len(line)
    match = _OPENING.match(line[begin:end])
    assert match is not None
    return line[:begin], match[1], match[2], match[3], line[end:]


def _credited_sentences(sentences: list[list[str]]) -> set[tuple[int, int]]:
    """Return (line, index in the line) of the sentences with a credit, which may continue over several lines."""
    joined = ""
    spans: list[tuple[int, int, tuple[int, int]]] = []
    for row, texts in enumerate(sentences):
        for index_in_line, text in enumerate(texts):
            spans.append((len(joined), len(joined) + len(text), (row, index_in_line)))
            joined += f"{text} "
    return {
        key
        for mention in find_mentions(joined)
        for start, end, key in spans
        if start < mention.end and mention.start < end
    }


def shown_language(language: str, path: str, code: str) -> str:
    """Return the language of code; "c++" becomes "c" for .c files and for headers without C++ keywords."""
    ending = PurePosixPath(path).suffix.lower()
    is_c = ending == ".c" or (ending == ".h" and _CPP_WORDS.search(code) is None)
    return "c" if language == "c++" and is_c else language


def missing_names(code: str, language: str) -> tuple[str, ...]:
    """Return the undefined names in Python code; () for other languages.

    Only module-level names count. A star import may define any name, so with one none is missing.
    """
    tree = readable_tree(code) if language == "python" else None
    if tree is None or any(isinstance(node, ast.alias) and node.name == "*" for node in ast.walk(tree)):
        return ()
    try:
        top = symtable.symtable(code, "<code>", "exec")
    except UNREADABLE:
        return ()
    defined = {item.get_name() for item in top.get_symbols() if item.is_assigned() or item.is_imported()}
    used: dict[str, None] = {}
    pending = [top]
    while pending:
        table = pending.pop()
        used |= {
            item.get_name(): None
            for item in table.get_symbols()
            if item.is_referenced() and (item.is_global() or table is top)
        }
        defined |= {item.get_name() for item in table.get_symbols() if item.is_declared_global() and item.is_assigned()}
        pending += table.get_children()
    return tuple(sorted(name for name in used if name not in defined and name not in _NEVER_MISSING))
