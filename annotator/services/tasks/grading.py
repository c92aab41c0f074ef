"""Answers to items made from code: graded by their engine, in runs, in proofs and before an item is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from annotator.base.errors import MissingEnvironmentError
from annotator.construction.bugs.bug_items import BugItem
from annotator.construction.completion.blanks import BlankItem, complete_program
from annotator.construction.completion.blanks import start_grade as start_completion
from annotator.construction.material import ConstructionError
from annotator.construction.modification.interface_changes import UpdateItem
from annotator.construction.program_grades import LIMIT_S, Graded, find_program, start_answer
from annotator.construction.review.grading import (
    Reviewed,
    reference_answer,
    start_modification,
    start_review,
    unchanged_answer,
)
from annotator.construction.sandbox_probe import judged_job
from annotator.construction.understanding.items import UnderstandingItem, grade_forward, start_reverse
from annotator.criteria.proof.impostors import Impostor
from annotator.evaluation.items import Item
from annotator.evaluation.proof import ScoredJudge
from annotator.evaluation.repository_tests import GRADER
from annotator.evaluation.scoring import CUT_SHORT, ItemScorer, ScoredResponse, ScoreJob, grader_of, score_no_answer
from annotator.model.vocabulary import Outcome
from annotator.sandbox import Job, Runner
from annotator.sandbox.libraries import reaching
from annotator.services.repository_answers import grade_in_place
from annotator.services.tasks.items import Made, engine_item
from annotator.text.fenced_code import fenced


def grade(job: ScoreJob, sandbox: Runner | None) -> ScoredResponse:
    """Score an answer to a made item; what the sandbox could not do is machinery, never 0."""
    if grader_of(job.item) == GRADER:
        return grade_in_place(job, sandbox)
    try:
        return _start(job.item, job.text, sandbox, job.finish_reason)()
    except (MissingEnvironmentError, ConstructionError) as error:
        return _machinery(error.message)


def _machinery(reason: str) -> ScoredResponse:
    return ScoredResponse(
        outcome=Outcome.MACHINERY, points=None, total=None, score=None, detail={"rules": [], "reason": reason}
    )


def _start(item: Item, text: str, sandbox: Runner | None, finish: str = "stop") -> Callable[[], ScoredResponse]:
    """Start the grading of an answer; call what is returned for its score."""
    made = engine_item(item)
    sandbox = reaching(sandbox, item.get("extra"))
    if isinstance(made, UnderstandingItem) and made.direction == "forward":
        return lambda: _of_grade(grade_forward(made, text, finish), "the returned value", finish)
    if sandbox is None:
        missing = _machinery("Answers to this item are graded by running code, and there is no sandbox.")
        return lambda: missing
    if isinstance(made, UnderstandingItem):
        reverse = start_reverse(made, text, sandbox, finish_reason=finish)
        return lambda: _of_grade(reverse(), "the arguments give the value", finish)
    if isinstance(made, BlankItem):
        filled = start_completion(made, text, sandbox, finish_reason=finish)
        return lambda: _of_grade(filled(), "all tests pass", finish)
    if isinstance(made, UpdateItem):
        updated = start_answer(made.material, find_program(made.material, made.code, text, finish), sandbox)
        return lambda: _of_grade(updated(), "all tests pass", finish)
    if grader_of(item) == "modification":
        corrected = start_modification(made, text, sandbox, finish)
        return lambda: _of_grade(corrected(), "all tests pass and the bug is gone", finish)
    reviewed = start_review(made, text, sandbox, keys=tuple(item["extra"]["keys"]), finish_reason=finish)
    return lambda: _of_review(reviewed(), finish)


def _of_grade(found: Graded, what: str, finish: str) -> ScoredResponse:
    good = found.status == "pass"
    rule = {"label": what, "metric": "unit_test", "matched": good, "points": found.score, "total": 1.0,
            "detail": found.detail[:500]}  # fmt: skip
    detail: dict[str, Any] = {"rules": [rule], "outcome": found.status, "message": found.detail}
    if found.flags:
        detail["flags"] = list(found.flags)
    if found.how:
        detail["how"] = found.how
    if found.outcome:
        return score_no_answer(found.outcome, found.how)
    outcome = Outcome.EMPTY if found.status == "no_answer" else Outcome(found.status)
    if not good:
        outcome = CUT_SHORT.get(finish, outcome)
    return ScoredResponse(outcome=outcome, points=found.score, total=1.0, score=found.score, detail=detail)


def _of_review(found: Reviewed, finish: str) -> ScoredResponse:
    """The score is all or nothing, as a leaderboard counts it; the graded value is in the points."""
    if found.outcome:
        return score_no_answer(found.outcome, found.how)
    rules = [
        {"label": key, "metric": "review", "matched": good, "points": float(good), "total": 1.0,
         "detail": ("" if found.localised[key] else "not at the place of the bug")}
        for key, good in found.fixed.items()
    ]  # fmt: skip
    detail = {
        "rules": rules, "outcome": found.status, "message": found.detail, "graded": found.graded, "f1": found.f1,
        "precision": found.precision, "recall": found.recall, "jaccard": found.jaccard, "exact": found.exact,
        "predicted": sorted(found.predicted), "gold": sorted(found.gold), "unknown_keys": list(found.unknown),
        "how": found.how,
    }  # fmt: skip
    if found.binary >= 1:
        return ScoredResponse(outcome=Outcome.PASS, points=found.graded, total=1.0, score=1.0, detail=detail)
    outcomes = {"partial": Outcome.PARTIAL, "no_answer": Outcome.EMPTY}
    outcome = CUT_SHORT.get(finish, outcomes.get(found.status, Outcome.FAIL))
    return ScoredResponse(outcome=outcome, points=found.graded, total=1.0, score=0.0, detail=detail)


# -- controls ----------------------------------------------------------------------------------------------------


def right_answer(item: Item) -> str:
    """Return an answer to a made item that must earn the full score."""
    made = engine_item(item)
    if isinstance(made, BugItem):
        return reference_answer(made) if grader_of(item) == "review" else _fenced(item, made.reference)
    return made.reference if isinstance(made, UnderstandingItem) else _fenced(item, made.reference)


def unchanged(item: Item) -> str:
    """Return the answer that gives back what was shown; it must earn nothing. Empty where there is none to give."""
    made = engine_item(item)
    if isinstance(made, BugItem):
        return unchanged_answer(made) if grader_of(item) == "review" else _fenced(item, made.code)
    if isinstance(made, BlankItem | UpdateItem):
        return _fenced(item, made.code)
    if made.direction == "reverse":
        return replace(made, direction="forward").reference
    given = replace(made, direction="reverse").reference
    # A function may give back what it was given: then the input is no wrong answer.
    return "" if grade_forward(made, given).score else given


def _fenced(item: Item, code: str) -> str:
    return fenced(code, item.get("language") or "")


def start_controls(item: Item, sandbox: Runner) -> Callable[[], str]:
    """Start the controls of an item: its reference earns 1, what was shown earns 0 (specification, 2.7). Call what is
    returned for the reason why it is no good, empty if it is.

    Raises, when called, `MissingEnvironmentError` where the sandbox failed.
    """
    right = _start(item, right_answer(item), sandbox)
    shown = unchanged(item)
    wrong = _start(item, shown, sandbox) if shown else None

    def read() -> str:
        found = right()
        if found.score != 1.0:
            return f"its reference does not pass ({found.detail.get('message') or found.outcome})"[:300]
        if wrong is not None and wrong().score != 0.0:
            return "what is shown passes unchanged"
        return ""

    return read


# -- proof -------------------------------------------------------------------------------------------------------


def _program_of(made: Made, answer: str) -> str:
    """Return the program that an answer to an item gives; all of the answer where a value is asked for."""
    if isinstance(made, UnderstandingItem):
        return answer
    if isinstance(made, BlankItem):
        return complete_program(made, answer).text
    return find_program(made.material, made.code, answer).text


class MadeJudge(ScoredJudge):
    """A made item's own engine decides."""

    def scorer(self) -> ItemScorer:
        """Return the scorer that runs have."""
        return ItemScorer(sandbox=self.sandbox, grader=grade)

    def jobs(self, answer: str) -> list[Job]:
        """Return one job a test of a program; nothing for answers that are no program."""
        made = engine_item(self.item)
        if isinstance(made, UnderstandingItem) or grader_of(self.item) == "review":
            return []
        code = _program_of(made, answer)
        if not code.strip():
            return []
        whole = judged_job(str(self.item["key"]), made.material, code, LIMIT_S)
        return [replace(whole, id=test.name, tests=(test,)) for test in whole.tests or ()]

    def code_lines(self, answer: str) -> tuple[int, int]:
        """Return the lines of the program: all of it is the answer's."""
        made = engine_item(self.item)
        code = _program_of(made, answer)
        return 1, max(1, code.count("\n"))


def made_impostors(item: Item, usual: Sequence[Impostor]) -> tuple[Impostor, ...]:
    """Return the impostors of a made item: the usual ones but those that happen to be right, and what was shown."""
    made = engine_item(item)
    kept = list(usual)
    if isinstance(made, UnderstandingItem):
        forward = made.direction == "forward"
        # A constant may be the value asked for, and any argument may do where it is to be found.
        kept = [one for one in usual if one.kind != "constant" or (forward and not grade_forward(made, one.text).score)]
    shown = unchanged(item)
    return (*kept, *([Impostor("unchanged", "what is shown, unchanged", shown)] if shown else []))
