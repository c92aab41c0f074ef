"""Difficulty, question type and licence of a candidate: all fields are in view, and nothing is said twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox

from annotator.services.select import triage
from tests.windows import Wait, open_page

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from annotator.ui.app.main_window import MainWindow


def test_the_fields_are_whole_in_a_small_window(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Select")
    wait(lambda: page.view is not None)
    window.resize(760, 430)

    def whole() -> None:
        for field in (page.kind_row.difficulty, page.kind_row.type, page.kind_row.licence):
            place = field.rect().translated(field.mapTo(page.kind_row, field.rect().topLeft()))
            assert page.kind_row.rect().contains(place)
        assert page.kind_row.geometry().bottom() < page.prompt.geometry().top()

    wait(whole)


def test_the_longest_question_type_is_whole_at_large_text(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Select")
    wait(lambda: page.view is not None)
    window.resize(900, 800)
    try:
        window.theme.set_scale(200)
        box = page.kind_row.type

        def is_whole() -> bool:
            longest = max(box.fontMetrics().horizontalAdvance(box.itemText(index)) for index in range(box.count()))
            return bool(box.lineEdit().width() > longest) and box.font().pointSizeF() > 15

        wait(is_whole)
    finally:
        window.theme.set_scale(100)


def test_a_licence_alone_is_told_in_its_field_only(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Select")
    wait(lambda: page.view is not None and bool(page.view.licence))
    assert page.kind_row.licence.currentText() == page.view.licence
    assert page.credit.isHidden() or page.credit.text() != page.view.licence


def test_letters_are_keys_again_once_a_type_was_taken_from_the_list(
    window: MainWindow, wait: Wait, qtbot: QtBot
) -> None:
    page = open_page(window, "Select")
    wait(lambda: page.view is not None)
    page.queue.list.setFocus()
    qtbot.keyClick(page.queue.list, Qt.Key.Key_Y)
    wait(lambda: page.kind_row.type.view().isVisible())
    qtbot.keyClick(page.kind_row.type.view(), Qt.Key.Key_Down)
    qtbot.keyClick(page.kind_row.type.view(), Qt.Key.Key_Return)
    wait(page.queue.list.hasFocus)
    assert page.kind_row.type.currentText()
    page.kind_row.type.setFocus()
    qtbot.keyClick(page.kind_row.type, Qt.Key.Key_Down)
    assert not page.queue.list.hasFocus(), "arrows go through the values without the list"
    qtbot.keyClick(page.kind_row.type, Qt.Key.Key_Return)
    wait(page.queue.list.hasFocus)


def test_words_that_are_typed_are_the_value(window: MainWindow, wait: Wait, qtbot: QtBot) -> None:
    page = open_page(window, "Select")
    wait(lambda: page.view is not None)
    subject, line = page.view.row.id, page.kind_row.type.lineEdit()
    line.setFocus()
    line.selectAll()
    qtbot.keyClicks(line, "words of mine")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    wait(lambda: page.view.row.id == subject and page.view.question_type == "words of mine")


def test_a_fact_that_is_being_typed_is_saved_for_the_candidate_that_is_left(
    window: MainWindow, wait: Wait, qtbot: QtBot
) -> None:
    page = open_page(window, "Select")
    wait(lambda: page.view is not None)
    subject, line, store = page.view.row.id, page.kind_row.type.lineEdit(), window.session.store
    assert store is not None
    line.setFocus()
    line.selectAll()
    qtbot.keyClicks(line, "of the first")
    page.queue.select_next()
    wait(lambda: page.view is not None and page.view.row.id != subject)
    second = page.view.row.id
    wait(lambda: triage.load_subject(store, subject).question_type == "of the first")
    assert triage.load_subject(store, second).question_type != "of the first"


def test_a_fact_is_set_of_all_candidates_that_are_chosen(window: MainWindow, wait: Wait, qtbot: QtBot) -> None:
    page = open_page(window, "Select")
    wait(lambda: page.view is not None and page.queue.model.subject(2) is not None)
    store, view = window.session.store, page.queue.list
    assert store is not None
    chosen = [page.queue.model.subject(place).id for place in (0, 2)]

    def facts(name: str) -> list[str]:
        return [getattr(triage.load_subject(store, subject).row, name) for subject in chosen]

    for place, modifier in ((0, Qt.KeyboardModifier.NoModifier), (2, Qt.KeyboardModifier.ControlModifier)):
        spot = view.visualRect(page.queue.model.index(place)).center()
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, modifier, spot)
    wait(lambda: page.view is not None and page.view.row.id == chosen[1])
    for key, value in ((Qt.Key.Key_H, "hard"), (Qt.Key.Key_E, "easy")):
        qtbot.keyClick(view, key)
        wait(lambda value=value: facts("difficulty") == [value, value])
    page.kind_row.difficulty.setCurrentIndex(page.kind_row.difficulty.findData("medium"))
    page.kind_row.difficulty.activated.emit(page.kind_row.difficulty.currentIndex())
    wait(lambda: facts("difficulty") == ["medium", "medium"])
    page.details.show_tab("Evidence")
    box = page.details.facts.findChildren(QComboBox)[-1]
    line = box.lineEdit()
    line.setFocus()
    line.selectAll()
    qtbot.keyClicks(line, "dates")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    wait(lambda: facts("area") == ["dates", "dates"])
