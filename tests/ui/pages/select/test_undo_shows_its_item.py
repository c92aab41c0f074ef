"""Undo and redo bring the item they concern back on screen, so that the next key decides what is shown."""

from __future__ import annotations

import random
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QItemSelectionModel, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.project import undo
from annotator.services.prompt import paraphrases
from annotator.services.select import triage
from annotator.store.history.undo_log import UNDOABLE
from annotator.ui.app.main_window import MainWindow, page_of_changes
from annotator.ui.pages.select import page as select_page
from tests.windows import Wait, open_page, open_store

KEYS = {"A": Verdict.ACCEPT, "R": Verdict.REJECT}


def _page(window: MainWindow, wait: Wait, name: str = "Select") -> Any:
    page = open_page(window, name)
    wait(lambda: page.view is not None and len(page.queue.model.rows) > 20)
    return page


def _idle(page: Any) -> bool:
    """Whether all that was begun has ended and what is current is shown."""
    return page.is_settled and page.view is not None and page.queue.shown_id() == page.view.row.id


def _saved(window: MainWindow, wait: Wait) -> None:
    done: list[int] = []
    window.session.act(lambda: None, lambda _result: done.append(1))
    wait(lambda: bool(done))


def _last_decided(window: MainWindow) -> tuple[str, str]:
    """Return the subject and the verdict of the newest decision that stands."""
    store = open_store(window)
    with store.reader() as connection:
        row = connection.execute(
            "SELECT subject_id, verdict FROM decision WHERE active ORDER BY created_at DESC, id DESC LIMIT 1"
        ).fetchone()
    return str(row[0]), str(row[1])


@pytest.mark.parametrize("least", [30, 100])
def test_the_next_key_decides_what_the_header_shows(window: MainWindow, wait: Wait, qtbot: Any, least: int) -> None:
    page = _page(window, wait)
    dice = random.Random(7)
    decided: list[tuple[str, str]] = []
    decide = page.decide_rows

    def noting(rows: Any, verdict: Verdict, reason: str = "") -> None:
        [row] = rows
        decided.append((page.header.title.full, next(r.title for r in triage.subjects_at_rows(page.store, [row]))))
        decide(rows, verdict, reason)

    page.decide_rows = noting
    for _ in range(12):
        qtbot.keyClick(page.queue.list, dice.choice("AR"))
        wait(lambda: _idle(page))
    steps, done, undone = 0, len(decided), 0
    while steps < least:
        # Somebody looks elsewhere, then takes back or does again some acts, in any order.
        for _ in range(dice.randint(0, 3)):
            qtbot.keyClick(page.queue.list, dice.choice([Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_End]))
        before = len(decided)
        for _ in range(dice.randint(1, 4)):
            back = done > 0 and (undone == 0 or dice.random() < 0.6)
            done, undone = (done - 1, undone + 1) if back else (done + 1, undone - 1)
            window.actions_table.trigger("edit.undo" if back else "edit.redo")
            steps += 1
            if dice.random() < 0.5:
                wait(lambda: _idle(page))
        shown = ""
        if dice.random() < 0.7:
            wait(lambda: _idle(page))
            shown = page.view.row.id
        key = dice.choice("AR")
        qtbot.keyClick(page.queue.list, key)
        wait(lambda before=before: len(decided) == before + 1)  # type: ignore[misc]
        _saved(window, wait)
        done, undone = done + 1, 0
        subject, verdict = _last_decided(window)
        assert verdict == KEYS[key]
        if shown:
            assert subject == shown
    assert [header for header, _ in decided] == [title for _, title in decided]
    wait(lambda: _idle(page))


def test_undo_goes_back_to_what_it_undid(window: MainWindow, wait: Wait, qtbot: Any) -> None:
    page = _page(window, wait)
    first = page.view.row.id
    qtbot.keyClick(page.queue.list, "R")
    wait(lambda: page.view.row.id != first and _idle(page))
    qtbot.keyClick(page.queue.list, Qt.Key.Key_End)
    wait(lambda: _idle(page))
    window.actions_table.trigger("edit.undo")
    wait(lambda: page.view.row.id == first and _idle(page))
    page.queue.select_next()
    wait(lambda: page.view.row.id != first and _idle(page))
    window.actions_table.trigger("edit.redo")
    wait(lambda: page.view.row.id == first and _idle(page))
    wait(lambda: page.view.row.verdict == "reject")


def test_undo_says_once_what_it_took_back(window: MainWindow, wait: Wait, qtbot: Any) -> None:
    page = _page(window, wait)
    said = list[str]()
    window.session.stepped.connect(lambda _changes, text: said.append(text))
    title = page.view.row.title
    qtbot.keyClick(page.queue.list, "R")
    wait(lambda: page.view.row.title != title and _idle(page))
    window.actions_table.trigger("edit.undo")
    wait(lambda: len(said) == 1)
    window.actions_table.trigger("edit.redo")
    wait(lambda: len(said) == 2 and _idle(page))
    act = f"Reject {title}".removesuffix(".")
    assert said == [f"Undone: {act}.", f"Redone: {act}."]


def test_a_double_click_decides_once(window: MainWindow, wait: Wait, qtbot: Any) -> None:
    page = _page(window, wait)
    decided, decide = list[str](), page.decide_rows
    page.decide_rows = lambda rows, verdict, reason="": (decided.extend(rows), decide(rows, verdict, reason))
    first, button = page.view.row.id, page.header.buttons["select.accept"]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    wait(lambda: page.view.row.id != first and _idle(page))
    # What the window system sends for the second click of two.
    place = QPointF(button.rect().center())
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(button, QMouseEvent(QEvent.Type.MouseButtonDblClick, place, place, left, left, none))
    qtbot.mouseRelease(button, left)
    wait(lambda: _idle(page))
    assert len(decided) == 1


def test_a_filter_that_hides_the_item_is_widened_and_can_be_put_back(
    window: MainWindow, wait: Wait, qtbot: Any
) -> None:
    page = _page(window, wait)
    first = page.view.row
    qtbot.keyClick(page.queue.list, "R")
    narrowed = QueueFilter(languages=("java",), sort="title")
    page.filters.choose(narrowed)
    wait(lambda: 0 < len(page.queue.model.rows) < 10 and _idle(page))
    assert first.language != "java"
    window.actions_table.trigger("edit.undo")
    wait(lambda: page.view is not None and page.view.row.id == first.id and _idle(page))
    assert page.queue.filter == QueueFilter(sort="title")
    offer = window.status.offer_button
    assert offer.isVisible() and offer.text() == "Restore filter"
    offer.click()
    wait(lambda: 0 < len(page.queue.model.rows) < 10)
    assert page.queue.filter == narrowed


def test_on_another_page_the_notice_leads_to_the_item(window: MainWindow, wait: Wait, qtbot: Any) -> None:
    page = _page(window, wait)
    first = page.view.row.id
    qtbot.keyClick(page.queue.list, "F")
    _saved(window, wait)
    window.show_page("Judge")
    window.actions_table.trigger("edit.undo")
    wait(lambda: window.status.offer_button.isVisible())
    assert "Undone" in window.status.message.text()
    window.status.offer_button.click()
    assert window.pages.current_name == "Select"
    wait(lambda: page.view is not None and page.view.row.id == first)


def test_a_text_being_written_is_not_left_for_an_undo(window: MainWindow, wait: Wait, qtbot: Any) -> None:
    store = open_store(window)
    others = [row.id for row in triage.accepted_subjects(store)]
    paraphrases.save_prompt(store, others[5], "Another text.")
    page = _page_of_prompts(window, wait)
    page.own_writing.replace_text("Typed and not saved.")
    subject = page.view.row.id
    window.session.undo()
    wait(lambda: window.session.receipt is not None and not window.session.is_stepping)
    assert page.view.row.id == subject
    assert page.own_writing.text() == "Typed and not saved."
    assert undo.redo_label(store) is not None
    page.own_writing.replace_text(page.own_writing.draft.stored)


def _page_of_prompts(window: MainWindow, wait: Wait) -> Any:
    page = open_page(window, "Prompt")
    wait(lambda: page.view is not None)
    return page


def _select(page: Any, count: int) -> None:
    model = page.queue.list.selectionModel()
    page.queue.list.setCurrentIndex(page.queue.model.index(0))
    for place in range(count):
        flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
        model.select(page.queue.model.index(place), flags)


def test_several_say_what_they_overwrite_and_can_be_undone_there(
    window: MainWindow, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = _page(window, wait)
    rows = list(page.queue.model.rows[:5])
    for place, verdict in enumerate((Verdict.ACCEPT, Verdict.ACCEPT, Verdict.FLAG, Verdict.REJECT, Verdict.ACCEPT)):
        triage.decide_queue_rows(page.store, rows[place : place + 1], verdict)
    asked: list[str] = []
    agreed = [False, True]
    monkeypatch.setattr(select_page, "confirm", lambda *said, **_: bool(asked.append(said[3]) or agreed.pop(0)))
    monkeypatch.setattr(select_page, "ask_on_page", lambda *_, **__: "too easy")
    _select(page, 5)
    page.reject()
    wait(lambda: len(asked) == 1)
    assert "3 had been accepted, 1 had been flagged" in asked[0]
    _saved(window, wait)
    assert [row.verdict for row in triage.subjects_at_rows(page.store, rows)].count("accept") == 3
    page.reject()
    wait(lambda: window.status.offer_button.isVisible())
    assert window.status.message.text() == "Rejected 5, of which 3 had been accepted, 1 had been flagged."
    assert {row.verdict for row in triage.subjects_at_rows(page.store, rows)} == {"reject"}
    window.status.offer_button.click()
    wait(lambda: window.session.receipt is not None and _idle(page))
    _saved(window, wait)
    assert [row.verdict for row in triage.subjects_at_rows(page.store, rows)] == [
        "accept",
        "accept",
        "flag",
        "reject",
        "accept",
    ]
    assert page.queue.selected_rows() == [page.view.row.row]


def test_the_offer_goes_when_something_else_is_saved(
    window: MainWindow, wait: Wait, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = _page(window, wait)
    _select(page, 3)
    page.decide(Verdict.SKIP)
    wait(lambda: window.status.offer_button.isVisible())
    qtbot.keyClick(page.queue.list, "A")
    wait(lambda: not window.status.offer_button.isVisible())


def test_undecided_ones_are_rejected_without_a_question(
    window: MainWindow, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = _page(window, wait)
    rows = list(page.queue.model.rows[:3])
    triage.decide_queue_rows(page.store, rows, Verdict.REJECT)
    monkeypatch.setattr(select_page, "ask_on_page", lambda *_, **__: "")
    _select(page, 3)
    page.reject()
    wait(lambda: window.status.offer_button.isVisible())
    assert window.status.message.text() == "Rejected 3."


def test_all_work_that_can_be_undone_has_its_page() -> None:
    assert [noun for noun in UNDOABLE if not page_of_changes({noun, "subject"})] == []
    assert page_of_changes({"decision", "subject"}) == "Select"
    assert page_of_changes({"suggestion_verdict", "criterion", "subject"}) == "Criterion"
    assert page_of_changes({"source", "subject"}) == "Sources"


def test_a_selection_stays_when_the_list_is_read_again(window: MainWindow, wait: Wait) -> None:
    page = _page(window, wait)
    wait(lambda: _idle(page))
    _select(page, 3)
    rows = page.queue.selected_rows()
    assert len(rows) == 3
    read: list[int] = []
    page.queue.model.modelReset.connect(lambda: read.append(1))
    page.queue.reload()
    wait(lambda: bool(read))
    assert page.queue.selected_rows() == rows
