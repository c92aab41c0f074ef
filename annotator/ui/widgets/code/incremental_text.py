"""Insert a long text into a view in slices: the visible part first, the rest when the event loop is idle."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

# Qt takes a microsecond per line; a slice of this size, including its layout, stays below 4 ms.
_SLICE_LINES = 1_000
SLICE_LETTERS = 64_000
_AT_ONCE = 2 * _SLICE_LINES


class Filling(QObject):
    """Inserts a text into a plain text view; undo is enabled once it is complete."""

    ended = Signal()

    def __init__(self, view: QPlainTextEdit) -> None:
        super().__init__(view)
        # A reference keeps the view alive while a slice is being inserted.
        self._view = view
        # Qt's own method: CodeView's override completes the text first.
        self._document = QPlainTextEdit.document(view)
        self._rest, self._at = "", 0
        self.lines = 1
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._add_slice)

    @property
    def pending(self) -> bool:
        """Whether part of the text is still missing."""
        return self._timer.isActive()

    def first_part(self, text: str, lines: int) -> str:
        """Take a new text and return its first lines for the caller to show; a short text is returned whole."""
        self.drop()
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.lines = text.count("\n") + 1
        cut = _line_end(text, 0, lines)
        if self.lines <= _AT_ONCE and len(text) - cut <= SLICE_LETTERS:
            return text
        self._rest, self._at = text, cut
        return text[:cut]

    def start(self) -> None:
        """Start inserting the rest after `first_part`, if there is any."""
        if self._at < len(self._rest):
            self._document.setUndoRedoEnabled(False)
            self._timer.start()

    def finish(self) -> None:
        """Insert all the rest now."""
        if self.pending:
            self._add(len(self._rest))

    def drop(self) -> None:
        """Discard the rest, because another text is shown."""
        if self.pending:
            self._timer.stop()
            self._document.setUndoRedoEnabled(True)
        self._rest, self._at = "", 0

    def _add_slice(self) -> None:
        end = _line_end(self._rest, self._at + 1, _SLICE_LINES)
        if end - self._at > SLICE_LETTERS:
            # Whole lines only; a line longer than a slice forms its own slice.
            shorter = self._rest.rfind("\n", self._at + 1, self._at + SLICE_LETTERS)
            end = shorter if shorter > 0 else _line_end(self._rest, self._at + 1, 1)
        self._add(end)

    def _add(self, end: int) -> None:
        cursor = QTextCursor(self._document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(self._rest[self._at : end])
        self._at = end
        if end >= len(self._rest):
            self.drop()
            self.ended.emit()


def _line_end(text: str, start: int, lines: int) -> int:
    """Return the position after ``lines`` lines from ``start``: a line break, or the end of the text."""
    end = start - 1
    for _ in range(lines):
        end = text.find("\n", end + 1)
        if end < 0:
            return len(text)
    return end
