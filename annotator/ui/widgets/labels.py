"""Labels, buttons, segments, tabs and chips with the roles that the stylesheet defines, and times as their texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from html import escape
from typing import Literal, TypeVar

from PySide6.QtCore import QRectF, QSize, Qt, Signal, SignalInstance
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
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

from annotator.base import clock
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.theme.stylesheet import Tokens
from annotator.ui.app.translation import tr, tr_count, translate_word
from annotator.ui.widgets.layouts import FlowLayout, FlowRow


class _ChoiceGroup(QButtonGroup):
    """Buttons of which one is checked; Tab stops at that one, or at all of them if none is checked."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.buttonToggled.connect(self.fit_tab_stops)

    def fit_tab_stops(self, *_: object) -> None:
        """Set the focus policies; Qt would stop at the first button until one has had the focus."""
        for choice in self.buttons():
            is_stop = choice.isChecked() or self.checkedId() == -1
            choice.setFocusPolicy(Qt.FocusPolicy.StrongFocus if is_stop else Qt.FocusPolicy.ClickFocus)


class TabRow(FlowRow):
    """A row of tabs, one of which is current; the arrow keys move between them. ``name`` is its accessible name."""

    current_changed = Signal(int)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(spacing=0, parent=parent)
        self._name = name
        self.setAccessibleName(name)
        self._tabs: list[QAbstractButton] = []
        self._group = _ChoiceGroup(self)
        self._group.buttonToggled.connect(self._emit_current)

    def count(self) -> int:
        """Return the number of tabs, hidden ones included."""
        return len(self._tabs)

    def add_tab(self, text: str) -> None:
        """Append a tab."""
        self.insert_tab(self.count(), text)

    def insert_tab(self, index: int, text: str) -> None:
        """Insert a tab; the first one becomes the current tab."""
        tab = QPushButton()
        tab.setCheckable(True)
        tab.setProperty("role", "tab")
        self._tabs.insert(index, tab)
        self._group.addButton(tab)
        self.insert(index, tab)
        self.set_text(index, text)
        if self.count() == 1:
            tab.setChecked(True)
        self._group.fit_tab_stops()

    @property
    def current(self) -> int:
        """The index of the current tab, or -1 if there are no tabs."""
        checked = self._group.checkedButton()
        return self._tabs.index(checked) if checked is not None else -1

    def choose(self, index: int) -> None:
        """Make a tab the current one."""
        self._tabs[index].setChecked(True)

    def tab_text(self, index: int) -> str:
        """Return the text of a tab."""
        return self._tabs[index].text()

    def set_text(self, index: int, text: str, tip: str = "") -> None:
        """Set the text and the tooltip of a tab."""
        self._tabs[index].setText(text)
        self._tabs[index].setToolTip(escape_tool_tip(tip))
        self._tabs[index].setAccessibleName(f"{self._name}: {text}")

    def is_shown(self, index: int) -> bool:
        """Return whether a tab is shown."""
        return not self._tabs[index].isHidden()

    def set_shown(self, index: int, is_shown: bool) -> None:
        """Show or hide a tab."""
        self._tabs[index].setVisible(is_shown)

    def button(self, index: int) -> QAbstractButton:
        """Return the button of a tab."""
        return self._tabs[index]

    def _emit_current(self, button: QAbstractButton, is_current: bool) -> None:
        if is_current:
            self.current_changed.emit(self._tabs.index(button))


W = TypeVar("W", bound=QWidget)
Kind = Literal["good", "attention", "bad", "neutral"]


def chip_colours(tokens: Tokens, kind: str) -> tuple[str, str]:
    """Return the (text, background) colours of a kind of chip."""
    return {
        "good": (tokens.good, tokens.good_ground),
        "attention": (tokens.attention, tokens.attention_ground),
        "bad": (tokens.bad, tokens.bad_ground),
    }.get(kind, (tokens.dim, tokens.ground))


def paint_chip(painter: QPainter, box: QRectF, text: str, colours: tuple[str, str]) -> None:
    """Paint a chip into a box."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colours[1]))
    painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
    painter.setPen(QColor(colours[0]))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def chip(text: str, kind: Kind = "neutral") -> QLabel:
    """Create a word in a rounded box, coloured by its kind."""
    return _as_chip(label(translate_word(text)), kind)


def chip_button(text: str, kind: Kind, tip: str, on_click: Slot) -> QPushButton:
    """Create a button that looks like a chip."""
    # Qt would read a plain & as a mnemonic.
    chip_button = _as_chip(QPushButton(text.replace("&", "&&")), kind)
    chip_button.setAccessibleName(text)
    chip_button.setToolTip(escape_tool_tip(tip))
    chip_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    chip_button.setCursor(Qt.CursorShape.PointingHandCursor)
    chip_button.clicked.connect(on_click)
    return chip_button


def _as_chip(widget: W, kind: Kind) -> W:
    widget.setProperty("role", "badge")
    widget.setProperty("kind", kind)
    widget.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
    return widget


_MIN_WIDTH = 40
"""Minimum width in pixels of a label that can be elided."""
Slot = Callable[..., object] | SignalInstance
"""A target that a signal can be connected to."""


def label(text: str = "", role: str = "", *, wrap: bool = False) -> QLabel:
    """Create a label; roles are dim, section, title, heading and problem."""
    text_label = QLabel(text)
    text_label.setTextFormat(Qt.TextFormat.PlainText)
    if role:
        text_label.setProperty("role", role)
    text_label.setWordWrap(wrap)
    return text_label


class OptionalLabel(QLabel):
    """A wrapping label that is hidden while it is empty."""

    def __init__(self, role: str = "") -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", role)
        self.setWordWrap(True)
        self.hide()

    def setText(self, text: str) -> None:  # noqa: N802 - Qt's own name
        """Show a text; an empty one hides the label."""
        super().setText(text)
        self.setVisible(bool(text))

    def show_failure(self, failure: WorkFailure) -> None:
        """Show why something failed."""
        self.setText(failure.message)


class OneClickButton(QPushButton):
    """A button that ignores the second click of a double click, because it would act on the next item."""

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Ignore the second press."""
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
    """Create a button that shows its key next to its text."""
    push_button = kind(f"{text}  {key}" if key else text)
    push_button.setAccessibleName(text)
    push_button.setProperty("key", key)
    if primary:
        push_button.setProperty("role", "primary")
    push_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    # Return presses the focused button on pages too, as in dialogs.
    push_button.setAutoDefault(True)
    if tip:
        push_button.setToolTip(escape_tool_tip(tip))
    if clicked is not None:
        push_button.clicked.connect(clicked)
    return push_button


def escape_tool_tip(text: str) -> str:
    """Escape a text for a tool tip, because Qt would interpret some texts as rich text."""
    if "<" not in text:
        return text
    return f"<span>{escape(text)}</span>".replace("\n", "<br>")


def shorten_middle(text: str, max_length: int = 48) -> str:
    """Shorten a text by replacing its middle with an ellipsis."""
    plain = " ".join(text.split())
    half = (max_length - 1) // 2
    return plain if len(plain) <= max_length else f"{plain[:half]}…{plain[-half:]}"


def shorten_end(text: str, max_length: int = 48) -> str:
    """Shorten a text at its end with an ellipsis, such as a title, whose beginning says most."""
    plain = " ".join(text.split())
    return plain if len(plain) <= max_length else f"{plain[: max_length - 1].rstrip(' .…')}…"


def join_list(parts: Iterable[str]) -> str:
    """Join parts with the list separator of the user's language."""
    return tr(", ", "between the parts of a list").join(parts)


class ElidedLabel(QLabel):
    """A label that keeps its full text and paints an elided one if there is no room."""

    def __init__(self, role: str = "", policy: QSizePolicy.Policy = QSizePolicy.Policy.Ignored) -> None:
        """``policy`` sets the width: any width the layout gives (Ignored), or at most that of the text (Maximum)."""
        super().__init__()
        self._min_letters = 0
        self.setProperty("role", role)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(policy, QSizePolicy.Policy.Preferred)

    @property
    def full(self) -> str:
        """The full text, even if it is elided."""
        return self.text()

    def set_full(self, text: str) -> None:
        """Set the text; the tool tip shows all of it even if it is elided."""
        self.setText(text)
        self.setToolTip(escape_tool_tip(text))
        self.setAccessibleName(text)

    def set_min_letters(self, letters: int) -> None:
        """Set the minimum number of letters to show; with less room, the label is blank."""
        self._min_letters = letters

    def minimumSizeHint(self) -> QSize:
        """Return a small minimum width, so that a long text does not widen the window."""
        hint = super().minimumSizeHint()
        return QSize(min(_MIN_WIDTH, hint.width()), hint.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the text, elided if there is no room."""
        metrics, room = self.fontMetrics(), self.width()
        if metrics.horizontalAdvance(self.text()) <= room:
            super().paintEvent(event)
        elif room >= self._min_letters * metrics.averageCharWidth():
            elided = metrics.elidedText(self.text(), Qt.TextElideMode.ElideRight, room)
            alignment = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            painter, role = QPainter(self), self.foregroundRole()
            self.style().drawItemText(painter, self.rect(), alignment, self.palette(), self.isEnabled(), elided, role)
            painter.end()


class Segments(QWidget):
    """A row of buttons of which exactly one is checked; without ``preset``, none is at first."""

    picked = Signal(int)
    """The number of the button that was checked."""

    def __init__(
        self, name: str, words: Sequence[str], selected: Slot | None = None, *, wrap: bool = False, preset: bool = True
    ) -> None:
        """Create a button per word and check the first if ``preset``. ``name`` is for screen readers.

        ``selected`` is connected to `picked`. With ``wrap``, the buttons wrap if there is no room for one row.
        """
        super().__init__()
        self.setAccessibleName(name)
        self._group = _ChoiceGroup(self)
        layout: QLayout = FlowLayout(4) if wrap else QHBoxLayout()
        self.setLayout(layout)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        for number, word in enumerate(words):
            text = translate_word(word)
            segment = QPushButton(text)
            segment.setCheckable(True)
            # Without a checked button among them, borderless words would not look like buttons.
            segment.setProperty("role", "segment" if preset else "choice")
            segment.setAccessibleName(f"{name}: {text}")
            self._group.addButton(segment, number)
            layout.addWidget(segment)
        if isinstance(layout, QHBoxLayout):
            # Extra width goes to this stretch, so that the buttons stay as wide as their words.
            layout.addStretch(1)
            # Without it, a column with too little height would cut off this row instead of a part that can scroll.
            self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        if preset:
            self._group.button(0).setChecked(True)
        self._group.idClicked.connect(self.picked)
        if selected is not None:
            self.picked.connect(selected)

    def choose(self, number: int) -> None:
        """Check a button and emit `picked`."""
        self._group.button(number).setChecked(True)
        self.picked.emit(number)

    def clear(self) -> None:
        """Uncheck all buttons."""
        self._group.setExclusive(False)
        for segment in self._group.buttons():
            segment.setChecked(False)
        self._group.setExclusive(True)

    def focus(self) -> None:
        """Focus the checked button; the arrow keys move to the others."""
        checked = self._group.checkedButton()
        if checked is not None:
            checked.setFocus()

    @property
    def current(self) -> int:
        """The number of the checked button, -1 if none is checked."""
        return self._group.checkedId()

    def button(self, number: int) -> QAbstractButton:
        """Return a button by number."""
        return self._group.button(number)

    def set_shown(self, number: int, is_shown: bool) -> None:
        """Show or hide a button."""
        self._group.button(number).setVisible(is_shown)

    def set_word(self, number: int, word: str) -> None:
        """Set the text of a button."""
        self._group.button(number).setText(translate_word(word))


def ago_text(moment: datetime, reference: datetime | None = None) -> str:
    """Return how long before ``reference`` (default: now) a moment was, like `annotator.base.clock.ago`, translated."""
    seconds = ((reference or clock.now()) - moment).total_seconds()
    if seconds < 60:
        return tr("just now")
    if seconds < 3600:
        return tr("{minutes} min ago", minutes=int(seconds // 60))
    if seconds < 86_400:
        return tr("{hours} h ago", hours=int(seconds // 3600))
    return tr_count("yesterday", "{count} days ago", int(seconds // 86_400))


def when_text(moment: str) -> str:
    """Return a stored timestamp as local date and time."""
    return clock.parse_time(moment).astimezone().strftime("%Y-%m-%d %H:%M:%S")
