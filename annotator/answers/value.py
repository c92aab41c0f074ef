"""Values and arguments: what a response gives as the result of a call, or for a call of the function.

Both are found by `finder`. Arguments may be a call, a list, values separated by commas, an object, or lines that name
each parameter; a block or a sentence may also contain them in a call of the function.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from annotator.answers.fences import split_blocks
from annotator.answers.finder import (
    MAX_RESPONSE_CHARS,
    Finder,
    find_closing_bracket,
    inline_codes,
    plain_forms,
    read_object,
    unwrap_forms,
)
from annotator.answers.outcome import ExtractedAnswer, classify_missing_answer, final_text, has_no_content
from annotator.answers.refusals import is_refusal

_VALUE_FIELDS = ("answer", "final_answer", "output", "result", "return_value", "value")
_VALUE_NAMES = r"""
    (?:(?:function(?:[ ]call)?|call|code|program|it)[ ]+)?(?:`?CALL\([^\n]{0,300}?\)`?[ ]+)?
    (?:(?:will|would|should)[ ]+)?
    (?:outputs?|results?|return(?:s|ed)?(?:[ ]value)?|prints?|evaluates[ ]to)(?![\w(])|输出(?:结果)?|结果|返回值?
"""
"""Words at the beginning of a sentence that states the value; CALL is the name of the item's function."""
_MAX_BARE_LENGTH = 400
_SHELL = re.compile(r"\A(?:>>>|In \[)(?:.*\n(?:>>>|\.\.\.|In \[))?(?P<call>[^\n]*)\n(?:Out\[\d*\]: )?", re.DOTALL)
"""A Python shell session up to its last output."""
_RESULT_MARK = re.compile(r"[)\s`]*(?:==|=>|=|->|→|#|//|returns\b|evaluates to\b|gives\b)(?:[\s>=→]|->)*")

IsValue = Callable[[str], bool]


def find_value(
    response: str, is_value: IsValue, *, entry_point: str = "", is_text: bool = False, keyed: bool = False,
    finish_reason: str = "stop",
) -> ExtractedAnswer:  # fmt: skip
    """Return the value in a response, as written, and why it was chosen (`finder`).

    ``is_value`` returns whether a text is one value of the item's language. ``is_text`` is True if the value is a
    string, which may lack its quotes. ``keyed`` is True if the value is an object itself; its keys are then part of the
    value, even if one is called "answer".
    """
    final = final_text(response[:MAX_RESPONSE_CHARS])
    text = final.text.strip()
    finder = _Values(is_value, entry_point, is_text=is_text, keyed=keyed)
    answer = finder.find(text)
    if answer is None and finish_reason != "length":
        blocks = split_blocks(text)
        is_alone = len(blocks) == 1 and not (blocks[0].intro or blocks[0].after)
        whole = finder.read_bare(blocks[0].code if is_alone else text)
        answer = ExtractedAnswer(whole, "the whole text, which has no quotes") if whole is not None else None
    return answer if answer is not None else classify_missing_answer(final, finish_reason, missing="value")


class _Values(Finder):
    noun = "value"

    def __init__(self, is_value: IsValue, entry_point: str, *, is_text: bool, keyed: bool) -> None:
        name = rf"(?:\w+\.)*{re.escape(entry_point)}" if entry_point else r"(?!)"
        super().__init__(_VALUE_NAMES.replace("CALL", name))
        self.is_value, self.entry_point, self.is_text, self.keyed = is_value, entry_point, is_text, keyed
        self.call = re.compile(rf"^[> `*]*(?:assert\s+|print\(|\w+\s*=\s*)*{name}\s*(?=\()", re.MULTILINE)

    def is_answer(self, text: str) -> bool:
        return self.is_value(text)

    def read(self, text: str, *, is_block: bool = False) -> str | None:  # noqa: ARG002 - a block is read as a paragraph
        for plain in plain_forms(text):
            field = self._field(read_object(plain)) if plain.startswith("{") and not self.keyed else None
            if field is not None:
                return field
            if self.is_value(plain):
                return plain
            for rest in (plain.removeprefix("return "), self.text_after_name(plain), self._result_after_call(plain)):
                if rest and rest != plain and (answer := self.read(rest)) is not None:
                    return answer
        return None

    def read_bare(self, text: str) -> str | None:
        text = text.strip()
        if not self.is_text or not text or "\n" in text or len(text) > _MAX_BARE_LENGTH:
            return None
        if self.label.match(text) or is_refusal(text):
            return None
        # A heading, tag or announcement without content is not a string value.
        if has_no_content(text) and any(mark in text for mark in ":!#<`"):
            return None
        return list(unwrap_forms(text))[-1]

    def _field(self, fields: object) -> str | None:
        """Return the value of the last field with a name of the answer, also in inner objects."""
        if not isinstance(fields, dict):
            return None
        for name, value in reversed(fields.items()):
            if name not in _VALUE_FIELDS:
                inner = self._field(value)
                if inner is not None:
                    return inner
            elif not isinstance(value, str):
                return repr(value)
            else:
                # Either a literal of the language written in a string, or the string value itself.
                is_literal = self.is_value(value) and (not self.is_text or value[:1] in "'\"")
                return value if is_literal else repr(value)
        return None

    def _result_after_call(self, text: str) -> str | None:
        """Return the result written after the item's call in code, or its output in a shell session."""
        shell = _SHELL.match(text)
        if shell is not None:
            return text[shell.end() :] if f"{self.entry_point}(" in shell["call"] else None
        calls = list(self.call.finditer(text))
        end = find_closing_bracket(text, calls[-1].end()) if calls else 0
        equals = _RESULT_MARK.match(text, end) if end else None
        return text[equals.end() :].split("\n")[0] if equals is not None else None


# -- arguments --

_ARGUMENT_NAMES = r"(?:inputs?|arguments?|args|parameters?|solution)(?![\w(])|参数|输入"
_ARGUMENT_FIELDS = ("answer", "final_answer", "arguments", "args", "input", "inputs", "parameters", "kwargs")
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
    final = final_text(response[:MAX_RESPONSE_CHARS])
    lines = [line.strip() for line in final.text.split("\n") if line.strip()]
    if len(lines) > 1 and all(map(is_arguments, lines)):
        return ExtractedAnswer(lines[0], f"the first of {len(lines)} lines")
    answer = _Arguments(is_arguments, entry_point, parameters).find(final.text)
    return answer if answer is not None else classify_missing_answer(final, finish_reason, missing="list of arguments")


class _Arguments(Finder):
    noun = "list of arguments"

    def __init__(self, is_arguments: IsArguments, entry_point: str, parameters: Sequence[str]) -> None:
        super().__init__(_ARGUMENT_NAMES)
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
        """Return the arguments in the last field of `_ARGUMENT_FIELDS`."""
        if not isinstance(fields, dict) or any(name in fields for name in self.parameters):
            return None
        values = [fields[name] for name in fields if name in _ARGUMENT_FIELDS and fields[name] != {}]
        if not values:
            return None
        answer_text = values[-1] if isinstance(values[-1], str) else repr(values[-1])
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
