"""The sample project in a real window."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.windows import window_on

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from annotator.ui.app.main_window import MainWindow

BEGIN_ON_THEIR_PAGE = ("Criterion", "Release", "Results", "Runs", "Sources")
"""Whose folders' tests have nothing to prepare before their page is built, so that no other is built before it."""


@pytest.fixture
def window(qtbot: QtBot, sample_file: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[MainWindow]:
    """The window on a copy of the sample."""
    folder = request.path.parent.name.capitalize()
    page = folder if folder in BEGIN_ON_THEIR_PAGE else ""
    with window_on(qtbot, Path(shutil.copy(sample_file, tmp_path)), page) as window:
        yield window
