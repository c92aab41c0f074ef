"""Difficulty by pass rates and skill ratings, as tables and labels; and the CoCo-Score of runs."""

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
from annotator.services.project import projects, undo
from annotator.services.results import figures, health, named_tables, score_data
from annotator.services.results.coco_score import coco_task
from annotator.services.results.result_tables import TableOptions
from annotator.services.select import triage
from tests.services.results.test_result_tables import build
from tests.template_projects import project_of_rows


def test_difficulty_follows_the_models(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    store = build(tmp_path, 5, 12, 3)
    data = score_data.load_results(store)
    table = named_tables.make_table(store, data, "difficulty", TableOptions())
    means = {item.key: fmean(float(data.row(at)[place]) for at in range(5)) for place, item in enumerate(data.items)}
    for row in table.rows:
        key, grade = row[0].text, row[3].text
        assert row[4].number == pytest.approx(100 * means[key]) and row[5].number == 5
        assert grade == ("easy" if means[key] > 0.6 else "hard" if means[key] < 0.2 else "medium")
        assert (row[2].text, row[6].text) == ("none", "yes")
    count, changes = health.apply_difficulty(store, data)
    assert count == 12 and changes.change_id
    found = {row[0].text: row[3].text for row in table.rows}
    assert {key: triage.load_subject(store, key).row.difficulty for key in found} == found
    with pytest.raises(BadInputError, match="No item"):
        health.apply_difficulty(store, data)
    undo.undo_last_act(store)
    assert {triage.load_subject(store, key).row.difficulty for key in found} == {""}
    store.close()
    path = tmp_path / "p.annotator"
    assert main(["results", str(path), "--set-difficulty", "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["items"] == 12
    assert main(["results", str(path), "--set-difficulty"]) == 3
    assert main(["results", str(path), "--table", "skill", "--json"]) == 0


def test_few_models_change_nothing(tmp_path: Path) -> None:
    store = build(tmp_path, 4, 6, 1)
    data = score_data.load_results(store)
    table = named_tables.make_table(store, data, "difficulty")
    assert all(row[6].text == "" and row[3].text == "" for row in table.rows) and "0 of 6" in table.notes[0]
    with pytest.raises(BadInputError, match="At least 5"):
        health.apply_difficulty(store, data)
    store.close()


def test_skill_ranks_models_by_passes_and_items_by_failures(tmp_path: Path) -> None:
    store = build(tmp_path, 5, 12, 3)
    data = score_data.load_results(store)
    table = named_tables.make_table(store, data, "skill", TableOptions(seed=3))
    assert table.rows == named_tables.make_table(store, data, "skill", TableOptions(seed=3)).rows, (
        "a seed repeats itself"
    )
    models = [row for row in table.rows if row[0].text == "model"]
    items = [row for row in table.rows if row[0].text == "item"]
    assert (len(models), len(items)) == (5, 12) and "60 games" in table.notes[0]
    for rows in (models, items):
        values = [row[3].number or 0.0 for row in rows]
        assert values == sorted(values, reverse=True)
        assert all((row[4].number or 0) < (row[3].number or 0) < (row[5].number or 0) for row in rows)
    passes = {item.key: sum(float(data.row(at)[place]) >= 0.5 for at in range(5))
              for place, item in enumerate(data.items)}  # fmt: skip
    best, worst = max(passes.values()), min(passes.values())
    skills = {row[1].text: row[3].number or 0.0 for row in items}
    easy = fmean(skills[key] for key, count in passes.items() if count == best)
    hard = fmean(skills[key] for key, count in passes.items() if count == worst)
    assert best > worst and hard > easy
    store.close()


# CoCo-Score of a project's own runs equals a calculation by hand from the scores that are shown.
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
    chart = figures.build_chart(made)
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
