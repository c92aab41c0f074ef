"""Criteria: save a revision, and try it on stored responses."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.criteria import CriterionDocument, Scored, load, score_many
from annotator.criteria.templates import template
from annotator.model.rows import Changes, ResponseRow
from annotator.store.project_file import ProjectFile


def save_criterion(store: ProjectFile, subject_id: str, source: str, note: str = "") -> Changes:
    """Save a revision of a subject's criterion. Raises `CriterionError` naming line and column if it has errors."""
    from annotator.store import subjects, work

    with store.write() as db:
        subject = subjects.find(db, subject_id)
        load(source, files=subjects.files(db, subject.id))
        return work.add_criterion(db, store.annotator.id, subject.id, source, note, f"Criterion of {subject.title}")


def try_responses(document: CriterionDocument, responses: Sequence[ResponseRow]) -> tuple[Scored, ...]:
    """Score stored sample responses, in their order."""
    return tuple(score_many(document, [response.text for response in responses]))


def criterion_template(metric: str = "keywords") -> str:
    """Return a commented document to start from."""
    return template(metric)
