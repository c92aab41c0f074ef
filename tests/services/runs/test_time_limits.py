"""The limits of tests, through main(): a test's own is its own, the default is the protocol's or an option's."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from annotator.sandbox import Pool

SLEEPER = "import time\ndef wait(s):\n    time.sleep(s)\n    return s\n"
CRITERION = "grading:\n  unit_test:\n    tests:\n      - {content: 'assert wait(1.5) == 1.5'}\n    lang: python\n"

Scored = Callable[..., dict[str, Any]]


@pytest.fixture
def scored(command: Any, tmp_path: Path, engine: Pool) -> Scored:
    """Release one item, score one answer to it with these options, and return its run with its items."""

    def score(item: dict[str, Any], answer: str, *options: str) -> dict[str, Any]:
        project, questions, answers = (tmp_path / name for name in ("p.annotator", "q.jsonl", "a.jsonl"))
        row = {"id": "q", "language": "python", "entry_point": "wait", "prompt": "wait(s): sleep s seconds, return s."}
        questions.write_text(json.dumps({**row, "reference": answer, "licence": "MIT", **item}) + "\n")
        answers.write_text(json.dumps({"subject": "q", "model": "m", "response": answer}) + "\n")
        if not project.exists():
            command("new", project, "--name", "Demo", "--annotator", "Ada")
            command("import", "--project", project, "jsonl", questions)
            command("select", project, "--subject", "q", "--verdict", "accept")
            command("release", "create", project, "--override", "a test")
        out, _ = command("run", "start", project, "--replay", answers, "--model", "m", *options, "--json")
        [run] = json.loads(out.splitlines()[-1])["runs"]
        shown: dict[str, Any] = json.loads(command("run", "show", project, run["id"], "--json")[0])
        [response] = json.loads(command("results", project, "--run", run["id"], "--json")[0])["items"]
        log = json.loads(command("results", "answer", project, response["response_id"], "--json")[0])["log"]
        return {**shown, "project": project, "outcomes": run["outcomes"], "log": log}

    return score


def _tests(*calls: tuple[float, float | None]) -> dict[str, Any]:
    return {
        "tests": [
            {"name": f"test {at}", "code": f"assert wait({s}) == {s}"} | ({"timeout": limit} if limit else {})
            for at, (s, limit) in enumerate(calls, start=1)
        ]
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("calls", "outcome", "said"),
    [([(0, 1), (1.5, None)], "pass", ""), ([(1.5, 1), (0, 20)], "fail", "test 1: failed\nnot finished after 1 s"),
     ([(0, 20), (1.5, 0.5)], "fail", "test 2: failed\nnot finished after 0.5 s")],
)  # fmt: skip
def test_each_test_has_its_own_limit(
    scored: Scored, calls: Sequence[tuple[float, float | None]], outcome: str, said: str
) -> None:
    found = scored(_tests(*calls), SLEEPER)
    assert found["outcomes"] == {outcome: 1} and said in found["log"]
    assert "Time limit" not in found["settings"]


@pytest.mark.slow
def test_the_default_is_set_for_a_run_and_shown_with_its_score(command: Any, scored: Scored) -> None:
    # The second test names a limit, which holds.
    item = _tests((1.5, None), (1.5, 20))
    assert scored(item, SLEEPER)["outcomes"] == {"pass": 1}
    found = scored(item, SLEEPER, "--test-timeout", "1")
    assert found["outcomes"] == {"fail": 1} and found["settings"]["Time limit"] == "1 s for a test that names none"
    assert "test 1: failed\nnot finished after 1 s" in found["log"] and "test 2: passed" in found["log"]
    board = command("results", found["project"])[0]
    assert "test limit s" in board and "1.0" in board
    folder = found["project"].with_name("out")
    command("release", "export", found["project"], "--format", "leaderboard", "--out", folder)
    assert "Test limit s" in (folder / "leaderboard.csv").read_text("utf-8")


@pytest.mark.slow
def test_the_default_of_a_protocol_holds_for_tests_of_a_criterion(command: Any, scored: Scored, tmp_path: Path) -> None:
    protocol = json.loads(command("run", "presets", "--show", "plain")[0]) | {"name": "short", "test_timeout_s": 1}
    (tmp_path / "short.json").write_text(json.dumps(protocol))
    item, answer = {"criterion": CRITERION, "task": "question"}, f"```python\n{SLEEPER}```"
    assert scored(item, answer)["outcomes"] == {"pass": 1}
    assert scored(item, answer, "--protocol", str(tmp_path / "short.json"))["outcomes"] == {"fail": 1}


@pytest.mark.slow
def test_programs_of_other_languages_have_their_own_limits_too(scored: Scored) -> None:
    code = "function wait(s) { const end = Date.now() + 1000 * s; while (Date.now() < end); return s; }"
    tests = [
        {"name": "quick", "code": 'if (wait(0) !== 0) throw new Error("no");', "timeout": 20},
        {"name": "slow", "code": 'if (wait(30) !== 30) throw new Error("no");', "timeout": 1},
    ]
    found = scored({"language": "javascript", "tests": tests}, code)
    assert found["outcomes"] == {"fail": 1}
    assert "slow: failed\nnot finished after 1 s" in found["log"] and "quick: passed" in found["log"]


@pytest.mark.parametrize("limit", [0, -1, "3", True, 10_000])
def test_limits_that_are_none_are_refused(command: Any, tmp_path: Path, limit: object) -> None:
    protocol = json.loads(command("run", "presets", "--show", "plain")[0]) | {"test_timeout_s": limit}
    (tmp_path / "p.json").write_text(json.dumps(protocol))
    project = tmp_path / "p.annotator"
    command("new", project, "--name", "Demo", "--annotator", "Ada")
    asked = ("--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--protocol", tmp_path / "p.json")
    assert "test_timeout_s" in command("run", "start", project, *asked, status=3)[1]
