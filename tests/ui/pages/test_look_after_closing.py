"""The look can change once a project is closed: nothing of its pages is left to hear of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent

from annotator.ui.pages.page_registry import PAGES

if TYPE_CHECKING:
    from annotator.ui.app.main_window import MainWindow


def test_pages_of_a_closed_project_do_not_hear_of_the_look(
    window: MainWindow, wait: Callable[[Callable[[], bool]], None]
) -> None:
    for page in PAGES:
        window.show_page(page.name)
    wait(lambda: window.pages.current_name == PAGES[-1].name)
    window.acts.close_project()
    wait(lambda: window.session.store is None)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    window.theme.set_mode("dark")
    window.theme.set_mode("light")
