"""Score answers that are functions of a repository, by running its tests on a copy of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.evaluation.answer_scoring import ScoredResponse, ScoreJob, score_no_answer, with_how
from annotator.evaluation.proof import ScoredJudge
from annotator.evaluation.repository_tests import body_of_answer, make_job, read_repository_place, score_result
from annotator.model.vocabulary import Outcome
from annotator.sandbox import Job, Runner
from annotator.services.repository_snapshots import load_snapshot


def grade_in_place(job: ScoreJob, sandbox: Runner | None) -> ScoredResponse:
    """Score an answer by its repository's own tests. A missing snapshot or sandbox is machinery, never a score of 0."""
    try:
        place = read_repository_place(job.item)
        body = body_of_answer(job, place)
        if not body.code.strip():
            return score_no_answer(body.outcome or "empty", body.how)
        if sandbox is None:
            return _machinery("The item's tests need the sandbox, which is not there; annotator doctor says why.")
        question = make_job(job.item, place, load_snapshot(place.digest), body.code)
        result = sandbox.submit(question.job).result()
        return with_how(score_result(question, place, result, job.finish_reason, body.added), body.how)
    except (BadInputError, MissingEnvironmentError) as error:
        return _machinery(error.message)


def _machinery(reason: str) -> ScoredResponse:
    return ScoredResponse(
        outcome=Outcome.MACHINERY, points=None, total=None, score=None, detail={"rules": [], "reason": reason}
    )


class InPlaceJudge(ScoredJudge):
    """The repository's own tests decide."""

    def scorer(self) -> Callable[[ScoreJob], ScoredResponse]:
        """Return the function that scores one answer."""
        return partial(grade_in_place, sandbox=self.sandbox)

    def jobs(self, answer: str) -> list[Job]:
        """Return no jobs: mining has already run the tests three times and measured which of them cover the body."""
        del answer
        return []

    def code_lines(self, answer: str) -> tuple[int, int]:
        """Return the first and last line of the answer."""
        return 1, max(1, answer.count("\n"))
