"""What of a result no test looks at is part of a proof: order, case, what is raised, what is done to arguments."""

from __future__ import annotations

import pytest

from annotator.criteria.proof.impostors import JudgedQuestion
from annotator.evaluation.proof import TestsJudge
from annotator.sandbox import Pool
from annotator.services.criterion import mutation_survivors
from annotator.services.criterion.mutation_survivors import strength_check
from annotator.text.code_spans import fence_code
from tests.samples import load_samples

pytestmark = pytest.mark.sandbox

PROGRAMS = load_samples(__file__)


@pytest.fixture(autouse=True)
def few_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    # Changes of the code are tried beside those of its results, and have tests of their own.
    for name in ("CHANGES", "FEWEST_CHANGES"):
        monkeypatch.setattr(mutation_survivors, name, 1)


def _missed(engine: Pool, language: str, prompt: str, code: str, test: str) -> set[str]:
    """Return what a proof says that no test looks at."""
    judge = TestsJudge({"language": language, "tests": [{"name": "check", "code": test}]}, engine)
    answer = fence_code(code, language)
    [verdict] = judge.verdicts([answer], expected=True)
    assert verdict.score == 1, verdict.why
    found = strength_check(
        judge, answer, JudgedQuestion(prompt=prompt, reference=code, language=language, tests=(test,))
    )
    return {trial.label for trial in found.trials if trial.kind == "result"} if found else set()


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_no_test_looks_at_is_told(engine: Pool, name: str) -> None:
    row = PROGRAMS[name]
    assert row["said"] in _missed(engine, row["language"], row["prompt"], row["code"], row["weak"])
    assert _missed(engine, row["language"], row["prompt"], row["code"], row["good"]) == set()


def test_what_is_not_a_number_changes_nothing(engine: Pool) -> None:
    code = "function distinct(all) {\n  return [...new Set(all)];\n}\n"
    test = (
        "const assert = require('node:assert');\nassert.deepStrictEqual(distinct([NaN, 1, NaN]), [NaN, 1]);\n"
        "assert.deepStrictEqual(distinct([2, 2]), [2]);\n"
    )
    assert _missed(engine, "javascript", "Return each value once.", code, test) == set()


def test_what_the_question_leaves_open_is_not_asked_for(engine: Pool) -> None:
    test = "assert sorted(ranked({'a': 1, 'b': 3, 'c': 2})) == ['a', 'b', 'c']\nassert ranked({}) == []\n"
    code = "def ranked(scores):\n    return list(scores)\n"
    assert PROGRAMS["order"]["said"] not in _missed(engine, "python", "Return the names.", code, test)
