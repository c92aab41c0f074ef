"""Releases from the command line: gates and their rules, comparing, reports, errata."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotator.__main__ import main
from tests.template_projects import project_of_rows


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Any:
    """A project with two accepted items and release 0.1; calls a release command on it and returns its JSON."""
    path = tmp_path / "p.annotator"
    rows = [
        {"id": str(number), "prompt": prompt, "reference": "sorted(x)", "licence": "MIT", "language": "python",
         "provenance": {"repository": "ours/sort", "revision": "1f", "path": "a.py"},
         "tests": [{"code": "assert True", "language": "python"}]}
        for number, prompt in enumerate(("How do I sort?", "How do I add?", "How do I wait?"))
    ]  # fmt: skip
    project_of_rows(path, rows, ("0", "1")).close()

    def call(name: str, *arguments: str | Path, status: int = 0, project: bool = True, text: bool = False) -> Any:
        capfd.readouterr()
        words = ["release", name, *([str(path)] if project else []), *map(str, arguments)]
        found = main(words if text else [*words, "--json"])
        out, err = capfd.readouterr()
        assert found == status and "Traceback" not in err, err
        return out if text else (json.loads(out) if out else err)

    call("create", "--version", "0.1", "--override", "a test")
    return call


def ask(folder: Path, text: str) -> None:
    """Paraphrase the prompt of item 0."""
    (folder / "prompt.txt").write_text(text)
    words = ["prompt", str(folder / "p.annotator"), "--subject", "0", "--text-file", str(folder / "prompt.txt")]
    assert main(words) == 0


def test_gates_are_listed_with_their_items_and_set(run: Any) -> None:
    found = {gate["id"]: gate for gate in run("gates")["gates"]}
    assert [item["key"] for item in found["proofs"]["items"]] == ["jsonl:0", "jsonl:1"]
    assert "reviews" not in found and found["provenance"]["ok"]
    told = run("gates", "--set", "reviews=required", "--set", "proofs=shown", "--reviews", "2")
    assert told["rules"]["reviews"] == "required" and told["reviews"] == 2
    gates = {gate["id"]: gate for gate in told["gates"]}
    assert gates["reviews"]["required"] and not gates["proofs"]["required"]
    text = run("gates", text=True)
    assert "jsonl:0: 0 of 2 reviews" in text and "Off: experts, votes." in text
    refused = run("create", "--version", "0.2", status=3)
    assert refused["details"][0].startswith("Every item is reviewed: 2 items")


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("--set", "reviews"), 2),
        (("--set", "weather=off"), 3),
        (("--set", "votes=loud"), 3),
        (("--reviews", "0"), 3),
        (("--reviews", "many"), 2),
    ],
)
def test_rules_that_make_no_sense_are_refused(run: Any, arguments: tuple[str, ...], status: int) -> None:
    before = run("gates")["rules"]
    run("gates", *arguments, status=status)
    assert run("gates")["rules"] == before


def test_versions_are_compared_and_errata_kept(run: Any, tmp_path: Path) -> None:
    project = str(tmp_path / "p.annotator")
    ask(tmp_path, "How is it sorted?")
    assert main(["select", project, "--subject", "1", "--verdict", "reject"]) == 0
    assert main(["select", project, "--subject", "2", "--verdict", "accept"]) == 0
    diff = run("diff", "--version", "0.1")
    assert [item["key"] for item in diff["added"]] == ["jsonl:2"] and diff["suggested"] == "0.2"
    assert (
        diff["changed"] == [{"key": "jsonl:0", "title": "How do I sort?", "fields": ["prompt"], "void": True}]
        and diff["comparable"] == []
    )
    text = run("diff", "--version", "0.1", text=True)
    assert "- jsonl:1" in text and "Suggested version: 0.2" in text and "earlier scores are no longer valid" in text
    errata = tmp_path / "errata.txt"
    errata.write_text("Item 0 was unclear.\n\n")
    assert run("create", "--override", "a test", "--errata", errata)["version"] == "0.2"
    run("create", "--override", "a test", status=3)
    assert "Nothing has changed since 0.2." in run("diff", "--version", "0.2", text=True)
    run("create", "--version", "0.3", "--override", "x", "--errata", tmp_path / "nowhere", status=3)
    run("export", "--version", "0.1", "--out", tmp_path / "one")
    run("export", "--version", "0.2", "--out", tmp_path / "two")
    assert "Item 0 was unclear." in (tmp_path / "two" / "CHANGES.md").read_text("utf-8")
    folders = run("compare", tmp_path / "one", tmp_path / "two", project=False)
    assert (folders["old"], folders["new"]) == ("0.1", "0.2") and [i["key"] for i in folders["removed"]] == ["jsonl:1"]
    run("compare", tmp_path / "one", tmp_path / "p.jsonl", project=False, status=3)
    run("compare", tmp_path / "one", tmp_path, project=False, status=3)
    run("diff", "--version", "7", status=3)


def test_personal_data_is_reported_masked(run: Any, tmp_path: Path) -> None:
    assert run("scan")["findings"] == []
    ask(tmp_path, "Ask jane.doe@uni-kassel.de about it.")
    [found] = run("scan")["findings"]
    assert (found["key"], found["field"], found["rule"]) == ("jsonl:0", "prompt", "e-mail address")
    assert "jane.doe" not in run("scan", text=True) and run("scan", "--version", "0.1")["findings"] == []
    run("scan", "--version", "9", status=3)
