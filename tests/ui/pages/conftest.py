"""The sample project in a real window."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.windows import window_on

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from annotator.ui.app.main_window import MainWindow


@pytest.fixture
def window(qtbot: QtBot, sample_file: Path, tmp_path: Path) -> Iterator[MainWindow]:
    """The window on a copy of the sample."""
    with window_on(qtbot, Path(shutil.copy(sample_file, tmp_path))) as window:
        yield window


@pytest.fixture
def wait(qtbot: QtBot) -> Callable[[Callable[[], bool]], None]:
    """Wait until something holds."""

    def until(condition: Callable[[], bool]) -> None:
        qtbot.waitUntil(condition)

    return until
