r"""Find the part of a response that is its answer: the last candidate of the best kind.

The kinds of candidates, best first:

1. a boxed value: ``\boxed{3}``
2. the content of a tag: ``<answer>3</answer>``
3. the whole text, if it is an answer as written
4. the text after the word *answer* at the beginning of a line or a sentence, in English or Chinese: ``Answer: 3``,
   ``So the answer is 3.``, or a heading and the text below it
5. the text after another name of the answer and a colon, likewise: ``Output: 3``
6. a block or a paragraph that is the answer and nothing else, or a JSON object with a field of such a name
7. the text after such a name at the beginning of a sentence: ``It returns 3.``
8. inline code that is the answer
9. the only inline code of a response without blocks, if the answer may be any text and a sentence that begins with a
   name of the answer ends with it: The result is `abc`.

Two answers separated only by "or", "not" or the like count as no answer, and struck-out text is ignored. Sentences are
not interpreted any further.
"""

from __future__ import annotations

import ast
import html
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import Any, NamedTuple

from annotator.answers.fences import split_blocks
from annotator.answers.normalising import LITERAL, first_turn_and_all, straight_quotes
from annotator.answers.outcome import ExtractedAnswer
from annotator.answers.refusals import is_refusal
from annotator.text.python_tree import UNREADABLE, read_tree

MAX_RESPONSE_CHARS, _MAX_BRACKET_CHARS = 200_000, 50_000
_MAX_OBJECTS, _MAX_CANDIDATES, _MAX_LAYERS, _MAX_START_CHARS, _MAX_ENDS = 60, 200, 12, 1_000, 60
_EXPLICIT_KINDS = 5
"""Number of kinds, best first, that state an answer explicitly."""
_INLINE = re.compile(r"(?<!`)(`{1,2})(?!`)(?P<code>[^\n]+?)(?<!`)\1(?!`)")
_ENDED = re.compile(rf"[*_ ]*{_INLINE.pattern}[*_ ]*(?:[.!](?:\s|$)|。|$)")
"""Inline code that ends a sentence."""
_STRUCK = re.compile(r"~~[^~\n]+~~")
_TAG = re.compile(r"(</?(?i:answer|final_answer|output|result|arguments|tool_call)>|\[/?(?:ANSWER|OUTPUT)\])")
_BRACKET = re.compile(rf"{LITERAL.pattern}|[()\[\]{{}}]")
_BREAK = re.compile(r"(?<=[^\s*_`$])(?=[\s,.;:!?()*_`$\uff0c\u3002])|$")
"""Where an answer at the beginning of a text may end."""
_CONTINUATION = re.compile(r"\w|\.\w|[(\[{]|\s*,\s*[-'\"\d\[({]|\s*(?:[+*/%=]|-\s*[\d(])")
"""Text after an answer that shows that it is only the start of an expression."""
_COUNTED_NOUN = re.compile(r"\s+(?!or\b|because\b|since\b|when\b|as\b|at\b|for\b|after\b)\w")
"""Text after a number that shows that it only counts something: ``3 elements``."""
_JOINED = re.compile(
    r"[\s,\uff0c*_`(]*(?:(?P<either>or\b|或者?)|not\b|rather than\b|instead of\b|而不是|不是)[\s*_`(]*"
)
_LATEX = re.compile(r"\\(?:(?:text|math)\w*|mbox|operatorname)\{([^{}]*)\}|\\(?:left|right|quad|[,;:! ])|\\([{}_%&#$])")
_MARKS = (
    ("#", ""), ("> ", ""), ("* ", ""), ("+ ", ""), ("***", "***"), ("**", "**"), ("__", "__"), ("*", "*"),
    ("```", "```"), ("``", "``"), ("`", "`"), ("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]"),
    (r"\text{", "}"), (r"\texttt{", "}"), ("<code>", "</code>"), ("<p>", "</p>"),
)  # fmt: skip
"""Markup around an answer that is not part of it."""
_ENDS = (("", "."), ("", "。"), ("", ";"))
_LABEL = r"""
    (?:^|(?<=[.!?][ ])|(?<=[。\uff01\uff1f\uff0c\uff1a]))                        # a line or a sentence begins,
    (?:[^\w\n`'"\[\](){}<$\\.]|\d+[.)][ ])*                     # with marks, or a number in a list
    (?:(?:so|thus|hence|therefore|then|finally|and|but)\b,?[ ]+)*
    (?:(?:the|my|its|an?|one)[ ]+)?
    (?:(?:final|correct(?:ed)?|actual|expected|possible|printed|test|list[ ]of)[ _]+|所以|因此|最终|正确|该?函数)*
    (?:(?P<answer>(?:answers?|ans|correction)(?![\w(])|答案)|(?:NAMES))
    [*_"`]*(?:[ ](?:of|for|from)[ ][^\n:]{1,90}?(?=[ ](?:is|(?:will|would|should)[ ]be)\b|:))?
    (?:[ ]{0,3}(?:is|are|(?:will|would|should|must)[ ]be|equals)\b|为|是)?
    (?:[ ](?:the|an?|following|list|string|value|tuple|integer|number|dictionary)\b(?!['(]))*
    [ ]{0,3}(?P<mark>[*_"`]{0,4}[ ]{0,3}
      (?:[:\uff1a→⇒\u2248]|=(?!=)>?|->|[-\u2013\u2014](?=[ ])|(?=\s*$)|(?<=[是为]))(?:[*_]+(?=\s))?)?
"""


class _Segment(NamedTuple):
    """A block of a response, or a paragraph."""

    text: str
    is_block: bool


class _Name(NamedTuple):
    """A name of the answer in a response, and the rest of its line or what is below it."""

    mark: re.Match[str]
    text: str
    is_below: bool = False
    is_block: bool = False

    @property
    def is_line(self) -> bool:
        """Whether a colon or the end of the line follows the name."""
        return self.mark["mark"] is not None


class Finder(ABC):
    """Finds the answers of one task family; ``names`` is a pattern of their names, in addition to *answer*."""

    noun: str

    def __init__(self, names: str) -> None:
        self.label = re.compile(_LABEL.replace("NAMES", names), re.VERBOSE | re.IGNORECASE | re.MULTILINE)

    @abstractmethod
    def is_answer(self, text: str) -> bool:
        """Return whether a text is an answer as written."""

    @abstractmethod
    def read(self, text: str, *, is_block: bool = False) -> str | None:
        """Return a paragraph or a block without the markup around it if it is an answer and nothing else, else None."""

    def read_bare(self, text: str) -> str | None:  # noqa: ARG002 - most answers cannot be any text
        """Return a text as the answer if it may be one without its usual form, such as a string without quotes."""
        return None

    def find(self, text: str) -> ExtractedAnswer | None:
        """Return the answer of a normalised response; None if there is none."""
        text = _STRUCK.sub("", text).strip()
        refusal = read_object(text) if text.startswith("{") else None
        if refusal is not None and set(refusal) in ({"error"}, {"refusal"}) and is_refusal(str(refusal.popitem()[1])):
            return None
        for turn in first_turn_and_all(text):
            # In the part before another turn, an answer counts only if it is stated explicitly.
            for reason, answers in islice(
                self._candidate_kinds(turn.strip()), _EXPLICIT_KINDS if turn != text else None
            ):
                last_answer = next((answer for answer in islice(answers, _MAX_CANDIDATES) if answer is not None), None)
                if last_answer is not None:
                    return ExtractedAnswer(last_answer, reason) if last_answer else None
        return None

    def _candidate_kinds(self, text: str) -> Iterator[tuple[str, Iterable[str | None]]]:
        """Yield each kind of candidate with its candidates, the last one first.

        A candidate is None if it is not an answer, and an empty text if it offers two.
        """
        boxed = map(_without_latex, reversed(_boxed_values(text)))
        yield r"the last \boxed value", (self.read(body) or self.read_bare(body) for body in boxed)
        yield "the last answer tag", map(self._in_tag, reversed(_tag_bodies(text)))
        yield "the whole text", [text] if not text.startswith(("{", "- ")) and self.is_answer(text) else []
        segments = list(_segments(text))
        names = self._find_names(segments)
        yield (
            "the last line that begins with Answer",
            (self._answer_after(segment) for segment in names if segment.mark["answer"]),
        )
        lines = (self._answer_after(segment) for segment in names if segment.is_line)
        yield f"the last line that begins by naming the {self.noun}", lines
        alone = (self.read(segment.text, is_block=segment.is_block) for segment in reversed(segments))
        yield f"the last block or paragraph that is one {self.noun}", alone
        sentences = (
            self._answer_after(segment) for segment in names if not (segment.is_line or segment.mark["answer"])
        )
        yield f"the last sentence that begins by naming the {self.noun}", sentences
        prose = "\n\n".join(segment.text for segment in segments if not segment.is_block)
        yield from self.in_prose(prose)
        if len(_INLINE.findall(prose)) == 1 and not any(segment.is_block for segment in segments):
            reason = f"the only inline code, which ends a sentence that begins by naming the {self.noun}"
            yield reason, (self._bare_after(name) for name in names if _ENDED.match(name.text))

    def in_prose(self, prose: str) -> Iterator[tuple[str, Iterable[str | None]]]:
        """Yield the kinds of candidates in sentences."""
        inline = [(mark.start(), mark.end(), mark["code"]) for mark in _INLINE.finditer(prose)]
        yield f"the last inline code that is one {self.noun}", self.last_of(prose, inline)

    def last_of(self, prose: str, spans: Sequence[tuple[int, int, str]]) -> list[str]:
        """Return the last span of prose that is an answer, as a list; an empty text if it is one of two."""
        answers = [(start, end, answer) for start, end, text in spans[-_MAX_CANDIDATES:]
                 if (answer := self.read(text)) is not None]  # fmt: skip
        if (
            len(answers) > 1
            and answers[-2][2] != answers[-1][2]
            and _JOINED.fullmatch(prose[answers[-2][1] : answers[-1][0]])
        ):
            return [""]
        return [answer for _, _, answer in answers[-1:]]

    def _in_tag(self, body: str) -> str | None:
        answer = self.find(body)
        return answer.text if answer is not None else self.read_bare(body)

    def _find_names(self, segments: list[_Segment]) -> list[_Name]:
        """Return the names of the answer that begin lines and sentences, with the text after each; last first."""
        prose = ((place, segment.text) for place, segment in enumerate(segments) if not segment.is_block)
        marks = [(place, mark) for place, text in prose for mark in self.label.finditer(text)]
        names = []
        for place, mark in reversed(marks[-_MAX_CANDIDATES:]):
            line, _, below = segments[place].text[mark.end() :].partition("\n")
            if line.strip(" *_:`"):
                names.append(_Name(mark, line))
            elif below.strip():
                names.append(_Name(mark, below, is_below=True))
            elif place + 1 < len(segments):
                names.append(_Name(mark, segments[place + 1].text, True, segments[place + 1].is_block))
        return names

    def _answer_after(self, name: _Name) -> str | None:
        """Return the answer after one of its names."""
        if name.is_below and not name.text.lstrip("*_ ").startswith("`"):
            answer = self.read(name.text, is_block=name.is_block)
        else:
            answer = self.read_start(name.text)
        return answer if answer is not None or not (name.is_line or name.mark["answer"]) else self._bare_after(name)

    def _bare_after(self, name: _Name) -> str | None:
        """Return the inline code, or the line, after one of the answer's names as the answer."""
        text = name.text.lstrip("*_ ")
        inline = _INLINE.match(text)
        if inline is None:
            return self.read_bare(name.text if name.is_line else "")
        answer, joined = self.read_bare(inline["code"]), _JOINED.match(text, inline.end())
        other = _INLINE.search(text, inline.end()) if joined is not None and joined["either"] else None
        return "" if answer is not None and other is not None and other["code"] != inline["code"] else answer

    def read_start(self, text: str) -> str | None:
        """Return the longest answer at the beginning of a text; empty if the text offers two."""
        whole = self.read(text.strip().removesuffix("."))
        if whole is not None:
            return whole
        answer, rest = self._split_answer(text)
        joined = _JOINED.match(rest) if answer is not None else None
        is_either = joined is not None and joined["either"] and self._split_answer(rest[joined.end() :])[0] is not None
        return "" if is_either else answer

    def _split_answer(self, text: str) -> tuple[str | None, str]:
        """Return the longest answer at the beginning of a text (None if there is none), and the rest of the text."""
        text = text.lstrip("*_ $")
        inline = _INLINE.match(text)
        literal = LITERAL.match(text)
        start = literal.end() if literal else find_closing_bracket(text, 0) if text.startswith(("(", "[", "{")) else 0
        breaks = islice(_BREAK.finditer(text, start, start + _MAX_START_CHARS), _MAX_ENDS)
        ends = [inline.end()] if inline else [mark.end() for mark in breaks]
        for end in reversed(ends):
            rest = text[end:].lstrip("*_`$")
            goes_on = _CONTINUATION.match(rest) or (text[end - 1].isalnum() and _COUNTED_NOUN.match(rest))
            answer = self.read(text[:end].strip("`").rstrip(".,;:")) if inline or not goes_on else None
            if answer is not None:
                return answer, rest
        return None, text

    def text_after_name(self, text: str) -> str | None:
        """Return the text after a name of the answer and a colon or an equals sign; None without that beginning."""
        mark = self.label.match(text)
        rest = text[mark.end() :].strip() if mark is not None and mark["mark"] is not None else ""
        return rest or None


def _tag_bodies(text: str) -> list[str]:
    """Return the text after each opening tag, up to the next tag or the end."""
    parts = _TAG.split(text)
    return [body for tag, body in zip(parts[1::2], parts[2::2], strict=True) if tag[1] != "/"]


def inline_codes(text: str) -> list[str]:
    """Return the inline code of a text."""
    return [mark["code"] for mark in _INLINE.finditer(text)]


def _segments(text: str) -> Iterator[_Segment]:
    blocks = split_blocks(text)
    prose = [*(block.intro for block in blocks), blocks[-1].after if blocks else text]
    for place, part in enumerate(prose):
        for is_text, lines in groupby(part.split("\n"), key=lambda line: bool(line.strip())):
            if is_text:
                yield _Segment("\n".join(lines).strip(), is_block=False)
        if place < len(blocks):
            yield _Segment(blocks[place].code, is_block=True)


def plain_forms(text: str) -> Iterator[str]:
    """Yield a text, each step of removing the markup around it, and then variants of the innermost form."""
    for plain in unwrap_forms(text, (*_MARKS, *_ENDS)):
        yield plain
    for other in (straight_quotes(plain).replace("\u2212", "-"), html.unescape(plain), _without_latex(plain)):
        if other != plain:
            yield other


def unwrap_forms(text: str, marks: Sequence[tuple[str, str]] = _MARKS) -> Iterator[str]:
    """Yield a text, and each step of removing the markup around it."""
    text = text.strip().removeprefix("- ")
    yield text
    for _ in range(_MAX_LAYERS):
        text = next((inner for opening, ending in marks if (inner := _inside(text, opening, ending))), "")
        if not text:
            return
        yield text


def _inside(text: str, opening: str, ending: str) -> str:
    """Return the text between two marks; empty if they do not enclose the text, or occur inside it."""
    inner = text[len(opening) : len(text) - len(ending)]
    is_one = text == opening + inner + ending and not (opening and ending and opening in inner)
    return inner.strip() if is_one else ""


def _without_latex(text: str) -> str:
    for _ in range(2):
        text = _LATEX.sub(lambda mark: mark[1] or mark[2] or "", text)
    return text.strip(" $")


def _boxed_values(text: str) -> list[str]:
    parts = [part for part in text.split("\\boxed")[1:] if part.startswith("{")]
    return [part[1 : end - 1] for part in parts if (end := find_closing_bracket(part, 0))]


def find_closing_bracket(text: str, start: int) -> int:
    """Return the position after the bracket that closes the one at ``start``, ignoring quoted text; 0 for none."""
    depth = 0
    for mark in _BRACKET.finditer(text, start, start + _MAX_BRACKET_CHARS):
        if len(mark[0]) == 1:
            depth += 1 if mark[0] in "([{" else -1
            if depth == 0:
                return mark.end()
    return 0


# -- objects -----------------------------------------------------------------------------------------------------------

_NO_JSON = re.compile(
    r'("(?:\\.|[^"\\])*"?|\'(?:\\.|[^\'\\\n])*\'?)|//[^\n]*|/\*.*?(?:\*/|\Z)|(?<=[\s,{])#[^\n]*|,(?=\s*[}\]])'
    r"|\b(null|true|false)\b|(?<=[{,\n])([^\S\n]*)([A-Za-z_]\w*)(?=\s*:)",
    re.DOTALL,
)
"""Every alternative ends where another may begin, so that a text takes linear time."""


def find_objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the outermost JSON objects of a text in order, repaired if they are nearly JSON."""
    at = text.find("{")
    for _ in range(_MAX_OBJECTS):
        if at < 0 or text.find("}", at) < 0:
            return
        end = find_closing_bracket(text, at)
        fields = read_object(text[at:end]) if end else None
        if fields is not None:
            yield fields
        at = text.find("{", end if fields is not None else at + 1)


def read_object(text: str) -> dict[str, Any] | None:
    """Return an object written as JSON, JavaScript or Python, ignoring comments and trailing commas; None otherwise."""
    for attempt in (text, straight_quotes(text)):
        for repaired in (attempt, _repair_json(attempt)):
            try:
                value = json.loads(repaired, strict=False)
            except (ValueError, RecursionError):
                continue
            return value if isinstance(value, dict) else None
        try:
            value = ast.literal_eval(read_tree(_repair_json(attempt, python=True), "eval"))
        except (*UNREADABLE, TypeError):
            continue
        return {str(key): item for key, item in value.items()} if isinstance(value, dict) else None
    return None


def _repair_json(text: str, *, python: bool = False) -> str:
    """Drop comments and trailing commas outside strings, and quote bare keys; for Python replace null, true, false."""

    def replacement(match: re.Match[str]) -> str:
        if match[1]:
            return match[1]
        if match[2]:
            return {"null": "None", "true": "True", "false": "False"}[match[2]] if python else match[2]
        return f'{match[3]}"{match[4]}"' if match[4] else ""

    return _NO_JSON.sub(replacement, text)
