"""Find names of models and makers by the catalogue in `resources/blinding/names.toml`, each list of which has one rule.

A text is read as parts, which are runs of letters or digits that end before a capital: *Qwen2.5-Coder* is qwen, 2, 5,
coder. A name of the catalogue also matches spellings with other signs between its parts.
"""

from __future__ import annotations

import tomllib
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import regex

from annotator.base.resources import resource_path

Span = tuple[int, int]

_PART = regex.compile(r"\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})|\p{Lu}|[0-9]+")
_JOINTS = "-._:/@+\u00b7"
_MAX_PARTS = 10
_ENDINGS = ("GLM", "GPT", "LLM", "LM", "Coder")
SENTENCE_END = regex.compile(r"[.!?]\s|[\u3002\uff01\uff1f\n]")
_MADE = "(?:built|created|designed|developed|instructed|made|trained|tuned)"
_ORIGIN = regex.compile(
    rf"\bI(?:['\u2019]m| am| was| have been) (?:\w+ ){{0,2}}(?:{_MADE}|deployed|hosted|running [io]n|served)\b"
    rf"|\bI (?:live|run) [io]n\b|\b(?:{_MADE}|called|gave|taught|told) me\b|\bpolic(?:y|ies)\b"
    r"|\bmy (?:(?:\w+ )?(?:creator|developer|maker)|training (?:data )?(?:at|by|comes?|was)\b)"
    r"|\u653f\u7b56|\u7ed9\u6211|\u544a\u8bc9\u6211|\u6211(?:\u90e8\u7f72|\u8fd0\u884c)\u5728",
    regex.IGNORECASE,
)
"""Phrases that say who made, taught or runs the author, or whose policies the author follows."""
_ADVERBS = "also|always|both|cannot|could|did|does|has|just|never|once|still|usually|will|would"
# A name that is also an ordinary word is hidden where somebody thinks, answers or was trained.
_SPEAKS = regex.compile(
    r"['\u2019]s (?:[A-Za-z]+ ){0,3}(?:agent|answer|assistant|chatbot|guidelines|LLM|model|output|polic(?:y|ies)"
    r"|[Pp]rinciples|reply|solution|take)\b"
    r"| (?:assistant|model), I\b| here,| can(?:not|['\u2019]t) (?:access|browse|execute|open|run|see|test)\b"
    rf"|(?: (?:{_ADVERBS})(?:n['\u2019]t)?)*"
    r" (?:(?:answer|distill|prefer|reason|refuse|suggest)(?:s|ed|d)?|believes?|gave|nailed|replie[sd]|reply"
    r"|respond(?:s|ed)?|says?|said|solved|thinks?|thought|told|would have|wrote"
    r"|(?:was|is|were) (?:asked|prompted|(?:pre-?|post-?)?trained|(?:fine-?)?tuned))\b"
    r"|(?:AI|家|的|老师|团队)*[\p{Han}A-Za-z]{0,4}?"
    r"(?:大?模型|助手|AI|认为|建议|思路|想法|觉得|回答|答案|解法|思考|想了|训练|写的|生成|编写|补全|说)"
)


@dataclass(frozen=True, slots=True)
class NameCatalogue:
    """The lists of ``names.toml``: keys of names by rule, phrases by kind, and a pattern of all Chinese names."""

    names: Mapping[str, frozenset[str]]
    phrases: Mapping[str, tuple[str, ...]]
    chinese: regex.Pattern[str]


@cache
def load_catalogue() -> NameCatalogue:
    """Return the catalogue, read once."""
    lists: dict[str, list[str]] = tomllib.loads(resource_path("blinding", "names.toml").read_text(encoding="utf-8"))
    for verbs in ("made", "made_zh"):
        slot = f"{{{verbs}}}"
        words = lists.pop(verbs)
        frames = lists["introductions"]
        lists["introductions"] = [
            frame.replace(slot, word) for frame in frames for word in (words if slot in frame else [""])
        ]
    phrases = {kind: tuple(lists.pop(kind)) for kind in ("quoted", "roles", "introductions", "introducing")}
    chinese = sorted((name for name in (*lists["distinct"], *lists["ordinary"]) if not name.isascii()), key=len)
    return NameCatalogue(
        names={rule: frozenset(map(_key, names)) for rule, names in lists.items()},
        phrases=phrases,
        chinese=regex.compile("|".join(map(regex.escape, reversed(chinese))), regex.IGNORECASE),
    )


def _key(name: str) -> str:
    return "".join(character for character in name.casefold() if character not in _JOINTS)


@dataclass(frozen=True, slots=True)
class _WordPart:
    start: int
    end: int
    word: str
    """The part in lower case."""
    gap: str
    """The separator from the part before: a sign or nothing in one word, a space in one phrase, or *apart*."""


def find_names(text: str, own_names: Collection[str] = (), introduced: Collection[Span] = ()) -> Iterator[Span]:
    """Yield (start, end) of each name in a text; they may overlap.

    A name that is also an ordinary word counts in a sentence that names a model for certain, or says who made its
    author. ``own_names`` are further names, found in every spelling; ``introduced`` are spans of names that are known.
    """
    word_parts = _WordParts(text, own_names)
    chinese = load_catalogue().chinese
    names: list[Span] = []
    doubtful: list[Span] = []
    first = 0
    while first < word_parts.count:
        last, rule = word_parts.match(first)
        if rule == "unrelated":
            first = last + 1
            continue
        if (rule and word_parts.is_name(first, last, rule)) or word_parts.is_shaped(first):
            names.append(word_parts.whole_name(first, last))
            last = word_parts.word_end(last)
        elif rule and not (doubtful and doubtful[-1][1] > word_parts.parts[first].start):
            start, end = word_parts.whole_name(first, last)
            if not all(map(str.islower, text[start:end])):
                doubtful.append((start, end))
        first = last + 1
    for match in chinese.finditer(text):
        start, end = match.start(), word_parts.end_of_version(match.end())
        is_certain = (
            end > match.end() or _key(match[0]) in word_parts.names["distinct"] or _is_mentioned(text, start, end)
        )
        (names if is_certain else doubtful).append((start, end))
    ends = [match.start() for match in SENTENCE_END.finditer(text)]
    origins = (match.span() for match in _ORIGIN.finditer(text))
    about_models = {bisect_left(ends, start) for start, _ in (*names, *introduced, *origins)}
    names += [span for span in doubtful if bisect_left(ends, span[0]) in about_models]
    yield from names


def _is_mentioned(text: str, start: int, end: int) -> bool:
    before = text[max(0, start - 20) : start].casefold()
    return before.endswith(load_catalogue().phrases["quoted"]) or _SPEAKS.match(text, end) is not None


class _WordParts:
    """The parts of a text, three empty ones behind them, and the rules on them."""

    def __init__(self, text: str, own_names: Collection[str]) -> None:
        self.text = text
        self.names = load_catalogue().names
        self.own_names = frozenset(_key(name).replace(" ", "") for name in own_names)
        self.max_parts = max((_MAX_PARTS, *(len(_PART.findall(name)) for name in own_names)))
        self.parts: list[_WordPart] = []
        end = 0
        for match in _PART.finditer(text):
            gap = text[end : match.start()]
            is_near = self.parts and (gap in ("", " ") or (len(gap) == 1 and gap in _JOINTS))
            self.parts.append(_WordPart(match.start(), match.end(), match[0].casefold(), gap if is_near else "apart"))
            end = match.end()
        self.count = len(self.parts)
        self.parts += [_WordPart(len(text), len(text), "", "apart")] * 3
        self.starts = [index for index, part in enumerate(self.parts) if part.gap in ("apart", " ")]

    def match(self, first: int) -> tuple[int, str]:
        """Return the last part of the longest name that starts at a part, and its rule, which is empty for no name."""
        result = first, ""
        literal = numbered = ""
        for index, part in enumerate(self.parts[first : first + self.max_parts], first):
            if index > first and part.gap == "apart":
                break
            space = " " if index > first and part.gap == " " else ""
            literal += space + part.word
            if not part.word.isdigit():
                numbered += space + part.word
            elif space or not numbered.endswith("#"):
                numbered += f"{space}#"
            if not self.names["distinct"].isdisjoint((literal, numbered)) or literal.replace(" ", "") in self.own_names:
                result = index, "distinct"
            elif literal in self.names["unrelated"]:
                result = index, "unrelated"
            elif self.parts[first].gap:
                for rule, names in (("proper", self.names["proper"]), ("ordinary", self.names["ordinary"])):
                    if literal in names or numbered in names:
                        result = index, rule
        return result

    def is_name(self, first: int, last: int, rule: str) -> bool:
        """Return whether a match is a name by its rule."""
        start, end = self.whole_name(first, last)
        words = (part for part in self.parts[first : last + 1] if part.start == start or part.gap == " ")
        is_capital = all(self.text[part.start].isupper() or part.word.isdigit() for part in words)
        following_words = [part.word for part in self.parts[last + 1 : min(self.word_end(last), last + _MAX_PARTS) + 1]]
        has_edition = not self.names["editions"].isdisjoint(following_words)
        has_plus = self.text.startswith("+", self.parts[last].end) and not self.text.startswith("++", end - 1)
        if rule == "distinct" or has_plus or self._is_versioned(last):
            return True
        is_mentioned = _is_mentioned(self.text, start, end)
        if rule == "proper":
            has_hyphen = any(part.gap == "-" and part.word.isdigit() for part in self.parts[first + 1 : last + 1])
            return is_capital or has_edition or has_hyphen or any(map(str.isdigit, following_words)) or is_mentioned
        # A dot is that of a call: v1.max.
        if (
            has_edition
            and self.parts[last + 1].gap != "."
            and (following_words[0].isdigit() or following_words[0] in self.names["editions"])
        ):
            return True
        return is_mentioned and (is_capital or any(map(str.isdigit, self.text[start:end])))

    def _is_versioned(self, last: int) -> bool:
        """Return whether a size follows a name, or an edition as a word with a capital or behind a number."""
        part, next_part = self.parts[last + 1], self.parts[self.word_end(last + 1) + 1]
        if part.gap != " " or self.parts[last].word in self.names["numbered"]:
            return self._is_size(last + 1)
        is_number = part.word.isdigit() and next_part.gap == " " and next_part.word in self.names["editions"]
        is_edition = part.word in self.names["spaced"] and self.text[part.start].isupper()
        return is_number or is_edition or self._is_size(last + 1)

    def _is_size(self, first: int) -> bool:
        """Return whether a size (*7B*, *8x7B*, *1.5B*) starts at a part; after a space it ends in a capital."""
        index = first + (self.parts[first].word == "a")
        while self.parts[index].word.isdigit() or (index > first and self.parts[index].word == "x"):
            index += 1
        unit = self.parts[index]
        gap = self.parts[first].gap
        is_size = index > first and gap != "apart" and unit.gap == "" and self.parts[index - 1].word.isdigit()
        return is_size and unit.word in ("b", "t") and (gap != " " or self.text[unit.start] == "B")

    def is_shaped(self, first: int) -> bool:
        """Return whether a word in no list looks like a model: *Foo-7B*, *Foo 7B*, *foo-2-flash*, *FooCoder*."""
        part = self.parts[first]
        is_numbered = {part.word, part.word.removesuffix("s")} & self.names["numbered"]
        if part.gap not in ("apart", " ") or part.word.isdigit() or is_numbered:
            return False
        parts = self.parts[first : self.word_end(first) + 1]
        if len(parts) == 1:
            return self.text[part.start].isupper() and self.parts[first + 1].gap == " " and self._is_size(first + 1)
        written = self.text[part.start : parts[-1].end]
        has_ending = any(
            self.text[word_part.start : word_part.end] in _ENDINGS
            for word_part in parts[1:]
            if word_part.gap in ("", "-")
        )
        has_edition = any(word_part.gap == "-" and word_part.word in self.names["marked"] for word_part in parts)
        return (
            any(
                word_part.gap in ("-", "_", "/") and self._is_size(first + index)
                for index, word_part in enumerate(parts)
                if index
            )
            or (has_edition and any(map(str.isdigit, written)))
            or has_ending
        )

    def whole_name(self, first: int, last: int) -> Span:
        """Return (start, end) of a name with the rest of its words, and the versions and editions behind it."""
        first = self.starts[bisect_right(self.starts, first) - 1]
        last = self.word_end(last)
        has_more = self.parts[last + 1].gap == " "
        is_numbered = has_more and any(part.word.isdigit() for part in self.parts[first : last + 1])
        while (part := self.parts[last + 1]).gap == " ":
            next_part = self.parts[last + 2]
            is_number = part.word.isdigit() or (
                len(part.word) == 1 and next_part.gap == "" and next_part.word.isdigit()
            )
            is_edition = part.word in self.names["editions"] and (is_numbered or self.text[part.start].isupper())
            if not is_number and not is_edition:
                break
            last = self.word_end(last + 1)
            is_numbered = is_numbered or is_number
        end = self.parts[last].end
        return self.parts[first].start, end + self.text.startswith("+", end)

    def end_of_version(self, end: int) -> int:
        """Return where a Chinese name ends with a Latin word that is attached to it, such as a version."""
        index = bisect_left(self.parts, end, key=lambda part: part.start)
        return self.whole_name(index, index)[1] if self.parts[index].start == end < len(self.text) else end

    def word_end(self, index: int) -> int:
        """Return the last part of the word that a part is in."""
        return self.starts[bisect_right(self.starts, index)] - 1
