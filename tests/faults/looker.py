"""A window in a process of its own: arranged by somebody and left to be killed, or opened again to say how it looks.

Prints a JSON line once it is arranged, or once it looks as ``expected`` says (else how it looks in the end).
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

if TYPE_CHECKING:
    from annotator.ui.app.main_window import MainWindow
    from annotator.ui.pages.release.page import ReleasePage
    from annotator.ui.pages.select.page import SelectPage

_PATIENCE_S = 60.0
_SETTLE_S = 20.0


def _wait(condition: Callable[[], bool], patience_s: float = _PATIENCE_S) -> bool:
    from PySide6.QtTest import QTest

    end = time.monotonic() + patience_s
    while not condition():
        if time.monotonic() > end:
            return False
        QTest.qWait(20)
    return True


def _pages(window: MainWindow) -> tuple[ReleasePage, SelectPage]:
    """Show both pages, Select in the end."""
    from annotator.ui.pages.release.page import ReleasePage
    from annotator.ui.pages.select.page import SelectPage

    window.show_page("Release")
    release = window.pages.page("Release")
    assert isinstance(release, ReleasePage)
    _wait(lambda: release.gates.row_count() > 3)
    window.show_page("Select")
    select = window.pages.page("Select")
    assert isinstance(select, SelectPage)
    _wait(lambda: select.view is not None)
    return release, select


def _look(window: MainWindow) -> dict[str, object]:
    release, select = _pages(window)
    splitter = release.gate_card.splitter.sizes()
    return {
        "page": window.pages.current_name,
        "size": [window.width(), window.height()],
        "columns": [release.gates.columnWidth(0), release.gates.columnWidth(1)],
        "gates": [round(100 * size / sum(splitter)) for size in splitter],
        "across": select.splitter.sizes()[0],
        "scrolled": select.prompt.verticalScrollBar().value(),
        "folder": str(window.state.last_folder),
    }


def _arrange(window: MainWindow, folder: Path) -> None:
    release, select = _pages(window)
    window.show_page("Release")
    release.gates.horizontalHeader().resizeSection(1, 287)
    release.gate_card.splitter.setSizes([700, 300])
    _wait(lambda: not window.pages.save_states(), 5)
    window.show_page("Select")
    select.splitter.setSizes([333, 700])
    # A long text, so that there is something to scroll in.
    select.prompt.verticalScrollBar().setValue(select.prompt.verticalScrollBar().maximum())
    window.state.last_folder = folder


def main(project: Path, arranged: Path | None) -> None:
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication

    from annotator.base.settings import Settings
    from annotator.ui.app.main_window import MainWindow
    from annotator.ui.app.theme.look import Theme

    app = QApplication([])
    window = MainWindow(Theme(app), Settings(project.with_name("settings.json"), {}))
    if arranged is not None:
        window.resize(1180, 760)
    window.show()
    window.open_project(project)
    _wait(lambda: window.pages.current_name != "")
    if arranged is not None:
        _arrange(window, arranged)
        QTest.qWait(50)
        print(json.dumps(_look(window)), flush=True)
        QTest.qWait(60_000)
    else:
        first = window.pages.current_name
        QTest.qWait(1500)
        print(json.dumps({**_look(window), "page": first}), flush=True)
        window.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
