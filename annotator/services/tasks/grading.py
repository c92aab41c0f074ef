"""Grade answers to items made from code with the item's engine: in runs, in proofs and before an item is saved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

from annotator.base.errors import MissingEnvironmentError
from annotator.construction.bugs.bug_items import BugItem
from annotator.construction.completion.blanks import BlankItem, complete_program
from annotator.construction.completion.blanks import start_blank_grade as start_completion
from annotator.construction.interface_changes import UpdateItem
from annotator.construction.program_grades import LIMIT_S, Graded, find_program, start_answer_grade
from annotator.construction.review_grading import (
    ReviewGrade,
    reference_answer,
    start_modification,
    start_review,
    unchanged_answer,
)
from annotator.construction.sandbox_probe import judged_job
from annotator.construction.task_material import ConstructionError
from annotator.construction.understanding.understanding_items import UnderstandingItem, grade_forward, start_reverse
from annotator.criteria.proof.impostors import Impostor
from annotator.evaluation.answer_scoring import (
    CUT_SHORT,
    ItemScorer,
    ScoredResponse,
    ScoreJob,
    grader_of,
    score_no_answer,
    unscorable,
)
from annotator.evaluation.proof import ScoredJudge
from annotator.evaluation.released_items import Item
from annotator.evaluation.repository_tests import GRADER
from annotator.model.vocabulary import Outcome
from annotator.sandbox import Job, JobResult, Runner
from annotator.sandbox.libraries import runner_with_libraries
from annotator.services.repository_snapshots import grade_in_place
from annotator.services.tasks.items import MadeItem, engine_item
from annotator.text.code_spans import fence_code


def grade_made_item(job: ScoreJob, sandbox: Runner | None) -> ScoredResponse:
    """Score an answer to a made item. If the sandbox fails, the answer stays unscored instead of getting 0."""
    if grader_of(job.item) == GRADER:
        return grade_in_place(job, sandbox)
    try:
        return _start_grading(job.item, job.text, sandbox, job.finish_reason)()
    except (MissingEnvironmentError, ConstructionError) as error:
        return unscorable(error.message)


def _start_grading(item: Item, text: str, sandbox: Runner | None, finish: str = "stop") -> Callable[[], ScoredResponse]:
    """Start grading an answer and return a function that waits for the score."""
    made_item = engine_item(item)
    sandbox = runner_with_libraries(sandbox, item.get("extra"))
    if isinstance(made_item, UnderstandingItem) and made_item.direction == "forward":
        return lambda: _score_grade(grade_forward(made_item, text, finish), "the returned value", finish)
    if sandbox is None:
        unscored = unscorable("Answers to this item are graded by running code, which needs the sandbox.")
        return lambda: unscored
    if isinstance(made_item, UnderstandingItem):
        reverse = start_reverse(made_item, text, sandbox, finish_reason=finish)
        return lambda: _score_grade(reverse(), "the arguments give the value", finish)
    if isinstance(made_item, BlankItem):
        filled = start_completion(made_item, text, sandbox, finish_reason=finish)
        return lambda: _score_grade(filled(), "all tests pass", finish)
    if isinstance(made_item, UpdateItem):
        updated = start_answer_grade(
            made_item.material, find_program(made_item.material, made_item.code, text, finish), sandbox
        )
        return lambda: _score_grade(updated(), "all tests pass", finish)
    if grader_of(item) == "modification":
        corrected = start_modification(made_item, text, sandbox, finish)
        return lambda: _score_grade(corrected(), "all tests pass and the bug is gone", finish)
    reviewed = start_review(made_item, text, sandbox, keys=tuple(item["extra"]["keys"]), finish_reason=finish)
    return lambda: _score_review(reviewed(), finish)


def _score_grade(graded: Graded, requirement: str, finish: str) -> ScoredResponse:
    is_right = graded.status == "pass"
    rule = {"label": requirement, "metric": "unit_test", "matched": is_right, "points": graded.score, "total": 1.0,
            "detail": graded.detail[:500]}  # fmt: skip
    detail: dict[str, Any] = {"rules": [rule], "outcome": graded.status, "message": graded.detail}
    if graded.flags:
        detail["flags"] = list(graded.flags)
    if graded.how:
        detail["how"] = graded.how
    if graded.outcome:
        return score_no_answer(graded.outcome, graded.how)
    outcome = Outcome.EMPTY if graded.status == "no_answer" else Outcome(graded.status)
    if not is_right:
        outcome = CUT_SHORT.get(finish, outcome)
    return ScoredResponse(outcome=outcome, points=graded.score, total=1.0, score=graded.score, detail=detail)


def _score_review(reviewed: ReviewGrade, finish: str) -> ScoredResponse:
    """Return the score of a review: 0 or 1, as in leaderboards, with the graded value as the points."""
    if reviewed.outcome:
        return score_no_answer(reviewed.outcome, reviewed.how)
    rules = [
        {"label": key, "metric": "review", "matched": is_fixed, "points": float(is_fixed), "total": 1.0,
         "detail": ("" if reviewed.localised[key] else "not at the place of the bug")}
        for key, is_fixed in reviewed.fixed.items()
    ]  # fmt: skip
    detail = {
        "rules": rules, "outcome": reviewed.status, "message": reviewed.detail, "graded": reviewed.graded,
        "f1": reviewed.f1, "precision": reviewed.precision, "recall": reviewed.recall, "jaccard": reviewed.jaccard,
        "exact": reviewed.exact,
        "predicted": sorted(reviewed.predicted), "gold": sorted(reviewed.gold), "unknown_keys": list(reviewed.unknown),
        "how": reviewed.how,
    }  # fmt: skip
    if reviewed.binary >= 1:
        return ScoredResponse(outcome=Outcome.PASS, points=reviewed.graded, total=1.0, score=1.0, detail=detail)
    outcomes = {"partial": Outcome.PARTIAL, "no_answer": Outcome.EMPTY}
    outcome = CUT_SHORT.get(finish, outcomes.get(reviewed.status, Outcome.FAIL))
    return ScoredResponse(outcome=outcome, points=reviewed.graded, total=1.0, score=0.0, detail=detail)


# -- controls ----------------------------------------------------------------------------------------------------


class DeduplicatingRunner:
    """A runner that runs equal jobs once: the items of a function and of its bugs share many jobs."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._futures: dict[str, Future[JobResult]] = {}

    def submit(self, job: Job) -> Future[JobResult]:
        """Start a job, or return the future of an equal one."""
        name = repr(replace(job, id="", code=job.code.rstrip()))
        if name not in self._futures:
            self._futures[name] = self._runner.submit(job)
        return self._futures[name]


def made_item_reference(item: Item) -> str:
    """Return a correct answer to a made item, which must get the full score."""
    made_item = engine_item(item)
    if isinstance(made_item, BugItem):
        return (
            reference_answer(made_item) if grader_of(item) == "review" else _fence_for_item(item, made_item.reference)
        )
    return (
        made_item.reference if isinstance(made_item, UnderstandingItem) else _fence_for_item(item, made_item.reference)
    )


def unchanged_made_answer(item: Item) -> str:
    """Return the shown code or value as an answer, which must get no points; empty if there is no such answer."""
    made_item = engine_item(item)
    if isinstance(made_item, BugItem):
        return unchanged_answer(made_item) if grader_of(item) == "review" else _fence_for_item(item, made_item.code)
    if isinstance(made_item, BlankItem | UpdateItem):
        return _fence_for_item(item, made_item.code)
    if made_item.direction == "reverse":
        return replace(made_item, direction="forward").reference
    arguments_text = replace(made_item, direction="reverse").reference
    # A function may return its argument unchanged; then the arguments are a correct answer.
    return "" if grade_forward(made_item, arguments_text).score else arguments_text


def _fence_for_item(item: Item, code: str) -> str:
    return fence_code(code, item.get("language") or "")


def start_validation(item: Item, sandbox: Runner) -> Callable[[], str]:
    """Start validating an item: its reference must score 1 and the unchanged code 0 (specification, 2.7).

    Returns a function that waits for the outcome and returns the reason for a failure, or an empty string. That
    function raises `MissingEnvironmentError` if the sandbox fails. The unchanged code is tried on one test, and on
    all only if it passes that.
    """
    grade_reference = _start_grading(item, made_item_reference(item), sandbox)
    shown_answer = unchanged_made_answer(item)
    grade_shown = _start_grading(_keep_single_test(item), shown_answer, sandbox) if shown_answer else None

    def failure_reason() -> str:
        reference_score = grade_reference()
        if reference_score.score != 1.0:
            message = reference_score.detail.get("message") or reference_score.outcome
            return f"its reference does not pass ({message})"[:300]
        if grade_shown is not None and grade_shown().score and _start_grading(item, shown_answer, sandbox)().score:
            return "what is shown passes unchanged"
        return ""

    return failure_reason


def _keep_single_test(item: Item) -> Item:
    """Return an item with one of its tests, if possible one that its bug fails."""
    failing = {name for issue in item["extra"].get("issues", ()) for name in issue["proof"]["fail_to_pass"]}
    return {**item, "tests": sorted(item["tests"], key=lambda test: test["name"] not in failing)[:1]}


# -- proof -------------------------------------------------------------------------------------------------------


def _find_program_in(made_item: MadeItem, answer: str) -> str:
    """Return the program in an answer; for an understanding item, whose answer is a value, the whole answer."""
    if isinstance(made_item, UnderstandingItem):
        return answer
    if isinstance(made_item, BlankItem):
        return complete_program(made_item, answer).text
    return find_program(made_item.material, made_item.code, answer).text


class MadeJudge(ScoredJudge):
    """Scores answers with the made item's engine."""

    def scorer(self) -> ItemScorer:
        """Return the scorer that runs use."""
        return ItemScorer(sandbox=self.sandbox, grader=grade_made_item)

    def jobs(self, answer: str) -> list[Job]:
        """Return one job per test of a program; none if the answer is not a program."""
        made_item = engine_item(self.item)
        if isinstance(made_item, UnderstandingItem) or grader_of(self.item) == "review":
            return []
        code = _find_program_in(made_item, answer)
        if not code.strip():
            return []
        job = judged_job(str(self.item["key"]), made_item.material, code, LIMIT_S)
        return [replace(job, id=test.name, tests=(test,)) for test in job.tests or ()]

    def code_lines(self, answer: str) -> tuple[int, int]:
        """Return the first and last line of the program, which is the answer as a whole."""
        made_item = engine_item(self.item)
        code = _find_program_in(made_item, answer)
        return 1, max(1, code.count("\n"))


def made_impostors(item: Item, usual: Sequence[Impostor]) -> tuple[Impostor, ...]:
    """Return a made item's impostors: the usual ones except those that may be right, and the unchanged code."""
    made_item = engine_item(item)
    impostors = list(usual)
    if isinstance(made_item, UnderstandingItem):
        is_forward = made_item.direction == "forward"
        # A constant may be the expected output, and where an input is asked for, any argument may be right.
        impostors = [
            impostor
            for impostor in usual
            if impostor.kind != "constant" or (is_forward and not grade_forward(made_item, impostor.text).score)
        ]
    shown_answer = unchanged_made_answer(item)
    return (*impostors, *([Impostor("unchanged", "what is shown, unchanged", shown_answer)] if shown_answer else []))
