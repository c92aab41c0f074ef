"""Code with line numbers, colours for what is on screen, marks and problems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from annotator.ui.theme import Theme
from annotator.ui.widgets.painting import fill

if TYPE_CHECKING:
    from PySide6.QtGui import QTextCharFormat

_COLOUR_MS = 15
_EXTRA_LINES = 40


class Gutter(QWidget):
    """The column of line numbers."""

    def __init__(self, view: CodeView) -> None:
        """Stand at the left of a view."""
        super().__init__(view)
        self._view = view

    def sizeHint(self) -> QSize:
        """Return the width that the largest number needs."""
        return QSize(self._view.gutter_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the numbers of the lines on screen."""
        self._view.paint_gutter(event)


class CodeView(QPlainTextEdit):
    """A view or editor of code. Only the lines on screen are coloured, shortly after they are shown."""

    line_wanted = Signal(object)

    def __init__(self, theme: Theme, name: str, *, read_only: bool = True, language: str = "") -> None:
        """Show nothing yet; ``name`` is for screen readers."""
        super().__init__()
        self._theme = theme
        self._language = language
        self._marks: list[tuple[int, int, str]] = []
        self._problem_lines: dict[int, str] = {}
        self._covered: dict[int, str] = {}
        self.setAccessibleName(name)
        self.setReadOnly(read_only)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTabChangesFocus(read_only)
        if read_only:
            self.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
        self._gutter = Gutter(self)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_COLOUR_MS)
        self._timer.timeout.connect(self._colour)
        self.blockCountChanged.connect(self._fit_gutter)
        self.updateRequest.connect(self._scrolled)
        self.textChanged.connect(self._timer.start)
        theme.changed.connect(self._restyle)
        self._restyle()

    def set_code(self, text: str, language: str = "") -> None:
        """Show other text; marks and problems of the old one go."""
        self._language = language or self._language
        self._marks, self._problem_lines, self._covered = [], {}, {}
        self.setPlainText(text)
        self._colour()

    def set_marks(self, marks: Sequence[tuple[int, int, str]]) -> None:
        """Highlight stretches (start, end in code points, kind good|bad|attention) behind the text."""
        self._marks = list(marks)
        self._colour()

    def set_problems(self, problems: Sequence[tuple[int, str]]) -> None:
        """Mark lines (1-based) in the gutter and say why in their tool tip."""
        self._problem_lines = {}
        for line, text in problems:
            self._problem_lines[line] = f"{self._problem_lines.get(line, '')}\n{text}".strip()
        self._gutter.update()
        self._colour()

    def problem_at(self, line: int) -> str:
        """Return what is wrong in a line (1-based), empty if nothing is."""
        return self._problem_lines.get(line, "")

    def set_coverage(self, executed: Sequence[int], missing: Sequence[int], partial: Sequence[int] = ()) -> None:
        """Shade lines (1-based) that tests ran, did not run, or left with a branch not taken; empty shows none."""
        kinds = dict.fromkeys(executed, "good")
        kinds.update(dict.fromkeys(partial, "attention"))
        kinds.update(dict.fromkeys(missing, "bad"))
        self._covered = kinds
        self._gutter.update()
        self._colour()

    def go_to_line(self, line: int) -> None:
        """Put the cursor on a line (1-based) and show it."""
        from PySide6.QtGui import QTextCursor

        block = self.document().findBlockByNumber(line - 1)
        if block.isValid():
            self.setTextCursor(QTextCursor(block))
            self.centerCursor()

    def gutter_width(self) -> int:
        """Return the gutter's width for this many lines."""
        digits = max(2, len(str(self.blockCount())))
        return self.fontMetrics().horizontalAdvance("9") * digits + 22

    def paint_gutter(self, event: QPaintEvent) -> None:
        """Paint line numbers, and a sign beside lines with problems."""
        tokens = self._theme.tokens
        painter = QPainter(self._gutter)
        fill(painter, event.rect(), tokens.panel)
        painter.setFont(self.font())
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        height = self.fontMetrics().height()
        while block.isValid() and top <= event.rect().bottom():
            if block.isVisible():
                number = block.blockNumber() + 1
                bad = number in self._problem_lines
                painter.setPen(QColor(tokens.bad if bad else tokens.dim))
                box = QRect(0, round(top), self._gutter.width() - 10, height)
                painter.drawText(box, Qt.AlignmentFlag.AlignRight, f"! {number}" if bad else str(number))
                kind = self._covered.get(number)
                if kind:
                    colour = {"good": tokens.good, "bad": tokens.bad}.get(kind, tokens.attention)
                    fill(painter, QRect(self._gutter.width() - 5, round(top), 3, height), colour)
            top += self.blockBoundingRect(block).height()
            block = block.next()
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the gutter as high as the view."""
        super().resizeEvent(event)
        area = self.contentsRect()
        self._gutter.setGeometry(QRect(area.left(), area.top(), self.gutter_width(), area.height()))
        self._timer.start()

    def _fit_gutter(self, _count: int = 0) -> None:
        self.setViewportMargins(self.gutter_width(), 0, 0, 0)
        area = self.contentsRect()
        self._gutter.setGeometry(QRect(area.left(), area.top(), self.gutter_width(), area.height()))

    def _scrolled(self, rect: QRect, by: int) -> None:
        if by:
            self._gutter.scroll(0, by)
            self._timer.start()
        else:
            self._gutter.update(0, rect.y(), self._gutter.width(), rect.height())

    def _restyle(self) -> None:
        self.setFont(self._theme.code_font())
        self.setTabStopDistance(4 * self.fontMetrics().horizontalAdvance(" "))
        self._fit_gutter()
        self._colour()

    def _visible(self) -> tuple[int, int]:
        first = self.firstVisibleBlock().blockNumber()
        lines = self.contentsRect().height() // max(1, self.fontMetrics().height()) + 1
        return max(0, first - _EXTRA_LINES), first + lines + _EXTRA_LINES

    def _colour(self) -> None:
        """Colour the lines on screen with selections, which leave the document and its undo alone."""
        text = self.toPlainText()
        if not text:
            self.setExtraSelections([])
            return
        from annotator.text.highlight import spans
        from annotator.text.positions import Utf16Positions

        first, last = self._visible()
        places = Utf16Positions(text)
        formats = _formats(self._theme)
        selections = []
        tokens = self._theme.tokens
        for line in self._problem_lines:
            selections.append(self._line_selection(line, tokens.bad_ground))
        for line, kind in self._covered.items():
            if kind != "good":
                selections.append(
                    self._line_selection(line, tokens.bad_ground if kind == "bad" else tokens.attention_ground)
                )
        for start, end, kind in self._marks:
            style = _mark_format(self._theme, kind)
            selections.append(self._selection(places.units(start), places.units(end), style))
        if self._language:
            for span in spans(text, self._language, first, last):
                wanted = formats.get(span.kind)
                if wanted is not None:
                    selections.append(self._selection(places.units(span.start), places.units(span.end), wanted))
        self.setExtraSelections(selections)

    def _selection(self, start: int, end: int, style: QTextCharFormat) -> QTextEdit.ExtraSelection:
        from PySide6.QtGui import QTextCursor

        cursor = QTextCursor(self.document())
        limit = max(0, self.document().characterCount() - 1)
        cursor.setPosition(min(start, limit))
        cursor.setPosition(min(end, limit), QTextCursor.MoveMode.KeepAnchor)
        selection = QTextEdit.ExtraSelection()
        selection.cursor, selection.format = cursor, style
        return selection

    def _line_selection(self, line: int, ground: str) -> QTextEdit.ExtraSelection:
        from PySide6.QtGui import QTextCharFormat, QTextFormat

        style = QTextCharFormat()
        style.setBackground(QColor(ground))
        style.setProperty(QTextFormat.Property.FullWidthSelection, True)
        block = self.document().findBlockByNumber(line - 1)
        return self._selection(block.position(), block.position(), style)


def _formats(theme: Theme) -> dict[str, QTextCharFormat]:
    from PySide6.QtGui import QTextCharFormat

    t = theme.tokens
    colours = {
        "keyword": t.code_keyword, "builtin": t.code_keyword, "decorator": t.code_keyword, "string": t.code_string,
        "number": t.code_number, "comment": t.code_comment, "function": t.code_name, "class": t.code_name,
        "name": t.code_name, "error": t.bad,
    }  # fmt: skip
    formats = {}
    for kind, colour in colours.items():
        formats[kind] = QTextCharFormat()
        formats[kind].setForeground(QColor(colour))
    return formats


def _mark_format(theme: Theme, kind: str) -> QTextCharFormat:
    from PySide6.QtGui import QTextCharFormat

    t = theme.tokens
    text, ground = {
        "bad": (t.bad, t.bad_ground),
        "attention": (t.attention, t.attention_ground),
    }.get(kind, (t.good, t.good_ground))
    style = QTextCharFormat()
    style.setBackground(QColor(ground))
    style.setForeground(QColor(text))
    style.setFontUnderline(True)
    return style
