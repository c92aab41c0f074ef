"""Judges for proofs that grade answers as runs do, for example by an item's own tests."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from annotator.criteria.proof.impostors import JudgedQuestion
from annotator.criteria.proof.proof_checks import JudgeVerdict
from annotator.evaluation.answer_scoring import ItemScorer, ScoredResponse, ScoreJob, program_of, sandbox_job
from annotator.evaluation.program_tests import can_run
from annotator.sandbox import Job, Runner
from annotator.text.code_spans import fence_code


@dataclass(frozen=True)
class ScoredJudge(ABC):
    """Grades answers to one item, ``at_once`` in parallel; subclasses provide the `scorer`."""

    at_once: ClassVar[int] = 8

    item: Mapping[str, Any]
    sandbox: Runner | None = None

    @property
    def full_score(self) -> float:
        """The score of a right answer."""
        return 1.0

    @property
    def only_words(self) -> bool:
        """False: values are compared, or code is run."""
        return False

    @abstractmethod
    def scorer(self) -> Callable[[ScoreJob], ScoredResponse]:
        """Return the function that scores one answer."""

    def verdicts(self, answers: Sequence[str], *, expected: bool) -> list[JudgeVerdict]:
        """Grade answers, several at once."""
        threads = ThreadPoolExecutor(self.at_once)
        try:
            results = list(threads.map(self.scorer(), [ScoreJob(item=self.item, text=answer) for answer in answers]))
        finally:
            # After an interruption the threads wait for a sandbox, which its owner closes next.
            threads.shutdown(wait=False, cancel_futures=True)
        return [JudgeVerdict(result.score, self.why(result, expected=expected)) for result in results]

    def why(self, scored: ScoredResponse, *, expected: bool) -> str:
        """Return an explanation of an unexpected grade; ``expected`` says whether the answer should pass."""
        message = str(scored.detail.get("reason") or scored.detail.get("message") or "")
        return message[:500] if expected or scored.score is None else ""


class TestsJudge(ScoredJudge):
    """Judges by an item's tests: all must pass."""

    __test__ = False
    at_once = 16

    def scorer(self) -> ItemScorer:
        """Return the scorer that runs use for tests."""
        return ItemScorer(sandbox=self.sandbox)

    def verdicts(self, answers: Sequence[str], *, expected: bool) -> list[JudgeVerdict]:
        """Grade answers; an answer that must fail and fails the first test is not given the others."""
        tests = [test for test in self.item.get("tests") or () if can_run(test)]
        if expected or len(tests) < 2:
            return super().verdicts(answers, expected=expected)
        first_test_judge = replace(self, item={**self.item, "tests": tests[:1]})
        graded = first_test_judge.verdicts(answers, expected=expected)
        undecided = [number for number, verdict in enumerate(graded) if verdict.score != 0.0]
        others = super().verdicts([answers[number] for number in undecided], expected=expected)
        for number, verdict in zip(undecided, others, strict=True):
            graded[number] = verdict
        return graded

    def why(self, scored: ScoredResponse, *, expected: bool) -> str:
        """Return the tests with an unexpected outcome and their message; ``expected`` says whether they should pass."""
        return _explain_detail(scored.detail, expected=expected)

    def jobs(self, answer: str) -> list[Job]:
        """Return one job per test."""
        score_job = ScoreJob(item=self.item, text=answer)
        program = program_of(score_job)
        if not program.code.strip():
            return []
        whole_job = sandbox_job(score_job, program)
        return [
            replace(whole_job, id=test.name, tests=(test,), limits=whole_job.limits_of(test))
            for test in whole_job.tests or ()
        ]

    def code_lines(self, answer: str) -> tuple[int, int]:
        """Return the first and last line of the answer's code in the program."""
        program = program_of(ScoreJob(item=self.item, text=answer))
        code = program.answer.strip("\n")
        first_line = next((line.strip() for line in code.split("\n") if line.strip()), "")
        lines = program.code.split("\n")
        # Inside a class the code is indented, so its first line is compared without indentation.
        first = next((number for number, line in enumerate(lines, start=1) if line.strip() == first_line), 1)
        return first, min(len(lines), first + code.count("\n"))


def right_answer(item: Mapping[str, Any], question: JudgedQuestion) -> list[tuple[str, str]]:
    """Return the reference as a model would write it, in a code fence; empty if there is none."""
    if not question.reference.strip():
        return []
    text = question.reference
    if "```" not in text:
        text = fence_code(text, str(item.get("language") or "").lower())
    return [("the reference", text)]


def _explain_detail(detail: Mapping[str, Any], *, expected: bool) -> str:
    if detail.get("reason"):
        return str(detail["reason"])
    differing = [str(rule["label"]) for rule in detail.get("rules", ()) if rule["matched"] is not expected]
    message = str(detail.get("message") or "")
    if expected:
        return f"{', '.join(differing[:3])}: {message}"[:500] if differing else message[:500]
    return f"passed: {', '.join(differing[:3])}" if differing else ""
