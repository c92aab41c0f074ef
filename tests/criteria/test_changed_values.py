"""Values that a rule names without asking for them, swapped blanks and a third of a text are found by the proof."""

from __future__ import annotations

import pytest

from annotator.criteria import CriterionDocument, check
from annotator.criteria.proof.changed_answers import changed_answers
from annotator.criteria.proof.checks import Check, DocumentJudge, right_answers, words_check
from annotator.criteria.proof.impostors import Question

FIND = Question("Delete files older than 30 days below /tmp/a.", "find /tmp/a -type f -mtime +30 -delete")
BODY = Question(
    "How do I let Express take bodies of ten megabytes?", "`bodyParser.json({ limit: '10mb', strict: true })`"
)
FRAME = Question("How do I give each row's mean in pandas?", "Use df.mean(axis=1, skipna=True).")
CENTRE = Question(
    "How do I put the items of a row in its middle?",
    "```css\n.row {\n  display: flex;\n  justify-content: center;\n}\n```",
)
MOTION = Question(
    "How do I stop it for people who want less motion?",
    "```css\n@media (prefers-reduced-motion: reduce) {\n  .a { animation: none; }\n}\n```",
)
FIRST = Question("How do I see the first 15 rows of a frame?", "Call df.head(15), as in print(df.head(15)).")
CHEAP = Question(
    "I do this and want a table of its own:\n\n    cheap = df[df['price'] < 10]\n\nHow?",
    "cheap = df[df['price'] < 10].copy()",
)
JOIN = Question("How do I join two frames on a common column?", "Use left.merge(right, on='id').")
TITLE = Question("How do I give a plot a title?", "ax.set(title='Sales in May', visible=True)")


def _document(source: str) -> CriterionDocument:
    found = check(source, {})
    assert found.document is not None, found
    return found.document


def _rules(*rules: str) -> CriterionDocument:
    return _document("grading:\n  keywords:\n" + "".join(f"    - content: {rule}\n" for rule in rules))


def _pattern(text: str) -> str:
    return f"{{content: '{text}', regex: true}}"


def _words(question: Question, document: CriterionDocument) -> Check | None:
    right = [text for _, text in right_answers(document, question)]
    return words_check(DocumentJudge(document), document, question.prompt, right)


def _missed(found: Check | None) -> set[str]:
    assert found is not None
    return {str(trial.label) for trial in found.trials if trial.ok is False}


@pytest.mark.parametrize(
    ("question", "rules", "label"),
    [
        (FIND, ("-type f", _pattern(r"-mtime\s+\S+"), "-delete"), "+30 → +213"),
        (FIND, ("-type f", "-mtime", "-delete"), "+30 → +213"),
        (BODY, ("bodyParser.json", _pattern(r"limit\s*:"), "'strict: true'"), "10mb → 73mb"),
        (BODY, ("bodyParser.json", _pattern(r"limit: .\d+mb"), "'strict: true'"), "10mb → 73mb"),
        (BODY, ("bodyParser.json", "10mb", "limit", "strict"), "true → false"),
        (FRAME, ("mean", _pattern(r"axis\s*="), "skipna=True"), "1 → 10"),
        (FRAME, ("mean", "axis=1", "skipna"), "True → False"),
        (CENTRE, ("'display: flex'", "justify-content"), "center → qxz"),
        (MOTION, (_pattern(r"@media[^{]*reduced-motion"), "'animation: none'"), "reduce → qxz"),
        (FIRST, (_pattern(r"head\("),), "15 → 108"),
        (FIRST, (_pattern(r"head\(\d+\)"),), "15 → 108"),
    ],
)
def test_a_value_that_a_rule_names_and_does_not_ask_for_is_found(
    question: Question, rules: tuple[str, ...], label: str
) -> None:
    assert label in _missed(_words(question, _rules(*rules)))


@pytest.mark.parametrize(
    ("question", "rules"),
    [
        (FIND, ("-type f", _pattern(r"-mtime\s+\+30\b"), "-delete")),
        (BODY, ("bodyParser.json", _pattern(r"limit: .10mb"), "'strict: true'")),
        (FRAME, ("mean", _pattern(r"axis\s*=\s*1\b"), _pattern("skipna=True"))),
        (CENTRE, ("'display: flex'", "'justify-content: center'")),
        (FIRST, (_pattern(r"head\(15\)"),)),
        # The author's own: a column's name where joining asks for none, what the prompt's code has, a sentence.
        (JOIN, ("merge",)),
        (CHEAP, (_pattern(r"df\[.*\]\.copy\(\)"),)),
        (TITLE, ("set", "title=", "visible=True")),
    ],
)
def test_values_that_are_asked_for_or_are_the_author_s_own_are_no_weakness(
    question: Question, rules: tuple[str, ...]
) -> None:
    assert _missed(_words(question, _rules(*rules))) == set()


def test_a_value_that_another_right_answer_lacks_is_free() -> None:
    rules = "grading:\n  keywords: [mean, axis=, skipna]\n"
    answer = "Use df.mean(axis='columns', skipna=True)."
    free = _document(f'{rules}examples:\n  - {{answer: "{answer}", expect: pass}}\n')
    assert {"1 → 10", "True → False"} & _missed(_words(FRAME, free)) == {"True → False"}


_KINDS = "A Python [blank] cannot be changed, while a [blank] can."


def _blanks(template: str, reference: str, *targets: str) -> Check | None:
    source = f"grading:\n  blank_filling:\n    template: {template!r}\n    targets: [{', '.join(targets)}]\n"
    return _words(Question("Fill it.", reference), _document(source))


@pytest.mark.parametrize(
    ("targets", "missed"),
    [
        (("[tuple, list]", "[list, tuple]"), {"tuple → list", "list → tuple"}),
        (("[tuple]", "[tuple, list]"), {"list → tuple"}),
        (("[tuple, tuples]", "[list, lists]"), set()),
    ],
)
def test_a_blank_that_takes_what_another_should_hold_is_weak(targets: tuple[str, ...], missed: set[str]) -> None:
    reference = "A Python tuple cannot be changed,\nwhile a list can."
    assert _missed(_blanks(_KINDS, reference, *(f"{{content: {target}}}" for target in targets))) == missed


def test_forms_of_one_word_may_stand_in_both_blanks() -> None:
    targets = ("{content: [int, integer]}", "{content: [integer, int]}")
    template = "The sum of an [blank] and an [blank] is one too."
    assert _missed(_blanks(template, "The sum of an int and an integer is one too.", *targets)) == set()


@pytest.mark.parametrize(("most", "missed"), [(0.3, {"the first third"}), (0.51, set())])
@pytest.mark.parametrize("metric", ["rouge1", "rougeL"])
def test_a_third_of_the_reference_is_not_enough(metric: str, most: float, missed: set[str]) -> None:
    text = "Slices share the array they were cut from, so a change of one is seen in the other until append grows it."
    rule = f"{{metric: {metric}, references: ['{text}'], min_score: 0.1, max_score: {most}}}"
    document = _document(f"grading:\n  similarity: [{rule}]\n")
    assert _missed(_words(Question("Why does my other slice change?", text), document)) == missed


def test_text_without_words_has_no_third() -> None:
    document = _document("grading:\n  similarity: [{metric: rouge1, references: ['?']}]\n")
    assert changed_answers(document, "What?", ["?"]) == ()
