"""Programs are judged by what they print for a standard input."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

import pytest

from annotator.evaluation.answer_scoring import ItemScorer, ScoreJob
from annotator.evaluation.program_tests import can_run
from annotator.sandbox import Job
from annotator.sandbox.sandbox_jobs import JobResult


class _Printing:
    """Runs no code: prints twice what it reads, or ends with an outcome."""

    def __init__(self, outcome: str = "pass") -> None:
        self.outcome = outcome

    def submit(self, job: Job) -> Future[JobResult]:
        assert job.tests is None
        done: Future[JobResult] = Future()
        printed = "".join(f"{float(word) * 2:g} \n" for word in job.stdin.split())
        done.set_result(JobResult(id=job.id, outcome=self.outcome, stdout=printed))
        return done


def _item(*expected: str) -> dict[str, Any]:
    tests = [
        {"name": f"test {number}", "code": "", "inputs": {"stdin": "1 2.5"}, "expected": text, "timeout": None}
        for number, text in enumerate(expected, start=1)
    ]
    return {"key": "a", "language": "python", "prompt": "Print it.", "reference": "", "entry_point": "", "tests": tests}


@pytest.mark.parametrize(
    ("expected", "score"),
    [("2\n5", 1.0), ("2\n5.000\n\n", 1.0), ("2 5", 0.0), ("2\n6\n", 0.0), ("2\n", 0.0), ("2\n5\n7", 0.0)],
)
def test_what_is_printed_is_compared_by_lines_and_words(expected: str, score: float) -> None:
    scorer = ItemScorer(sandbox=_Printing())
    found = scorer(ScoreJob(item=_item("2\n5", expected), text="```python\nprint(2 * float(input()))\n```"))
    assert found.score == score and len(found.detail["rules"]) == 2
    assert found.detail["rules"][0]["matched"] is True


def test_a_program_that_takes_too_long_fails_and_machinery_is_no_score() -> None:
    job = ScoreJob(item=_item("2\n5"), text="```python\nprint(input())\n```")
    assert ItemScorer(sandbox=_Printing("timeout"))(job).score == 0.0
    assert ItemScorer(sandbox=_Printing("machinery"))(job).score is None


def test_a_test_that_runs_is_code_or_a_standard_input() -> None:
    assert can_run({"code": "assert f()"}) and can_run({"code": "", "inputs": {"stdin": ""}})
    assert not can_run({"code": " ", "inputs": {"arguments": "1"}})
