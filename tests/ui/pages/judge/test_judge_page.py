"""The Judge page: blind pairs by keyboard, undo, the end of a batch, the tables."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from annotator.model.tables.run_tables import ModelUnderTest
from annotator.services.judge import blind_judging, study_files
from annotator.services.project import members, projects
from annotator.store.judging import studies as judging
from annotator.ui.app.main_window import MainWindow
from annotator.ui.pages.judge import pair_panel
from annotator.ui.pages.judge.page import JUDGE, MINE, RESULTS
from annotator.ui.pages.judge.study_dialog import HandoverDialog, StudyDialog
from tests.windows import Wait, blind_study, open_page, open_store


@pytest.fixture
def study(window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(pair_panel, "MIN_LOOK_S", 0.0)
    store = open_store(window)
    with store.reader() as connection:
        keys = [row[0] for row in connection.execute("SELECT key FROM subject WHERE active = 1 LIMIT 3")]
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps({"subject": key, "a": f"A {key}", "b": f"B {key}"}) + "\n" for key in keys))
    pairs = study_files.read_candidate_pairs(store, path)
    return blind_judging.create_blind_study(store, blind_study(store), pairs)[0]


@pytest.fixture
def page(window: MainWindow, study: str, wait: Wait) -> Any:
    found = open_page(window, "Judge")
    wait(lambda: found.panel.pair is not None)
    return found


def test_judging_by_key_until_the_batch_is_sealed(page: Any, qtbot: QtBot, wait: Wait) -> None:
    seen = []
    assert projects.stage_counts(page.session.store).to_judge == 3
    for key in (Qt.Key.Key_1, Qt.Key.Key_2, Qt.Key.Key_T):
        pair = page.panel.pair
        assert pair.assignment_id not in seen
        seen.append(pair.assignment_id)
        assert page.panel.first.toPlainText() == pair.first
        qtbot.keyClick(page, key)
        wait(lambda pair=pair: page.panel.pair is None or page.panel.pair.assignment_id != pair.assignment_id)
    wait(lambda: page.stack.currentWidget() is page.finished_state)
    assert page.window().focusWidget() is page.faces.button(0), "a key meant for a pair does not seal the batch"
    assert page.count.full == "3 of 3 judged"
    assert projects.stage_counts(page.session.store).to_judge == 0
    qtbot.keyClick(page, Qt.Key.Key_U)
    wait(lambda: page.panel.pair is not None and page.panel.pair.assignment_id == seen[-1])
    qtbot.keyClick(page, Qt.Key.Key_B)
    wait(lambda: page.stack.currentWidget() is page.finished_state)
    page.finished_state.button.click()
    wait(lambda: page.finished_state.button.text() == "Show the results")
    store = page.session.store
    assert projects.list_studies(store)[0].sealed
    page.finished_state.button.click()
    wait(lambda: page.faces.current == RESULTS and page.stack.currentWidget() is page.tables)


def test_a_question_in_prose_has_the_font_of_prose(page: Any, window: MainWindow) -> None:
    assert page.panel.question.is_prose
    assert page.panel.question.font().family() == window.theme.text_font().family()
    assert page.panel.first.font().family() == window.theme.code_font().family()


def test_a_key_held_down_judges_once(page: Any, qtbot: QtBot, wait: Wait, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_panel, "MIN_LOOK_S", 60.0)
    qtbot.keyClick(page, Qt.Key.Key_1)
    qtbot.wait(50)
    assert projects.list_studies(page.session.store)[0].done == 0


def test_the_time_of_a_pair_is_that_of_all_looks_without_idle_and_unfocused_time(
    page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, panel = [time.monotonic()], page.panel
    monkeypatch.setattr(pair_panel, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    first = panel.pair
    other = replace(first, assignment_id="other")
    panel.show_pair(other, "")
    panel.show_pair(first, "")
    start = panel.stopwatch.seconds
    clock[0] += 10
    panel.show_pair(other, "")
    clock[0] += 50
    assert panel.stopwatch.seconds == pytest.approx(50)
    panel.show_pair(first, "")
    clock[0] += 5
    assert panel.stopwatch.seconds - start == pytest.approx(15), "the first look is kept"
    clock[0] += 10_000
    assert panel.stopwatch.seconds - start == pytest.approx(10 + pair_panel.IDLE_S)
    QTest.keyClick(panel.rationale, Qt.Key.Key_A)
    clock[0] += 7
    assert panel.stopwatch.seconds - start == pytest.approx(17 + pair_panel.IDLE_S)
    panel.follow_focus(Qt.ApplicationState.ApplicationInactive)
    clock[0] += 40
    assert panel.stopwatch.seconds - start == pytest.approx(17 + pair_panel.IDLE_S), "another program had the focus"


def test_digits_typed_into_the_rationale_are_text(page: Any, qtbot: QtBot, wait: Wait) -> None:
    qtbot.keyClick(page, Qt.Key.Key_W)
    wait(page.panel.rationale.hasFocus)
    qtbot.keyClicks(page.panel.rationale, "2 handles ties")
    assert projects.list_studies(page.session.store)[0].done == 0
    first = page.panel.pair
    qtbot.keyClick(page.panel.rationale, Qt.Key.Key_2, Qt.KeyboardModifier.AltModifier)
    wait(lambda: page.panel.pair.assignment_id != first.assignment_id)
    assert page.panel.rationale.toPlainText() == ""
    with page.session.store.reader() as connection:
        [row] = connection.execute("SELECT verdict, rationale, seconds FROM judgement").fetchall()
    assert row[:2] == ("2", "2 handles ties") and row[2] >= 0


def test_esc_leaves_the_rationale_for_the_verdicts(page: Any, qtbot: QtBot, wait: Wait) -> None:
    qtbot.keyClick(page, Qt.Key.Key_W)
    wait(page.panel.rationale.hasFocus)
    qtbot.keyClicks(page.panel.rationale, "even")
    first = page.panel.pair
    qtbot.keyClick(page.panel.rationale, Qt.Key.Key_Escape)
    wait(page.panel.hasFocus)
    assert page.panel.rationale.toPlainText() == "even"
    qtbot.keyClick(page.panel, Qt.Key.Key_T)
    wait(lambda: page.panel.pair.assignment_id != first.assignment_id)


def test_above_two_wordings_stands_the_reference_by_its_name(page: Any) -> None:
    pair = page.panel.pair

    def titles() -> list[str]:
        return [found.text() for found in page.panel.question_card.findChildren(QLabel)]

    assert "Question" in titles()
    page.panel.show_pair(None, "")
    page.panel.show_pair(replace(pair, kind="paraphrase"), "")
    assert "Reference" in titles() and "Question" not in titles()


def test_a_study_without_models_begins_with_paraphrases(window: MainWindow) -> None:
    for models, kind in (((), "paraphrase"), (("gpt-4", "llama"), "response")):
        dialog = StudyDialog((), models, parent=window)
        assert dialog.kind.currentData() == kind
        dialog.deleteLater()


def test_results_wait_for_ones_own_verdicts_and_hide_the_names(page: Any, wait: Wait, qtbot: QtBot) -> None:
    page.faces.choose(RESULTS)
    wait(lambda: "when your batch is sealed" in page.tables.remark.text())
    store = page.session.store
    while (pair := next(iter(blind_judging.load_judging_queue(store).pairs), None)) is not None:
        blind_judging.judge_pair(store, pair.assignment_id, "tie")
    page.seal()
    wait(lambda: "Win, tie, lose" in page.tables.tables)
    assert "A against B" in page.tables.heading.text()
    page.unblind("the paper is due")
    wait(lambda: "human against gpt-4" in page.tables.heading.text())
    assert not page.tables.unblind_button.isEnabled()


def test_a_study_is_made_from_the_form(window: MainWindow, wait: Wait, qtbot: QtBot) -> None:
    page = open_page(window, "Judge")
    wait(lambda: page.judging_queue is not None)
    assert page.stack.currentWidget() is page.empty
    store = open_store(window)
    dialog = StudyDialog(members.list_annotators(store), blind_judging.models_with_responses(store), parent=page)
    assert not dialog.create_button.isEnabled()
    qtbot.keyClicks(dialog.name, "models")
    assert dialog.create_button.isEnabled()
    page.make_study(dialog)
    dialog.deleteLater()
    wait(lambda: page.panel.pair is not None)
    [row] = projects.list_studies(store)
    assert row.name == "models" and row.identical > 0 and row.mine >= row.pairs - row.identical > 0
    assert page.count.full == f"0 of {row.mine} judged · {row.identical} are the same on both sides"


def test_a_form_has_guidelines_and_a_share_and_leaves_its_maker_out(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Judge")
    wait(lambda: page.judging_queue is not None)
    store = open_store(window)
    members.add_annotator(store, "Zoe")
    me = store.annotator.name
    dialog = StudyDialog(
        members.list_annotators(store), blind_judging.models_with_responses(store), parent=page, creator=me
    )
    assert "Zoe" in dialog.raters.ticked_names and me not in dialog.raters.ticked_names
    alone = StudyDialog(
        members.list_annotators(store)[:1], (), parent=page, creator=members.list_annotators(store)[0].name
    )
    assert alone.raters.ticked_names == (members.list_annotators(store)[0].name,)
    dialog.name.setText("shared")
    dialog.guidelines.setText("Choose the answer you would ship.")
    dialog.plan.setCurrentIndex(dialog.plan.findData("overlap"))
    assert (dialog.number.value(), dialog.number.suffix()) == (20, " %")
    dialog.number.setValue(50)
    page.make_study(dialog)
    wait(lambda: any(row.name == "shared" for row in projects.list_studies(store)))
    with store.read() as db:
        study = judging.find_study(db, "shared")
    assert study.guidelines == "Choose the answer you would ship."
    assert (study.plan["plan"], study.plan["overlap"]) == ("overlap", 0.5)
    dialog.deleteLater()
    alone.deleteLater()


def test_the_draft_of_a_rationale_opens_its_pair_in_its_study(
    window: MainWindow, page: Any, tmp_path: Path, wait: Wait
) -> None:
    store = page.session.store
    pair = page.panel.pair
    page.panel.rationale.setPlainText("The first names its source.")
    draft = page.session.drafts.draft("judge.rationale", pair.assignment_id)
    path = tmp_path / "pairs.jsonl"
    pairs = study_files.read_candidate_pairs(store, path)
    study, changes = blind_judging.create_blind_study(store, blind_study(store, "second"), pairs)
    window.session.announce(changes)
    wait(lambda: page.study.findData(study) >= 0)
    page.study.setCurrentIndex(page.study.findData(study))
    page.study.activated.emit(page.study.currentIndex())
    wait(lambda: page.panel.pair is not None and page.panel.pair.study_id != pair.study_id)
    assert page.panel.rationale.toPlainText() == ""
    page.faces.choose(RESULTS)
    window.show_page("Select")
    window.show_draft(draft)
    wait(lambda: page.panel.pair.assignment_id == pair.assignment_id)
    assert page.panel.rationale.toPlainText() == "The first names its source."
    assert page.panel.draft_bar.isVisible() and page.study.currentData() == pair.study_id
    page.panel.draft_bar.discard()


def test_a_draft_of_a_pair_that_was_judged_shows_the_next(window: MainWindow, page: Any, wait: Wait) -> None:
    pair = page.panel.pair
    page.panel.rationale.setPlainText("Too late.")
    draft = page.session.drafts.draft("judge.rationale", pair.assignment_id)
    blind_judging.judge_pair(page.store, pair.assignment_id, "1")
    window.show_draft(draft)
    wait(lambda: page.panel.pair.assignment_id != pair.assignment_id)
    page.session.drafts.discard("judge.rationale", pair.assignment_id)


def test_no_rationale_can_be_typed_while_there_is_no_pair_to_keep_it_for(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Judge")
    assert not page.panel.rationale.isEnabled()
    wait(lambda: page.stack.currentWidget() is page.empty)
    assert not page.panel.rationale.isEnabled()


def test_ones_own_verdicts_are_a_list_with_the_pair_below(page: Any, qtbot: QtBot, wait: Wait) -> None:
    page.faces.choose(MINE)
    wait(lambda: "not judged any pair" in page.own_verdicts.remark.text())
    page.faces.choose(JUDGE)
    shown = page.panel.pair
    qtbot.keyClick(page, Qt.Key.Key_W)
    qtbot.keyClicks(page.panel.rationale, "shorter")
    qtbot.keyClick(page.panel.rationale, Qt.Key.Key_2, Qt.KeyboardModifier.AltModifier)
    wait(lambda: page.panel.pair.assignment_id != shown.assignment_id)
    page.faces.choose(MINE)
    wait(lambda: page.own_verdicts.table.row_count() == 1)
    [row] = page.own_verdicts.table.view_payloads()
    assert (row.pair.pair_id, row.choice, row.rationale) == (shown.pair_id, "2", "shorter")
    assert (page.own_verdicts.first.toPlainText(), page.own_verdicts.second.toPlainText()) == (
        shown.first,
        shown.second,
    )


def test_the_verdicts_stay_in_view_on_a_small_screen(window: MainWindow, study: str, wait: Wait) -> None:
    # 1280 x 800 at 175 % are 731 x 457.
    window.resize(1000, 600)
    page = open_page(window, "Judge")
    wait(lambda: page.panel.pair is not None)
    window.resize(731, 452)
    wait(lambda: (window.width(), window.height()) == (731, 452))
    wait(lambda: page.head.rect().contains(page.new_button.geometry().translated(page.new_button.parentWidget().pos())))
    frame: Any = window.pages.currentWidget()
    wait(lambda: frame.horizontalScrollBar().maximum() == 0)
    wait(lambda: frame.verticalScrollBar().maximum() == 0)
    room = frame.viewport().rect()
    for button in (*page.panel.buttons.values(), page.panel.undo_button, page.new_button):
        assert room.contains(button.rect().translated(button.mapTo(frame.viewport(), button.rect().topLeft())))
    assert page.count.text() == page.count.full


def test_a_model_that_answered_nothing_is_no_side(window: MainWindow) -> None:
    store = open_store(window)
    before = blind_judging.models_with_responses(store)
    with store.write() as db:
        db.add(ModelUnderTest(name="a-typo"))
    assert before and blind_judging.models_with_responses(store) == before


def test_a_pair_is_skipped_and_taken_up_again(page: Any, wait: Wait) -> None:
    first = page.panel.pair
    assert page.panel.skip_button.isEnabled()
    page.skip("I wrote this answer")
    wait(lambda: page.panel.pair is not None and page.panel.pair.assignment_id != first.assignment_id)
    wait(lambda: page.count.full == "0 of 3 judged · 1 skipped")
    store = page.session.store
    for pair in blind_judging.my_pairs(store, only_open=True):
        blind_judging.judge_pair(store, pair.assignment_id, "tie")
    page.activate()
    wait(lambda: page.stack.currentWidget() is page.finished_state)
    assert page.finished_state.title == "1 pair is skipped, all others are judged"
    assert page.finished_state.button.text() == "Seal the batch"
    page.take_up()
    wait(lambda: page.panel.pair is not None and page.panel.pair.assignment_id == first.assignment_id)


def test_an_absent_raters_pairs_are_given_away(page: Any, wait: Wait) -> None:
    store = page.session.store
    me = store.annotator.name
    members.add_annotator(store, "Zoe")
    dialog = HandoverDialog([me], [me, "Zoe"], parent=page)
    assert not dialog.give_button.isEnabled() and dialog.problem.text() == "Choose two different people."
    dialog.taker.setCurrentIndex(1)
    assert not dialog.give_button.isEnabled() and dialog.problem.text() == "Give a reason."
    dialog.reason.setText("on leave")
    assert dialog.give_button.isEnabled()
    page.hand_over(dialog.giver.currentData(), dialog.taker.currentData(), dialog.reason.text())
    dialog.deleteLater()
    wait(lambda: page.finished_state.title == "No pair is assigned to you")
    assert projects.list_studies(store)[0].raters == ("Zoe",)


def test_a_study_of_chosen_subjects(page: Any, wait: Wait) -> None:
    store = page.session.store
    with store.reader() as connection:
        rows = connection.execute("SELECT id, key FROM subject WHERE active = 1 LIMIT 3").fetchall()
    dialog = StudyDialog(members.list_annotators(store), (), parent=page)
    dialog.name.setText("two of them")
    dialog.kind.setCurrentIndex(dialog.kind.findData("requirement"))
    for box, side in ((dialog.side_a, "original"), (dialog.side_b, "reference")):
        box.setCurrentIndex(box.findData(side))
    dialog.subjects.setText(" ".join(row[1] for row in rows[:2]))
    page.make_study(dialog)
    dialog.deleteLater()
    wait(lambda: [row.pairs for row in projects.list_studies(store) if row.name == "two of them"] == [2])
