"""Size and power in the window: the numbers of the service, again for another question."""

from __future__ import annotations

from typing import Any

from annotator.services.release import power_plan
from annotator.services.release.power_plan import PowerQuestion
from annotator.ui.app.main_window import MainWindow
from annotator.ui.pages.release.dialogs import PowerDialog
from tests.windows import Wait


def test_a_question_is_answered_by_group(window: MainWindow, wait: Wait) -> None:
    window.show_page("Release")
    page: Any = window.pages.page("Release")
    page.open_power()
    wait(lambda: page.findChild(PowerDialog) is not None and page.findChild(PowerDialog).table.row_count() > 0)
    dialog = page.findChild(PowerDialog)
    assert window.session.store is not None
    dialog.difference.setValue(20.0)
    dialog.by.setCurrentIndex(dialog.by.findData("language"))
    expected = power_plan.plan_benchmark_size(window.session.store, None, PowerQuestion(difference=0.2, by="language"))
    wait(lambda: dialog.table.shown_payloads() == list(expected.rows))
    assert dialog.notes.text() == "\n".join(expected.notes)
    dialog.close()
