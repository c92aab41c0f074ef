"""The find bar of a text: it is placed over the view and goes from match to match."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QShowEvent, QTextCursor, QTextDocument
from PySide6.QtWidgets import QApplication, QFrame, QPlainTextEdit, QWidget

from annotator.ui.app.translation import tr
from annotator.ui.widgets.fields import line_edit
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.layouts import fill_row

_WIDTH, _MARGIN = 380, 8
_MAX_COUNT = 1_000


class FindBar(QFrame):
    """A search field in the corner of a view; Return finds the next match, Shift+Return the previous, Escape closes.

    The search is case-sensitive if the search text has capital letters.
    """

    def __init__(self, view: QPlainTextEdit) -> None:
        super().__init__(view)
        self.setObjectName("palette")
        self._view = view
        self.field = line_edit(tr("Find in this text"), tr("Find"))
        self.match_count = label("", "dim")
        self.previous_button = button("↑", tip=tr("Previous match (Shift+Return)"), clicked=self.find_previous)
        self.previous_button.setAccessibleName(tr("Previous match"))
        self.next_button = button("↓", tip=tr("Next match (Return)"), clicked=self.find_next)
        self.next_button.setAccessibleName(tr("Next match"))
        for arrow in (self.previous_button, self.next_button):
            arrow.setProperty("role", "flat")
        parts = ((self.field, 1), self.match_count, self.previous_button, self.next_button)
        fill_row(self, *parts, spacing=4, margin=(6, 4, 6, 4))
        self.field.textEdited.connect(self._typed)
        self.field.installEventFilter(self)
        view.installEventFilter(self)
        self.hide()

    def open(self) -> None:
        """Show the bar with the selected text, if it is within one line."""
        selected_text = self._view.textCursor().selectedText()
        if selected_text and "\u2029" not in selected_text:
            self.field.setText(selected_text)
        self.show()
        self.raise_()
        self.field.selectAll()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._count()

    def close_bar(self) -> None:
        """Close the bar and return to the text at the selected match."""
        self.hide()
        self._view.setFocus()

    def find_next(self, _checked: bool = False) -> None:
        """Select the next match, wrapping around at the end."""
        self._find(QTextDocument.FindFlag(0))

    def find_previous(self, _checked: bool = False) -> None:
        """Select the previous match, wrapping around at the start."""
        self._find(QTextDocument.FindFlag.FindBackward)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle the keys of the search field, and stay in the corner of the view."""
        if watched is self._view and event.type() == QEvent.Type.Resize:
            self._place()
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Escape:
                self.close_bar()
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                has_shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
                self.find_previous() if has_shift else self.find_next()
                return True
        return super().eventFilter(watched, event)

    def showEvent(self, event: QShowEvent) -> None:
        """Move to the corner of the view."""
        super().showEvent(event)
        self._place()

    def _place(self) -> None:
        area = self._view.contentsRect()
        width = min(_WIDTH, area.width() - 2 * _MARGIN)
        self.setGeometry(area.right() - width - _MARGIN, area.top() + _MARGIN, width, self.sizeHint().height())

    def _typed(self, _text: str) -> None:
        """Search again from the start of the current match, so that it stays selected while the word gets longer."""
        cursor = self._view.textCursor()
        cursor.setPosition(cursor.selectionStart())
        self._view.setTextCursor(cursor)
        self._count()
        self.find_next()

    def _find(self, flags: QTextDocument.FindFlag) -> None:
        text = self.field.text()
        if not text:
            return
        flags |= self._case_flag()
        if not self._view.find(text, flags):
            cursor = self._view.textCursor()
            is_backward = bool(flags & QTextDocument.FindFlag.FindBackward)
            cursor.movePosition(QTextCursor.MoveOperation.End if is_backward else QTextCursor.MoveOperation.Start)
            self._view.setTextCursor(cursor)
            self._view.find(text, flags)

    def _case_flag(self) -> QTextDocument.FindFlag:
        has_capitals = self.field.text() != self.field.text().lower()
        return QTextDocument.FindFlag.FindCaseSensitively if has_capitals else QTextDocument.FindFlag(0)

    def _count(self) -> None:
        """Show the number of matches."""
        query, text = self.field.text(), self._view.toPlainText()
        if self._case_flag() == QTextDocument.FindFlag(0):
            query, text = query.lower(), text.lower()
        count = text.count(query) if query else 0
        count_text = f"{_MAX_COUNT:,}+" if count > _MAX_COUNT else f"{count:,}"
        self.match_count.setText(tr("{count} found", count=count_text) if query else "")


def find_in(view: QPlainTextEdit) -> FindBar:
    """Open the find bar of a text, creating it on first use."""
    existing = view.findChild(FindBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    bar = existing if isinstance(existing, FindBar) else FindBar(view)
    bar.open()
    return bar


def find_on(page: QWidget) -> bool:
    """Open the find bar of the focused text, else of the largest one on a page; return whether there is one."""
    focused = QApplication.focusWidget()
    bar = focused.parentWidget() if focused is not None else None
    if isinstance(bar, FindBar):
        focused = bar.parentWidget()
    if isinstance(focused, QPlainTextEdit):
        find_in(focused)
        return True
    visible_views = [view for view in page.findChildren(QPlainTextEdit) if view.isVisible()]
    if visible_views:
        find_in(max(visible_views, key=_area))
    return bool(visible_views)


def _area(widget: QWidget) -> int:
    return widget.width() * widget.height()
