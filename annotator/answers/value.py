"""Value answers: which value a response gives as the result of a call (understanding, forward)."""

from __future__ import annotations

import re
from collections.abc import Callable

from annotator.answers.fences import split_blocks
from annotator.answers.finder import LONGEST, Finder, closing, plain_forms, read_object, unwrapped
from annotator.answers.found import Found
from annotator.answers.outcome import no_answer, says_nothing, spoken_text
from annotator.answers.refusals import declines

_FIELDS = ("answer", "final_answer", "output", "result", "return_value", "value")
_NAMES = r"""
    (?:(?:function(?:[ ]call)?|call|code|program|it)[ ]+)?(?:`?CALL\([^\n]{0,300}?\)`?[ ]+)?
    (?:(?:will|would|should)[ ]+)?
    (?:outputs?|results?|return(?:s|ed)?(?:[ ]value)?|prints?|evaluates[ ]to)(?![\w(])|输出(?:结果)?|结果|返回值?
"""
"""What names the value, and begins a sentence that gives it; CALL is the name of the item's function."""
_LONGEST_TEXT = 400
_SHELL = re.compile(r"\A(?:>>>|In \[)(?:.*\n(?:>>>|\.\.\.|In \[))?(?P<call>[^\n]*)\n(?:Out\[\d*\]: )?", re.DOTALL)
"""A session of Python up to its last answer."""
_EQUALS = re.compile(r"[)\s`]*(?:==|=>|=|->|→|#|//|returns\b|evaluates to\b|gives\b)(?:[\s>=→]|->)*")

IsValue = Callable[[str], bool]


def find_value(
    response: str, is_value: IsValue, *, entry_point: str = "", is_text: bool = False, keyed: bool = False,
    finish_reason: str = "stop",
) -> Found:  # fmt: skip
    """Return the value that a response gives, as it is written, and why (`finder`).

    ``is_value`` tells whether a text is one value of the item's language. ``is_text`` says that a text is asked for,
    which may stand without quotes; ``keyed`` that the value asked for is an object, whose keys are no names of the
    answer.
    """
    said = spoken_text(response[:LONGEST])
    text = said.text.strip()
    finder = _Values(is_value, entry_point, is_text=is_text, keyed=keyed)
    found = finder.find(text)
    if found is None and finish_reason != "length":
        blocks = split_blocks(text)
        alone = len(blocks) == 1 and not (blocks[0].intro or blocks[0].after)
        whole = finder.read_bare(blocks[0].code if alone else text)
        found = Found(whole, "the whole text, which stands without quotes") if whole is not None else None
    return found if found is not None else no_answer(said, finish_reason, missing="value")


class _Values(Finder):
    noun = "value"

    def __init__(self, is_value: IsValue, entry_point: str, *, is_text: bool, keyed: bool) -> None:
        name = rf"(?:\w+\.)*{re.escape(entry_point)}" if entry_point else r"(?!)"
        super().__init__(_NAMES.replace("CALL", name))
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
            for rest in (plain.removeprefix("return "), self.behind_name(plain), self._behind_call(plain)):
                if rest and rest != plain and (answer := self.read(rest)) is not None:
                    return answer
        return None

    def read_bare(self, text: str) -> str | None:
        text = text.strip()
        if not self.is_text or not text or "\n" in text or len(text) > _LONGEST_TEXT:
            return None
        if self.label.match(text) or declines(text):
            return None
        return None if says_nothing(text) and any(mark in text for mark in ":!#<`") else list(unwrapped(text))[-1]

    def _field(self, given: object) -> str | None:
        """Return the value in the last field of an object that is named like the answer, or of an object in it."""
        if not isinstance(given, dict):
            return None
        for name, value in reversed(given.items()):
            if name not in _FIELDS:
                inner = self._field(value)
                if inner is not None:
                    return inner
            elif not isinstance(value, str):
                return repr(value)
            else:
                # The value as the language writes it, or the text itself.
                is_written = self.is_value(value) and (not self.is_text or value[:1] in "'\"")
                return value if is_written else repr(value)
        return None

    def _behind_call(self, text: str) -> str | None:
        """Return what code says that the item's own call gives, or a shell answers."""
        shell = _SHELL.match(text)
        if shell is not None:
            return text[shell.end() :] if f"{self.entry_point}(" in shell["call"] else None
        calls = list(self.call.finditer(text))
        end = closing(text, calls[-1].end()) if calls else 0
        equals = _EQUALS.match(text, end) if end else None
        return text[equals.end() :].split("\n")[0] if equals is not None else None
