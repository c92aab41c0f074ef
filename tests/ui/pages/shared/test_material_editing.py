"""Reference, tests and facts of an item are edited where they are seen."""

from __future__ import annotations

import json
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from annotator.base.errors import BadInputError
from annotator.services.consensus import three_experts
from annotator.services.select import triage
from annotator.ui.app.main_window import MainWindow
from annotator.ui.pages.shared.artefact_editor import draft_item_id
from tests.windows import Wait, open_page, settle


@pytest.fixture
def page(window: MainWindow, wait: Wait) -> Any:
    found = open_page(window, "Criterion")
    wait(lambda: found.view is not None)
    return found


def test_the_material_is_edited_where_it_is_seen(page: Any, window: MainWindow, wait: Wait) -> None:
    store, subject = page.store, page.view.row.id
    details, editor = page.details, page.details.editor
    details.show_tab("Reference")
    details.edit.click()
    wait(editor.isVisible)
    assert editor.code.toPlainText() == page.view.reference and not details.stack.isVisible()
    # A text that is left stays a draft, and the button says so.
    editor.code.setFocus()
    editor.code.appendPlainText("more")
    editor.close_button.click()
    assert details.stack.isVisible() and details.edit.text() == "Edit ●"
    assert details.view_of("Reference").hasFocus()
    assert three_experts.load_artefact(store, subject, "solution").edited_by is None
    details.edit.click()
    wait(lambda: editor.isVisible() and editor.code.toPlainText().endswith("more"))
    # The key that saves the step saves the text in which it is pressed, and goes nowhere else.
    editor.code.setFocus()
    page.save_next()
    wait(lambda: page.view.reference.endswith("more") and details.stack.isVisible())
    assert page.view.row.id == subject and details.edit.text() == "Edit"
    assert details.view_of("Reference").toPlainText().endswith("more")
    window.session.undo()
    wait(lambda: not page.view.reference.endswith("more"))


def test_tests_have_a_form(page: Any, wait: Wait) -> None:
    store, subject = page.store, page.view.row.id
    details, form = page.details, page.details.editor.tests
    details.show_tab("Tests")
    assert details.edit.isVisible()
    details.edit.click()
    wait(form.isVisible)
    assert not page.details.editor.code.isVisible() and not form.name.isEnabled()
    form.add_button.click()
    form.add_button.click()
    assert [form.choice.itemText(place) for place in range(form.choice.count())] == ["test 1", "test 2"]
    form.code.setPlainText("assert f(1) == 2")
    QTest.keyClicks(form.expected, "2")
    form.choice.setCurrentIndex(0)
    form.remove_button.click()
    QTest.keyClicks(form.inputs, "[1]")
    details.editor.save.click()
    wait(lambda: "inputs must be a JSON object" in details.editor.problem.text())
    form.inputs.clear()
    QTest.keyClicks(form.inputs, '{"x": 1}')
    details.editor.save.click()
    wait(lambda: len(page.view.tests) == 1 and not details.editor.isVisible())
    row = json.loads(three_experts.load_artefact(store, subject, "tests").content)[0]
    assert (row["name"], row["code"], row["inputs"], row["expected"]) == (
        "test 2", "assert f(1) == 2", {"x": 1}, "2"
    )  # fmt: skip


def test_the_facts_are_set_above_the_evidence(page: Any, wait: Wait) -> None:
    page.details.show_tab("Evidence")
    box = page.details.facts.findChildren(type(page.details.facts.type))[-1]
    assert page.details.facts.isVisible() and box.accessibleName() == "Area"
    box.lineEdit().selectAll()
    QTest.keyClicks(box.lineEdit(), "arrays")
    QTest.keyClick(box.lineEdit(), Qt.Key.Key_Return)
    wait(lambda: page.view.row.area == "arrays")
    assert triage.load_subject_row(page.store, page.view.row.id).area == "arrays"


# -- what is typed and what is shown at the same time ----------------------------------------------------------------


def _other(page: Any, wait: Wait) -> None:
    """Go to the other subject of the desk."""
    subject = page.view.row.id
    page.queue.select_next()
    wait(lambda: page.view is not None and page.view.row.id != subject)


def test_an_editor_that_is_loaded_late_stays_closed(page: Any, window: MainWindow, qtbot: QtBot) -> None:
    details = page.details
    details.show_tab("Reference")
    details.edit.click()
    details.close_editor()
    settle(window, qtbot)
    assert not details.editor.isVisible() and details.stack.isVisible()


def test_the_text_returns_if_the_editor_cannot_be_loaded(
    page: Any, window: MainWindow, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise BadInputError("The text cannot be read.")

    details = page.details
    details.show_tab("Reference")
    monkeypatch.setattr(three_experts, "load_artefact", refuse)
    details.edit.click()
    assert not details.stack.isVisible()
    wait(lambda: details.stack.isVisible() and details.edit.isVisible())
    assert "cannot be read" in window.error_bar.message.text()


def test_a_save_closes_no_editor_of_another_text(page: Any, wait: Wait) -> None:
    details, editor = page.details, page.details.editor
    details.show_tab("Reference")
    details.edit.click()
    wait(editor.isVisible)
    editor.saved.emit(draft_item_id("another", "solution"), "")
    assert editor.isVisible()
    editor.saved.emit(draft_item_id(page.view.row.id, "solution"), "")
    assert not editor.isVisible()


def test_the_form_waits_for_the_text_to_be_shown_again_or_discarded(page: Any, wait: Wait) -> None:
    details, editor = page.details, page.details.editor
    details.show_tab("Tests")
    details.edit.click()
    wait(editor.tests.isVisible)
    stored = editor.draft.stored
    editor.draft.show_item(editor.draft.item_id, "no array")
    assert editor.code.isVisible() and not editor.tests.isVisible()
    editor.code.setFocus()
    editor.code.selectAll()
    QTest.keyClicks(editor.code, "[]")
    assert editor.code.isVisible() and not editor.tests.isVisible(), "nothing appears under the typist"
    editor.draft.show_item(editor.draft.item_id, stored)
    editor.draft.discard()
    assert editor.tests.isVisible()


def test_a_key_in_the_form_is_passed_on_once_typing_pauses_or_the_form_is_left(
    page: Any, window: MainWindow, wait: Wait
) -> None:
    details, editor = page.details, page.details.editor
    details.show_tab("Tests")
    details.edit.click()
    wait(editor.tests.isVisible)
    editor.tests.add_button.click()
    told: list[str] = []
    editor.tests.changed.connect(told.append)
    QTest.keyClicks(editor.tests.expected, "12345")
    assert len(told) <= 1
    wait(lambda: "12345" in editor.code.toPlainText())
    QTest.keyClicks(editor.tests.expected, "6")
    assert window.session.drafts.flush() and "123456" in window.session.drafts.drafts[-1].text
    QTest.keyClicks(editor.tests.expected, "7")
    details.close_editor()
    assert "1234567" in window.session.drafts.drafts[-1].text


def _box(page: Any, name: str) -> Any:
    boxes = page.details.facts.findChildren(type(page.details.facts.type))
    return next(box for box in boxes if box.accessibleName() == name)


def test_a_fact_that_is_typed_survives_another_that_is_saved(page: Any, wait: Wait) -> None:
    page.details.show_tab("Evidence")
    subject, store, box = page.view.row.id, page.store, _box(page, "Domain")
    difficulty = page.details.facts.difficulty
    difficulty.setCurrentIndex(difficulty.findData("hard"))
    difficulty.activated.emit(difficulty.currentIndex())
    box.lineEdit().setFocus()
    box.lineEdit().selectAll()
    QTest.keyClicks(box.lineEdit(), "graphs")
    wait(lambda: page.view.row.difficulty == "hard")
    assert box.currentText() == "graphs"
    _other(page, wait)
    wait(lambda: triage.load_subject_row(store, subject).domain == "graphs")
    assert box.currentText() == page.view.row.domain != "graphs"


def test_a_fact_is_saved_once(page: Any) -> None:
    page.details.show_tab("Evidence")
    box = _box(page, "Area")
    told: list[str] = []
    page.details.facts.label_chosen.connect(lambda _view, name, value: told.append(f"{name} {value}"))
    box.lineEdit().setFocus()
    box.lineEdit().selectAll()
    QTest.keyClicks(box.lineEdit(), "arrays")
    QTest.keyClick(box.lineEdit(), Qt.Key.Key_Return)
    page.details.facts.difficulty.setFocus()
    box.lineEdit().editingFinished.emit()
    assert told == ["area arrays"]
