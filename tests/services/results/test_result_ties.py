"""Equal scores have one rank in page, command, report and export; hard names and gaps in every table and figure."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.__main__ import main
from annotator.base.errors import BadInputError
from annotator.figures.chart_data import Lines
from annotator.figures.drawing import draw_chart, draw_picture
from annotator.formats.write.leaderboard_writer import leaderboard_tables
from annotator.formats.write.table_writer import FORMATS, render_table
from annotator.metrics.scores.score_board import heat_map, item_best_of_ks
from annotator.services.project import projects
from annotator.services.results import (
    error_labels,
    figures,
    named_tables,
    published_tables,
    responses,
    result_tables,
    score_data,
)
from annotator.services.results.result_tables import TableOptions
from annotator.services.runs import run_control
from annotator.store.file.project_file import ProjectFile
from tests.formats.releases import write_rows
from tests.result_projects import LONG, NAMES, build

QUICK = TableOptions(draws=50)


@pytest.fixture(scope="module")
def hard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProjectFile]:
    store = build(tmp_path_factory.mktemp("hard") / "p.annotator", len(NAMES), items=14, samples=5)
    yield store
    store.close()


@pytest.fixture(scope="module")
def board(hard: ProjectFile) -> score_data.ResultData:
    return score_data.load_results(hard)


def _ranks(store: ProjectFile, data: score_data.ResultData) -> dict[str, str]:
    table = named_tables.make_table(store, data, "leaderboard")
    return {row[1].text: row[0].text for row in table.rows}


def test_ties_have_one_rank_everywhere(
    hard: ProjectFile, board: score_data.ResultData, capsys: pytest.CaptureFixture[str]
) -> None:
    ranks = _ranks(hard, board)
    first, second = ranks["twin-a-7b"], ranks["twin-b-7b"]
    assert first == second and sorted(map(int, ranks.values())).count(int(first)) == 2
    assert str(int(first) + 1) not in ranks.values()
    note = named_tables.make_table(hard, board, "leaderboard").notes
    assert any("1, 1, 3" in line for line in note)
    # Rank intervals, the records behind the plain command, and the page that is published.
    spread = named_tables.make_table(hard, board, "rank-intervals", QUICK)
    assert {row[0].text: row[4].text for row in spread.rows} == ranks
    assert {row.model: str(row.rank) for row in result_tables.make_leaderboard(board).rows} == ranks
    shown = leaderboard_tables(result_tables.make_leaderboard(board))[0]
    assert {row[1].text: row[0].text for row in shown.rows} == ranks
    capsys.readouterr()
    for options in (("--csv",), ("--table", "leaderboard", "--csv")):
        assert main(["results", str(hard.path), *options]) == 0
        lines = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
        assert {line["model"]: line["rank"] for line in lines} == ranks
    assert main(["results", str(hard.path), "--json"]) == 0
    assert {row["model"]: str(row["rank"]) for row in json.loads(capsys.readouterr().out)["rows"]} == ranks


def test_ties_of_a_published_table_share_the_rank_as_well(hard: ProjectFile, tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    rows = {"a": [1], "b": [3], "c": [3], "d": [None]}
    path.write_text(json.dumps({"name": "tied", "columns": ["score"], "rows": rows}))
    published_tables.import_published(hard, path)
    table = published_tables.make_published_table(published_tables.published_named(hard, "tied"), "leaderboard", QUICK)
    assert [(row[0].text, row[1].text) for row in table.rows] == [("1", "b"), ("1", "c"), ("3", "a"), ("n/a", "d")]


@pytest.mark.parametrize(
    "name",
    [name for name in named_tables.TABLES if name not in ("ranks", "releases", "recall", "coco-score", "labels")],
)
def test_hard_names_gaps_and_zeros_in_every_table_form_and_figure(
    hard: ProjectFile, board: score_data.ResultData, name: str
) -> None:
    table = named_tables.make_table(hard, board, name, QUICK)
    assert table.rows and all(len(row) == len(table.headers) for row in table.rows)
    for form in FORMATS:
        assert not re.search(r"\b(nan|inf|None)\b", render_table(table, form))
    assert all(len(note) < 1000 for note in table.notes)
    if figures.has_chart(name):
        chart = figures.build_chart(table)
        for dark in (False, True):
            assert draw_chart(chart, "svg", dark=dark).startswith(b"<?xml")


def test_gaps_are_said_and_not_counted(hard: ProjectFile, board: score_data.ResultData) -> None:
    heat = named_tables.make_table(hard, board, "domains")
    assert "Left out of the mean, because no item was scored: unanswered." in heat.notes
    gaps = next(row for row in heat.rows if row[0].text == "gaps-13b")
    assert [cell.text for cell in gaps].count("n/a") >= 4
    weighted = named_tables.make_table(hard, board, "weighted")
    assert "unanswered" not in weighted.headers and any("unanswered" in note for note in weighted.notes)
    assert weighted.rows[0][0].text == "ones-34b" and weighted.rows[-1][0].text == "zeros-1b"
    dsi = named_tables.make_table(hard, board, "dsi", QUICK)
    assert any(
        note.startswith("Left out, because every model was scored on too few of their items") for note in dsi.notes
    )
    assert any(LONG in row[0].text for row in dsi.rows)
    corr = figures.build_chart(named_tables.make_table(hard, board, "correlation"))
    at = corr.rows.index("unanswered")  # type: ignore[union-attr]
    assert corr.values[at][at] is None  # type: ignore[union-attr,index]


def test_groups_say_which_k_they_count_by(hard: ProjectFile, board: score_data.ResultData) -> None:
    assert not any("best of" in note for note in named_tables.make_table(hard, board, "domains").notes)
    best = named_tables.make_table(hard, score_data.load_results(hard, k=5), "domains")
    assert "Each item's score is the best of 5 samples, which is pass@5 for scores of 0 and 1." in best.notes
    with pytest.raises(BadInputError, match=r"The best of 500 needs 500 samples of an item; the runs have \d+ at most"):
        score_data.load_results(hard, k=500)


def test_an_endless_interval_of_sizes_is_said_in_a_few_words(hard: ProjectFile, board: score_data.ResultData) -> None:
    notes = named_tables.make_table(hard, board, "scaling").notes
    assert all(len(word) < 30 for note in notes[:2] for word in note.split())


def test_only_labels_of_failed_responses_are_counted(hard: ProjectFile, board: score_data.ResultData) -> None:
    run = board.entries[board.place("twin-a-7b")].run.id
    rows = responses.responses_of_run(hard, responses.load_run_data(hard, run), run)
    passed = next(row for row in rows if row.outcome == "pass")
    failed = next(row for row in rows if row.outcome not in ("pass", "machinery"))
    error_labels.label_failed_responses(hard, [passed.response_id, failed.response_id], "odd one")
    counts = error_labels.count_labels_of_runs(hard, {run: 7, "none": 0})
    assert counts[run].counts == (("odd one", 1),) and counts[run].failed == 7 and counts["none"].counts == ()
    assert error_labels.count_labels(hard, run).counts == counts[run].counts


def test_batches_of_a_run_beside_one_with_more_samples(hard: ProjectFile, tmp_path: Path) -> None:
    store = build(tmp_path / "w.annotator", 1, items=3, samples=10)
    lines = [
        {"subject": f"i{n:03d}", "model": "more", "sample": sample, "response": "alpha beta" if sample else "gamma"}
        for n in range(3)
        for sample in range(20)
    ]
    run_control.start_replay(store, "1.0", write_rows(tmp_path / "more.jsonl", lines))
    table = named_tables.make_table(store, score_data.load_results(store), "passes")
    at = table.headers.index("avg_max_10 %")
    cells = {row[0].text: [cell.text for cell in row[at : at + 3]] for row in table.rows}
    assert cells["more"] == ["100.00", "0.00", "0.00"]
    # One batch has no deviation over batches, but a mean and an error over items.
    assert cells[LONG][1] == "n/a" and "n/a" not in (cells[LONG][0], cells[LONG][2])
    store.close()


def test_best_of_k_says_of_how_many_items_it_is(tmp_path: Path) -> None:
    store = build(tmp_path / "n.annotator", 1, items=4, samples=5)
    alike = named_tables.make_table(store, score_data.load_results(store), "passes")
    assert alike.column("best@5 items").numbers == (4,)
    assert not any("different items" in note for note in alike.notes)
    lines = [
        {"subject": f"i{n:03d}", "model": "few", "sample": sample, "response": "alpha beta"}
        for n in range(3)
        for sample in range(5 if n else 1)
    ]
    run_control.start_replay(store, "1.0", write_rows(tmp_path / "few.jsonl", lines))
    table = named_tables.make_table(store, score_data.load_results(store), "passes")
    counts = {row[0].text: [row[table.headers.index(f"best@{k} items")].number for k in (1, 5)] for row in table.rows}
    assert counts["few"] == [3, 2] and counts[LONG] == [4, 4]
    told = [note for note in table.notes if "different items" in note]
    assert len(told) == 1 and "best@1 (3), best@3 (2), best@5 (2)" in told[0]
    store.close()


@pytest.mark.parametrize("models", [0, 1])
def test_boards_of_no_and_of_one_model(tmp_path: Path, models: int) -> None:
    store = build(tmp_path / "p.annotator", models, items=3, samples=2)
    data = score_data.load_results(store)
    for name in named_tables.TABLES:
        try:
            table = named_tables.make_table(store, data, name, QUICK)
        except BadInputError as problem:
            assert problem.message.endswith(".")
            continue
        if figures.has_chart(name):
            assert draw_picture(figures.build_chart(table), (480, 320)).png.startswith(b"\x89PNG")
    store.close()
    assert projects.open_project(store.path, read_only=True).read_only


def test_best_of_k_has_a_line_for_each_group_where_one_is_asked_for(hard: ProjectFile) -> None:
    data = score_data.load_results(hard)
    whole = named_tables.make_table(hard, data, "passes")
    split = named_tables.make_table(hard, data, "passes", TableOptions(passes_by="language"))
    names = {name for name in data.groups("language") if name}
    assert len(names) > 1 and {row[1].text for row in split.rows} == names
    assert len(split.rows) == len(names) * len(whole.rows) and split.headers[1] == "language"
    board = heat_map(item_best_of_ks(data.cube, (1,))[1], data.groups("language"))
    first = split.rows[0]
    at = board.groups.index(first[1].text)
    assert first[split.headers.index("best@1 %")].number == pytest.approx(100 * board.cell(0, at).value)  # type: ignore[union-attr]  # it has scores
    drawn = figures.build_chart(split)
    assert isinstance(drawn, Lines) and drawn.series[0].name == f"{first[0].text}, {first[1].text}"
