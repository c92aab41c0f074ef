"""The results page: tables and figures, the way down to one response, acts, and what is missing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from sqlmodel import select

from annotator.metrics.scores.scaling import ScalingPoint
from annotator.model.changes import Changes
from annotator.model.tables.run_tables import Run
from annotator.services.results import error_labels, named_tables, score_data
from annotator.services.results.comparisons import scaling_table
from annotator.services.results.result_tables import TableOptions
from annotator.services.runs import run_control
from annotator.services.select import triage
from annotator.ui.pages.results.board import FIGURE, TABLE
from annotator.ui.pages.results.response_panel import DIFF
from annotator.ui.pages.results.result_controls import TABLES
from tests.windows import Wait, open_page, window_on

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from annotator.ui.app.main_window import MainWindow


@pytest.fixture
def page(window: MainWindow, wait: Wait) -> Iterator[Any]:
    found = open_page(window, "Results")
    wait(lambda: found.board.table.row_count() == 3)
    wait(lambda: found.panel.explanation is not None)
    yield found
    assert not window.error_bar.isVisible()


def test_results_go_down_to_one_response(page: Any, wait: Wait) -> None:
    assert page.items.row_count() == 42
    wait(lambda: page.panel.rules.row_count() > 0)
    assert page.panel.explanation.others and page.panel.explanation.history
    page.bar.choose("domains")
    wait(lambda: page.board.current_table.name == "domains")
    page.board.table.setCurrentIndex(page.board.table.model().index(1, 3))
    wait(lambda: "birch-medium · cryptography" in page.items_card.title)
    assert page.items.row_count() == 2
    row = page.items.payload_at(page.items.model().index(1, 0))
    page.items.select(1)
    wait(lambda: page.panel.explanation.detail.response_id == row.response_id)


def test_every_table_shows_what_the_service_gives(page: Any, wait: Wait, subtests: pytest.Subtests) -> None:
    store = page.session.store
    scores = score_data.load_results(store)
    asking = ("ranks", "releases", "audit", "quotas", "recall", "labels")
    for name in [name for name, *_ in TABLES if name not in asking]:
        with subtests.test(name):
            page.bar.choose(name)
            wait(lambda name=name: page.board.current_table is not None and page.board.current_table.name == name)
            wanted = page.bar.read_request()
            expected = named_tables.make_table(store, scores, name, TableOptions(draws=2000, a=wanted.a, b=wanted.b))
            assert page.board.current_table == expected
            assert page.board.table.row_count() == len(expected.rows)


def test_the_heat_map_opens_from_every_grouping(page: Any, wait: Wait) -> None:
    page.bar.choose("domains")
    for by in ("language", "type", "metric"):
        page.bar.by.setCurrentIndex(page.bar.by.findData(by))
        wait(lambda by=by: page.board.current_table is not None and by in page.board.current_table.title)
    assert page.board.current_table.name == "metric" and "keywords" in page.board.current_table.headers


def test_one_group_is_a_chart_of_dots_with_intervals(page: Any, window: MainWindow, wait: Wait) -> None:
    window.resize(1440, 900)
    page.bar.choose("domains")
    wait(lambda: page.bar.group.isVisible() and page.bar.group.count() > 2)
    group = page.bar.group.itemData(1)
    whole = page.board.current_table.column(group).numbers
    page.bar.group.setCurrentIndex(1)
    wait(lambda: page.board.current_table.name == "leaderboard")
    table = page.board.current_table
    assert sorted(table.column("score %").numbers, reverse=True) == list(table.column("score %").numbers)
    assert sorted(table.column("score %").numbers) == sorted(whole) and "from" in table.headers
    wait(lambda: page.board.figure.isVisible() and len(page.board.figure.marked_places()) == 3)
    page.board.table.select(0)
    wait(lambda: group in page.items_card.title)
    # The groups of another grouping are others.
    page.bar.by.setCurrentIndex(page.bar.by.findData("difficulty"))
    wait(lambda: page.board.current_table.name == "domains" and page.bar.group.currentIndex() == 0)


def test_one_k_of_the_best_of_k_is_chosen(page: Any, wait: Wait) -> None:
    page.bar.choose("passes")
    wait(lambda: page.board.current_table.name == "passes" and page.bar.k.isVisible())
    assert [page.bar.k.itemData(place) for place in range(page.bar.k.count())] == [None, 1, 2]
    page.bar.k.setCurrentIndex(2)
    wait(lambda: "best@1 %" not in page.board.current_table.headers)
    assert "best@2 %" in page.board.current_table.headers


def test_figures_are_drawn_and_follow_the_theme(page: Any, window: MainWindow, wait: Wait) -> None:
    page.board.faces.choose(FIGURE)
    wait(lambda: not page.board.figure.picture.pixmap().isNull())
    light = page.board.figure.picture.pixmap().toImage().pixelColor(2, 2).lightness()
    window.theme.set_mode("dark")
    wait(lambda: page.board.figure.picture.pixmap().toImage().pixelColor(2, 2).lightness() < light)
    window.theme.set_mode("light")
    page.bar.choose("leakage")
    wait(lambda: page.board.current_table is not None and page.board.current_table.name == "leakage")
    wait(lambda: "There is no figure" in page.board.message.text())
    page.board.faces.choose(TABLE)
    assert page.board.table.isVisible() and not page.board.figure.isVisible()


def test_a_figure_stands_beside_its_table_and_a_dot_opens_the_answers_behind_it(
    page: Any, window: MainWindow, wait: Wait
) -> None:
    board = page.board
    window.resize(1440, 900)
    wait(lambda: board.table.isVisible() and len(board.figure.marked_places()) == 3)
    opened: list[object] = []
    board.target_opened.connect(opened.append)
    board.figure.open_at(*board.figure.marked_places()[2])
    wait(lambda: "cinder-small" in page.items_card.title)
    assert len(opened) == 1
    assert board.table.currentIndex().row() == 2
    page.bar.choose("domains")
    wait(lambda: board.current_table is not None and board.current_table.name == "domains")
    # Its coloured cells are a picture already.
    assert board.table.isVisible() and not board.figure.isVisible()
    page.bar.choose("leaderboard")
    wait(lambda: board.current_table is not None and board.current_table.name == "leaderboard")
    window.resize(1000, 700)
    wait(lambda: board.table.isVisible() and not board.figure.isVisible())


def test_a_cell_of_the_map_of_items_and_models_opens_its_answers(page: Any, wait: Wait) -> None:
    page.bar.choose("grid")
    page.board.faces.choose(FIGURE)
    wait(lambda: page.board.current_table is not None and len(page.board.figure.marked_places()) == 21 * 3)
    first_title = page.board.current_table.rows[0][1].text
    page.board.figure.open_at(*page.board.figure.marked_places()[1])
    wait(lambda: page.items_card.title == first_title and page.items_card.isVisible())
    assert page.board.faces.current == TABLE


def test_rows_are_filtered_and_pinned(page: Any) -> None:
    page.bar.filter.setText("cinder")
    assert page.board.table.row_count() == 1
    page.board.table.select(0)
    page.board.pin_button.click()
    page.bar.filter.clear()
    assert page.board.table.row_count() == 3
    assert page.board.rows()[0][1].text == "cinder-small" and page.state()["pins"] == ["cinder-small"]
    page.board.table.select(0)
    page.board.toggle_pin()
    page.board.table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    page.board.table.select(2)
    page.board.toggle_pin()
    first = page.board.table.payload_at(page.board.table.model().index(0, 0))
    assert first[1].text == "cinder-small", "a pinned row stays on top of a table that was sorted"
    page.board.table.select(0)
    page.board.toggle_pin()
    assert page.board.rows()[0][1].text == "aurora-large"
    page.restore({"pins": ["x", 3], "down": "no", "below": [100, 200]})
    assert page.board.pins == {"x", "3"}


def test_two_models_are_compared(page: Any, wait: Wait) -> None:
    page.compare("cinder-small", "birch-medium")
    wait(lambda: page.board.current_table.name == "compare")
    assert page.board.current_table.title.startswith("cinder-small against birch-medium")
    page.board.table.select(0)
    wait(lambda: page.items.row_count() == 6 and page.items_card.title == page.board.rows()[0][1].text)


def test_the_scaling_line_goes_through_the_points_that_are_ticked(page: Any, wait: Wait, tmp_path: Path) -> None:
    sizes = {"aurora-large": 30.0, "birch-medium": 7.0, "cinder-small": 1.0}
    points = [ScalingPoint(name, size, 90 - 10 * at) for at, (name, size) in enumerate(sizes.items())]
    page.board.show_table(scaling_table("Score against size", points, [], None))
    asked: list[tuple[str, ...]] = []
    page.board.ticked.connect(asked.append)
    column = page.board.current_table.headers.index("on the frontier")
    page.board.table.clicked.emit(page.board.table.model().index(0, column))
    page.board.table.select(2)
    page.board.table.clicked.emit(page.board.table.model().index(2, column))
    name = page.board.table.payload_at(page.board.table.model().index(2, 0))[0].text
    assert name not in asked[-1] and len(asked[-1]) == 2
    assert page.bar.read_request().frontier == asked[-1]
    page.board.envelope_button.click()
    assert page.bar.read_request().frontier == ()


def test_another_answer_is_read_beside(page: Any, wait: Wait) -> None:
    first = page.panel.explanation.detail.response_id
    wait(lambda: page.panel.other_text.toPlainText() != "")
    other = page.panel.explanation.others[-1]
    page.panel.others.select(len(page.panel.explanation.others) - 1)
    page.panel.other_opened.emit(other)
    wait(lambda: page.panel.explanation.detail.response_id == other.response_id)
    assert other.response_id != first


def test_a_response_is_labelled_and_an_item_sent_back(page: Any, window: MainWindow, wait: Wait) -> None:
    store = page.session.store
    page.panel.label_choice.setCurrentText("too slow")
    page.panel.label_note.setText("by far")
    page.panel.add_label_button.click()
    wait(lambda: "too slow" in page.panel.given_labels.text())
    subject = page.panel.explanation.subject_id
    page.panel.reopen_button.click()
    wait(lambda: triage.load_subject(store, subject).row.verdict is None)
    wait(lambda: any("sent back" in row.detail for row in page.panel.explanation.history))
    window.session.undo()
    wait(lambda: triage.load_subject(store, subject).row.verdict == "accept")


def test_failed_responses_are_labelled_by_keys_one_after_the_other(
    page: Any, window: MainWindow, wait: Wait, qtbot: QtBot
) -> None:
    store = page.session.store
    run = score_data.load_results(store).entries[-1].run.id
    assert page.board.choose_run(run)
    wait(lambda: {row.run_id for row in page.items.view_payloads()} == {run})
    page.show_failed()
    wait(lambda: "not labelled" in page.items_card.title)
    assert page.panel.stack.currentIndex() == DIFF
    wait(
        lambda: (
            page.panel.explanation.detail.response_id == page.items.payload_at(page.items.currentIndex()).response_id
        )
    )
    first = page.panel.explanation.detail.response_id
    menu = page.panel.label_menu()
    menu.popup(page.mapToGlobal(page.rect().center()))
    qtbot.keyClick(menu, Qt.Key.Key_2)
    wait(lambda: [row.label for row in error_labels.labels_of_response(store, first)] == ["missing context"])
    wait(lambda: page.panel.explanation.detail.response_id != first)
    page.panel.label_choice.setEditText("Wrong library")
    page.panel.add_label_button.click()
    wait(lambda: "wrong library" in [choice.label for choice in error_labels.list_label_choices(store)])
    for _ in range(2):
        window.session.undo()
    wait(lambda: error_labels.labels_of_response(store, first) == ())


def test_what_is_on_screen_is_saved(page: Any, wait: Wait, tmp_path: Path, subtests: pytest.Subtests) -> None:
    for ending in ("csv", "json", "tex", "md", "svg", "pdf", "png", "html"):
        with subtests.test(ending):
            path = tmp_path / f"board.{ending}"
            page.export_to(path)
            # The report draws every figure there is.
            wait(lambda path=path: path.exists() and not page.session.jobs)
            if ending in ("csv", "json", "tex", "md", "html"):
                assert "aurora-large" in path.read_text("utf-8")
            else:
                assert path.stat().st_size > 1000


def test_a_project_without_results_says_where_to_begin(qtbot: QtBot, project_file: Path) -> None:
    with window_on(qtbot, project_file) as window:
        results = open_page(window, "Results")
        qtbot.waitUntil(lambda: results.stack.currentIndex() == 1)
        assert not results.bar.isVisible()


def test_ranks_need_scores_of_another_benchmark(page: Any, wait: Wait, tmp_path: Path) -> None:
    page.bar.choose("ranks")
    wait(lambda: "other benchmark" in page.board.message.text())
    assert page.bar.scores_button.isVisible() and page.board.current_table is None
    path = tmp_path / "other.csv"
    path.write_text("aurora-large,1\nbirch-medium,2\ncinder-small,3\n")
    page.bar.set_scores(path)
    wait(lambda: page.board.current_table is not None and page.board.table.row_count() == 3)
    path.write_text("no scores")
    page.bar.set_scores(path)
    wait(lambda: page.board.current_table is None and "contains no scores" in page.board.message.text())


def test_a_published_table_is_shown_beside_the_releases(
    page: Any, window: MainWindow, wait: Wait, tmp_path: Path
) -> None:
    from annotator.services.results import published_tables

    path = tmp_path / "own.json"
    path.write_text(
        '{"name": "own", "columns": ["a", "b", "mean"], "rows": {"m": [1, 3, 2], "n": [1, 3, 9]}, '
        '"groups": ["a", "b"], "mean_of": {"mean": ["a", "b"]}}'
    )
    store = page.session.store
    window.session.act(lambda: published_tables.import_published(store, path))
    wait(lambda: page.bar.release.count() == 2)
    page.bar.release.setCurrentIndex(1)
    wait(lambda: page.board.current_table is not None and page.board.current_table.title.startswith("own"))
    assert not page.lower_splitter.isVisible()
    page.bar.choose("audit")
    wait(lambda: page.board.current_table is not None and page.board.current_table.name == "audit")
    assert page.board.table.row_count() == 1
    page.bar.choose("items")
    wait(lambda: "has no table items" in page.board.message.text())
    page.bar.release.setCurrentIndex(0)
    wait(lambda: page.board.current_table is not None and page.board.current_table.name == "items")
    assert page.lower_splitter.isVisible()


def test_a_note_stays_with_its_response(window: MainWindow, page: Any, wait: Wait) -> None:
    first = page.panel.explanation.detail.response_id
    page.panel.label_note.setText("a long remark on this answer")
    [draft] = window.session.drafts.drafts
    page.items.select(1 if page.items.currentIndex().row() == 0 else 0)
    wait(lambda: page.panel.explanation.detail.response_id != first)
    assert page.panel.label_note.text() == ""
    window.pages.drop_pages()
    window.show_draft(draft)
    again: Any = window.pages.page("Results")
    wait(lambda: again.panel.explanation is not None and again.panel.explanation.detail.response_id == first)
    assert again.panel.label_note.text() == "a long remark on this answer"
    assert not again.panel.draft_bar.isHidden()
    again.panel.draft_bar.discard()
    assert window.session.drafts.drafts == ()


def test_a_run_is_compared_with_an_older_one_of_its_model(page: Any, wait: Wait, tmp_path: Path) -> None:
    store = page.session.store
    entry = score_data.load_results(store).entries[0]
    with store.read() as db:
        subjects = [row[0] for row in db.connection().exec_driver_sql("SELECT key FROM subject WHERE active = 1")]
    keys = [item.key for item in score_data.load_results(store).items if item.key in subjects][:3]
    lines = [{"subject": key, "model": entry.run.model, "response": "none"} for key in keys]
    (tmp_path / "again.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    newer = run_control.start_replay(store, None, tmp_path / "again.jsonl")[0][0].id
    again = run_control.start_replay(store, None, tmp_path / "again.jsonl")[0][0].id
    page.refresh(Changes(frozenset({"run"})))
    wait(lambda: page.bar.a.findData(newer) >= 0)
    label = next(entry.label for entry in score_data.load_results(store).entries if entry.run.id == again)
    page.compare(newer, label)
    wait(lambda: page.board.current_table is not None and page.board.current_table.name == "compare")
    wait(lambda: newer[-6:] in page.board.current_table.headers[2])
    assert again[-6:] in page.board.current_table.headers[3]
    page.bar.choose("leaderboard")
    wait(lambda: page.board.current_table.name == "leaderboard")
    assert page.board.current_table == named_tables.make_table(store, score_data.load_results(store), "leaderboard")
    _choose_run(page, again)
    page.handlers()["results.before"]()
    wait(lambda: page.board.current_table.name == "compare" and again[-6:] in page.board.current_table.headers[2])
    assert newer[-6:] in page.board.current_table.headers[3]


def test_the_boxes_name_the_pair_that_is_compared(page: Any, wait: Wait, tmp_path: Path) -> None:
    page.compare("cinder-small", "birch-medium")
    wait(
        lambda: (
            page.board.current_table.name == "compare"
            and page.board.current_table.title.startswith("cinder-small against birch")
        )
    )
    store = page.session.store
    key = score_data.load_results(store).items[0].key
    (tmp_path / "new.jsonl").write_text(json.dumps({"subject": key, "model": "aardvark", "response": "none"}) + "\n")
    run_control.start_replay(store, None, tmp_path / "new.jsonl")
    page.refresh(Changes(frozenset({"run"})))
    wait(lambda: page.bar.a.findText("aardvark") >= 0)
    assert (page.bar.a.currentText(), page.bar.b.currentText()) == ("cinder-small", "birch-medium")
    assert page.board.current_table.title.startswith("cinder-small against birch-medium")
    # Beside answers of another protocol the names of all models gain theirs.
    asked, models = page.bar.read_request(), [(f"{name} · chat", run) for name, run in page.result_view.models]
    shown = {name: getattr(page.result_view, name) for name in ("pair", "published", "groups", "ks")}
    page.bar.offer(
        SimpleNamespace(versions=["0.1"], version="0.1", protocols=["replay", "chat"], models=models, **shown)
    )
    assert page.bar.a.currentText() == "cinder-small · chat" and page.bar.b.currentText() == "birch-medium · chat"
    assert page.bar.read_request() == asked


def _choose_run(page: Any, run: str) -> None:
    rows = range(page.board.table.row_count())
    shown = [page.board.table.payload_at(page.board.table.model().index(row, 0)) for row in rows]
    [place] = [at for at, row in enumerate(shown) if any(cell.target and cell.target.run_id == run for cell in row)]
    page.board.table.select(place)


def test_a_model_that_ran_once_has_nothing_before(page: Any, window: MainWindow) -> None:
    said: list[str] = []
    window.session.message_posted.connect(said.append)
    page.handlers()["results.before"]()
    assert page.board.current_table.name == "leaderboard" and ["no earlier run" in text for text in said] == [True]


def test_the_run_that_was_looked_at_is_the_one_shown(window: MainWindow, page: Any, wait: Wait) -> None:
    runs = open_page(window, "Runs")
    wait(lambda: runs.table.row_count() == 3)
    page.bar.choose("items")
    wait(lambda: page.board.current_table.name == "items")
    chosen = next(row for row in runs.table.view_payloads() if row.model == "birch-medium")
    runs.list.choose(chosen.id)
    runs.activate()
    wait(lambda: runs.detail.run is not None and runs.detail.run.id == chosen.id)
    runs.list.results_button.click()
    wait(lambda: page.board.current_table is not None and page.board.current_table.name == "leaderboard")
    wait(lambda: page.items_card.title == "birch-medium")
    assert "42 responses · run " in page.items_card.remark


def test_a_run_that_does_not_count_says_why(window: MainWindow, page: Any, wait: Wait) -> None:
    store = page.session.store
    with store.write() as db:
        older = db.exec(select(Run)).first()
        assert older is not None
        again = Run(**{**older.model_dump(), "id": "again", "state": "paused"})
        db.add(again)
    page.show_subject("again")
    wait(lambda: "not finished" in window.status.message.text())
