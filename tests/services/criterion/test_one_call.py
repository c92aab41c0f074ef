"""An answer that works for one call only is tried where one test, run once, decides."""

from types import SimpleNamespace
from typing import Any

import pytest

from annotator.criteria.proof.proof_checks import JudgeVerdict, ProofReport
from annotator.sandbox import Job
from annotator.sandbox.sandbox_jobs import TestCode
from annotator.services.criterion.proofs import check_inputs

CODE = "def double(n):\n    return n * 2\n"
ONE = "def test_double():\n    assert double(1) == 2\n"
SETS = (
    "import pytest\n\n@pytest.mark.parametrize(('n', 'twice'), [(1, 2), (3, 6)])\n"
    "def test_double(n, twice):\n    assert double(n) == twice\n"
)
SEVERAL = f"{ONE}\n\ndef test_three():\n    assert double(3) == 6\n"


@pytest.mark.parametrize(("test", "tried"), [(ONE, True), (SETS, False), (SEVERAL, False)])
def test_tests_that_run_one_by_one_are_not_told_to_call_once(test: str, tried: bool) -> None:
    judge: Any = SimpleNamespace(
        sandbox=object(),
        full_score=1.0,
        jobs=lambda answer: [Job(id="j", language="python", code=answer, tests=(TestCode("t", test),))],
        code_lines=lambda answer: (1, answer.count("\n")),
        verdicts=lambda answers, expected: [JudgeVerdict(1.0, "passed") for _ in answers],
    )
    found = check_inputs(judge, CODE, ProofReport(()))
    assert (found is not None) is tried
    assert found is None or found.outcome == "fail"
