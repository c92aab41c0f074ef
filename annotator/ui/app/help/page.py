"""Renders a page of the manual: Markdown as a document with the window's colours and fonts."""

from __future__ import annotations

from PySide6.QtCore import QUrl
from PySide6.QtGui import (
    QColor,
    QFont,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
)
from PySide6.QtWidgets import QTextBrowser

from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr

_HEADINGS = {1: 20, 2: 15, 3: 13}


class HelpPage(QTextBrowser):
    """A text browser that emits link clicks instead of following them; headings serve as anchors."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("help-page")
        self.setAccessibleName(tr("Page of the manual"))
        self.setOpenLinks(False)
        self._theme = theme
        self._markdown = ""
        self.document().setDocumentMargin(16)
        theme.changed.connect(self._again)

    def show_markdown(self, text: str) -> None:
        """Show a page from its beginning."""
        self._markdown = text
        self._again()

    def scroll_to(self, heading: str) -> None:
        """Put the heading with this text at the top; nothing happens if there is none."""
        block = self.document().begin()
        while block.isValid():
            if block.blockFormat().headingLevel() and block.text() == heading:
                self.setTextCursor(QTextCursor(block))
                top = self.document().documentLayout().blockBoundingRect(block).top()
                self.verticalScrollBar().setValue(max(0, int(top) - 8))
                return
            block = block.next()

    def loadResource(self, _kind: int, _name: QUrl | str) -> object:  # noqa: N802 - Qt's name
        """Load nothing, since pages have no images and must not access the network."""
        return None

    def _again(self) -> None:
        place = self.verticalScrollBar().value()
        document = self.document()
        document.setDefaultFont(self.font())
        document.setMarkdown(self._markdown)
        self._dress_blocks()
        self._dress_tables()
        self.moveCursor(QTextCursor.MoveOperation.Start)
        self.verticalScrollBar().setValue(place)

    def _dress_blocks(self) -> None:
        tokens, theme = self._theme.tokens, self._theme
        code_font = theme.code_font()
        block = self.document().begin()
        while block.isValid():
            level = block.blockFormat().headingLevel()
            shape = QTextBlockFormat()
            in_table = QTextCursor(block).currentTable() is not None
            if level:
                self._dress_heading(block, level)
                shape.setTopMargin(theme.pixels(20 if level > 1 else 4))
                shape.setBottomMargin(theme.pixels(6))
            elif _is_code(block):
                shape.setBackground(QColor(tokens.ground))
                shape.setLeftMargin(theme.pixels(8))
            elif not in_table:
                shape.setBottomMargin(theme.pixels(3 if block.textList() else 8))
                shape.setLineHeight(125, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
            cursor = QTextCursor(block)
            cursor.mergeBlockFormat(shape)
            self._dress_code(block, code_font)
            block = block.next()

    def _dress_heading(self, block: QTextBlock, level: int) -> None:
        size = self._theme.pixels(_HEADINGS.get(level, 13))
        for position, length, look in _fragments(block):
            # Markdown sets a relative size, which would take precedence over the size in pixels.
            look.clearProperty(QTextFormat.Property.FontSizeAdjustment)
            look.setProperty(QTextFormat.Property.FontPixelSize, size)
            look.setFontWeight(QFont.Weight.DemiBold)
            self._selected(position, length).setCharFormat(look)

    def _selected(self, position: int, length: int) -> QTextCursor:
        cursor = QTextCursor(self.document())
        cursor.setPosition(position)
        cursor.setPosition(position + length, QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _dress_code(self, block: QTextBlock, font: QFont) -> None:
        """Set the window's code font on code, which Markdown marks as fixed pitch."""
        look = QTextCharFormat()
        look.setFontFamilies([font.family()])
        look.setFontPointSize(font.pointSizeF())
        for position, length, text_format in _fragments(block):
            # Markdown sets a font family on code only.
            if text_format.fontFixedPitch() or text_format.fontFamilies():
                self._selected(position, length).mergeCharFormat(look)

    def _dress_tables(self) -> None:
        tokens = self._theme.tokens
        for frame in self.document().rootFrame().childFrames():
            if not isinstance(frame, QTextTable):
                continue
            shape = frame.format()
            shape.setBorder(1)
            shape.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
            shape.setBorderBrush(QColor(tokens.line))
            shape.setBorderCollapse(True)
            shape.setCellPadding(self._theme.pixels(5))
            shape.setCellSpacing(0)
            shape.setTopMargin(4)
            shape.setBottomMargin(self._theme.pixels(10))
            shape.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
            frame.setFormat(shape)


def _is_code(block: QTextBlock) -> bool:
    return block.blockFormat().hasProperty(QTextFormat.Property.BlockCodeFence) or block.blockFormat().hasProperty(
        QTextFormat.Property.BlockCodeLanguage
    )


def _fragments(block: QTextBlock) -> list[tuple[int, int, QTextCharFormat]]:
    """Return (position, length, format) of each fragment, collected first because edits invalidate the iterator."""
    fragments = []
    iterator = block.begin()
    while not iterator.atEnd():
        fragment = iterator.fragment()
        fragments.append((fragment.position(), fragment.length(), fragment.charFormat()))
        iterator += 1
    return fragments
