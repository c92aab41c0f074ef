"""Remove what would reveal a text's author to a blind rater: names of models, makers and people, and stock phrases.

Only prose is changed. Code, which is what gets scored, is left unchanged.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

import regex

from annotator.base.errors import BadInputError
from annotator.text.blinding import model_names
from annotator.text.code_or_prose import looks_like_code
from annotator.text.code_spans import code_spans
from annotator.text.python_tree import UNREADABLE, read_tree
from annotator.text.syntax_trees import parse_code

MODEL = "[model]"
PERSON = "[person]"
MIN_NAME_CHARS = 3
"""Shorter names of people or models are ignored, because they would match ordinary words and variables."""
_TIMEOUT, _TIMEOUT_PER_CHAR = 2.0, 1 / 20_000
"""Seconds that one expression may take, and how many more for each character of the text."""
# \b finds no boundary between a Chinese and a Latin letter. Here a Latin word ends at any other letter, and a Chinese
# word may end anywhere.
_START, _END = r"(?!(?<=[A-Za-z0-9_])[A-Za-z0-9_])", r"(?!(?<=[A-Za-z])[A-Za-z])"
_VARIANT = rf"(?:{'|'.join(model_names.VARIANTS)})(?![A-Za-z'])"
_VERSION = rf"(?:-[a-z](?=-))?[-_.:/]?(?:v?\d|{_VARIANT})|[ ]r\b\+?"
_EDITION = rf"[ ](?:\d[\d.]*[ ])?(?:{'|'.join(map(str.capitalize, model_names.EDITIONS))})(?![A-Za-z'])|[ ]\d[\d.]*B\b"
# A name may begin with a maker's or a place (meta-llama/Llama-3, us.amazon.nova-pro), go on with digits and parts
# (gpt-4o-mini-2024), and be followed by a version or a variant (Claude 3 Opus, Kimi K2).
_BEFORE = rf"{_START}(?:[a-z0-9]+[-/.:_]){{0,4}}"
_BEHIND = (
    rf"(?:ai|bot|chat|code|coder)?{_END}(?:[-_.:/@+]?[A-Za-z0-9_]+)*\+?"
    rf"(?:[ ](?:[a-z]?\d[A-Za-z0-9_.]*[A-Za-z0-9_]|[a-z]?\d|{_VARIANT}))*"
)
# A name that is also an ordinary word is hidden where somebody thinks, answers or was trained.
_ADVERBS = "also|always|both|cannot|could|did|does|has|just|never|once|still|usually|will|would"
_SPEAKS = (
    r"(?=['\u2019]s (?:[a-z]+ )?(?:agent|answer|assistant|chatbot|LLM|model|output|reply|solution|take)\b"
    r"|['\u2019]s \[model\]| (?:assistant|model), I\b| here,"
    r"| can(?:not|['\u2019]t) (?:access|browse|execute|open|run|see|test)\b"
    rf"|(?: (?:{_ADVERBS})(?:n['\u2019]t)?)*"
    r" (?:(?:answer|distill|prefer|reason|refuse|suggest)(?:s|ed|d)?|believes?|gave|nailed|replie[sd]|reply"
    r"|respond(?:s|ed)?|says?|said|solved|thinks?|thought|told|would have|wrote"
    r"|(?:was|is|were) (?:asked|prompted|(?:pre-?|post-?)?trained|(?:fine-?)?tuned))\b"
    r"|(?:AI|家|的|老师|团队)*(?:\[model\]|[\p{Han}A-Za-z]{0,4}?)"
    r"(?:大?模型|助手|AI|认为|建议|思路|想法|觉得|回答|答案|解法|思考|想了|训练|研发|写的|生成|编写|补全|推出|说))"
)
# Names in no list are found by their shape (Lama-7B, NextCoder), and where a text says who wrote it.
_NUMBERED = (
    "appendix|case|chapter|codeforces|example|exercise|figure|item|level|line|option|page|part|problem|question|room"
    "|round|section|step|table|test|theorem|utf"
)
"""Words before a number and a letter that are not the size of a model, as in figure-3b."""
_MARKED = r"(?:chat|distill|flash|instruct|reasoner|reasoning|thinking|turbo|ultra)(?![A-Za-z])"
"""Variants that no version of another program has: with a number they make a name (agnes-2.5-flash)."""
_SHAPE = "|".join(
    (
        rf"{_START}(?!(?i:{_NUMBERED})s? )[A-Z][A-Za-z]+ \d{{1,3}}(?:\.\d+)?B\b",
        rf"{_START}(?!(?i:{_NUMBERED})[-_])(?:[A-Za-z][A-Za-z0-9_.]*[-/]){{0,8}}[A-Za-z][A-Za-z0-9_.]*[-_/]"
        r"(?:\d+x|A)?\d+(?:\.\d+)?[BbT](?![A-Za-z0-9])(?:[-_.:][A-Za-z0-9_.]*[A-Za-z0-9_])*",
        rf"{_START}[A-Za-z0-9]+(?=[-0-9])(?=[-A-Za-z.]{{0,40}}\d)(?:[-.][A-Za-z0-9]+){{0,8}}?"
        rf"-(?i:{_MARKED})(?:[-.:][A-Za-z0-9]+)*",
        rf"{_START}(?!AtCoder|AutoModel|TopCoder)(?:[A-Za-z0-9]+-?(?:LLM|GPT)|[A-Za-z]*[a-z](?:-?Coder|LM)){_BEHIND}",
    )
)
_PLAIN = (
    "一个|什么|他|代码|但|使用|先进|其他|再|利用|到|千亿|参数|可|各种|哪|商用|国|中国|在|基于|多数|大多|多模态|她|如今|如果|它|对于|将|已|开源|当前"
    "|微调|我|所有|推理|有些|本|本地|某些|每个|现有|现在|用|由于|的|目前|视觉|训练|许多|语言|请|调用|轻量|这|通用|那|部分|部署|随着|预训练|领域|行业|要"
    "|该|让|像|主流|而|能|因为|你|作为"
)
"""What an ordinary word before 大模型 begins with."""
_PRONOUN = "(?:Any|Every|No|Some)(?:body|one)|He|I|It|She|That|These|They|This|Those|We|What|Which|Who|You"
_MADE = "made|created|built|trained|tuned|developed|launched|released|taught"
_WORD = r"[A-Za-z0-9+-]*(?:\.[A-Za-z0-9]+)*"
_NAME = rf"(?:[A-Z]{_WORD}(?: (?:[A-Z]|v?\d){_WORD}){{0,3}}|o[1-9]\b|[a-z]+(?:-[a-z0-9]+){{0,8}}-v?\d[a-z0-9.]*\b)"
_AUTHOR = "|".join(
    (
        rf"(?<=\b(?:I am|I['\u2019]m|[Mm]y name(?: is|['\u2019]s)) ){_NAME}|(?<=\bAs ){_NAME}(?=,? I\b)",
        rf"(?<=\b(?:You are|[Aa]ssistant is) ){_NAME}(?=[,.;]|$)",
        rf"(?<=\b(?:trained|tuned|I was [a-z]+|I am [a-z]+|I['\u2019]m [a-z]+) by ){_NAME}",
        rf"(?<=\b[Mm]y(?: [a-z]+)? (?:company|creator|developer|maker|model) is ){_NAME}",
        rf"(?<=\b[Tt]he model (?:behind|you are)[a-z ]+ is ){_NAME}",
        rf"\b(?!{_PRONOUN}\b){_NAME}(?<!\bI)(?= (?:{_MADE}) me\b| (?:wrote|generated) this\b)",
        rf"(?<=\b(?:[Mm]odel name|[Bb]ase model|[Dd]evelop(?:ed by|er)): ){_NAME}",
        rf"(?<=(?:模型名称|基座模型|开发者)\p{{P}} ?)(?:{_NAME}|[\p{{Han}}A-Za-z]+)",
        rf"(?<=我是|我叫|作为){_NAME}(?=[\p{{P}}\s]|$|编程|助手|模型)",
        rf"(?<=我(?:[^\p{{P}}\n]|\[model\]){{0,12}}(?:推出的|(?:公司|开发者|团队)[是叫]))(?:{_NAME}|\p{{Han}}{{2,6}})(?=\p{{P}}|$)",
        r"(?<=[我你]的名字[是叫]|我叫|叫我)[\p{Han}A-Z]{2,4}(?=\p{P}|$)",
        r"(?<=(?:我是|我叫|作为)(?:(?:[^\p{P}\n]|\[model\]){2,12}的)?)\p{Han}{2,4}(?=大模型|AI|助手)",
        r"(?<=我是|作为)[\p{Han}A-Za-z0-9]{2,10}?"
        r"(?=(?:公司|集团|旗下|研发|开发|推出)*的(?:\p{Han}{2,4}(?:大模型|AI)|\[model\]))",
        rf"(?<!\p{{Han}})(?=[\p{{Han}}A-Z])(?!{_PLAIN})(?:\p{{Han}}{{2,3}}|[A-Z][A-Za-z0-9-]+)(?=大模型)",
        r"(?<=我是)[\p{Han}A-Za-z]{2,8}(?=\p{P}一[个名款种])",
        r"(?<=由)[\p{Han}A-Za-z0-9 .·]{2,16}?(?=训练|研发|研制|推出的)",
        r"(?<=我是由)[\p{Han}A-Za-z0-9 .·]{2,16}?(?=开发|打造|创建)",
    )
)
_ANSWERED_BY = (
    r"(?<=(?:我是|我叫|作为)(?:(?:[^\p{P}\n]|\[model\]){0,12}的|中文)? ?|由|来自|以[上下][是为]|问[过了]"
    r"|\b(?:[Aa]nswer|[Nn]ote|[Oo]utput|[Rr]eply|[Rr]esponse|[Ss]olution) (?:by|from|of) "
    r"|\b(?:answered|generated|produced|solved|written) by |\b(?:asked|comes? from|came from|tried) )"
)

_LABELS = regex.compile(r"(?:[ \t]*[A-Za-z][\w ]*: [^\n]*(?:\n|$))+")


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

    ``models`` are further model names, matched in any case; ``people`` are matched as written. Names that occur in
    ``keep``, such as the question, reveal nothing and stay. ``language`` is that of a text that is all code;
    ``code_lines`` are lines that are code without a fence around them.
    """
    expressions = list(_expressions(models, people))
    kept_text = keep.casefold()
    parts: list[str] = []
    hidden: list[str] = []
    for piece, is_code in _pieces(text, language, code_lines):
        clean = piece
        for expression, replacement in () if is_code else expressions:

            def replace(match: regex.Match[str], replacement: str = replacement) -> str:
                if match[0].casefold() in kept_text:
                    return match[0]
                hidden.append(match[0])
                return replacement

            clean = _replace_names(expression, replace, clean)
        parts.append(clean)
    return Scrubbed("".join(parts), tuple(hidden))


def _replace_names(expression: regex.Pattern[str], replace: Callable[[regex.Match[str]], str], text: str) -> str:
    allowed_s = _TIMEOUT + len(text) * _TIMEOUT_PER_CHAR
    try:
        return expression.sub(replace, text, timeout=allowed_s)
    except TimeoutError:
        raise BadInputError(
            f"A text of {len(text):,} characters cannot be searched for names within {allowed_s:.0f} s. Leave it out."
        ) from None


def _pieces(text: str, language: str, code_lines: Collection[str]) -> Iterator[tuple[str, bool]]:
    """Yield the pieces of a text in order as (text, is code)."""
    at = 0
    for start, end in _code_places(text, language, code_lines):
        if start >= at:
            yield text[at:start], False
            yield text[start:end], True
            at = end
    yield text[at:], False


def _code_places(text: str, language: str, code_lines: Collection[str]) -> list[tuple[int, int]]:
    """Return (start, end) of each piece of code: fenced, between backticks, one of ``code_lines``, or the whole text.

    A paragraph that parses is code too if it ends unlike a sentence or has several lines. Headings and lists of labels
    ("Author: …") parse as well but are not code.
    """
    if _is_program(text, language):
        return [(0, len(text))]
    lines = [match.span() for match in regex.finditer(r"[^\n]+", text) if match[0].strip() in code_lines]
    for match in regex.finditer(r"[^\n]+(?:\n[^\n]+)*", text):
        if match[0].startswith("# ") or _LABELS.fullmatch(match[0]):
            continue
        if match[0].rstrip().endswith((";", "}")) or "\n" in match[0]:
            lines += [match.span()] if _is_program(textwrap.dedent(match[0]), language) else []
    spans = sorted([*code_spans(text), *lines], key=lambda span: (span[0], -span[1]))
    return spans or ([(0, len(text))] if looks_like_code(text) else [])


def _is_program(text: str, language: str) -> bool:
    """Return whether a whole text parses as a program, not just a few words."""
    if not any(sign in text for sign in ("(", ")", "{", "}", "[", "]", "=", ";", ":\n ")):
        return False
    if language == "python":
        try:
            read_tree(text)
        except UNREADABLE:
            return False
        return True
    root = parse_code(text, language)
    return root is not None and not root.has_error


def _expressions(models: Iterable[str], people: Iterable[str]) -> Iterator[tuple[regex.Pattern[str], str]]:
    yield regex.compile("|".join(rf"{_START}{phrase}{_END}" for phrase in model_names.SELF), regex.IGNORECASE), MODEL
    own = _names_to_hide(models)
    if own:
        yield regex.compile(_match_any(map(_spell, own)), regex.IGNORECASE), MODEL
    always = "|".join(sorted(model_names.ALWAYS, key=len, reverse=True))
    yield regex.compile(rf"{_BEFORE}(?:{always}){_BEHIND}", regex.IGNORECASE), MODEL
    capitalised = "|".join(map(regex.escape, sorted(model_names.CAPITALISED, key=len, reverse=True)))
    versioned = "|".join(model_names.WITH_VERSION)
    yield regex.compile(rf"{_BEFORE}(?:{versioned}|{capitalised})(?={_VERSION}){_BEHIND}", regex.IGNORECASE), MODEL
    spaced = "|".join(word.capitalize() for word in model_names.WITH_VERSION)
    yield regex.compile(rf"{_START}(?:{capitalised}|(?:{spaced})(?={_EDITION}))(?i:{_BEHIND})"), MODEL
    ordinary = "|".join(model_names.ORDINARY)
    short = "|".join(model_names.SHORT)
    named = rf"{_ANSWERED_BY}(?:{ordinary}|{short}|{spaced})|(?<=\b(?:by|from) )(?:{ordinary})"
    yield regex.compile(rf"(?:{named})(?![a-z])(?i:{_BEHIND})"), MODEL
    yield regex.compile(rf"{_START}(?:{ordinary}|{short}|{spaced}|(?i:{capitalised}))(?i:{_BEHIND}){_SPEAKS}"), MODEL
    yield regex.compile(_SHAPE), MODEL
    yield regex.compile(_AUTHOR), MODEL
    persons = _names_to_hide(people)
    if persons:
        yield regex.compile(_match_any(map(regex.escape, persons))), PERSON


def _names_to_hide(names: Iterable[str]) -> list[str]:
    """Return names, longest first, without short words; a name of two signs with a digit (*o3*) is no word."""
    stripped_names = {name.strip() for name in names}
    return sorted(
        (name for name in stripped_names if len(name) >= MIN_NAME_CHARS or _is_short_model(name)), key=_longest_first
    )


def _is_short_model(name: str) -> bool:
    return len(name) == MIN_NAME_CHARS - 1 and name[0].isalpha() and name[1].isdigit()


def _spell(name: str) -> str:
    """Return a pattern of a name that is written with other marks, or none, between its parts."""
    return "[-_./: ]?".join(regex.escape(part) for part in regex.split(r"[-_./: ]+", name) if part)


def _match_any(patterns: Iterable[str]) -> str:
    return rf"{_START}(?:{'|'.join(patterns)})(?![A-Za-z0-9_])"


def _longest_first(name: str) -> tuple[int, str]:
    return -len(name), name
