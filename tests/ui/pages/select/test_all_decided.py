"""Once no candidate is open, the page says so and leads to what comes next."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.select import triage
from tests.windows import open_page, open_store

if TYPE_CHECKING:
    from annotator.ui.app.main_window import MainWindow


def test_the_last_decision_leads_to_the_prompts(window: MainWindow, wait: Callable[[Callable[[], bool]], None]) -> None:
    store = open_store(window)
    page = open_page(window, "Select")
    wait(lambda: 0 < page.queue.progress.value() < page.queue.progress.maximum())
    rows = triage.queue_page(store, QueueFilter(verdicts=("open",))).rows
    window.session.announce(triage.decide_subjects(store, [row.id for row in rows], Verdict.ACCEPT))
    wait(lambda: window.status.message.text() == "Every candidate has a decision.")
    window.status.offer.click()
    wait(lambda: window.pages.current_name == "Prompt")


def test_the_last_of_the_list_says_what_is_still_open(
    window: MainWindow, wait: Callable[[Callable[[], bool]], None]
) -> None:
    page = open_page(window, "Select")
    wait(lambda: 0 < page.queue.progress.value() < page.queue.progress.maximum())
    store = page.session.store
    first = page.queue.model.subject(0)
    window.session.announce(triage.reopen_decisions(store, [first.id], ""))
    page.queue.go_to_row(page.queue.model.rows[-1])
    wait(lambda: page.view is not None and page.view.row.id == page.queue.shown_id())
    page.decide(Verdict.FLAG)
    wait(lambda: window.status.message.text() == "That was the last in the list. 1 candidate is still open.")
    window.status.offer.click()
    wait(lambda: page.queue.shown_id() == first.id)
