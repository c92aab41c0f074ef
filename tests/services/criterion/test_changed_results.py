"""What of a result no test looks at is part of a proof: order, case, what is raised, what is done to arguments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotator.sandbox.places import DockerPlace
from annotator.services.criterion import proofs
from annotator.services.project import projects
from annotator.services.select import triage
from annotator.services.sources import imports
from tests.samples import load_samples

pytestmark = pytest.mark.sandbox

PROGRAMS = load_samples(__file__)


def _missed(folder: Path, language: str, prompt: str, code: str, test: str) -> set[str]:
    """Return what a proof says that no test looks at."""
    row = {"id": "item", "prompt": prompt, "reference": code, "language": language,
           "tests": [{"name": "check", "code": test, "language": language}]}  # fmt: skip
    (folder / "rows.jsonl").write_text(json.dumps(row) + "\n")
    made = projects.create_project(folder / "p.annotator", "p", "ada")
    imports.import_paths(made, "jsonl", [folder / "rows.jsonl"])
    [proven], _ = proofs.prove_subjects(made, ["item"])
    view = triage.subject(made, "item")
    made.close()
    assert proven.outcome == "pass" and view.proof is not None, proven.reason
    checks: dict[str, dict[str, Any]] = {check["name"]: check for check in view.proof.checks}
    trials = checks["mutants"]["trials"] if "mutants" in checks else []
    return {trial["label"] for trial in trials if trial["kind"] == "result"}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_no_test_looks_at_is_told(place: DockerPlace, tmp_path: Path, name: str) -> None:
    row = PROGRAMS[name]
    for tests in ("weak", "good"):
        (tmp_path / tests).mkdir()
    assert row["said"] in _missed(tmp_path / "weak", row["language"], row["prompt"], row["code"], row["weak"])
    assert _missed(tmp_path / "good", row["language"], row["prompt"], row["code"], row["good"]) == set()


def test_what_is_not_a_number_changes_nothing(place: DockerPlace, tmp_path: Path) -> None:
    code = "function distinct(all) {\n  return [...new Set(all)];\n}\n"
    test = (
        "const assert = require('node:assert');\nassert.deepStrictEqual(distinct([NaN, 1, NaN]), [NaN, 1]);\n"
        "assert.deepStrictEqual(distinct([2, 2]), [2]);\n"
    )
    assert _missed(tmp_path, "javascript", "Return each value once.", code, test) == set()


def test_what_the_question_leaves_open_is_not_asked_for(place: DockerPlace, tmp_path: Path) -> None:
    test = "assert sorted(ranked({'a': 1, 'b': 3, 'c': 2})) == ['a', 'b', 'c']\nassert ranked({}) == []\n"
    code = "def ranked(scores):\n    return list(scores)\n"
    assert PROGRAMS["order"]["said"] not in _missed(tmp_path, "python", "Return the names.", code, test)
