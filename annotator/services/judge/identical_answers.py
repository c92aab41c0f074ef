"""Pairs of the same answer twice: they are ties by themselves, and nobody is asked to judge them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotator.answers.normalising import normalise
from annotator.answers.outcome import spoken_text
from annotator.metrics.agreement.blind_comparisons import RaterJudgement
from annotator.model.tables.judging import Study
from annotator.services.results.response_explanation import compare_with_reference
from annotator.store.file.writer import Session
from annotator.store.judging import studies
from annotator.store.runs import runs

Side = tuple[str, Mapping[str, Any]]
"""A text as raters would see it, and its facts."""


def are_identical(db: Session, kind: str, one: Side, other: Side) -> bool:
    """Tell whether two sides are one answer, read as a run's scorer reads responses.

    A program is compared as the code that is scored, anything else as a normalised text.
    """
    return _answer(db, kind, *one) == _answer(db, kind, *other)


def _answer(db: Session, kind: str, text: str, facts: Mapping[str, Any]) -> str:
    if kind != "response":
        return normalise(text).strip()
    said = spoken_text(text).text
    item = runs.answered_item(db, str(facts.get("response", "")))
    return (compare_with_reference(item, said).answer if item else said).strip()


def ties(study: Study) -> list[RaterJudgement]:
    """Return the identical pairs of a study as ties that no rater gave."""
    return [
        RaterJudgement(item=pair_id, rater="", choice="tie", a_first=True) for pair_id in studies.identical_pairs(study)
    ]
