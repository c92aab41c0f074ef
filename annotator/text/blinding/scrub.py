"""Remove words that reveal a text's author to a blind rater: names of models, makers and people, and stock phrases.

Only prose is changed; code stays, because it is scored. Hidden are the names of the study and of the catalogue
(`model_catalogue.py`), and names in the slots of introductions: "I am …", "由…开发".
"""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import regex

from annotator.text.blinding.model_catalogue import SENTENCE_END, Span, find_names, load_catalogue
from annotator.text.code_or_prose import looks_like_code
from annotator.text.code_spans import code_spans
from annotator.text.python_tree import UNREADABLE, read_tree
from annotator.text.syntax_trees import parse_code

MODEL = "[model]"
PERSON = "[person]"
_SELF = regex.compile(
    r"\bas (?:an? (?:ai|artificial intelligence)(?: language)?|a large language)(?: model| assistant)?\b"
    r"|作为(?:一个|一名|一款)?(?:(?:ai|人工智能)?(?:大?语言模型|助手|大模型)|(?:ai|人工智能)(?:助手|模型)?)",
    regex.IGNORECASE,
)
"""Phrases with which models refer to themselves."""
_WORD = r"[\p{L}0-9+-]{0,60}(?:\.[A-Za-z0-9]{1,60}){0,8}"
_PRONOUN = "(?:Any|Every|No|Some)(?:body|one)|He|I|It|She|That|These|They|This|Those|We|What|Which|Who|You"
_NAME = (
    rf"\b(?!(?:{_PRONOUN})\b)(?P<name>[A-Z]{_WORD}(?: (?:[A-Z](?!['\u2019 ])|v?\d){_WORD}){{0,3}}|o[1-9]\b"
    r"|[a-z]+(?:-[a-z0-9]+){0,8}-v?\d[a-z0-9.]*\b)"
)
_PARTICLES = "的了是用一不这那个很想会要来为以没从在对把被给让你我他她它们吗呢吧啊由"
_PRONOUNS = "我你他她它"
_LATIN = r"[A-Za-z](?:[A-Za-z0-9]|[-.+ ](?=[A-Za-z0-9])){1,40}"
_CHINESE = (
    rf"(?P<name>{_LATIN}(?![A-Za-z0-9])"
    rf"|(?![{_PARTICLES}])(?:[^\p{{P}}\s\p{{Sc}}{_PRONOUNS}]|[-·.&](?=\w)){{2,30}}?(?<![的了吗呢吧]))"
)
_CHINESE_END = r"(?![-·.&]\w)\p{P}|\n|$|一[个名款种]|大?模型|AI|助手"
_AUTHOR_WORDS = regex.compile(
    r"\b(?:I|me|my|AI|assistant|chatbot|model|LLM)\b|我(?!们)|[您你]服务|助手|模型|机器人", regex.IGNORECASE
)
"""Words that show that a sentence is about its author."""
_INTRODUCES = regex.compile(
    r"\b(?:I am|I['\u2019]m|my name is) (?:[A-Z]|(?:an?|the|your) (?:[\w-]+ ){0,4}?"
    r"(?:AI|agent|assistant|model)\b(?! [a-z]+[oe]r\b))"
    r"(?:(?!;|\b(?:and|but|can|cannot|comes|gets?|I|is|so|using|with)\b)[^\0])*\0|我[是叫].*?(?:AI|助手|模型)"
)
"""Phrases with which a sentence introduces its author, up to the slot in the same clause."""


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """A text without identifying words; ``hidden`` are the words that were removed, in the order of the text."""

    text: str
    hidden: tuple[str, ...] = ()


def scrub_names(
    text: str, models: Iterable[str] = (), people: Iterable[str] = (), *, keep: str = "", language: str = "",
    code_lines: Collection[str] = (),
) -> Scrubbed:  # fmt: skip
    """Return a text with identifying words of its prose replaced, and its code unchanged.

    ``models`` are further model names, in any spelling; ``people`` are matched as written. Names that occur in
    ``keep``, such as the question, reveal nothing and stay. ``language`` is that of a text that is all code;
    ``code_lines`` are lines that are code without a fence around them.
    """
    models = _names_to_hide(models)
    people = _names_to_hide(people)
    kept_text = keep.casefold()
    # Names outside the catalogue's parts, such as those with brackets or in Chinese, are searched for as texts.
    model_pattern = _match_any(map(_spell, models), regex.IGNORECASE)
    person_pattern = _match_any(map(regex.escape, people))
    parts: list[str] = []
    hidden: list[str] = []
    for piece, is_code in _split_code(text, language, code_lines):
        introduced = [] if is_code else list(_find_introductions(piece))
        names = [] if is_code else find_names(piece, models, introduced)
        spans = [(*span, MODEL) for span in (*introduced, *names)]
        if models and not is_code:
            spans += [(*match.span(), MODEL) for match in model_pattern.finditer(piece)]
        if people and not is_code:
            spans += [(*match.span(), PERSON) for match in person_pattern.finditer(piece)]
        spans = [span for span in spans if piece[span[0] : span[1]].casefold() not in kept_text]
        position = 0
        for start, end, label in _merge(spans):
            parts += [piece[position:start], label]
            hidden.append(piece[start:end])
            position = end
        parts.append(piece[position:])
    return Scrubbed("".join(parts), tuple(hidden))


def _merge(spans: Iterable[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Return spans in order, with touching ones joined."""
    merged: list[tuple[int, int, str]] = []
    for start, end, label in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]), merged[-1][2])
        else:
            merged.append((start, end, label))
    return merged


def _find_introductions(text: str) -> Iterator[Span]:
    """Yield the stock phrases of models, and the names by which a text introduces its author or the author's maker."""
    yield from (match.span() for match in _SELF.finditer(text))
    phrases = load_catalogue().phrases
    for (before, name), is_about_author in (
        *((frame, _AUTHOR_WORDS) for frame in _compile_frames(phrases["introductions"])),
        *((frame, _INTRODUCES) for frame in _compile_frames(phrases["introducing"])),
    ):
        starts = range(len(text)) if before is None else (match.end() for match in before.finditer(text))
        for match in filter(None, (name.match(text, position) for position in starts)):
            start, end = match.span()
            text_before, text_after = text[max(0, start - 60) : start], text[end : end + 60]
            around = SENTENCE_END.split(text_before)[-1], SENTENCE_END.split(text_after)[0]
            sentence = f"{match[0]}\0".join(around)
            if not match["name"].endswith(phrases["roles"]) and is_about_author.search(sentence):
                yield match.span("name")


@cache
def _compile_frames(phrases: tuple[str, ...]) -> tuple[tuple[regex.Pattern[str] | None, regex.Pattern[str]], ...]:
    """Return, for each introduction, the pattern of the text before its slot, if any, and that of the slot.

    They are compiled here: looking up 150 patterns in the cache of `regex` took most of the time of a short text.
    """
    frames: dict[str, list[str]] = {}
    for frame in phrases:
        before, _, after = frame.partition("{name}")
        frames.setdefault(before or ("" if after.isascii() else "\n"), []).append(after)
    slots = []
    for before, afters in frames.items():
        if "".join((before, *afters)).isascii() and before != "\n":
            start = before and rf"\b{before}"
            slot = rf"{_NAME}(?=(?:{'|'.join(map(regex.escape, afters))}))"
        else:
            start = before.strip()
            ends = "|".join(f"(?:公司|集团|团队|旗下)*{after}" if after else _CHINESE_END for after in afters)
            slot = rf" ?{_CHINESE}(?= ?(?:{ends}))"
        slots.append((regex.compile(start, regex.IGNORECASE) if start else None, regex.compile(slot)))
    return tuple(slots)


def _split_code(text: str, language: str, code_lines: Collection[str]) -> Iterator[tuple[str, bool]]:
    """Yield the pieces of a text in order as (text, is code)."""
    position = 0
    for start, end in _find_code(text, language, code_lines):
        if start >= position:
            yield text[position:start], False
            yield text[start:end], True
            position = end
    yield text[position:], False


def _find_code(text: str, language: str, code_lines: Collection[str]) -> list[tuple[int, int]]:
    """Return (start, end) of each piece of code: fenced, between backticks, one of ``code_lines``, or the whole text.

    A paragraph that parses is code too if it ends unlike a sentence or has several lines. Headings and lists of labels
    ("Author: …") parse as well but are not code.
    """
    if _is_program(text, language):
        return [(0, len(text))]
    lines = [match.span() for match in regex.finditer(r"[^\n]+", text) if match[0].strip() in code_lines]
    for match in regex.finditer(r"[^\n]+(?:\n[^\n]+)*", text):
        if match[0].startswith("# ") or all(map(_has_label, match[0].split("\n"))):
            continue
        if match[0].rstrip().endswith((";", "}")) or "\n" in match[0]:
            lines += [match.span()] if _is_program(textwrap.dedent(match[0]), language) else []
    spans = sorted([*code_spans(text), *lines], key=lambda span: (span[0], -span[1]))
    return spans or ([(0, len(text))] if looks_like_code(text) else [])


def _has_label(line: str) -> bool:
    label, colon, _ = line.strip().partition(": ")
    return bool(colon) and label.replace(" ", "_").isidentifier()


def _is_program(text: str, language: str) -> bool:
    """Return whether a whole text parses as a program, not just a few words."""
    if not any(character in text for character in ("(", ")", "{", "}", "[", "]", "=", ";", ":\n ")):
        return False
    if language == "python":
        try:
            read_tree(text)
        except UNREADABLE:
            return False
        return True
    root = parse_code(text, language)
    return root is not None and not root.has_error


def _match_any(patterns: Iterable[str], flags: int = 0) -> regex.Pattern[str]:
    return regex.compile(rf"(?<![A-Za-z0-9_])(?:{'|'.join(patterns)})(?![A-Za-z0-9_])", flags)


def _spell(name: str) -> str:
    """Return a pattern of a name with other signs, or none, between its parts."""
    return "[-_./: ]?".join(regex.escape(part) for part in regex.split(r"[-_./: ]+", name) if part)


def _names_to_hide(names: Iterable[str]) -> list[str]:
    """Return names, longest first, without words of one or two letters; *o3* and Chinese names are kept."""
    stripped = {name.strip() for name in names}
    return sorted(filter(_is_recognisable, stripped), key=lambda name: (-len(name), name))


def _is_recognisable(name: str) -> bool:
    return len(name) > 2 or (len(name) == 2 and (not name.isascii() or (name[0].isalpha() and name[1].isdigit())))
