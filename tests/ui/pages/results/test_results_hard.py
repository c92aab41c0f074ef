"""The results page with names, gaps and zeros that are hard to show: every table and figure, nothing cut or widened."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from annotator.ui.pages.results.board import FIGURE, MESSAGE, TABLE
from annotator.ui.pages.results.result_controls import TABLES
from tests.result_projects import LONG, NAMES, build
from tests.windows import Wait, open_page

if TYPE_CHECKING:
    from annotator.ui.app.main_window import MainWindow

# They need what this project does not have.
ASKING = ("ranks", "releases", "audit", "quotas", "recall", "labels", "coco-score")


@pytest.fixture(scope="module")
def hard_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = build(tmp_path_factory.mktemp("hard") / "hard.annotator", len(NAMES), items=7, samples=2)
    store.close()
    return store.path


@pytest.fixture
def page(window: MainWindow, hard_file: Path, wait: Wait) -> Iterator[Any]:
    window.open_project(hard_file)
    wait(lambda: window.session.store is not None and window.session.store.path == hard_file)
    found = open_page(window, "Results")
    wait(lambda: found.board.table.row_count() == len(NAMES))
    yield found
    assert not window.error_bar.isVisible()


def _choose(page: Any, wait: Wait, name: str) -> None:
    page.board.current_table = None
    page.bar.choose(name)
    wait(lambda: page.board.current_table is not None and page.board.current_table.name == name)


@pytest.mark.slow
def test_every_table_and_figure_is_shown_and_none_widens_the_window(page: Any, window: MainWindow, wait: Wait) -> None:
    for name in [name for name, *_ in TABLES if name not in ASKING]:
        page.board.faces.choose(TABLE)
        _choose(page, wait, name)
        assert page.board.table.isVisible() and page.board.table.row_count()
        assert window.minimumSizeHint().width() <= 1280 and page.lower_splitter.isVisible()
        assert page.board.notes.height() <= 5 * page.board.notes.fontMetrics().lineSpacing()
        page.board.faces.choose(FIGURE)
        wait(lambda: not page.board.figure.picture.pixmap().isNull() or page.board.stack.currentIndex() == MESSAGE)
        assert not page.lower_splitter.isVisible()
        if page.board.figure.isVisible():
            # It is drawn again where its room has changed meanwhile.
            wait(lambda: _width(page) <= page.board.figure.viewport().width())


def _width(page: Any) -> float:
    return float(page.board.figure.picture.pixmap().deviceIndependentSize().width())


def test_a_table_that_needs_something_says_what_to_do(page: Any, wait: Wait) -> None:
    asking = {
        "ranks": "Above",
        "releases": "only one release",
        "audit": "published",
        "coco-score": "CoCo-Bench",
        "recall": "",
        "labels": "review",
    }
    for name, words in asking.items():
        page.bar.choose(name)
        wait(lambda words=words: page.board.current_table is None and words in page.board.message.text())
        assert page.board.stack.currentIndex() == MESSAGE
        assert "--" not in page.board.message.text() and not page.save_button.isEnabled()
        assert not page.board.pin_button.isVisible() and not page.board.faces.isVisible()
    page.bar.choose("leaderboard")
    wait(lambda: page.board.current_table is not None)
    assert page.board.faces.isVisible() and page.save_button.isEnabled()


def test_names_are_shown_letter_by_letter_and_headers_fit(page: Any, wait: Wait) -> None:
    odd = "$x_1$ & <b>100%</b> \\alpha 3b"
    page.compare(odd, LONG)
    wait(lambda: page.board.current_table is not None and page.board.current_table.name == "compare")
    assert odd in page.board.current_table.title
    [title] = [label for label in page.board.findChildren(QLabel) if label.text() == page.board.title]
    assert title.textFormat() == Qt.TextFormat.PlainText
    model = page.board.table.model()
    titles = [model.headerData(at, Qt.Orientation.Horizontal) for at in range(model.columnCount())]
    assert all(len(title) <= 30 for title in titles)
    at = titles.index(next(title for title in titles if "…" in title))
    tip = model.headerData(at, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert tip in (LONG, page.board.current_table.headers[at])
    page.bar.choose("leaderboard")
    wait(lambda: page.board.current_table is not None and page.board.current_table.name == "leaderboard")
    tips = [model.index(row, 1).data(Qt.ItemDataRole.ToolTipRole) for row in range(model.rowCount())]
    assert "<span>$x_1$ &amp; &lt;b&gt;100%&lt;/b&gt; \\alpha 3b</span>" in tips and LONG in tips
