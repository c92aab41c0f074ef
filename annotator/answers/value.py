"""Value answers: which value a response gives as the result of a call (understanding, forward)."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from annotator.answers.fences import Block, prose_of, split_blocks
from annotator.answers.found import Found
from annotator.answers.normalising import LITERAL, straight_quotes, without_markup
from annotator.answers.outcome import no_answer, says_nothing, spoken_text
from annotator.answers.refusals import declines, declines_in_json

LONGEST = 200_000
_LABELS = (
    r"(?:final\s+|correct(?:ed)?\s+|actual\s+|expected\s+|predicted\s+)?(?:answers?|ans|outputs?|results?|correction|"
    r"return(?:ed)?\s+(?:values?|objects?|lists?|strings?|numbers?)|returned|returns?|prints?|printed|evaluates(?:\s+to)?|yields?|outcome|equals|"
    r"(?:out|final)(?=[\s*]*[:=])|"
    r"ergebnis|ausgabe|antwort|r\u00fcckgabewert|r\u00e9sultat|r\u00e9ponse|renvoie|retourne|resultado|respuesta|"
    r"devuelve|salida|resposta|sa\u00edda|retorna|devolve|risultato|risposta|restituisce|antwoord|resultaat|"
    r"ответ|результат|вывод|возвращает|вернет)"
)
_LABELS_RUN_ON = (
    r"(?:\u7b54\u6848|\u8f93\u51fa(?:\u7ed3\u679c)?|\u7ed3\u679c|\u8fd4\u56de\u503c?|\u56de\u7b54|"
    r"答え|正解|戻り値|返り値|出力(?:結果)?|結果|정답|답|결과|출력|\u800c\u662f)"
)
"""Labels of languages that put no space between words."""
_LABEL = re.compile(rf"(?<![\w.]){_LABELS}(?![\w(])|{_LABELS_RUN_ON}", re.IGNORECASE)
_WEAK_LABEL = re.compile(
    r"(?<![\w.])(?:value|expected(?=[\s*]*[:=])|sondern|sino|it['\u2019]?s|that\s+is,?|we\s+(?:get|obtain|have)|gives?(?:\s+back)?|produces?|ends?\s+up\s+(?:as|with)|leaves)"
    r"(?![\w(])",
    re.IGNORECASE,
)
"""Words that name the answer only where nothing else does."""
_ELSEWHERE = re.compile(
    r"\b(?:if|when|had)\b[^.]*\b(?:were|was|had)\b[^.]*\bwould\b|"
    r"\b(?:with|for|if|given)\b[^.]*\b(?:other|different|another)\s+(?:\w+\s+)?(?:arguments?|inputs?|values?|calls?|lists?)\b",
    re.IGNORECASE,
)
_NOT_THIS = re.compile(
    r"\b(?:wrong|incorrect|mistaken|first|initial|draft|naive|tempting|previous|earlier|intermediate)\s+(?:\w+\s+)?$|"
    r"\b(?:mistake|error|pitfall|tempting|tempted|never)\b[^,;.]*$",
    re.IGNORECASE,
)
"""What says before a label that its value is not the answer."""
_DENIED = re.compile(r"(?:\b(?:not|never|cannot)|n['\u2019]t)\s+$", re.IGNORECASE)
_TAKEN_BACK = re.compile(
    r"^\W*(?:is|was|were|would\s+(?:be|have\s+been))\s+(?:\w+\s+)?(?:wrong|incorrect|mistaken|not\s+(?:correct|right))\b",
    re.IGNORECASE,
)
_LABEL_NAME = re.compile(
    r"(?:final[_ ]?)?(?:answer|output|result|return(?:ed)?(?:[_ ]value)?|value|prediction|response)\Z", re.IGNORECASE
)
_LINK = re.compile(
    r"^(?:[\s*_:=>\u2013\u2014\u2192\u21d2\u2248~\uff1a]|-(?!\.?\d)|\b(?:is|are|was|be|will|would|should|must|shall|to|equals?|equal|"
    r"therefore|thus|then|exactly|simply|just|the|value|list|string|number|integer|tuple|dictionary|dict|set|following|"
    r"of|this|call|function|as|by|here|now|indeed|so|object|text|returned|printed|it|that|calling|has|ist|lautet|est|es|\u00e9|\u00e8|это)\b|"
    r"\u662f|\u4e3a|\u5e94\u8be5|\u5e94\u5f53|\u5e94|は|が|は、|은|는|\\approx|\\to|\\rightarrow|\\Rightarrow|`\w+\([^`]*\)`)+",
    re.IGNORECASE,
)
_INLINE = re.compile(r"(?<!`)(`{1,2})(?!`)(?P<code>[^\n]+?)(?<!`)\1(?!`)")
_TAG = re.compile(
    r"<(?P<name>answer|final_answer|output|result|value|final|response|solution|ans)>(?P<body>.*?)(?:</(?P=name)>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_SQUARE_TAG = re.compile(
    r"\[(?P<name>ANSWER|OUTPUT|RESULT|FINAL)\](?P<body>.*?)\[/(?P=name)\]", re.DOTALL | re.IGNORECASE
)
_MARKED = re.compile(r"</?\w+>")
_BOXED = re.compile(r"\\(?:boxed|fbox|framebox)\s*\{")
_NEGATED = re.compile(
    r"(?:\u800c\u4e0d\u662f|\u4e0d\u662f)\s*$|\b(?:nicht|statt|no|pas|n\u00e3o|not|never|isn['\u2019]t|n['\u2019]t|instead\s+of|rather\s+than)\s*$",
    re.IGNORECASE,
)
_EITHER = re.compile(r"^\s*[*_`]*\s*(?:,\s*)?or\b", re.IGNORECASE)
_BETWEEN = re.compile(
    r"[\s*_`,]*\b(?:or|oder|ou|o)\b[\s*_`]*|[\s*_`,]*(?:或(?:者|是)?|または|или)[\s*_`]*", re.IGNORECASE
)
"""What offers a second value instead of the first."""
_EXPLAINS = re.compile(
    r"^[\s#*>_-]*(?:explanation|reasoning|trace|steps?|step[- ]by[- ]step|why|how\s+it\s+works|walk-?through|"
    r"justification|details|note|breakdown|analysis|erkl\u00e4rung|\u89e3\u91ca)\b[^.\n]{0,60}[:*#]*\s*$|"
    r"^[\s#*>_-]*(?:explanation|reasoning|trace|erkl\u00e4rung|\u89e3\u91ca)\b\W*[:\uff1a]",
    re.IGNORECASE | re.MULTILINE,
)
_CORRECTS = re.compile(
    r"\b(?:wait|actually|correction|corrected|mistake|oops|let\s+me\s+re|hmm|final|so\s+the|in\s+fact|scratch)\b",
    re.IGNORECASE,
)
_CODE_LINE = re.compile(
    r"\b(?:def|return|for|while|if|import|print|assert|function|const|let|var)\b|(?<![=!<>])=(?!=)|[;{]\s*$"
)
_OUT_LINE = re.compile(r"^\s*Out ?\[\d*\]:\s?")
_PICTURES = re.compile(r"^[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff\s]+(?=\S)")
_PROMPT_LINE = re.compile(r"^\s*(?:>>>|In ?\[\d*\]:)\s?")
STRUCK = re.compile(r"~~[^~\n]+~~")
_ODD_LITERAL = re.compile(r"[bru]+(?:'[^'\n]*'|\"[^\"\n]*\")|[\u2018\u201c][^\u2019\u201d\n]*[\u2019\u201d]")
_CALL_EQUALS = r"(?:assert\s+)?(?:print\s*\(\s*)?{name}\s*\("
_ARROW = re.compile(
    r"^\s*(?:\)\s*)?(?:==|=>|=|->|\u2192|\u21d2|#\s*(?:->|=>|=|\u2192|returns?:?|output:?|prints?:?)?|returns|//)\s*"
)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A text that is one value, where it stands, and what makes it the answer."""

    text: str
    at: int
    why: str
    strong: bool = True


IsValue = Callable[[str], bool]


def find_value(
    response: str, is_value: IsValue, *, entry_point: str = "", is_text: bool = False, keyed: bool = False,
    finish_reason: str = "stop",
) -> Found:  # fmt: skip
    """Return the value that a response gives, as it is written, and why.

    ``is_value`` tells whether a text is one value of the item's language. ``is_text`` says that a text is asked for,
    which may stand without quotes; ``keyed`` that the value asked for is an object, whose keys are no labels.
    """
    said = spoken_text(response[:LONGEST])
    text = STRUCK.sub("", without_markup(said.text)).strip()
    if not text or declines_in_json(text):
        return no_answer(said, finish_reason, missing="value")
    found = _whole(text, is_value, entry_point, keyed) or _search(text, is_value, entry_point, keyed, is_text)
    if found is not None:
        return found
    announces = says_nothing(text) and re.search(r"[:!#<`]", text) is not None
    if is_text and finish_reason != "length" and not (announces or declines(text)) and _short(text):
        return Found(_unmarked(text), "took the whole text, which stands without quotes")
    return no_answer(said, finish_reason, missing="value")


def _short(text: str) -> bool:
    return len(text) <= 400 and "\n" not in text.strip()


# -- one value -------------------------------------------------------------------------------------------------------


def _whole(text: str, is_value: IsValue, entry: str, keyed: bool) -> Found | None:
    """Return the whole text as one value, its marks taken away."""
    single = one_value(text, is_value, entry, keyed)
    return Found(single, "took the whole text") if single is not None else None


def one_value(text: str, is_value: IsValue, entry: str = "", keyed: bool = False) -> str | None:
    """Return the one value that a text is: bare, marked up, assigned to a label, or stated of the item's own call."""
    for plain in plain_forms(text):
        if not keyed:
            field = _json_field(plain)
            if field is not None and is_value(field):
                return field
        if is_value(plain):
            return plain
        returned = re.match(r"return\s+(.+?);?\Z", plain, re.DOTALL)
        if returned and is_value(returned[1]):
            return returned[1]
        assigned = re.match(r"(?:\w+\s+)?(\w+(?:[_ ]\w+)?)\s*(?::\s*[\w\[\], .]+)?\s*=(?!=)\s*(.+)\Z", plain, re.DOTALL)
        if assigned and _LABEL_NAME.match(assigned[1]) and is_value(assigned[2].rstrip(";").strip()):
            return assigned[2].rstrip(";").strip()
        stated = _of_call(plain, is_value, entry)
        if stated is not None:
            return stated
    return None


def plain_forms(text: str) -> Iterator[str]:
    """Yield a text as it is written, and without the marks around it."""
    text = _PICTURES.sub("", text.strip())
    plain = _unmarked(text)
    if not re.match(r"[-*+]\s", text):
        yield text
    if plain != text:
        yield plain
    straight = straight_quotes(plain).replace("\u2212", "-")
    if straight != plain:
        yield straight
    if "&" in plain and ";" in plain:
        yield html.unescape(plain)
    if "\\" in plain or "$" in plain:
        yield _without_latex(plain)
    if plain[:1] in "\u2248~" or plain.endswith("."):
        yield plain.lstrip("\u2248~ ").rstrip(".")


def _unmarked(text: str) -> str:
    """Return a text without emphasis, backticks, quotation marks of Markdown and the full stop behind it."""
    plain = re.sub(r"^(?:>\s?|[-*+]\s+(?=\S)|#+\s+)", "", text.strip())
    for _ in range(4):
        before = plain
        for mark in ("***", "**", "__", "```", "``", "`", "$$", "$", "*"):
            if len(plain) > 2 * len(mark) and plain.startswith(mark) and plain.endswith(mark):
                inner = plain[len(mark) : -len(mark)]
                if mark not in inner:
                    plain = inner.strip()
        if re.search(r"[`*$][.!,;]$", plain):
            plain = plain[:-1]
        if plain == before:
            break
    return plain


def _without_latex(text: str) -> str:
    text = text.strip().strip("$").strip()
    text = re.sub(r"^\\[(\[]|\\[)\]]$", "", text).strip()
    text = re.sub(
        r"\\(?:text(?:tt|rm|bf|it)?|math(?:tt|rm|bf|it|sf)|mbox|verb|operatorname)\s*\{([^{}]*)\}", r"\1", text
    )
    text = re.sub(r"^\\(?:text|mathtt|mathrm|texttt)\s*\{(.*)\}$", r"\1", text, flags=re.DOTALL)
    text = re.sub(r"\\(?:left|right|big|Big|displaystyle)(?![a-zA-Z])", "", text)
    text = re.sub(r"\\[,;:! ]|\\quad|~", " ", text)
    text = re.sub(r"\\([{}_%&#$])", r"\1", text)
    return text.replace("``", '"').replace("''", '"').strip() if "''" in text and "``" in text else text.strip()


def _json_field(text: str) -> str | None:
    """Return the value of an object's field with a label's name, as JSON."""
    if not text.startswith("{"):
        return None
    try:
        given = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return _python_field(text)
    if not isinstance(given, dict):
        return None
    names = [name for name in given if _LABEL_NAME.match(str(name))]
    if not names:
        called = given.get("arguments", given.get("parameters"))
        return _json_field(json.dumps(called)) if isinstance(called, dict) else None
    value = given[names[-1]]
    if isinstance(value, str):
        # The value may be written as the language writes it, or be the text itself.
        return (
            value if re.match(r"^\s*[\[{('\"0-9-]|^\s*(?:None|True|False|null|true|false)\s*$", value) else repr(value)
        )
    return json.dumps(value, ensure_ascii=False)


def _python_field(text: str) -> str | None:
    found = re.match(r"\{\s*['\"](\w+)['\"]\s*:\s*(.+?),?\s*\}\Z", text, re.DOTALL)
    return found[2].strip() if found and _LABEL_NAME.match(found[1]) else None


def _of_call(text: str, is_value: IsValue, entry: str) -> str | None:
    """Return what a text states of the item's own call: ``f(1) == 2``, ``assert ...``, a shell's prompt and answer."""
    if not entry:
        return None
    lines = text.strip().split("\n")
    if _PROMPT_LINE.match(lines[0]):
        last = max(at for at, line in enumerate(lines) if _PROMPT_LINE.match(line) or line.startswith("..."))
        answer = _OUT_LINE.sub("", "\n".join(lines[last + 1 :]).strip())
        return answer if f"{entry}(" in lines[last] and answer and is_value(answer) else None
    found = re.match(_CALL_EQUALS.format(name=rf"(?:\w+\.)*{re.escape(entry)}"), text)
    if found is None:
        return None
    end = closing_bracket(text, found.end() - 1)
    rest = text[end:] if end else ""
    linked = _ARROW.match(rest)
    value = rest[linked.end() :].strip().rstrip(";") if linked else ""
    value = re.sub(r"^(?:#|//)?\s*(?:returns?|output|prints?)?:?\s*", "", value) if linked and value else value
    if value and is_value(value):
        return value
    prefix = value_prefix(value, is_value) if value else None
    return prefix[0] if prefix is not None else None


def closing_bracket(text: str, start: int) -> int:
    """Return the place behind the bracket that closes the one at ``start``; 0 if none does."""
    pairs = {"(": ")", "[": "]", "{": "}"}
    stack: list[str] = []
    at = start
    while at < len(text):
        literal = LITERAL.match(text, at) if text[at] in "'\"" else None
        if literal is not None:
            at = literal.end()
            continue
        if text[at] in pairs:
            stack.append(pairs[text[at]])
        elif stack and text[at] == stack[-1]:
            stack.pop()
            if not stack:
                return at + 1
        at += 1
    return 0


# -- prose -----------------------------------------------------------------------------------------------------------


def _search(text: str, is_value: IsValue, entry: str, keyed: bool, is_text: bool) -> Found | None:
    """Return the value that the prose names, else what blocks or inline code give."""
    blocks = split_blocks(text)
    named = [*_boxed(text, is_value, is_text), *_tagged(text, is_value, entry, keyed, is_text)]
    named += _labelled(text, is_value, entry, is_text)
    named += _labelled_in_blocks(text, blocks, is_value, entry)
    named.sort(key=lambda one: one.at)
    named = _before_explanation(text, named)
    if named:
        best = named[-1]
        if not best.text:
            return None
        later = [one for one in _standing(text, blocks, is_value, entry, keyed) if one.at > best.at]
        later = [one for one in _before_explanation(text, [best, *later]) if one is not best]
        if later and later[-1].text != best.text:
            return Found(later[-1].text, f"took the value that stands alone after {best.why}")
        return Found(best.text, f"took {best.why}")
    standing = _standing(text, blocks, is_value, entry, keyed)
    stated = [one for one in standing if one.why.startswith("what")] or _stated_in_prose(text, is_value, entry)
    alone = [one for one in standing if not one.why.startswith("what")]
    weak = list(_labelled(text, is_value, entry, is_text=False, label=_WEAK_LABEL))
    first = _leading(text, is_value)
    for group in (stated, alone, _commented(blocks, is_value), first, weak, _inline(text, is_value)):
        if group:
            return Found(group[-1].text, f"took {group[-1].why}")
    return None


def _before_explanation(text: str, named: list[_Candidate]) -> list[_Candidate]:
    """Return the candidates without those of an explanation that follows the answer and corrects nothing."""
    for mark in _EXPLAINS.finditer(text):
        before = [one for one in named if one.at < mark.start()]
        if before and not _CORRECTS.search(text, mark.end()):
            return before
    return named


def _boxed(text: str, is_value: IsValue, is_text: bool) -> Iterator[_Candidate]:
    for mark in _BOXED.finditer(text):
        end = _brace_end(text, mark.end() - 1)
        body = text[mark.end() : end - 1] if end else text[mark.end() :]
        for plain in (body.strip(), _without_latex(body)):
            single = one_value(plain, is_value)
            if single is not None or (is_text and plain == _without_latex(body) and plain):
                yield _Candidate(single if single is not None else plain, mark.start(), "what is boxed")
                break


def _brace_end(text: str, start: int) -> int:
    depth = 0
    for at in range(start, len(text)):
        if text[at - 1 : at] == "\\":
            continue
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0:
            return at + 1
    return 0


def _tagged(text: str, is_value: IsValue, entry: str, keyed: bool, is_text: bool) -> Iterator[_Candidate]:
    for mark in (*_TAG.finditer(text), *_SQUARE_TAG.finditer(text)):
        body = mark["body"].strip()
        single = one_value(body, is_value, entry, keyed)
        if single is None:
            inner = _search(body, is_value, entry, keyed, is_text) if not _TAG.search(body) else None
            single = inner.text if inner is not None else None
        if single is None and is_text and body and _short(body) and not declines(body):
            single = _unmarked(body)
        if single is not None:
            yield _Candidate(single, mark.start(), f"what stands in the tag {mark['name'].lower()}")


def _labelled(
    text: str, is_value: IsValue, entry: str, is_text: bool, label: re.Pattern[str] = _LABEL
) -> Iterator[_Candidate]:
    """Yield the values that lines of prose give as answer, output, result, or what the call returns."""
    prose = prose_of(text).split("\n")
    lines = text.split("\n")
    at = 0
    for number, line in enumerate(lines):
        start, at = at, at + len(line) + 1
        if number >= len(prose) or not prose[number].strip():
            continue
        for mark in _labels(line, label):
            rest = line[mark.end() :]
            before = line[line.rfind(".", 0, mark.start()) + 1 : mark.start()]
            linked = _LINK.match(rest)
            if _ELSEWHERE.search(before + mark[0] + (linked[0] if linked else "")) or _NOT_THIS.search(before):
                continue
            if _DENIED.search(before):
                but = re.search(r"\bbut\s+(?:rather\s+|instead\s+)?", rest)
                rest = " " + rest[but.end() :] if but else ""
            value = _after_label(rest, is_value, entry, is_text) if rest or not _DENIED.search(before) else None
            if value is None and not _LINK.sub("", rest).strip(" *_:`.#"):
                value = _below(lines, number, is_value, entry, is_text)
            if value is not None:
                yield _Candidate(value, start + mark.start(), f"the line with {mark[0].strip().lower()}")


def _labelled_in_blocks(text: str, blocks: Sequence[Block], is_value: IsValue, entry: str) -> Iterator[_Candidate]:
    """Yield what the last line of a block of text, not of code, gives as answer: ``Output: 3``."""
    for block in blocks:
        lines = [line for line in block.code.split("\n") if line.strip()]
        if block.language not in ("", "text", "yaml") or any(_CODE_LINE.search(line) for line in lines):
            continue
        marks = [mark for mark in _labels(lines[-1]) if not lines[-1][: mark.start()].strip(" *-")]
        value = _after_label(lines[-1][marks[0].end() :], is_value, entry, is_text=False) if marks else None
        if value:
            yield _Candidate(value, text.find(lines[-1]), f"the line with {marks[0][0].strip().lower()} of a block")


def _labels(line: str, label: re.Pattern[str] = _LABEL) -> list[re.Match[str]]:
    """Return the labels of a line that stand outside texts in quotes and inline code."""
    hidden = [match.span() for pattern in (LITERAL, _INLINE, _MARKED) for match in pattern.finditer(line)]
    return [mark for mark in label.finditer(line) if not any(a <= mark.start() < b for a, b in hidden)]


def _after_label(rest: str, is_value: IsValue, entry: str, is_text: bool) -> str | None:
    """Return the value right behind a label; an empty text where two are offered."""
    # A point behind the last digit of a line ends the sentence.
    rest = re.sub(r"(?<=\d)\.\s*$", "", rest)
    linked = _LINK.match(rest)
    start = linked.end() if linked else 0
    if linked is None and rest[:1] not in ("", " ", "`", "*", ":"):
        return None
    given = rest[start:]
    if re.match(r"\s*(?:not|n['\u2019]t|never)\b", given, re.IGNORECASE):
        but = re.search(r"\bbut\b(?:\s+(?:rather|instead))?\s*", given)
        given = given[but.end() :] if but else ""
    for whole in (rest.strip(), given.strip()):
        single = one_value(whole, is_value, entry) if whole else None
        if single is not None:
            return single
    inline = _INLINE.match(given.strip())
    if inline is not None:
        single = one_value(inline["code"], is_value, entry)
        if single is None and is_text and not re.match(r"\w+\(", inline["code"]):
            single = inline["code"]
        behind = given.strip()[inline.end() :]
        if single is not None and _TAKEN_BACK.match(behind):
            return None
        if single is not None:
            return "" if _EITHER.match(behind) and _INLINE.search(behind) else single
    plain = re.sub(r"^(?:[*_$`\s]|\\\(|\\\[(?=\s))+", "", given)
    prefix = value_prefix(plain, is_value)
    if prefix is not None:
        if _TAKEN_BACK.match(prefix[1]):
            return None
        return (
            "" if _EITHER.match(prefix[1]) and value_prefix(_EITHER.sub("", prefix[1]).strip(), is_value) else prefix[0]
        )
    if is_text and plain.strip() and re.search(r"[:=\uff1a]|\bis\b", rest[:start]):
        word = _unmarked(plain).rstrip(".")
        return word if word and not declines(word) else None
    return None


def value_prefix(text: str, is_value: IsValue) -> tuple[str, str] | None:
    """Return the longest start of a text that is a value and ends where a word may end, and the rest."""
    if not text:
        return None
    ends: list[int] = []
    if text[0] in "[({":
        end = closing_bracket(text, 0)
        ends = [end] if end else []
    elif text[0] in "'\"\u2018\u201c" or re.match(r"[bru]['\"]", text):
        literal = LITERAL.match(text) or _ODD_LITERAL.match(text)
        ends = [literal.end()] if literal else []
    else:
        word = re.match(r"[-+]?[\w.]+(?:e[-+]?\d+)?", text)
        called = re.match(r"[\w.]+\(", text)
        if called:
            ends = [closing_bracket(text, called.end() - 1)]
        elif word:
            ends = [word.end() - 1, word.end()] if word[0].endswith(".") else [word.end()]
    for end in ends:
        value = straight_quotes(text[:end]) if text[0] in "\u2018\u201c" else text[:end]
        if end and is_value(value) and not re.match(r"\w|\s*[-+*/%]\s*[\w(\[]|\.\d|\(", text[end:]):
            tuple_rest = re.match(r"(?:\s*,\s*[^,\s]+)+", text[end:])
            whole = text[: end + tuple_rest.end()].rstrip(". ") if tuple_rest and text[0] not in "[({" else ""
            if whole and is_value(whole):
                return whole, text[end + (tuple_rest.end() if tuple_rest else 0) :]
            return value, text[end:]
    return None


def _below(lines: Sequence[str], number: int, is_value: IsValue, entry: str, is_text: bool) -> str | None:
    """Return the value in the next paragraph or block below a label that ends its line."""
    below = "\n".join(lines[number + 1 :]).lstrip("\n")
    while below[:1] in " \t\n" and below.strip():
        below = below.lstrip("\n")
        if not below.split("\n", 1)[0].strip():
            below = below.split("\n", 1)[1] if "\n" in below else ""
            continue
        break
    if re.match(r"\s*(?:```|~~~)", below):
        blocks = split_blocks(below)
        return _of_block(blocks[0], is_value, entry, False, is_text) if blocks else None
    paragraph = re.split(r"\n\s*\n", below, maxsplit=1)[0]
    first = paragraph.split("\n", 1)[0]
    for part in (paragraph, first):
        single = one_value(part, is_value, entry)
        if single is not None:
            return single
    inline = _INLINE.match(first.strip())
    if inline is not None and is_value(inline["code"]):
        return inline["code"]
    return _unmarked(first) if is_text and first.strip() and len(first) < 200 and not _labels(first) else None


def _of_block(block: Block, is_value: IsValue, entry: str, keyed: bool, is_text: bool = False) -> str | None:
    single = one_value(block.code, is_value, entry, keyed)
    if single is None and is_text and block.language in ("", "text") and len(block.code.strip().split("\n")) == 1:
        return block.code.strip()
    return single


def _standing(text: str, blocks: Sequence[Block], is_value: IsValue, entry: str, keyed: bool) -> list[_Candidate]:
    """Return the values that stand alone: blocks and lines that are one value, or state it of the item's own call."""
    found: list[_Candidate] = []
    at = 0
    for block in blocks:
        at = max(text.find(block.code.strip().split("\n")[0], at), at)
        single = _of_block(block, is_value, entry, keyed)
        if single is not None and not _ELSEWHERE.search(block.intro.strip().split("\n")[-1]):
            own = not is_value(block.code.strip())
            found.append(
                _Candidate(single, at, "what is stated of the call" if own else "the last block that is one value")
            )
    prose = prose_of(text).split("\n")
    place = 0
    for number, line in enumerate(text.split("\n")):
        start, place = place, place + len(line) + 1
        if number < len(prose) and prose[number].strip() and not re.match(r"^\s*(?:[-*+]|\d+[.)])\s", line):
            single = one_value(line, is_value, entry, keyed)
            if single is not None:
                own = bool(entry) and f"{entry}(" in line
                found.append(
                    _Candidate(single, start, "what is stated of the call" if own else "the line that is one value")
                )
    return sorted(found, key=lambda one: one.at)


def _stated_in_prose(text: str, is_value: IsValue, entry: str) -> list[_Candidate]:
    """Return what sentences state of the item's own call: ``so f(1) = 2`` or ``f(1) -> 2`` inside code."""
    found = []
    pattern = re.compile(rf"(?<![\w.]){re.escape(entry)}\s*\(") if entry else None
    for mark in pattern.finditer(text) if pattern is not None else ():
        end = closing_bracket(text, mark.end() - 1)
        rest = text[end:].split("\n", 1)[0] if end else ""
        linked = _ARROW.match(rest.lstrip("`"))
        if linked is None:
            continue
        given = rest.lstrip("`")[linked.end() :].strip().strip("`*")
        prefix = value_prefix(given, is_value)
        if prefix is not None:
            found.append(_Candidate(prefix[0], mark.start(), "what is stated of the call"))
    return found


def _commented(blocks: Sequence[Block], is_value: IsValue) -> list[_Candidate]:
    """Return what comments of code give as output."""
    found = []
    for block in blocks:
        for line in block.code.split("\n"):
            comment = re.search(r"(?:#|//)\s*(?P<said>.+)$", line)
            if comment is None:
                continue
            marks = _labels(comment["said"])
            value = _after_label(comment["said"][marks[-1].end() :], is_value, "", False) if marks else None
            if value is None and re.match(r"(?:->|=>|=|\u2192)", comment["said"]):
                value = one_value(comment["said"].lstrip("->=\u2192 "), is_value)
            if value:
                found.append(_Candidate(value, 0, "what a comment gives as output"))
    return found


def _leading(text: str, is_value: IsValue) -> list[_Candidate]:
    """Return the value that a response begins with before it explains it: ``17, because ...`` or ``17 (the sum)``."""
    prefix = value_prefix(_PICTURES.sub("", text.split("\n", 1)[0].strip()).lstrip("*`"), is_value)
    if prefix is None or not re.match(
        r"[*`]*\s*(?:[,;(\u2013\u2014:\uff0c\u3002\uff08]|-\s|because\b|since\b|as\b|is\s+(?:the|what)\b)", prefix[1]
    ):
        return []
    return [_Candidate(prefix[0], 0, "the value that the response begins with")]


def _inline(text: str, is_value: IsValue) -> list[_Candidate]:
    """Return the inline code that is one value; nothing where the last two are offered as alternatives."""
    found: list[_Candidate] = []
    prose = prose_of(text)
    end = 0
    for mark in _INLINE.finditer(prose):
        if is_value(mark["code"]) and not _NEGATED.search(prose[: mark.start()]):
            if found and found[-1].text != mark["code"] and _BETWEEN.fullmatch(prose[end : mark.start()]):
                return []
            found.append(_Candidate(mark["code"], mark.start(), "the last inline code that is one value"))
        end = mark.end()
    return found
