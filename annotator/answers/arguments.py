"""Argument answers: the arguments that a response proposes for a call of the function (understanding, reverse).

They are found like values (`finder`). They may be a call, a list, values separated by commas, an object, or lines that
name each parameter. A block or a sentence may also contain them in a call of the function.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from annotator.answers.finder import LONGEST, Finder, find_closing_bracket, inline_codes, plain_forms, read_object
from annotator.answers.outcome import ExtractedAnswer, classify_missing_answer, final_text

_NAMES = r"(?:inputs?|arguments?|args|parameters?|solution)(?![\w(])|参数|输入"
_FIELDS = ("answer", "final_answer", "arguments", "args", "input", "inputs", "parameters", "kwargs")
_MAX_CALLS = 100

IsArguments = Callable[[str], bool]


def find_arguments(
    response: str,
    is_arguments: IsArguments,
    entry_point: str,
    parameters: Sequence[str],
    *,
    finish_reason: str = "stop",
) -> ExtractedAnswer:
    """Return the arguments in a response, and why they were chosen; if every line holds arguments, the first line.

    ``is_arguments`` returns whether a text is a call or a list of arguments for the function with ``parameters``.
    """
    final = final_text(response[:LONGEST])
    lines = [line.strip() for line in final.text.split("\n") if line.strip()]
    if len(lines) > 1 and all(map(is_arguments, lines)):
        return ExtractedAnswer(lines[0], f"the first of {len(lines)} lines")
    answer = _Arguments(is_arguments, entry_point, parameters).find(final.text)
    return answer if answer is not None else classify_missing_answer(final, finish_reason, missing="list of arguments")


class _Arguments(Finder):
    noun = "list of arguments"

    def __init__(self, is_arguments: IsArguments, entry_point: str, parameters: Sequence[str]) -> None:
        super().__init__(_NAMES)
        self.is_arguments, self.parameters = is_arguments, parameters
        self.call = re.compile(rf"(?<![\w.]){re.escape(entry_point)}\s*(?=\()")
        alternatives = "|".join(map(re.escape, parameters)) or r"(?!)"
        self.keyword = re.compile(
            rf"^[ \t|>*+`-]*(?P<name>{alternatives})[`*]*[ ]*[=:|](?P<value>[^\n]+)$", re.MULTILINE
        )

    def is_answer(self, text: str) -> bool:
        return self.is_arguments(text)

    def read(self, text: str, *, is_block: bool = False) -> str | None:
        for plain in plain_forms(text):
            field = self._field(read_object(plain)) if plain.startswith("{") else None
            if field is not None:
                return field
            if self.is_arguments(plain):
                return plain
            rest = self.text_after_name(plain)
            if rest is not None and (answer := self.read(rest)) is not None:
                return answer
        return (self._in_code(text) if is_block else None) or self._keywords(text)

    def in_prose(self, prose: str) -> Iterator[tuple[str, Iterable[str | None]]]:
        yield "the last call of the function", self.last_of(prose, self._calls(prose))
        yield "inline code that names the parameters", [self._keywords("\n".join(inline_codes(prose)))]
        yield from super().in_prose(prose)

    def _in_code(self, text: str) -> str | None:
        """Return the last call in a program, else the last value assigned to a name such as ``args``."""
        assigned = [
            text[label.end() :].split("\n")[0].strip()
            for label in self.label.finditer(text)
            if label["mark"] is not None
        ]
        arguments = list(filter(self.is_arguments, [*assigned, *(call for _, _, call in self._calls(text))]))
        return arguments[-1] if arguments else None

    def _field(self, fields: object) -> str | None:
        """Return the arguments in the last field whose name means arguments."""
        if not isinstance(fields, dict) or any(name in fields for name in self.parameters):
            return None
        values = [fields[name] for name in fields if name in _FIELDS and fields[name] != {}]
        answer_text = values[-1] if values and isinstance(values[-1], str) else repr(values[-1]) if values else ""
        return answer_text if answer_text and self.is_arguments(answer_text) else None

    def _calls(self, text: str) -> list[tuple[int, int, str]]:
        """Return the start, end and text of every call of the function."""
        spans = [
            (mark.start(), find_closing_bracket(text, mark.end()))
            for mark in list(self.call.finditer(text))[-_MAX_CALLS:]
        ]
        return [(start, end, text[start:end]) for start, end in spans if end]

    def _keywords(self, text: str) -> str | None:
        """Return lines such as ``name = value``, ``name: value`` or rows of a table as keyword arguments."""
        keywords = {mark["name"]: mark["value"].strip(" \t|;,`*") for mark in self.keyword.finditer(text)}
        answer_text = ", ".join(f"{name}={value}" for name, value in keywords.items())
        return answer_text if answer_text and self.is_arguments(answer_text) else None
