"""Argument answers: with which arguments a response says that the function is to be called (understanding, reverse)."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from annotator.answers.fences import prose_of, split_blocks
from annotator.answers.found import Found
from annotator.answers.normalising import without_markup
from annotator.answers.outcome import no_answer, spoken_text
from annotator.answers.refusals import declines_in_json
from annotator.answers.value import STRUCK, closing_bracket, plain_forms
from annotator.text.python_tree import UNREADABLE, read_tree, readable_tree

LONGEST = 200_000
_LABEL = re.compile(
    r"(?<![\w.])(?:(?:final|possible|valid|one|correct(?:ed)?|required|needed|deduced|example|suitable)\s+)?"
    r"(?:answers?|inputs?|arguments?|args|parameters?|calls?|solution|values?|list\s+of\s+arguments|"
    r"antwort|argumente|eingabe|argumentos|par\u00e1metros|respuesta|r\u00e9ponse|param\u00e8tres|entr\u00e9e|entrada|"
    r"аргументы|ответ|final(?=\s*:)|use|take|try|pass(?:ing)?|choose|pick)(?![\w(])|\bworks?\s*:|"
    r"\u7b54\u6848|\u53c2\u6570|\u8f93\u5165|引数|答え|인수",
    re.IGNORECASE,
)
_FIELD = re.compile(
    r"(?:(?:final|test|example|sample|my)[_ ]?)?"
    r"(?:answer|arguments?|args|inputs?|parameters?|params|kwargs|call|result|values?)\Z",
    re.IGNORECASE,
)
_LINK = re.compile(
    r"^(?:[\s*_:=>\-\u2013\u2014\u2192\u21d2\uff1a]|\b(?:is|are|was|be|would|will|could|can|should|to|that|which|works?|"
    r"for|the|function|these|this|following|list|of|with|so|therefore|as|a|an|one|call|example|used?|here|given|by|"
    r"arguments?|inputs?|parameters?|will|work|produces?|output|it)\b|\u662f|\u4e3a)+",
    re.IGNORECASE,
)
_GIVES = re.compile(
    r"(?:\breturns?|\bgives?|\byields?|\bproduces?|\boutputs?|\bresults?(?:\s+in)?|\bequals?|\bprints?|={1,2}>?|->|\u2192|"
    r"\berh\u00e4lt man|\b(?:liefert|ergibt)(?:\s+genau)?|\bdevuelve|\bretorna|\brenvoie|\bend|返回|得到)"
    r"(?:\s+(?:is|are|be|then|the|value|of|exactly|to)\b)*\s*[:\uff1a]?\s*[*_]*$",
    re.IGNORECASE,
)
"""What is said right before a value that is no list of arguments but what comes of one."""
_INLINE = re.compile(r"(?<!`)(`{1,2})(?!`)(?P<code>[^\n]+?)(?<!`)\1(?!`)")
_TAG = re.compile(
    r"<(?P<name>answer|final_answer|input|arguments|args|call|tool_call|solution|output|result)>(?P<body>.*?)(?:</(?P=name)>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_BOXED = re.compile(r"\\boxed\s*\{(?P<body>.*)\}", re.DOTALL)
_REJECTED = re.compile(
    r"\b(?:does(?:\s+not|n['\u2019]t)|do(?:\s+not|n['\u2019]t)|fails?|is\s+wrong|not\s+work|wrong|would\s+not|"
    r"gives?\s+(?:another|a\s+different|the\s+wrong)|instead\s+of(?!\s*(?:$|`[^`]*\())|not\s+what|is(?:\s+not|n['\u2019]t)(?!\s+the\s+only)|no\s+good|incorrect)\b",
    re.IGNORECASE,
)

_PASSED_OVER = re.compile(r"\b(?:rather\s+than|instead\s+of|unlike|not|nicht|statt)\s+[*_]*$", re.IGNORECASE)
"""What is said right before arguments that are not the answer."""
_BY_INLINE = "the last inline code that is arguments"

Reads = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class _Candidate:
    text: str
    at: int
    why: str


def find_arguments(
    response: str, reads: Reads, entry_point: str, names: Sequence[str], *, finish_reason: str = "stop"
) -> Found:
    """Return the arguments that a response gives, as a text that ``reads``, and why.

    ``reads`` tells whether a text is a call or a list of arguments that fits the function, whose parameters are
    ``names``.
    """
    said = spoken_text(response[:LONGEST])
    text = STRUCK.sub("", without_markup(said.text)).strip()
    if not text or declines_in_json(text):
        return no_answer(said, finish_reason, missing="arguments")
    find = _Search(reads, entry_point, tuple(names))
    whole = find.one(text)
    if whole is not None:
        return Found(whole, "took the whole text")
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if all(reads(line) for line in lines):
        return Found(lines[0], f"took the first of {len(lines)} lines")
    for group in find.groups(text):
        if group:
            return Found(group[-1].text, f"took {group[-1].why}")
    return no_answer(said, finish_reason, missing="list of arguments")


@dataclass(frozen=True, slots=True)
class _Search:
    reads: Reads
    entry: str
    names: tuple[str, ...]

    def one(self, text: str) -> str | None:
        """Return the one call or list of arguments that a text is."""
        for plain in plain_forms(text):
            unwrapped = self._field(plain)
            if unwrapped is not None:
                return unwrapped
            if self.reads(plain):
                return plain
            assigned = re.match(r"(?:\w+\s+)?(\w+)\s*=(?!=)\s*(.+)\Z", plain, re.DOTALL)
            if assigned and assigned[1] not in self.names and _FIELD.match(assigned[1]) and self.reads(assigned[2]):
                return assigned[2]
            called = self._call(plain)
            if called is not None:
                return called
            bound = self._bound(plain)
            if bound is not None:
                return bound
            keywords = self._keywords(plain)
            if keywords is not None:
                return keywords
        return None

    def _field(self, text: str) -> str | None:
        """Return the arguments in a field of a JSON object that is named so."""
        if not text.startswith("{"):
            return None
        given = _read_object(text)
        if not isinstance(given, dict) or any(name in given for name in self.names):
            return None
        for name in reversed([name for name in given if _FIELD.match(str(name))]):
            value = given[name]
            if value == {}:
                continue
            for written in [value] if isinstance(value, str) else [repr(value)]:
                if self.reads(written):
                    return written
        return None

    def _bound(self, text: str) -> str | None:
        """Return what code binds to a name such as ``args`` last."""
        tree = readable_tree(text)
        found = None
        for node in tree.body if tree is not None else ():
            if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
                continue
            name, value = node.targets[0].id, ast.unparse(node.value)
            if name not in self.names and _FIELD.match(name) and value != "{}" and self.reads(value):
                found = value
        return found

    def _call(self, text: str) -> str | None:
        """Return the last call of the function in code, names in it replaced by what the code gives them."""
        found = None
        for mark in re.finditer(rf"(?<![\w])(?:\w+(?:\(\))?\.)*{re.escape(self.entry)}\s*\(", text):
            end = closing_bracket(text, mark.end() - 1)
            if not end:
                continue
            called = (
                re.sub(r"^.*?(?=\w+\s*\()", "", text[mark.start() : end])
                if "." in mark[0]
                else text[mark.start() : end]
            )
            for written in (called, self._filled(text[: mark.start()], called)):
                if self.reads(written):
                    found = written
                    break
        return found if found is not None and _is_code(text) else None

    def _filled(self, before: str, call: str) -> str:
        for name, value in re.findall(r"^\s*(\w+)\s*=(?!=)\s*(.+?)\s*$", before, re.MULTILINE):
            inside = call.find("(")
            pattern = rf"(?<![\w'\"]){re.escape(name)}(?![\w'\"]|\s*=(?!=))"
            call = call[: inside + 1] + re.sub(pattern, value.replace("\\", "\\\\"), call[inside + 1 :])
        return re.sub(r"\(\*\s*[\[(](.*?),?[\])]\)\Z", r"(\1)", call, flags=re.DOTALL)

    def _keywords(self, text: str) -> str | None:
        """Return lines such as ``name = value``, ``name: value`` or rows of a table as keywords."""
        given: dict[str, str] = {}
        for line in text.split("\n"):
            plain = re.sub(r"[`*]", "", line)
            for name in self.names:
                found = re.match(
                    rf"^[\s|>*+-]*(?:\d+[.)]\s*)?{re.escape(name)}\s*(?::\s*[\w\[\], ]+?(?==))?[=:|]\s*(.+?)[\s|;,.]*$",
                    plain,
                )
                if found:
                    given[name] = found[1]
        if not given:
            return None
        written = ", ".join(f"{name}={value}" for name, value in given.items())
        return written if self.reads(written) else None

    def groups(self, text: str) -> Iterator[list[_Candidate]]:
        """Yield candidates, the likeliest group first."""
        yield list(self._named(text))
        blocks = split_blocks(text)
        keywords = self._keywords(prose_of(text)) or self._keywords("\n".join(_inline_codes(prose_of(text))))
        yield [_Candidate(keywords, 0, "the lines that name the parameters")] if keywords is not None else []
        yield [
            _Candidate(one, number, f"block {number} of {len(blocks)}")
            for number, block in enumerate(blocks, start=1)
            if (one := self.one(block.code)) is not None and not _rejected(block.after.split("\n")[0])
        ]
        found = list(self._in_lines(prose_of(text)))
        yield [one for one in found if one.why != _BY_INLINE]
        yield found

    def _named(self, text: str) -> list[_Candidate]:
        found: list[_Candidate] = []
        for mark in _TAG.finditer(text):
            one = self.one(mark["body"]) or next((g[-1].text for g in self.groups(mark["body"]) if g), None)
            if one is not None:
                found.append(_Candidate(one, mark.start(), f"what stands in the tag {mark['name'].lower()}"))
        boxed = _BOXED.search(text)
        if boxed is not None:
            one = self.one(boxed["body"])
            if one is not None:
                found.append(_Candidate(one, boxed.start(), "what is boxed"))
        lines, prose = text.split("\n"), prose_of(text).split("\n")
        at = 0
        for number, line in enumerate(lines):
            start, at = at, at + len(line) + 1
            if number >= len(prose) or not prose[number].strip():
                continue
            hidden = [match.span() for match in _INLINE.finditer(line)]
            for mark in _LABEL.finditer(line):
                if any(a <= mark.start() < b for a, b in hidden):
                    continue
                rest = line[mark.end() :]
                value = self._after(rest)
                if value is None and not _LINK.sub("", rest).strip(" *_:`.#"):
                    value = self._below(lines, number)
                if value is not None and not _rejected(rest):
                    found.append(
                        _Candidate(value, start + mark.start(), f"the line with {mark[0].strip(' :').lower()}")
                    )
        return sorted(found, key=lambda one: one.at)

    def _after(self, rest: str) -> str | None:
        linked = _LINK.match(rest)
        given = rest[linked.end() if linked else 0 :].strip()
        spans = [match["code"] for match in _INLINE.finditer(rest) if not _PASSED_OVER.search(rest[: match.start()])]
        for text in (rest.strip().rstrip("."), given.rstrip("."), given):
            if text and self.reads(text):
                return text
        if spans and not re.sub(r"[`\w\s*:=>\u2192\u21d2-]", "", rest[: rest.find("`")]):
            for text in (", ".join(spans), spans[0]):
                one = self.one(text)
                if one is not None:
                    return one
        return self._prefix(given.lstrip("*_` "))

    def _prefix(self, text: str) -> str | None:
        """Return the list, tuple, object or call that a text begins with."""
        mark = re.match(r"(?:[\w.]+\s*)?[\[({]", text)
        end = closing_bracket(text, mark.end() - 1) if mark else 0
        return text[:end] if end and self.reads(text[:end]) else None

    def _below(self, lines: Sequence[str], number: int) -> str | None:
        below = "\n".join(lines[number + 1 :]).strip("\n")
        if re.match(r"\s*(?:```|~~~)", below):
            blocks = split_blocks(below)
            return self.one(blocks[0].code) if blocks else None
        below = re.sub(r"^(?:\s*\n)+", "", below)
        paragraph = re.split(r"\n\s*\n", below, maxsplit=1)[0]
        return self.one(paragraph) or self.one(paragraph.split("\n")[0])

    def _in_lines(self, text: str) -> Iterator[_Candidate]:
        """Yield lines that are arguments, calls in sentences and inline code, in their order."""
        place = 0
        for line in text.split("\n"):
            start, place = place, place + len(line) + 1
            one = self.one(line) if line.strip() else None
            if one is not None:
                yield _Candidate(one, start, "the line that is a list of arguments")
                continue
            leading = self._prefix(line.strip())
            if leading is not None and re.match(r"[,;:.(\u2013\u2014]|\s*-\s", line.strip()[len(leading) :]):
                yield _Candidate(leading, start, "the line that begins with a list of arguments")
            for mark in _INLINE.finditer(line):
                given = self.one(mark["code"])
                called = re.search(rf"(?<!\w){re.escape(self.entry)}\s*\(", mark["code"])
                if (
                    given is None
                    or _rejected(_sentence_end(line, mark.end()))
                    or _PASSED_OVER.search(line[: mark.start()])
                ):
                    continue
                if called is None and _GIVES.search(line[: mark.start()]):
                    continue
                why = "the last call of the function" if called else _BY_INLINE
                yield _Candidate(given, start + mark.start(), why)
            for mark in re.finditer(rf"(?<![\w.`]){re.escape(self.entry)}\s*\(", line):
                end = closing_bracket(line, mark.end() - 1)
                behind = _sentence_end(line, end) if end else ""
                if end and self.reads(line[mark.start() : end]) and not _rejected(behind):
                    yield _Candidate(line[mark.start() : end], start + mark.start(), "the last call of the function")


def _read_object(text: str) -> object:
    """Return an object written as JSON or as Python; None for other text."""
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        pass
    try:
        return ast.literal_eval(read_tree(text, "eval"))
    except (*UNREADABLE, TypeError):
        return None


def _is_code(text: str) -> bool:
    """Tell whether a text that holds a call is code and not a sentence."""
    lines = [line.strip() for line in text.strip().split("\n") if line.strip()]
    if lines[0].startswith(">>>") or readable_tree(text.strip()) is not None:
        return True
    if len(lines) == 1:
        return re.match(r"(?:assert|print|result|return|\w+\s*=|[\w.]+\()", lines[0]) is not None
    return all(line.endswith((";", ")", "{", "}")) for line in lines)


def _inline_codes(text: str) -> list[str]:
    return [mark["code"] for mark in _INLINE.finditer(text)]


def _sentence_end(line: str, at: int) -> str:
    """Return what a sentence goes on to say behind a place, up to the next inline code."""
    return re.split(r"[.;]\s|`", line[at:].lstrip("`"), maxsplit=1)[0]


def _rejected(behind: str) -> bool:
    """Tell whether a sentence says of the arguments before it that they do not do."""
    return _REJECTED.search(behind) is not None
