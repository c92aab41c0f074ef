"""Make plausible wrong answers: the reference with one of its words changed or replaced by an alternative.

If a changed answer still earns the full score, the criterion does not check that word. A person decides whether it
matters, and adds a rule for it or an example that passes without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
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
from annotator.criteria.proof.distinctive_words import (
    NONSENSE,
    AnswerToken,
    code_of,
    defined_names,
    distinctive_words,
    holds_word,
    is_in_prompt,
    nonsense_for,
    read_tokens,
    replace_word,
    without_quotes,
)
from annotator.criteria.proof.undone_lines import undone_lines, undone_signs
from annotator.text.code_spans import code_block_spans, code_blocks, code_spans, prose_of, without_code_blocks

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
_EXPLAINING = frozenset(("why", "explain", "reason", "reasons", "cause", "causes", "describe", "say", "name", "wrong"))
"""Words of a prompt that asks for sentences."""
_EXAMPLE = re.compile(
    r"(?:\bfor (?:example|instance)\b|\be\.g\.|\bsuch as\b)(?:(?!\n\n|```)(?:[^.;:)]|\.(?=\S)))*", re.IGNORECASE
)
"""An example in an answer's sentence, to the end of the clause; code blocks are not examples."""
_SENTENCE = 4
_OTHER_ACTS = ("all", "at", "by", "each", "first", "if", "index", "item", "last", "left", "right", "until", "while")
_NEGATED = ("EXISTS", "IN", "NULL", "LIKE", "BETWEEN")
"""Words of SQL that ``NOT`` reverses."""
_STATEMENTS = frozenset(("select", "insert", "update", "delete"))
_PLACEHOLDER = re.compile(r"(?<=[=(,<>\s])(?:\?|%s|\$\d|:[a-z]\w*)(?=[\s,);\"]|$)")


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
    changes = [ChangedAnswer(word=word, text=replace_word(first, word, nonsense_for(word))) for word in words[:MOST]]
    changes += [
        *(item for item in _with_alternatives(document, first, prompt) if not _is_right_replacement(item, others)),
        *_with_other_values(touched, prompt, first, others),
        *(item for item in _shortened(prompt, right) if not _is_explained(item.word, prompt, first, touched)),
        *_parts(prompt, first),
        *(ChangedAnswer(word=sign, text=text, instead=other) for sign, other, text in undone_signs(prompt, first)),
        *(
            ChangedAnswer(word=line, text=text, instead=old)
            for line, old, text in undone_lines(prompt, first)
            if old or all(line in other for other in others)
        ),
        *_of_queries(prompt, first, others),
        *(item for item in _other_switches(document, prompt, right) if item.word not in leading),
        *_in_longer(touched, first),
        *_neighbours(document, first, others),
        *_alone(first, others),
    ]
    return tuple(item for item in changes if item.text != first)


def _is_right_replacement(item: ChangedAnswer, others: Sequence[str]) -> bool:
    """Tell whether another right answer has the replacement instead of the word, so that both are right."""
    return any(holds_word(other, item.instead) and not holds_word(other, item.word) for other in others)


def _with_other_values(
    touched: Sequence[Place], prompt: str, first: str, others: Sequence[str]
) -> Iterator[ChangedAnswer]:
    """Yield the answer with each value changed that a rule mentions; a value that another right answer lacks is
    optional."""
    for value, other, text in unasked_values(touched, prompt, first):
        if all(holds_word(right, value) for right in others):
            yield ChangedAnswer(word=value, text=text, instead=other)
    for side, text in unasked_sides(touched, prompt, first):
        if all(side in right for right in others):
            yield ChangedAnswer(word=side, text=text, instead=NONSENSE)


def _shortened(prompt: str, right: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield the answer with each name or option of several parts in its code shortened, except its own names."""
    code = code_of(right[0])
    own = defined_names(code)
    shorter = {token.text: _without_last_part(token.text) for token in read_tokens(code) if token.text not in own}
    yield from _with_other_words({word: short for word, short in shorter.items() if short}, prompt, right)


def _without_last_part(word: str) -> str:
    """Return a name or option of several parts without the last one, as iter of iter_mut, or --force of
    --force-with-lease; empty if there is none."""
    if word.startswith("--"):
        head, _, rest = word[2:].partition("-")
        return f"--{head}" if rest and head != "no" else ""
    start = next((at for at in range(len(word) - 1, 0, -1) if word[at] == "_" or word[at].isupper()), 0)
    last = word[start + 1 :]
    is_part = last.isalnum() and last == last.lower() and word[start - 1].isalpha()
    is_camel = word[start].isupper() and word[start - 1].islower()
    return word[:start] if start and is_part and (is_camel or word[start] == "_") else ""


def _other_switches(document: CriterionDocument, prompt: str, right: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield the answer with a one-letter option in the other case, if a rule ignores case: it is another option."""
    if any(rule.to_lower for rule in document.keywords):
        code = without_quotes(code_of(right[0], strings=True))
        switches = [token.text for token in read_tokens(code) if len(token.text) == 2 and token.text[0] == "-"]
        switches = [word for word in switches if word[1].isalpha()]
        yield from _with_other_words({word: word.swapcase() for word in switches}, prompt, right)


def _with_other_words(other_words: Mapping[str, str], prompt: str, right: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield the answer with each word replaced that the prompt lacks, if all right answers have it and none the
    other."""
    for word, other in list(other_words.items())[:MOST]:
        if not holds_word(prompt, word) and all(
            holds_word(text, word) and not holds_word(text, other) for text in right
        ):
            yield ChangedAnswer(word=word, text=replace_word(right[0], word, other), instead=other)


def _of_queries(prompt: str, first: str, others: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield the answer with each condition without its NOT, with the first two columns of an index exchanged, and with
    placeholders in quotes, where they lose their meaning.

    Conditions and placeholders are optional if another right answer has none.
    """
    for word in _negations(first):
        if not holds_word(prompt, word) and all(map(_negations, others)):
            other = word.replace("NOT ", "")
            yield ChangedAnswer(word=word, text=first.replace(word, other), instead=other)
    if columns := _index_columns(first):
        one, two = columns
        text = f"{first[: one.start]}{two.text}, {one.text}{first[two.end :]}"
        names = f"({one.text}, {two.text})", f"({two.text}, {one.text})"
        yield ChangedAnswer(word=names[0], text=text, instead=names[1])
    is_query = not _STATEMENTS.isdisjoint(token.text.lower() for token in read_tokens(without_quotes(first)))
    sign = _PLACEHOLDER.search(code_of(first, strings=True)) if is_query else None
    if sign is not None and all(map(_PLACEHOLDER.search, others)):
        text = first
        for start, end in reversed(code_spans(first)):
            text = text[:start] + _PLACEHOLDER.sub(r"'\g<0>'", first[start:end]) + text[end:]
        yield ChangedAnswer(word=sign[0], text=text, instead=f"'{sign[0]}'")


def _negations(text: str) -> list[str]:
    """Return the conditions of a query that a ``NOT`` reverses, each once."""
    words = [token.text for token in read_tokens(without_quotes(text))]
    pairs = [number for number, pair in enumerate(pairwise(words)) if pair[0] == "NOT" and pair[1] in _NEGATED]
    return list(dict.fromkeys(" ".join(words[at - (words[at - 1 : at] == ["IS"]) : at + 2]) for at in pairs))


def _index_columns(text: str) -> tuple[AnswerToken, AnswerToken] | None:
    """Return the first two columns of an index that a statement creates."""
    tokens = read_tokens(text)
    words = [token.text.upper() for token in tokens]
    for at in range(len(words) - 5):
        is_list = words[at] == "ON" and words[at + 2] == "(" and words[at + 4] == ","
        statement = words[:at][-words[:at][::-1].index(";") :] if ";" in words[:at] else words[:at]
        if is_list and "INDEX" in statement:
            return tokens[at + 3], tokens[at + 5]
    return None


def _asked_of_all(document: CriterionDocument, prompt: str, right: Sequence[str]) -> list[str]:
    """Return the words that all right answers and all compared texts have and the prompt does not.

    Words in an answer's examples are excluded, because another example would do.
    """
    first, *others = right
    others += [text for rule in document.similarity for text in rule.references]
    without_examples = _EXAMPLE.sub(" ", first)
    words = (
        word
        for word in distinctive_words(first)
        if not is_in_prompt(prompt, word) and holds_word(without_examples, word)
    )
    return [word for word in words if all(holds_word(other, word) for other in others)]


def _is_explained(word: str, prompt: str, first: str, touched: Sequence[Place]) -> bool:
    """Tell whether a word is only in the sentences around an answer's code and is optional there.

    It is optional if the prompt asks for code alone, or if a rule checks the sentences already.
    """
    code = code_block_spans(first)
    if not code or any(holds_word(first[start:end], word) for start, end in code):
        return False
    looks_at_sentences = any(not any(start <= at < end for start, end in code) for at, _ in touched)
    return looks_at_sentences or _EXPLAINING.isdisjoint(
        token.text for token in read_tokens(without_quotes(prompt.lower()))
    )


def _leading(words: Sequence[str], first: str, touched: Sequence[Place]) -> set[str]:
    """Return the arguments and options before a name that a rule searches for, since the name implies them.

    Examples are ``rounding=`` before ``ROUND_HALF_UP``, and ``-o`` before ``pipefail``.
    """
    leading_words = set()
    for start, _ in touched:
        line = first[first.rfind("\n", 0, start) + 1 : start].rstrip(" ").replace("`", " ")
        before = [token.text for token in read_tokens(line)][-2:]
        name = next((token.text for token in read_tokens(first, start)), "")
        if before and name in words and (before[-1] == "=" or (before[-1][0] == "-" and len(before[-1]) == 2)):
            leading_words.add("".join(before) if before[-1] == "=" else before[-1])
    return leading_words & set(words)


def _unlike(document: CriterionDocument, prompt: str, right: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield answers that a similarity rule must tell from the right one.

    Of a short answer, each word is left out in turn. Of a longer one, only the first third is left, or one of the
    names is changed: names are few of an answer's words but most of its meaning.
    """
    words = list(re.finditer(r"\w+", right[0])) if right else []
    if _MIN_WORDS - 1 <= len(words) < _SHORT_REFERENCE:
        for word in dict.fromkeys(match[0] for match in words):
            yield ChangedAnswer(word=word, text=replace_word(right[0], word, ""))
    elif words:
        yield ChangedAnswer(word="", text=right[0][: words[len(words) // 3 - 1].end()], part="third")
        for word in _asked_of_all(document, prompt, right)[:MOST]:
            yield ChangedAnswer(word=word, text=replace_word(right[0], word, nonsense_for(word)))


def _in_longer(touched: Sequence[Place], first: str) -> Iterator[ChangedAnswer]:
    """Yield the answer with a digit before a number that a rule matches: a search for 5 also finds 15."""
    for start, end in touched:
        number = "".join(takewhile(str.isdecimal, first[start:end]))
        if number and not first[start - 1 : start].isalnum():
            yield ChangedAnswer(word=number, text=f"{first[:start]}1{first[start:]}", instead=f"1{number}")


def _parts(prompt: str, first: str) -> Iterator[ChangedAnswer]:
    """Yield the answer without its code (if a sentence is left), with the question's code in place of its own, and cut
    off after the first line of its code."""
    if "```" not in first:
        return
    places = code_block_spans(first)
    start, end = places[0]
    prose = without_code_blocks(first).strip()
    if len(prose.split()) >= _SENTENCE:
        yield ChangedAnswer(word="", text=prose, part="prose")
    question = code_blocks(prompt) if "```" in prompt else ""
    if question.strip() and len(places) == 1 and question.strip() != first[start:end].strip():
        yield ChangedAnswer(word="", text=first[:start] + question + first[end:], part="question")
    lines = [line for line in first[start:end].splitlines() if line.strip()]
    prompt_lines = {line.strip() for line in prompt.splitlines()}
    # If all other lines are the question's, the first line may be the answer.
    if len(lines) >= _MIN_LINES and any(
        line.strip() not in prompt_lines for line in lines[1:] if any(map(str.isalnum, line))
    ):
        yield ChangedAnswer(word="", text=first[:start] + lines[0] + "\n```\n", part="start")


def _neighbours(document: CriterionDocument, first: str, others: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield the answer with numbers close to the expected one; for an integer, its two neighbours."""
    for value in (one for rule in document.values for one in _numbers_of(rule)):
        if value.is_integer():
            word, near = str(int(value)), [str(int(value) + step) for step in _NEXT_TO]
        else:
            word, near = str(value), [f"{value * factor:.6g}" for factor in _NEAR]
        yield from (
            ChangedAnswer(word=word, text=replace_word(first, word, other), instead=other)
            for other in near
            if holds_word(first, word) and not any(holds_word(text, other) for text in others)
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
    if expected and any(map(str.isupper, text[1:])) and any(map(str.islower, text)):
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
    name, sign, value = fill.partition("=")
    other_argument = [f"{name}={NONSENSE}"] if sign and name.strip().isidentifier() and value[:1] != "=" else []
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
    # In a range, ``1..10``, there are two numbers.
    tokens = read_tokens(without_quotes(right[0]))
    texts = [text for token in tokens for text in token.text.lstrip("+-").split("..")]
    numbers = dict.fromkeys(text for text in texts if all(map(str.isdecimal, text.split("."))))
    words = [word for word in numbers if not holds_word(prompt, word) and all(holds_word(text, word) for text in right)]
    for word in words[:MOST]:
        parts = word.split(".")
        for number, part in enumerate(parts):
            other = ".".join([*parts[:number], str(int(part) + 1), *parts[number + 1 :]])
            if not any(holds_word(text, other) for text in right):
                yield ChangedAnswer(word=word, text=replace_word(right[0], word, other), instead=other)


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
    all_words = re.findall(r"[^\W_][\w-]+", prose_of(first))
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


def _with_alternatives(document: CriterionDocument, text: str, prompt: str) -> Iterator[ChangedAnswer]:
    """Yield the answer with an alternative in place of its words for which a rule would accept it.

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
            others = [word for word in others if not (_is_wording(word) and _is_wording(present[0]))]
            in_prompt = [word for word in others if word.lower() in prompt.lower()]
            for other in (others if many else in_prompt)[:_MAX_ALTERNATIVES]:
                changed = replace_word(text, present[0], other)
                for word in present[1:]:
                    changed = re.sub(re.escape(word), NONSENSE, changed, flags=re.IGNORECASE)
                yield ChangedAnswer(word=present[0], text=changed, instead=other)


def _is_wording(text: str) -> bool:
    return " " in text and text.replace(" ", "").isalpha() and text.islower()


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
    word = word.strip("'\"").lower()
    return f"{word[:-3]}y" if word.endswith("ies") else word


def _is_form(one: str, other: str) -> bool:
    """Tell whether two words are forms of one, such as int and integer, but not pop and popleft."""
    short, long = sorted((one.lower(), other.lower()), key=len)
    return _is_kin(one, other) and long.removeprefix(short) not in _OTHER_ACTS
