"""Outcomes and summaries: wrong, no answer and machinery never mix."""

from __future__ import annotations

import pytest

from annotator import criteria
from annotator.evaluation.answer_scoring import score_response
from annotator.model.vocabulary import Outcome

DOCUMENT = criteria.load_criterion("grading:\n  keywords:\n    - yes\n    - sure\n")


@pytest.mark.parametrize(
    ("text", "finish", "outcome", "score"),
    [
        ("yes, sure", "stop", Outcome.PASS, 1.0),
        ("yes", "stop", Outcome.PARTIAL, 0.5),
        ("no", "stop", Outcome.FAIL, 0.0),
        ("   ", "stop", Outcome.EMPTY, 0.0),
        ("I'm sorry, but I cannot help.", "stop", Outcome.REFUSAL, 0.0),
        ("nothing", "content_filter", Outcome.FILTERED, 0.0),
        ("no and then", "length", Outcome.TRUNCATED, 0.0),
        ("yes, sure", "", Outcome.MACHINERY, None),
    ],
)
def test_outcomes(text: str, finish: str, outcome: Outcome, score: float | None) -> None:
    scored = score_response(DOCUMENT, text, finish)
    assert (scored.outcome, scored.score) == (outcome, score)


def test_what_cannot_be_scored_is_machinery() -> None:
    document = criteria.load_criterion("lang: python\ngrading:\n  unit_test:\n    tests: [assert True]\n")
    scored = score_response(document, "a")
    assert scored.outcome == Outcome.MACHINERY and scored.score is None and scored.detail["reason"]
