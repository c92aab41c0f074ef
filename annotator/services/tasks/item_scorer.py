"""The scorer of all items. The engines for made items are imported when the first such answer is graded."""

from __future__ import annotations

from annotator.evaluation.answer_scoring import ItemScorer, ScoredResponse, ScoreJob
from annotator.sandbox import Runner


def item_scorer(sandbox: Runner | None = None) -> ItemScorer:
    """Return a scorer that uses an item's criterion, its tests, or for an item made from code its engine."""
    return ItemScorer(sandbox=sandbox, grader=_grade)


def _grade(job: ScoreJob, sandbox: Runner | None) -> ScoredResponse:
    from annotator.services.tasks.grading import grade_made_item

    return grade_made_item(job, sandbox)
