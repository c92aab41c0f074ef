"""A description is found in what chat models say around it, and kept as it is where they say nothing else."""

from __future__ import annotations

import pytest

from annotator.services.suggestion_replies import is_agreement, read_criterion, read_description, read_question
from tests.samples import load_samples

SAMPLES = load_samples(__file__)
PLAIN = "Return the sum of `a` and `b`.\n\nRaises TypeError for texts."


@pytest.mark.parametrize("said", SAMPLES["what_is_said_around_a_description_goes"])
def test_what_is_said_around_a_description_goes(said: str) -> None:
    assert read_description(said) == PLAIN


@pytest.mark.parametrize("said", SAMPLES["a_description_stays_as_it_is"])
def test_a_description_stays_as_it_is(said: str) -> None:
    assert read_description(said) == said
    assert not is_agreement(said)


def test_who_declines_describes_nothing() -> None:
    assert read_description("I'm sorry, but I can't help with that.") == ""


@pytest.mark.parametrize("said", SAMPLES["a_check_may_only_agree"])
def test_a_check_may_only_agree(said: str) -> None:
    assert is_agreement(said)


QUESTION = "How can I sort `rows` by date in pandas 2.1?\n\nIt raises KeyError."
CRITERION = (
    "lang: python\ngrading:\n  unit_test:\n    tests:\n      - name: typical\n        content: |\n"
    "          assert add(1, 2) == 3\n"
)


@pytest.mark.parametrize("said", SAMPLES["what_is_said_around_a_question_goes"])
def test_what_is_said_around_a_question_goes(said: str) -> None:
    assert read_question(said) == QUESTION


@pytest.mark.parametrize("said", SAMPLES["a_question_stays_as_it_is"])
def test_a_question_stays_as_it_is(said: str) -> None:
    assert read_question(said) == said


@pytest.mark.parametrize("said", SAMPLES["what_is_said_around_a_criterion_goes"])
def test_what_is_said_around_a_criterion_goes(said: str) -> None:
    assert read_criterion(said) == CRITERION
