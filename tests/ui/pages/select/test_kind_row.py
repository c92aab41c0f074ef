"""Difficulty, question type and licence of a candidate: all fields are in view, and nothing is said twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt

from annotator.services.select import triage
from tests.windows import Wait

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from annotator.ui.app.main_window import MainWindow


def test_the_fields_are_whole_in_a_small_window(window: MainWindow, wait: Wait) -> None:
    window.show_page("Select")
    page: Any = window.pages.page("Select")
    wait(lambda: page.view is not None)
    window.resize(760, 430)

    def whole() -> None:
        for field in (page.kind_row.difficulty, page.kind_row.type, page.kind_row.licence):
            place = field.rect().translated(field.mapTo(page.kind_row, field.rect().topLeft()))
            assert page.kind_row.rect().contains(place)
        assert page.kind_row.geometry().bottom() < page.prompt.geometry().top()

    wait(whole)


def test_a_licence_alone_is_told_in_its_field_only(window: MainWindow, wait: Wait) -> None:
    window.show_page("Select")
    page: Any = window.pages.page("Select")
    wait(lambda: page.view is not None and bool(page.view.licence))
    assert page.kind_row.licence.currentText() == page.view.licence
    assert page.credit.isHidden() or page.credit.text() != page.view.licence


def test_letters_are_keys_again_once_a_type_was_taken_from_the_list(
    window: MainWindow, wait: Wait, qtbot: QtBot
) -> None:
    window.show_page("Select")
    page: Any = window.pages.page("Select")
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
    window.show_page("Select")
    page: Any = window.pages.page("Select")
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
    window.show_page("Select")
    page: Any = window.pages.page("Select")
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
