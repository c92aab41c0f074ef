"""A released item's own tests as the judge of a proof: what runs will do with answers is what is tried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from annotator.criteria.impostors import Question
from annotator.evaluation.code import answer_code
from annotator.evaluation.scored_judge import ScoredJudge
from annotator.evaluation.scoring import ScoredResponse
from annotator.evaluation.tasks import ItemScorer, ScoreJob, program_of, sandbox_job

if TYPE_CHECKING:
    from annotator.sandbox import Job


class TestsJudge(ScoredJudge):
    """The tests of an item decide: all must pass."""

    __test__ = False
    at_once = 16

    def scorer(self) -> ItemScorer:
        """Return the scorer that runs have for tests."""
        return ItemScorer(self.sandbox)

    def why(self, found: ScoredResponse, *, wanted: bool) -> str:
        """Return which tests did not do what was wanted, and what was said."""
        return _why(found.detail, wanted=wanted)

    def jobs(self, answer: str) -> list[Job]:
        """Return one job a test."""
        score_job = ScoreJob(self.item, answer)
        program = program_of(score_job)
        if not program.code.strip():
            return []
        whole = sandbox_job(score_job, program)
        return [replace(whole, id=test.name, tests=(test,)) for test in whole.tests or ()]

    def code_lines(self, answer: str) -> tuple[int, int]:
        """Return where the answer's code stands in the program."""
        program = program_of(ScoreJob(self.item, answer)).code
        code = answer_code(answer, str(self.item.get("entry_point") or "")).strip("\n")
        first_line = next((line.strip() for line in code.split("\n") if line.strip()), "")
        lines = program.split("\n")
        # Inside a class the code stands further in, so its first line is looked for without its margin.
        first = next((n for n, line in enumerate(lines, start=1) if line.strip() == first_line), 1)
        return first, min(len(lines), first + code.count("\n"))


def right_answer(item: Mapping[str, Any], question: Question) -> list[tuple[str, str]]:
    """Return the reference as models would write it: in a fence; nothing if there is none."""
    if not question.reference.strip():
        return []
    text = question.reference
    if "```" not in text:
        text = f"```{str(item.get('language') or '').lower()}\n{text.rstrip()}\n```"
    return [("the reference", text)]


def _why(detail: Mapping[str, Any], *, wanted: bool) -> str:
    if detail.get("reason"):
        return str(detail["reason"])
    differing = [str(rule["label"]) for rule in detail.get("rules", ()) if rule["matched"] is not wanted]
    said = str(detail.get("message") or "")
    if wanted:
        return f"{', '.join(differing[:3])}: {said}"[:500] if differing else said[:500]
    return f"passed: {', '.join(differing[:3])}" if differing else ""
