"""How strong an item's tests are is part of its proof, and a change they miss becomes the test that notices it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotator.base.errors import BadInputError
from annotator.criteria.proof.impostors import JudgedQuestion
from annotator.criteria.proof.proof_checks import ProofCheck
from annotator.evaluation.proof import TestsJudge
from annotator.sandbox import Pool
from annotator.services.consensus import three_experts
from annotator.services.criterion import proofs, revisions
from annotator.services.criterion.mutation_survivors import strength_check
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile
from annotator.text.code_spans import fence_code
from tests.template_projects import project_of_rows

CODE = "def f(xs, k):\n    if k > 3:\n        return sum(xs)\n    return len(xs)\n"
TESTS = "def check(candidate):\n    assert candidate([1, 2], 9) == 3\n    assert candidate([1, 7], 1) == 2\n"
pytestmark = [pytest.mark.sandbox, pytest.mark.usefixtures("lent_sandbox")]


@pytest.fixture
def store(tmp_path: Path) -> ProjectFile:
    row = {
        "id": "f", "prompt": "Write f.", "reference": CODE, "language": "python", "entry_point": "f",
        "tests": [{"name": "check", "code": TESTS, "language": "python"}],
    }  # fmt: skip
    return project_of_rows(tmp_path / "p.annotator", [row])


def _proof(store: ProjectFile) -> dict[str, dict[str, Any]]:
    [row], _ = proofs.prove_subjects(store, ["f"])
    assert row.outcome == "pass", row.reason
    view = triage.load_subject(store, "f")
    assert view.proof is not None
    found = {check["name"]: check for check in view.proof.checks}
    missed = [trial for trial in found["mutants"]["trials"] if trial["ok"] is False]
    assert ("not noticed: line" in row.weakness) == bool(missed)
    return found


def test_a_step_that_no_test_needs_is_told(tmp_path: Path) -> None:
    code = "import re\n\ndef slug(title):\n    return re.sub(r'[^a-z0-9]+', '-', title.lower()).strip('-')\n"
    test = "assert slug('Hello World') == 'hello-world' and slug('abc') == 'abc'\n"
    row = {"id": "slug", "prompt": "Write slug(title).", "reference": code, "language": "python",
           "entry_point": "slug", "tests": [{"name": "check", "code": test, "language": "python"}]}  # fmt: skip
    made = project_of_rows(tmp_path / "p.annotator", [row], ())
    [proven], _ = proofs.prove_subjects(made, ["slug"])
    made.close()
    assert "a step is missing: strip" in proven.weakness and "the pattern lacks +" in proven.weakness


@pytest.mark.parametrize("by", ["tests", "criterion"])
def test_changes_that_the_tests_miss_come_with_the_test_that_notices_them(store: ProjectFile, by: str) -> None:
    if by == "criterion":
        revisions.criteria_from_tests(store, ["f"])
    found = _proof(store)["mutants"]
    assert not found["required"] and found["outcome"] == "fail"
    missed = [trial for trial in found["trials"] if trial["ok"] is False]
    assert missed and found["facts"]["tried"] == found["facts"]["killed"] + len(missed)
    edge = next(trial for trial in missed if "k >= 3" in trial["answer"] or "k > 4" in trial["answer"])
    assert edge["label"].startswith("line 2: ") and edge["test"].startswith("assert f(")
    assert edge["test"].strip() in edge["detail"]
    assert edge["answer"].startswith("def f(xs, k):\n") and edge["answer"].rstrip().endswith("return len(xs)")


def test_a_test_that_is_added_closes_the_gap(store: ProjectFile) -> None:
    missed = [trial["test"] for trial in _proof(store)["mutants"]["trials"] if trial["test"]]
    for code in dict.fromkeys(missed):
        three_experts.add_test(store, "f", code)
    again = _proof(store)["mutants"]
    assert not {trial["test"] for trial in again["trials"] if trial["ok"] is False} & set(missed)
    names = [test.name for test in triage.load_subject(store, "f").tests]
    assert names[:2] == ["check", "gap 2"] and len(names) == len(set(names)) == 1 + len(set(missed))
    with pytest.raises(BadInputError, match="already"):
        three_experts.add_test(store, "f", missed[0])
    # An edit by one expert waits for the two others.
    assert three_experts.load_artefact(store, "f", "tests").missing == 2


def test_items_without_python_tests_have_no_such_check(store: ProjectFile) -> None:
    revisions.save_criterion(store, "f", "grading:\n  keywords: [sum]\n")
    proofs.prove_subjects(store, ["f"])
    view = triage.load_subject(store, "f")
    assert view.proof is not None and "mutants" not in {check["name"] for check in view.proof.checks}


SCRIPT = (
    "function fee(weight, limit, rate) {\n  const base = weight * rate;\n"
    "  return weight > limit ? base + limit : base - 1;\n}\n"
)
"""Without a loop, for a change that does not end costs more seconds than all others."""


@pytest.mark.parametrize("language", ["javascript", "typescript"])
def test_changes_of_scripts_come_with_the_test_that_notices_them(engine: Pool, language: str) -> None:
    code = (
        SCRIPT
        if language == "javascript"
        else SCRIPT.replace("(weight, limit, rate)", "(weight: number, limit: number, rate: number): number")
    )
    test = "const assert = require('node:assert');\nassert.strictEqual(fee(2, 7, 3), 5);\n"

    def check(*tests: str) -> ProofCheck:
        rows = [{"name": f"t{number}", "code": text} for number, text in enumerate(tests)]
        judge = TestsJudge({"language": language, "tests": rows}, engine)
        found = strength_check(
            judge,
            fence_code(code, language),
            JudgedQuestion(prompt="Write fee.", reference=code, entry_point="fee", language=language, tests=tests),
        )
        assert found is not None
        return found

    found = check(test)
    missed = [trial for trial in found.trials if trial.ok is False]
    assert found.outcome == "fail" and missed, found
    assert all(trial.label.startswith("line 3: ") for trial in missed)
    gaps = list(dict.fromkeys(trial.test for trial in missed if trial.test))
    assert gaps and all(text.startswith("require('node:assert').deepStrictEqual(fee(") for text in gaps), missed
    again = check(test, gaps[0])
    assert again.facts["killed"] > found.facts["killed"]


_VIEW = (
    "CREATE VIEW activity AS\nSELECT c.name, COUNT(o.id) AS orders\nFROM customers AS c\n"
    "LEFT JOIN orders AS o ON o.customer_id = c.id\nGROUP BY c.id, c.name;\n"
)
_ROWS = (
    "CREATE TABLE customers(id INTEGER PRIMARY KEY, name TEXT);\n"
    "CREATE TABLE orders(id INTEGER, customer_id INTEGER);\n"
    "INSERT INTO customers VALUES (1, 'Ada'), (2, 'Bo'){more};\nINSERT INTO orders VALUES (10, 1), (11, 1), (12, 2);\n"
    "-- solution\nSELECT orders = 2 FROM activity WHERE name = 'Ada';\n"
    "SELECT orders = 1 FROM activity WHERE name = 'Bo';\n"
)


@pytest.mark.parametrize("has_idle", [False, True])
def test_changes_of_queries_need_rows_that_show_them(tmp_path: Path, has_idle: bool) -> None:
    test = _ROWS.replace("{more}", ", (3, 'Cy')" if has_idle else "")
    if has_idle:
        test += "SELECT orders = 0 FROM activity WHERE name = 'Cy';\n"
    row = {"id": "v", "prompt": "Write the view activity.", "reference": _VIEW, "language": "sql",
           "tests": [{"name": "t", "code": test, "language": "sql"}]}  # fmt: skip
    made = project_of_rows(tmp_path / "p.annotator", [row], ())
    [proven], _ = proofs.prove_subjects(made, ["v"])
    made.close()
    assert proven.outcome == "pass", proven.reason
    assert ("joins with other rows" in proven.weakness) is not has_idle, proven.weakness
