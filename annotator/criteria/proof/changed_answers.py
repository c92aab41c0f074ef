"""Plausible wrong answers: the reference with one of its own words changed, or with an alternative in its place.

What still earns the full score is a word that nothing asks for. Whether it matters is for a person to say: a rule for
it, or an example that passes without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from annotator.criteria.document.criterion import BlankFilling, BlankTarget, CriterionDocument, Group, Leaf, ValueRule
from annotator.criteria.proof.changed_values import Place, matches, unasked_sides, unasked_values
from annotator.criteria.proof.undone_lines import undone_lines, undone_signs
from annotator.text.anchors import anchors

MOST = 12
"""So many words of one reference are changed; who wrote more is asked about the first."""
_MOST_ALONE = 80
_FEWEST_WORDS = 4
_FEWEST_LINES = 3
"""Code of fewer lines is not cut off: its first line may be all of it."""
_SHORT_REFERENCE = 10
"""A reference of fewer words may well be one of them."""
_NEXT_TO = (1, -1)
_NEAR = (1.02, 0.98)
"""Factors of a number with a fraction; what is further away was calculated in another way."""
_MOST_ALTERNATIVES = 2
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
"""Arguments of these names say what the question says with the word, and are mostly left to a default."""
_EVERYWHERE = frozenset(
    ("print", "println", "printf", "log", "debug", "info", "warn", "warning", "error", "len", "range", "str", "int",
     "list", "main", "self", "@Override")
)  # fmt: skip
_QUERY = re.compile(
    r"\b(?:HAVING|WHERE|DISTINCT|DESC|UNION|EXISTS|COALESCE|LIMIT|OFFSET|PARTITION|OVER|FOR UPDATE|FOR SHARE"
    r"|SKIP LOCKED|NOWAIT|RECURSIVE|LATERAL|RETURNING|ON CONFLICT|ON DUPLICATE KEY|ROLLUP|UNIQUE|CASCADE"
    r"|(?:LEFT|RIGHT|FULL|INNER|CROSS|OUTER)(?= JOIN| OUTER)|GROUP BY|ORDER BY|JOIN)\b"
)
# Names of several parts, as code gives them: other words of code may be of the language, or of no matter.
_NAME = re.compile(r"(?<![\w-])(?=\w*(?:[a-z][A-Z]|[^\W\d]_|__[^\W\d]))[A-Za-z_$]\w{3,}")
_TAG = re.compile(r"<[a-zA-Z][\w.-]*(\s[^<>]*)>")
_ATTRIBUTE = re.compile(r"(?<=\s)(?!(?:class|id|name|style|key)\b)[a-z][\w:-]*(?=\s*=\s*[\"'{])")
"""An attribute of a tag, but those that each author names as they like."""
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
"""What an answer gives as an example, to the end of the thought; code of its own lines is none."""
_LEADING = re.compile(r"(?<![\w-])(\w+=|-\w) ?$")
"""An argument or an option of one letter, directly before its value."""
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)*(?!\w)")
_SENTENCE = 4
_NONSENSE = "qxz"
_OTHER_ACTS = ("all", "at", "by", "each", "first", "if", "index", "item", "last", "left", "right", "until", "while")


@dataclass(frozen=True, slots=True)
class ChangedAnswer:
    """A right answer with ``word`` changed; ``instead`` is the alternative that stands there, empty for nonsense.

    ``alone`` tells that the answer is this one word, ``blank`` that the word fills a blank. ``part`` tells that the
    answer is only a part of the right one: its "prose", its "start", until the first line of its code, its first
    "third", or its prose with the code of the "question".
    """

    word: str
    text: str
    instead: str = ""
    alone: bool = False
    blank: bool = False
    part: Literal["", "prose", "start", "third", "question"] = ""


def changed_answers(document: CriterionDocument, prompt: str, right: Sequence[str]) -> tuple[ChangedAnswer, ...]:
    """Return the first right answer with one word changed at a time, for documents that look for words or numbers.

    Only words that every right answer has and the prompt has not: one that an example passes without is free. Then each
    of its words alone, but those that name something in code; names without their last part; and the answer without
    its code, or cut off in it; and values that a rule names without asking for them. Blanks are filled with what others
    should hold, with the opposite of what is right, and with other numbers. Of a text that answers are compared to,
    each word is left out where it is short; where it is long, two thirds are, and what it names is changed. Tests have
    changes of their own.
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
    touched = matches(document, first)
    named = _asked_of_all(document, prompt, right)
    leading = _leading(named, first, touched)
    wanted = [word for word in named if word not in leading and not _is_explained(word, prompt, first, touched)]
    found = [ChangedAnswer(word, _changed(first, word, _nonsense(word))) for word in wanted[:MOST]]
    for there, instead in _alternatives(document, first, prompt):
        if all(_holds(other, there[0]) or not _holds(other, instead) for other in others):
            text = _changed(first, there[0], instead)
            for word in there if len(there) > 1 else ():
                text = re.sub(re.escape(word), _NONSENSE, text, flags=re.IGNORECASE)
            found.append(ChangedAnswer(there[0], text, instead))
    found += [
        *_with_other_values(touched, prompt, first, others),
        *(item for item in _shortened(prompt, first, others) if not _is_explained(item.word, prompt, first, touched)),
        *_parts(prompt, first),
        *(ChangedAnswer(sign, text, other) for sign, other, text in undone_signs(prompt, first)),
        *_undone(prompt, first, others),
    ]
    found += [
        *_not_negated(prompt, first, others),
        *_of_queries(first, others),
        *(item for item in _other_switches(document, prompt, first, others) if item.word not in leading),
        *_in_longer(touched, first),
    ]
    found += [*_neighbours(document, first, others), *_alone(first, others)]
    return tuple(item for item in found if item.text != first)


def _asked_of_all(document: CriterionDocument, prompt: str, right: Sequence[str]) -> list[str]:
    """Return what every right answer names, and every text that answers are compared to, and the prompt does not.

    What an answer gives as an example might be another one.
    """
    first, *others = right
    others += [text for rule in document.similarity for text in rule.references]
    shown = _EXAMPLE.sub(" ", first)
    named = (word for word in distinctive_words(first) if not _is_told(prompt, word) and _holds(shown, word))
    return [word for word in named if all(_holds(other, word) for other in others)]


def _is_explained(word: str, prompt: str, first: str, touched: Sequence[Place]) -> bool:
    """Tell whether only the sentences beside an answer's code have a word, and which words they have is free.

    It is where the prompt asks for code alone, and where a rule looks at the sentences already.
    """
    code = [found.span() for found in _FENCED.finditer(first)]
    if not code or any(_holds(first[start:end], word) for start, end in code):
        return False
    looks_at_sentences = any(not any(start <= at < end for start, end in code) for at, _ in touched)
    return looks_at_sentences or not _ASKS_FOR_WORDS.search(prompt)


def _leading(named: Sequence[str], first: str, touched: Sequence[Place]) -> set[str]:
    """Return the arguments and options that stand before a name which a rule looks for: that tells what is meant.

    Such are ``rounding=`` before ``ROUND_HALF_UP``, and ``-o`` before ``pipefail``.
    """
    found = set()
    for start, _ in touched:
        before = _LEADING.search(first, 0, start)
        name = re.match(r"\w+", first[start:])
        if before is not None and name is not None and name[0] in named:
            found.add(before[1])
    return found & set(named)


def _unlike(document: CriterionDocument, prompt: str, right: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield a short right answer without each of its words, for a similarity to few words tells little.

    Of a longer one yield the first third: no answer that leaves out two thirds should be as good as all of it. Nor
    should one that names something else, which is most of what an answer says and few of its words.
    """
    words = list(re.finditer(r"\w+", right[0])) if right else []
    if _FEWEST_WORDS - 1 <= len(words) < _SHORT_REFERENCE:
        for word in dict.fromkeys(match[0] for match in words):
            yield ChangedAnswer(word, _changed(right[0], word, ""))
    elif words:
        yield ChangedAnswer("", right[0][: words[len(words) // 3 - 1].end()], part="third")
        for word in _asked_of_all(document, prompt, right)[:MOST]:
            yield ChangedAnswer(word, _changed(right[0], word, _nonsense(word)))


def _with_other_values(
    touched: Sequence[Place], prompt: str, first: str, others: Sequence[str]
) -> Iterator[ChangedAnswer]:
    """Yield the answer with each value changed that a rule names; one that another right answer lacks is free."""
    for value, other, text in unasked_values(touched, prompt, first):
        if all(_holds(right, value) for right in others):
            yield ChangedAnswer(value, text, other)
    for side, text in unasked_sides(touched, prompt, first):
        if all(side in right for right in others):
            yield ChangedAnswer(side, text, _NONSENSE)


def _shortened(prompt: str, first: str, others: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield the answer with a name of several parts without the last one, such as ``iter`` in place of ``iter_mut``.

    Of an option the first part is left, which often is one too: ``--force`` in place of ``--force-with-lease``.
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
            yield ChangedAnswer(word, _changed(first, word, shorter), shorter)


def _undone(prompt: str, first: str, others: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield the answer with each of its new lines as the question has it; one that a right answer lacks is free."""
    for line, old, text in undone_lines(prompt, first):
        if old or all(line in other for other in others):
            yield ChangedAnswer(line, text, old)


def _not_negated(prompt: str, first: str, others: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield the answer with a condition of a query in place of its opposite, which a rule may find in it."""
    for word, sign in {found[0]: found[1] for found in _NEGATED.finditer(first)}.items():
        if not _holds(prompt, word) and all(_NEGATED.search(other) for other in others):
            other = word.replace(sign, "", 1)
            yield ChangedAnswer(word, first.replace(word, other), other)


def _other_switches(
    document: CriterionDocument, prompt: str, first: str, others: Sequence[str]
) -> Iterator[ChangedAnswer]:
    """Yield the answer with an option of one letter in the other case, where a rule takes any: it is another option.

    One that the prompt has stands in what is taken over from it.
    """
    if not any(rule.to_lower for rule in document.keywords):
        return
    for word in list(dict.fromkeys(_SWITCH.findall(_whole_code_of(first))))[:MOST]:
        other = word.swapcase()
        is_told = _switch(word).search(prompt) is not None
        if not is_told and other not in first and all(word in text and other not in text for text in others):
            yield ChangedAnswer(word, _switch(word).sub(other, first), other)


def _switch(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){word}(?![\w-])")


def _in_longer(touched: Sequence[Place], first: str) -> Iterator[ChangedAnswer]:
    """Yield the answer with a longer number where a rule's match begins with one: 15 holds the 5 that it looks for."""
    for start, end in touched:
        number = re.match(r"\d+", first[start:end])
        if number is not None and not first[start - 1 : start].isalnum():
            yield ChangedAnswer(number[0], f"{first[:start]}1{first[start:]}", f"1{number[0]}")


def _of_queries(first: str, others: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield the answer with its placeholders of a query in quotes, where they are no placeholders any more, and with
    the first columns of an index exchanged."""
    columns = _COLUMNS.search(first)
    if columns is not None:
        one, two = columns["one"], columns["two"]
        start, end = columns.start("one"), columns.end("two")
        yield ChangedAnswer(f"({one}, {two})", f"{first[:start]}{two}, {one}{first[end:]}", f"({two}, {one})")
    if not _STATEMENT.search(first):
        return
    placeholder = _PLACEHOLDER.search(_whole_code_of(first))
    if placeholder is not None and all(_PLACEHOLDER.search(other) for other in others):
        text = _CODE.sub(lambda part: _PLACEHOLDER.sub(lambda sign: f"'{sign[0]}'", part[0]), first)
        yield ChangedAnswer(placeholder[0], text, f"'{placeholder[0]}'")


def _parts(prompt: str, first: str) -> Iterator[ChangedAnswer]:
    """Yield the answer without its code, if a sentence is left, cut off after its code's first line, and with the code
    of the question in place of its own."""
    fenced = _FENCED.search(first)
    if fenced is None:
        return
    prose = _FENCED.sub("", first).strip()
    if len(prose.split()) >= _SENTENCE:
        yield ChangedAnswer("", prose, part="prose")
    asked = _FENCED.search(prompt)
    if asked is not None and len(_FENCED.findall(first)) == 1 and asked[1].strip() != fenced[1].strip():
        yield ChangedAnswer("", first[: fenced.start(1)] + asked[1] + first[fenced.end(1) :], part="question")
    lines = [line for line in fenced[1].splitlines() if line.strip()]
    given = {line.strip() for line in prompt.splitlines()}
    # Where all the rest is the question's, the first line may be the answer.
    if len(lines) >= _FEWEST_LINES and any(line.strip() not in given for line in lines[1:] if re.search(r"\w", line)):
        yield ChangedAnswer("", first[: fenced.start(1)] + lines[0] + "\n```\n", part="start")


def _code_of(text: str) -> str:
    """Return the code of an answer, with its texts emptied."""
    return _TEXT.sub('""', _whole_code_of(text))


def _whole_code_of(text: str) -> str:
    return "\n".join(match[1] or match[2] or "" for match in _CODE.finditer(text))


def _own_names(code: str) -> set[str]:
    """Return the names that code gives."""
    return {name for found in _OWN.finditer(code) for name in found.groups() if name}


def _neighbours(document: CriterionDocument, first: str, others: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield the answer with numbers next to the one that is asked for: of a whole number the two beside it."""
    for value in (one for rule in document.values for one in _numbers_of(rule)):
        if value.is_integer():
            word, near = str(int(value)), [str(int(value) + step) for step in _NEXT_TO]
        else:
            word, near = str(value), [f"{value * factor:.6g}" for factor in _NEAR]
        yield from (
            ChangedAnswer(word, _changed(first, word, other), other)
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
    """Yield a right answer in small letters, where it has small and capital ones inside: those are meant."""
    asked = [str(rule.value) for rule in document.values if rule.metric == "equals" and rule.to_lower]
    text = right[0].strip()
    if asked and re.search(r"\S[A-Z]|\s[A-Z]", text) and re.search("[a-z]", text):
        yield ChangedAnswer(text, right[0].lower(), text.lower())


def _filled(rule: BlankFilling, right: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield the template filled as a right answer fills it, but for one blank; first with the blanks' words exchanged.

    What another blank should hold is wrong there even where the blank takes it, unless both are forms of one word.
    """
    parts = rule.template.split(rule.blank_str)
    if rule.handler or len(parts) != len(rule.targets) + 1:
        return
    fills = _fills_of(right[0], parts, rule) if right else []
    fills = fills or [_first_text(target) for target in rule.targets]
    if not all(fills):
        return
    if turned := _exchanged(fills):
        yield ChangedAnswer(fills[0], _filled_with(rule, parts, turned), turned[0], blank=True)
    for number, (target, fill) in enumerate(zip(rule.targets, fills, strict=True)):
        taken = {alternative.text.lower() for alternative in target.alternatives}
        wrong = [other for other in fills if not _is_form(other, fill)]
        if fill[:1].isalpha():
            wrong.append(f"un{fill}")
        elif fill.isdigit():
            wrong += [other for step in _NEXT_TO if (other := str(int(fill) + step)).lower() not in taken]
        wrong += _further(target, fill, is_name=parts[number].endswith(".") or parts[number + 1].startswith("("))
        for other in dict.fromkeys(wrong):
            filled = [*fills[:number], other, *fills[number + 1 :]]
            yield ChangedAnswer(fill, _filled_with(rule, parts, filled), other, blank=True)


def _further(target: BlankTarget, fill: str, *, is_name: bool) -> list[str]:
    """Return what else a blank takes, of many alternatives, and the same argument with another value.

    Forms of a word may well be the same, those of a name in code are not.
    """
    given = re.match(r"\w+\s*=\s*(?!=)", fill)
    argued = [f"{given[0]}{_NONSENSE}"] if given else []
    plain = [one.text for one in target.alternatives if not one.regex and not one.cond and one.text != fill]
    if len(target.alternatives) < _MANY:
        return argued
    return [*argued, *(text for text in plain if is_name or not _is_kin(text, fill))][:_MOST_ALTERNATIVES]


def _other_numbers(prompt: str, right: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield an answer with one of its numbers changed, a part of it where it has several, such as an address."""
    numbers = dict.fromkeys(found[0] for found in _NUMBER.finditer(right[0]))
    asked = [word for word in numbers if not _holds(prompt, word) and all(_holds(text, word) for text in right)]
    for word in asked[:MOST]:
        for part in re.finditer(r"\d+", word):
            other = f"{word[: part.start()]}{int(part[0]) + 1}{word[part.end() :]}"
            if not any(_holds(text, other) for text in right):
                yield ChangedAnswer(word, _changed(right[0], word, other), other)


def _exchanged(fills: Sequence[str]) -> list[str]:
    """Return what fills the blanks, each in the next one's place; nothing where two of them are forms of one word."""
    turned = [*fills[1:], fills[0]]
    return turned if not any(map(_is_form, fills, turned)) else []


def _filled_with(rule: BlankFilling, parts: Sequence[str], fills: Sequence[str]) -> str:
    text = parts[0] + "".join(f"{fill}{part}" for fill, part in zip(fills, parts[1:], strict=True))
    return text.removeprefix(rule.prefix)


def _fills_of(text: str, parts: Sequence[str], rule: BlankFilling) -> list[str]:
    """Return what stands in a right answer's blanks; nothing where it does not follow the template."""
    # A template in YAML often ends in a newline that answers lack.
    outer = [parts[0].lstrip(), *parts[1:-1], parts[-1].rstrip()]
    pattern = "(.+?)".join(r"\s+".join(map(re.escape, re.split(r"\s+", part))) for part in outer)
    found = re.fullmatch(rf"\s*{pattern}\s*", rule.prefix + text, re.DOTALL)
    return [fill.strip(rule.escape) for fill in found.groups()] if found else []


def _first_text(target: BlankTarget) -> str:
    plain = (one.text for one in target.alternatives if not one.regex and not one.cond)
    return next(plain, "")


def _alone(first: str, others: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield each word of an answer as an answer of its own, but those that name something and those that are right."""
    found = re.findall(r"[^\W_][\w-]+", _CODE.sub(" ", first))
    words = list({word.lower(): word for word in reversed(found)}.values())[::-1]
    if len(words) < _FEWEST_WORDS:
        return
    named = {part.lower() for word in distinctive_words(first) for part in (word, *word.split())}
    right = {text.strip(" .`").lower() for text in others}
    yield from (
        ChangedAnswer(word, word, alone=True)
        for word in words[:_MOST_ALONE]
        if word.lower() not in named and word.lower() not in right
    )


def distinctive_words(text: str) -> tuple[str, ...]:
    """Return what an answer names: what its code calls and passes, numbers and names in its prose; each once.

    Names that its own code gives, and those that are in any code, tell nothing.
    """
    code = _code_of(text)
    own = _own_names(code or text)
    found = [*_USED.findall(f"{code}\n{_CODE.sub(' ', text)}"), *_QUERY.findall(text)]
    for anchor in anchors(text):
        if anchor.kind in ("number", "version") and _FENCED.search(text) and anchor.text not in code:
            # Beside code, a number in a sentence tells since when, or how much.
            continue
        if anchor.kind == "quoted" and _SETTING.fullmatch(anchor.text) and anchor.text in code:
            # What a sentence explains and the code has is what matters of it.
            found.append(anchor.text)
        elif anchor.kind != "quoted" or re.fullmatch(r"[\w.-]+(?:\(\))?", anchor.text):
            name = anchor.text.removesuffix("()")
            found.append(name if anchor.kind in ("number", "version") else name.rpartition(".")[2])
    found += [name for tag in _TAG.finditer(text) for name in _ATTRIBUTE.findall(tag[1])]
    words = dict.fromkeys(word for word in found if len(word) > 1)
    called = sorted((word for word in words if word not in own | _EVERYWHERE), key=text.find)
    # Names that are only mentioned come last: of many words the first are asked about.
    mentioned = (
        name for name in (*_PROPERTY.findall(code), *_NAME.findall(code)) if name not in own and f"{name}=" not in words
    )
    return tuple(dict.fromkeys([*called, *mentioned]))


def _alternatives(document: CriterionDocument, text: str, prompt: str) -> Iterator[tuple[list[str], str]]:
    """Yield (words, alternative): the text has the words, and a rule would take an alternative that it has not.

    Of few alternatives each is meant, but what the prompt says already; so are several wordings of one thought. Where
    the text has several, only very many are too many.
    """
    for rule in document.keywords:
        if rule.neg:
            continue
        for group in _choices(rule.content):
            leaves = [leaf.text for leaf in group.children if isinstance(leaf, Leaf) and not leaf.regex]
            there = [word for word in leaves if word.lower() in text.lower()]
            if not there:
                continue
            many = len(group.children) >= (_MANY if len(there) == 1 else _VERY_MANY)
            others = [word for word in leaves if word not in there and not any(_is_kin(word, one) for one in there)]
            others = [word for word in others if not (_WORDING.fullmatch(word) and _WORDING.fullmatch(there[0]))]
            told = [word for word in others if word.lower() in prompt.lower()]
            yield from ((there, word) for word in (others if many else told)[:_MOST_ALTERNATIVES])


def _choices(node: Leaf | Group) -> Iterator[Group]:
    if isinstance(node, Group):
        if node.kind == "or":
            yield node
        for child in node.children:
            yield from _choices(child)


def _is_kin(one: str, other: str) -> bool:
    """Tell whether two words are forms of one: one is in the other, or they begin alike."""
    a, b = _stem(one), _stem(other)
    return a in b or b in a or a[:4] == b[:4]


def _stem(word: str) -> str:
    """Return a word in small letters without its quotes, and with the ending of one."""
    return re.sub("ies$", "y", word.strip("'\"").lower())


def _is_form(one: str, other: str) -> bool:
    """Tell whether two words are forms of one, such as int and integer; popleft and pop are two acts."""
    short, long = sorted((one.lower(), other.lower()), key=len)
    return _is_kin(one, other) and long.removeprefix(short) not in _OTHER_ACTS


def _holds(text: str, word: str) -> bool:
    return _pattern(word).search(text) is not None


def _is_told(prompt: str, word: str) -> bool:
    """Tell whether a prompt has a word, or a form of it, so that an answer without it says nothing less."""
    forms = [word, f"{word}s", *([word[:-1]] if word[:-1].lower() in _FUNCTION_WORDS else [])]
    return any(_holds(prompt, form) for form in forms)


def _changed(text: str, word: str, other: str) -> str:
    return _pattern(word).sub(lambda _: other, text)


def _pattern(word: str) -> re.Pattern[str]:
    """Return what finds a whole word; one that ends in a sign ends there, and an option is no part of a longer one."""
    if word.startswith("-"):
        return re.compile(rf"(?<!\w){re.escape(word)}(?![\w-])", re.IGNORECASE)
    end = r"(?!\w)" if word[-1:].isalnum() or word.endswith("_") else ""
    return re.compile(rf"(?<!\w){re.escape(word)}{end}", re.IGNORECASE)


def _nonsense(word: str) -> str:
    """Return what may stand in a word's place and means nothing: another number, or no word of any language."""
    if word.isdigit():
        return str(int(word) * 7 + 3)
    return f"{word[: len(word) - len(word.lstrip('-@'))]}{_NONSENSE}{'=' if word.endswith('=') else ''}"
