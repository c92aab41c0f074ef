"""Reference, tests and facts of an item are edited where they are seen."""

from __future__ import annotations

import json
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from annotator.services.consensus import three_experts
from annotator.services.select import triage
from annotator.ui.app.main_window import MainWindow
from tests.windows import Wait


@pytest.fixture
def page(window: MainWindow, wait: Wait) -> Any:
    window.show_page("Criterion")
    found: Any = window.pages.page("Criterion")
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
