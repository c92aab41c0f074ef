"""A long text put into a view in slices: what is on screen first, the rest between two events of the window."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

# Qt takes a microsecond a line: a slice of so many lines, and the layout it brings about, stay below 4 ms.
_SLICE_LINES = 1_000
SLICE_LETTERS = 64_000
_AT_ONCE = 2 * _SLICE_LINES


class Filling(QObject):
    """Puts a text into a plain text view; undo starts when all of it is there."""

    ended = Signal()

    def __init__(self, view: QPlainTextEdit) -> None:
        """Fill nothing yet."""
        super().__init__(view)
        # Held, so that nobody takes the view apart while a slice is put into it.
        self._view = view
        # Python's part of a view completes the text when it is asked for its document: here Qt's own is meant.
        self._document = QPlainTextEdit.document(view)
        self._rest, self._at = "", 0
        self.lines = 1
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._add_slice)

    @property
    def pending(self) -> bool:
        """Whether some of the text is still to come."""
        return self._timer.isActive()

    def first_part(self, text: str, lines: int) -> str:
        """Take a text to fill in; returns its first lines, which the caller shows now. A short text is all there."""
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
        """Begin with what `first_part` left, if it left something."""
        if self._at < len(self._rest):
            self._document.setUndoRedoEnabled(False)
            self._timer.start()

    def finish(self) -> None:
        """Put all the rest into the view now."""
        if self.pending:
            self._add(len(self._rest))

    def drop(self) -> None:
        """Forget the rest: another text is shown."""
        if self.pending:
            self._timer.stop()
            self._document.setUndoRedoEnabled(True)
        self._rest, self._at = "", 0

    def _add_slice(self) -> None:
        end = _line_end(self._rest, self._at + 1, _SLICE_LINES)
        if end - self._at > SLICE_LETTERS:
            # Whole lines only; one that is longer than a slice is a slice of its own.
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
    """Return where so many lines from ``start`` end: at a line break, or at the end of the text."""
    end = start - 1
    for _ in range(lines):
        end = text.find("\n", end + 1)
        if end < 0:
            return len(text)
    return end
