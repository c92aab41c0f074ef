"""What tests of the window share: how it opens and how it ends, closed and without a question left open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from annotator.services.judge.blind_judging import NewStudy
from annotator.services.judge.side_order import ServingPlan

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtWidgets import QWidget
    from pytestqt.qtbot import QtBot

    from annotator.store.file.project_file import ProjectFile
    from annotator.ui.app.main_window import MainWindow

Wait = Callable[[Callable[[], object]], None]
"""Waits until something holds."""


def settle(window: MainWindow, qtbot: QtBot) -> None:
    """Wait until what was asked of the lanes so far has been shown."""
    for _ in range(2):
        asked = [window.session.lanes.submit(lane, _nothing) for lane in ("store", "read", "read", "cpu", "cpu")]
        qtbot.waitUntil(lambda asked=asked: all(work.done() for work in asked))
        qtbot.wait(20)


def _nothing(*_: object) -> None:
    return None


def open_page(window: MainWindow, name: str) -> Any:
    """Show a page of a window and return it."""
    window.show_page(name)
    return window.pages.page(name)


def open_store(window: MainWindow) -> ProjectFile:
    """Return the project that is open in a window."""
    assert window.session.store is not None
    return window.session.store


def tree_problems(root: QWidget, name: str) -> Iterator[str]:
    """Say which focusable objects a screen reader meets below a widget without a name or a role."""
    from PySide6.QtGui import QAccessible
    from PySide6.QtWidgets import QAbstractScrollArea, QTabWidget

    lists = (QAccessible.Role.Table, QAccessible.Role.List, QAccessible.Role.Tree)
    left = [QAccessible.queryAccessibleInterface(root)]
    while left:
        node = left.pop()
        if node is None:
            continue
        state, told = node.state(), node.object()
        if not state.invisible and state.focusable and not state.disabled:
            place = f"{name}: {type(told).__name__} {told.objectName() if told else node.rect()}"
            if not node.text(QAccessible.Text.Name).strip():
                yield f"{place} has no name"
            is_pane = isinstance(told, (QAbstractScrollArea, QTabWidget)) or type(told).__name__ == "FigureView"
            if node.role() == QAccessible.Role.NoRole or (node.role() == QAccessible.Role.Client and not is_pane):
                yield f"{place} has no role"
        if node.role() not in lists:
            left += [node.child(number) for number in range(node.childCount())]


@contextmanager
def window_on(qtbot: QtBot, project: Path, page: str = "") -> Iterator[MainWindow]:
    """Open a project in a window that has the focus, on a page or on that of the first start; close it for good.

    It makes no backup by itself: checking that copy took a third of the CPU time of the window's tests.
    """
    from PySide6.QtWidgets import QApplication

    from annotator.base.settings import Settings
    from annotator.ui.app.main_window import MainWindow
    from annotator.ui.app.project_acts import ProjectActs
    from annotator.ui.app.theme.look import Theme

    application = QApplication.instance()
    assert isinstance(application, QApplication)
    patch = pytest.MonkeyPatch()
    patch.setattr(ProjectActs, "back_up_if_due", _nothing)
    window = MainWindow(Theme(application), Settings(project.with_name("s.json"), {}))
    window.resize(1280, 800)
    if page:
        window.state.last_page = page
    window.show()
    window.open_project(project)
    try:
        qtbot.waitUntil(lambda: window.pages.current_name != "")
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        yield window
    finally:
        close(window)
        patch.undo()


def close(window: MainWindow) -> None:
    """Close a window for good; fails if closing asked something, which nobody would answer."""
    from annotator.ui.app.project_acts import ProjectActs

    # A question that nobody answers would keep the suite waiting for ever.
    asked: list[tuple[object, ...]] = []

    def never(_acts: ProjectActs, *question: object) -> bool:
        asked.append(question)
        return True

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ProjectActs, "ask_to_leave", never)
        window.close()
    window.deleteLater()
    assert not asked, f"closing the window asked: {asked}"


def blind_study(store: ProjectFile, name: str = "pilot") -> NewStudy:
    """Return a study of two sets of answers, which the annotator of the store rates once."""
    raters = (store.annotator.name,)
    plan = ServingPlan(repeats=0.0)
    return NewStudy(name=name, kind="response", name_a="human", name_b="gpt-4", raters=raters, plan=plan)
