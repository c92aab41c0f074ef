"""Undo single operators and lines in which a correct answer's code differs from the question's code.

Often such a difference is the whole correction that the question asks for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from annotator.text.code_spans import code_block_spans, code_blocks

_OPERATOR_CHARACTERS = frozenset("-+*/%<>=!&|^~?")
_TOKEN = re.compile(r"\w+|[-+*/%<>=!&|^~?]+|[^\w\s]")
_MIN_SIMILARITY = 0.5
"""Below this similarity to the question's code, an answer's code counts as newly written."""
_SAME_LINE_SIMILARITY = 0.6
"""From this similarity on, two lines count as versions of one line."""
_MAX_LENGTH_RATIO = 1.5
_MAX_LINES = 6
"""With more changed lines, some of them are probably not what the question asks for."""
_MEANINGLESS_STARTS = ("#", "//", "--", "*", "/*", "</", "import ", "from ", "using ")
_MEANINGLESS_WORDS = ("", "else", "end", "do", "done", "fi", "then", "try")


def undo_operators(prompt: str, text: str) -> Iterator[tuple[str, str, str]]:
    """Yield (operator, the question's operator, changed text) for each operator that differs from the question's.

    The word after it is part of each operator. If the question has none there, its operator is empty.
    """
    question_code = code_blocks(prompt)
    places = code_block_spans(text)
    if not question_code or not places:
        return
    start, end = places[0]
    question_tokens = _TOKEN.findall(question_code)
    tokens = list(_TOKEN.finditer(text, start, end))
    matcher = SequenceMatcher(None, question_tokens, [token[0] for token in tokens], autojunk=False)
    if matcher.ratio() < _MIN_SIMILARITY:
        return
    for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        old = question_tokens[old_start:old_end]
        new = tokens[new_start:new_end]
        if tag not in ("insert", "replace") or len(new) != 1 or not _OPERATOR_CHARACTERS.issuperset(new[0][0]):
            continue
        if all(map(_OPERATOR_CHARACTERS.issuperset, old)):
            sign = new[0]
            next_word = tokens[new_end][0] if new_end < len(tokens) else ""
            other = "".join(old)
            yield f"{sign[0]}{next_word}", f"{other}{next_word}", text[: sign.start()] + other + text[sign.end() :]


def undo_lines(prompt: str, text: str) -> Iterator[tuple[str, str, str]]:
    """Yield (line, the question's line, changed text) for each line of an answer's code that is not in the question's.

    A line without a counterpart in the question is removed, and the question's line is empty. Yields nothing if most
    lines are new.
    """
    question_code = code_blocks(prompt)
    places = code_block_spans(text)
    question_lines = _nonblank_lines(question_code)
    if not question_lines or not places:
        return
    start, end = places[0]
    lines = text[start:end].splitlines(keepends=True)
    new_lines = [number for number, line in enumerate(lines) if line.strip() and line.strip() not in question_code]
    shared_lines = {line.strip() for line in lines} & set(question_lines)
    meaningful_lines = [number for number in new_lines if not _is_meaningless(lines[number].strip())]
    removed_lines = [line for line in question_lines if line not in shared_lines]
    pairs = {number: _most_similar(lines[number].strip(), removed_lines) for number in meaningful_lines}
    if not meaningful_lines or len(meaningful_lines) > _MAX_LINES or not (shared_lines or any(pairs.values())):
        return
    for number, old in pairs.items():
        line = lines[number]
        indent = line[: len(line) - len(line.lstrip())]
        undone = [*lines[:number], f"{indent}{old}\n" if old else "", *lines[number + 1 :]]
        yield line.strip(), old, text[:start] + "".join(undone) + text[end:]


def _is_meaningless(line: str) -> bool:
    """Return whether a line means little on its own: punctuation, a closing tag, a comment, an import, or the beginning
    of a block."""
    letters = "".join(sign for sign in line if sign.isalnum())
    return line.startswith(_MEANINGLESS_STARTS) or line.endswith("{") or letters in _MEANINGLESS_WORDS


def _most_similar(line: str, others: Sequence[str]) -> str:
    """Return the most similar of the other lines; empty if none is similar enough."""
    candidates = [other for other in others if len(other) <= _MAX_LENGTH_RATIO * len(line)]
    similarities = {other: SequenceMatcher(None, other, line, autojunk=False).ratio() for other in candidates}
    best = max(similarities, key=lambda other: similarities[other], default="")
    return best if best and similarities[best] >= _SAME_LINE_SIMILARITY else ""


def _nonblank_lines(code: str) -> list[str]:
    return [line.strip() for line in code.splitlines() if line.strip()]
