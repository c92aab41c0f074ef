"""The font of code for what stands between ``` in a text of prose."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QTextBlock, QTextCharFormat, QTextLayout
from PySide6.QtWidgets import QPlainTextEdit

from annotator.text.code_or_prose import fenced_lines
from annotator.ui.app.theme.look import Theme


class FenceFonts(QObject):
    """Shows fenced blocks of a field in the font of code.

    The formats are kept in the layout of each line: a QSyntaxHighlighter would say that the text was edited.
    """

    def __init__(self, theme: Theme, view: QPlainTextEdit) -> None:
        """Serve a field as long as it lives."""
        super().__init__(view)
        self._theme = theme
        self._view = view
        view.textChanged.connect(self.show_fonts)
        theme.changed.connect(self.show_fonts)
        self.show_fonts()

    def show_fonts(self) -> None:
        """Set the font of the lines that are in a fence, or are one, and take it from others."""
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
    """Return the format of code within prose: the family of code, in the size of the text around it."""
    style, font = QTextCharFormat(), theme.code_font()
    style.setFontFamilies(font.families())
    style.setFontFixedPitch(True)
    return style
