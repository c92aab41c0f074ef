"""Split a response into the named parts that the prompt asks for.

A part (`Section`) begins after a line that contains only its name, as a heading, in bold, numbered or with a colon, and
ends before the next such line; words like "the", "reference" or "section" around the name are ignored. If a part occurs
twice, the last one that is not empty counts. In a JSON object the keys are the names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotator.answers.fences import Block, language_of, split_blocks
from annotator.answers.finder import MAX_RESPONSE_CHARS, find_objects
from annotator.answers.outcome import final_text
from annotator.text.syntax_trees import GRAMMARS

_WORD = re.compile(r"[A-Za-z]+(?:\+\+|#)?")
_MAX_HEADING_CHARS, _MIN_KEYS = 60, 2
_RULES = ({"-"}, {"*"}, {"_"})
"""The characters of Markdown's horizontal rules, which separate parts and belong to none."""
_FILLERS = frozenset(
    ("the", "a", "new", "changed", "adapted", "updated", "corrected", "final", "full", "complete", "suggested",
     "reference", "references", "solution", "solutions", "implementation", "implementations", "code", "function",
     "program", "version", "section", "part", "of", "for", "in", "and", "table", "case", "cases", "row", "rows",
     "description", "text", "list", "language", "languages", "step")
)  # fmt: skip
"""Words that may surround the name of a part in a heading."""
_REMARK = re.compile(r"(?:\s|(?<=\w)(?=\(s\)))\([^()\n]{1,30}\)|\b\d+\s*\)")
"""A remark in brackets, or the number of a heading before a bracket."""


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
        """The content as Markdown, or only its code if it is a single block."""
        return self.blocks[0].code.strip("\n") if len(self.pieces) == len(self.blocks) == 1 else self.markdown

    @property
    def markdown(self) -> str:
        """The content as Markdown, with every fence."""
        texts = (item if isinstance(item, str) else f"```{item.language}\n{item.code}\n```" for item in self.pieces)
        return "\n\n".join(texts).strip()

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """The nonblank lines as (language of the fence, line). A block with a language counts as one line."""
        lines: list[tuple[str, str]] = []
        for piece in self.pieces:
            tag, text = (piece.language, piece.code) if isinstance(piece, Block) else ("", piece)
            lines += [(tag, text)] if tag else [("", line) for line in text.split("\n")]
        return tuple((tag, line) for tag, line in lines if line.strip())


def split_sections(response: str, names: Mapping[str, Sequence[str]]) -> dict[str, Section]:
    """Return the parts of a response by their names.

    ``names`` maps each part to the words that name it in a heading. A part may also begin on the line of its name,
    after a colon, unless it is named by a programming language. Languages match by any name: ``cpp`` for ``c++``.
    """
    text = final_text(response[:MAX_RESPONSE_CHARS]).text
    by_word = {word: part for part, words in names.items() for word in words}
    for fields in find_objects(text):
        keyed = {part: _value_text(value) for part, value in _keyed_values(fields, by_word)}
        if len(keyed) >= _MIN_KEYS:
            return {part: Section((value,)) for part, value in keyed.items() if value}
    parts: dict[str, tuple[str | Block, ...]] = {}
    part, pieces = "", list[str | Block]()
    # The sentinel closes the last part.
    for name, piece in [*_named_pieces(text, by_word), ("end", "")]:
        if name:
            if part and pieces:
                parts[part] = tuple(pieces)
            part, pieces = name, []
        if piece:
            pieces.append(piece)
    return {name: Section(pieces) for name, pieces in parts.items()}


def _named_pieces(text: str, by_word: Mapping[str, str]) -> Iterator[tuple[str, str | Block]]:
    """Yield the blocks and the runs of prose of a text, each with the name of the part that it begins."""
    blocks = split_blocks(text)
    for block in blocks:
        yield from _named_prose(block.intro, by_word)
        names = sum(bool(_named_part(line, by_word)) for line in block.code.split("\n"))
        if block.language == "markdown" or names >= _MIN_KEYS:
            # A whole answer in one fence.
            yield from _named_prose(block.code, by_word)
        else:
            yield "", block
    yield from _named_prose(blocks[-1].after if blocks else text, by_word)


def _named_prose(text: str, by_word: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    part, lines = "", list[str]()
    for line in text.split("\n"):
        name = _named_part(line, by_word)
        head, _, rest = ("", "", "") if name else line.partition(":")
        rest = rest.lstrip(" \t*_`").rstrip()
        # A bullet such as "* tests: see below" belongs to the part above it.
        if rest and head.split()[:1] != ["*"]:
            name = _named_part(head, by_word)
            # "Python: a language of ..." is prose, so a language needs a line of its own.
            name = "" if name in ("python", *GRAMMARS) else name
        if name:
            yield part, "\n".join(lines).strip()
            part, lines = name, [rest]
        elif len(line.strip()) < len("---") or set(line.strip()) not in _RULES:
            lines.append(line)
    yield part, "\n".join(lines).strip()


def _named_part(line: str, by_word: Mapping[str, str]) -> str:
    """Return the part that a line names and nothing else; empty for any other line."""
    if not line.strip() or len(line) > _MAX_HEADING_CHARS or line.split()[0] in ("-", "+"):
        return ""
    name = _REMARK.sub("", line)
    words = [language_of(word) for word in _WORD.findall(name)]
    parts = {by_word[word] for word in words if word in by_word}
    # A line with these characters is code, even if its words name a part.
    is_code = not set("=;{}()[]\"'").isdisjoint(name)
    is_name = len(parts) == 1 and all(word in by_word or word in _FILLERS for word in words)
    return parts.pop() if is_name and not is_code else ""


def _keyed_values(fields: Mapping[str, Any], by_word: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    """Yield the values of the keys that name parts, also in inner objects such as those of the references."""
    for key, value in fields.items():
        part = _named_part(str(key).replace("_", " "), by_word)
        if part:
            yield part, value
        elif isinstance(value, Mapping):
            yield from _keyed_values(value, by_word)


def _value_text(value: Any) -> str:
    """Return a value of a JSON answer as the text of a section; lists and objects of texts become bullets."""
    if isinstance(value, Mapping) and all(isinstance(item, str) for item in value.values()):
        value = [f"{name}: {item}" for name, item in value.items()]
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return "\n".join(f"- {item}" for item in value)
    return value.strip() if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
