"""The code font for fenced code in prose."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QTextBlock, QTextCharFormat, QTextLayout
from PySide6.QtWidgets import QPlainTextEdit

from annotator.text.code_or_prose import fenced_lines
from annotator.ui.app.theme.look import Theme


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
        style = code_face(self._theme)
        block = document.begin()
        while block.isValid():
            formats = [_whole_line(block, style)] if block.blockNumber() in fenced else []
            if formats or block.layout().formats():
                block.layout().setFormats(formats)
                document.markContentsDirty(block.position(), block.length())
            block = block.next()


def _whole_line(block: QTextBlock, style: QTextCharFormat) -> QTextLayout.FormatRange:
    piece = QTextLayout.FormatRange()
    piece.start, piece.length, piece.format = 0, block.length(), style
    return piece


def code_face(theme: Theme) -> QTextCharFormat:
    """Return the format of code within prose: the code font's family in the size of the surrounding text."""
    style, font = QTextCharFormat(), theme.code_font()
    style.setFontFamilies(font.families())
    style.setFontFixedPitch(True)
    return style
