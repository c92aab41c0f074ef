"""Review answers: which types of errors a response names, and the corrected lines it gives for them."""

from __future__ import annotations

import ast
import difflib
import html
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotator.answers.fences import split_blocks, unquoted, without_fences
from annotator.answers.found import NoAnswer
from annotator.answers.normalising import straight_quotes
from annotator.answers.outcome import no_answer, spoken_text
from annotator.text.python_tree import UNREADABLE, read_tree

LONGEST = 200_000
_MOST_OBJECTS = 60
_NOTED = (
    r"(?:were\s+|was\s+|are\s+|is\s+)?"
    r"(?:found|detected|identified|present|needed|noted|here|report(?:ed)?|observed|see)"
)
_KINDS = (
    r"(?:issues?|errors?|bugs?|problems?|violations?|concerns?|vulnerabilit(?:y|ies)|changes?|findings?|mistakes?|"
    r"flaws?)"
)
_ABSENT = re.compile(
    rf"(?:none?|n\.?/?a\.?|null|nil|nothing(?:\s+(?:to\s+)?{_NOTED})?|empty|false|0|~|clean|ok(?:ay)?|fine|correct|good|"
    rf"not\s+(?:applicable|found|present|detected|any)|(?:(?:\w+\s+){{0,4}}(?:is|are|looks?|seems?)\s+)?(?:fine|ok|good|correct|clean|valid(?:\s+\w+)?|secure|safe)|"
    rf"(?:there\s+(?:is|are)\s+|i\s+(?:see|found)\s+|(?:this|the|it)\s+(?:\w+\s+)?(?:has|contains|shows)\s+)?"
    rf"no(?:ne)?(?:(?:\s+\w+){{0,3}}?\s+{_KINDS})?(?:\s+{_NOTED})?(?:\s+(?:in|with)\s+(?:this|the)\s+(?:\w+\s+)?\w+)?|"
    r"\u4e0d\u9002\u7528|\u65e0|\u6ca1\u6709|\u6ca1\u6709(?:\u53d1\u73b0)?(?:\u95ee\u9898|\u9519\u8bef)|\u65e0(?:\u95ee\u9898|\u9519\u8bef)|なし|ありません|"
    r"問題(?:なし|ありません)|없음|нет|keine?[rsn]?(?:\s+\w+)?(?:\s+gefunden)?|nichts|ningun[oa]?s?(?:\s+\w+)?|nada|aucune?(?:\s+\w+)?|"
    r"rien|nessun[oa]?(?:\s+\w+)?|nenhum[a]?(?:\s+\w+)?|geen(?:\s+\w+)?|-+|\u2013|\u2014|\.\.\.|\u2026|[\u2713\u2714\u2705]\ufe0f?|\[\]|\{\}|\"\"|'')[.!\u3002]*",
    re.IGNORECASE,
)
_SAYS_NONE = re.compile(
    rf"(?=[\w\s,'\u2019-]*\b(?:{_KINDS}(?!\s+(?:handling|check|message|return))|any|nothing|none)\b)"
    r"(?:no|none|nothing|there\s+(?:is|are|was|were)(?:\s+no|\s+nothing|\s+not|n['\u2019]t)|"
    r"(?:i|we)\s+(?:(?:did|do|could|can|have)(?:\s+not|n['\u2019]t)|(?:found|see|saw|detected)\s+(?:no|nothing))|"
    r"(?:the|this)\s+(?:code|function|program|method|snippet)\s+(?:is\s+free\s+of|(?:has|contains|shows)\s+no))\b"
    r"[\w\s,'\u2019-]*[.!]?",
    re.IGNORECASE,
)
"""A sentence, without code, that says that nothing of a kind was found."""
_ALIASES = {
    "performance": "performance_issues", "perf": "performance_issues", "security": "security_issues",
    "vulnerability": "security_issues", "syntax": "syntax_errors", "logic": "logical_errors",
    "logical": "logical_errors", "naming": "naming_violations", "name": "naming_violations",
}  # fmt: skip
_WHOLE = ("corrected_code", "fixed_code", "correct_code")
_FIXED = (
    "corrected_line", "corrected_lines", "corrected", "correction", "fixed", "fixed_line", "fix", "corrected_code",
    "fixed_code", "correct", "replacement", "suggestion", "new", "after", "code", "value", "line_content",
)  # fmt: skip
_BESIDE = (
    "line", "line_number", "issue", "description", "explanation", "reason", "original", "before", "severity", "problem",
    "original_line", "buggy_line",
)  # fmt: skip
_KIND = ("type", "category", "key", "kind", "error_type", "issue_type", "label", "class")
_INLINE = re.compile(r"(?<!`)(`{1,2})(?!`)(?P<code>[^\n]+?)(?<!`)\1(?!`)")
_LEAD = re.compile(
    r"^(?:(?:corrected|fixed|correct|new|the)\s+)?(?:line|code|version|fix|correction)?\s*(?:\d+)?\s*:\s+(?=\S)|"
    r"^(?:line\s+)?\d+\s*[:|]\s*(?=\S)",
    re.IGNORECASE,
)
_CORRECTED = re.compile(
    r"(?:corrected|correct|fixed|new|right)(?:\s+(?:line|code|version))?(?:\s+(?:is|should\s+be|reads?))?\s*:\s*|"
    r"\b(?:(?:should|must)\s+be(?:\s+(?:replaced|changed)\s+(?:with|by|to))?|replace\s+(?:it\s+)?(?:with|by)|changed?\s+(?:it\s+)?to|use|becomes?|instead\s+use)\s*:?\s+|\s(?:->|=>|\u2192)\s|"
    r"(?<=[`'\"])\s*(?:to|with|by|into|durch|por|par|\u6539\u4e3a|\u2192)\s*(?=[`'\"])",
    re.IGNORECASE,
)

_REPLACED = re.compile(
    r"\b(?:was|were|instead\s+of|rather\s+than|not|originally|previously|formerly)\W*$", re.IGNORECASE
)
_SENTENCE = re.compile(r"^[A-Z][\w']*(?:\s+[\w'`.,()-]+){2,}[.:!]$")
_WORDY = re.compile(r"^\s*[A-Za-z][\w']*(?:\s+[\w'`.,()-]+){3,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewAnswer:
    """What an answer says: a text for each key it uses, keys nobody asked for, and how it was found.

    ``found`` is False where the response holds no review; ``outcome`` names what it is instead.
    """

    found: bool
    values: Mapping[str, str]
    unknown: tuple[str, ...] = ()
    corrected_code: str = ""
    how: str = ""
    outcome: NoAnswer = ""


def find_review(
    response: str, keys: Sequence[str], *, code: str = "", example: str = "", finish_reason: str = "stop"
) -> ReviewAnswer:
    """Read the last object of a response that has one of the keys; one equal to the prompt's ``example`` is none.

    Values such as "none" mean that nothing was found. ``code`` is what was reviewed: a value is likened to its lines.
    """
    said = spoken_text(response[:LONGEST])
    shown = [given for given in _objects(example) if given] if example else []
    read: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for text in _readings(said.text):
        read += [(given, known) for given in _objects(text) if (known := _keyed(given, keys)) is not None]
        if read:
            break
    found = [known for given, known in read if given not in shown and not _is_form(known)]
    how = "took the last object with the keys asked for"
    best = found[-1] if found else None
    if not read:
        best, how = _between(said.text, keys), "took what stands between the keys"
    if best is None:
        best, how = _listed(unquoted(said.text), keys), "took the lines that name the keys"
    if best is None:
        missing = no_answer(said, finish_reason, missing="review")
        return ReviewAnswer(
            found=False, values={}, unknown=(), corrected_code="", how=missing.how, outcome=missing.outcome
        )
    if len(found) > 1:
        how += f" of {len(found)}"
    return _answer(best, keys, code, how)


def _readings(text: str) -> Iterator[str]:
    """Yield a text as it is, and as it reads without the quotation, the entities or the quotes around it."""
    yield text
    plain = unquoted(text)
    if plain != text:
        yield plain
    if "&quot;" in text or "&#34;" in text:
        yield html.unescape(text)
    stripped = without_fences(text).strip()
    if stripped.startswith('"'):
        try:
            inner = json.loads(stripped, strict=False)
        except (ValueError, RecursionError):
            return
        if isinstance(inner, str):
            yield inner


def _answer(given: Mapping[str, Any], keys: Sequence[str], code: str, how: str) -> ReviewAnswer:
    values: dict[str, str] = {}
    unknown: list[str] = []
    whole = ""
    for name, value in given.items():
        plain = _plain_key(str(name))
        key = _key(plain, keys)
        if plain in _WHOLE:
            whole = _code(_text(value), "")
        elif key:
            text = _text(value)
            if not is_absent(text):
                values[key] = _code(text, code)
        else:
            unknown.append(str(name))
    return ReviewAnswer(found=True, values=values, unknown=tuple(unknown), corrected_code=whole, how=how)


def is_absent(text: str) -> bool:
    """Tell whether a value says that nothing was found."""
    plain = text.strip().strip("`\"'*_() ").strip()
    return not plain or _ABSENT.fullmatch(plain) is not None or _SAYS_NONE.fullmatch(plain) is not None


# -- keys --------------------------------------------------------------------------------------------------------------


def _plain_key(name: str) -> str:
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.strip().strip("*`\"'_# "))
    return re.sub(r"[\s-]+", "_", name.lower())


def _key(plain: str, keys: Sequence[str]) -> str:
    """Return the key that a name means; empty for none of them."""
    if plain in keys:
        return plain
    words = [word for word in re.split(r"_+", plain) if word]
    rest = [word for word in words[1:] if word not in ("issue", "issues", "error", "errors", "violation", "violations",
                                                       "problem", "problems", "bug", "bugs", "vulnerabilities",
                                                       "concerns", "convention", "conventions")]  # fmt: skip
    key = _ALIASES.get(words[0], "") if words and not rest else ""
    return key if key in keys else ""


def _keyed(given: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any] | None:
    """Return an object's part with the keys: itself, one inside it, or findings that each name their type."""
    if any(_key(_plain_key(str(name)), keys) for name in given):
        return dict(given)
    for value in given.values():
        if isinstance(value, str) and value.lstrip().startswith("{"):
            value = next(_objects(value), None)
        if isinstance(value, dict):
            inner = _keyed(value, keys)
            if inner is not None:
                return inner
        if isinstance(value, list):
            typed = _by_type(value, keys)
            if typed is not None:
                return typed
    return _by_type([given], keys)


def _by_type(findings: Sequence[Any], keys: Sequence[str]) -> dict[str, Any] | None:
    found: dict[str, Any] = {}
    for finding in findings:
        if not isinstance(finding, dict):
            continue
        kind = next((finding[name] for name in _KIND if isinstance(finding.get(name), str)), "")
        key = _key(_plain_key(kind), keys) if kind else ""
        if key:
            found[key] = {name: value for name, value in finding.items() if name not in _KIND}
    return found or None


def _is_form(given: Mapping[str, Any]) -> bool:
    """Tell whether an object only shows the form: every value is a placeholder."""
    texts = [_text(value).strip() for value in given.values()]
    return bool(texts) and all(re.fullmatch(r"\.{3}|\u2026|<[^<>]*>|\[\.\.\.\]|_+", text) for text in texts)


# -- values ------------------------------------------------------------------------------------------------------------


def _text(value: Any) -> str:
    if value is None or value is False:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return "\n".join(text for text in (_text(item) for item in value) if text and not is_absent(text))
    if isinstance(value, Mapping):
        plain = {_plain_key(str(name)): item for name, item in value.items()}
        for name in _FIXED:
            if name in plain and _text(plain[name]).strip():
                return _text(plain[name])
        rest = [_text(item) for name, item in plain.items() if name not in _BESIDE]
        return "\n".join(text for text in rest if text)
    return str(value)


def _code(value: str, shown: str) -> str:
    """Return the code in a value: out of a fence, out of backticks, behind "corrected line:"."""
    text = value.strip("\n")
    if "```" in text:
        blocks = split_blocks(text)
        if blocks:
            text = blocks[-1].code
    stripped = text.strip()
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) > 1 and any(line.startswith("+") for line in lines) and all(line[:1] in "+-@ " for line in lines):
        return "\n".join(line[1:] for line in text.split("\n") if line.startswith((" ", "+")))
    for mark in ("`", '"', "'"):
        if len(stripped) > 2 and stripped[0] == stripped[-1] == mark and mark not in stripped[1:-1]:
            return stripped[1:-1]
    if "\n" in stripped:
        return _without_prose(text, shown)
    candidates = [text]
    spans = [match["code"] for match in _INLINE.finditer(text) if not _REPLACED.search(text[: match.start()])]
    candidates += spans[::-1]
    leads = list(_CORRECTED.finditer(text))
    behind = _INLINE.match(text[leads[-1].end() :]) if leads else None
    if behind is not None:
        return behind["code"]
    if leads:
        candidates.append(text[leads[-1].end() :].strip().strip("`").rstrip("."))
    lead = _LEAD.match(stripped)
    if lead is not None:
        candidates.append(stripped[lead.end() :].strip("`"))
    wordy = _WORDY.match(stripped) is not None
    if len(candidates) == 1 or (not shown.strip() and not wordy):
        return text
    return max(candidates, key=lambda one: (round(_likeness(one, shown), 2), -candidates.index(one)))


def _without_prose(text: str, shown: str) -> str:
    """Return the lines of a value without the sentences that introduce them."""
    lines = text.split("\n")
    said = [_SENTENCE.match(line) is not None and _likeness(line, shown) < 0.6 for line in lines]
    kept = [line for line, is_said in zip(lines, said, strict=True) if not is_said]
    return "\n".join(kept).strip("\n") if any(line.strip() for line in kept) else text


def _likeness(line: str, shown: str) -> float:
    """Return how alike a line is to the line of the code that it is most alike to."""
    return max(
        (difflib.SequenceMatcher(None, line.strip(), other.strip(), autojunk=False).ratio()
         for other in shown.split("\n") if other.strip()),
        default=0.0,
    )  # fmt: skip


def changed_lines(value: str, code: str) -> tuple[int, int, str] | None:
    """Return which lines of the code a value replaces, and by what, if it repeats lines around them.

    Places count from 1, the last one included; None if a value repeats nothing at its ends.
    """
    new = value.strip("\n").split("\n")
    old = code.rstrip("\n").split("\n")
    keys, olds = [line.strip() for line in new], [line.strip() for line in old]
    if len([key for key in keys if key]) < 2:
        return None
    head = next((at for at, line in enumerate(olds) if line and line == keys[0]), None)
    tail = next((at for at in range(len(olds) - 1, -1, -1) if olds[at] and olds[at] == keys[-1]), None)
    if head is None or tail is None or tail < head or tail - head + 1 < len(new) // 2:
        return None
    shift = (len(old[head]) - len(old[head].lstrip())) - (len(new[0]) - len(new[0].lstrip()))
    moved = [" " * shift + line if shift > 0 and line.strip() else line[-shift:] if shift < 0 else line for line in new]
    return head + 1, tail + 1, "\n".join(moved)


def first_object(text: str) -> dict[str, Any] | None:
    """Return the first object of a text, repaired where it is nearly JSON; None if there is none."""
    return next(_objects(text), None)


# -- objects -----------------------------------------------------------------------------------------------------------


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of a text that do not stand in another one, in their order."""
    at, tries = text.find("{"), 0
    while at >= 0 and tries < _MOST_OBJECTS:
        tries += 1
        end = _balanced(text, at)
        found = _parse(text[at:end]) if end else None
        if found is not None:
            yield found
            at = text.find("{", end)
        else:
            at = text.find("{", at + 1)
    if tries == 0 or not text.rstrip().endswith(("}", "```", "]", ">")):
        yield from _unclosed(text)


def _unclosed(text: str) -> Iterator[dict[str, Any]]:
    """Yield an object whose closing brace alone is missing."""
    start = text.rfind("{")
    if start >= 0 and not _balanced(text, start):
        found = _parse(text[start:].rstrip().rstrip("`").rstrip().rstrip(",") + "}")
        if found is not None:
            yield found


def _balanced(text: str, start: int) -> int:
    """Return the place after the brace that closes the one at ``start``, braces in texts left out; 0 if none does."""
    depth, quote, at = 0, "", start
    while at < len(text):
        letter = text[at]
        if quote:
            if letter == "\\":
                at += 1
            elif letter == quote:
                quote = ""
        elif letter == '"' or (letter == "'" and text[at - 1] in "{[,: \n\t"):
            quote = letter
        elif letter == "{":
            depth += 1
        elif letter == "}":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return 0


def _parse(text: str) -> dict[str, Any] | None:
    curly = re.sub("\u201c([^\u201c\u201d]*)\u201d", lambda m: json.dumps(m[1]), text)
    for attempt in (
        text,
        _repaired(text),
        _repaired(curly),
        _repaired(straight_quotes(text)),
        _repaired(_unticked(text)),
    ):
        try:
            value = json.loads(attempt, strict=False)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            return value
    for attempt in (text, straight_quotes(text)):
        try:
            value = ast.literal_eval(read_tree(_repaired(attempt, python=True), "eval"))
        except (*UNREADABLE, TypeError):
            continue
        if isinstance(value, dict):
            return {str(key): item for key, item in value.items()}
    return None


def _unticked(text: str) -> str:
    """Return an object whose values stand in backticks instead of quotes."""
    return re.sub(r"(?<=[:\[,])(\s*)`([^`\n]*)`(?=\s*[,}\]\n])", lambda m: m[1] + json.dumps(m[2]), text)


_OUTSIDE = re.compile(
    r'("(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\\n])*\')|//[^\n]*|/\*.*?\*/|(?<=[\s,{])#[^\n]*|,(?=\s*[}\]])|\b(null|true|false)\b|'
    r"(?<=[{,\n])(\s*)([A-Za-z_]\w*)(?=\s*:)",
    re.DOTALL,
)


def _repaired(text: str, *, python: bool = False) -> str:
    """Drop comments and trailing commas outside texts, quote bare keys; write null, true and false as Python does."""

    def instead(match: re.Match[str]) -> str:
        if match[1]:
            return match[1]
        if match[2]:
            return {"null": "None", "true": "True", "false": "False"}[match[2]] if python else match[2]
        return f'{match[3]}"{match[4]}"' if match[4] else ""

    return _OUTSIDE.sub(instead, text)


def _between(text: str, keys: Sequence[str]) -> dict[str, str] | None:
    """Return the values of an object that is no JSON (no comma, quotes inside texts), or of elements of XML."""
    elements = {key: html.unescape(mark[1]) for key in keys
                if (mark := re.search(rf"<{key}>(.*?)</{key}>", text, re.DOTALL)) is not None}  # fmt: skip
    if elements:
        return elements
    start = text.find("{")
    marks = [
        mark
        for mark in re.finditer(r"[\"'](?P<key>\w+)[\"']\s*:\s*", text[start:])
        if _key(_plain_key(mark["key"]), keys)
    ]
    if start < 0 or not marks:
        return None
    found: dict[str, str] = {}
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        end = following.start() if following is not None else len(text) - start
        value = text[start + mark.end() : start + end].strip()
        if following is None:
            value = value.rpartition("}")[0] or value
        found[_key(_plain_key(mark["key"]), keys)] = _unquoted_value(value)
    return found


def _unquoted_value(value: str) -> str:
    """Return a value without the comma behind it and the quotes around it."""
    value = value.strip().rstrip(",").strip()
    try:
        read = json.loads(value, strict=False)
    except (ValueError, RecursionError):
        return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
    return read if isinstance(read, str) else value


# -- lists and tables --------------------------------------------------------------------------------------------------

_LINE = re.compile(
    r"^[\s>]*(?:[-*+]\s+|\d+[.)]\s+|#+\s+)?[*_`\"']*(?P<key>[A-Za-z][\w \-/]*?)[*_`\"']*\s*[:\uff1a][*_`]*\s*"
    r"(?P<value>.*)$"
)
_IN_SENTENCE = re.compile(r"(?:`|\*\*)(?P<key>[A-Za-z][\w \-]*)(?:`|\*\*)\s*[:\uff1a]\s*(?P<value>`[^`\n]+`)")
_HEADING = re.compile(r"^[\s>]*(?:#+\s+|[-*+]\s+|\d+[.)]\s+)?[*_`]*(?P<key>[A-Za-z][\w \-/]*?)[*_`]*:?\s*$")


def _listed(text: str, keys: Sequence[str]) -> dict[str, str] | None:
    """Return what lines such as ``key: value``, rows of a table and headings with blocks give; None for none."""
    found: dict[str, str] = {}
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.strip().startswith("|") else []
        mark = _LINE.match(line)
        if mark is None or not _key(_plain_key(mark["key"]), keys):
            mark = _IN_SENTENCE.search(line)
        if len(cells) >= 2 and _key(_plain_key(cells[0]), keys):
            found[_key(_plain_key(cells[0]), keys)] = "" if all(map(is_absent, cells[1:])) else cells[-1]
        elif mark is not None and _key(_plain_key(mark["key"]), keys):
            value, at = _value_below(mark["value"], lines, at, keys)
            found[_key(_plain_key(mark["key"]), keys)] = value
        elif (heading := _HEADING.match(line)) is not None and _key(_plain_key(heading["key"]), keys):
            value, at = _value_below("", lines, at, keys)
            found[_key(_plain_key(heading["key"]), keys)] = value
    return found or None


def _value_below(value: str, lines: Sequence[str], at: int, keys: Sequence[str]) -> tuple[str, int]:
    """Return the value of a key, which may stand in the lines below it, and where to go on."""
    value = value.strip()
    if value and value not in ("|", "|-", ">", ">-"):
        return _unquoted_value(value), at
    below: list[str] = []
    fenced = False
    while at < len(lines):
        line = lines[at]
        if line.strip().startswith(("```", "~~~")):
            if value and not fenced:
                break
            fenced = not fenced
        mark = _LINE.match(line) or _HEADING.match(line)
        if not fenced and mark is not None and _key(_plain_key(mark["key"]), keys):
            break
        if not fenced and not line.strip() and any(one.strip() for one in below):
            at += 1
            break
        below.append(line)
        at += 1
    text = "\n".join(below).strip("\n")
    if "```" not in text:
        text = "\n".join(_unquoted_value(re.sub(r"^\s*[-*+]\s+", "", line)) if re.match(r"\s*[-*+]\s", line) else line
                         for line in text.split("\n"))  # fmt: skip
    return text, at
