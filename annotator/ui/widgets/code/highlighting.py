"""Syntax colours, code fonts and marks on hidden characters, none of which change a text or its undo stack."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QTextBlock, QTextCharFormat, QTextCursor, QTextLayout
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from annotator.text.code_or_prose import fenced_lines
from annotator.text.hidden_characters import find_hidden, hidden_places, name_hidden
from annotator.text.highlight import Span, iter_highlight_spans
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr, tr_count
from annotator.ui.widgets.fields import debounce
from annotator.ui.widgets.labels import escape_tool_tip, join_list

_UPDATE_MS = 80
_MAX_MARKS = 2_000
_BAR_WIDTH, _FOOT_WIDTH, _PADDING = 2, 3, 6


class Utf16Positions:
    """Translates positions in one text from code points to Qt's UTF-16 units, two for emoji and some CJK."""

    def __init__(self, text: str) -> None:
        self._wide_indexes: list[int] = []
        if text and not text.isascii() and max(text) > "\uffff":
            self._wide_indexes = [index for index, character in enumerate(text) if character > "\uffff"]

    def units(self, index: int) -> int:
        """Return the UTF-16 position of a code point."""
        return index + bisect_left(self._wide_indexes, index) if self._wide_indexes else index


class HiddenMarks(QWidget):
    """An overlay on a text field that marks hidden characters; it ignores the mouse and does not change the text."""

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
        self._timer = debounce(self, _UPDATE_MS, self.update_marks)
        view.textChanged.connect(self._timer.start)
        view.updateRequest.connect(self._scrolled)
        view.viewport().installEventFilter(self)

    def update_marks(self) -> None:
        """Update the marks for the current text."""
        # Qt's own method: CodeView's override would first complete a text that is filled incrementally.
        text = QPlainTextEdit.toPlainText(self._view)
        positions = hidden_places(text)
        old_description = self.description
        units = Utf16Positions(text)
        self.places = tuple(units.units(position) for position in positions[:_MAX_MARKS])
        names = join_list(name_hidden(letter) for letter, _count in find_hidden(text)) if positions else ""
        count = tr_count("{count} hidden character", "{count} hidden characters", len(positions))
        self.description = tr("{count}: {names}", count=count, names=names) if positions else ""
        if self.description != old_description:
            self._view.viewport().setToolTip(escape_tool_tip(self.description))
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
        tokens, area = self._theme.tokens, self.rect()
        painter = QPainter(self)
        colour = QColor(tokens.bad)
        first = self._view.cursorForPosition(area.topLeft()).block().position()
        # The positions may be older than the text, because updates are delayed.
        end = QPlainTextEdit.document(self._view).characterCount()
        for position in self.places:
            if position < first or position >= end:
                continue
            box = self._box_of(position)
            if box.top() > area.bottom():
                break
            painter.fillRect(box.left() - 1, box.top(), _BAR_WIDTH, box.height(), colour)
            painter.fillRect(box.left() - _FOOT_WIDTH, box.top(), 2 * _FOOT_WIDTH, _BAR_WIDTH, colour)
        text = tr_count("{count} hidden character", "{count} hidden characters", len(self.places))
        metrics = painter.fontMetrics()
        width, height = metrics.horizontalAdvance(text) + 2 * _PADDING, metrics.height() + 4
        badge = QRect(area.right() - width - 4, 4, width, height)
        painter.setPen(colour)
        painter.setBrush(QColor(tokens.bad_ground))
        painter.drawRoundedRect(badge, 4, 4)
        painter.drawText(badge, Qt.AlignmentFlag.AlignCenter, text)
        painter.end()

    def _box_of(self, position: int) -> QRect:
        cursor = QTextCursor(QPlainTextEdit.document(self._view))
        cursor.setPosition(position)
        return self._view.cursorRect(cursor)

    def _scrolled(self, _rect: QRect, by: int) -> None:
        if by and self.places:
            self.update()


class FenceFonts(QObject):
    """Shows fenced blocks of a text field in the code font.

    The formats are set on each line's layout, because a QSyntaxHighlighter would signal an edit of the text.
    """

    def __init__(self, theme: Theme, view: QPlainTextEdit) -> None:
        super().__init__(view)
        self._theme = theme
        self._view = view
        view.textChanged.connect(self.show_fonts)
        theme.changed.connect(self.show_fonts)
        self.show_fonts()

    def show_fonts(self) -> None:
        """Set the code font on lines in fences, including the fences, and remove it from others."""
        document, fenced = self._view.document(), fenced_lines(self._view.toPlainText())
        style = code_format(self._theme)
        block = document.begin()
        while block.isValid():
            formats = [_whole_line(block, style)] if block.blockNumber() in fenced else []
            if formats or block.layout().formats():
                block.layout().setFormats(formats)
                document.markContentsDirty(block.position(), block.length())
            block = block.next()


def _whole_line(block: QTextBlock, style: QTextCharFormat) -> QTextLayout.FormatRange:
    format_range = QTextLayout.FormatRange()
    format_range.start, format_range.length, format_range.format = 0, block.length(), style
    return format_range


def code_format(theme: Theme) -> QTextCharFormat:
    """Return the format of code within prose: the code font in the size of the surrounding text."""
    style, font = QTextCharFormat(), theme.code_font()
    style.setFontFamilies(font.families())
    style.setFontFixedPitch(True)
    return style


SLICE_SECONDS = 0.004
_YIELD_EVERY = 32
# A line with more spans than this is data rather than code, and painting all of them would be slow.
_MAX_SPANS = 300
# Qt lays out whole lines, at 0.1 ms per thousand characters, so longer lines get no colours.
_MAX_LINE_LENGTH = 20_000
# After this many unchanged coloured lines, an edit is assumed to affect no more of them.
_MIN_UNCHANGED = 2

Stretch = tuple[int, int, str]
"""The start and end of a part of a text, in UTF-16 units, and the kind of its colour."""


class LineColours(QObject):
    """Colours the lines of a view. Lines whose colours have not changed are not laid out again."""

    def __init__(self, theme: Theme, view: QPlainTextEdit) -> None:
        super().__init__(view)
        # A reference keeps the view alive while its lines are being coloured.
        self._view = view
        self._document = QPlainTextEdit.document(view)
        self._theme = theme
        self._formats: dict[str, QTextCharFormat] = {}
        # Lines missing here are in an unknown state.
        self._colours_by_line: dict[int, tuple[Stretch, ...]] = {}
        self._line_count = 1
        self._work: Iterator[QTextBlock | None] = iter(())
        self._timer = debounce(self, 0, self._run_slice)

    @property
    def pending(self) -> bool:
        """Whether lines are waiting to be coloured."""
        return self._timer.isActive()

    def forget(self) -> None:
        """Forget all colours, because the text, language or theme has changed."""
        self._formats.clear()
        self._colours_by_line.clear()
        self._timer.stop()
        self._line_count = self._document.blockCount()

    def colour(
        self,
        blocks: Sequence[QTextBlock],
        language: str,
        lower_stretches: Sequence[Sequence[Stretch]],
        edited: int = 0,
    ) -> None:
        """Colour consecutive lines, in slices if it takes long; an unfinished earlier call is cancelled.

        ``lower_stretches`` holds each line's stretches that syntax colours override, counted from the start of the
        line. After an edit of one line, ``edited`` is its row: lines before it are only lexed, and lines after it are
        coloured until they are unchanged. If the lines just before it do not match their current colours (as inside a
        multi-line string that began above), nothing is done, and a full pass must follow.
        """
        self._timer.stop()
        self._work = self._colour_lines([(block, block.text()) for block in blocks], language, lower_stretches, edited)
        self._run_slice()

    def _run_slice(self) -> None:
        """Colour lines for one time slice, paint them, and schedule the rest."""
        deadline = time.perf_counter() + SLICE_SECONDS
        changed: list[QTextBlock] = []
        is_done = True
        for block in self._work:
            if block is not None:
                changed.append(block)
            if time.perf_counter() > deadline:
                is_done = False
                break
        if changed:
            self._paint(changed)
        if not is_done:
            self._timer.start()

    def _paint(self, changed: Sequence[QTextBlock]) -> None:
        """Lay out changed lines again, and repaint the visible ones."""
        view = self._view
        first, height = view.firstVisibleBlock().blockNumber(), view.viewport().height()
        top = bottom = -1
        for block in changed:
            if block.blockNumber() >= first and bottom < height:
                box = view.blockBoundingGeometry(block).translated(view.contentOffset())
                top = int(box.top()) if top < 0 else top
                bottom = int(box.bottom()) + 1
        # Formats take effect only when the document is told to lay out again. Signals are blocked, as the layout would
        # otherwise request a repaint of all lines.
        layout = self._document.documentLayout()
        blocked = layout.blockSignals(True)
        self._document.markContentsDirty(changed[0].position(), 1)
        layout.blockSignals(blocked)
        if 0 <= top < height:
            view.viewport().update(0, top, view.viewport().width(), bottom - top)

    def _colour_lines(
        self,
        lines: Sequence[tuple[QTextBlock, str]],
        language: str,
        lower_stretches: Sequence[Sequence[Stretch]],
        edited: int,
    ) -> Iterator[QTextBlock | None]:
        """Colour line by line; yield each changed line, and None in between so that the caller can pause."""
        spans = _stretches([line if len(line) <= _MAX_LINE_LENGTH else "" for _, line in lines], language)
        pending = next(spans, None)
        unchanged_count = 0
        for row, (block, line) in enumerate(lines):
            positions = Utf16Positions(line)
            stretches = list(lower_stretches[row])
            while pending is not None and pending[0] == row:
                span = pending[1]
                if len(stretches) < _MAX_SPANS:
                    stretches.append((positions.units(span.start), positions.units(span.end), span.kind))
                pending = next(spans, None)
                if len(stretches) % _YIELD_EVERY == 0:
                    yield None
            colours, number = tuple(stretches), block.blockNumber()
            if edited - _MIN_UNCHANGED <= row < edited and colours != self._colours_by_line.get(number):
                return
            if row >= edited and colours != self._colours_by_line.get(number):
                self._colours_by_line[number] = colours
                if colours or block.layout().formats():
                    self._set_formats(block, colours)
                    yield block
            elif row > edited > 0 and colours:
                unchanged_count += 1
                if unchanged_count == _MIN_UNCHANGED:
                    return
            yield None

    def shift(self, position: int, removed: int, added: int) -> bool:
        """Shift a line's colours along with an edit; return whether the edit stayed within one line."""
        self._timer.stop()
        block = self._document.findBlock(position)
        first = block.blockNumber()
        last = self._document.findBlock(position + added)
        is_one_line = self._document.blockCount() == self._line_count and (last == block or not last.isValid())
        if not is_one_line:
            # The lines below have moved, and a split or joined line is coloured again from scratch.
            self._line_count = self._document.blockCount()
            self._colours_by_line = {
                number: stretches for number, stretches in self._colours_by_line.items() if number < first
            }
            return False
        self._colours_by_line.pop(first, None)
        offset = position - block.position()
        formats = []
        for format_range in block.layout().formats():
            if format_range.start >= offset:
                format_range.start += added - removed
            elif format_range.start + format_range.length > offset:
                format_range.length += added - removed
            if format_range.start >= 0 and format_range.length > 0:
                formats.append(format_range)
        block.layout().setFormats(formats)
        return True

    def _set_formats(self, block: QTextBlock, stretches: Sequence[Stretch]) -> None:
        ranges = []
        for start, end, kind in stretches:
            style = self._format(kind)
            if style is not None:
                format_range = QTextLayout.FormatRange()
                format_range.start, format_range.length, format_range.format = start, end - start, style
                ranges.append(format_range)
        block.layout().setFormats(ranges)

    def _format(self, kind: str) -> QTextCharFormat | None:
        if not self._formats:
            self._formats = {name: _foreground(colour) for name, colour in _colours(self._theme).items()}
            self._formats["code"] = code_format(self._theme)
        return self._formats.get(kind)


def _stretches(lines: Sequence[str], language: str) -> Iterator[tuple[int, Span]]:
    """Return the coloured spans of lines; without a language or any text there are none."""
    if not language or not any(lines):
        return iter(())
    return iter_highlight_spans(lines, language)


def _foreground(colour: str) -> QTextCharFormat:
    style = QTextCharFormat()
    style.setForeground(QColor(colour))
    return style


def _colours(theme: Theme) -> dict[str, str]:
    tokens = theme.tokens
    return {
        "keyword": tokens.code_keyword,
        "builtin": tokens.code_keyword,
        "decorator": tokens.code_keyword,
        "string": tokens.code_string,
        "number": tokens.code_number,
        "comment": tokens.code_comment,
        "function": tokens.code_name,
        "class": tokens.code_name,
        "name": tokens.code_name,
        "error": tokens.bad,
        "mark-good": tokens.good,
        "mark-bad": tokens.bad,
        "mark-attention": tokens.attention,
    }
