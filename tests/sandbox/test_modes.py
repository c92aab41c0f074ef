"""Where an item's tests run: found by its proof, released with it, and marked wherever its scores stand."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from annotator.__main__ import main
from annotator.criteria.document.loader import parse_criterion
from annotator.evaluation.answer_scoring import ItemScorer, ScoreJob, program_of, sandbox_job
from annotator.formats.read.import_records import Candidate
from annotator.sandbox import Job, Pool, TestCode
from annotator.sandbox.modes import ONE_PROCESS_ONLY, ItemMode, find_mode, is_shared, read_mode

BOX = "class box:\n    def __eq__(self, o): return isinstance(o, tuple) and o == (1, 2)\ndef f(): return box()"
"""Right, but what it gives stays with it, and says of itself what nobody else can see."""
ONE = "def f(): return 1"
THIRD = "from decimal import Decimal\ndef f(): return str(Decimal(1) / 3)"
PRECISION = "__import__('decimal').getcontext().prec = 5\nassert f() == '0.33333'"
"""The text of these tests does not tell that they change what the answer uses."""


def _job(code: str, test: str, language: str = "python") -> Job:
    return Job(id="x", language=language, code=code, tests=(TestCode("t", test),))


@pytest.mark.parametrize(
    ("job", "found"),
    [
        (_job(ONE, "assert f() == 1"), ItemMode("judged")),
        (_job(ONE, "import os\nassert f() == 1"), ItemMode("shared", "the tests use os")),
        (_job(BOX, "assert f() == (1, 2)"), ItemMode("shared", ONE_PROCESS_ONLY, forced=True)),
        (_job(THIRD, PRECISION), ItemMode("shared", ONE_PROCESS_ONLY, forced=True)),
        (_job(ONE, "assert f() == 2"), None),
    ],
)
def test_right_answers_tell_where_tests_run(local: Pool, job: Job, found: ItemMode | None) -> None:
    assert find_mode([job], local) == found
    assert found is None or read_mode(json.loads(json.dumps(found.as_json()))) == found


def test_programs_in_other_languages_are_one_with_their_tests(local: Pool) -> None:
    found = find_mode([_job("function f() { return 1 }", "if (f() !== 1) throw 1", "javascript")], local)
    assert found is not None and found.name == "shared" and not found.forced


@pytest.mark.parametrize(
    ("item", "shared"),
    [
        ({"extra": {"sandbox_mode": "fast"}}, True),
        ({"extra": {"sandbox_mode": "shared"}}, True),
        ({"mode": ItemMode("shared", ONE_PROCESS_ONLY, forced=True).as_json()}, True),
        ({"mode": ItemMode("shared", "the tests use os").as_json()}, False),
        ({"mode": "shared"}, False),
        ({}, False),
    ],
)
def test_only_the_item_says_that_all_tests_share_a_process(item: dict[str, Any], shared: bool) -> None:
    assert is_shared(item) is shared
    whole = {"key": "k", "language": "python", "tests": [{"name": "t", "code": "assert f() == 1"}], **item}
    job = ScoreJob(item=whole, text=f"```python\n{ONE}\n```")
    assert sandbox_job(job, program_of(job)).mode == ("shared" if shared else "judged")


def test_a_candidate_mined_before_is_the_same_candidate() -> None:
    old, new = (Candidate(key="k", title="t", prompt="p", extra={"sandbox_mode": mode}) for mode in ("fast", "shared"))
    assert old.content_hash() == new.content_hash()


@pytest.mark.sandbox
def test_a_criterion_in_doubt_gives_a_score_in_doubt(pool: Pool) -> None:
    source = "grading:\n  keywords: [def]\n  unit_test:\n    lang: python\n    tests:\n      - assert f() == (1, 2)\n"
    assert parse_criterion(source).document is not None, parse_criterion(source).problems
    scorer = ItemScorer(sandbox=pool)
    item = {"key": "k", "language": "python", "criterion": source}
    answers = [f"```python\n{code}\n```" for code in (BOX, "def f(): return (1, 2)", "def f(): return (1, 3)")]
    found = [scorer(ScoreJob(item=item, text=answer)) for answer in answers]
    assert [(one.outcome, one.score) for one in found] == [("disputed", 0.0), ("pass", 1.0), ("partial", 0.5)]
    assert found[0].detail["outcome"] == "disputed"
    forced = {**item, "mode": ItemMode("shared", ONE_PROCESS_ONLY, forced=True).as_json()}
    assert scorer(ScoreJob(item=forced, text=answers[0])).outcome == "pass"


LINE, TEST = "def f(n): return 2 * n + 5", "assert f(1) == 7\nassert f(4) == 13"
ITEMS = [
    {"id": "judged", "prompt": "def f(): one", "reference": LINE, "tests": [{"code": TEST}]},
    {"id": "told", "prompt": "def f(): once", "reference": LINE, "tests": [{"code": f"import os\n{TEST}"}]},
    {"id": "forced", "prompt": "def f(): box", "reference": BOX, "tests": [{"code": "assert f() == (1, 2)"}]},
    {"id": "words", "prompt": "What is a generator?", "reference": "It uses yield."},
]


@pytest.mark.sandbox
def test_the_mode_is_seen_everywhere(place: object, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    project, rows, answers = (tmp_path / name for name in ("p.annotator", "rows.jsonl", "answers.jsonl"))

    def run(*arguments: object) -> str:
        capfd.readouterr()
        status = main([str(item) for item in arguments])
        out, err = capfd.readouterr()
        assert status == 0, err
        return out

    whole = {"language": "python", "entry_point": "f", "licence": "CC-BY-4.0", "provenance": {"source": "test"}}
    rows.write_text("".join(json.dumps({**whole, "title": item["id"], **item}) + "\n" for item in ITEMS))
    run("new", project, "--name", "Demo", "--annotator", "Ada")
    run("import", "jsonl", rows, "--project", project)
    criterion = tmp_path / "c.yaml"
    criterion.write_text("grading:\n  keywords: [yield]\n")
    for item in ITEMS:
        run("select", project, "--subject", item["id"], "--verdict", "accept")
    run("criterion", "set", project, "--subject", "words", "--file", criterion)
    proofs = json.loads(run("criterion", "prove", project, "--json"))["proofs"]
    modes = {"judged": "judged", "told": "shared", "forced": "shared", "words": ""}
    assert {row["key"].partition(":")[2]: (row["outcome"], row["mode"]) for row in proofs} == {
        name: ("pass", mode) for name, mode in modes.items()
    }
    shown = run("show", project, "--subject", "told")
    assert "proven · mode: shared (the tests use os)" in shown
    assert json.loads(run("show", project, "--subject", "forced", "--json"))["proof"]["mode"] == "shared"

    run("release", "create", project, "--version", "1.0", "--override", "a test")
    run("release", "export", project, "--version", "1.0", "--out", tmp_path / "out")
    run("release", "verify", tmp_path / "out")
    items = [json.loads(line) for line in (tmp_path / "out" / "items.jsonl").read_text().splitlines()]
    assert {item["key"].partition(":")[2]: item.get("mode", {}).get("forced") for item in items} == {
        "judged": False, "told": False, "forced": True, "words": None,
    }  # fmt: skip
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["about"]["modes"] == {"judged": 1, "shared": 2}
    assert "- shared (in one process with the answer): 2" in (tmp_path / "out" / "README.md").read_text()
    assert "The tests of 2 of 4 items run in the same process" in (tmp_path / "out" / "DATASHEET.md").read_text()
    run("release", "export", project, "--version", "1.0", "--format", "huggingface", "--out", tmp_path / "hub")
    assert "mode of the tests: judged 1, shared 2" in (tmp_path / "hub" / "README.md").read_text()

    answers.write_text(
        "".join(
            json.dumps({"subject": item["id"], "model": model, "sample": 0, "response": code}) + "\n"
            for item in ITEMS
            for model, code in (("right", f"```python\n{item['reference']}\n```"), ("boxed", f"```python\n{BOX}\n```"))
        )
    )
    run("run", "start", project, "--release", "1.0", "--replay", answers)
    board = json.loads(run("results", project, "--json"))
    assert board["shared"] == 2 and [row["shared"] for row in board["rows"]] == [2, 2]
    assert [(row["model"], row["score"]) for row in board["rows"]] == [("right", 1.0), ("boxed", 0.25)]
    assert "The tests of 2 of 4 items run in the same process" in run("results", project)
    cells = list(csv.reader(io.StringIO(run("results", project, "--csv"))))
    assert (cells[0][-1], cells[1][-1]) == ("shared items", "2")
    for name in ("leaderboard", "domains", "items", "passes"):
        notes = json.loads(run("results", project, "--table", name, "--json"))["notes"]
        assert any("run in the same process" in note for note in notes), name
    listed = json.loads(run("results", project, "--table", "items", "--json"))["rows"]
    assert {row["title"]: row["mode"] for row in listed}["told"] == "shared"
    (first, *_) = json.loads(run("run", "list", project, "--json"))["runs"]
    found = json.loads(run("run", "show", project, first["id"], "--json"))["items"]
    assert {row["key"].partition(":")[2]: row["mode"] for row in found} == modes
    run("release", "export", project, "--version", "1.0", "--format", "leaderboard", "--out", tmp_path / "board")
    assert "run in the same process" in (tmp_path / "board" / "index.html").read_text()
    assert "Shared items" in (tmp_path / "board" / "leaderboard.csv").read_text()
