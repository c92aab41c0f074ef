"""Results from columns: the same numbers as from rows, kept and dropped, in every table."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import pytest

from annotator.__main__ import main
from annotator.base.errors import BadInputError, UsageError
from annotator.figures.chart_data import Bars, Heat, Intervals
from annotator.figures.drawing import draw_chart
from annotator.formats.write.table_writer import FORMATS, render_table, table_document
from annotator.metrics.scores.scaling import ScalingPoint
from annotator.model.rows.release_rows import summarize_overrides
from annotator.model.rows.result_rows import Column, Overall, Table, Target
from annotator.model.vocabulary import Verdict
from annotator.services.criterion import revisions
from annotator.services.project import projects, undo
from annotator.services.release import exports, versions
from annotator.services.results import (
    comparisons,
    error_labels,
    figures,
    health,
    named_tables,
    report,
    response_explanation,
    responses,
    result_tables,
    score_data,
)
from annotator.services.results.comparisons import scaling_table
from annotator.services.results.result_tables import TableOptions
from annotator.services.runs import run_control
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.file.project_file import ProjectFile
from annotator.store.runs import score_columns, stored_answers
from tests.template_projects import copy_project, project_of_rows

CRITERION = "grading:\n  keywords:\n    - alpha\n    - beta\n"
DOMAINS = ("text", "web")


def build(folder: Path, models: int, items: int, samples: int, *, version: str = "1.0") -> ProjectFile:
    """Open a project with a release and recorded answers that earn 0, half or all points."""
    path = folder / "p.annotator"
    shape = (models, items, samples, version)
    copy_project(path, ("results", *shape), partial(_build_project, shape=shape))
    return projects.open_project(path)


def _build_project(path: Path, shape: tuple[int, int, int, str]) -> None:
    models, items, samples, version = shape
    rows = [
        {"id": f"i{n}", "title": f"Item {n}", "prompt": f"Question {n}" * (n + 1), "reference": "alpha beta",
         "language": "python" if n % 2 else "go", "domain": DOMAINS[n % 2], "task": "question", "criterion": CRITERION,
         "provenance": {"repository": f"r{n % 3}"}}
        for n in range(items)
    ]  # fmt: skip
    source = path.with_suffix(".jsonl")
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    store = projects.create_project(path, "Results", "Ada")
    imports.import_paths(store, "jsonl", [source])
    triage.decide_subjects(store, [f"jsonl:i{n}" for n in range(items)], Verdict.ACCEPT)
    for n in range(items):
        revisions.save_criterion(store, f"jsonl:i{n}", CRITERION)
    versions.create_release(store, version, override_reason="a test")
    answers(store, path.parent, models, items, samples)
    store.close()


def answers(store: ProjectFile, folder: Path, models: int, items: int, samples: int, seed: int = 0) -> None:
    rng = random.Random(seed)
    words = ("gamma", "alpha", "alpha beta")
    lines = [
        {"subject": f"i{n}", "model": f"model-{m}-{m + 1}b", "response": words[rng.choice((0, 1, 2, 2 if m else 0))]}
        for m in range(models)
        for n in range(items)
        for _ in range(samples)
    ]
    path = folder / f"answers{seed}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    run_control.start_replay(store, None, path)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProjectFile]:
    store = build(tmp_path_factory.mktemp("results"), models=5, items=12, samples=3)
    yield store
    store.close()


@pytest.fixture
def own(tmp_path: Path) -> Iterator[ProjectFile]:
    store = build(tmp_path, models=2, items=4, samples=2)
    yield store
    store.close()


def _slow_means(store: ProjectFile) -> dict[str, float]:
    """Compute every model's score from rows, the plain way."""
    from annotator.store.runs import stored_runs

    found = {}
    with store.read() as db:
        for run in stored_runs.fetch_run_rows(db):
            scores: dict[str, list[float]] = {}
            for item in stored_runs.scored_samples(db, run.id):
                if item.score is not None and item.score.score is not None:
                    scores.setdefault(item.response.subject_id, []).append(item.score.score)
            found[run.model] = fmean(map(fmean, scores.values()))
    return found


def test_columns_give_what_rows_give(shared: ProjectFile) -> None:
    board = result_tables.load_leaderboard(shared)
    assert {row.model: pytest.approx(row.score) for row in board.rows} == _slow_means(shared)
    assert [row.rank for row in board.rows] == sorted(row.rank for row in board.rows)
    table = named_tables.make_table(shared, score_data.load_results(shared), "leaderboard")
    assert [row[3].number for row in table.rows] == [pytest.approx(100 * (row.score or 0)) for row in board.rows]
    assert all(row[11].number == 36 for row in table.rows if table.headers[11] == "samples")


def test_kept_columns_are_read_and_dropped_when_a_score_changes(own: ProjectFile) -> None:
    data = score_data.load_results(own)
    run = data.entries[0].run.id
    with own.read() as db, own.reader() as connection:
        kept = score_columns.cached_columns(connection, [run])[run]
        assert kept.scores.tolist() == stored_answers.gather_columns(db, run).scores.tolist()
    with own.write() as db:
        execute = db.connection().exec_driver_sql
        response = execute("SELECT id FROM response WHERE run_id = ? LIMIT 1", (run,)).scalar()
        execute(
            "INSERT INTO score (response_id, criterion_hash, score, outcome, detail, created_at) "
            "VALUES (?, 'new', 0.25, 'partial', '{}', '9999')",
            (response,),
        )
        # A score of another criterion counts once the run counts by its newest scores.
        execute("UPDATE run SET score_set_id = NULL WHERE id = ?", (run,))
    with own.reader() as connection:
        assert run not in score_columns.cached_columns(connection, [run])
    again = score_data.load_results(own)
    with own.write() as db:
        db.connection().exec_driver_sql("UPDATE run SET reason = 'resumed' WHERE id = ?", (run,))
    with own.reader() as connection:
        assert run not in score_columns.cached_columns(connection, [run])
    assert 0.25 in again.columns[0].scores.tolist()


def test_a_project_that_is_read_only_shows_its_results(own: ProjectFile, tmp_path: Path) -> None:
    with own.write() as db:
        db.connection().exec_driver_sql("DELETE FROM run_scores")
    before = result_tables.load_leaderboard(own)
    with own.write() as db:
        db.connection().exec_driver_sql("DELETE FROM run_scores")
    own.close()
    store = projects.open_project(tmp_path / "p.annotator", read_only=True)
    assert result_tables.load_leaderboard(store) == before
    store.close()


def test_machinery_leaves_the_problem_out_and_is_said(own: ProjectFile) -> None:
    with own.write() as db:
        db.connection().exec_driver_sql(
            "UPDATE score SET score = NULL, outcome = 'machinery' WHERE response_id = "
            "(SELECT id FROM response WHERE run_id IS NOT NULL ORDER BY run_id LIMIT 1)"
        )
    table = named_tables.make_table(own, score_data.load_results(own), "leaderboard")
    assert {cell.text for row in table.rows for cell in row if " of " in cell.text and cell.number} == {
        "3 of 4", "4 of 4"}  # fmt: skip
    assert any("1 samples could not be scored" in note for note in table.notes)


@pytest.mark.parametrize("name", [name for name in named_tables.TABLES if name not in ("ranks", "releases")])
@pytest.mark.parametrize("size", [(1, 1, 1), (5, 12, 3)], ids=["one", "five"])
def test_every_table_in_every_format(name: str, size: Any, shared: ProjectFile, tmp_path: Path) -> None:
    store = shared if size[0] == 5 else build(tmp_path, *size)
    data = score_data.load_results(store)
    options = TableOptions(draws=200, minimum=2)
    try:
        table = named_tables.make_table(store, data, name, options)
    except BadInputError:
        # One model has nobody to be compared with, and these items are of no repository, review or task of CoCo-Bench.
        assert (name in ("compare", "pairs") and size[0] == 1) or name in ("recall", "labels", "coco-score")
        return
    assert all(len(row) == len(table.headers) for row in table.rows)
    assert "nan" not in render_table(table, "json").lower()
    for form in FORMATS:
        assert render_table(table, form)
    if figures.has_chart(name):
        path = tmp_path / f"{name}.svg"
        figures.write_figure(table, path)
        assert path.read_bytes().startswith(b"<?xml")
    if size[0] == 1:
        store.close()


def test_groups_are_means_of_their_items(shared: ProjectFile) -> None:
    data = score_data.load_results(shared)
    for by, names in (("domain", DOMAINS), ("language", ("go", "python")), ("type", ())):
        table = named_tables.make_table(shared, data, "domains", TableOptions(by=by, minimum=2))
        assert table.headers[1 : 1 + len(names)] == tuple(sorted(names))
        for at, row in enumerate(table.rows):
            for place, name in enumerate(sorted(names), start=1):
                chosen = [v for v, g in zip(data.row(at), data.groups(by), strict=True) if g == name]
                assert row[place].number == pytest.approx(100 * fmean(chosen))
                assert row[place].target == Target("items", data.entries[at].run.id, by, name)
    with pytest.raises(BadInputError, match="cannot be grouped by colour"):
        named_tables.make_table(shared, data, "domains", TableOptions(by="colour"))


def test_a_cell_opens_its_items_and_an_item_its_answers(shared: ProjectFile) -> None:
    data = score_data.load_results(shared)
    rows = responses.responses_of_run(
        shared, responses.load_run_data(shared, data.entries[1].run.id), data.entries[1].run.id, "domain", "web"
    )
    assert len(rows) == 6 * 3 and {row.domain for row in rows} == {"web"}
    answers = responses.responses_to_item(shared, data, rows[0].subject_id)
    assert len(answers) == 5 * 3 and {row.model for row in answers} == {entry.label for entry in data.entries}
    found = response_explanation.explain_response(shared, answers[0].response_id, data)
    assert found.detail.key == rows[0].key and len(found.others) == 14
    assert [rule.label for rule in found.rules] == ["alpha", "beta"]
    assert all(rule.total for rule in found.rules)
    assert any(row.act for row in found.history)
    with pytest.raises(BadInputError, match="no such response"):
        response_explanation.explain_response(shared, "nothing")
    with pytest.raises(BadInputError, match="no such run"):
        responses.responses_of_run(shared, responses.load_run_data(shared, "nothing"), "nothing")


def test_highlights_and_the_difference_to_the_reference(shared: ProjectFile) -> None:
    data = score_data.load_results(shared)
    rows = [
        row
        for entry in data.entries
        for row in responses.responses_of_run(shared, responses.load_run_data(shared, entry.run.id), entry.run.id)
    ]
    half = next(row for row in rows if row.outcome == "partial")
    found = response_explanation.explain_response(shared, half.response_id)
    assert [rule.matched for rule in found.rules] == [True, False]
    start, end = found.rules[0].spans[0]
    assert found.detail.text[start:end] == "alpha"
    assert "".join(part.text for part in found.diff if part.kind != "added") == found.detail.reference


def test_comparing_two_models(shared: ProjectFile) -> None:
    data = score_data.load_results(shared)
    options = TableOptions(a="model-1-2b", b="model-2-3b", draws=500)
    table = named_tables.make_table(shared, data, "compare", options)
    a, b = data.by_item(data.place("model-1-2b")), data.by_item(data.place("model-2-3b"))
    mean = 100 * fmean(a[key] - b[key] for key in a)
    assert f"{mean:+.2f} points" in table.notes[0]
    assert len(table.rows) == sum(a[key] != b[key] for key in a)
    gaps = [100 * (a[key] - b[key]) for key in a]
    # Section 1.13: the paired difference with its interval, by Student's t for 12 items.
    half = 2.2009851600829 * stdev(gaps) / math.sqrt(12)
    assert table.overall is not None and len(gaps) == 12
    assert table.overall == pytest.approx((mean, mean - half, mean + half, 12), abs=1e-9)
    chart = figures.build_chart(table)
    assert isinstance(chart, Bars) and chart.mean is not None
    assert chart.mean == ("mean of 12 items", *table.overall[:3])
    assert "95 % interval" in chart.label
    assert table_document(table)["overall"]["low"] == table.overall.low
    same = replace(table.with_rows([]), overall=Overall(0.0, None, None, 12))
    assert draw_chart(figures.build_chart(same), "png", dark=True).startswith(b"\x89PNG")
    assert {row[5].text for row in table.rows} <= {"model-1-2b", "model-2-3b"}
    for names in (("model-1-2b", "model-1-2b"), ("model-1-2b", "nobody")):
        with pytest.raises(BadInputError):
            named_tables.make_table(shared, data, "compare", TableOptions(a=names[0], b=names[1]))


def test_every_pair_is_tested_with_holms_p_for_all_of_them(shared: ProjectFile) -> None:
    data = score_data.load_results(shared)
    table = named_tables.make_table(shared, data, "pairs")
    names = [entry.label for entry in data.entries]
    assert len(table.rows) == len(names) * (len(names) - 1) // 2
    ps = sorted((row[5].number, row[6].number) for row in table.rows if row[5].number is not None)
    assert ps and all(isinstance(p, float) and isinstance(whole, float) and p <= whole <= 1 for p, whole in ps)
    # The smallest is multiplied by their number, the next by one fewer, and none falls behind the one before it.
    largest = 0.0
    for place, (p, whole) in enumerate(ps):
        largest = max(largest, min(1.0, (len(ps) - place) * float(p or 0)))
        assert whole == pytest.approx(largest)
    for one, other, gap, *_, differs in table.rows:
        a, b = data.by_item(data.place(one.text)), data.by_item(data.place(other.text))
        assert gap.number == pytest.approx(100 * fmean(a[key] - b[key] for key in a))
        assert differs.text in ("", "yes")


def test_figures_say_how_many_items_there_are(shared: ProjectFile) -> None:
    data = score_data.load_results(shared)
    board = figures.build_chart(named_tables.make_table(shared, data, "leaderboard"))
    assert isinstance(board, Intervals) and board.label.endswith("n = 12 items")
    heat = figures.build_chart(named_tables.make_table(shared, data, "domains"))
    assert isinstance(heat, Heat) and all(name.endswith(", n = 6") for name in heat.columns)


def test_a_figure_of_two_models_shows_the_largest_differences_on_both_sides() -> None:
    columns = (
        Column.of_texts("key", [f"k{n}" for n in range(100)]),
        Column.of_texts("title", [f"Item {n}" for n in range(100)]),
        Column.of_numbers("x", [0.0] * 100),
        Column.of_numbers("y", [0.0] * 100),
        Column.of_numbers("difference", [float(n - 50) for n in range(100)]),
        Column.of_texts("better", [""] * 100),
    )
    chart = figures.build_chart(Table(name="compare", title="t", columns=columns))
    assert isinstance(chart, Bars) and len(chart.names) == 24 and "24 largest of 100" in chart.label
    assert chart.values == (*(float(n) for n in range(49, 37, -1)), *(float(n) for n in range(-39, -51, -1)))


def test_releases_are_compared_on_what_both_have(own: ProjectFile, tmp_path: Path) -> None:
    from annotator.services.prompt import paraphrases

    paraphrases.save_prompt(own, "jsonl:i0", "Another question.")
    versions.create_release(own, "1.1", override_reason="a test")
    answers(own, tmp_path, 2, 4, 2, seed=1)
    data = score_data.load_results(own, "1.1")
    table = named_tables.make_table(own, data, "releases", TableOptions(other_version="1.0"))
    assert all(row[3].number == 3 for row in table.rows) and "3 items have the same" in table.notes[0]
    with pytest.raises(BadInputError, match="Choose the release"):
        named_tables.make_table(own, data, "releases")


def test_items_are_sent_back_and_responses_labelled_and_both_undone(own: ProjectFile) -> None:
    data = score_data.load_results(own)
    row = responses.responses_of_run(own, responses.load_run_data(own, data.entries[0].run.id), data.entries[0].run.id)[
        0
    ]
    changes = health.reopen_items(own, [row.key], "everyone fails")
    assert triage.load_subject(own, row.key).row.verdict is None and changes.subjects == {row.subject_id}
    assert triage.load_subject_history(own, row.key)[0].detail == "everyone fails"
    undo.undo_last_act(own)
    assert triage.load_subject(own, row.key).row.verdict == "accept"
    error_labels.label_failed_responses(own, [row.response_id], "too slow", "by far")
    assert [label.label for label in response_explanation.explain_response(own, row.response_id).labels] == ["too slow"]
    undo.undo_last_act(own)
    assert response_explanation.explain_response(own, row.response_id).labels == ()
    with pytest.raises(BadInputError):
        error_labels.label_failed_responses(own, ["nothing"], "other")


def test_failed_responses_are_counted_by_label_and_found_again(own: ProjectFile) -> None:
    data = score_data.load_results(own)
    run = data.entries[-1].run.id
    failed = [
        row
        for row in responses.responses_of_run(own, responses.load_run_data(own, run), run)
        if row.outcome not in ("pass", "machinery")
    ]
    error_labels.label_failed_responses(own, [failed[0].response_id], "logic error")
    error_labels.label_failed_responses(own, [failed[1].response_id], "wrong library")
    table = named_tables.make_table(own, data, "errors")
    assert table.headers[-2:] == ("wrong library", "labelled differently")
    row = table.rows[-1]
    counts = {name: cell.text for name, cell in zip(table.headers, row, strict=True)}
    assert counts["failed"] == str(len(failed)) and counts["not labelled"] == str(len(failed) - 2)
    assert counts["logic error"] == counts["wrong library"] == "1" and counts["vague requirement"] == "0"
    for name, cell in zip(table.headers[1:-1], row[1:-1], strict=True):
        assert cell.target is not None
        assert str(len(responses.load_failed_rows(own, data, cell.target))) == counts[name]
    undo.undo_last_act(own)
    undo.undo_last_act(own)


def test_protocols_stay_apart(own: ProjectFile) -> None:
    with own.write() as db:
        db.connection().exec_driver_sql(
            "UPDATE run SET preset = 'pass@2' WHERE model_id = (SELECT id FROM model_under_test ORDER BY name LIMIT 1)"
        )
    data = score_data.load_results(own)
    assert {entry.label for entry in data.entries} == {"model-0-1b · pass@2", "model-1-2b · replay"}
    assert [entry.k for entry in data.entries] == [2, None]
    best = [max(data.cube.values[0, at]) for at in range(4)]
    assert data.row(0).tolist() == pytest.approx(best)
    assert len(score_data.load_results(own, protocol="replay").entries) == 1
    with pytest.raises(BadInputError, match="protocol nope"):
        score_data.load_results(own, protocol="nope")
    with pytest.raises(BadInputError, match="no finished run xyz"):
        score_data.load_results(own, runs=["xyz"])
    with pytest.raises(BadInputError, match="two models"):
        named_tables.make_table(own, data, "compare")


def test_ranks_against_another_benchmark(shared: ProjectFile, tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    path.write_text("model,score\n" + "".join(f"model-{m}-{m + 1}b,{50 - m}\n" for m in range(5)))
    scores = comparisons.read_other_scores(path)
    table = named_tables.make_table(shared, score_data.load_results(shared), "ranks", TableOptions(scores=scores))
    assert len(table.rows) == 5 and "5 common models" in table.notes[0]
    path.write_text(json.dumps(scores))
    assert comparisons.read_other_scores(path) == scores
    for text in ("", "{", '{"a": "b"}', "a,1\nb,x\n", '{"a": NaN}', '{"a": true}', "\x00"):
        path.write_text(text)
        with pytest.raises(BadInputError):
            comparisons.read_other_scores(path)
    path.write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(BadInputError):
        comparisons.read_other_scores(path)
    with pytest.raises(BadInputError, match="--against"):
        named_tables.make_table(shared, score_data.load_results(shared), "ranks")


def test_the_report_holds_everything_and_where_it_comes_from(shared: ProjectFile, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    written = report.write_report(shared, path, options=TableOptions(draws=100, minimum=2))
    text = path.read_text("utf-8")
    assert "leaderboard" in written.tables and not any("http" in part for part in text.split("src=")[1:2])
    for entry in score_data.load_results(shared).entries:
        assert entry.run.id in text
    assert text.count("data:image/svg+xml") >= 8 and "Content-Security-Policy" in text
    with pytest.raises(BadInputError, match="no release 9"):
        report.write_report(shared, path, "9")


def test_tables_are_safe_where_they_are_opened(tmp_path: Path) -> None:

    evil = '=HYPERLINK("x")|<script>_$\\\n%'
    table = Table(
        name="t",
        title=evil,
        columns=(Column.of_texts("model", [evil]), Column.of_numbers("score", [-1.0])),
        notes=(evil,),
    )
    assert "\n\"'=HYPERLINK" in render_table(table, "csv") and ",-1.00" in render_table(table, "csv")
    assert r"\textbackslash{}" in render_table(table, "latex") and r"\%" in render_table(table, "latex")
    assert "<script>" not in render_table(table, "markdown").replace(r"\<script\>", "")
    assert table_document(table)["rows"] == [{"model": evil, "score": -1.0}]
    with pytest.raises(UsageError, match="csv, json, latex, markdown"):
        render_table(table, "xml")
    with pytest.raises(BadInputError, match="no figure of t"):
        figures.build_chart(table)


def test_a_scaling_line_through_points_chosen_by_hand() -> None:
    points = [ScalingPoint("a", 1.0, 30.0), ScalingPoint("b", 10.0, 50.0), ScalingPoint("c", 100.0, 60.0)]
    envelope = scaling_table("t", points, [], None)
    assert [row[-1].text for row in envelope.rows] == ["yes", "yes", "yes"]
    ticked = scaling_table("t", points, [], 70.0, None, ("a", "b"))
    assert [row[-1].text for row in ticked.rows] == ["yes", "yes", ""]
    # Twenty points for every ten times the size.
    assert ticked.notes[0].startswith("score = 30.00 + 20.00") and "70.00 at 100.0B" in ticked.notes[1]
    assert any("by hand" in note for note in ticked.notes)
    assert scaling_table("t", points, [], None, None, ("nobody",)) == envelope


def test_recall_of_dependencies_from_recorded_programs(tmp_path: Path) -> None:
    needs = {"intra_class": [], "intra_file": ["pkg.core.half", "pkg.core.STEP"], "cross_file": ["pkg.io.save"]}
    rows = [
        {"id": name, "title": name, "prompt": "Write it.", "reference": "pass", "language": "python",
         "entry_point": "f", "task": "question", "criterion": CRITERION, "provenance": {"path": "src/pkg/core.py"},
         "dependencies": found}
        for name, found in (("used", needs), ("alone", {key: [] for key in needs}))
    ]  # fmt: skip
    programs = ("def f(x):\n    return half(x)\n", "def f(x:", "def f(x):\n    save(half(STEP), other)\n")
    lines = [{"subject": name, "model": "m", "response": code} for name in ("used", "alone") for code in programs]
    store = project_of_rows(tmp_path / "p.annotator", rows, release="1.0", answers=lines)
    table = named_tables.make_table(store, score_data.load_results(store), "recall")
    shown = dict(zip(table.headers, [cell.text for cell in table.rows[0]], strict=True))
    # Recalls are 1/3, 0 and 1; of the names of the first all are the reference's, of the last three of four.
    assert (shown["recall@1 %"], shown["first 1 %"]) == ("44.44", "33.33")
    assert (shown["recall@3 %"], shown["first 3 %"]) == ("100.00", "100.00")
    assert (shown["items"], shown["standalone"]) == ("1", "1")
    assert shown["precision %"] == "87.50"
    store.close()


def test_overrides_stand_wherever_scores_of_the_release_do(
    shared: ProjectFile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = score_data.load_results(shared)
    assert data.overrides and all("a test" in told for told in data.overrides)
    told = "Released with unmet gates: "
    for name in ("leaderboard", "domains", "items", "leakage"):
        notes = named_tables.make_table(shared, data, name).notes
        assert sum(note.startswith(told) and "a test" in note for note in notes) == 1, name
    assert result_tables.make_leaderboard(data).overrides == data.overrides
    assert main(["results", str(shared.path)]) == 0
    assert told in capsys.readouterr().out
    exports.export_release(shared, None, "leaderboard", tmp_path / "board")
    assert told in (tmp_path / "board" / "index.html").read_text("utf-8")
    for target in ("annotator", "huggingface"):
        exports.export_release(shared, None, target, tmp_path / target)
        card = (tmp_path / target / "README.md").read_text("utf-8")
        assert "## Overridden gates\n\n- " in card and "a test" in card, target


def test_of_many_overrides_the_first_are_told() -> None:
    assert summarize_overrides(("a.", "b")) == "a; b"
    assert summarize_overrides([str(number) for number in range(5)]) == "0; 1; 2; and 2 more"
