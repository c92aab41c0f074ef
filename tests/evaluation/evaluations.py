"""Run an evaluation of planned requests in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from typing import Any

from annotator.evaluation.engine import Evaluation, RunEnd, Sink
from annotator.evaluation.executors import LocalExecutor
from annotator.evaluation.planning import AnsweredRequest, PlannedRequest
from annotator.evaluation.request_queue import AskingLimits, RequestQueue
from annotator.evaluation.scoring_queue import Scoring
from annotator.jobs.progress import Progress
from annotator.llm.answers import Answer


def run_evaluation(
    planned: Iterable[PlannedRequest],
    ask: Callable[[PlannedRequest], Answer],
    sink: Sink,
    *,
    scoring: Scoring | None = None,
    unscored: Iterable[AnsweredRequest] = (),
    control: Progress | None = None,
    interrupt: Callable[[], None] = lambda: None,
    grace_s: float = 5.0,
    **limits: Any,
) -> RunEnd:
    """Ask and score; without ``scoring`` the length of an answer is its score."""
    queue = RequestQueue(
        planned, ask, limits=AskingLimits(**limits), control=control or Progress(), interrupt=interrupt
    )
    with closing(LocalExecutor(len, 1)) as executor:
        default = Scoring(executor, lambda finished: finished.answer.text)
        return Evaluation(queue, scoring or default, sink, grace_s=grace_s).run(unscored)
