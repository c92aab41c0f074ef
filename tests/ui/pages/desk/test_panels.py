"""The panels of the desk: folded to a title bar and remembered, shown where an act was, and marked as drafts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from annotator.services.project import projects
from annotator.services.prompt import paraphrases
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.ui.app.main_window import MainWindow
from annotator.ui.pages.consensus.page import SUBJECTS
from annotator.ui.pages.desk.steps import QUESTION, DeskStep, read_item, saved_step_states
from annotator.ui.pages.shared.subject_tabs import TRIED_ON
from annotator.ui.widgets.draft_field import DraftDot
from tests.windows import Wait, open_page, open_store


def _page(window: MainWindow, wait: Wait, name: str) -> Any:
    page = open_page(window, name)
    wait(lambda: page.view is not None and not page.queue.list.hasFocus())
    return page


def test_one_step_is_open_and_its_material_comes_to_the_front(window: MainWindow, wait: Wait) -> None:
    page = _page(window, wait, "Criterion")
    panels = {
        DeskStep.PARAPHRASED: page.paraphrase.panel,
        DeskStep.CRITERION: page.criterion.panel,
        DeskStep.PROVEN: page.proof,
    }
    for step, shown in ((DeskStep.PROVEN, TRIED_ON), (DeskStep.PARAPHRASED, QUESTION), (DeskStep.CRITERION, TRIED_ON)):
        page.steps.buttons[step].click()
        wait(panels[step].isVisible)
        assert [one for one, panel in panels.items() if panel.isVisible()] == [step]
        assert page.details.tabs.tab_text(page.details.tabs.current) == shown
        assert page.steps.buttons[step].text().startswith("▾")
    # Who looks at something else meanwhile keeps it, also for the next item.
    page.details.show_tab("Reference")
    first = page.view.row.id
    page.queue.select_next()
    wait(lambda: page.view.row.id != first)
    page.go_to_step(DeskStep.CRITERION)
    assert page.details.tabs.tab_text(page.details.tabs.current) == "Reference"


def test_the_open_step_and_the_material_are_large(window: MainWindow, wait: Wait) -> None:
    page = _page(window, wait, "Criterion")
    window.resize(1440, 900)
    page.go_to_step(DeskStep.PROVEN)
    table = page.proof.table
    wait(lambda: table.rowHeight(0) > 0 and table.viewport().height() >= 12 * table.rowHeight(0))
    page.details.show_tab("Reference")
    view = page.details.view_of("Reference")
    wait(lambda: view.viewport().height() >= 30 * view.fontMetrics().lineSpacing())


def test_empty_tabs_are_not_shown(window: MainWindow, wait: Wait) -> None:
    page = _page(window, wait, "Criterion")
    shown = [page.details.tabs.tab_text(place) for place in range(page.details.tabs.count())
             if page.details.tabs.is_shown(place)]  # fmt: skip
    assert not page.view.tests and "Tests" not in shown and {"Question", "Tried on", "Reference"} <= set(shown)
    page.details.show_tab("Tests")
    assert page.details.view_of("Tests").isVisible()


def test_what_is_typed_is_a_draft_until_it_is_saved(window: MainWindow, wait: Wait) -> None:
    page = _page(window, wait, "Prompt")
    store = open_store(window)
    first, saved = page.view.row.id, page.paraphrase.text()
    page.panes.editor.setPlainText("Half typed A")
    page.queue.select_next()
    wait(lambda: page.view.row.id != first)
    window.show_page("Select")
    window.show_page("Prompt")
    page.show_subject(first)
    wait(lambda: page.view.row.id == first and page.paraphrase.text() == "Half typed A")
    assert page.paraphrase.draft.has_draft
    window.session.flush()
    found = triage.load_subject(store, first)
    assert found.paraphrase is not None and found.paraphrase.text == saved and found.row.proven
    page.save()
    wait(lambda: triage.load_subject(store, first).paraphrase.text == "Half typed A")  # type: ignore[union-attr]


def test_skip_goes_on_and_leaves_the_acceptance(window: MainWindow, wait: Wait) -> None:
    page = _page(window, wait, "Prompt")
    store = open_store(window)
    first, decided = page.view.row.id, len(triage.load_subject(store, page.view.row.id).decisions)
    page.header.buttons["queue.next"].click()
    wait(lambda: page.view.row.id != first)
    found = triage.load_subject(store, first)
    assert found.row.verdict == "accept" and len(found.decisions) == decided


def _look_at_dots(window: MainWindow, wait: Wait, name: str, card: str) -> None:
    page = _page(window, wait, name)
    dots = {"paraphrase": page.panes.right_card, "criterion": page.document}
    shown = {key: holder.findChild(DraftDot) for key, holder in dots.items()}
    assert all(dot.isHidden() for dot in shown.values())
    before = page.own_writing.text()
    page.own_writing.replace_text(before + "\n# more")
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
    store = open_store(window)
    first, before = page.view.row.id, page.paraphrase.text()
    page.paraphrase.replace_text(before + " And say so in a sentence.")
    page.save()
    wait(lambda: triage.load_subject(store, first).paraphrase.text != before)  # type: ignore[union-attr]
    page.queue.select_next()
    wait(lambda: page.view.row.id != first)
    page.queue.list.setFocus()
    window.session.undo()
    wait(lambda: page.view.row.id == first and page.paraphrase.text() == before)
    assert page.panes.editor.isVisible()
    assert page.queue.list.hasFocus(), "a field would take the next Ctrl+Z for itself"


def _scroll_nothing_sideways(window: MainWindow, wait: Wait, name: str) -> None:
    page = open_page(window, name)
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
    page.go_to_step(DeskStep.PROVEN)
    proof = page.proof
    trial = {"label": "x", "score": 1.0, "detail": "all", "expected": "fail", "kind": "impostor", "ok": False}
    check = {"title": "Impostors fail", "outcome": "fail", "required": True, "summary": "no", "facts": {}}
    proof.show_proof([{**check, "trials": [trial] * 3}], "Not proven. " + "Much was tried, and some of it passed. " * 4)

    def is_whole() -> bool:
        row = proof.table.rowHeight(0)
        return proof.state.height() >= proof.state.heightForWidth(proof.state.width()) and (
            proof.table.viewport().height() >= 2 * row > 0
        )

    wait(is_whole)


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
    subject = triage.load_subject(store, "clear").row.id
    said = saved_step_states(read_item(store, subject))[DeskStep.PARAPHRASED]
    assert not said.done and said.note == "its prompt is only a signature; describe what the function does"
    paraphrases.save_prompt(store, subject, "Remove all items from the table.")
    assert saved_step_states(read_item(store, subject))[DeskStep.PARAPHRASED].done
    store.close()


def test_a_wide_window_shows_two_steps_side_by_side(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Criterion")
    wait(lambda: page.view is not None and page.criterion.panel.isVisible())
    assert not page.proof.isVisible()
    window.resize(1920, 1000)
    wait(lambda: page.criterion.panel.isVisible() and page.proof.isVisible())
    page.go_to_step(DeskStep.PARAPHRASED)
    wait(lambda: page.paraphrase.panel.isVisible() and page.criterion.panel.isVisible() and not page.proof.isVisible())
    page.criterion.focus()
    wait(lambda: page.current_step() == DeskStep.CRITERION)
    assert page.steps.open_step == DeskStep.PARAPHRASED, "acts are meant for the step that has the focus"
    window.resize(1280, 800)
    wait(lambda: page.paraphrase.panel.isVisible() and not page.criterion.panel.isVisible())


def test_rows_and_anchors_light_up_their_place(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Criterion")
    wait(lambda: page.view is not None and page.answers.rules.row_count() > 0)
    answers = page.answers
    answers.rules.select(0)
    [lit] = {stretch for stretch in answers.response.marks if stretch[2] == "attention"}
    assert lit[:2] == answers.rules.payload_at(answers.rules.currentIndex()).spans[0]
    reference = answers.trial.texts[0]
    changed = reference.replace("0.25", "3.25", 1)
    page.proof.answer_chosen.emit("changed", changed, {})
    wait(lambda: answers.card.title == "changed" and answers.responses.row_count() == len(answers.trial.names))
    assert answers.trial.texts[answers.responses.current_payload()] == changed == answers.response.toPlainText()
    kinds = {kind for *_, kind in answers.response.marks}
    assert kinds == {"good", "attention"} and answers.rules.row_count() > 0, "it is scored like every other answer"
    chip = next(one for one in page.paraphrase.panel.findChildren(QPushButton) if one.text().startswith("np.where "))
    assert chip.focusPolicy() == Qt.FocusPolicy.TabFocus
    QTest.keyClick(chip, Qt.Key.Key_Space)
    assert page.panes.original.textCursor().selectedText() == "np.where" and page.panes.original.isVisible()
    page.paraphrase.replace_text("Return flat indices.")
    wait(lambda: any(one.text() == "np.where missing" for one in page.paraphrase.panel.findChildren(QPushButton)))
    chip = next(one for one in page.paraphrase.panel.findChildren(QPushButton) if one.text() == "np.where missing")
    page.panes.editor.moveCursor(QTextCursor.MoveOperation.Start)
    chip.click()
    assert page.paraphrase.text() == "np.where Return flat indices."
