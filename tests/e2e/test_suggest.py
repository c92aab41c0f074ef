"""Suggestions by command, against a server on this machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotator.__main__ import main
from tests.llm.server import Server, running


@pytest.fixture
def project(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Path:
    rows, path = tmp_path / "rows.jsonl", tmp_path / "p.annotator"
    rows.write_text(
        '{"id": "add", "prompt": "hi! add numbers?", "reference": "def add(a, b): ...", "language": "python"}\n'
    )
    assert main(["new", str(path), "--name", "p", "--annotator", "ada"]) == 0
    assert main(["import", "jsonl", str(rows), "--project", str(path)]) == 0
    assert main(["select", str(path), "--subject", "add", "--verdict", "accept"]) == 0
    capfd.readouterr()
    return path


def test_from_asking_to_taking(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def run(*arguments: str, status: int = 0) -> Any:
        assert main(list(arguments)) == status, capfd.readouterr().err
        out = capfd.readouterr().out
        return json.loads(out) if "--json" in arguments else out

    server = Server(reply=lambda *_: "```yaml\ngrading:\n  keywords: [plus]\n```")
    with running(server):
        asking = ("suggest", "ask", str(project), "--kind", "criterion", "--model", "m", "--json")
        made = run(*asking, "--base-url", server.url)
        run(*asking, status=2)
        run(*asking, "--base-url", "http://127.0.0.1:1/v1", "--endpoint", "x", status=2)
    [row] = made["suggestions"]
    assert row["text"] == "grading:\n  keywords: [plus]\n"
    assert "criterion" in run("suggest", "list", str(project), "--open")
    assert "grading" in run("suggest", "show", str(project), "--id", row["id"])
    run("suggest", "accept", str(project), "--id", row["id"][:13])
    view = run("show", str(project), "--subject", "add", "--json")
    assert view["criterion"]["source"] == row["text"]
    assert run("undo", str(project)).startswith("Undo: Take suggested criterion")
    run("suggest", "reject", str(project), "--id", row["id"])
    assert run("suggest", "list", str(project), "--open", "--json")["suggestions"] == []
    run("suggest", "accept", str(project), "--id", "nothing", status=3)
