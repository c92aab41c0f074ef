"""A view or editor of code with line numbers, syntax colours, highlighted ranges, problems and test coverage."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFont,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from annotator.text.code_or_prose import fenced_lines, looks_like_code
from annotator.ui.app.theme.look import Theme
from annotator.ui.widgets.code.find_bar import find_in
from annotator.ui.widgets.code.highlighting import HiddenMarks, LineColours, Stretch, Utf16Positions
from annotator.ui.widgets.fields import TextBox, debounce

# Inserting and laying out a slice of this size takes Qt less than 4 ms.
_SLICE_LINES = 1_000
SLICE_CHARACTERS = 64_000
_MAX_LINES_AT_ONCE = 2 * _SLICE_LINES


class SliceInserter(QObject):
    """Inserts a long text into a view slice by slice; undo is disabled until the text is complete."""

    ended = Signal()
    """The whole text has been inserted."""

    def __init__(self, view: QPlainTextEdit) -> None:
        super().__init__(view)
        # A reference keeps the view alive while a slice is being inserted.
        self._view = view
        # Qt's own method: CodeView's override completes the text first.
        self._document = QPlainTextEdit.document(view)
        self._text, self._inserted_count = "", 0
        self.lines = 1
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._add_slice)

    @property
    def pending(self) -> bool:
        """Whether part of the text is still missing."""
        return self._timer.isActive()

    def take_text(self, text: str, lines: int) -> str:
        """Accept a new text and return its first ``lines`` lines for the caller to show, or all of a short text."""
        self.drop()
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.lines = text.count("\n") + 1
        cut = _line_end(text, 0, lines)
        if self.lines <= _MAX_LINES_AT_ONCE and len(text) - cut <= SLICE_CHARACTERS:
            return text
        self._text, self._inserted_count = text, cut
        return text[:cut]

    def start(self) -> None:
        """Start inserting the rest after `take_text`, if there is any."""
        if self._inserted_count < len(self._text):
            self._document.setUndoRedoEnabled(False)
            self._timer.start()

    def finish(self) -> None:
        """Insert the rest of the text at once."""
        if self.pending:
            self._add(len(self._text))

    def drop(self) -> None:
        """Discard the rest of the text, because another text replaces it."""
        if self.pending:
            self._timer.stop()
            self._document.setUndoRedoEnabled(True)
        self._text, self._inserted_count = "", 0

    def _add_slice(self) -> None:
        end = _line_end(self._text, self._inserted_count + 1, _SLICE_LINES)
        if end - self._inserted_count > SLICE_CHARACTERS:
            # Whole lines only; a line longer than a slice forms its own slice.
            shorter = self._text.rfind("\n", self._inserted_count + 1, self._inserted_count + SLICE_CHARACTERS)
            end = shorter if shorter > 0 else _line_end(self._text, self._inserted_count + 1, 1)
        self._add(end)

    def _add(self, end: int) -> None:
        cursor = QTextCursor(self._document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(self._text[self._inserted_count : end])
        self._inserted_count = end
        if end >= len(self._text):
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


_HIGHLIGHT_MS = 15
_PAUSE_MS = 250
_MARGIN_LINES = 40
"""Lines above and below the visible ones that are highlighted too, so that slow scrolling shows no plain lines."""
_FIRST_LINES = 120
_LEX_LINES_ABOVE = 20
"""Lines above an edited line that are lexed with it, because a comment or string may begin there."""


class Gutter(QWidget):
    """The column of line numbers."""

    def __init__(self, view: CodeView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self) -> QSize:
        """Return the width that the largest number needs."""
        return QSize(self._view.gutter_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the numbers of the visible lines."""
        self._view.paint_gutter(event)


class CodeView(TextBox):
    """A view or editor of code. Only the visible lines are highlighted, shortly after they appear.

    Markdown, such as a model's answer, is shown as wrapped prose with its fenced code in the code font. Invisible
    characters are always marked.

    A long read-only text is inserted incrementally; accessing the text or the document completes it first.
    """

    def __init__(
        self,
        theme: Theme,
        name: str,
        *,
        read_only: bool = True,
        language: str = "",
        wrap: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        """Create an empty view; ``name`` is for screen readers, and ``wrap`` breaks long lines."""
        super().__init__(parent)
        self._theme = theme
        self._language = language
        self.marks: list[tuple[int, int, str]] = []
        """The highlighted ranges as (start, end, kind), in code points."""
        self._problem_lines: dict[int, str] = {}
        self._coverage_by_line: dict[int, str] = {}
        self._utf16_positions: Utf16Positions | None = None
        self._inserter = SliceInserter(self)
        self._colours = LineColours(theme, self)
        self.setAccessibleName(name)
        self.setReadOnly(read_only)
        self.setLineWrapMode(self.LineWrapMode.WidgetWidth if wrap else self.LineWrapMode.NoWrap)
        self._is_prose = False
        self._fenced: frozenset[int] | None = None
        self.hidden = HiddenMarks(theme, self)
        """Marks on invisible characters."""
        self.setTabChangesFocus(read_only)
        if read_only:
            self.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
        self._gutter = Gutter(self)
        self._timer = debounce(self, _HIGHLIGHT_MS, self._colour)
        # The edited line is highlighted soon; lines far from it, which may have changed too, after a pause.
        self._line_of_edit = -1
        self._edit_timer = debounce(self, _HIGHLIGHT_MS, self._colour_edited)
        self._pause_timer = debounce(self, _PAUSE_MS, self._colour)
        self.blockCountChanged.connect(self._fit_gutter)
        self.updateRequest.connect(self._scrolled)
        self._inserter.ended.connect(self._timer.start)
        super().document().contentsChange.connect(self._shift_colours)
        theme.changed.connect(self._restyle)
        self._restyle()

    def set_code(self, text: str, language: str = "") -> None:
        """Show another text, and clear the marks, problems and coverage of the old one."""
        self._language = language or self._language
        self.marks, self._problem_lines, self._coverage_by_line = [], {}, {}
        self._set_prose(self._language == "markdown" and not looks_like_code(text))
        if self.isReadOnly():
            self.setPlainText(self._inserter.take_text(text, max(_FIRST_LINES, self._lines_on_screen())), whole=False)
            self._inserter.start()
            self._fit_gutter()
        else:
            self.setPlainText(text)
        self._colours.forget()
        self._colour()

    @property
    def is_colouring(self) -> bool:
        """Whether highlighting of changes is pending."""
        return self._colours.pending or self._edit_timer.isActive()

    @property
    def busy(self) -> bool:
        """Whether highlighting or part of the text is pending."""
        is_waiting = self._timer.isActive() or self._edit_timer.isActive() or self._pause_timer.isActive()
        return is_waiting or self._colours.pending or self._inserter.pending

    def setPlainText(self, text: str, *, whole: bool = True) -> None:  # noqa: N802 - Qt's own name
        """Show another text at once; ``whole`` is False if more of it follows."""
        if whole:
            self._inserter.drop()
        self._colours.forget()
        super().setPlainText(text)

    def toPlainText(self) -> str:  # noqa: N802 - Qt's own name
        """Return the complete text."""
        self._inserter.finish()
        return super().toPlainText()

    def document(self) -> QTextDocument:
        """Return the document with the complete text."""
        self._inserter.finish()
        return super().document()

    def blockCount(self) -> int:  # noqa: N802 - Qt's own name
        """Return the number of lines of the complete text."""
        return self._inserter.lines if self._inserter.pending else super().blockCount()

    def setReadOnly(self, on: bool) -> None:  # noqa: N802 - Qt's own name
        """Set whether the text is read-only, completing it first."""
        self._inserter.finish()
        super().setReadOnly(on)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Complete the text before keys that navigate, select or copy."""
        self._inserter.finish()
        if event.matches(QKeySequence.StandardKey.Find):
            # Reached only in dialogs; in the main window the action with this key comes first.
            find_in(self)
            return
        super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Complete the text before the menu can select all of it."""
        self._inserter.finish()
        super().contextMenuEvent(event)

    @property
    def is_prose(self) -> bool:
        """Whether the text is shown as prose, with only fenced parts as code."""
        return self._is_prose

    def _set_prose(self, prose: bool) -> None:
        """Show prose wrapped and in the text font, or code unwrapped in the code font."""
        if prose is self._is_prose:
            return
        self._is_prose = prose
        modes = QPlainTextEdit.LineWrapMode
        self.setLineWrapMode(modes.WidgetWidth if prose else modes.NoWrap)
        self._restyle()

    def set_marks(self, marks: Sequence[tuple[int, int, str]]) -> None:
        """Highlight ranges (start, end, kind); positions are in code points, kinds are good, bad and attention."""
        self.marks = list(marks)
        self._colour()

    def set_problems(self, problems: Sequence[tuple[int, str]]) -> None:
        """Mark lines (1-based) with problems in the gutter; several problems of a line are joined."""
        self._problem_lines = {}
        for line, text in problems:
            self._problem_lines[line] = f"{self._problem_lines.get(line, '')}\n{text}".strip()
        self._gutter.update()
        self._colour()

    def problem_at(self, line: int) -> str:
        """Return the problem in a line (1-based), or an empty text."""
        return self._problem_lines.get(line, "")

    def set_coverage(self, executed: Sequence[int], missing: Sequence[int], partial: Sequence[int] = ()) -> None:
        """Mark lines (1-based) that tests executed, missed, or covered only partially; empty lists clear the marks."""
        kinds = dict.fromkeys(executed, "good")
        kinds.update(dict.fromkeys(partial, "attention"))
        kinds.update(dict.fromkeys(missing, "bad"))
        self._coverage_by_line = kinds
        self._gutter.update()
        self._colour()

    def go_to_line(self, line: int) -> None:
        """Move the cursor to a line (1-based) and scroll to it."""
        if line > super().blockCount():
            self._inserter.finish()
        block = super().document().findBlockByNumber(line - 1)
        if block.isValid():
            self.setTextCursor(QTextCursor(block))
            self.centerCursor()

    def gutter_width(self) -> int:
        """Return the gutter's width for the number of lines."""
        digits = max(2, len(str(self.blockCount())))
        return self.fontMetrics().horizontalAdvance("9") * digits + 22

    def paint_gutter(self, event: QPaintEvent) -> None:
        """Paint line numbers, and a sign beside lines with problems."""
        tokens = self._theme.tokens
        painter = QPainter(self._gutter)
        painter.fillRect(event.rect(), QColor(tokens.panel))
        if self.isReadOnly() and super().document().isEmpty():
            # A lone line number 1 beside nothing would look like a count.
            painter.end()
            return
        painter.setFont(self.font())
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        height = self.fontMetrics().height()
        while block.isValid() and top <= event.rect().bottom():
            if block.isVisible():
                number = block.blockNumber() + 1
                has_problem = number in self._problem_lines
                painter.setPen(QColor(tokens.bad if has_problem else tokens.dim))
                box = QRect(0, round(top), self._gutter.width() - 10, height)
                painter.drawText(box, Qt.AlignmentFlag.AlignRight, f"! {number}" if has_problem else str(number))
                kind = self._coverage_by_line.get(number)
                if kind:
                    colour = {"good": tokens.good, "bad": tokens.bad}.get(kind, tokens.attention)
                    painter.fillRect(self._gutter.width() - 5, round(top), 3, height, QColor(colour))
            top += self.blockBoundingRect(block).height()
            block = block.next()
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Resize the gutter with the view."""
        super().resizeEvent(event)
        self._fit_gutter()
        self._timer.start()

    def showEvent(self, event: QShowEvent) -> None:
        """Highlight the text that was set while the view was hidden."""
        super().showEvent(event)
        # When the stylesheet is applied, Qt resets the font to the one the widget was created with.
        if self.font().family() != self._own_font().family():
            self._restyle()
        self._colour()

    def _fit_gutter(self, _count: int = 0) -> None:
        width = self.gutter_width()
        if self.viewportMargins().left() != width:
            self.setViewportMargins(width, 0, 0, 0)
        area = self.contentsRect()
        self._gutter.setGeometry(QRect(area.left(), area.top(), width, area.height()))

    def _shift_colours(self, position: int, removed: int, added: int) -> None:
        """Shift the colours along with an edit, and schedule highlighting the changed lines again."""
        self._utf16_positions, self._fenced = None, None
        if self._inserter.pending or self.isReadOnly():
            return
        line = super().document().findBlock(position).blockNumber()
        is_only_edited_line = self._line_of_edit in {-1, line} and not self._timer.isActive()
        if self._colours.shift(position, removed, added) and is_only_edited_line:
            self._line_of_edit = line
            self._edit_timer.start()
            self._pause_timer.start()
        else:
            self._timer.start()

    def _scrolled(self, rect: QRect, pixels: int) -> None:
        if pixels:
            self._gutter.scroll(0, pixels)
            self._timer.start()
        else:
            self._gutter.update(0, rect.y(), self._gutter.width(), rect.height())

    def _restyle(self) -> None:
        self.setFont(self._own_font())
        self.setTabStopDistance(4 * self.fontMetrics().horizontalAdvance(" "))
        self._fit_gutter()
        self._colours.forget()
        self._colour()

    def _own_font(self) -> QFont:
        return self._theme.text_font() if self._is_prose else self._theme.code_font()

    def _lines_on_screen(self) -> int:
        return self.maximumViewportSize().height() // max(1, self.fontMetrics().height()) + 1

    def _blocks_near_screen(self) -> list[QTextBlock]:
        first = self.firstVisibleBlock().blockNumber()
        return self._blocks(max(0, first - _MARGIN_LINES), first + self._lines_on_screen() + _MARGIN_LINES)

    def _blocks(self, first: int, last: int) -> list[QTextBlock]:
        block = super().document().findBlockByNumber(first)
        blocks = []
        while block.isValid() and block.blockNumber() < last:
            blocks.append(block)
            block = block.next()
        return blocks

    def _colour(self) -> None:
        """Highlight the visible lines and their marks without changing the document or its undo stack."""
        for timer in (self._timer, self._edit_timer, self._pause_timer):
            timer.stop()
        self._line_of_edit = -1
        blocks = self._blocks_near_screen()
        if not blocks:
            return
        marks = self._marks_in(blocks)
        selections = self._line_backgrounds(blocks)
        selections += [self._selection(start, end, _mark_format(self._theme, kind)) for start, end, kind in marks]
        self.setExtraSelections(selections)
        if self.isVisible():
            self._colours.colour(blocks, self._language, self._overridable_formats(blocks, marks))

    def _overridable_formats(self, blocks: Sequence[QTextBlock], marks: Sequence[Stretch]) -> list[list[Stretch]]:
        """Return, for each line, the formats that syntax colours override: marks, and the code font in fences."""
        line_marks = _by_line(blocks, marks)
        if not self._is_prose:
            return line_marks
        if self._fenced is None:
            self._fenced = fenced_lines(super().toPlainText())
        for stretches, block in zip(line_marks, blocks, strict=True):
            if block.blockNumber() in self._fenced:
                stretches.insert(0, (0, block.length() - 1, "code"))
        return line_marks

    def _colour_edited(self) -> None:
        """Highlight the edited line, lexing from some lines above it."""
        line, self._line_of_edit = self._line_of_edit, -1
        last = self.firstVisibleBlock().blockNumber() + self._lines_on_screen()
        blocks = self._blocks(max(0, line - _LEX_LINES_ABOVE), last)
        row = line - blocks[0].blockNumber() if blocks else 0
        if 0 < row < len(blocks):
            self._colours.colour(blocks, self._language, self._overridable_formats(blocks, self._marks_in(blocks)), row)
        else:
            self._colour()

    def _marks_in(self, blocks: Sequence[QTextBlock]) -> list[Stretch]:
        """Return the marks that overlap some lines, in document positions."""
        if not self.marks:
            return []
        if self._utf16_positions is None:
            self._utf16_positions = Utf16Positions(super().toPlainText())
        first, last = blocks[0].position(), blocks[-1].position() + blocks[-1].length() - 1
        visible_marks = []
        for start, end, kind in self.marks:
            first_unit, end_unit = self._utf16_positions.units(start), min(self._utf16_positions.units(end), last)
            if first_unit <= end_unit and end_unit >= first:
                visible_marks.append((first_unit, end_unit, kind))
        return visible_marks

    def _line_backgrounds(self, blocks: Sequence[QTextBlock]) -> list[QTextEdit.ExtraSelection]:
        """Return selections that give whole lines a background: lines with problems or incomplete coverage."""
        tokens = self._theme.tokens
        backgrounds = {"bad": tokens.bad_ground, "attention": tokens.attention_ground}
        selections = []
        for block in blocks:
            line = block.blockNumber() + 1
            kinds = ("bad" if line in self._problem_lines else "", self._coverage_by_line.get(line, ""))
            for kind in kinds:
                if kind in backgrounds:
                    style = QTextCharFormat()
                    style.setBackground(QColor(backgrounds[kind]))
                    style.setProperty(QTextFormat.Property.FullWidthSelection, True)
                    selections.append(self._selection(block.position(), block.position(), style))
        return selections

    def _selection(self, start: int, end: int, style: QTextCharFormat) -> QTextEdit.ExtraSelection:
        cursor = QTextCursor(super().document())
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        selection = QTextEdit.ExtraSelection()
        selection.cursor, selection.format = cursor, style
        return selection


def _by_line(blocks: Sequence[QTextBlock], marks: Sequence[Stretch]) -> list[list[Stretch]]:
    """Return the marked parts of each line as text colours, which syntax colours may override."""
    line_marks: list[list[Stretch]] = [[] for _ in blocks]
    for number, block in enumerate(blocks if marks else ()):
        first, last = block.position(), block.position() + block.length() - 1
        for start, end, kind in marks:
            if start < last and end > first:
                mark_kind = kind if kind in {"bad", "attention"} else "good"
                line_marks[number].append((max(0, start - first), min(end, last) - first, f"mark-{mark_kind}"))
    return line_marks


def _mark_format(theme: Theme, kind: str) -> QTextCharFormat:
    tokens = theme.tokens
    style = QTextCharFormat()
    style.setBackground(
        QColor({"bad": tokens.bad_ground, "attention": tokens.attention_ground}.get(kind, tokens.good_ground))
    )
    style.setFontUnderline(True)
    return style
