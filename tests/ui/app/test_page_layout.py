"""Splitters, columns and scroll positions are kept by their place in a page, and colours can be read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication, QDialog, QMainWindow, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from annotator.ui.app.settings.page_layout import PageLayout, path_in_page
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.theme.stylesheet import DARK, LIGHT, Tokens
from annotator.ui.widgets.labels import label
from annotator.ui.widgets.layouts import fill_column, make_splitter
from annotator.ui.widgets.table import Cell, DataTable

TEXT = "\n".join(f"line {number}" for number in range(300))


class _Page(QWidget):
    """A page with a table beside two texts."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.first, self.second = DataTable("things"), QPlainTextEdit(), QPlainTextEdit()
        self.inner = make_splitter(Qt.Orientation.Vertical, self.first, self.second)
        self.outer = make_splitter(Qt.Orientation.Horizontal, self.table, self.inner)
        QVBoxLayout(self).addWidget(self.outer)
        self.resize(900, 600)

    def fill(self) -> None:
        rows = [(Cell(f"thing {number}"), Cell("some")) for number in range(200)]
        self.table.set_rows(("name", "kind"), rows, rows, stretch=0)
        self.first.setPlainText(TEXT)


def _shown(qtbot: QtBot, state: object = None) -> tuple[_Page, PageLayout]:
    page = _Page()
    qtbot.addWidget(page)
    layout = PageLayout(page)
    layout.restore(state)
    page.show()
    qtbot.waitExposed(page)
    return page, layout


def _arranged(qtbot: QtBot) -> dict[str, Any]:
    page, layout = _shown(qtbot)
    page.fill()
    page.outer.setSizes([600, 280])
    page.inner.setSizes([400, 180])
    page.table.horizontalHeader().resizeSection(1, 131)
    page.table.horizontalHeader().moveSection(1, 0)
    page.table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
    page.table.verticalScrollBar().setValue(40)
    page.first.verticalScrollBar().setValue(77)
    state: dict[str, Any] = json.loads(json.dumps(layout.state()))
    assert layout.state() == state
    return state


def test_what_is_seen_comes_back_also_where_the_content_comes_later(qtbot: QtBot) -> None:
    state = _arranged(qtbot)
    page, layout = _shown(qtbot, state)
    # Looked at before anything is there: nothing is forgotten.
    assert layout.state()["scrolled"] == state["scrolled"]
    page.fill()
    assert page.table.columnWidth(1) == 131
    assert page.table.horizontalHeader().logicalIndex(0) == 1
    assert page.table.model().index(0, 0).data() == "thing 99"
    page.table.select(3)
    assert page.table.currentIndex().data() == "thing 3"
    qtbot.waitUntil(
        lambda: (page.table.verticalScrollBar().value(), page.first.verticalScrollBar().value()) == (40, 77)
    )
    # Read twice, as pages do when they are opened.
    page.first.setPlainText("")
    page.first.setPlainText(TEXT)
    qtbot.waitUntil(lambda: page.first.verticalScrollBar().value() == 77)
    assert layout.state() == state


def test_who_scrolls_first_is_not_moved(qtbot: QtBot) -> None:
    page, layout = _shown(qtbot, _arranged(qtbot))
    page.fill()
    bar = page.first.verticalScrollBar()
    bar.triggerAction(bar.SliderAction.SliderToMinimum)
    page.first.setPlainText(TEXT + TEXT)
    qtbot.wait(20)
    assert bar.value() == 0
    qtbot.wait(20)
    page.table.verticalScrollBar().triggerAction(bar.SliderAction.SliderToMinimum)
    assert layout.state()["scrolled"] == {}


def test_a_width_that_somebody_gave_a_column_holds_when_the_rows_are_read_again(qtbot: QtBot) -> None:
    page, _ = _shown(qtbot)
    page.fill()
    assert page.table.user_widths == {}
    page.table.horizontalHeader().resizeSection(0, 222)
    page.fill()
    page.resize(1100, 600)
    assert page.table.columnWidth(0) == 222
    page.table.set_rows(("name", "other"), [(Cell("a"), Cell("b"))], [None], stretch=1)
    assert page.table.columnWidth(0) == 222
    assert page.table.user_widths == {"name": 222}


def test_what_is_hidden_stays_as_it_was_kept(qtbot: QtBot) -> None:
    state = _arranged(qtbot)
    page, layout = _shown(qtbot, state)
    page.inner.hide()
    page.fill()
    place = path_in_page(page, page.inner)
    assert layout.state()["splitters"][place] == state["splitters"][place]
    page.hide()
    assert layout.state()["splitters"][place] == state["splitters"][place]


@pytest.mark.parametrize(
    "odd", [None, 3, [], {"splitters": 3}, {"splitters": {"QSplitter-0": ["a", "b"]}, "scrolled": {"x": "y"}}]
)
def test_odd_states_are_ignored(qtbot: QtBot, odd: object) -> None:
    page, layout = _shown(qtbot, odd)
    page.fill()
    assert sum(page.outer.sizes()) > 0
    assert layout.state()["scrolled"] in ({}, {"x": "y"})


def test_another_number_of_parts_is_ignored(qtbot: QtBot) -> None:
    state = _arranged(qtbot)
    plain, _ = _shown(qtbot)
    place = path_in_page(plain, plain.outer)
    page, _ = _shown(qtbot, {**state, "splitters": {place: [1, 2, 3]}})
    assert page.outer.sizes() == plain.outer.sizes()


def test_a_part_that_was_hidden_has_its_room_again(qtbot: QtBot) -> None:
    page, layout = _shown(qtbot)
    page.outer.setSizes([300, 580])
    width = page.outer.sizes()[0]
    assert layout.state()["splitters"]
    page.table.hide()
    qtbot.waitUntil(lambda: page.outer.sizes()[0] == 0)
    state = json.loads(json.dumps(layout.state()))
    again, _ = _shown(qtbot, state)
    assert abs(again.outer.sizes()[0] - width) <= 2
    [place] = [place for place in state["splitters"] if place.count("/") == 0]
    state["splitters"][place] = [0, 880]  # As it was kept once.
    assert _shown(qtbot, state)[0].outer.sizes()[0] > 200


# The colours can be read, in both looks.


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_text_can_be_read(tokens: Tokens) -> None:
    pairs = [(text, ground) for text in (tokens.text, tokens.dim) for ground in (tokens.ground, tokens.panel)]
    pairs += [(tokens.text, tokens.selection), (tokens.on_accent, tokens.accent), (tokens.accent, tokens.selection)]
    pairs += [(getattr(tokens, name), getattr(tokens, f"{name}_ground")) for name in ("good", "attention", "bad")]
    pairs += [
        (getattr(tokens, f"code_{name}"), tokens.panel) for name in ("keyword", "string", "number", "comment", "name")
    ]
    for text, ground in pairs:
        assert _contrast(text, ground) >= 4.5, (text, ground)
    assert _contrast(tokens.accent, tokens.panel) >= 3


def test_contrast_is_that_of_the_standard() -> None:
    assert _contrast("#000000", "#ffffff") == pytest.approx(21)
    assert _contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_the_look_can_be_chosen(theme: Theme) -> None:
    theme.set_mode("dark")
    assert theme.is_dark
    theme.set_mode("light")
    assert theme.tokens == LIGHT
    theme.set_scale(150)
    assert theme.pixels(54) == 81
    theme.set_scale(100)


def test_a_window_and_the_dialogs_over_it_follow_the_look(theme: Theme, window: QMainWindow) -> None:
    dialog = QDialog(window)
    problems = [label("Wrong", "problem"), label("Wrong", "problem")]
    window.centralWidget().layout().addWidget(problems[0])
    fill_column(dialog, problems[1])
    for mode, tokens in (("light", LIGHT), ("dark", DARK)):
        theme.set_mode(mode)
        for problem in problems:
            problem.ensurePolished()
            assert problem.palette().windowText().color().name() == tokens.bad.lower()


def test_parts_are_styled_once_however_deep_they_are(window: QMainWindow, qapp: QApplication) -> None:
    class StyleChanges(QObject):
        def __init__(self) -> None:
            super().__init__()
            self.count = 0

        def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
            self.count += event.type() == QEvent.Type.StyleChange
            return False

    changes = StyleChanges()
    qapp.installEventFilter(changes)
    part: QWidget = QPushButton("Inside")
    for _ in range(6):
        part = make_splitter(Qt.Orientation.Horizontal, part)
    window.centralWidget().layout().addWidget(part)
    qapp.removeEventFilter(changes)
    assert 0 < changes.count <= len(window.centralWidget().findChildren(QWidget))


def _contrast(a: str, b: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21 (WCAG 2.1)."""
    light, dark = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
