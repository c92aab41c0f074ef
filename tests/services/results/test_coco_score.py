"""CoCo-Score of a project's own runs equals a calculation by hand from the scores that are shown."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from annotator.__main__ import main
from annotator.base.errors import BadInputError
from annotator.services.project import projects
from annotator.services.results import figures, named_tables, score_data
from annotator.services.results.coco_score import coco_task
from annotator.services.results.result_tables import TableOptions
from tests.template_projects import project_of_rows

MU = {"CG": 23.83, "CM": 23.03, "CR": 26.50, "CUF": 22.87, "CUR": 13.26}
TASKS = {"CG": "completion", "CM": "modification", "CR": "review", "CUF": "understanding", "CUR": "understanding"}
CRITERION = "grading:\n  keywords:\n    - alpha\n    - beta\n"
WORDS = ("gamma", "alpha", "alpha beta")


def _run(capsys: pytest.CaptureFixture[str], *words: object) -> Any:
    capsys.readouterr()
    assert main([*map(str, words), "--json"]) == 0, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A release of five tasks with four items each, and three models that answer them unlike each other."""
    rows = [
        {"id": f"{name}{n}", "title": f"{name} {n}", "prompt": f"{name} {n}", "reference": "alpha beta",
         "language": "python", "task": task, "criterion": CRITERION,
         "extra": {"direction": "reverse"} if name == "CUR" else {}}
        for name, task in TASKS.items()
        for n in range(4)
    ]  # fmt: skip
    answers = [
        {"subject": row["id"], "model": f"model-{m}", "response": WORDS[(place * (m + 2) + place // 4 + m) % 3]}
        for m in range(3)
        for place, row in enumerate(rows)
        if not (m == 2 and row["task"] == "review")
    ]
    project_of_rows(tmp_path / "p.annotator", rows, release="1.0", answers=answers).close()
    return tmp_path / "p.annotator"


def test_it_equals_a_calculation_by_hand(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = projects.open_project(project)
    data = score_data.load_results(store)
    made = named_tables.make_table(store, data, "coco-score")
    names = {item.subject_id: item.title.split()[0] for item in data.items}
    inverse = {task: 1 / mu for task, mu in MU.items()}
    for row in made.rows:
        cells = dict(zip(made.headers, row, strict=True))
        by_task: dict[str, list[float]] = defaultdict(list)
        for subject, score in data.by_item(data.place(cells["model"].text)).items():
            by_task[names[subject]].append(score)
        shares = {task: fmean(values) for task, values in by_task.items()}
        total = sum(inverse[task] for task in shares)
        by_hand = sum(inverse[task] * share for task, share in shares.items()) / total
        assert cells["CoCo-Score %"].number == pytest.approx(100 * by_hand)
        for task in MU:
            expected = pytest.approx(100 * shares[task]) if task in shares else None
            assert cells[task].number == expected
        assert cells["tasks"].number == len(shares)
        assert 0 <= (cells["DAPR %"].number or 0) <= 100 and cells["own weights %"].number is not None
    assert {row[-1].number for row in made.rows} == {4, 5}
    assert any("CUR 0.311295" in note for note in made.notes)
    chart = figures.chart_of(made)
    assert isinstance(chart, figures.Bars) and chart.label == "CoCo-Score %"
    store.close()
    shown = _run(capsys, "results", project, "--table", "coco-score")
    assert len(shown["rows"]) == 3


def test_the_direction_is_the_runs_own(project: Path) -> None:
    store = projects.open_project(project)
    data = score_data.load_results(store)
    entry = data.entries[0]
    back = replace(entry, run=replace(entry.run, settings={"protocol": {"direction": "reverse"}}))
    items = {item.title.split()[0]: item for item in data.items}
    assert [coco_task(items[name], entry) for name in TASKS] == list(TASKS)
    assert coco_task(items["CUF"], back) == "CUR" and coco_task(items["CG"], back) == "CG"
    other = replace(data, items=tuple(replace(item, task="question") for item in data.items))
    with pytest.raises(BadInputError, match="No item of this release"):
        named_tables.make_table(store, other, "coco-score", TableOptions())
    store.close()
