"""A program that does what ``annotator open`` does, and ends at its first painted window or (``--page``) at its page.

python -m tests.benchmarks.first_paint PROJECT [--page]
"""

from __future__ import annotations

import gc
import os
import sys


def main(words: list[str]) -> None:
    """Open and show the project, and leave at once, as nothing else is to be measured."""
    gc.disable()
    from annotator.cli.parser import build_parser

    options = build_parser("open").parse_args(["open", words[0]])
    from annotator.services.project import projects

    store = projects.open_project(options.project)
    from annotator.ui.app.application import open_main_window

    application, window, _collector = open_main_window(store)
    from PySide6.QtCore import QEventLoop

    window.resize(1280, 800)
    application.processEvents()
    if "--page" in words:
        wait = QEventLoop.ProcessEventsFlag.AllEvents | QEventLoop.ProcessEventsFlag.WaitForMoreEvents
        while window.pages.current_name == "":
            application.processEvents(wait)
        window.show_page("Select")
        page = window.pages.page("Select")
        while getattr(page, "queue").model.subject(0) is None:  # noqa: B009 - a page of whatever kind
            application.processEvents(wait)
    # As the bare window does at its end.
    window.grab()
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
