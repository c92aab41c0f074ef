"""Make small bugs in programs of languages that we do not parse, by replacing or removing tokens.

The bugs concern operators, numbers, names, chained calls, short strings, conditions and loops. Changes that are often
equivalent are left out, such as ``<=`` for ``<``, another value of a flag or another bound of a
loop. For these languages there is no search for inputs that would tell equivalent changes from those the tests miss.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from annotator.construction.edits import Proposal
from annotator.sandbox.programs.source_text import closing_place
from annotator.text.highlight import Span, highlight_spans

TOKEN_LANGUAGES = ("bash", "c", "c#", "go", "php", "r", "ruby", "rust")
_OPPOSITES = {
    "<": ">=", ">": "<=", "<=": ">", ">=": "<", "==": "!=", "!=": "==", "===": "!==", "!==": "===",
    "&&": "||", "||": "&&", "-eq": "-ne", "-ne": "-eq",
    "-lt": "-ge", "-ge": "-lt", "-gt": "-le", "-le": "-gt", "-z": "-n", "-n": "-z",
}  # fmt: skip
_ARITHMETIC = {"+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "+=": "-=", "-=": "+=", "*=": "+=", "/=": "*="}
_COUNTERPART_PAIRS = (
    ("true", "false"), ("TRUE", "FALSE"), ("min", "max"), ("Min", "Max"), ("floor", "ceil"), ("Floor", "Ceil"),
    ("any", "all"), ("any?", "all?"), ("upcase", "downcase"), ("push", "unshift"),
    ("to_uppercase", "to_lowercase"), ("to_ascii_uppercase", "to_ascii_lowercase"), ("ToUpper", "ToLower"),
    ("strtoupper", "strtolower"), ("toupper", "tolower"), ("start_with?", "end_with?"), ("starts_with", "ends_with"),
    ("HasPrefix", "HasSuffix"), ("and", "or"), ("head", "tail"), ("break", "continue"),
    ("mean", "median"), ("nrow", "ncol"), ("rowSums", "colSums"), ("which.max", "which.min"), ("cumsum", "cumprod"),
)  # fmt: skip
_COUNTERPARTS = {
    name: counterpart for left, right in _COUNTERPART_PAIRS for name, counterpart in ((left, right), (right, left))
}
_REMOVABLE_STEPS = (
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
"""Functions that can be replaced by their first argument without breaking the program."""
_TOKEN = re.compile(r"\S+")
_WORD = re.compile(r"\w+\??")
_LOOP_WORDS = ("for", "while", "foreach", "until", "loop")
_IF_WORDS = ("if", "elif", "elsif", "elseif")
_FALSE_CONDITIONS = {"c": "0", "r": "FALSE"}
_CONDITION_ENDS = {"go": ("{",), "rust": ("{", "=>"), "ruby": (" then", "\n"), "bash": (";", "\n")}
"""Tokens that end a condition in the languages that need no brackets around it."""
_MAX_STRING_LENGTH = 12
"""Longer strings, and strings with spaces, are usually messages, which are rarely tested."""


def token_changes(code: str, language: str) -> list[Proposal]:
    """Return logic changes of a program; none for a language that is not in `TOKEN_LANGUAGES`."""
    if language not in TOKEN_LANGUAGES:
        return []
    strings, bare_code = _separate_strings(code, language)
    proposals: dict[str, Proposal] = {}
    for start, end, replacement, kind, explanation in (
        *_code_changes(bare_code, language),
        *_string_changes(code, strings),
        *(_variable_quote_changes(code) if language == "bash" else ()),
        *_loop_changes(bare_code, language),
    ):
        changed = code[:start] + replacement + code[end:]
        if changed != code:
            proposals.setdefault(
                changed,
                Proposal(kind=f"logic.{kind}", operator="token", code=changed, reference=code, explanation=explanation),
            )
    return list(proposals.values())


_Change = tuple[int, int, str, str, str]
"""Start, end, replacement, kind of bug and explanation."""


def _separate_strings(code: str, language: str) -> tuple[list[Span], str]:
    """Return the string literals, and the code with strings and comments replaced by spaces of the same length.

    In Bash, single quotes often contain programs of other tools, so their content counts as code.
    """
    strings: list[Span] = []
    bare_characters = list(code)
    for span in highlight_spans(code, language):
        if span.kind not in ("string", "comment"):
            continue
        if span.kind == "string":
            # The highlighter splits a string at escapes and interpolations.
            if strings and strings[-1].end == span.start and not _is_closed(code[strings[-1].start : span.start]):
                strings[-1] = Span(strings[-1].start, span.end, "string")
            else:
                strings.append(span)
        if not (language == "bash" and code[span.start] == "'"):
            bare_characters[span.start : span.end] = [
                character if character == "\n" else " " for character in code[span.start : span.end]
            ]
    return strings, "".join(bare_characters)


def _is_closed(text: str) -> bool:
    return len(text) > 1 and text[0] == text[-1]


def _code_changes(bare_code: str, language: str) -> Iterator[_Change]:
    for match in _TOKEN.finditer(bare_code):
        old = match[0]
        is_in_loop_header = _begins_loop(_line_before(bare_code, match.start()))
        if old in _ARITHMETIC and not is_in_loop_header and not _is_zero(bare_code[match.end() :].lstrip()):
            replacement = _ARITHMETIC[old]
            yield *match.span(), replacement, "operation", f"calculates with {replacement} instead of {old}"
        elif old in _OPPOSITES and not (language == "bash" and old in "<>"):
            replacement = _OPPOSITES[old]
            yield *match.span(), replacement, "condition", f"compares with {replacement} instead of {old}"
    for index, character in enumerate(bare_code if language != "bash" else ""):
        previous = bare_code[index - 1 : index]
        following = bare_code[index + 1 : index + 2]
        if (
            character == "!"
            and (following.isidentifier() or following in tuple("(@$"))
            and not previous.isalnum()
            and previous not in "!=<>)]_"
        ):
            yield index, index + 1, "", "condition", "the negation is missing"
    for match in _WORD.finditer(bare_code):
        yield from _number_change(bare_code, match)
        yield from _removed_step(bare_code, match)
        if match[0] in _COUNTERPARTS and bare_code[match.start() - 1 : match.start()] != "$":
            replacement = _COUNTERPARTS[match[0]]
            yield *match.span(), replacement, "operation", f"says {replacement} instead of {match[0]}"
        if match[0] in _IF_WORDS and not bare_code[: match.start()].endswith(("$", "#", ".", "@", "-")):
            yield from _untaken_branch(bare_code, match.end(), language)


def _begins_loop(line: str) -> bool:
    first = line.lstrip("} \t").replace("(", " ").split(maxsplit=1)[:1]
    return bool(first) and first[0] in _LOOP_WORDS


def _is_zero(text: str) -> bool:
    """Return whether a text begins with the number 0."""
    return text[:1] == "0" and not (text[1:2].isalnum() or text[1:2] in (".", "_"))


def _number_change(bare_code: str, match: re.Match[str]) -> Iterator[_Change]:
    digits = match[0].rstrip("?")
    start = match.start()
    end = start + len(digits)
    if not digits.isdecimal() or "." in (bare_code[start - 1 : start], bare_code[end : end + 1]):
        return
    line_before = _line_before(bare_code, start).rstrip()
    # In an assignment, 1 instead of 0 often has no effect.
    is_assigned = line_before.endswith("<-") or (
        line_before.endswith("=") and line_before[-2:] not in ("==", "!=", "<=", ">=")
    )
    if not line_before.replace(" ", "").endswith("or_insert(") and not (digits in ("0", "1") and is_assigned):
        replacement = str(int(digits) + 1)
        yield start, end, replacement, "offbyone", f"uses {replacement} instead of {digits}"


def _removed_step(bare_code: str, match: re.Match[str]) -> Iterator[_Change]:
    """Remove a step of a chain, or a function around a value."""
    start, end = match.span()
    preceding = bare_code[start - 1 : start]
    after = end + 2 if bare_code.startswith("()", end) else end
    following = bare_code[after : after + 1]
    if match[0] in _REMOVABLE_STEPS and preceding == "." and not (following.isalnum() or following in ("(", "?", "_")):
        yield start - 1, after, "", "missing", f"a step is missing: {match[0]}"
    elif match[0] in _WRAPPERS and bare_code.startswith("(", end) and preceding not in (".", "$", ">", ":"):
        yield start, end, "", "missing", f"a step is missing: {match[0]}"


def _line_before(text: str, index: int) -> str:
    """Return the text before an index in its line."""
    return text[text.rfind("\n", 0, index) + 1 : index]


def _untaken_branch(bare_code: str, start: int, language: str) -> Iterator[_Change]:
    """Make the condition after the word ``if`` false, so that its branch is never taken.

    A condition that assigns a name is kept, because later code may use the name.
    """
    false_condition = _FALSE_CONDITIONS.get(language, "false")
    start += len(bare_code[start:]) - len(bare_code[start:].lstrip(" "))
    if language in _CONDITION_ENDS:
        ends = [index for token in _CONDITION_ENDS[language] if (index := bare_code.find(token, start)) >= 0]
        end = min(ends, default=start)
        replacement = f"{false_condition} " if language in ("go", "rust") else false_condition
    else:
        end = (closing_place(bare_code, start) or -1) + 1
        replacement = f"({false_condition})"
    condition = bare_code[start:end]
    for operator in ("===", "!==", "==", "!=", "<=", ">=", "=>", "=~"):
        condition = condition.replace(operator, " ")
    if end > start and condition.strip() and (language == "bash" or "=" not in condition):
        yield start, end, replacement, "condition", "the branch is never taken"


def _loop_changes(bare_code: str, language: str) -> Iterator[_Change]:
    """End a loop after its first step."""
    exit_statement = "break" if language in ("r", "go", "bash") else "break;"
    line_start = 0
    for line in bare_code.splitlines(keepends=True):
        end: int | None = None
        if language == "bash" and line.split()[:1] == ["done"]:
            end = line_start + line.index("done")
        elif language != "bash" and _begins_loop(line) and (brace := bare_code.find("{", line_start)) >= 0:
            end = closing_place(bare_code, brace) if "\n" not in bare_code[line_start:brace].strip() else None
        start = bare_code.rfind("\n", 0, end) + 1 if end is not None else 0
        if end is not None and not bare_code[start:end].strip():
            yield start, start, f"{exit_statement}\n", "control", "the loop ends after its first step"
        line_start += len(line)


def _variable_quote_changes(code: str) -> Iterator[_Change]:
    """Remove the quotes around a variable, except in comments and where Bash does not split words."""
    start = code.find('"$')
    while start >= 0:
        end = code.find('"', start + 1) + 1
        inner = code[start + 1 : end - 1]
        line_before = _line_before(code, start)
        is_in_test = line_before.count("[[") > line_before.count("]]")
        is_unsplit = is_in_test or line_before.rstrip(" ").endswith(("=", "<", ">"))
        is_word = line_before[-1:] in (" ", "\t", "/", "=") and code[end : end + 1] in tuple(" \t\n;/|)")
        is_variable = inner[1:].isidentifier() or inner[1:].isdigit() or inner in ("$@", "$*") or _is_braced(inner)
        if is_variable and is_word and not is_unsplit and "#" not in line_before.replace("$#", ""):
            yield start, end, inner, "missing", f"the quotes around {inner} are missing"
        start = code.find('"$', max(end, start + 1))


def _is_braced(variable: str) -> bool:
    return variable.startswith("${") and variable.find("}") == len(variable) - 1


def _string_changes(code: str, strings: list[Span]) -> Iterator[_Change]:
    for span in strings:
        text = code[span.start : span.end]
        inner = text[1:-1]
        is_whole = len(text) > 2 and text[0] in "'\"" and text[-1] == text[0]
        if (
            is_whole
            and len(inner) <= _MAX_STRING_LENGTH
            and not any(character.isspace() or character == "\\" for character in inner)
        ):
            yield span.end - 2, span.end - 1, "", "operation", f"the text {text} lacks its last letter"
