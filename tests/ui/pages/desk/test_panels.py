"""The panels of the desk: folded to a title bar and remembered, shown where an act was, and marked as drafts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from annotator.services.project import projects
from annotator.services.prompt import paraphrases
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.ui.app.main_window import MainWindow
from annotator.ui.pages.consensus.page import SUBJECTS
from annotator.ui.pages.desk.step_states import read_item, saved_states
from annotator.ui.pages.desk.steps import Step, StepsBar, StepState
from annotator.ui.widgets.draft_field import DraftDot
from tests.windows import Wait


def _page(window: MainWindow, wait: Wait, name: str) -> Any:
    window.show_page(name)
    page: Any = window.pages.page(name)
    wait(lambda: page.view is not None and not page.queue.list.hasFocus())
    return page


def test_a_panel_folds_to_its_title_bar_and_comes_back(window: MainWindow, qtbot: QtBot, wait: Wait) -> None:
    page = _page(window, wait, "Criterion")
    fold = page.frame.folds["proof"]
    wide = fold.width()
    fold.button.click()
    wait(lambda: fold.width() < 60)
    assert fold.bar.isVisible() and fold.bar.upright and not page.side.isVisible()
    assert "Samples and proof" in fold.bar.accessibleName()
    fold.bar.setFocus()
    qtbot.keyClick(fold.bar, Qt.Key.Key_Space)
    wait(lambda: abs(fold.width() - wide) < 20)
    assert page.side.isVisible() and not fold.bar.isVisible()


def test_a_row_that_is_folded_leaves_its_room_to_the_others(window: MainWindow, wait: Wait) -> None:
    page = _page(window, wait, "Criterion")
    window.resize(1920, 1080)
    frame = page.frame
    wait(lambda: frame.is_wide)
    high = frame.below.height()
    frame.folds["paraphrase"].set_folded(True)
    wait(lambda: frame.below.height() > high + 20)
    assert not frame.folds["paraphrase"].bar.upright


def test_what_is_folded_stays_so_and_a_step_unfolds_it(window: MainWindow, wait: Wait) -> None:
    page = _page(window, wait, "Prompt")
    page.frame.folds["criterion"].set_folded(True)
    window.pages.drop_pages()
    page = _page(window, wait, "Prompt")
    assert page.frame.folded == ["criterion"]
    assert _page(window, wait, "Criterion").frame.folded == [], "each page has its own"
    page = _page(window, wait, "Prompt")
    page.go_to_step(Step.CRITERION)
    focus = QApplication.focusWidget()
    assert page.frame.folded == [] and focus is not None and page.criterion.panel.isAncestorOf(focus)
    page.restore({"folded": "odd"})
    page.restore({"folded": ["of another version"]})
    assert page.frame.folded == []


def test_skip_goes_on_and_leaves_the_acceptance(window: MainWindow, wait: Wait) -> None:
    page = _page(window, wait, "Prompt")
    store = window.session.store
    assert store is not None
    first, decided = page.view.row.id, len(triage.subject(store, page.view.row.id).decisions)
    page.header.buttons["queue.next"].click()
    wait(lambda: page.view.row.id != first)
    found = triage.subject(store, first)
    assert found.row.verdict == "accept" and len(found.decisions) == decided


def _look_at_dots(window: MainWindow, wait: Wait, name: str, card: str) -> None:
    page = _page(window, wait, name)
    dots = {"paraphrase": page.panes.right_card, "criterion": page.document}
    shown = {key: holder.findChild(DraftDot) for key, holder in dots.items()}
    assert all(dot.isHidden() for dot in shown.values())
    before = page.main.text()
    page.main.replace_text(before + "\n# more")
    wait(lambda: not shown[card].isHidden())
    assert [key for key, dot in shown.items() if not dot.isHidden()] == [card]
    assert "not saved" in shown[card].accessibleName()
    page.save()
    wait(shown[card].isHidden)


def test_a_dot_says_which_text_is_a_draft(window: MainWindow, wait: Wait, subtests: pytest.Subtests) -> None:
    for name, card in (("Prompt", "paraphrase"), ("Criterion", "criterion")):
        with subtests.test(f"{name} {card}"):
            _look_at_dots(window, wait, name, card)


def test_an_undo_goes_back_to_the_item_and_its_panel(window: MainWindow, wait: Wait) -> None:
    page = _page(window, wait, "Criterion")
    store = window.session.store
    assert store is not None
    first, before = page.view.row.id, page.paraphrase.text()
    page.paraphrase.replace_text(before + " And say so in a sentence.")
    page.save()
    wait(lambda: triage.subject(store, first).paraphrase.text != before)  # type: ignore[union-attr]
    page.queue.select_next()
    wait(lambda: page.view.row.id != first)
    page.frame.folds["paraphrase"].set_folded(True)
    page.queue.list.setFocus()
    window.session.undo()
    wait(lambda: page.view.row.id == first and page.paraphrase.text() == before)
    assert page.frame.folded == [] and page.panes.editor.isVisible()
    assert page.queue.list.hasFocus(), "a field would take the next Ctrl+Z for itself"


def _scroll_nothing_sideways(window: MainWindow, wait: Wait, name: str) -> None:
    window.show_page(name)
    page: Any = window.pages.page(name)
    if name == "Consensus":
        # Nobody differs in the sample, so there is a desk only for a subject.
        page.faces.choose(SUBJECTS)
        wait(lambda: page.stack.isEnabled() and page.frame.isVisible())
    window.theme.set_scale(175)
    try:
        wait(lambda: page.frame.is_narrow)
        bar = page.frame.area.horizontalScrollBar()
        wait(lambda: bar.maximum() == 0)
        outer = window.pages.currentWidget()
        wait(lambda: outer.horizontalScrollBar().maximum() == 0)  # type: ignore[union-attr]
        for made in page.frame.header.buttons.values():
            corner = made.mapTo(window, made.rect().bottomRight())
            assert made.isHidden() or (corner.x() < window.width() and corner.y() < window.height())
    finally:
        window.theme.set_scale(100)


def test_nothing_is_scrolled_sideways_with_large_letters(
    window: MainWindow, wait: Wait, subtests: pytest.Subtests
) -> None:
    for name in ("Prompt", "Criterion", "Consensus"):
        with subtests.test(name):
            _scroll_nothing_sideways(window, wait, name)


def test_what_a_proof_says_is_whole_above_its_checks_in_a_low_window(window: MainWindow, wait: Wait) -> None:
    window.resize(1280, 800)
    page = _page(window, wait, "Prompt")
    page.side.show_proof_face()
    proof = page.side.proof
    trial = {"label": "x", "score": 1.0, "detail": "all", "expected": "fail", "kind": "impostor", "ok": False}
    check = {"title": "Impostors fail", "outcome": "fail", "required": True, "summary": "no", "facts": {}}
    proof.show_proof([{**check, "trials": [trial] * 3}], "Not proven. " + "Much was tried, and some of it passed. " * 4)

    def is_whole() -> bool:
        row = proof.table.rowHeight(0)
        return proof.state.height() >= proof.state.heightForWidth(proof.state.width()) and (
            proof.table.viewport().height() >= 2 * row > 0
        )

    wait(is_whole)


def test_reasons_of_steps_are_whole_or_left_out(qtbot: QtBot) -> None:
    bar = StepsBar()
    qtbot.addWidget(bar)
    bar.resize(900, 30)
    bar.show()
    states = {step: StepState(step == Step.ACCEPTED, "" if step == Step.ACCEPTED else "not done yet") for step in Step}
    for width in (1100, 760, 620, 500):
        bar.resize(width, 30)
        bar.show_states(states)
        QApplication.processEvents()
        shown = [step for step, reason in bar.reasons.items() if reason.isVisible()]
        assert Step.PARAPHRASED in shown
        for step in shown[1:]:
            assert bar.reasons[step].text() == "not done yet", (width, step)
    assert bar.buttons[Step.REVIEWED].toolTip() == "not done yet"


def test_a_long_reason_is_cut_before_a_later_step_says_anything(qtbot: QtBot) -> None:
    bar = StepsBar()
    qtbot.addWidget(bar)
    bar.resize(900, 30)
    bar.show()
    reasons = {
        Step.PARAPHRASED: "not written yet",
        Step.PROVEN: "Not proven. Impostors fail does not hold: the prompt, repeated, passes",
        Step.REVIEWED: "not reviewed yet",
    }
    bar.show_states({step: StepState(step not in reasons, reasons.get(step, "")) for step in Step})
    QApplication.processEvents()
    shown = [step for step, reason in bar.reasons.items() if reason.isVisible()]
    assert shown == [Step.PARAPHRASED, Step.PROVEN]
    assert (
        bar.reasons[Step.PROVEN].text().startswith("Not proven. Impostors") and "…" in bar.reasons[Step.PROVEN].text()
    )


def test_the_prompt_step_asks_for_a_description_where_the_prompt_is_a_signature_alone(tmp_path: Path) -> None:
    store = projects.create_project(tmp_path / "p.annotator", "p", "ada")
    row = {
        "id": "clear",
        "prompt": "def clear(self):",
        "language": "python",
        "extra": {"signature": "def clear(self):"},
    }
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n")
    imports.import_paths(store, "jsonl", [tmp_path / "rows.jsonl"])
    subject = triage.subject(store, "clear").row.id
    said = saved_states(read_item(store, subject))[Step.PARAPHRASED]
    assert not said.done and said.said == "its prompt is its signature alone; write what the function does"
    paraphrases.save_prompt(store, subject, "Remove all items from the table.")
    assert saved_states(read_item(store, subject))[Step.PARAPHRASED].done
    store.close()
