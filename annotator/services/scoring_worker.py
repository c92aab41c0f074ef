"""What a worker of a cluster runs: one function, with the worker's own sandbox behind it."""

from __future__ import annotations

import atexit
from functools import lru_cache

from annotator.evaluation.scoring import ScoredResponse
from annotator.evaluation.tasks import ItemScorer, ScoreJob
from annotator.services.task_grading import item_scorer
from annotator.services.workbench import Workbench


@lru_cache(maxsize=1)
def _scorer() -> ItemScorer:
    """Return the scorer of this process: a worker calls a function by name and has no other place to keep it."""
    bench = Workbench()
    atexit.register(bench.close)
    return item_scorer(bench)


def score(job: ScoreJob) -> ScoredResponse:
    """Score one job. The sandbox opens with the first one that runs code, and closes with the process."""
    return _scorer()(job)
