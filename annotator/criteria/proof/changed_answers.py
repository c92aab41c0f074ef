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
from annotator.criteria.proof.changed_values import Span, keyword_matches, unchecked_right_sides, unchecked_values
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
from annotator.criteria.proof.undone_lines import undo_lines, undo_operators
from annotator.text.code_spans import code_block_spans, code_blocks, code_spans, prose_of, without_code_blocks

MAX_CHANGED_WORDS = 12
"""The most words of one reference that are changed; of a longer one, the first words are changed."""
_MAX_SINGLE_WORDS = 80
_MIN_WORDS = 4
"""In an answer with fewer words, a single word may be the whole answer."""
_MIN_LINES = 3
"""Code with fewer lines is not cut off, because its first line may be the whole answer."""
_MAX_WORDS_SHORT = 10
"""In a reference with fewer words, one word may be the whole answer."""
_INTEGER_STEPS = (1, -1)
_FRACTION_FACTORS = (1.02, 0.98)
"""Factors for changing a number with a fraction; larger differences mean another way of calculation."""
_MAX_ALTERNATIVES = 2
_MANY_ALTERNATIVES = 3
_VERY_MANY_ALTERNATIVES = 6
_EXPLANATION_WORDS = frozenset(
    ("why", "explain", "reason", "reasons", "cause", "causes", "describe", "say", "name", "wrong")
)
"""Words of a prompt that asks for sentences."""
_EXAMPLE = re.compile(
    r"(?:\bfor (?:example|instance)\b|\be\.g\.|\bsuch as\b)(?:(?!\n\n|```)(?:[^.;:)]|\.(?=\S)))*", re.IGNORECASE
)
"""An example in an answer's sentence, to the end of the clause; code blocks are not examples."""
_MIN_SENTENCE_WORDS = 4
"""Prose with fewer words is not a sentence."""
# With one of these endings a name means another method: popleft is not a form of pop.
_SUFFIXES_OF_OTHER_METHODS = (
    "all",
    "at",
    "by",
    "each",
    "first",
    "if",
    "index",
    "item",
    "last",
    "left",
    "right",
    "until",
    "while",
)
_NEGATED_WORDS = ("EXISTS", "IN", "NULL", "LIKE", "BETWEEN")
"""Words of SQL that ``NOT`` reverses."""
_SQL_STATEMENTS = frozenset(("select", "insert", "update", "delete"))
_PLACEHOLDER = re.compile(r"(?<=[=(,<>\s])(?:\?|%s|\$\d|:[a-z]\w*)(?=[\s,);\"]|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedAnswer:
    """A right answer with ``word`` changed to ``instead``, or to nonsense if ``instead`` is empty.

    ``alone`` means that the answer is this one word, ``blank`` that the word fills a blank. ``part`` names the
    remaining part of the right answer: its "prose", its "start" up to the first line of code, its first "third", or
    its prose with the code of the "question".
    """

    word: str
    text: str
    instead: str = ""
    alone: bool = False
    blank: bool = False
    part: Literal["", "prose", "start", "third", "question"] = ""


def changed_answers(document: CriterionDocument, prompt: str, right: Sequence[str]) -> tuple[ChangedAnswer, ...]:
    """Return changes of the first right answer, for documents that search for words or numbers.

    One at a time, each word is changed that every right answer has and the prompt lacks (a word that an example passes
    without is optional). Other changes are each word alone, except names in code; names without their last part; the
    answer without its code or cut off in it; and other values where a rule mentions a value without checking it.
    Blanks are filled with other blanks' answers, with opposites and with other numbers. For a similarity, a short text
    loses one word at a time; a long one loses two thirds, or has its names changed. Documents with tests have changes
    of their own (`mutation_survivors`).
    """
    if document.blanks and document.metrics <= {"blank_filling", "number"}:
        numbers = (
            (*_neighbouring_numbers(document, right[0], right[1:]), *_other_numbers(prompt, right)) if right else ()
        )
        return (*_filled_templates(document.blanks, right), *numbers)
    if document.metrics == {"similarity"}:
        return tuple(_dissimilar_answers(document, prompt, right))
    if not right or document.tests or document.blanks:
        return ()
    reference, *others = right
    if not document.metrics & {"keywords", "ast"}:
        return (*_neighbouring_numbers(document, reference, others), *_in_lower_case(document, right))
    matched_spans = keyword_matches(document, reference)
    candidates = _words_of_all_answers(document, prompt, right)
    implied_words = _implied_words(candidates, reference, matched_spans)
    words = [
        word
        for word in candidates
        if word not in implied_words and not _is_explained(word, prompt, reference, matched_spans)
    ]
    changes = [
        ChangedAnswer(word=word, text=replace_word(reference, word, nonsense_for(word)))
        for word in words[:MAX_CHANGED_WORDS]
    ]
    changes += [
        *(
            change
            for change in _with_alternatives(document, reference, prompt)
            if not _is_right_replacement(change, others)
        ),
        *_with_other_values(matched_spans, prompt, reference, others),
        *(
            change
            for change in _with_shortened_names(prompt, right)
            if not _is_explained(change.word, prompt, reference, matched_spans)
        ),
        *_partial_answers(prompt, reference),
        *(ChangedAnswer(word=new, text=text, instead=old) for new, old, text in undo_operators(prompt, reference)),
        *(
            ChangedAnswer(word=line, text=text, instead=old)
            for line, old, text in undo_lines(prompt, reference)
            if old or all(line in other for other in others)
        ),
        *_changed_queries(prompt, reference, others),
        *(change for change in _with_other_switches(document, prompt, right) if change.word not in implied_words),
        *_with_longer_numbers(matched_spans, reference),
        *_neighbouring_numbers(document, reference, others),
        *_single_words(reference, others),
    ]
    return tuple(change for change in changes if change.text != reference)


def _is_right_replacement(change: ChangedAnswer, others: Sequence[str]) -> bool:
    """Return whether another right answer has the replacement instead of the word, so that both are right."""
    return any(holds_word(other, change.instead) and not holds_word(other, change.word) for other in others)


def _with_other_values(
    matched_spans: Sequence[Span], prompt: str, reference: str, others: Sequence[str]
) -> Iterator[ChangedAnswer]:
    """Yield the answer with each value changed that a rule mentions; a value that another right answer lacks is
    optional."""
    for value, other, text in unchecked_values(matched_spans, prompt, reference):
        if all(holds_word(right, value) for right in others):
            yield ChangedAnswer(word=value, text=text, instead=other)
    for side, text in unchecked_right_sides(matched_spans, prompt, reference):
        if all(side in right for right in others):
            yield ChangedAnswer(word=side, text=text, instead=NONSENSE)


def _with_shortened_names(prompt: str, right: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield the answer with each name or option of several parts in its code shortened, except its own names."""
    code = code_of(right[0])
    defined = defined_names(code)
    short_names = {
        token.text: _without_last_part(token.text) for token in read_tokens(code) if token.text not in defined
    }
    yield from _with_other_words(
        {word: shortened for word, shortened in short_names.items() if shortened}, prompt, right
    )


def _without_last_part(word: str) -> str:
    """Return a name or option of several parts without the last one, as iter of iter_mut, or --force of
    --force-with-lease; empty if there is none."""
    if word.startswith("--"):
        head, _, suffix = word[2:].partition("-")
        return f"--{head}" if suffix and head != "no" else ""
    start = next((index for index in range(len(word) - 1, 0, -1) if word[index] == "_" or word[index].isupper()), 0)
    last = word[start + 1 :]
    is_part = last.isalnum() and last == last.lower() and word[start - 1].isalpha()
    is_camel = word[start].isupper() and word[start - 1].islower()
    return word[:start] if start and is_part and (is_camel or word[start] == "_") else ""


def _with_other_switches(document: CriterionDocument, prompt: str, right: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield the answer with a one-letter option in the other case, if a rule ignores case: it is another option."""
    if any(rule.to_lower for rule in document.keywords):
        code = without_quotes(code_of(right[0], strings=True))
        switches = [token.text for token in read_tokens(code) if len(token.text) == 2 and token.text[0] == "-"]
        switches = [word for word in switches if word[1].isalpha()]
        yield from _with_other_words({word: word.swapcase() for word in switches}, prompt, right)


def _with_other_words(other_words: Mapping[str, str], prompt: str, right: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield the answer with each word replaced that the prompt lacks, if all right answers have it and none the
    other."""
    for word, other in list(other_words.items())[:MAX_CHANGED_WORDS]:
        if not holds_word(prompt, word) and all(
            holds_word(text, word) and not holds_word(text, other) for text in right
        ):
            yield ChangedAnswer(word=word, text=replace_word(right[0], word, other), instead=other)


def _changed_queries(prompt: str, reference: str, others: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield the answer with each condition without its NOT, with the first two columns of an index exchanged, and with
    placeholders in quotes, where they lose their meaning.

    Conditions and placeholders are optional if another right answer has none.
    """
    for word in _find_negations(reference):
        if not holds_word(prompt, word) and all(map(_find_negations, others)):
            other = word.replace("NOT ", "")
            yield ChangedAnswer(word=word, text=reference.replace(word, other), instead=other)
    if columns := _index_columns(reference):
        left, right = columns
        text = f"{reference[: left.start]}{right.text}, {left.text}{reference[right.end :]}"
        yield ChangedAnswer(word=f"({left.text}, {right.text})", text=text, instead=f"({right.text}, {left.text})")
    is_query = not _SQL_STATEMENTS.isdisjoint(token.text.lower() for token in read_tokens(without_quotes(reference)))
    placeholder = _PLACEHOLDER.search(code_of(reference, strings=True)) if is_query else None
    if placeholder is not None and all(map(_PLACEHOLDER.search, others)):
        text = reference
        for start, end in reversed(code_spans(reference)):
            text = text[:start] + _PLACEHOLDER.sub(r"'\g<0>'", reference[start:end]) + text[end:]
        yield ChangedAnswer(word=placeholder[0], text=text, instead=f"'{placeholder[0]}'")


def _find_negations(text: str) -> list[str]:
    """Return the conditions of a query that a ``NOT`` reverses, each once."""
    words = [token.text for token in read_tokens(without_quotes(text))]
    pairs = [number for number, pair in enumerate(pairwise(words)) if pair[0] == "NOT" and pair[1] in _NEGATED_WORDS]
    return list(
        dict.fromkeys(" ".join(words[number - (words[number - 1 : number] == ["IS"]) : number + 2]) for number in pairs)
    )


def _index_columns(text: str) -> tuple[AnswerToken, AnswerToken] | None:
    """Return the first two columns of an index that a statement creates."""
    tokens = read_tokens(text)
    words = [token.text.upper() for token in tokens]
    for index in range(len(words) - 5):
        is_list = words[index] == "ON" and words[index + 2] == "(" and words[index + 4] == ","
        statement = words[:index][-words[:index][::-1].index(";") :] if ";" in words[:index] else words[:index]
        if is_list and "INDEX" in statement:
            return tokens[index + 3], tokens[index + 5]
    return None


def _words_of_all_answers(document: CriterionDocument, prompt: str, right: Sequence[str]) -> list[str]:
    """Return the words that all right answers and all compared texts have and the prompt does not.

    Words in an answer's examples are excluded, because another example would do.
    """
    reference, *others = right
    others += [text for rule in document.similarity for text in rule.references]
    without_examples = _EXAMPLE.sub(" ", reference)
    words = (
        word
        for word in distinctive_words(reference)
        if not is_in_prompt(prompt, word) and holds_word(without_examples, word)
    )
    return [word for word in words if all(holds_word(other, word) for other in others)]


def _is_explained(word: str, prompt: str, reference: str, matched_spans: Sequence[Span]) -> bool:
    """Return whether a word is only in the sentences around an answer's code and is optional there.

    It is optional if the prompt asks for code alone, or if a rule checks the sentences already.
    """
    code_places = code_block_spans(reference)
    if not code_places or any(holds_word(reference[start:end], word) for start, end in code_places):
        return False
    checks_sentences = any(
        not any(start <= match_start < end for start, end in code_places) for match_start, _ in matched_spans
    )
    return checks_sentences or _EXPLANATION_WORDS.isdisjoint(
        token.text for token in read_tokens(without_quotes(prompt.lower()))
    )


def _implied_words(words: Sequence[str], reference: str, matched_spans: Sequence[Span]) -> set[str]:
    """Return the arguments and options before a name that a rule searches for: the name implies them.

    Examples are ``rounding=`` before ``ROUND_HALF_UP``, and ``-o`` before ``pipefail``.
    """
    leading_words = set()
    for start, _ in matched_spans:
        line = reference[reference.rfind("\n", 0, start) + 1 : start].rstrip(" ").replace("`", " ")
        preceding = [token.text for token in read_tokens(line)][-2:]
        name = next((token.text for token in read_tokens(reference, start)), "")
        if (
            preceding
            and name in words
            and (preceding[-1] == "=" or (preceding[-1][0] == "-" and len(preceding[-1]) == 2))
        ):
            leading_words.add("".join(preceding) if preceding[-1] == "=" else preceding[-1])
    return leading_words & set(words)


def _dissimilar_answers(document: CriterionDocument, prompt: str, right: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield answers that a similarity rule must tell from the right one.

    Of a short answer, each word is left out in turn. Of a longer one, only the first third is left, or one of the
    names is changed: names are few of an answer's words but most of its meaning.
    """
    words = list(re.finditer(r"\w+", right[0])) if right else []
    if _MIN_WORDS - 1 <= len(words) < _MAX_WORDS_SHORT:
        for word in dict.fromkeys(match[0] for match in words):
            yield ChangedAnswer(word=word, text=replace_word(right[0], word, ""))
    elif words:
        yield ChangedAnswer(word="", text=right[0][: words[len(words) // 3 - 1].end()], part="third")
        for word in _words_of_all_answers(document, prompt, right)[:MAX_CHANGED_WORDS]:
            yield ChangedAnswer(word=word, text=replace_word(right[0], word, nonsense_for(word)))


def _with_longer_numbers(matched_spans: Sequence[Span], reference: str) -> Iterator[ChangedAnswer]:
    """Yield the answer with a digit before a number that a rule matches: a search for 5 also finds 15."""
    for start, end in matched_spans:
        number = "".join(takewhile(str.isdecimal, reference[start:end]))
        if number and not reference[start - 1 : start].isalnum():
            yield ChangedAnswer(word=number, text=f"{reference[:start]}1{reference[start:]}", instead=f"1{number}")


def _partial_answers(prompt: str, reference: str) -> Iterator[ChangedAnswer]:
    """Yield the answer without its code (if a sentence is left), with the question's code in place of its own, and cut
    off after the first line of its code."""
    if "```" not in reference:
        return
    code_places = code_block_spans(reference)
    start, end = code_places[0]
    prose = without_code_blocks(reference).strip()
    if len(prose.split()) >= _MIN_SENTENCE_WORDS:
        yield ChangedAnswer(word="", text=prose, part="prose")
    question_code = code_blocks(prompt) if "```" in prompt else ""
    if question_code.strip() and len(code_places) == 1 and question_code.strip() != reference[start:end].strip():
        yield ChangedAnswer(word="", text=reference[:start] + question_code + reference[end:], part="question")
    lines = [line for line in reference[start:end].splitlines() if line.strip()]
    prompt_lines = {line.strip() for line in prompt.splitlines()}
    # If all other lines are the question's, the first line may be the answer.
    if len(lines) >= _MIN_LINES and any(
        line.strip() not in prompt_lines for line in lines[1:] if any(map(str.isalnum, line))
    ):
        yield ChangedAnswer(word="", text=reference[:start] + lines[0] + "\n```\n", part="start")


def _neighbouring_numbers(
    document: CriterionDocument, reference: str, others: Sequence[str]
) -> Iterator[ChangedAnswer]:
    """Yield the answer with numbers close to the expected one; for an integer, its two neighbours."""
    values = (number for rule in document.values for number in _numbers_of(rule))
    for value in values:
        if value.is_integer():
            word = str(int(value))
            neighbours = [str(int(value) + step) for step in _INTEGER_STEPS]
        else:
            word = str(value)
            neighbours = [f"{value * factor:.6g}" for factor in _FRACTION_FACTORS]
        yield from (
            ChangedAnswer(word=word, text=replace_word(reference, word, other), instead=other)
            for other in neighbours
            if holds_word(reference, word) and not any(holds_word(text, other) for text in others)
        )


def _numbers_of(rule: ValueRule) -> Iterator[float]:
    """Yield the numbers that a rule asks for."""
    pending = [rule.value] if rule.metric in ("number", "json") else []
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            pending += value.values()
        elif isinstance(value, list):
            pending += value
        elif (isinstance(value, int | float) and not isinstance(value, bool)) or rule.metric == "number":
            yield float(value)


def _in_lower_case(document: CriterionDocument, right: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield a right answer in lower case if it has mixed case inside, where the case is meaningful."""
    expected = [str(rule.value) for rule in document.values if rule.metric == "equals" and rule.to_lower]
    text = right[0].strip()
    if expected and any(map(str.isupper, text[1:])) and any(map(str.islower, text)):
        yield ChangedAnswer(word=text, text=right[0].lower(), instead=text.lower())


def _filled_templates(rule: BlankFilling, right: Sequence[str]) -> Iterator[ChangedAnswer]:
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
    if rotated := _rotated_fills(fills):
        yield ChangedAnswer(word=fills[0], text=_fill_template(rule, parts, rotated), instead=rotated[0], blank=True)
    for number, (target, fill) in enumerate(zip(rule.targets, fills, strict=True)):
        accepted = {alternative.text.lower() for alternative in target.alternatives}
        wrong_fills = [other for other in fills if not _is_form_of(other, fill)]
        if fill[:1].isalpha():
            wrong_fills.append(f"un{fill}")
        elif fill.isdigit():
            wrong_fills += [
                other for step in _INTEGER_STEPS if (other := str(int(fill) + step)).lower() not in accepted
            ]
        wrong_fills += _further_fills(
            target, fill, is_name=parts[number].endswith(".") or parts[number + 1].startswith("(")
        )
        for other in dict.fromkeys(wrong_fills):
            changed_fills = [*fills[:number], other, *fills[number + 1 :]]
            yield ChangedAnswer(word=fill, text=_fill_template(rule, parts, changed_fills), instead=other, blank=True)


def _further_fills(target: BlankTarget, fill: str, *, is_name: bool) -> list[str]:
    """Return further answers to try in a blank: the same argument with another value, and some of many alternatives.

    Alternatives that are forms of the same word are skipped, except for names in code.
    """
    name, equals_sign, value = fill.partition("=")
    other_argument = [f"{name}={NONSENSE}"] if equals_sign and name.strip().isidentifier() and value[:1] != "=" else []
    plain_texts = [
        alternative.text
        for alternative in target.alternatives
        if not alternative.regex and not alternative.cond and alternative.text != fill
    ]
    if len(target.alternatives) < _MANY_ALTERNATIVES:
        return other_argument
    return [*other_argument, *(text for text in plain_texts if is_name or not _is_related(text, fill))][
        :_MAX_ALTERNATIVES
    ]


def _other_numbers(prompt: str, right: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield an answer with one of its numbers changed; of a number with several parts, such as an address, one part."""
    # In a range, ``1..10``, there are two numbers.
    tokens = read_tokens(without_quotes(right[0]))
    texts = [text for token in tokens for text in token.text.lstrip("+-").split("..")]
    numbers = dict.fromkeys(text for text in texts if all(map(str.isdecimal, text.split("."))))
    words = [word for word in numbers if not holds_word(prompt, word) and all(holds_word(text, word) for text in right)]
    for word in words[:MAX_CHANGED_WORDS]:
        parts = word.split(".")
        for number, part in enumerate(parts):
            other = ".".join([*parts[:number], str(int(part) + 1), *parts[number + 1 :]])
            if not any(holds_word(text, other) for text in right):
                yield ChangedAnswer(word=word, text=replace_word(right[0], word, other), instead=other)


def _rotated_fills(fills: Sequence[str]) -> list[str]:
    """Return the blanks' texts rotated by one place; empty if two of them are forms of one word."""
    rotated = [*fills[1:], fills[0]]
    return rotated if not any(map(_is_form_of, fills, rotated)) else []


def _fill_template(rule: BlankFilling, parts: Sequence[str], fills: Sequence[str]) -> str:
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
    plain_texts = (
        alternative.text for alternative in target.alternatives if not alternative.regex and not alternative.cond
    )
    return next(plain_texts, "")


def _single_words(reference: str, others: Sequence[str]) -> Iterator[ChangedAnswer]:
    """Yield each word of an answer as an answer of its own, except distinctive words and right answers."""
    all_words = re.findall(r"[^\W_][\w-]+", prose_of(reference))
    words = list({word.lower(): word for word in reversed(all_words)}.values())[::-1]
    if len(words) < _MIN_WORDS:
        return
    names = {part.lower() for word in distinctive_words(reference) for part in (word, *word.split())}
    right_answers = {text.strip(" .`").lower() for text in others}
    yield from (
        ChangedAnswer(word=word, text=word, alone=True)
        for word in words[:_MAX_SINGLE_WORDS]
        if word.lower() not in names and word.lower() not in right_answers
    )


def _with_alternatives(document: CriterionDocument, text: str, prompt: str) -> Iterator[ChangedAnswer]:
    """Yield the answer with an alternative in place of its words for which a rule would accept it.

    A few alternatives are assumed to be intended, unless the prompt contains them; so are different wordings of one
    idea. Many alternatives are suspicious, and if the text has several of them, only very many are.
    """
    for rule in document.keywords:
        if rule.neg:
            continue
        for group in _alternative_groups(rule.content):
            leaves = [leaf.text for leaf in group.children if isinstance(leaf, Leaf) and not leaf.regex]
            present = [word for word in leaves if word.lower() in text.lower()]
            if not present:
                continue
            is_suspicious = len(group.children) >= (
                _MANY_ALTERNATIVES if len(present) == 1 else _VERY_MANY_ALTERNATIVES
            )
            others = [
                word
                for word in leaves
                if word not in present and not any(_is_related(word, present_word) for present_word in present)
            ]
            others = [word for word in others if not (_is_wording(word) and _is_wording(present[0]))]
            in_prompt = [word for word in others if word.lower() in prompt.lower()]
            for other in (others if is_suspicious else in_prompt)[:_MAX_ALTERNATIVES]:
                changed = replace_word(text, present[0], other)
                for word in present[1:]:
                    changed = re.sub(re.escape(word), NONSENSE, changed, flags=re.IGNORECASE)
                yield ChangedAnswer(word=present[0], text=changed, instead=other)


def _is_wording(text: str) -> bool:
    return " " in text and text.replace(" ", "").isalpha() and text.islower()


def _alternative_groups(node: Leaf | RuleGroup) -> Iterator[RuleGroup]:
    if isinstance(node, RuleGroup):
        if node.kind == "or":
            yield node
        for child in node.children:
            yield from _alternative_groups(child)


def _is_related(word: str, other: str) -> bool:
    """Return whether two words are forms of one word: one contains the other, or they begin alike."""
    stem = _stem(word)
    other_stem = _stem(other)
    return stem in other_stem or other_stem in stem or stem[:4] == other_stem[:4]


def _stem(word: str) -> str:
    """Return a word in lower case, singular and without quotes."""
    word = word.strip("'\"").lower()
    return f"{word[:-3]}y" if word.endswith("ies") else word


def _is_form_of(word: str, other: str) -> bool:
    """Return whether two words are forms of one, such as int and integer, but not pop and popleft."""
    shorter, longer = sorted((word.lower(), other.lower()), key=len)
    return _is_related(word, other) and longer.removeprefix(shorter) not in _SUFFIXES_OF_OTHER_METHODS
