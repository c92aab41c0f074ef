"""The commands for bugs, driven through main(), in the sandbox that is here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.construction.conftest import KEY_CASES, KEY_CHANGES
from tests.template_projects import project_of_rows


@pytest.fixture
def project(tmp_path: Path) -> Path:
    checks = "".join(f"assert countKeyChanges(None, {text!r}) == {count}\n" for text, count in KEY_CASES.items())
    row = {
        "id": "keys", "title": "Keys", "prompt": "Count.", "reference": KEY_CHANGES, "language": "python",
        "entry_point": "countKeyChanges", "task": "generation", "tests": [{"name": "check", "code": checks}],
    }  # fmt: skip
    project_of_rows(tmp_path / "p.annotator", [row], ()).close()
    return tmp_path / "p.annotator"


def test_from_proposal_to_export(run: Any, project: Path, tmp_path: Path, engine: object) -> None:
    (row,) = json.loads(run("bugs", "propose", project, "--subject", "keys", "--family", "logic", "--json"))
    assert row["kept"] == 3 and row["proven"] >= 8
    first, second, _ = json.loads(run("bugs", "list", project, "--state", "proven", "--json"))
    shown = run("bugs", "show", project, "--bug", first["id"])
    assert "--- reference" in shown and "before" in shown
    answer = json.loads(run("bugs", "review", project, "--bug", first["id"], "--verdict", "accept", "--holds",
                            "correctness", "--fails", "difficulty", "--json"))  # fmt: skip
    assert answer["state"] == "in_review"
    run("bugs", "review", project, "--bug", second["id"], "--verdict", "reject", "--reason", "leak")
    (tmp_path / "changed.py").write_text(KEY_CHANGES.replace("s[i] !=", "s[i] =="))
    edited = json.loads(
        run("bugs", "edit", project, "--bug", second["id"], "--code-file", tmp_path / "changed.py", "--json")
    )
    assert edited["outcome"] == "pass"
    assert "Every bug has a proof" in run("bugs", "prove", project)
    (again,) = json.loads(run("bugs", "prove", project, "--bug", first["id"], "--json"))
    assert again["outcome"] == "pass"
    out = tmp_path / "bugs.jsonl"
    assert "nothing to export" in run("bugs", "export", project, "--out", out, status=3)
    run("bugs", "export", project, "--out", out, "--state", "proven", "--state", "in_review")
    assert len(out.read_text().splitlines()) == 6


def test_bad_input_of_every_command(run: Any, project: Path, tmp_path: Path) -> None:
    assert "no subject" in run("bugs", "propose", project, "--subject", "nobody", status=3)
    run("bugs", "propose", project, "--family", "typing", status=2)
    assert "at least one" in run("bugs", "propose", project, "--most", "0", status=3)
    run("bugs", "list", project, "--state", "odd", status=2)
    for name in ("show", "prove"):
        assert "no bug x" in run("bugs", name, project, "--bug", "x", status=3)
    assert "needs a reason" in run("bugs", "review", project, "--bug", "x", "--verdict", "reject", status=3)
    run("bugs", "review", project, "--bug", "x", "--verdict", "perhaps", status=2)
    run("bugs", "edit", project, "--bug", "x", "--code-file", tmp_path / "none.py", status=3)
    assert "nothing to export" in run("bugs", "export", project, "--out", tmp_path / "b.jsonl", status=3)
    run("bugs", "list", tmp_path / "none.annotator", status=3)
