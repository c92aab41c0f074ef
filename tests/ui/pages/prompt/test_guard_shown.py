"""What the guard finds is said in words while typing, in the queue, and can be overridden."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtWidgets import QPlainTextEdit

from annotator.services.prompt import paraphrases
from annotator.services.select import triage
from annotator.ui.app.main_window import MainWindow
from annotator.ui.pages.desk import paraphrase_step
from tests.windows import Wait, open_page


def _page(window: MainWindow, wait: Wait) -> Any:
    found = open_page(window, "Prompt")
    wait(lambda: found.view is not None and found.panes.paraphrase() != "")
    return found


def _status(page: Any) -> str:
    row = page.queue.model.subject(page.queue.list.currentIndex().row())
    found = page.paraphrase.guard.status(row)
    return found[0] if found else ""


def test_what_is_missing_is_said_while_typing_and_the_queue_says_check(
    window: MainWindow, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = _page(window, wait)
    wait(lambda: page.paraphrase.checks is not None)
    page.panes.editor.setPlainText("x")
    wait(lambda: "missing" in page.paraphrase.guard_line.problems.text())
    assert page.paraphrase.guard_line.problems.isVisible() and "too short" in page.paraphrase.guard_line.problems.text()
    assert not page.paraphrase.guard_line.button.isVisible(), "only what is saved can be kept all the same"

    assert page.save()
    wait(lambda: _status(page) == "check")
    wait(page.paraphrase.guard_line.button.isVisible)
    monkeypatch.setattr(paraphrase_step, "ask_on_page", lambda *_, **__: "it is a riddle")
    page.paraphrase.guard_line.button.click()
    wait(lambda: _status(page) == "ready")
    wait(lambda: "it is a riddle" in page.paraphrase.guard_line.override_label.text())
    assert not page.paraphrase.guard_line.problems.isVisible() and not page.paraphrase.guard_line.button.isVisible()
    store = page.session.store
    subject = page.view.row.id
    state = paraphrases.prompt_states(store, [subject])[subject]
    assert state.override is not None and state.override.reason == "it is a riddle"

    page.panes.editor.setPlainText("y")
    wait(lambda: "missing" in page.paraphrase.guard_line.problems.text())


def test_nothing_to_keep_is_not_said_beside_what_is_missing(window: MainWindow, wait: Wait) -> None:
    page = _page(window, wait)
    wait(lambda: page.paraphrase.checks is not None)

    page.panes.editor.setPlainText("x")
    wait(lambda: bool(page.paraphrase.checks.problems))
    lost = replace(page.paraphrase.checks, anchors=())
    page.paraphrase.show_checks(lost)
    assert page.paraphrase.checks_row.count() == 0
    page.paraphrase.show_checks(replace(lost, checks=()))
    assert page.paraphrase.checks_row.count() == 2, "the words, and that there is none"


def test_the_editor_has_the_focus_after_opening_and_saving(window: MainWindow, wait: Wait) -> None:
    page = _page(window, wait)
    wait(page.panes.editor.hasFocus)
    first = page.view.row.id
    page.queue.list.setFocus()
    page.save_next()
    wait(lambda: page.view is not None and page.view.row.id != first)
    wait(page.panes.editor.hasFocus)


def test_no_button_of_the_page_takes_an_acceptance_back_by_the_way(window: MainWindow, wait: Wait) -> None:
    page = _page(window, wait)
    assert "select.skip" not in page.header.buttons
    store = page.session.store
    assert triage.load_subject(store, page.view.row.id).row.verdict == "accept"


def test_code_is_monospaced_and_unwrapped_prose_is_not(window: MainWindow, wait: Wait) -> None:
    page = _page(window, wait)
    panes, mode = page.panes, QPlainTextEdit.LineWrapMode
    panes.set_texts('def add(a, b):\n    """Add two numbers."""\n', "Add them, please.")
    assert panes.original.lineWrapMode() == mode.NoWrap
    assert panes.original.font().family() == window.theme.code_font().family()
    assert panes.editor.lineWrapMode() == mode.WidgetWidth
    assert panes.editor.font().family() != window.theme.code_font().family()
    panes.set_texts("Why does it return a tuple?", "Why is it a tuple?")
    assert panes.original.lineWrapMode() == mode.WidgetWidth


def test_the_distance_says_from_where_on_it_is_far_enough(window: MainWindow, wait: Wait) -> None:
    page = _page(window, wait)
    wait(lambda: page.paraphrase.checks is not None)
    row = page.paraphrase.distance_row
    tips = {row.itemAt(place).widget().toolTip() for place in range(row.count())}
    assert tips == {"Distance from the original, 0 to 1; 0.3 or more is far enough"}
