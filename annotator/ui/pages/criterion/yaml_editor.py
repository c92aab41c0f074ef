"""A YAML editor for criteria that completes and explains keys from the schema."""

from __future__ import annotations

import re

from PySide6.QtCore import QEvent, QStringListModel, Qt
from PySide6.QtGui import QHelpEvent, QKeyEvent, QTextCursor
from PySide6.QtWidgets import QCompleter, QListView, QToolTip

from annotator.criteria.document.cursor_place import cursor_place_at
from annotator.criteria.document.keys import keys_at
from annotator.ui.app.theme.look import Theme
from annotator.ui.widgets.code.code_view import CodeView

_INDENT = 2
_KEY_OF_ITEM = re.compile(r" *(?:- +)+[\w-]+ *:(?: |$)")


class YamlEditor(CodeView):
    """A `CodeView` that offers the valid keys at the cursor, on Ctrl+Space or while a key is typed."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name, read_only=False, language="yaml")
        self._model = QStringListModel(self)
        self._completer = QCompleter(self._model, self)
        self._popup = QListView(self)
        self._completer.setPopup(self._popup)
        self._completer.setWidget(self)
        self._completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        self._completer.activated.connect(self._insert_key)

    def replace_text(self, text: str) -> None:
        """Replace only the differing part, so that cursor, scroll bar and undo history are kept."""
        old = self.toPlainText()
        if text == old:
            return
        start = _common_start(old, text)
        tail = _common_start(old[start:][::-1], text[start:][::-1])
        cursor = QTextCursor(self.document())
        before = old[:start].encode("utf-16-le")
        middle = old[start : len(old) - tail].encode("utf-16-le")
        cursor.setPosition(len(before) // 2)
        cursor.setPosition((len(before) + len(middle)) // 2, QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(text[start : len(text) - tail])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Complete keys, and indent new lines like the one above."""
        keys = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab, Qt.Key.Key_Escape, Qt.Key.Key_Backtab)
        if self._popup.isVisible() and event.key() in keys:
            event.ignore()
            return
        is_completion_key = event.key() == Qt.Key.Key_Space and event.modifiers() == Qt.KeyboardModifier.ControlModifier
        if event.key() in keys[:2] and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            self._new_line()
        elif event.key() == Qt.Key.Key_Tab and not self.textCursor().hasSelection():
            self.insertPlainText(" " * (_INDENT - self.textCursor().positionInBlock() % _INDENT))
        elif not is_completion_key:
            super().keyPressEvent(event)
        if is_completion_key or (event.text().isalpha() and not event.modifiers()):
            self._show_completions(forced=is_completion_key)
        else:
            self._popup.hide()

    def event(self, event: QEvent) -> bool:
        """Explain the key under the pointer."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            text = self._describe_key(event)
            if text:
                QToolTip.showText(event.globalPos(), text, self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)

    def _describe_key(self, event: QHelpEvent) -> str:
        cursor = self.cursorForPosition(self.viewport().mapFromParent(event.pos()))
        problem = self.problem_at(cursor.blockNumber() + 1)
        place = cursor_place_at(self.toPlainText(), cursor.blockNumber(), cursor.positionInBlock())
        key_help = keys_at(place.path).get(place.key, "") if place.is_key else ""
        return "\n".join(part for part in (problem, f"{place.key}: {key_help}" if key_help else "") if part)

    def _new_line(self) -> None:
        line = self.textCursor().block().text()[: self.textCursor().positionInBlock()]
        line_indent = len(line) - len(line.lstrip(" "))
        block_indent = _INDENT if line.rstrip().endswith(":") else 0
        # After `- key: value` comes another key; after `- text`, another item.
        item_indent = _INDENT if _KEY_OF_ITEM.match(line) and not block_indent else 0
        self.insertPlainText("\n" + " " * (line_indent + block_indent + item_indent))

    def _show_completions(self, *, forced: bool) -> None:
        cursor = self.textCursor()
        place = cursor_place_at(self.toPlainText(), cursor.blockNumber(), cursor.positionInBlock())
        keys = sorted(keys_at(place.path)) if place.is_key else []
        if not keys or place.key in keys or (not forced and len(place.key) < 2):
            self._popup.hide()
            return
        self._model.setStringList(keys)
        self._completer.setCompletionPrefix(place.key)
        if self._completer.completionCount() == 0:
            self._popup.hide()
            return
        self._popup.setCurrentIndex(self._completer.completionModel().index(0, 0))
        box = self.cursorRect()
        box.setLeft(box.left() + self.gutter_width())
        box.setWidth(self._popup.sizeHintForColumn(0) + self._popup.verticalScrollBar().sizeHint().width() + 16)
        self._completer.complete(box)

    def _insert_key(self, key: str) -> None:
        cursor = self.textCursor()
        cursor.movePosition(
            QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, len(self._completer.completionPrefix())
        )
        cursor.insertText(f"{key}: ")
        self.setTextCursor(cursor)


def _common_start(one: str, other: str) -> int:
    """Return the length of the common prefix of two texts."""
    differing = (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(differing, min(len(one), len(other)))
