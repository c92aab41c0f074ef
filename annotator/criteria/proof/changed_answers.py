"""Make plausible wrong answers: the reference with one of its words changed or replaced by an alternative.

If a changed answer still earns the full score, the criterion does not check that word. A person decides whether it
matters, and adds a rule for it or an example that passes without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from annotator.criteria.document.criterion_document import (
    BlankFilling,
    BlankTarget,
    CriterionDocument,
    Leaf,
    RuleGroup,
    ValueRule,
)
from annotator.criteria.proof.changed_values import Place, keyword_matches, unasked_sides, unasked_values
from annotator.criteria.proof.undone_lines import undone_lines, undone_signs
from annotator.text.anchors import find_anchors

MOST = 12
"""The most words of one reference that are changed; of a longer one, the first words are changed."""
_MAX_ALONE = 80
_MIN_WORDS = 4
_MIN_LINES = 3
"""Code with fewer lines is not cut off, because its first line may be the whole answer."""
_SHORT_REFERENCE = 10
"""In a reference with fewer words, one word may be the whole answer."""
_NEXT_TO = (1, -1)
_NEAR = (1.02, 0.98)
"""Factors for changing a number with a fraction; larger differences mean another way of calculation."""
_MAX_ALTERNATIVES = 2
_MANY = 3
_VERY_MANY = 6
_WORDING = re.compile(r"[a-z]+(?: [a-z]+)+")
_CODE = re.compile(r"```[^\n]*\n(.*?)(?:```|\Z)|`([^`\n]+)`", re.DOTALL)
_TEXT = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`")
_USED = re.compile(
    r"(?<=\.)[A-Za-z_]\w+|\b[A-Za-z_]\w+(?=\()|(?<![\w-])--?[A-Za-z][\w-]*|@[A-Za-z_][\w.]*"
    r"|(?<=[(,])[A-Za-z_]\w+=(?!=)|(?<=, )[A-Za-z_]\w+=(?!=)"
)
_OWN = re.compile(
    r"^\s*(?:const|let|var|val|auto|final)?\s*([A-Za-z_]\w*)\s*(?::[^=\n]+)?=(?!=)"
    r"|\b(?:def|class|function|fn|func|for|as|in)\s+([A-Za-z_]\w*)"
    r"|\b(?i:INDEX|TABLE|VIEW|TRIGGER|CONSTRAINT)(?i:\s+CONCURRENTLY)?(?i:\s+IF\s+NOT\s+EXISTS)?\s+([A-Za-z_]\w*)",
    re.MULTILINE,
)
_FUNCTION_WORDS = frozenset(("as", "at", "by", "for", "from", "in", "of", "on", "to"))
"""Arguments with these names repeat a word of the question and mostly keep their default."""
_EVERYWHERE = frozenset(
    ("print", "println", "printf", "log", "debug", "info", "warn", "warning", "error", "len", "range", "str", "int",
     "list", "main", "self", "@Override")
)  # fmt: skip
_QUERY = re.compile(
    r"\b(?:HAVING|WHERE|DISTINCT|DESC|UNION|EXISTS|COALESCE|LIMIT|OFFSET|PARTITION|OVER|FOR UPDATE|FOR SHARE"
    r"|SKIP LOCKED|NOWAIT|RECURSIVE|LATERAL|RETURNING|ON CONFLICT|ON DUPLICATE KEY|ROLLUP|UNIQUE|CASCADE"
    r"|(?:LEFT|RIGHT|FULL|INNER|CROSS|OUTER)(?= JOIN| OUTER)|GROUP BY|ORDER BY|JOIN)\b"
)
# Names of several parts, such as snake_case; single words in code may be keywords or irrelevant.
_NAME = re.compile(r"(?<![\w-])(?=\w*(?:[a-z][A-Z]|[^\W\d]_|__[^\W\d]))[A-Za-z_$]\w{3,}")
_TAG = re.compile(r"<[a-zA-Z][\w.-]*(\s[^<>]*)>")
_ATTRIBUTE = re.compile(r"(?<=\s)(?!(?:class|id|name|style|key)\b)[a-z][\w:-]*(?=\s*=\s*[\"'{])")
"""An attribute of a tag, except those whose values authors choose freely."""
_PROPERTY = re.compile(r"(?<![\w-])[a-z]+(?:-[a-z]+)+(?=\s*:)")
_LAST_PART = re.compile(r"(?:_[a-z0-9]+|(?<=[a-z])[A-Z][a-z0-9]+)$")
_OPTION = re.compile(r"(?<![\w-])--[a-z]+(?:-[a-z]+)+")
_SETTING = re.compile(r"[A-Za-z][\w.-]* ?[:=] ?[\w.-]+;?")
_STATEMENT = re.compile(r"\b(?:SELECT|INSERT|UPDATE|DELETE)\b", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"(?<=[=(,<>\s])(?:\?|%s|\$\d|:[a-z]\w*)(?=[\s,);\"]|$)")
_COLUMNS = re.compile(r"\bINDEX\b[^;]*?\bON\s+\w+\s*\((?P<one>\w+),\s*(?P<two>\w+)", re.IGNORECASE)
_NEGATED = re.compile(r"\b(?:IS )?(NOT )(?:EXISTS|IN|NULL|LIKE|BETWEEN)\b")
_SWITCH = re.compile(r"(?<![\w-])-[A-Za-z](?![\w-])")
_FENCED = re.compile(r"```[^\n]*\n(.*?)(?:```|\Z)", re.DOTALL)
_ASKS_FOR_WORDS = re.compile(r"\b(?:why|explain|reasons?|causes?|describe|say|name|wrong)\b", re.IGNORECASE)
_EXAMPLE = re.compile(
    r"(?:\bfor (?:example|instance)\b|\be\.g\.|\bsuch as\b)(?:(?!\n\n|```)(?:[^.;:)]|\.(?=\S)))*", re.IGNORECASE
)
"""An example in an answer's sentence, to the end of the clause; code blocks are not examples."""
_LEADING = re.compile(r"(?<![\w-])(\w+=|-\w) ?$")
"""An argument or an option of one letter, directly before its value."""
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)*(?!\w)")
_SENTENCE = 4
_NONSENSE = "qxz"
_OTHER_ACTS = ("all", "at", "by", "each", "first", "if", "index", "item", "last", "left", "right", "until", "while")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedAnswer:
    """A right answer with ``word`` changed to ``instead``, or to nonsense if ``instead`` is empty.

    ``alone`` means that the answer is this one word, ``blank`` that the word fills a blank. ``part`` names the part of
    the right answer that is left: its "prose", its "start" up to the first line of code, its first "third", or its
    prose with the code of the "question".
    """

    word: str
    text: str
    instead: str = ""
    alone: bool = False
    blank: bool = False
    part: Literal["", "prose", "start", "third", "question"] = ""


def changed_answers(document: CriterionDocument, prompt: str, right: Sequence[str]) -> tuple[ChangedAnswer, ...]:
    """Return changes of the first right answer, for documents that search for words or numbers.

    Changed are, one at a time, the words that every right answer has and the prompt does not (a word that an example
    passes without is optional). Further answers are each word alone, except names in code; names without their last
    part; the answer without its code or cut off in it; and other values where a rule mentions a value without checking
    it. Blanks are filled with other blanks' answers, with opposites and with other numbers. For a similarity, a short
    text loses one word at a time; a long one loses two thirds, or has its names changed. Documents with tests have
    changes of their own (`mutation_survivors`).
    """
    if document.blanks and document.metrics <= {"blank_filling", "number"}:
        numbers = (*_neighbours(document, right[0], right[1:]), *_other_numbers(prompt, right)) if right else ()
        return (*_filled(document.blanks, right), *numbers)
    if document.metrics == {"similarity"}:
        return tuple(_unlike(document, prompt, right))
    if not right or document.tests or document.blanks:
        return ()
    first, *others = right
    if not document.metrics & {"keywords", "ast"}:
        return (*_neighbours(document, first, others), *_in_other_case(document, right))
    touched = keyword_matches(document, first)
    candidates = _asked_of_all(document, prompt, right)
    leading = _leading(candidates, first, touched)
    words = [word for word in candidates if word not in leading and not _is_explained(word, prompt, first, touched)]
    changes = [ChangedAnswer(word=word, text=_changed(first, word, _nonsense(word))) for word in words[:MOST]]
    for present, instead in _alternatives(document, first, prompt):
        if all(_holds(other, present[0]) or not _holds(other, instead) for other in others):
            text = _changed(first, present[0], instead)
            for word in present if len(present) > 1 else ():
                text = re.sub(re.escape(word), _NONSENSE, text, flags=re.IGNORECASE)
            changes.append(ChangedAnswer(word=present[0], text=text, instead=instead))
    changes += [
        *_with_other_values(touched, prompt, first, others),
        *(item for item in _shortened(prompt, first, others) if not _is_explained(item.word, prompt, first, touched)),
        *_parts(prompt, first),
        *(ChangedAnswer(word=sign, text=text, instead=other) for sign, other, text in undone_signs(prompt, first)),
        *_undone(prompt, first, others),
    ]
    changes += [
        *_not_negated(prompt, first, others),
        *_of_queries(first, others),
        *(item for item in _other_switches(document, prompt, first, others) if item.word not in leading),
        *_in_longer(touched, first),
    ]
    changes += [*_neighbours(document, first, others), *_alone(first, others)]
    return tuple(item for item in changes if item.text != first)


def _asked_of_all(document: CriterionDocument, prompt: str, right: Sequence[str]) -> list[str]:
    """Return the words that all right answers and all compared texts have and the prompt does not.

    Words in an answer's examples are excluded, because another example would do.
    """
    first, *others = right
    others += [text for rule in document.similarity for text in rule.references]
    without_examples = _EXAMPLE.sub(" ", first)
    words = (word for word in distinctive_words(first) if not _is_told(prompt, word) and _holds(without_examples, word))
    return [word for word in words if all(_holds(other, word) for other in others)]


def _is_explained(word: str, prompt: str, first: str, touched: Sequence[Place]) -> bool:
    """Tell whether a word is only in the sentences around an answer's code and is optional there.

    It is optional if the prompt asks for code alone, or if a rule checks the sentences already.
    """
    code = [match.span() for match in _FENCED.finditer(first)]
    if not code or any(_holds(first[start:end], word) for start, end in code):
        return False
    looks_at_sentences = any(not any(start <= at < end for start, end in code) for at, _ in touched)
    return looks_at_sentences or not _ASKS_FOR_WORDS.search(prompt)


def _leading(words: Sequence[str], first: str, touched: Sequence[Place]) -> set[str]:
    """Return the arguments and options before a name that a rule searches for, since the name implies them.

    Examples are ``rounding=`` before ``ROUND_HALF_UP``, and ``-o`` before ``pipefail``.
    """
    leading_words = set()
    for start, _ in touched:
        before = _LEADING.search(first, 0, start)
        name = re.match(r"\w+", first[start:])
        if before is not None and name is not None and name[0] in words:
            leading_words.add(before[1])
    return leading_words & set(words)


def _unlike(document: CriterionDocument, prompt: str, right: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield answers that a similarity rule must tell from the right one.

    Of a short answer, each word is left out in turn. Of a longer one, only the first third is left, or one of the
    names is changed: names are few of an answer's words but most of its meaning.
    """
    words = list(re.finditer(r"\w+", right[0])) if right else []
    if _MIN_WORDS - 1 <= len(words) < _SHORT_REFERENCE:
        for word in dict.fromkeys(match[0] for match in words):
            yield ChangedAnswer(word=word, text=_changed(right[0], word, ""))
    elif words:
        yield ChangedAnswer(word="", text=right[0][: words[len(words) // 3 - 1].end()], part="third")
        for word in _asked_of_all(document, prompt, right)[:MOST]:
            yield ChangedAnswer(word=word, text=_changed(right[0], word, _nonsense(word)))


def _with_other_values(
    touched: Sequence[Place], prompt: str, first: str, others: Sequence[str]
) -> Iterator[ChangedAnswer]:
    """Yield the answer with each value changed that a rule mentions; a value that another right answer lacks is
    optional."""
    for value, other, text in unasked_values(touched, prompt, first):
        if all(_holds(right, value) for right in others):
            yield ChangedAnswer(word=value, text=text, instead=other)
    for side, text in unasked_sides(touched, prompt, first):
        if all(side in right for right in others):
            yield ChangedAnswer(word=side, text=text, instead=_NONSENSE)


def _shortened(prompt: str, first: str, others: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield the answer with a name of several parts without the last one, such as ``iter`` for ``iter_mut``.

    An option is cut to its first part, which often is an option too: ``--force`` for ``--force-with-lease``.
    """
    code = _code_of(first)
    shortened = {word: _LAST_PART.sub("", word) for word in list(dict.fromkeys(_NAME.findall(code)))[:MOST]}
    shortened |= {word: "--" + word.split("-")[2] for word in _OPTION.findall(code)}
    own = _own_names(code)
    for word, shorter in shortened.items():
        if word in own or shorter == "--no":
            continue
        is_new = len(shorter) > 1 and shorter != word and not _holds(prompt, word) and not _holds(first, shorter)
        if is_new and all(_holds(other, word) and not _holds(other, shorter) for other in others):
            yield ChangedAnswer(word=word, text=_changed(first, word, shorter), instead=shorter)


def _undone(prompt: str, first: str, others: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield the answer with each of its new lines undone; a line that another right answer lacks is optional."""
    for line, old, text in undone_lines(prompt, first):
        if old or all(line in other for other in others):
            yield ChangedAnswer(word=line, text=text, instead=old)


def _not_negated(prompt: str, first: str, others: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield the answer with a NOT removed from a query's condition, which a rule may overlook."""
    for word, sign in {match[0]: match[1] for match in _NEGATED.finditer(first)}.items():
        if not _holds(prompt, word) and all(_NEGATED.search(other) for other in others):
            other = word.replace(sign, "", 1)
            yield ChangedAnswer(word=word, text=first.replace(word, other), instead=other)


def _other_switches(
    document: CriterionDocument, prompt: str, first: str, others: Sequence[str]
) -> Iterator[ChangedAnswer]:
    """Yield the answer with a one-letter option in the other case, if a rule ignores case: it is another option.

    Options in the prompt are skipped, because the answer copies them.
    """
    if not any(rule.to_lower for rule in document.keywords):
        return
    for word in list(dict.fromkeys(_SWITCH.findall(_whole_code_of(first))))[:MOST]:
        other = word.swapcase()
        is_told = _switch(word).search(prompt) is not None
        if not is_told and other not in first and all(word in text and other not in text for text in others):
            yield ChangedAnswer(word=word, text=_switch(word).sub(other, first), instead=other)


def _switch(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){word}(?![\w-])")


def _in_longer(touched: Sequence[Place], first: str) -> Iterator[ChangedAnswer]:
    """Yield the answer with a digit before a number that a rule matches: a search for 5 also finds 15."""
    for start, end in touched:
        number = re.match(r"\d+", first[start:end])
        if number is not None and not first[start - 1 : start].isalnum():
            yield ChangedAnswer(word=number[0], text=f"{first[:start]}1{first[start:]}", instead=f"1{number[0]}")


def _of_queries(first: str, others: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield the answer with a query's placeholders in quotes, where they lose their meaning, and with the first two
    columns of an index exchanged."""
    columns = _COLUMNS.search(first)
    if columns is not None:
        one, two = columns["one"], columns["two"]
        start, end = columns.start("one"), columns.end("two")
        yield ChangedAnswer(
            word=f"({one}, {two})", text=f"{first[:start]}{two}, {one}{first[end:]}", instead=f"({two}, {one})"
        )
    if not _STATEMENT.search(first):
        return
    placeholder = _PLACEHOLDER.search(_whole_code_of(first))
    if placeholder is not None and all(_PLACEHOLDER.search(other) for other in others):
        text = _CODE.sub(lambda part: _PLACEHOLDER.sub(lambda sign: f"'{sign[0]}'", part[0]), first)
        yield ChangedAnswer(word=placeholder[0], text=text, instead=f"'{placeholder[0]}'")


def _parts(prompt: str, first: str) -> Iterator[ChangedAnswer]:
    """Yield the answer without its code (if a sentence is left), with the question's code in place of its own, and cut
    off after the first line of its code."""
    fenced = _FENCED.search(first)
    if fenced is None:
        return
    prose = _FENCED.sub("", first).strip()
    if len(prose.split()) >= _SENTENCE:
        yield ChangedAnswer(word="", text=prose, part="prose")
    question = _FENCED.search(prompt)
    if question is not None and len(_FENCED.findall(first)) == 1 and question[1].strip() != fenced[1].strip():
        yield ChangedAnswer(
            word="", text=first[: fenced.start(1)] + question[1] + first[fenced.end(1) :], part="question"
        )
    lines = [line for line in fenced[1].splitlines() if line.strip()]
    prompt_lines = {line.strip() for line in prompt.splitlines()}
    # If all other lines are the question's, the first line may be the answer.
    if len(lines) >= _MIN_LINES and any(
        line.strip() not in prompt_lines for line in lines[1:] if re.search(r"\w", line)
    ):
        yield ChangedAnswer(word="", text=first[: fenced.start(1)] + lines[0] + "\n```\n", part="start")


def _code_of(text: str) -> str:
    """Return the code of an answer, with its string literals emptied."""
    return _TEXT.sub('""', _whole_code_of(text))


def _whole_code_of(text: str) -> str:
    return "\n".join(match[1] or match[2] or "" for match in _CODE.finditer(text))


def _own_names(code: str) -> set[str]:
    """Return the names that code defines."""
    return {name for match in _OWN.finditer(code) for name in match.groups() if name}


def _neighbours(document: CriterionDocument, first: str, others: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield the answer with numbers close to the expected one; for an integer, its two neighbours."""
    for value in (one for rule in document.values for one in _numbers_of(rule)):
        if value.is_integer():
            word, near = str(int(value)), [str(int(value) + step) for step in _NEXT_TO]
        else:
            word, near = str(value), [f"{value * factor:.6g}" for factor in _NEAR]
        yield from (
            ChangedAnswer(word=word, text=_changed(first, word, other), instead=other)
            for other in near
            if _holds(first, word) and not any(_holds(text, other) for text in others)
        )


def _numbers_of(rule: ValueRule) -> Iterator[float]:
    """Yield the numbers that a rule asks for."""
    waiting = [rule.value] if rule.metric in ("number", "json") else []
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
        elif (isinstance(value, int | float) and not isinstance(value, bool)) or rule.metric == "number":
            yield float(value)


def _in_other_case(document: CriterionDocument, right: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield a right answer in lower case if it has mixed case inside, where the case is meaningful."""
    expected = [str(rule.value) for rule in document.values if rule.metric == "equals" and rule.to_lower]
    text = right[0].strip()
    if expected and re.search(r"\S[A-Z]|\s[A-Z]", text) and re.search("[a-z]", text):
        yield ChangedAnswer(word=text, text=right[0].lower(), instead=text.lower())


def _filled(rule: BlankFilling, right: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield the template filled as in a right answer except for one blank, and first with the blanks exchanged.

    Another blank's answer is wrong even if the blank accepts it, unless both are forms of one word.
    """
    parts = rule.template.split(rule.blank_str)
    if rule.handler or len(parts) != len(rule.targets) + 1:
        return
    fills = _fills_of(right[0], parts, rule) if right else []
    fills = fills or [_first_text(target) for target in rule.targets]
    if not all(fills):
        return
    if turned := _exchanged(fills):
        yield ChangedAnswer(word=fills[0], text=_filled_with(rule, parts, turned), instead=turned[0], blank=True)
    for number, (target, fill) in enumerate(zip(rule.targets, fills, strict=True)):
        accepted = {alternative.text.lower() for alternative in target.alternatives}
        wrong = [other for other in fills if not _is_form(other, fill)]
        if fill[:1].isalpha():
            wrong.append(f"un{fill}")
        elif fill.isdigit():
            wrong += [other for step in _NEXT_TO if (other := str(int(fill) + step)).lower() not in accepted]
        wrong += _further(target, fill, is_name=parts[number].endswith(".") or parts[number + 1].startswith("("))
        for other in dict.fromkeys(wrong):
            filled = [*fills[:number], other, *fills[number + 1 :]]
            yield ChangedAnswer(word=fill, text=_filled_with(rule, parts, filled), instead=other, blank=True)


def _further(target: BlankTarget, fill: str, *, is_name: bool) -> list[str]:
    """Return further answers to try in a blank: the same argument with another value, and some of many alternatives.

    Alternatives that are forms of the same word are skipped, except for names in code.
    """
    argument = re.match(r"\w+\s*=\s*(?!=)", fill)
    other_argument = [f"{argument[0]}{_NONSENSE}"] if argument else []
    plain = [
        alternative.text
        for alternative in target.alternatives
        if not alternative.regex and not alternative.cond and alternative.text != fill
    ]
    if len(target.alternatives) < _MANY:
        return other_argument
    return [*other_argument, *(text for text in plain if is_name or not _is_kin(text, fill))][:_MAX_ALTERNATIVES]


def _other_numbers(prompt: str, right: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield an answer with one of its numbers changed; of a number with several parts, such as an address, one part."""
    numbers = dict.fromkeys(match[0] for match in _NUMBER.finditer(right[0]))
    words = [word for word in numbers if not _holds(prompt, word) and all(_holds(text, word) for text in right)]
    for word in words[:MOST]:
        for part in re.finditer(r"\d+", word):
            other = f"{word[: part.start()]}{int(part[0]) + 1}{word[part.end() :]}"
            if not any(_holds(text, other) for text in right):
                yield ChangedAnswer(word=word, text=_changed(right[0], word, other), instead=other)


def _exchanged(fills: Sequence[str]) -> list[str]:
    """Return the blanks' texts rotated by one place; empty if two of them are forms of one word."""
    turned = [*fills[1:], fills[0]]
    return turned if not any(map(_is_form, fills, turned)) else []


def _filled_with(rule: BlankFilling, parts: Sequence[str], fills: Sequence[str]) -> str:
    text = parts[0] + "".join(f"{fill}{part}" for fill, part in zip(fills, parts[1:], strict=True))
    return text.removeprefix(rule.prefix)


def _fills_of(text: str, parts: Sequence[str], rule: BlankFilling) -> list[str]:
    """Return the texts in a right answer's blanks; empty if it does not follow the template."""
    # A template in YAML often ends in a newline that answers lack.
    outer = [parts[0].lstrip(), *parts[1:-1], parts[-1].rstrip()]
    pattern = "(.+?)".join(r"\s+".join(map(re.escape, re.split(r"\s+", part))) for part in outer)
    match = re.fullmatch(rf"\s*{pattern}\s*", rule.prefix + text, re.DOTALL)
    return [fill.strip(rule.escape) for fill in match.groups()] if match else []


def _first_text(target: BlankTarget) -> str:
    plain = (one.text for one in target.alternatives if not one.regex and not one.cond)
    return next(plain, "")


def _alone(first: str, others: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield each word of an answer as an answer of its own, except distinctive words and right answers."""
    all_words = re.findall(r"[^\W_][\w-]+", _CODE.sub(" ", first))
    words = list({word.lower(): word for word in reversed(all_words)}.values())[::-1]
    if len(words) < _MIN_WORDS:
        return
    names = {part.lower() for word in distinctive_words(first) for part in (word, *word.split())}
    right = {text.strip(" .`").lower() for text in others}
    yield from (
        ChangedAnswer(word=word, text=word, alone=True)
        for word in words[:_MAX_ALONE]
        if word.lower() not in names and word.lower() not in right
    )


def distinctive_words(text: str) -> tuple[str, ...]:
    """Return the distinctive words of an answer: calls and arguments in its code, numbers and names in its prose.

    Each is listed once. Names that its own code defines, and names common in any code, are excluded.
    """
    code = _code_of(text)
    own = _own_names(code or text)
    candidates = [*_USED.findall(f"{code}\n{_CODE.sub(' ', text)}"), *_QUERY.findall(text)]
    for anchor in find_anchors(text):
        if anchor.kind in ("number", "version") and _FENCED.search(text) and anchor.text not in code:
            # In an answer with code, a number in a sentence is mostly a version or an amount.
            continue
        if anchor.kind == "quoted" and _SETTING.fullmatch(anchor.text) and anchor.text in code:
            # A setting that a sentence quotes and the code contains is essential.
            candidates.append(anchor.text)
        elif anchor.kind != "quoted" or re.fullmatch(r"[\w.-]+(?:\(\))?", anchor.text):
            name = anchor.text.removesuffix("()")
            candidates.append(name if anchor.kind in ("number", "version") else name.rpartition(".")[2])
    candidates += [name for tag in _TAG.finditer(text) for name in _ATTRIBUTE.findall(tag[1])]
    words = dict.fromkeys(word for word in candidates if len(word) > 1)
    used = sorted((word for word in words if word not in own | _EVERYWHERE), key=text.find)
    # Names that are only mentioned come last, because only the first `MOST` words are changed.
    mentioned = (
        name for name in (*_PROPERTY.findall(code), *_NAME.findall(code)) if name not in own and f"{name}=" not in words
    )
    return tuple(dict.fromkeys([*used, *mentioned]))


def _alternatives(document: CriterionDocument, text: str, prompt: str) -> Iterator[tuple[list[str], str]]:
    """Yield (words, alternative): words of the text, and an alternative to them that a rule would accept.

    A few alternatives are assumed to be intended, unless the prompt contains them; so are different wordings of one
    idea. Many alternatives are suspicious, and if the text has several of them, only very many are.
    """
    for rule in document.keywords:
        if rule.neg:
            continue
        for group in _choices(rule.content):
            leaves = [leaf.text for leaf in group.children if isinstance(leaf, Leaf) and not leaf.regex]
            present = [word for word in leaves if word.lower() in text.lower()]
            if not present:
                continue
            many = len(group.children) >= (_MANY if len(present) == 1 else _VERY_MANY)
            others = [word for word in leaves if word not in present and not any(_is_kin(word, one) for one in present)]
            others = [word for word in others if not (_WORDING.fullmatch(word) and _WORDING.fullmatch(present[0]))]
            in_prompt = [word for word in others if word.lower() in prompt.lower()]
            yield from ((present, word) for word in (others if many else in_prompt)[:_MAX_ALTERNATIVES])


def _choices(node: Leaf | RuleGroup) -> Iterator[RuleGroup]:
    if isinstance(node, RuleGroup):
        if node.kind == "or":
            yield node
        for child in node.children:
            yield from _choices(child)


def _is_kin(one: str, other: str) -> bool:
    """Tell whether two words are forms of one word: one contains the other, or they begin alike."""
    a, b = _stem(one), _stem(other)
    return a in b or b in a or a[:4] == b[:4]


def _stem(word: str) -> str:
    """Return a word in lower case, singular and without quotes."""
    return re.sub("ies$", "y", word.strip("'\"").lower())


def _is_form(one: str, other: str) -> bool:
    """Tell whether two words are forms of one, such as int and integer, but not pop and popleft."""
    short, long = sorted((one.lower(), other.lower()), key=len)
    return _is_kin(one, other) and long.removeprefix(short) not in _OTHER_ACTS


def _holds(text: str, word: str) -> bool:
    return _pattern(word).search(text) is not None


def _is_told(prompt: str, word: str) -> bool:
    """Tell whether a prompt has a word or a form of it, so that an answer may omit it."""
    forms = [word, f"{word}s", *([word[:-1]] if word[:-1].lower() in _FUNCTION_WORDS else [])]
    return any(_holds(prompt, form) for form in forms)


def _changed(text: str, word: str, other: str) -> str:
    return _pattern(word).sub(lambda _: other, text)


def _pattern(word: str) -> re.Pattern[str]:
    """Return a pattern for a whole word; a word may end in punctuation, and an option is not part of a longer one."""
    if word.startswith("-"):
        return re.compile(rf"(?<!\w){re.escape(word)}(?![\w-])", re.IGNORECASE)
    end = r"(?!\w)" if word[-1:].isalnum() or word.endswith("_") else ""
    return re.compile(rf"(?<!\w){re.escape(word)}{end}", re.IGNORECASE)


def _nonsense(word: str) -> str:
    """Return a meaningless replacement of a word: another number, or a word of no language."""
    if word.isdigit():
        return str(int(word) * 7 + 3)
    return f"{word[: len(word) - len(word.lstrip('-@'))]}{_NONSENSE}{'=' if word.endswith('=') else ''}"
