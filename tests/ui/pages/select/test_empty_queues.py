"""The queue: filters as chips, labels of a candidate, work by keyboard, and the way on where it is empty."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication, QComboBox, QPushButton, QWidget

from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.select import triage
from annotator.ui.pages.page_registry import PAGES
from tests.screen import screen
from tests.windows import Wait, open_page, open_store

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from annotator.ui.app.main_window import MainWindow


@pytest.fixture
def page(window: MainWindow, wait: Wait) -> Any:
    """The page Select with a candidate on it and its counts."""
    page = open_page(window, "Select")
    wait(lambda: page.view is not None and page.queue.progress.value() > 0)
    return page


def _search_without_a_hit(window: MainWindow, wait: Wait, name: str) -> None:
    page = open_page(window, name)
    wait(lambda: page.view is not None)
    page.queue.search.setText("nothinghasthisword")
    wait(lambda: page.view is None and page.right.currentWidget() is page.empty_state)
    assert "search" in page.empty_state.title and page.empty_state.button.text() == "Show all"
    page.empty_state.button.click()
    wait(lambda: page.view is not None)
    assert page.queue.search.text() == ""
    assert page.queue.list.hasFocus(), QApplication.focusWidget()
    assert window.pages.current_name == name


def test_a_search_without_a_hit_says_so_and_everything_comes_back(
    window: MainWindow, wait: Wait, subtests: pytest.Subtests
) -> None:
    for name in ("Select", "Prompt", "Criterion"):
        with subtests.test(name):
            _search_without_a_hit(window, wait, name)


def test_a_filter_without_a_hit_is_taken_back_in_its_boxes_too(page: Any, wait: Wait) -> None:
    page.filters.choose(QueueFilter(languages=("cobol",)))
    wait(lambda: page.view is None)
    page.empty_state.button.click()
    wait(lambda: page.view is not None)
    assert page.filters.filter() == QueueFilter()


def test_escape_empties_the_search_and_goes_back_to_the_list(page: Any, qtbot: QtBot, wait: Wait) -> None:
    page.queue.focus_search()
    wait(page.queue.search.hasFocus)
    qtbot.keyClicks(page.queue.search, "regex")
    wait(lambda: page.queue.model.rowCount() < 5)
    qtbot.keyClick(page.queue.search, Qt.Key.Key_Escape)
    assert page.queue.search.text() == "" and page.queue.list.hasFocus()
    wait(lambda: page.queue.model.rowCount() == 24)


def test_the_current_subject_stays_in_view_when_the_search_is_cleared(
    page: Any, window: MainWindow, wait: Wait
) -> None:
    window.resize(1280, 700)
    queue = page.queue
    queue.search.setText("window")
    wait(lambda: queue.model.rowCount() < 5)
    found = queue.current_id()
    queue.search.setText("")
    wait(lambda: queue.model.rowCount() == 24)
    place = queue.list.visualRect(queue.list.currentIndex())
    assert queue.current_id() == found and queue.list.currentIndex().row() > 8
    assert queue.list.viewport().rect().contains(place)


class _Windows(QObject):
    """Notes every widget that is shown as a window of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.seen.append(repr(watched))
        return False


def test_no_page_shows_a_part_as_a_window_that_takes_the_focus(window: MainWindow, wait: Wait) -> None:
    application = QApplication.instance()
    assert application is not None
    watching = _Windows()
    application.installEventFilter(watching)
    try:
        for item in PAGES:
            window.show_page(item.name)
            wait(lambda name=item.name: window.pages.current_name == name)  # type: ignore[misc]  # mypy knows no default
            QApplication.processEvents()
    finally:
        application.removeEventFilter(watching)
    assert not watching.seen
    assert window.isActiveWindow()


# Once no candidate is open, the page says so and leads to what comes next.


def test_the_last_decision_leads_to_the_prompts(page: Any, window: MainWindow, wait: Wait) -> None:
    store = open_store(window)
    rows = triage.queue_page(store, QueueFilter(verdicts=("open",))).rows
    window.session.announce(triage.decide_subjects(store, [row.id for row in rows], Verdict.ACCEPT))
    wait(lambda: window.status.message.text() == "Every candidate has a decision.")
    window.status.offer_button.click()
    wait(lambda: window.pages.current_name == "Prompt")


def test_the_last_of_the_list_says_what_is_still_open(page: Any, window: MainWindow, wait: Wait) -> None:
    store = page.session.store
    first = page.queue.model.subject(0)
    window.session.announce(triage.reopen_decisions(store, [first.id], ""))
    page.queue.go_to_row(page.queue.model.rows[-1])
    wait(lambda: page.view is not None and page.view.row.id == page.queue.shown_id())
    page.decide(Verdict.FLAG)
    wait(lambda: window.status.message.text() == "That was the last in the list. 1 candidate is still open.")
    window.status.offer_button.click()
    wait(lambda: page.queue.shown_id() == first.id)


# What narrows the queue is a bar of chips: a value is found by typing, shown as a chip, and gone with a press.


def _chips(page: Any) -> list[str]:
    found = page.filters.findChildren(QPushButton)
    return [chip.accessibleName() for chip in found if chip.isVisible() and chip.property("role") == "chosen-chip"]


def test_a_value_is_found_by_typing_and_its_chip_takes_it_away(page: Any, qtbot: QtBot, wait: Wait) -> None:
    assert _chips(page) == []
    page.filters.open_choice()
    qtbot.keyClicks(page.filters.choice.field, "lang java")
    assert [choice.word for choice in page.filters.choice.visible_choices()] == ["javascript", "java"]
    qtbot.keyClick(page.filters.choice.field, Qt.Key.Key_Return)
    wait(lambda: page.queue.model.rowCount() == 3)
    qtbot.keyClick(page.filters.choice.field, Qt.Key.Key_Down)
    qtbot.keyClick(page.filters.choice.field, Qt.Key.Key_Return)
    wait(lambda: page.queue.model.rowCount() == 4)
    assert page.filters.filter().languages == ("javascript", "java")
    page.filters.choice.hide()
    wait(lambda: len(_chips(page)) == 2)
    next(made for made in page.filters.findChildren(QPushButton) if "javascript" in made.text()).click()
    wait(lambda: page.queue.model.rowCount() == 1)
    assert page.filters.filter().languages == ("java",)
    page.filters.show_everything()
    wait(lambda: page.queue.model.rowCount() == 24)
    assert _chips(page) == []


def test_a_dimension_without_values_is_not_offered(page: Any) -> None:
    from annotator.model.rows.queue_rows import Facets

    page.filters.set_facets(Facets({"language": (("python", 6),), "area": ()}, capped=False))
    page.filters.open_choice()
    titles = {choice.title for choice in page.filters.choice.visible_choices()}
    page.filters.choice.hide()
    assert titles == {"Language", "Assigned to"}


def test_a_filter_of_several_values_shows_a_chip_for_each(page: Any, wait: Wait) -> None:
    wanted = QueueFilter(languages=("python", "go"), missing=("proof",), holders=("nobody",), sort="title")
    page.filters.choose(wanted)
    assert page.filters.filter() == wanted
    wait(lambda: len(_chips(page)) == 4)
    assert "By title" in page.filters.sort.text()
    page.filters.toggle_mine()
    assert page.filters.filter().holders == ("me",)


# Difficulty, question type and licence of a candidate: all fields are in view, and nothing is said twice.


def test_the_fields_are_whole_in_a_small_window(page: Any, window: MainWindow, wait: Wait) -> None:
    window.resize(760, 430)

    def whole() -> None:
        for field in (page.kind_row.difficulty, page.kind_row.type, page.kind_row.licence):
            place = field.rect().translated(field.mapTo(page.kind_row, field.rect().topLeft()))
            assert page.kind_row.rect().contains(place)
        assert page.kind_row.geometry().bottom() < page.prompt.geometry().top()

    wait(whole)


def test_the_longest_question_type_is_whole_at_large_text(page: Any, window: MainWindow, wait: Wait) -> None:
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


def test_a_licence_alone_is_told_in_its_field_only(page: Any, wait: Wait) -> None:
    wait(lambda: page.view is not None and bool(page.view.licence))
    assert page.kind_row.licence.currentText() == page.view.licence
    assert page.credit.isHidden() or page.credit.text() != page.view.licence


def test_letters_are_keys_again_once_a_type_was_taken_from_the_list(page: Any, wait: Wait, qtbot: QtBot) -> None:
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


def test_words_that_are_typed_are_the_value(page: Any, wait: Wait, qtbot: QtBot) -> None:
    subject, line = page.view.row.id, page.kind_row.type.lineEdit()
    line.setFocus()
    line.selectAll()
    qtbot.keyClicks(line, "words of mine")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    wait(lambda: page.view.row.id == subject and page.view.question_type == "words of mine")


def test_a_fact_that_is_being_typed_is_saved_for_the_candidate_that_is_left(
    page: Any, window: MainWindow, wait: Wait, qtbot: QtBot
) -> None:
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


def test_a_fact_is_set_of_all_candidates_that_are_chosen(
    page: Any, window: MainWindow, wait: Wait, qtbot: QtBot
) -> None:
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


# Candidates triaged on a screen of their own by a scripted person who has a keyboard and nothing else.
ROOT = Path(__file__).parents[4]
# More than two windows of the queue, and every fiftieth with a reason.
COUNT = 130


@pytest.mark.slow
def test_no_mouse_and_no_dropped_key() -> None:
    with screen(1400, 900) as environment:
        done = subprocess.run(
            [sys.executable, "-m", "tests.benchmarks.triage", "--x11", "--count", str(COUNT)],
            cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
    if "no Qt platform plugin" in done.stderr or "xcb-cursor" in done.stderr:
        pytest.skip("Qt's X11 libraries are not installed")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    print(f"key to next candidate: p50 {found['p50']} ms, p95 {found['p95']} ms, worst {found['worst']} ms")
    assert (found["right"], found["reasons"], found["pointer_events"]) == (COUNT, COUNT // 50, 0)
