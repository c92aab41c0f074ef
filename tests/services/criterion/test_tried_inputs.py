"""Tests that call a function once, or leave a branch out, make an item weak; the proof says which."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotator.model.vocabulary import Verdict
from annotator.sandbox.places import DockerPlace
from annotator.services.criterion import proofs
from annotator.services.project import projects
from annotator.services.select import triage
from annotator.services.sources import imports

pytestmark = pytest.mark.sandbox
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


def _prove(tmp_path: Path, language: str, code: str, *tests: str) -> tuple[str, dict[str, Any]]:
    rows = {
        "id": "f", "prompt": "Write it.", "reference": code, "language": language,
        "tests": [{"name": f"t{n}", "code": text, "language": language} for n, text in enumerate(tests)],
    }  # fmt: skip
    (tmp_path / "rows.jsonl").write_text(json.dumps(rows) + "\n")
    store = projects.create_project(tmp_path / "p.annotator", "p", "ada")
    imports.import_paths(store, "jsonl", [tmp_path / "rows.jsonl"])
    triage.decide(store, ["f"], Verdict.ACCEPT)
    [row], _ = proofs.prove_subjects(store, ["f"])
    view = triage.subject(store, "f")
    assert view.proof is not None
    return row.weakness, {check["name"]: check for check in view.proof.checks}["inputs"]


@pytest.mark.parametrize(
    ("language", "code", "test"),
    [("python", FRAME, FRAME_TEST), ("go", JOIN, GO_TEST.replace("CALLS", GO_CALL))],
)
def test_tests_that_call_once_are_weak(place: DockerPlace, tmp_path: Path, language: str, code: str, test: str) -> None:
    weakness, found = _prove(tmp_path, language, code, test)
    assert found["outcome"] == "fail" and not found["required"]
    assert "only once" in found["summary"] and weakness
    assert [trial["ok"] for trial in found["trials"]] == [False]


def test_two_calls_in_one_test_are_enough(place: DockerPlace, tmp_path: Path) -> None:
    _, found = _prove(tmp_path, "go", JOIN, GO_TEST.replace("CALLS", 2 * GO_CALL))
    assert found["outcome"] == "pass"


def test_a_branch_that_no_test_takes_is_weak(place: DockerPlace, tmp_path: Path) -> None:
    weakness, found = _prove(tmp_path, "javascript", SIGN, SIGN_TEST)
    assert found["outcome"] == "fail" and found["facts"]["partial"] == [2]
    assert "line 2" in found["summary"] and weakness


def test_every_branch_taken_is_enough(place: DockerPlace, tmp_path: Path) -> None:
    _, found = _prove(tmp_path, "javascript", SIGN, f"{SIGN_TEST}assert.equal(sign(-2), -1);\n")
    assert found["outcome"] == "pass"
