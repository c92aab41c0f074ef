"""Suggestions by command, against a server on this machine."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from annotator.__main__ import main
from annotator.base.errors import ExitCode
from annotator.services.program import sandbox
from tests.llm.server import Server, running
from tests.services.prompt import test_suggested_rewrites as rewriting
from tests.services.prompt.chat_model import ChatModel
from tests.template_projects import project_of_rows


@pytest.fixture
def project(tmp_path: Path) -> Path:
    row = {"id": "add", "prompt": "hi! add numbers?", "reference": "def add(a, b): ...", "language": "python"}
    project_of_rows(tmp_path / "p.annotator", [row]).close()
    return tmp_path / "p.annotator"


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
    assert run("undo", str(project)).startswith("Undo: Use suggested criterion")
    run("suggest", "reject", str(project), "--id", row["id"])
    assert run("suggest", "list", str(project), "--open", "--json")["suggestions"] == []
    run("suggest", "accept", str(project), "--id", "nothing", status=3)


def test_a_rewrite_is_asked_for_part_by_part_and_taken_in_part(
    project: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "open_sandbox", lambda **_: nullcontext((rewriting.Bench(), None)))
    monkeypatch.setenv("SUGGEST_KEY", "sk-not-to-be-kept")
    model = ChatModel({step: (text,) for step, text in rewriting.GOOD.items()})
    server = Server(reply=lambda body, _: model.reply(body["messages"][-1]["content"]))
    with running(server):
        words = ("suggest", "ask", str(project), "--kind", "rewrite", "--model", "m", "--key-name", "SUGGEST_KEY")
        assert main([*words, "--base-url", server.url, "--json"]) == 0
    said = capfd.readouterr()
    (row,) = json.loads(said.out)["suggestions"]
    assert server.counts.headers[0]["authorization"] == "Bearer sk-not-to-be-kept"
    lines = [line for line in said.err.splitlines() if line.startswith("hi! add numbers?: ")]
    assert len(lines) == 7 and lines[1].endswith(": tests: 6 rows") and "Java: agrees with the table" in lines[5]
    assert main(["suggest", "show", str(project), "--id", row["id"]]) == 0
    shown = capfd.readouterr().out
    assert "✓ references agree: 6 rows in each language" in shown and "## TypeScript" in shown
    assert main(["suggest", "accept", str(project), "--id", row["id"], "--part", "poem"]) == ExitCode.USAGE
    taking = ["suggest", "accept", str(project), "--id", row["id"], "--part", "tests", "--part", "python"]
    assert main(taking) == 0 and "Use suggested rewrite" in capfd.readouterr().out
    assert main(["rewrite", "show", str(project), "--subject", "add", "--json"]) == 0
    document = json.loads(capfd.readouterr().out)["document"]
    assert len(document["table"]["rows"]) == 6 and list(document["references"]) == ["python"]
    for file in project.parent.rglob("*"):
        assert not file.is_file() or b"sk-not-to-be-kept" not in file.read_bytes()


def test_several_drafts_are_taken_at_once_and_what_is_wrong_is_told(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    replies = iter(["Add two numbers", "Sum up."] * 2)
    server = Server(reply=lambda *_: next(replies))
    with running(server):
        for _ in range(2):
            asking = ["suggest", "ask", str(project), "--kind", "paraphrase", "--model", "m", "--base-url", server.url]
            assert main(asking) == 0
    capfd.readouterr()
    assert main(["suggest", "list", str(project), "--json"]) == 0
    rows = json.loads(capfd.readouterr().out)["suggestions"]
    short, long = rows if rows[0]["text"] == "Sum up." else rows[::-1]
    assert short["problems"] and not long["problems"]
    both = ["--id", long["id"], "--id", short["id"]]
    assert main(["suggest", "show", str(project), *both]) == 0
    shown = capfd.readouterr().out
    assert "Add two numbers" in shown and f"- {short['problems'][0]}" in shown
    assert main(["suggest", "list", str(project)]) == 0 and "open, check" in capfd.readouterr().out
    assert main(["suggest", "accept", str(project), *both, "--text-file", str(project)]) == 3
    capfd.readouterr()
    assert main(["suggest", "accept", str(project), *both]) == 0
    said = capfd.readouterr()
    assert said.out.count("Use suggested paraphrase for hi! add numbers?") == 2
    assert f"add: {short['problems'][0]}" in said.err


@pytest.mark.parametrize("command", ["suggest ask {} --kind criterion", "run test {}"])
def test_an_endpoint_that_is_not_there_is_told(project: Path, command: str, capfd: pytest.CaptureFixture[str]) -> None:
    words = [str(project) if word == "{}" else word for word in command.split()]
    assert main([*words, "--base-url", "http://127.0.0.1:1/v1", "--model", "m"]) == ExitCode.ENVIRONMENT
    said = capfd.readouterr()
    assert "http://127.0.0.1:1/v1 cannot be reached" in said.err and not said.out


@pytest.mark.parametrize(
    ("fault", "status", "told"),
    [
        ("503", ExitCode.INTERRUPTED, "Run it again with --new"),
        ("400", ExitCode.BAD_INPUT, "does not answer this request"),
        ("", ExitCode.BAD_INPUT, "returned nothing"),
    ],
)
def test_a_draft_that_did_not_come_is_no_success(
    project: Path, fault: str, status: ExitCode, told: str, capfd: pytest.CaptureFixture[str]
) -> None:
    server = Server(lambda *_: fault, reply=lambda *_: "")
    with running(server):
        asked = ["suggest", "ask", str(project), "--kind", "domain", "--model", "m", "--base-url", server.url]
        assert main(asked) == status
    said = capfd.readouterr()
    assert told in said.err and said.out == "No suggestions.\n"
