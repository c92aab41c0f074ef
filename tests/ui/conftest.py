"""Fixtures of the window's tests. Without PySide6 the whole folder is left out, and says so."""

from __future__ import annotations

import gc
import os
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

# Before the first import of Qt: a machine without a screen draws into memory.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

HAS_QT = find_spec("PySide6") is not None
collect_ignore_glob = [] if HAS_QT else ["*.py", "*/*.py"]

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication, QMainWindow
    from pytestqt.qtbot import QtBot

    from annotator.ui.app.session.session import Session
    from annotator.ui.app.theme.look import Theme
    from tests.windows import Wait


PATIENCE_MS = 180_000


@pytest.fixture
def qtbot(qtbot: QtBot) -> QtBot:
    """Wait long before a test fails: it is about what comes, not about how soon it comes on a busy machine."""
    for name in ("waitUntil", "waitSignal", "waitSignals"):
        setattr(qtbot, name, partial(getattr(qtbot, name), timeout=PATIENCE_MS))
    return qtbot


def pytest_report_header() -> str:
    """Say why the window's tests are left out, if they are."""
    return "window tests: with PySide6" if HAS_QT else "window tests: left out, PySide6 cannot be imported"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is collected here, so that ``-m 'not gui'`` leaves it out."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.gui)
            # The plugin that draws into memory says so of every window; nothing to learn from it.
            item.add_marker(pytest.mark.qt_log_ignore("This plugin does not support", extend=True))


def _active_timers() -> list[str]:
    """Name the running timers of objects that outlive a test: children of the application."""
    from PySide6.QtCore import QCoreApplication, QTimer

    application = QCoreApplication.instance()
    if application is None:
        return []
    return [timer.objectName() or repr(timer) for timer in application.findChildren(QTimer) if timer.isActive()]


@pytest.fixture(autouse=True)
def nothing_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaves threads of ours, timers on the application, or visible top-level widgets behind."""
    if not HAS_QT:
        yield
        return
    threads_before = set(threading.enumerate())
    timers_before = len(_active_timers())
    yield
    from PySide6.QtCore import QCoreApplication, QEvent
    from PySide6.QtWidgets import QApplication

    if QApplication.instance() is not None:
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    left = [
        thread.name
        for thread in threading.enumerate()
        if thread not in threads_before and thread.name.startswith("lane-") and thread.is_alive()
    ]
    assert not left, f"threads left running: {left}"
    assert len(_active_timers()) <= timers_before, f"timers left running: {_active_timers()}"
    if isinstance(QApplication.instance(), QApplication):
        shown = [widget.objectName() or repr(widget) for widget in QApplication.topLevelWidgets() if widget.isVisible()]
        assert not shown, f"windows left open: {shown}"


@pytest.fixture(autouse=True)
def collected_here() -> Iterator[None]:
    """Collect garbage between tests alone: in a worker's thread it would take Qt's objects apart, as in the program."""
    gc.disable()
    yield
    gc.collect(1)
    gc.enable()


@pytest.fixture(autouse=True)
def private_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep settings, window state, logs and the sample of every test in its own temporary folder."""
    home = tmp_path / "home"
    home.mkdir()
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(name, str(home))
    if HAS_QT:
        from PySide6.QtCore import QSettings

        for kind in (QSettings.Format.NativeFormat, QSettings.Format.IniFormat):
            QSettings.setPath(kind, QSettings.Scope.UserScope, str(home))


@pytest.fixture(scope="session")
def qapp(qapp: QApplication) -> QApplication:
    """The application in our style from the start, as the program makes it: no window sets the style again."""
    from annotator.ui.app.theme.look import STYLE, STYLED

    qapp.setStyle(STYLE)
    qapp.setProperty(STYLED, True)
    return qapp


@pytest.fixture(scope="session")
def empty_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty project, made once, to be copied."""
    from annotator.services.project import projects

    path = tmp_path_factory.mktemp("empty") / "test.annotator"
    projects.create_project(path, "Test project", "mei").close()
    return path


@pytest.fixture
def project_file(empty_project: Path, tmp_path: Path) -> Path:
    """An empty project on disk, closed."""
    return Path(shutil.copy(empty_project, tmp_path))


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    """The look, light."""
    from annotator.ui.app.theme.look import Theme

    theme = Theme(qapp)
    theme.set_mode("light")
    return theme


@pytest.fixture
def window(qtbot: QtBot, theme: Theme) -> QMainWindow:
    """An empty window that widgets can be put into, in our look."""
    from PySide6.QtWidgets import QMainWindow, QVBoxLayout, QWidget

    window = QMainWindow()
    theme.style_window(window)
    window.setCentralWidget(QWidget())
    QVBoxLayout(window.centralWidget())
    qtbot.addWidget(window)
    return window


@pytest.fixture
def without_backups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let windows make no backups by themselves, as in `tests.windows.window_on`."""
    from annotator.ui.app.project_acts import ProjectActs

    monkeypatch.setattr(ProjectActs, "back_up_if_due", lambda _acts: None)


@pytest.fixture
def session(qapp: QApplication, project_file: Path) -> Iterator[Session]:
    """A session with a temporary project open; closed, with its threads, after the test."""
    from annotator.services.project import projects
    from annotator.ui.app.session.session import Session

    session = Session()
    session.adopt(projects.open_project(project_file))
    yield session
    session.close()
    session.deleteLater()


@pytest.fixture
def wait(qtbot: QtBot) -> Wait:
    """Wait until something holds."""
    return lambda condition: qtbot.waitUntil(condition)
