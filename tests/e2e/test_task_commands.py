"""The commands for items made from code, and a run over them from release to results."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotator.evaluation.answer_scoring import ScoreJob
from annotator.services import sandbox_sessions as benches
from annotator.services.bugs import implanted_bugs
from annotator.services.criterion import proofs
from annotator.services.project import members, projects
from annotator.services.runs.execution import item_scorer
from annotator.services.select import triage
from annotator.services.tasks.grading import made_item_reference, unchanged_made_answer
from tests.construction.check_export import problem_of
from tests.llm.server import Server, running
from tests.services.tasks.test_task_service import CHECKS, TOTAL
from tests.template_projects import project_of_rows


@pytest.fixture
def project(tmp_path: Path, runner: object, monkeypatch: pytest.MonkeyPatch) -> Path:
    # The tests' own program is trusted: it runs without an engine.
    monkeypatch.setattr(benches.Workbench, "runner", lambda _self: runner)
    row = {
        "id": "total", "title": "Total", "prompt": "Add.", "reference": TOTAL, "language": "python", "licence": "MIT",
        "entry_point": "total", "task": "generation", "tests": [{"name": "check", "code": CHECKS}],
    }  # fmt: skip
    project_of_rows(tmp_path / "p.annotator", [row]).close()
    return tmp_path / "p.annotator"


@pytest.fixture
def answers() -> dict[str, str]:
    return {}


@pytest.fixture
def server(answers: dict[str, str]) -> Iterator[Server]:
    def reply(body: dict[str, Any], _key: str) -> str:
        asked = body["messages"][-1]["content"]
        return answers.get(f"{body['model']}:{asked}", "no idea")

    with running(Server(reply=reply)) as made:
        yield made


@pytest.mark.slow
def test_from_code_to_results(run: Any, project: Path, tmp_path: Path, server: Server, answers: dict[str, str]) -> None:
    bug = json.loads(run("bugs", "propose", project, "--family", "logic", "--most", "1", "--json"))[0]
    assert bug["kept"] == 1
    listed = json.loads(run("bugs", "list", project, "--json"))[0]["id"]
    run("bugs", "review", project, "--bug", listed, "--verdict", "accept", "--also", "performance_issues")
    store = projects.open_project(project)
    store.annotator, _ = members.switch_annotator(store, "Bo")
    implanted_bugs.review_bug(store, listed, "accept")
    store.close()
    made = json.loads(run("tasks", "make", project, "--most", "1", "--json"))
    kept = made["subjects"][0]["kept"]
    assert set(kept) == {"understanding", "completion", "modification", "review"} and made["done"]
    assert "Nothing new" in run("tasks", "make", project, "--most", "1")
    rows = json.loads(run("tasks", "list", project, "--verdict", "open", "--json"))
    assert len(rows) == sum(kept.values())
    shown = run("tasks", "show", project, "--item", rows[0]["key"])
    assert "Reference answer" in shown and "made from" in shown
    run("tasks", "decide", project, "--item", rows[0]["key"], "--verdict", "accept")
    assert f"{len(rows) - 1} subjects" in run("tasks", "decide", project, "--verdict", "accept")
    out = tmp_path / "items.jsonl"
    assert f"{len(rows)} items" in run("tasks", "export", project, "--out", out)
    exported = [json.loads(line) for line in out.read_text().splitlines()]
    assert {item["task"] for item in exported} == {"understanding", "generation", "modification", "review"}
    assert all(item["prompt"] and item["made_from"] == "jsonl:total" for item in exported)
    run("criterion", "prove", project)
    run("release", "create", project, "--version", "1.0")
    store = projects.open_project(project)
    items = [proofs.item_of(triage.load_subject(store, row["id"])) for row in rows]
    store.close()
    for item in items:
        answers[f"right:{item['prompt']}"] = made_item_reference(item)
        answers[f"lazy:{item['prompt']}"] = unchanged_made_answer(item) or "None"
    parent = items[0]["prompt"]
    assert parent
    answers["right:Add."] = f"```python\n{TOTAL}```"
    run("run", "start", project, "--base-url", server.url, "--model", "right", "--model", "lazy")
    board = json.loads(run("results", project, "--json"))
    found = {row["model"]: (row["score"], row["machinery"], row["items"]) for row in board["rows"]}
    assert found == {"right": (1.0, 0, len(rows) + 1), "lazy": (0.0, 0, len(rows) + 1)}
    table = json.loads(run("results", project, "--table", "labels", "--json"))
    for model in ("right", "lazy"):  # which names the bug, and mends nothing
        [whole, *by_label] = [row for row in table["rows"] if row["model"] == model]
        assert whole["F1 %"] == whole["exact %"] == whole["macro F1 %"] == 100 and whole["answers"] == kept["review"]
        assert sum(row["right"] for row in by_label) == whole["right"] >= kept["review"]
        assert whole["label"] == "all" and not any(row["missed"] for row in by_label)
    coco = tmp_path / "coco"
    assert "left out" not in run(
        "release", "export", project, "--version", "1.0", "--format", "coco", "--out", coco
    ) or (len(list(coco.rglob("*.jsonl"))) == 4)


SIZED = "import collections.abc\ndef sized(x):\n    return isinstance(x, collections.abc.Sized)\n"
OLD_SIZED = SIZED.replace("collections.abc", "collections")


@pytest.fixture
def sized(run: Any, project: Path, tmp_path: Path) -> tuple[str | Path, ...]:
    """Import a subject with the new call; return the command that makes the item, without what it is made from."""
    tests = "import collections\nassert sized('a')\nassert not sized(1)\n"
    rows = [
        {"id": name, "title": "Sized", "prompt": "Has it a length?", "reference": code, "language": language,
         "entry_point": "sized", "task": "generation", "tests": [{"name": "check", "code": checks}]}
        for name, code, language, checks in (
            ("sized", SIZED, "python", tests), ("unaware", SIZED, "python", "assert sized('a')\n"),
            ("wrong", SIZED.replace("Sized", "Hashable"), "python", tests),
            ("script", "function sized(x) { return true }", "javascript", "if (!sized(1)) throw new Error('no')\n"),
        )
    ]  # fmt: skip
    (tmp_path / "sized.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run("import", "jsonl", tmp_path / "sized.jsonl", "--project", project)
    (tmp_path / "old.py").write_text(OLD_SIZED)
    return ("tasks", "update", project, "--old", "collections.Sized", "--new", "collections.abc.Sized", "--library",
            "collections", "--version", "3.10")  # fmt: skip


def test_an_item_from_a_changed_interface(
    run: Any,
    project: Path,
    tmp_path: Path,
    sized: tuple[str | Path, ...],
    runner: Any,
) -> None:
    which = ("--subject", "sized", "--code-file", tmp_path / "old.py")
    made = json.loads(run(*sized, *which, "--json"))
    assert made["item"].startswith("made:sized/update-") and made["done"] == "Make 1 item from 1 subject"
    assert "already exists" in run(*sized, *which)
    (row,) = json.loads(run("tasks", "list", project, "--family", "modification", "--json"))
    assert row["what"] == "bring collections.Sized to collections.abc.Sized" and row["fits"] and row["verdict"] is None
    shown = run("tasks", "show", project, "--item", row["key"])
    assert "which collections 3.10 no longer has" in shown and "isinstance(x, collections.Sized)" in shown
    run("tasks", "decide", project, "--item", row["key"], "--verdict", "accept")
    run("tasks", "export", project, "--out", tmp_path / "items.jsonl")
    (item,) = [json.loads(line) for line in (tmp_path / "items.jsonl").read_text().splitlines()]
    assert item["reference"] == SIZED and item["code"] == OLD_SIZED and item["bugs"][0]["type"] == "update"
    assert problem_of(item) == ""
    assert problem_of({**item, "code": SIZED}) == "no test fails"
    store = projects.open_project(project)
    held = proofs.item_of(triage.load_subject(store, row["id"]))
    store.close()
    scorer = item_scorer(runner)
    assert scorer(ScoreJob(item=held, text=made_item_reference(held))).score == 1.0
    assert scorer(ScoreJob(item=held, text=unchanged_made_answer(held))).score == 0.0
    assert (
        scorer(ScoreJob(item=held, text="```python\ndef sized(x):\n    return hasattr(x, '__len__')\n```")).score == 1.0
    )
    run("undo", project)
    run("undo", project)
    assert json.loads(run("tasks", "list", project, "--json")) == []


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"--subject": "nobody"}, "no subject"),
        ({"--subject": "unaware"}, "No test imports collections"),
        ({"--subject": "wrong"}, "does not contain 'collections.abc.Sized'"),
        ({"--subject": "script"}, "made from Python"),
        ({"--library": " "}, "library is empty"),
        ({"--version": ""}, "version is empty"),
        ({"--old": "collections.Mapping"}, "old code does not contain"),
        ({"code": SIZED + "# collections.Sized\n"}, "passes all tests"),
        ({"code": OLD_SIZED + "def ("}, "not Python"),
        ({"code": OLD_SIZED.replace("sized(x)", "sized(x, y)")}, "changes the function's arguments"),
        ({"code": OLD_SIZED.replace("def sized", "def other")}, "does not define sized"),
        ({"--code-file": "none.py"}, "none.py"),
    ],
)
def test_what_is_no_changed_interface(
    run: Any, project: Path, tmp_path: Path, sized: tuple[str | Path, ...], changes: dict[str, str], why: str
) -> None:
    (tmp_path / "old.py").write_text(changes.get("code", OLD_SIZED))
    told = {"--subject": "sized", "--code-file": str(tmp_path / "old.py")}
    told |= dict(zip(map(str, sized[3::2]), map(str, sized[4::2]), strict=True))
    told |= {name: value for name, value in changes.items() if name.startswith("--")}
    assert why in run(*sized[:3], *(part for pair in told.items() for part in pair), status=3)
    assert json.loads(run("tasks", "list", project, "--json")) == []


def test_bad_input_of_every_command(run: Any, project: Path, tmp_path: Path) -> None:
    assert "no subject" in run("tasks", "make", project, "--subject", "nobody", status=3)
    assert "at least one" in run("tasks", "make", project, "--most", "0", status=3)
    run("tasks", "make", project, "--family", "riddles", status=2)
    run("tasks", "list", project, "--verdict", "perhaps", status=2)
    assert "no subject" in run("tasks", "list", project, "--subject", "nobody", status=3)
    assert "not made from code" in run("tasks", "show", project, "--item", "total", status=3)
    assert "no open items to decide" in run("tasks", "decide", project, "--verdict", "accept", status=3)
    assert "nothing to export" in run("tasks", "export", project, "--out", tmp_path / "x.jsonl", status=3)
    assert "bugs can be combined" in run("bugs", "combine", project, "--count", "7", status=3)
    assert "no bug x" in run("bugs", "combine", project, "--bug", "x", "--bug", "y", status=3)
    ask = ("bugs", "ask", project, "--model", "m")
    run(*ask, status=2)
    assert "no kind of bug" in run(*ask, "--base-url", "http://127.0.0.1:1/v1", "--kind", "logic.magic", status=3)
    run("bugs", "review", project, "--bug", "x", "--verdict", "accept", "--also", "beauty", status=2)
    run("tasks", "list", tmp_path / "none.annotator", status=3)
    run("tasks", "update", project, "--subject", "total", status=2)
