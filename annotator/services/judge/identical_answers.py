"""Pairs whose two answers are identical: they count as ties and are not served to raters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotator.answers.normalising import normalise_response
from annotator.answers.outcome import spoken_text
from annotator.metrics.agreement.blind_comparisons import RaterJudgement
from annotator.model.tables.judging_tables import Study
from annotator.services.results.response_explanation import compare_with_reference
from annotator.store.file.writer import Session
from annotator.store.judging import studies
from annotator.store.runs import stored_runs

Side = tuple[str, Mapping[str, Any]]
"""A text as raters see it, and its facts."""


def are_identical(db: Session, kind: str, one: Side, other: Side) -> bool:
    """Return whether two sides are the same answer.

    Responses are compared by the code that a run's scorer extracts, anything else by its normalised text.
    """
    return _comparable_text(db, kind, *one) == _comparable_text(db, kind, *other)


def _comparable_text(db: Session, kind: str, text: str, facts: Mapping[str, Any]) -> str:
    if kind != "response":
        return normalise_response(text).strip()
    spoken = spoken_text(text).text
    item = stored_runs.answered_item(db, str(facts.get("response", "")))
    return (compare_with_reference(item, spoken).answer if item else spoken).strip()


def identical_ties(study: Study) -> list[RaterJudgement]:
    """Return the identical pairs of a study as ties without a rater."""
    return [
        RaterJudgement(item=pair_id, rater="", choice="tie", a_first=True) for pair_id in studies.identical_pairs(study)
    ]
