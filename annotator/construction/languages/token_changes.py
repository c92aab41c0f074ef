"""Small changes of programs in languages that are not read into a tree: operators, numbers, names, steps, short texts,
branches that are never taken and loops that stop after their first step.

Left out is what often does the same as before, such as ``<=`` for ``<``, another value of a flag or another bound of a
loop: no inputs are searched in these languages, so nothing would tell such a change from one that the tests do not
notice."""

from __future__ import annotations

import re
from collections.abc import Iterator

from annotator.construction.edits import Proposal
from annotator.sandbox.programs.source_text import closing_place
from annotator.text.highlight import Span, spans

TOKEN_LANGUAGES = ("bash", "c", "c#", "go", "php", "r", "ruby", "rust")
_OPPOSITE = {
    "<": ">=", ">": "<=", "<=": ">", ">=": "<", "==": "!=", "!=": "==", "===": "!==", "!==": "===",
    "&&": "||", "||": "&&", "-eq": "-ne", "-ne": "-eq",
    "-lt": "-ge", "-ge": "-lt", "-gt": "-le", "-le": "-gt", "-z": "-n", "-n": "-z",
}  # fmt: skip
_ARITHMETIC = {"+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "+=": "-=", "-=": "+=", "*=": "+=", "/=": "*="}
_PAIRS = (
    ("true", "false"), ("TRUE", "FALSE"), ("min", "max"), ("Min", "Max"), ("floor", "ceil"), ("Floor", "Ceil"),
    ("any", "all"), ("any?", "all?"), ("upcase", "downcase"), ("push", "unshift"),
    ("to_uppercase", "to_lowercase"), ("to_ascii_uppercase", "to_ascii_lowercase"), ("ToUpper", "ToLower"),
    ("strtoupper", "strtolower"), ("toupper", "tolower"), ("start_with?", "end_with?"), ("starts_with", "ends_with"),
    ("HasPrefix", "HasSuffix"), ("and", "or"), ("head", "tail"), ("break", "continue"),
    ("mean", "median"), ("nrow", "ncol"), ("rowSums", "colSums"), ("which.max", "which.min"), ("cumsum", "cumprod"),
)  # fmt: skip
_OTHER = {name: other for one, two in _PAIRS for name, other in ((one, two), (two, one))}
_STEPS = (
    "uniq", "sort", "reverse", "strip", "compact", "flatten", "sort_by", "trim", "rev", "abs", "dedup", "distinct",
    "downcase", "upcase", "to_lowercase", "to_ascii_lowercase", "Distinct", "Reverse", "Trim", "ToLower",
)  # fmt: skip
_WRAPPERS = (
    "strtolower",
    "trim",
    "array_unique",
    "array_reverse",
    "abs",
    "unique",
    "sort",
    "rev",
    "tolower",
    "toupper",
)
"""Functions whose first argument may stand in place of their value: without one, the program still fits together."""
_OPERATOR = re.compile(r"(?<=\s)(===?|!==?|<=|>=|<|>|&&|\|\||-(?:eq|ne|lt|le|gt|ge|z|n)|[-+*/%]=?)(?=\s)")
_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
_NAME = re.compile(r"(?<![\w$])[A-Za-z_]\w*[?]?")
_STEP = re.compile(rf"\.(?:{'|'.join(_STEPS)})(?:\(\))?(?![\w(?])")
_WRAPPER = re.compile(rf"(?<![\w.$>:])(?:{'|'.join(_WRAPPERS)})(?=\()")
_ZERO = re.compile(r"\s*0(?![\w.])")
_FLAG = re.compile(r"(?:(?<![=!<>])=|:=|<-|\+=|-=)\s*$")
"""What stands before a number that something is set to or counted by: with 1 for 0 it often counts the same."""
_DEFAULT = re.compile(r"\bor_insert\s*\(\s*$")
_HEADER = re.compile(r"^\s*(?:\}\s*)?(?:for|while|foreach|until)\b")
_NEVER = {"c": "0", "r": "FALSE"}
_BRANCH = {
    **dict.fromkeys(("c", "c#", "php", "r"), re.compile(r"(?<![\w$#])(?:if|elseif)\s*(?=\()")),
    **dict.fromkeys(("go", "rust"), re.compile(r"(?<!\w)if\s+(?!let\b)(?P<condition>[^;{}\n]+)\{")),
    "ruby": re.compile(r"(?<![\w.@])(?:els)?if\s+(?P<condition>[^\n]+?)(?:\bthen\b|\n)"),
    "bash": re.compile(r"(?<![\w-])(?:el)?if\s+(?P<condition>[^\n]+?)(?:;\s*|\n\s*)then\b"),
}
_LOOP = re.compile(r"^[ \t]*(?:'\w+:\s*)?(?:for|foreach|while)\b[^;{\n]*(?:\([^{\n]*\))?\s*\{", re.MULTILINE)
_ASSIGNMENT = re.compile(r":=|(?<![=!<>])=(?![=~>])")
_NEGATION = re.compile(r"(?<![\w!=<>)\]])!(?=[\w(@$])")
_EXPANDED = re.compile(r'(?<=[\s=/])"(?:\$\w+|\$\{\w[^{}"]*\}|\$[@*])"(?=[\s;/|)])')
"""A variable of Bash in quotes, without which its spaces part it."""
_SHORT = 12
"""Longer texts, and those of several words, are said to people: no test looks at them."""


def token_changes(code: str, language: str) -> list[Proposal]:
    """Return changes of logic in a program; none for a language that is not of `TOKEN_LANGUAGES`."""
    if language not in TOKEN_LANGUAGES:
        return []
    texts, bare = _read(code, language)
    found: dict[str, Proposal] = {}
    for start, end, new, kind, why in (
        *_in_code(bare, language),
        *_in_texts(code, texts),
        *(_around_variables(code) if language == "bash" else ()),
        *_in_branches(bare, language),
        *_in_loops(bare, language),
    ):
        changed = code[:start] + new + code[end:]
        if changed != code:
            found.setdefault(
                changed, Proposal(kind=f"logic.{kind}", operator="token", code=changed, reference=code, explanation=why)
            )
    return list(found.values())


_Change = tuple[int, int, str, str, str]
"""Start, end, what stands there instead, the kind of bug, and what is wrong then."""


def _read(code: str, language: str) -> tuple[list[Span], str]:
    """Return the texts in quotes, and the code with them and its comments blanked, place for place.

    Programs of other tools stand between single quotes in Bash, so what is in them is code.
    """
    texts: list[Span] = []
    bare = list(code)
    for span in spans(code, language):
        if span.kind not in ("string", "comment"):
            continue
        if span.kind == "string":
            if texts and texts[-1].end == span.start and not _is_closed(code[texts[-1].start : span.start]):
                texts[-1] = Span(texts[-1].start, span.end, "string")
            else:
                texts.append(span)
        if not (language == "bash" and code[span.start] == "'"):
            bare[span.start : span.end] = [sign if sign == "\n" else " " for sign in code[span.start : span.end]]
    return texts, "".join(bare)


def _is_closed(text: str) -> bool:
    return len(text) > 1 and text[0] == text[-1]


def _in_code(bare: str, language: str) -> Iterator[_Change]:
    for found in _OPERATOR.finditer(bare):
        old = found[0]
        in_header = _HEADER.match(_before(bare, found.start())) is not None
        if old in _ARITHMETIC and not in_header and not _ZERO.match(bare, found.end()):
            new = _ARITHMETIC[old]
            yield *found.span(), new, "operation", f"calculates with {new} instead of {old}"
        elif old in _OPPOSITE and not (language == "bash" and old in "<>"):
            new = _OPPOSITE[old]
            yield *found.span(), new, "condition", f"compares with {new} instead of {old}"
    for found in _NUMBER.finditer(bare):
        before = _before(bare, found.start())
        if _DEFAULT.search(before) or (found[0] in "01" and _FLAG.search(before)):
            continue
        new = str(int(found[0]) + 1)
        yield *found.span(), new, "offbyone", f"uses {new} instead of {found[0]}"
    for found in _NAME.finditer(bare):
        if found[0] in _OTHER:
            new = _OTHER[found[0]]
            yield *found.span(), new, "operation", f"says {new} instead of {found[0]}"
    for found in (*_STEP.finditer(bare), *_WRAPPER.finditer(bare)):
        yield *found.span(), "", "missing", f"a step is missing: {found[0].strip('.()')}"


def _before(text: str, place: int) -> str:
    """Return what stands before a place in its line."""
    return text[text.rfind("\n", 0, place) + 1 : place]


def _in_branches(bare: str, language: str) -> Iterator[_Change]:
    """Make a condition false, so that its branch is never taken, and drop a negation."""
    never = _NEVER.get(language, "false")
    for found in _BRANCH[language].finditer(bare):
        if "condition" in found.groupdict():
            (start, end), new = found.span("condition"), f"{never} "
        else:
            start, end, new = found.end(), (closing_place(bare, found.end()) or -1) + 1, f"({never})"
        # A condition that gives a name to something cannot be left out; Bash compares with the same sign.
        if end > start and (language == "bash" or not _ASSIGNMENT.search(bare[start:end])):
            yield start, end, new, "condition", "the branch is never taken"
    if language != "bash":
        for found in _NEGATION.finditer(bare):
            yield *found.span(), "", "condition", "the negation is missing"


def _in_loops(bare: str, language: str) -> Iterator[_Change]:
    """End a loop after its first step."""
    if language == "bash":
        ends = [found.start() for found in re.finditer(r"^[ \t]*done\b", bare, re.MULTILINE)]
    else:
        ends = [end for found in _LOOP.finditer(bare) if (end := closing_place(bare, found.end() - 1))]
    step = "break" if language in ("r", "go", "bash") else "break;"
    for end in ends:
        line = bare.rfind("\n", 0, end) + 1
        if not bare[line:end].strip():
            yield line, line, f"{step}\n", "control", "the loop ends after its first step"


def _around_variables(code: str) -> Iterator[_Change]:
    """Leave the quotes around a variable out, but in comments and where its value is not parted."""
    for found in _EXPANDED.finditer(code):
        before = _before(code, found.start())
        is_whole = before.rstrip(" ").endswith(("=", "<", ">")) or before.count("[[") > before.count("]]")
        if not is_whole and "#" not in before.replace("$#", ""):
            inner = found[0][1:-1]
            yield *found.span(), inner, "missing", f"the quotes around {inner} are missing"


def _in_texts(code: str, texts: list[Span]) -> Iterator[_Change]:
    for span in texts:
        text = code[span.start : span.end]
        inner = text[1:-1]
        is_whole = len(text) > 2 and text[0] in "'\"" and text[-1] == text[0]
        if is_whole and len(inner) <= _SHORT and not any(sign.isspace() or sign == "\\" for sign in inner):
            yield span.end - 2, span.end - 1, "", "operation", f"the text {text} lacks its last letter"
