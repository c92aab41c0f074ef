"""A program that does what ``annotator open`` does, and ends at its first painted window or (``--page``) at its page.

python -m annotator.bench.first_paint PROJECT [--page]
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main(words: list[str]) -> None:
    """Open and show the project, and leave at once, as nothing else is to be measured."""
    from annotator.services import projects

    store = projects.open_project(Path(words[0]))
    from annotator.ui import toolkit

    toolkit.load()
    from PySide6.QtCore import QEventLoop

    from annotator.base.settings import Settings
    from annotator.ui.app import SWITCH_SECONDS, make_application
    from annotator.ui.main_window import MainWindow
    from annotator.ui.theme import Theme

    sys.setswitchinterval(SWITCH_SECONDS)
    application = make_application()
    window = MainWindow(Theme(application), Settings(Path(os.devnull), {}), wanted=store.place)
    window.acts.hold(store)
    window.resize(1280, 800)
    window.show()
    application.processEvents()
    window.grab()
    if "--page" in words:
        wait = QEventLoop.ProcessEventsFlag.AllEvents | QEventLoop.ProcessEventsFlag.WaitForMoreEvents
        while window.pages.current_name == "":
            application.processEvents(wait)
        window.show_page("Select")
        page = window.pages.page("Select")
        while getattr(page, "queue").model.subject(0) is None:  # noqa: B009 - a page of whatever kind
            application.processEvents(wait)
        window.grab()
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
