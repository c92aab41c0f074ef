"""Somebody who types at a steady pace in a window of a process of its own, until that is killed.

Prints a JSON line after every key: when it was, and what stands in the field.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from annotator.ui.app.main_window import MainWindow

_PACE_MS = 25
_PATIENCE_S = 60.0
WORDS = "# what one writes for long without a pause between two words of a sentence "


def _wait(condition: Callable[[], bool]) -> None:
    from PySide6.QtTest import QTest

    end = time.monotonic() + _PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError
        QTest.qWait(20)


def _field(window: MainWindow, place: str) -> tuple[QWidget, Callable[[], str]]:
    """Go to a place where people type; returns the field and how it is read."""
    from PySide6.QtWidgets import QPlainTextEdit

    from annotator.ui.pages.criterion.editor import FORM, YAML
    from annotator.ui.pages.desk.page import CriterionPage, PromptPage

    window.show_page("Prompt" if place == "prompt" else "Criterion")
    page = window.pages.page(window.pages.current_name)
    assert isinstance(page, PromptPage | CriterionPage)
    _wait(lambda: page.view is not None)
    if isinstance(page, PromptPage):
        page.own_writing.replace_text("")
        return page.panes.editor, page.own_writing.text
    page.own_writing.replace_text("" if place == "yaml" else "grading:\n  keywords:\n    - start\n")
    page.document.show_face(YAML if place == "yaml" else FORM)
    if place == "yaml":
        return page.document.yaml, page.own_writing.text
    form, found = page.document.form, list[QPlainTextEdit]()

    def is_there() -> bool:
        found[:] = [box for box in form.findChildren(QPlainTextEdit) if box.toPlainText() == "start"]
        return bool(found)

    _wait(is_there)
    found[0].clear()
    return found[0], found[0].toPlainText


def main(project: Path, place: str) -> None:
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication

    from annotator.base.settings import Settings
    from annotator.ui.app.main_window import MainWindow
    from annotator.ui.app.theme.look import Theme

    app = QApplication([])
    window = MainWindow(Theme(app), Settings(project.with_name("settings.json"), {}))
    window.resize(1280, 800)
    window.show()
    window.open_project(project)
    _wait(lambda: window.pages.current_name != "")
    field, read = _field(window, place)
    field.setFocus()
    for letter in itertools.cycle(WORDS):
        QTest.keyClicks(field, letter)
        print(json.dumps([time.time(), read()]), flush=True)
        QTest.qWait(_PACE_MS)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
