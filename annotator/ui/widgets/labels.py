"""Labels, buttons and segments in the roles the style sheet knows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape

from PySide6.QtCore import QSize, Qt, Signal, SignalInstance
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from annotator.ui.app.translation import tr, translate_word
from annotator.ui.widgets.flow_layout import FlowLayout

_LEAST_WIDTH = 40
Slot = Callable[..., object] | SignalInstance
"""What a signal can be connected to."""


def label(text: str = "", role: str = "", *, wrap: bool = False) -> QLabel:
    """Return a label; roles are dim, section, title, heading and problem."""
    text_label = QLabel(text)
    text_label.setTextFormat(Qt.TextFormat.PlainText)
    if role:
        text_label.setProperty("role", role)
    text_label.setWordWrap(wrap)
    return text_label


class OneClickButton(QPushButton):
    """A button that takes a double click for one: the second would act on the item that the first has brought."""

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Drop the second press."""
        event.accept()


def button(
    text: str,
    key: str = "",
    *,
    primary: bool = False,
    tip: str = "",
    clicked: Slot | None = None,
    kind: type[QPushButton] = QPushButton,
) -> QPushButton:
    """Return a button that shows its key beside its word."""
    push_button = kind(f"{text}  {key}" if key else text)
    push_button.setAccessibleName(text)
    push_button.setProperty("key", key)
    if primary:
        push_button.setProperty("role", "primary")
    push_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    # Return presses what has the focus on a page too, as in a dialog.
    push_button.setAutoDefault(True)
    if tip:
        push_button.setToolTip(tip)
    if clicked is not None:
        push_button.clicked.connect(clicked)
    return push_button


def say(where: QLabel, text: str) -> None:
    """Say something in a label that takes no room while it has nothing to say."""
    where.setText(text)
    where.setVisible(bool(text))


def escape_tool_tip(text: str) -> str:
    """Return a text as a tool tip that shows it letter by letter: Qt would take some texts for mark-up."""
    if "<" not in text:
        return text
    return f"<span>{escape(text)}</span>"


def shorten_middle(text: str, longest: int = 48) -> str:
    """Return a text that fits where it stands: its middle is left out if it is longer."""
    plain = " ".join(text.split())
    half = (longest - 1) // 2
    return plain if len(plain) <= longest else f"{plain[:half]}…{plain[-half:]}"


def shorten_end(text: str, longest: int = 48) -> str:
    """Return how a text begins, with an ellipsis where it is longer: for titles, which say most at their start."""
    plain = " ".join(text.split())
    return plain if len(plain) <= longest else f"{plain[: longest - 1].rstrip(' .…')}…"


def join_list(parts: Iterable[str]) -> str:
    """Return parts one after the other, with what stands between them in the user's language."""
    return tr(", ", "between the parts of a list").join(parts)


class ElidedLabel(QLabel):
    """A label that ends in an ellipsis where there is no room."""

    def __init__(self, role: str) -> None:
        """Start empty."""
        super().__init__()
        self._full = ""
        self._least = 0
        self.setProperty("role", role)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setMinimumWidth(40)

    @property
    def full(self) -> str:
        """The whole text, however much of it is shown."""
        return self._full

    def set_full(self, text: str) -> None:
        """Show a text, as much of it as fits."""
        self._full = text
        self.setToolTip(escape_tool_tip(text))
        self.setAccessibleName(text)
        self.updateGeometry()
        self._fit()

    def set_least(self, letters: int) -> None:
        """Show nothing where there is no room for so many letters, in place of two and an ellipsis."""
        self._least = letters
        self._fit()

    def sizeHint(self) -> QSize:
        """Ask for room for the whole text, however much of it is shown now."""
        hint = super().sizeHint()
        return QSize(self.fontMetrics().horizontalAdvance(self._full) + 4, hint.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the text again."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        metrics, room = self.fontMetrics(), max(10, self.width())
        too_little = room < self._least * metrics.averageCharWidth() < metrics.horizontalAdvance(self._full)
        self.setText("" if too_little else metrics.elidedText(self._full, Qt.TextElideMode.ElideRight, room))


class CutLabel(QLabel):
    """A label that keeps its whole text and shows, where there is no room, how it begins."""

    def minimumSizeHint(self) -> QSize:
        """Ask for room for a word, so that a long text does not widen the window."""
        hint = super().minimumSizeHint()
        return QSize(min(_LEAST_WIDTH, hint.width()), hint.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the text, with an ellipsis where it is cut."""
        if self.fontMetrics().horizontalAdvance(self.text()) <= self.width():
            super().paintEvent(event)
            return
        elided = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        place = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter = QPainter(self)
        role = self.foregroundRole()
        self.style().drawItemText(painter, self.rect(), place, self.palette(), self.isEnabled(), elided, role)
        painter.end()


class Segments(QWidget):
    """Buttons in a row of which exactly one is down."""

    chosen = Signal(int)

    def __init__(self, name: str, words: Sequence[str], chosen: Slot | None = None, *, wrap: bool = False) -> None:
        """Show the words; the first is chosen. ``name`` is for screen readers, ``chosen`` hears of another choice.

        With ``wrap`` they stand in several lines where there is no room for one.
        """
        super().__init__()
        self.setAccessibleName(name)
        self._group = QButtonGroup(self)
        layout: QLayout = FlowLayout(4) if wrap else QHBoxLayout()
        self.setLayout(layout)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        for number, word in enumerate(words):
            word = translate_word(word)
            segment = QPushButton(word)
            segment.setCheckable(True)
            segment.setProperty("role", "segment")
            segment.setAccessibleName(f"{name}: {word}")
            self._group.addButton(segment, number)
            layout.addWidget(segment)
        self._group.button(0).setChecked(True)
        self._group.idClicked.connect(self.chosen)
        if chosen is not None:
            self.chosen.connect(chosen)

    def choose(self, number: int) -> None:
        """Choose a word and say so."""
        self._group.button(number).setChecked(True)
        self.chosen.emit(number)

    def focus(self) -> None:
        """Put the focus on the chosen word; the arrow keys go to the others."""
        checked = self._group.checkedButton()
        if checked is not None:
            checked.setFocus()

    @property
    def current(self) -> int:
        """The number of the chosen word."""
        return self._group.checkedId()

    def button(self, number: int) -> QAbstractButton:
        """Return the button of a word."""
        return self._group.button(number)

    def set_shown(self, number: int, is_shown: bool) -> None:
        """Offer a word, or do not."""
        self._group.button(number).setVisible(is_shown)

    def set_word(self, number: int, word: str) -> None:
        """Show another word."""
        self._group.button(number).setText(translate_word(word))
