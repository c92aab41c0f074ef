"""Difficulty by pass rates and skill ratings: shown as tables, taken as labels, undone."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean

import pytest

from annotator.__main__ import main
from annotator.base.errors import BadInputError
from annotator.services.project import undo
from annotator.services.results import health, named_tables, score_data
from annotator.services.results.result_tables import TableOptions
from annotator.services.select import triage
from tests.services.results.test_result_tables import build


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
