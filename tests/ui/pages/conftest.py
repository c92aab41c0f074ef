"""The sample project in a real window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.windows import close

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from annotator.ui.app.main_window import MainWindow


@pytest.fixture(scope="session")
def sample_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample project, built once."""
    from annotator.services.program import demo

    store = demo.build_demo(tmp_path_factory.mktemp("sample"))
    store.close()
    return store.path


@pytest.fixture
def window(qtbot: QtBot, sample_file: Path, tmp_path: Path) -> Iterator[MainWindow]:
    """The window on a copy of the sample."""
    import shutil

    from PySide6.QtWidgets import QApplication

    from annotator.base.settings import Settings
    from annotator.ui.app.main_window import MainWindow
    from annotator.ui.app.theme.look import Theme

    path = tmp_path / "starter.annotator"
    shutil.copy(sample_file, path)
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    made = MainWindow(Theme(app), Settings(tmp_path / "s.json", {}))
    made.resize(1280, 800)
    made.show()
    made.open_project(path)
    qtbot.waitUntil(lambda: made.pages.current_name != "")
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    yield made
    close(made)


@pytest.fixture
def wait(qtbot: QtBot) -> Callable[[Callable[[], bool]], None]:
    """Wait until something holds."""

    def until(condition: Callable[[], bool]) -> None:
        qtbot.waitUntil(condition)

    return until
