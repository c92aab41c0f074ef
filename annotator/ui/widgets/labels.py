"""Labels, buttons, segments, tabs and chips with the roles that the stylesheet defines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
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

from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.theme.stylesheet import Tokens
from annotator.ui.app.translation import tr, translate_word
from annotator.ui.widgets.flow_layout import FlowLayout, FlowRow


class TabRow(FlowRow):
    """A row of tabs of which exactly one is current; the arrow keys move between them."""

    current_changed = Signal(int)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """``name`` is the accessible name."""
        super().__init__(spacing=0, parent=parent)
        self._name = name
        self.setAccessibleName(name)
        self._tabs: list[QAbstractButton] = []
        self._group = QButtonGroup(self)
        self._group.buttonToggled.connect(self._announce)

    def count(self) -> int:
        """Return the number of tabs, hidden ones included."""
        return len(self._tabs)

    def add_tab(self, text: str) -> None:
        """Append a tab."""
        self.insert_tab(self.count(), text)

    def insert_tab(self, place: int, text: str) -> None:
        """Insert a tab; the first one becomes the current tab."""
        tab = QPushButton()
        tab.setCheckable(True)
        tab.setProperty("role", "tab")
        self._tabs.insert(place, tab)
        self._group.addButton(tab)
        self.insert(place, tab)
        self.set_text(place, text)
        if self.count() == 1:
            tab.setChecked(True)

    @property
    def current(self) -> int:
        """The place of the current tab, -1 without tabs."""
        checked = self._group.checkedButton()
        return self._tabs.index(checked) if checked is not None else -1

    def choose(self, place: int) -> None:
        """Make a tab the current one."""
        self._tabs[place].setChecked(True)

    def tab_text(self, place: int) -> str:
        """Return the text of a tab."""
        return self._tabs[place].text()

    def set_text(self, place: int, text: str, tip: str = "") -> None:
        """Set the text and the tooltip of a tab."""
        self._tabs[place].setText(text)
        self._tabs[place].setToolTip(tip)
        self._tabs[place].setAccessibleName(f"{self._name}: {text}")

    def is_shown(self, place: int) -> bool:
        """Return whether a tab is shown."""
        return not self._tabs[place].isHidden()

    def set_shown(self, place: int, is_shown: bool) -> None:
        """Show or hide a tab."""
        self._tabs[place].setVisible(is_shown)

    def button(self, place: int) -> QAbstractButton:
        """Return the button of a tab."""
        return self._tabs[place]

    def _announce(self, button: QAbstractButton, is_current: bool) -> None:
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


def chip_button(text: str, kind: Kind, tip: str, clicked: Slot) -> QPushButton:
    """Create a button that looks like a chip."""
    # A plain & would become a key of the button.
    chip_button = _as_chip(QPushButton(text.replace("&", "&&")), kind)
    chip_button.setAccessibleName(text)
    chip_button.setToolTip(tip)
    chip_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    chip_button.setCursor(Qt.CursorShape.PointingHandCursor)
    chip_button.clicked.connect(clicked)
    return chip_button


def _as_chip(widget: W, kind: Kind) -> W:
    widget.setProperty("role", "badge")
    widget.setProperty("kind", kind)
    widget.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
    return widget


_LEAST_WIDTH = 40
Slot = Callable[..., object] | SignalInstance
"""A target to which a signal can be connected."""


def label(text: str = "", role: str = "", *, wrap: bool = False) -> QLabel:
    """Create a label; roles are dim, section, title, heading and problem."""
    text_label = QLabel(text)
    text_label.setTextFormat(Qt.TextFormat.PlainText)
    if role:
        text_label.setProperty("role", role)
    text_label.setWordWrap(wrap)
    return text_label


class OptionalLabel(QLabel):
    """A wrapped label that is hidden while it is empty."""

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
    """A button that treats a double click as one click: the second would act on the next item."""

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
        push_button.setToolTip(tip)
    if clicked is not None:
        push_button.clicked.connect(clicked)
    return push_button


def set_label_text(where: QLabel, text: str) -> None:
    """Set the text of a label, and hide it if the text is empty."""
    where.setText(text)
    where.setVisible(bool(text))


def escape_tool_tip(text: str) -> str:
    """Escape a text for a tool tip, because Qt would interpret some texts as rich text."""
    if "<" not in text:
        return text
    return f"<span>{escape(text)}</span>"


def shorten_middle(text: str, longest: int = 48) -> str:
    """Shorten a text by replacing its middle with an ellipsis."""
    plain = " ".join(text.split())
    half = (longest - 1) // 2
    return plain if len(plain) <= longest else f"{plain[:half]}…{plain[-half:]}"


def shorten_end(text: str, longest: int = 48) -> str:
    """Shorten a text at its end with an ellipsis, for titles, whose beginning says most."""
    plain = " ".join(text.split())
    return plain if len(plain) <= longest else f"{plain[: longest - 1].rstrip(' .…')}…"


def join_list(parts: Iterable[str]) -> str:
    """Join parts with the list separator of the user's language."""
    return tr(", ", "between the parts of a list").join(parts)


class ElidedLabel(QLabel):
    """A label that keeps its full text and paints an elided one if there is no room."""

    def __init__(self, role: str = "", policy: QSizePolicy.Policy = QSizePolicy.Policy.Ignored) -> None:
        """``policy`` says how wide it is: as the layout likes, or no wider than its text (Maximum)."""
        super().__init__()
        self._least = 0
        self.setProperty("role", role)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(policy, QSizePolicy.Policy.Preferred)

    @property
    def full(self) -> str:
        """The full text, however much of it is shown."""
        return self.text()

    def set_full(self, text: str) -> None:
        """Show as much of a text as fits, and all of it in the tool tip."""
        self.setText(text)
        self.setToolTip(escape_tool_tip(text))
        self.setAccessibleName(text)

    def set_least(self, letters: int) -> None:
        """Show nothing if there is no room for this many letters, instead of a few and an ellipsis."""
        self._least = letters

    def minimumSizeHint(self) -> QSize:
        """Return a small minimum width, so that a long text does not widen the window."""
        hint = super().minimumSizeHint()
        return QSize(min(_LEAST_WIDTH, hint.width()), hint.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the text, elided if there is no room."""
        metrics, room = self.fontMetrics(), self.width()
        if metrics.horizontalAdvance(self.text()) <= room:
            super().paintEvent(event)
        elif room >= self._least * metrics.averageCharWidth():
            elided = metrics.elidedText(self.text(), Qt.TextElideMode.ElideRight, room)
            place = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            painter, role = QPainter(self), self.foregroundRole()
            self.style().drawItemText(painter, self.rect(), place, self.palette(), self.isEnabled(), elided, role)
            painter.end()


class Segments(QWidget):
    """A row of buttons of which one is checked, or none before the first choice."""

    chosen = Signal(int)

    def __init__(
        self, name: str, words: Sequence[str], selected: Slot | None = None, *, wrap: bool = False, preset: bool = True
    ) -> None:
        """Create a button per word and check the first if ``preset``. ``name`` is for screen readers.

        ``selected`` is connected to `chosen`. With ``wrap`` the buttons wrap into several lines if there is no room
        for one.
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
            # Without a checked one beside them, plain words would not look like buttons.
            segment.setProperty("role", "segment" if preset else "choice")
            segment.setAccessibleName(f"{name}: {word}")
            self._group.addButton(segment, number)
            layout.addWidget(segment)
        if isinstance(layout, QHBoxLayout):
            # The buttons stay as wide as their words where there is more room.
            layout.addStretch(1)
        if preset:
            self._group.button(0).setChecked(True)
        self._group.idClicked.connect(self.chosen)
        if selected is not None:
            self.chosen.connect(selected)

    def choose(self, number: int) -> None:
        """Check a button and emit `chosen`."""
        self._group.button(number).setChecked(True)
        self.chosen.emit(number)

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
