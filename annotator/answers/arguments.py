"""Argument answers: with which arguments a response says that the function is to be called (understanding, reverse).

They are found as values are (`finder`). Arguments are a call, a list, values with commas between them, an object, or
lines that give each parameter by its name. A block or a sentence may show them in a call of the function.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from annotator.answers.finder import LONGEST, Finder, closing, inline_codes, plain_forms, read_object
from annotator.answers.found import Found
from annotator.answers.outcome import no_answer, spoken_text

_NAMES = r"(?:inputs?|arguments?|args|parameters?|solution)(?![\w(])|参数|输入"
_FIELDS = ("answer", "final_answer", "arguments", "args", "input", "inputs", "parameters", "kwargs")
_MOST_CALLS = 100

Reads = Callable[[str], bool]


def find_arguments(
    response: str, reads: Reads, entry_point: str, names: Sequence[str], *, finish_reason: str = "stop"
) -> Found:
    """Return the arguments that a response gives, as a text that ``reads``, and why; of lines of arguments the first.

    ``reads`` tells whether a text is a call or a list of arguments that fits the function, whose parameters are
    ``names``.
    """
    said = spoken_text(response[:LONGEST])
    lines = [line.strip() for line in said.text.split("\n") if line.strip()]
    if len(lines) > 1 and all(map(reads, lines)):
        return Found(lines[0], f"the first of {len(lines)} lines")
    found = _Arguments(reads, entry_point, names).find(said.text)
    return found if found is not None else no_answer(said, finish_reason, missing="list of arguments")


class _Arguments(Finder):
    noun = "list of arguments"

    def __init__(self, reads: Reads, entry_point: str, parameters: Sequence[str]) -> None:
        super().__init__(_NAMES)
        self.reads, self.parameters = reads, parameters
        self.call = re.compile(rf"(?<![\w.]){re.escape(entry_point)}\s*(?=\()")
        each = "|".join(map(re.escape, parameters)) or r"(?!)"
        self.keyword = re.compile(rf"^[ \t|>*+`-]*(?P<name>{each})[`*]*[ ]*[=:|](?P<value>[^\n]+)$", re.MULTILINE)

    def is_answer(self, text: str) -> bool:
        return self.reads(text)

    def read(self, text: str, *, is_block: bool = False) -> str | None:
        for plain in plain_forms(text):
            field = self._field(read_object(plain)) if plain.startswith("{") else None
            if field is not None:
                return field
            if self.reads(plain):
                return plain
            rest = self.behind_name(plain)
            if rest is not None and (answer := self.read(rest)) is not None:
                return answer
        return (self._in_code(text) if is_block else None) or self._keywords(text)

    def in_prose(self, prose: str) -> Iterator[tuple[str, Iterable[str | None]]]:
        yield "the last call of the function", self.last_of(prose, self._calls(prose))
        yield "inline code that names the parameters", [self._keywords("\n".join(inline_codes(prose)))]
        yield from super().in_prose(prose)

    def _in_code(self, text: str) -> str | None:
        """Return the last call in a program, else what it assigns to a name such as ``args``."""
        assigned = [
            text[mark.end() :].split("\n")[0].strip() for mark in self.label.finditer(text) if mark["mark"] is not None
        ]
        found = list(filter(self.reads, [*assigned, *(call for _, _, call in self._calls(text))]))
        return found[-1] if found else None

    def _field(self, given: object) -> str | None:
        """Return the arguments in the last field of an object that is named like them."""
        if not isinstance(given, dict) or any(name in given for name in self.parameters):
            return None
        values = [given[name] for name in given if name in _FIELDS and given[name] != {}]
        written = values[-1] if values and isinstance(values[-1], str) else repr(values[-1]) if values else ""
        return written if written and self.reads(written) else None

    def _calls(self, text: str) -> list[tuple[int, int, str]]:
        """Return where a text calls the function, and the calls."""
        spans = [(mark.start(), closing(text, mark.end())) for mark in list(self.call.finditer(text))[-_MOST_CALLS:]]
        return [(start, end, text[start:end]) for start, end in spans if end]

    def _keywords(self, text: str) -> str | None:
        """Return lines such as ``name = value``, ``name: value`` or rows of a table as keywords."""
        given = {mark["name"]: mark["value"].strip(" \t|;,`*") for mark in self.keyword.finditer(text)}
        written = ", ".join(f"{name}={value}" for name, value in given.items())
        return written if written and self.reads(written) else None
