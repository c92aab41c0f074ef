"""Two texts side by side, such as original and paraphrase, with removed and added words highlighted."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QAbstractScrollArea, QPlainTextEdit, QSplitter, QTextEdit, QWidget

from annotator.text.code_or_prose import looks_like_code
from annotator.text.diff import DiffPart, word_diff
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr, tr_count
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.code.highlighting import FenceFonts, HiddenMarks, Utf16Positions
from annotator.ui.widgets.fields import TextBox, debounce
from annotator.ui.widgets.layouts import fill_splitter

_DIFF_MS = 80
_MAX_COMPARED_CHARS = 20_000


class DiffPanes(QSplitter):
    """Two cards: the read-only original and the editable paraphrase; highlighting keeps the editor's undo stack."""

    edited = Signal()
    """The user has edited the paraphrase."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        """Create two empty texts; pass a parent if the cards are laid out elsewhere, to keep this object alive."""
        super().__init__(Qt.Orientation.Horizontal, parent)
        if parent is not None:
            self.hide()
        self._theme = theme
        self.original, self.editor = TextBox(), TextBox()
        self.original.setReadOnly(True)
        self.original.setAccessibleName(tr("Original prompt"))
        self.editor.setAccessibleName(tr("Paraphrase"))
        self.editor.setPlaceholderText(tr("Write the prompt for models. Keep names, numbers and constraints."))
        self.editor.setTabChangesFocus(True)
        self.left_card = Card(tr("Original"), self.original)
        self.right_card = Card(tr("Paraphrase"), self.editor)
        fill_splitter(self, self.left_card, self.right_card, sizes=(500, 500))
        for view in (self.original, self.editor):
            FenceFonts(theme, view)
        self.hidden = tuple(HiddenMarks(theme, view) for view in (self.original, self.editor))
        self._is_setting_texts = False
        self._timer = debounce(self, _DIFF_MS, self._compare)
        self.editor.textChanged.connect(self._typed)
        theme.changed.connect(self._compare)

    def set_texts(self, original: str, paraphrase: str) -> None:
        """Show another subject's texts without emitting `edited`."""
        self._is_setting_texts = True
        self.original.setPlainText(original)
        self.editor.setPlainText(paraphrase)
        self._is_setting_texts = False
        self._compare()

    def paraphrase(self) -> str:
        """Return the edited text."""
        return self.editor.toPlainText()

    def _typed(self) -> None:
        if not self._is_setting_texts:
            self._timer.start()
            self.edited.emit()

    def _compare(self) -> None:
        old, new = self.original.toPlainText(), self.editor.toPlainText()
        self._set_font_and_wrap(self.original, looks_like_code(old))
        self._set_font_and_wrap(self.editor, looks_like_code(new))
        self.left_card.set_trailing(tr_count("{count} word", "{count} words", len(old.split())))
        self.right_card.set_trailing(tr_count("{count} word", "{count} words", len(new.split())))
        if not new.strip() or len(old) > _MAX_COMPARED_CHARS or len(new) > _MAX_COMPARED_CHARS:
            self.original.setExtraSelections([])
            self.editor.setExtraSelections([])
            return
        parts = word_diff(old, new)
        self.original.setExtraSelections(self._marks(self.original, parts, "removed"))
        self.editor.setExtraSelections(self._marks(self.editor, parts, "added"))

    def _set_font_and_wrap(self, view: QPlainTextEdit, is_code: bool) -> None:
        """Show code unwrapped in the code font, and prose wrapped in the text font."""
        mode = QPlainTextEdit.LineWrapMode
        view.setLineWrapMode(mode.NoWrap if is_code else mode.WidgetWidth)
        font = self._theme.code_font() if is_code else self.font()
        if view.font() != font:
            view.setFont(font)

    def _marks(self, view: QPlainTextEdit, parts: tuple[DiffPart, ...], kind: str) -> list[QTextEdit.ExtraSelection]:
        tokens = self._theme.tokens
        style = QTextCharFormat()
        is_removed = kind == "removed"
        style.setForeground(QColor(tokens.bad if is_removed else tokens.good))
        style.setBackground(QColor(tokens.bad_ground if is_removed else tokens.good_ground))
        style.setFontStrikeOut(is_removed)
        positions = Utf16Positions(view.toPlainText())
        marks = []
        for part in parts:
            if part.kind == kind:
                start = part.a_start if is_removed else part.b_start
                cursor = QTextCursor(view.document())
                cursor.setPosition(positions.units(start))
                cursor.setPosition(positions.units(start + len(part.text)), QTextCursor.MoveMode.KeepAnchor)
                mark = QTextEdit.ExtraSelection()
                mark.cursor, mark.format = cursor, style
                marks.append(mark)
        return marks


def scroll_together(first: QAbstractScrollArea, second: QAbstractScrollArea) -> None:
    """Synchronise the scrolling of two views in both directions."""
    for first_bar, second_bar in (
        (first.verticalScrollBar(), second.verticalScrollBar()),
        (first.horizontalScrollBar(), second.horizontalScrollBar()),
    ):
        first_bar.valueChanged.connect(second_bar.setValue)
        second_bar.valueChanged.connect(first_bar.setValue)
