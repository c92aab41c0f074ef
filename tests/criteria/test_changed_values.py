"""Values that a rule names without asking for them, swapped blanks and a third of a text are found by the proof."""

from __future__ import annotations

import pytest

from annotator.criteria import CriterionDocument, parse_criterion
from annotator.criteria.proof.changed_answers import changed_answers
from annotator.criteria.proof.impostors import JudgedQuestion
from annotator.criteria.proof.proof_checks import DocumentJudge, ProofCheck, right_answers, words_check
from tests.samples import load_samples

SAMPLES = load_samples(__file__)
QUESTIONS = {name: JudgedQuestion(**row) for name, row in SAMPLES["questions"].items()}


def _document(source: str) -> CriterionDocument:
    found = parse_criterion(source, {})
    assert found.document is not None, found
    return found.document


def _rules(*rules: str) -> CriterionDocument:
    return _document("grading:\n  keywords:\n" + "".join(f"    - content: {rule}\n" for rule in rules))


def _words(question: JudgedQuestion, document: CriterionDocument) -> ProofCheck | None:
    right = [text for _, text in right_answers(document, question)]
    return words_check(DocumentJudge(document), document, question.prompt, right)


def _missed(found: ProofCheck | None) -> set[str]:
    assert found is not None
    return {str(trial.label) for trial in found.trials if trial.ok is False}


@pytest.mark.parametrize(("question", "rules", "label"), SAMPLES["not_asked_for"])
def test_a_value_that_a_rule_names_and_does_not_ask_for_is_found(question: str, rules: list[str], label: str) -> None:
    assert label in _missed(_words(QUESTIONS[question], _rules(*rules)))


@pytest.mark.parametrize(("question", "rules"), SAMPLES["asked_for_or_free"])
def test_values_that_are_asked_for_or_are_the_author_s_own_are_no_weakness(question: str, rules: list[str]) -> None:
    assert _missed(_words(QUESTIONS[question], _rules(*rules))) == set()


def test_a_value_that_another_right_answer_lacks_is_free() -> None:
    rules = "grading:\n  keywords: [mean, axis=, skipna]\n"
    answer = "Use df.mean(axis='columns', skipna=True)."
    free = _document(f'{rules}examples:\n  - {{answer: "{answer}", expect: pass}}\n')
    assert {"1 → 10", "True → False"} & _missed(_words(QUESTIONS["frame"], free)) == {"True → False"}


_KINDS = "A Python [blank] cannot be changed, while a [blank] can."


def _blanks(template: str, reference: str, *targets: str) -> ProofCheck | None:
    source = f"grading:\n  blank_filling:\n    template: {template!r}\n    targets: [{', '.join(targets)}]\n"
    return _words(JudgedQuestion(prompt="Fill it.", reference=reference), _document(source))


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
    assert _missed(_words(JudgedQuestion(prompt="Why does my other slice change?", reference=text), document)) == missed


def test_text_without_words_has_no_third() -> None:
    document = _document("grading:\n  similarity: [{metric: rouge1, references: ['?']}]\n")
    assert changed_answers(document, "What?", ["?"]) == ()
