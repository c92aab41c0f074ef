"""Marks on invisible characters in a text, such as bidi overrides: a bar at each, and their count."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from annotator.text.hidden_characters import find_hidden, hidden_places, name_hidden
from annotator.text.positions import Utf16Positions
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr, tr_count
from annotator.ui.widgets.labels import join_list
from annotator.ui.widgets.timers import debounce

_LOOK_MS = 80
_MAX_MARKS = 2_000
_BAR, _FOOT, _PADDING = 2, 3, 6


class HiddenMarks(QWidget):
    """An overlay on a text field that ignores the mouse and does not change the text."""

    def __init__(self, theme: Theme, view: QPlainTextEdit) -> None:
        super().__init__(view.viewport())
        self._theme = theme
        self._view = view
        self.places: tuple[int, ...] = ()
        """The positions of the first hidden characters in UTF-16 units."""
        self.description = ""
        """The number and names of the hidden characters; empty if there are none."""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        self._timer = debounce(self, _LOOK_MS, self.look)
        view.textChanged.connect(self._timer.start)
        view.updateRequest.connect(self._scrolled)
        view.viewport().installEventFilter(self)

    def look(self) -> None:
        """Update the marks for the current text."""
        # Qt's own method: CodeView's override would first complete a text that is filled incrementally.
        text = QPlainTextEdit.toPlainText(self._view)
        positions = hidden_places(text)
        old_description = self.description
        units = Utf16Positions(text)
        self.places = tuple(units.units(place) for place in positions[:_MAX_MARKS])
        names = join_list(name_hidden(letter) for letter, _count in find_hidden(text)) if positions else ""
        count = tr_count("{count} hidden character", "{count} hidden characters", len(positions))
        self.description = tr("{count}: {names}", count=count, names=names) if positions else ""
        if self.description != old_description:
            self._view.viewport().setToolTip(self.description)
            self._view.setAccessibleDescription(self.description)
        self.setGeometry(self._view.viewport().rect())
        self.setVisible(bool(positions))
        self.raise_()
        self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Resize with the field."""
        if event.type() == QEvent.Type.Resize:
            self.setGeometry(self._view.viewport().rect())
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint a bar at each visible hidden character, and a badge with their number."""
        tokens, room = self._theme.tokens, self.rect()
        painter = QPainter(self)
        colour = QColor(tokens.bad)
        first = self._view.cursorForPosition(room.topLeft()).block().position()
        # The positions may be older than the text, because updates are delayed.
        end = QPlainTextEdit.document(self._view).characterCount()
        for place in self.places:
            if place < first or place >= end:
                continue
            box = self._box_of(place)
            if box.top() > room.bottom():
                break
            painter.fillRect(box.left() - 1, box.top(), _BAR, box.height(), colour)
            painter.fillRect(box.left() - _FOOT, box.top(), 2 * _FOOT, _BAR, colour)
        text = tr_count("{count} hidden character", "{count} hidden characters", len(self.places))
        metrics = painter.fontMetrics()
        width, height = metrics.horizontalAdvance(text) + 2 * _PADDING, metrics.height() + 4
        badge = QRect(room.right() - width - 4, 4, width, height)
        painter.setPen(colour)
        painter.setBrush(QColor(tokens.bad_ground))
        painter.drawRoundedRect(badge, 4, 4)
        painter.drawText(badge, Qt.AlignmentFlag.AlignCenter, text)
        painter.end()

    def _box_of(self, place: int) -> QRect:
        cursor = QTextCursor(QPlainTextEdit.document(self._view))
        cursor.setPosition(place)
        return self._view.cursorRect(cursor)

    def _scrolled(self, _rect: QRect, by: int) -> None:
        if by and self.places:
            self.update()
