"""What an answer says as its author likes is no gap of a criterion: the proof does not ask for it."""

from __future__ import annotations

import pytest

from annotator.criteria import CriterionDocument, parse_criterion
from annotator.criteria.proof.impostors import JudgedQuestion
from annotator.criteria.proof.proof_checks import DocumentJudge, right_answers, words_check
from tests.samples import load_samples

SAMPLES = load_samples(__file__)
QUESTIONS = {name: JudgedQuestion(**row) for name, row in SAMPLES["questions"].items()}


def _document(rules: str, *passing: str) -> CriterionDocument:
    examples = "".join(f"\n  - answer: {text!r}\n    expect: pass" for text in passing)
    found = parse_criterion(f"grading:\n  {rules}\n" + (f"examples:{examples}\n" if passing else ""), {})
    assert found.document is not None, found
    return found.document


def _missed(question: JudgedQuestion, document: CriterionDocument) -> set[str]:
    right = [text for _, text in right_answers(document, question)]
    found = words_check(DocumentJudge(document), document, question.prompt, right)
    return {str(trial.label) for trial in found.trials if trial.ok is False} if found is not None else set()


@pytest.mark.parametrize(("question", "rules", "free"), SAMPLES["free"])
def test_what_the_author_may_choose_is_free(question: str, rules: str, free: str) -> None:
    assert free not in _missed(QUESTIONS[question], _document(f"keywords: {rules}"))


@pytest.mark.parametrize(("question", "rules", "missed"), SAMPLES["asked_for"])
def test_what_is_meant_is_asked_for(question: str, rules: str, missed: str) -> None:
    assert missed in _missed(QUESTIONS[question], _document(f"keywords: {rules}"))


def test_a_name_that_an_accepted_text_lacks_is_free() -> None:
    reference = "Open the file with O_CREAT and O_EXCL, so that the open fails where the path exists already."
    other = (
        "Let one call check and make it: with O_EXCL the open fails where the path exists already, so nobody slips in."
    )
    rule = f"similarity: [{{metric: rouge1, references: ['{reference}', '{other}'], min_score: 0.3, max_score: 0.6}}]"
    assert _missed(JudgedQuestion(prompt="What do we do instead?", reference=reference), _document(rule)) == {"O_EXCL"}


def test_a_new_line_that_another_right_answer_lacks_is_free() -> None:
    question = JudgedQuestion(
        prompt="How do I get them flat?\n\n    import numpy as np\n    a = np.array(b)\n",
        reference="```python\nimport numpy as np\n\nidx = np.where(a > 0)[0]\nflat = np.flatnonzero(a > 0)\n```",
    )
    rules = "keywords: [{content: {or: [flatnonzero, where]}}]"
    lines = {"idx = np.where(a > 0)[0]", "flat = np.flatnonzero(a > 0)"}
    assert _missed(question, _document(rules)) >= lines
    assert not lines & _missed(question, _document(rules, "Use `np.where(a > 0)[0]`."))
