"""The tabs below a subject: what a model is asked, as it is sent, and the comments."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from annotator.base.messages import Message
from annotator.services.consensus import aspect_reviews
from annotator.services.prompt import paraphrases
from annotator.services.select import triage
from annotator.ui.app.main_window import MainWindow
from annotator.ui.pages.shared.fact_texts import evidence_rows
from tests.windows import Wait, open_page


@pytest.fixture
def page(window: MainWindow, wait: Wait) -> Any:
    found = open_page(window, "Prompt")
    wait(lambda: found.view is not None)
    return found


def test_what_a_model_is_asked_is_one_tab_away(page: Any, window: MainWindow, wait: Wait) -> None:
    panel = page.details.as_sent
    page.details.show_tab("As sent")
    wait(lambda: panel.text.toPlainText().startswith("[user]"))
    assert '"temperature": 0.0' in panel.text.toPlainText() and panel.protocol.currentData() == "plain"
    panel.protocol.setCurrentIndex(panel.protocol.findData("infibench"))
    panel.protocol.activated.emit(panel.protocol.currentIndex())
    wait(lambda: '"temperature": 0.2' in panel.text.toPlainText())
    panel.protocol.setCurrentIndex(panel.protocol.findData("evocodebench-none-greedy"))
    panel.protocol.activated.emit(panel.protocol.currentIndex())
    wait(lambda: "it cannot be asked" in panel.text.toPlainText())


def test_a_saved_paraphrase_is_what_is_sent(page: Any, window: MainWindow, wait: Wait) -> None:
    store, subject = window.session.store, page.view.row.id
    assert store is not None
    page.details.show_tab("As sent")
    wait(lambda: bool(page.details.as_sent.text.toPlainText()))
    window.session.act(lambda: paraphrases.save_prompt(store, subject, "Say it in entirely other words."))
    wait(lambda: "[user]\nSay it in entirely other words." in page.details.as_sent.text.toPlainText())


def test_a_comment_is_written_and_read_beside_the_subject(page: Any, window: MainWindow, wait: Wait) -> None:
    store, subject = window.session.store, page.view.row.id
    assert store is not None
    page.details.show_tab("Comments")
    panel = page.details.comments
    wait(panel.line.isVisible)
    QTest.keyClicks(panel.line, "Is this about lists alone?")
    assert window.session.drafts.draft("consensus.comment", subject) is not None
    QTest.keyClick(panel.line, Qt.Key.Key_Return)
    wait(lambda: panel.table.row_count() == 1)
    assert [row.text for row in aspect_reviews.load_comments(store, subject)] == ["Is this about lists alone?"]
    assert panel.line.text() == "" and window.session.drafts.draft("consensus.comment", subject) is None
    tabs = page.details.tabs
    assert "Comments 1" in [tabs.tab_text(number) for number in range(tabs.count())]
    page.advance(1)
    wait(lambda: page.view.row.id != subject and panel.table.row_count() == 0)


def test_the_evidence_says_how_long_the_context_is(page: Any) -> None:
    view = replace(page.view, context="import math\n\n[MASK]\n")
    assert ("context", "3 lines") in evidence_rows(view)
    assert "context" not in dict(evidence_rows(replace(view, context="")))


def test_the_history_of_an_item_is_told_in_messages_that_can_be_translated(page: Any) -> None:
    rows = triage.load_subject_history(page.store, page.view.row.id)
    told = {str(row.act): row.detail for row in rows}
    assert told["paraphrase"] == "25 words" and told["criterion"].startswith("revision ")
    assert all(isinstance(detail, Message) for detail in told.values() if detail)


def test_the_history_in_a_narrow_tab_does_not_scroll_sideways(page: Any, wait: Wait) -> None:
    page.details.show_tab("History")
    table = page.details.table_of("History")
    wait(lambda: table.row_count() == 4)
    wait(lambda: table.horizontalScrollBar().maximum() == 0)
