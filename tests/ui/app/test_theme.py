"""The colours can be read, in both looks."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication, QDialog, QMainWindow, QPushButton, QWidget

from annotator.ui.app.theme.look import Theme
from annotator.ui.app.theme.stylesheet import DARK, LIGHT, Tokens
from annotator.ui.widgets.labels import label
from annotator.ui.widgets.layouts import make_column, make_splitter


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
    make_column(dialog, problems[1])
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
