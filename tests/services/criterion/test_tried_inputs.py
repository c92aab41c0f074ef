"""Tests that call a function once, or leave a branch out, make an item weak; the proof says which."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.criteria.proof.proof_checks import ProofCheck, prove_judge
from annotator.evaluation.proof import TestsJudge
from annotator.sandbox import Pool
from annotator.services.criterion import proofs
from annotator.services.criterion.proofs import check_inputs
from annotator.services.select import triage
from annotator.text.code_spans import fence_code
from tests.template_projects import project_of_rows

pytestmark = [pytest.mark.sandbox, pytest.mark.usefixtures("lent_sandbox")]
FRAME = 'def best(df):\n    return df.loc[df.groupby("team")["score"].idxmax()]["player"].tolist()\n'
FRAME_TEST = (
    "import pandas as pd\ndf = pd.DataFrame({'team': ['x'], 'player': ['a'], 'score': [1]})\nassert best(df) == ['a']\n"
)
JOIN = (
    'func Join(words []string) string {\n\tall := ""\n\tfor _, w := range words {\n\t\tall += w\n\t}\n\treturn all\n}\n'
)
GO_TEST = 'package main\n\nimport "testing"\n\nfunc TestJoin(t *testing.T) {\n\tCALLS}\n'
GO_CALL = '\tif Join([]string{"a", "b"}) != "ab" {\n\t\tt.Fatal("wrong")\n\t}\n'
SIGN = "function sign(n) {\n  if (n < 0) {\n    return -1;\n  }\n  return n > 0 ? 1 : 0;\n}\n"
SIGN_TEST = "const assert = require('assert');\nassert.equal(sign(3), 1);\nassert.equal(sign(0), 0);\n"


def _check(engine: Pool, language: str, code: str, test: str) -> ProofCheck:
    """Return what a proof says of the inputs that a test tries, without the rest of that proof."""
    judge = TestsJudge({"language": language, "tests": [{"name": "t", "code": test}]}, engine)
    answer = fence_code(code, language)
    found = check_inputs(judge, answer, prove_judge(judge, [("the reference", answer)], ()))
    assert found is not None and not found.required
    return found


def test_a_proof_says_that_its_item_is_weak(tmp_path: Path) -> None:
    row = {
        "id": "f", "prompt": "Write it.", "reference": FRAME, "language": "python",
        "tests": [{"name": "t", "code": FRAME_TEST, "language": "python"}],
    }  # fmt: skip
    store = project_of_rows(tmp_path / "p.annotator", [row])
    [proven], _ = proofs.prove_subjects(store, ["f"])
    view = triage.load_subject(store, "f")
    store.close()
    assert view.proof is not None and proven.weakness
    found = {check["name"]: check for check in view.proof.checks}["inputs"]
    assert found["outcome"] == "fail" and not found["required"]
    assert "only once" in found["summary"]
    assert [trial["ok"] for trial in found["trials"]] == [False]


def test_tests_that_call_once_are_weak(engine: Pool) -> None:
    found = _check(engine, "go", JOIN, GO_TEST.replace("CALLS", GO_CALL))
    assert found.outcome == "fail" and "only once" in found.summary
    assert [trial.ok for trial in found.trials] == [False]


def test_two_calls_in_one_test_are_enough(engine: Pool) -> None:
    assert _check(engine, "go", JOIN, GO_TEST.replace("CALLS", 2 * GO_CALL)).outcome == "pass"


def test_a_branch_that_no_test_takes_is_weak(engine: Pool) -> None:
    found = _check(engine, "javascript", SIGN, SIGN_TEST)
    assert found.outcome == "fail" and found.facts["partial"] == [2]
    assert "line 2" in found.summary


def test_every_branch_taken_is_enough(engine: Pool) -> None:
    assert _check(engine, "javascript", SIGN, f"{SIGN_TEST}assert.equal(sign(-2), -1);\n").outcome == "pass"
