"""Answers to functions of a repository: run in a copy of it, in runs and in proofs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.criteria.proving import Verdict
from annotator.evaluation.in_place import asked, body_of, place_of, scored
from annotator.evaluation.scoring import ScoredResponse
from annotator.evaluation.tasks import ScoreJob
from annotator.model.words import Outcome
from annotator.services.kept_repositories import load

if TYPE_CHECKING:
    from annotator.sandbox import Job, Runner

_AT_ONCE = 8


def grade_in_place(job: ScoreJob, sandbox: Runner | None) -> ScoredResponse:
    """Score an answer by its repository's own tests; what is missing here is machinery, never 0."""
    try:
        place = place_of(job.item)
        body = body_of(job, place)
        if not body.code.strip():
            return ScoredResponse(Outcome.EMPTY, 0.0, None, 0.0, {"rules": [], "outcome": "no_code"})
        if sandbox is None:
            return _machinery("The item's tests need the sandbox, which is not there.")
        question = asked(job.item, place, load(place.digest), body.code)
        return scored(question, place, sandbox.submit(question.job).result(), job.finish_reason, body.added)
    except (BadInputError, MissingEnvironmentError) as error:
        return _machinery(error.message)


def _machinery(reason: str) -> ScoredResponse:
    return ScoredResponse(Outcome.MACHINERY, None, None, None, {"rules": [], "reason": reason})


@dataclass(frozen=True)
class InPlaceJudge:
    """The repository's own tests decide, as they do in runs."""

    item: Mapping[str, Any]
    sandbox: Runner | None = None

    @property
    def full_score(self) -> float:
        """Every test passes, or the answer fails."""
        return 1.0

    @property
    def only_words(self) -> bool:
        """Code is run."""
        return False

    def verdicts(self, answers: Sequence[str], *, wanted: bool) -> list[Verdict]:
        """Run the tests on answers, several at once."""
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            jobs = [ScoreJob(self.item, answer) for answer in answers]
            results = list(threads.map(grade_in_place, jobs, [self.sandbox] * len(jobs)))
        return [Verdict(found.score, _why(found, wanted=wanted)) for found in results]

    def jobs(self, answer: str) -> list[Job]:
        """Return nothing: mining ran the tests three times, and what covers the body was seen there."""
        del answer
        return []

    def code_lines(self, answer: str) -> tuple[int, int]:
        """Return the lines of the answer, which no job of ours counts."""
        return 1, max(1, answer.count("\n"))


def _why(found: ScoredResponse, *, wanted: bool) -> str:
    said = str(found.detail.get("reason") or found.detail.get("message") or "")
    return said[:500] if wanted or found.score is None else ""
