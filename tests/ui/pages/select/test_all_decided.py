"""Once no candidate is open, the page says so and leads to what comes next."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from annotator.model.rows.queue import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.select import triage

if TYPE_CHECKING:
    from annotator.ui.app.main_window import MainWindow


def test_the_last_decision_leads_to_the_prompts(window: MainWindow, wait: Callable[[Callable[[], bool]], None]) -> None:
    store = window.session.store
    assert store is not None
    window.show_page("Select")
    page: Any = window.pages.page("Select")
    wait(lambda: page._were_open)
    rows = triage.queue_page(store, QueueFilter(verdicts=("open",))).rows
    window.session.announce(triage.decide(store, [row.id for row in rows], Verdict.ACCEPT))
    wait(lambda: window.status.message.text() == "All candidates are decided.")
    window.status.offer.click()
    wait(lambda: window.pages.current_name == "Prompt")
