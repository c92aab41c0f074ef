"""How answers come to their end, through main(): broken off, with reasoning alone, or recorded without a word of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.llm.server import Server, running, sequence
from tests.services.runs.conftest import build_project


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "p.annotator"
    build_project(path, 2)
    return path


@pytest.fixture
def server() -> Iterator[Server]:
    with running(Server(reply=lambda body, key: "answer")) as made:
        yield made


def start(command: Any, project: Path, server: Server, *options: str, status: int = 0) -> tuple[dict[str, Any], str]:
    """Run one model on a project; return the run and what was written to stderr."""
    out, err = command(
        "run", "start", project, "--base-url", server.url, "--model", "m", *options, "--json", status=status
    )
    [row] = json.loads(out.splitlines()[-1])["runs"]
    return row, err


@pytest.mark.parametrize("word", ["error", "insufficient_system_resource"])
def test_an_answer_that_the_provider_broke_off_is_asked_for_again(
    command: Any, project: Path, server: Server, word: str
) -> None:
    server.faults = sequence(f"ended:{word}", f"ended:{word}")
    row, _ = start(command, project, server)
    assert (row["outcomes"], row["failures"]) == ({"pass": 2}, {})
    requests = json.loads(command("run", "log", project, row["id"], "--json")[0])["requests"]
    assert [item["retries"] for item in requests] == [2, 2]


def test_an_answer_that_is_broken_off_every_time_is_no_answer_of_the_model(
    command: Any, project: Path, server: Server
) -> None:
    server.faults = lambda key, attempt: "ended:error"
    server.probe_faults = lambda key, attempt: "ended:error"
    row, err = start(command, project, server)
    assert (row["outcomes"], row["failures"]) == ({}, {"broken off by the provider": 2})
    assert "2 requests not answered: broken off by the provider" in err
    assert "finish reason error" in command("run", "show", project, row["id"])[0]


def test_reasoning_without_an_answer_is_told_with_the_result(command: Any, project: Path, server: Server) -> None:
    message = {"content": "", "reasoning_content": "Let me see. It is an answer."}
    raw = json.dumps({"choices": [{"finish_reason": "stop", "message": message}]})
    server.faults = sequence(f"raw:{raw}")
    row, err = start(command, project, server)
    assert row["outcomes"] == {"empty": 2} and "only reasoning" in command("run", "show", project, row["id"])[0]
    assert "2 answers hold reasoning only" in err
    listed = json.loads(command("results", project, "--run", row["id"], "--json")[0])["items"]
    assert "reasoning only" in command("results", "answer", project, listed[0]["response_id"])[0]


@pytest.mark.parametrize(
    ("row", "outcome"),
    [({}, "pass"), ({"finish_reason": None}, "pass"), ({"finish_reason": "error"}, "machinery"),
     ({"finish_reason": "end_turn"}, "pass")],
)  # fmt: skip
def test_recorded_answers_keep_what_is_known_of_their_end(
    command: Any, project: Path, tmp_path: Path, row: dict[str, Any], outcome: str
) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps({"subject": "q0000", "model": "m", "response": "answer", **row}) + "\n")
    out, err = command("run", "start", project, "--replay", file, "--json")
    [run] = json.loads(out.splitlines()[-1])["runs"]
    assert run["outcomes"] == {outcome: 1}
    shown = json.loads(command("run", "show", project, run["id"], "--json")[0])
    is_unknown = row.get("finish_reason") is None
    assert ("unknown for 1 answer" in shown["settings"].get("Finish reasons", "")) is is_unknown
    assert ("finish reasons unknown for 1 answer" in err) is is_unknown
    assert ("retry" in err) is False


def test_answers_of_the_harness_have_no_known_end(command: Any, project: Path, tmp_path: Path) -> None:
    file = tmp_path / "samples_task.jsonl"
    file.write_text(json.dumps({"doc_id": 0, "doc": {"task_id": "q0001"}, "resps": [["answer"]]}) + "\n")
    out, err = command("run", "import", project, file, "--model", "m", "--json")
    [run] = json.loads(out.splitlines()[-1])["runs"]
    assert run["outcomes"] == {"pass": 1} and "finish reasons unknown for 1 answer" in err
