"""Syntax colours, set on each line's layout, where Qt draws them in one go and the undo stack is unaffected."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QColor, QTextBlock, QTextCharFormat, QTextLayout
from PySide6.QtWidgets import QPlainTextEdit

from annotator.text.highlight import Span, iter_highlight_spans
from annotator.text.positions import Utf16Positions
from annotator.ui.app.theme.look import Theme
from annotator.ui.widgets.code.fence_fonts import code_face

SLICE_SECONDS = 0.004
_YIELD_EVERY = 32
# A line with more spans than this is data, not code, and painting them one by one would be slow.
_MAX_SPANS = 300
# Qt lays out whole lines, at 0.1 ms per thousand characters: longer ones are not laid out again for colours.
_MAX_LINE_LENGTH = 20_000
# After this many unchanged coloured lines, an edit is assumed to affect no more of them.
_MIN_UNCHANGED = 2

Stretch = tuple[int, int, str]


class LineColours(QObject):
    """The colours of a view's lines. Lines whose colours do not change are not laid out again."""

    def __init__(self, theme: Theme, view: QPlainTextEdit) -> None:
        super().__init__(view)
        # A reference keeps the view alive while its lines are being coloured.
        self._view = view
        self._document = QPlainTextEdit.document(view)
        self._theme = theme
        self._formats: dict[str, QTextCharFormat] = {}
        # Lines missing here are in an unknown state.
        self._shown: dict[int, tuple[Stretch, ...]] = {}
        self._lines = 1
        self._work: Iterator[QTextBlock | None] = iter(())
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._go_on)

    @property
    def pending(self) -> bool:
        """Whether lines are waiting to be coloured."""
        return self._timer.isActive()

    def forget(self) -> None:
        """Reset the known colours, for another text, language or theme."""
        self._formats.clear()
        self._shown.clear()
        self._timer.stop()
        self._lines = self._document.blockCount()

    def colour(
        self, blocks: Sequence[QTextBlock], language: str, under: Sequence[Sequence[Stretch]], edited: int = 0
    ) -> None:
        """Colour consecutive lines, in slices if it takes long; an unfinished earlier call is cancelled.

        ``under`` holds each line's stretches below the syntax colours. A stretch is (start, end, kind) in UTF-16 units
        from the start of the line. After an edit of one line, ``edited`` is its row: lines before it are only lexed,
        and lines after it are coloured until they are unchanged. If the lines just before it do not match their current
        colours (as inside a multi-line string that began above), nothing is done, and a full pass must follow.
        """
        self._timer.stop()
        self._work = self._coloured([(block, block.text()) for block in blocks], language, under, edited)
        self._go_on()

    def _go_on(self) -> None:
        """Colour lines for one time slice, paint them, and schedule the rest."""
        until = time.perf_counter() + SLICE_SECONDS
        changed: list[QTextBlock] = []
        done = True
        for block in self._work:
            if block is not None:
                changed.append(block)
            if time.perf_counter() > until:
                done = False
                break
        if changed:
            self._paint(changed)
        if not done:
            self._timer.start()

    def _paint(self, changed: Sequence[QTextBlock]) -> None:
        """Lay out changed lines again, and repaint the visible ones."""
        view, top, bottom = self._view, -1, -1
        first, height = view.firstVisibleBlock().blockNumber(), view.viewport().height()
        for block in changed:
            if block.blockNumber() >= first and bottom < height:
                box = view.blockBoundingGeometry(block).translated(view.contentOffset())
                top, bottom = int(box.top()) if top < 0 else top, int(box.bottom()) + 1
        # Formats take effect only when the document is told to lay out again. Signals are blocked, as the layout would
        # otherwise request a repaint of all lines.
        layout = self._document.documentLayout()
        blocked = layout.blockSignals(True)
        self._document.markContentsDirty(changed[0].position(), 1)
        layout.blockSignals(blocked)
        if 0 <= top < height:
            view.viewport().update(0, top, view.viewport().width(), bottom - top)

    def _coloured(
        self, lines: Sequence[tuple[QTextBlock, str]], language: str, under: Sequence[Sequence[Stretch]], edited: int
    ) -> Iterator[QTextBlock | None]:
        """Colour line by line; yield each changed line, and None in between so that the caller can pause."""
        spans = _stretches([line if len(line) <= _MAX_LINE_LENGTH else "" for _, line in lines], language)
        pending = next(spans, None)
        unchanged_count = 0
        for row, (block, line) in enumerate(lines):
            places = Utf16Positions(line)
            look = list(under[row])
            while pending is not None and pending[0] == row:
                span = pending[1]
                if len(look) < _MAX_SPANS:
                    look.append((places.units(span.start), places.units(span.end), span.kind))
                pending = next(spans, None)
                if len(look) % _YIELD_EVERY == 0:
                    yield None
            colours, number = tuple(look), block.blockNumber()
            if edited - _MIN_UNCHANGED <= row < edited and colours != self._shown.get(number):
                return
            if row >= edited and colours != self._shown.get(number):
                self._shown[number] = colours
                if colours or block.layout().formats():
                    self._set(block, colours)
                    yield block
            elif row > edited > 0 and colours:
                unchanged_count += 1
                if unchanged_count == _MIN_UNCHANGED:
                    return
            yield None

    def moved(self, position: int, removed: int, added: int) -> bool:
        """Shift the colours with an edit until they are recomputed; return whether it stayed within its line."""
        self._timer.stop()
        block = self._document.findBlock(position)
        first = block.blockNumber()
        last = self._document.findBlock(position + added)
        inside = self._document.blockCount() == self._lines and (last == block or not last.isValid())
        if inside:
            self._shown.pop(first, None)
        else:
            # The lines below have moved.
            self._lines = self._document.blockCount()
            self._shown = {number: look for number, look in self._shown.items() if number < first}
        if not inside:
            # A split or joined line is coloured again from scratch.
            return False
        at = position - block.position()
        formats = []
        for piece in block.layout().formats():
            if piece.start >= at:
                piece.start += added - removed
            elif piece.start + piece.length > at:
                piece.length += added - removed
            if piece.start >= 0 and piece.length > 0:
                formats.append(piece)
        block.layout().setFormats(formats)
        return True

    def _set(self, block: QTextBlock, stretches: Sequence[Stretch]) -> None:
        ranges = []
        for start, end, kind in stretches:
            style = self._format(kind)
            if style is not None:
                piece = QTextLayout.FormatRange()
                piece.start, piece.length, piece.format = start, end - start, style
                ranges.append(piece)
        block.layout().setFormats(ranges)

    def _format(self, kind: str) -> QTextCharFormat | None:
        if not self._formats:
            self._formats = {name: _foreground(colour) for name, colour in _colours(self._theme).items()}
            self._formats["code"] = code_face(self._theme)
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
    t = theme.tokens
    return {
        "keyword": t.code_keyword, "builtin": t.code_keyword, "decorator": t.code_keyword, "string": t.code_string,
        "number": t.code_number, "comment": t.code_comment, "function": t.code_name, "class": t.code_name,
        "name": t.code_name, "error": t.bad, "mark-good": t.good, "mark-bad": t.bad, "mark-attention": t.attention,
    }  # fmt: skip
