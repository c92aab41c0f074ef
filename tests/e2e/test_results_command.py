"""Results by command: published numbers to the printed digit, verdicts made elsewhere, every table, bad input."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from annotator.__main__ import main
from annotator.cli.commands.results import GROUPINGS, TABLES
from annotator.services.results import answer_list
from tests.samples import load_samples

SAMPLES = load_samples(__file__)

SHARED = Path(__file__).parents[3] / "shared" / "data"
OUTCOMES = SHARED / "domaineval-results" / "outcomes.jsonl.gz"
PUBLISHED = SHARED / "published-tables.json"
needs_outcomes = pytest.mark.skipif(not OUTCOMES.is_file(), reason="the published outcomes are not beside the project")
needs_tables = pytest.mark.skipif(not PUBLISHED.is_file(), reason="the published tables are not beside the project")
OWN = {
    "name": "own", "columns": ["a", "b", "mean"], "rows": {"m": [10.0, 20.0, 15.0], "n": [1.0, 3.0, 9.0]},
    "groups": ["a", "b"], "mean_of": {"mean": ["a", "b"]},
}  # fmt: skip


@pytest.fixture
def project(run: Any, tmp_path: Path) -> Path:
    path = tmp_path / "p.annotator"
    run("new", path, "--name", "P", "--annotator", "Mei")
    return path


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("published") / "p.annotator"
    assert main(["new", str(path), "--name", "P", "--annotator", "Mei"]) == 0
    assert main(["import", "published", str(PUBLISHED), "--project", str(path)]) == 0
    return path


def _rows(text: str) -> list[dict[str, Any]]:
    return json.loads(text)["rows"]


# Published numbers ----------------------------------------------------------------------------------------------------


@needs_tables
@pytest.mark.parametrize("name", ["domaineval-pass1", "domaineval-pass5"])
def test_domaineval_means_spreads_and_counts(run: Any, published: Path, name: str) -> None:
    rows = _rows(run("results", published, "--published", name, "--table", "domains", "--json"))
    assert len(rows) == 12
    for row in rows:
        assert row["Mean agrees"] == row["Std agrees"] == "yes"
        assert all(row[f"{domain} passed"] is not None for domain in ("Comp", "Network", "Visual"))
    if name == "domaineval-pass1":
        first = next(row for row in rows if row["model"] == "GPT-4o-mini")
        assert [first[f"{d} passed"] for d in ("Comp", "Network", "Visual", "Basic", "System", "Crypt")] == [
            1541, 180, 111, 74, 51, 43]  # fmt: skip
        assert f"{first['all items']:.2f}" == "81.50"
        assert "deviations 18.33" in run("results", published, "--published", name, "--table", "domains")


@needs_tables
def test_evocodebench_dsi(run: Any, published: Path) -> None:
    answer = json.loads(run("results", published, "--published", "evo", "--table", "dsi", "--json"))
    defined = [row for row in answer["rows"] if row["DSI %"] is not None]
    assert len(defined) == 49 and sum(row["agrees"] == "yes" for row in defined) == 41
    assert any(
        "8 more agree if the columns StarCoder 2 15B and StarCoder 2 7B are swapped" in n for n in answer["notes"]
    )
    unsolved = [row for row in answer["rows"] if row["DSI %"] is None]
    assert {row["DSI % by the convention"] for row in unsolved} == {-100} and {r["agrees"] for r in unsolved} == {"yes"}
    labels = {(row["model"], row["group"]): row["label"] for row in answer["rows"]}
    assert labels["gpt-4", "Internet"] == "strange" and labels["StarCoder 2 15B", "Database"] == "comfort"


@needs_tables
def test_coco_scores_and_correlations(run: Any, published: Path) -> None:
    rows = _rows(run("results", published, "--published", "coco", "--table", "domains", "--json"))
    assert sum(f"{row['CoCo-Score computed']:.2f}" == f"{row['CoCo-Score printed']:.2f}" for row in rows) == 15
    cells = _rows(run("results", published, "--published", "coco", "--table", "correlation", "--json"))
    found = {(cell["one"], cell["other"]): f"{cell['Spearman']:.2f}" for cell in cells}
    assert [found[pair] for pair in (("CUF", "CG"), ("CUR", "CG"), ("CG", "CM"))] == ["0.94", "0.84", "0.36"]
    assert all(cell["agrees"] == "yes" for cell in cells) and len(cells) == 10
    text = run("results", published, "--published", "coco", "--table", "ranks")
    assert "Spearman 0.9216" in text and "Pearson 0.9180" in text


@needs_tables
def test_infi_overall_ranks_scaling_and_quotas(run: Any, published: Path) -> None:
    for name in ("infi", "infi-types"):
        rows = _rows(run("results", published, "--published", name, "--table", "domains", "--json"))
        assert sum(row["Overall agrees"] == "yes" for row in rows) == len(rows) == 88
    text = run("results", published, "--published", "infi", "--table", "ranks")
    assert "50 common models. Spearman 0.7477, Kendall's tau-b 0.5760, Pearson 0.7554." in text
    text = run("results", published, "--published", "infi", "--table", "scaling")
    assert "score = 35.88 + 18.69" in text and "70.64 at 72.4B" in text and "R² 0.942" in text
    answer = run("results", published, "--published", "infi", "--table", "quotas")
    assert "15 of 17 agree; the quotas sum to 270" in answer


@needs_tables
def test_the_audit_finds_what_cannot_be(run: Any, published: Path) -> None:
    counts = {}
    for name in ("realistic-pass1", "realistic-pass3", "realistic-pass5", "realistic-pass3-pass5", "domaineval-pass1"):
        rows = _rows(run("results", published, "--published", name, "--table", "audit", "--json"))
        counts[name] = len(rows)
    noted = json.loads(run("results", published, "--published", "realistic-pass5", "--table", "audit", "--json"))
    assert any("probably a mistake" in note and "CG2.5 Average by 0.022" in note for note in noted["notes"])
    assert counts == {"realistic-pass1": 2, "realistic-pass3": 10, "realistic-pass5": 1, "realistic-pass3-pass5": 18,
                      "domaineval-pass1": 0}  # fmt: skip


@needs_tables
def test_importing_published_tables_twice_adds_nothing_and_can_be_undone(run: Any, project: Path) -> None:
    assert json.loads(run("import", "published", PUBLISHED, "--project", project, "--json"))["added"] == 10
    assert json.loads(run("import", "published", PUBLISHED, "--project", project, "--json"))["known"] == 10
    run("undo", project)
    assert "no published table" in run("results", project, "--published", "coco", status=3)


def test_an_own_published_table(run: Any, project: Path, tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    path.write_text(json.dumps([OWN]))
    run("import", "published", path, "--project", project)
    rows = _rows(run("results", project, "--published", "own", "--table", "audit", "--json"))
    assert [(row["model"], row["printed"], row["expected"]) for row in rows] == [("n", 9.0, 2.0)]
    for table in ("ranks", "scaling", "quotas", "items", "nope"):
        run("results", project, "--published", "own", "--table", table, status=2 if table == "nope" else 3)
    run("results", project, "--table", "audit", status=2)


BAD = [
    "", "{", "[]", "{}", "3", '"x"', "[1]", '{"coco": {}}', '{"infi": {"columns": 3}}', "[" * 5000,
    json.dumps({**OWN, "rows": {"m": [1]}}), json.dumps({**OWN, "groups": ["z"]}), json.dumps({**OWN, "colour": 1}),
    json.dumps({**OWN, "columns": ["a", "a", "b"]}), json.dumps({**OWN, "average": "q"}),
    json.dumps({**OWN, "dsi": {"a": [1]}}), json.dumps([OWN, OWN]), json.dumps({**OWN, "rows": {"m": ["x", 1, 2]}}),
]  # fmt: skip


@pytest.mark.parametrize("text", BAD, ids=range(len(BAD)))
def test_bad_published_tables_are_refused(run: Any, project: Path, tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    assert "Nothing was imported" in run("import", "published", path, "--project", project, status=3)
    run("import", "published", tmp_path / "none.json", "--project", project, status=3)


# Verdicts made elsewhere ----------------------------------------------------------------------------------------------


@needs_outcomes
def test_published_verdicts_give_the_published_passes(run: Any, project: Path) -> None:
    assert "5 runs" in run("import", "outcomes", OUTCOMES, "--project", project)
    rows = {row["model"]: row for row in _rows(run("results", project, "--table", "domains", "--json"))}
    expected = {
        "gpt-3.5-turbo · outcomes pass@1": ((60, 1421, 31, 151, 33, 91), "51.89", 1787),
        "gpt-4o-mini · outcomes pass@1": ((74, 1540, 43, 180, 52, 111), "64.08", 2000),
        "std · outcomes pass@1": ((107, 1703, 100, 256, 100, 186), "99.98", 2452),
        "gpt-3.5-turbo · outcomes pass@5": ((65, 462, 34, 161, 37, 97), None, 856),
        "gpt-4o-mini · outcomes pass@5": ((76, 500, 49, 186, 58, 115), None, 984),
    }
    domains = ("Basic", "Computation", "Cryptography", "Network", "System", "Visualization")
    for model, (passes, mean, total) in expected.items():
        row = rows[model]
        assert tuple(row[f"{domain} passed"] for domain in domains) == passes
        assert mean is None or f"{row['mean']:.2f}" == mean
        assert row["total"] == total
    again = json.loads(run("import", "outcomes", OUTCOMES, "--project", project, "--json"))
    assert (again["added"], again["runs"]) == (0, 0)
    status = json.loads(run("status", project, "--json"))["counts"]
    assert (status["open"], status["skipped"], status["releases"]) == (0, 2454, 1)


# Every table by command -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory, sample_file: Path) -> Path:
    return Path(shutil.copy(sample_file, tmp_path_factory.mktemp("demo") / "starter.annotator"))


def test_tables_of_the_command_are_those_of_the_service() -> None:
    from annotator.services.results import named_tables, score_data
    from annotator.services.results import published_tables as published

    assert set(TABLES) == set(named_tables.TABLES) | set(published.TABLES)
    assert set(GROUPINGS) == {*score_data.GROUPINGS, "metric"}


@pytest.mark.parametrize(
    "name",
    [name for name in TABLES if name not in ("ranks", "releases", "audit", "quotas", "leakage", "recall", "labels")],
)
def test_every_table_by_command(run: Any, demo: Path, tmp_path: Path, name: str) -> None:
    common = ("results", demo, "--table", name, "--draws", "100")
    answer = json.loads(run(*common, "--json"))
    assert answer["table"] == name and (answer["rows"] or name == "scaling")
    cells = list(csv.reader(io.StringIO(run(*common, "--csv"))))
    assert cells[0] == answer["columns"] and len(cells) == 1 + len(answer["rows"])
    assert r"\toprule" in run(*common, "--latex")
    assert "| --- |" in run(*common, "--markdown") or "| ---: |" in run(*common, "--markdown")
    assert answer["title"] in run(*common)


def test_answers_and_rows_of_tables_are_streamed_as_json_lines(
    run: Any, demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer_list, "_BATCH_SIZE", 4)
    first = json.loads(run("run", "list", demo, "--json"))["runs"][0]["id"]
    listed = json.loads(run("results", demo, "--run", first, "--json"))["items"]
    run("results", demo, "--run", first, "--answers", tmp_path / "answers.jsonl")
    lines = [json.loads(line) for line in run("results", demo, "--run", first, "--jsonl").splitlines()]
    assert lines == [json.loads(line) for line in (tmp_path / "answers.jsonl").read_text("utf-8").splitlines()]
    assert [line["id"] for line in lines] == [item["response_id"] for item in listed]
    assert len(lines) > 4 and all(line["response"] for line in lines if line["outcome"] == "pass")
    for further in ((), ("--table", "items")):
        rows = _rows(run("results", demo, *further, "--json"))
        assert [json.loads(line) for line in run("results", demo, *further, "--jsonl").splitlines()] == rows


def test_figures_reports_and_items_sent_back(run: Any, demo: Path, tmp_path: Path) -> None:
    for ending in ("svg", "pdf", "png"):
        run("results", demo, "--table", "domains", "--by", "metric", "--figure", tmp_path / f"f.{ending}", "--dark")
        assert (tmp_path / f"f.{ending}").stat().st_size > 1000
    assert "board.svg was written" in run("results", demo, "--figure", tmp_path / "board.svg")
    run("results", demo, "--report", tmp_path / "r.html", "--draws", "100")
    assert "aurora-large" in (tmp_path / "r.html").read_text("utf-8")
    told = json.loads(run("results", demo, "--send-back", "np-where", "--reason", "all pass", "--json"))
    assert len(told["opened"]) == 1
    run("undo", demo)
    metric = _rows(run("results", demo, "--table", "domains", "--by", "metric", "--json"))
    assert 0 < metric[0]["keywords"] <= 100


@pytest.mark.parametrize(("arguments", "status"), SAMPLES["bad_requests_are_refused"])
def test_bad_requests_are_refused(run: Any, demo: Path, arguments: list[str], status: int) -> None:
    run("results", demo, *arguments, status=status)


def test_a_project_without_a_release_says_what_to_do(run: Any, project: Path) -> None:
    assert "release create" in run("results", project, status=3)
    assert "release create" in run("results", project, "--table", "items", status=3)


# The site -------------------------------------------------------------------------------------------------------------


def test_a_site_is_written_of_the_newest_release_with_a_run(run: Any, project: Path, tmp_path: Path) -> None:
    items = [
        {"id": name, "prompt": f"Say {name}.", "task": "question", "reference": name,
         "criterion": f"grading:\n  keywords:\n    - {name}\n"}
        for name in ("left", "right")
    ]  # fmt: skip
    answers = [{"subject": item["id"], "model": model, "response": "left"} for item in items for model in ("m", "n")]
    for name, rows in (("items", items), ("answers", answers)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    run("import", "jsonl", tmp_path / "items.jsonl", "--project", project)
    run("select", project, "--subject", "left", "--subject", "right", "--verdict", "accept")
    run("release", "create", project, "--version", "1", "--override", "a test")
    assert "no finished run" in run("results", "site", project, "--out", tmp_path / "none", status=3)
    run("run", "start", project, "--release", "1", "--replay", tmp_path / "answers.jsonl")
    run("release", "create", project, "--version", "2", "--override", "a test")
    told = json.loads(run("results", "site", project, "--out", tmp_path / "site", "--json"))
    assert told["items"] == 2 and any(name.endswith("index.html") for name in told["files"])
    page = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert "<figure>" in page and 'id="items"' in page
    run("results", "site", project, "--release", "1", "--out", tmp_path / "public", "--without-prompts")
    assert not any("Say left" in path.read_text("utf-8") for path in (tmp_path / "public").rglob("*.html"))
    assert "not allowed with" in run(
        "results", "site", project, "--out", tmp_path / "x", "--without-prompts", "--with-references", status=2
    )
    assert _rows(run("results", project, "--json"))
