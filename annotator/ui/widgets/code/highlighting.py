"""Colours of code, kept in the layout of each line, where Qt draws them in one go and no undo step sees them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QColor, QTextBlock, QTextCharFormat, QTextLayout
from PySide6.QtWidgets import QPlainTextEdit

from annotator.text.highlight import Span, stretches
from annotator.text.positions import Utf16Positions
from annotator.ui.app.theme.look import Theme
from annotator.ui.widgets.code.fence_fonts import code_face

SLICE_SECONDS = 0.004
_YIELD_EVERY = 32
# More pieces than this in a line are data, not code, and would be painted one by one.
_MAX_SPANS = 300
# Qt lays a line out as a whole, 0.1 ms for a thousand letters: a longer one is not laid out again for its colours.
_MAX_LINE_LENGTH = 20_000
# So many coloured lines that look as before tell that an edit changed no more.
_MIN_UNCHANGED = 2

Stretch = tuple[int, int, str]


class LineColours(QObject):
    """The colours of a view's lines. Lines whose colours stay are not laid out again."""

    def __init__(self, theme: Theme, view: QPlainTextEdit) -> None:
        """Colour nothing yet."""
        super().__init__(view)
        # Held, so that nobody takes the view apart while its lines are being coloured.
        self._view = view
        self._document = QPlainTextEdit.document(view)
        self._theme = theme
        self._formats: dict[str, QTextCharFormat] = {}
        # A line that is not in it may look like anything.
        self._shown: dict[int, tuple[Stretch, ...]] = {}
        self._lines = 1
        self._work: Iterator[QTextBlock | None] = iter(())
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._go_on)

    @property
    def pending(self) -> bool:
        """Whether some lines are still to be coloured."""
        return self._timer.isActive()

    def forget(self) -> None:
        """Another text, language or theme: what lines looked like says nothing any more."""
        self._formats.clear()
        self._shown.clear()
        self._timer.stop()
        self._lines = self._document.blockCount()

    def colour(
        self, blocks: Sequence[QTextBlock], language: str, under: Sequence[Sequence[Stretch]], edited: int = 0
    ) -> None:
        """Colour lines that follow each other, what takes long in slices; an earlier order that is not done is void.

        ``under`` has each line's stretches that colours of code may cover. A stretch is (start, end, kind); here both
        count UTF-16 units from the start of the line, as Qt does. After an edit of one line, ``edited`` is its row:
        lines before it are only read, and those after it until they look as they did. Where those right before it look
        otherwise than they are shown (inside a text that began further up), everything is left for a whole pass.
        """
        self._timer.stop()
        self._work = self._coloured([(block, block.text()) for block in blocks], language, under, edited)
        self._go_on()

    def _go_on(self) -> None:
        """Colour for the time of a slice; show what is done, and come back for the rest."""
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
        """Lay changed lines out again, and paint those on screen."""
        view, top, bottom = self._view, -1, -1
        first, height = view.firstVisibleBlock().blockNumber(), view.viewport().height()
        for block in changed:
            if block.blockNumber() >= first and bottom < height:
                box = view.blockBoundingGeometry(block).translated(view.contentOffset())
                top, bottom = int(box.top()) if top < 0 else top, int(box.bottom()) + 1
        # The document remembers whose formats were set until it is told to lay them out. Its layout would have all
        # lines painted then, those off the screen too.
        layout = self._document.documentLayout()
        blocked = layout.blockSignals(True)
        self._document.markContentsDirty(changed[0].position(), 1)
        layout.blockSignals(blocked)
        if 0 <= top < height:
            view.viewport().update(0, top, view.viewport().width(), bottom - top)

    def _coloured(
        self, lines: Sequence[tuple[QTextBlock, str]], language: str, under: Sequence[Sequence[Stretch]], edited: int
    ) -> Iterator[QTextBlock | None]:
        """Colour line by line; yields the lines that changed, and None now and then inside a long one."""
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
        """Let colours go along with an edit until they are found anew; returns whether it stayed within its line."""
        self._timer.stop()
        block = self._document.findBlock(position)
        first = block.blockNumber()
        last = self._document.findBlock(position + added)
        inside = self._document.blockCount() == self._lines and (last == block or not last.isValid())
        if inside:
            self._shown.pop(first, None)
        else:
            # Lines below stand elsewhere now.
            self._lines = self._document.blockCount()
            self._shown = {number: look for number, look in self._shown.items() if number < first}
        if not inside:
            # A line that was broken or joined is coloured anew.
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
    """Return the coloured stretches of lines; a view with nothing in it needs no colours."""
    if not language or not any(lines):
        return iter(())
    return stretches(lines, language)


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
