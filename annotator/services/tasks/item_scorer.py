"""The scorer of all items; the engines of those made from code are loaded when the first such answer is graded."""

from __future__ import annotations

from annotator.evaluation.scoring import ItemScorer, ScoredResponse, ScoreJob
from annotator.sandbox import Runner


def item_scorer(sandbox: Runner | None = None) -> ItemScorer:
    """Return a scorer of all items: by criterion, by tests, and those made from code by their engine."""
    return ItemScorer(sandbox=sandbox, grader=_grade)


def _grade(job: ScoreJob, sandbox: Runner | None) -> ScoredResponse:
    from annotator.services.tasks.grading import grade

    return grade(job, sandbox)
