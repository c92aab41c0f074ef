"""Split a response into the named parts that were asked for.

A part is what follows a line that is only its name (as a heading, in bold, numbered or with a colon), up to the next
such line; words like "the", "reference" or "section" around the name do not matter. Of a part that comes twice, the
last that is not empty counts. A response that is a JSON object is read by its keys instead.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotator.answers.fences import Block, language_of, split_blocks
from annotator.answers.finder import LONGEST, find_objects
from annotator.answers.outcome import spoken_text
from annotator.text.syntax_trees import GRAMMARS

_WORD = re.compile(r"[A-Za-z]+(?:\+\+|#)?")
_MOST_LETTERS, _LEAST_KEYS, _LEAST_RULE = 60, 2, 3
_LANGUAGES = ("python", *GRAMMARS)
_FILLERS = frozenset(
    ("the", "a", "new", "changed", "adapted", "updated", "corrected", "final", "full", "complete", "suggested",
     "reference", "references", "solution", "solutions", "implementation", "implementations", "code", "function",
     "program", "version", "section", "part", "of", "for", "in", "and", "table", "case", "cases", "row", "rows",
     "description", "text", "list", "language", "languages", "step")
)  # fmt: skip
"""Words around the name of a part that say nothing else."""
_REMARK = re.compile(r"(?:\s|(?<=\w)(?=\(s\)))\([^()\n]{1,30}\)|\b\d+\s*\)")
"""A remark in brackets, or the number of a heading with its bracket."""
_CODE_SIGNS = frozenset("=;{}()[]\"'")


@dataclass(frozen=True, slots=True)
class Section:
    """The content of a part: prose and code blocks in order."""

    pieces: tuple[str | Block, ...] = ()

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The code blocks."""
        return tuple(piece for piece in self.pieces if isinstance(piece, Block))

    @property
    def text(self) -> str:
        """The content as Markdown; a lone block without its fence."""
        if len(self.pieces) == 1 and isinstance(self.pieces[0], Block):
            return self.pieces[0].code.strip("\n")
        return self.markdown

    @property
    def markdown(self) -> str:
        """The content as Markdown, with every fence."""
        return "\n\n".join(piece if isinstance(piece, str) else _fenced(piece) for piece in self.pieces).strip()

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """The lines that are not blank, each with the language of its fence; a block with a language is one line."""
        lines: list[tuple[str, str]] = []
        for piece in self.pieces:
            tag = piece.language if isinstance(piece, Block) else ""
            text = piece.code if isinstance(piece, Block) else piece
            lines += [(tag, text)] if tag else [("", line) for line in text.split("\n")]
        return tuple((tag, line) for tag, line in lines if line.strip())


_Reading = list[tuple[str, list[str | Block]]]
"""The parts read so far, by name, with their prose and blocks; the last one is open."""


def split_sections(response: str, names: Mapping[str, Sequence[str]]) -> dict[str, Section]:
    """Return the parts of a response by their names.

    ``names`` maps each part to the words that name it in a heading. Names of programming languages match every name of
    the language, such as ``cpp`` for ``c++``; they need a line of their own, while the text of another part may follow
    its name and a colon on the same line.
    """
    text = spoken_text(response[:LONGEST]).text
    by_word = {word: part for part, words in names.items() for word in words}
    if keyed := _read_keys(text, by_word):
        return keyed
    reading: _Reading = [("", [])]
    _read_text(text, by_word, reading)
    parts = [(name, tuple(piece for piece in pieces if isinstance(piece, Block) or piece)) for name, pieces in reading]
    return {name: Section(pieces) for name, pieces in parts if name and pieces}


def _read_text(text: str, by_word: Mapping[str, str], reading: _Reading) -> None:
    blocks = split_blocks(text)
    for block in blocks:
        _read_prose(block.intro, by_word, reading)
        inner = sum(bool(_named_part(line, by_word)) for line in block.code.split("\n"))
        if block.language == "markdown" or inner >= _LEAST_KEYS:
            # A whole answer in one fence.
            _read_prose(block.code, by_word, reading)
        else:
            reading[-1][1].append(block)
    _read_prose(blocks[-1].after if blocks else text, by_word, reading)


def _read_prose(text: str, by_word: Mapping[str, str], reading: _Reading) -> None:
    lines: list[str] = []
    for line in text.split("\n"):
        part = _named_part(line, by_word)
        same_line = None if part else _part_with_text(line, by_word)
        if part or same_line:
            reading[-1][1].append("\n".join(lines).strip())
            reading.append((part or (same_line[0] if same_line else ""), []))
            lines = [same_line[1]] if same_line else []
        elif len(line.strip()) < _LEAST_RULE or set(line.strip()) not in ({"-"}, {"*"}, {"_"}):
            lines.append(line)
    reading[-1][1].append("\n".join(lines).strip())


def _named_part(line: str, by_word: Mapping[str, str]) -> str:
    """Return the part that a line names and nothing else; empty for any other line."""
    if not line.strip() or len(line) > _MOST_LETTERS or line.split()[0] in ("-", "+"):
        return ""
    name = _REMARK.sub("", line)
    words = [word.lower() for word in _WORD.findall(name)]
    parts = {by_word[language_of(word)] for word in words if language_of(word) in by_word}
    others = [word for word in words if language_of(word) not in by_word and word not in _FILLERS]
    return parts.pop() if len(parts) == 1 and not others and _CODE_SIGNS.isdisjoint(name) else ""


def _part_with_text(line: str, by_word: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the part that a line names before a colon, and the text after it; None for any other line."""
    name, _, text = line.partition(":")
    text = text.lstrip(" \t*_`").rstrip()
    part = _named_part(name, by_word) if text and name.split()[:1] != ["*"] else ""
    return (part, text) if part and part not in _LANGUAGES else None


def _read_keys(text: str, by_word: Mapping[str, str]) -> dict[str, Section]:
    """Return the parts in the first JSON object with the names of two of them or more."""
    for fields in find_objects(text):
        sections = {part: Section((_value_text(value),)) for part, value in _keyed_values(fields, by_word)}
        if len(sections) >= _LEAST_KEYS:
            return {part: section for part, section in sections.items() if section.text}
    return {}


def _keyed_values(fields: Mapping[str, Any], by_word: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    for key, value in fields.items():
        part = _named_part(str(key).replace("_", " "), by_word)
        if part:
            yield part, value
        elif isinstance(value, Mapping):
            # Such as {"references": {"python": …}}.
            yield from _keyed_values(value, by_word)


def _value_text(value: Any) -> str:
    """Return a value of a JSON answer as the text of a section: lists of texts and objects of texts as bullets."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, Mapping) and all(isinstance(item, str) for item in value.values()):
        return "\n".join(f"- {name}: {item}" for name, item in value.items())
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return "\n".join(f"- {item}" for item in value)
    return json.dumps(value, ensure_ascii=False)


def _fenced(block: Block) -> str:
    return f"```{block.language}\n{block.code}\n```"
