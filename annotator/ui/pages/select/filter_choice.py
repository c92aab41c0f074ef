"""The popup with the filter values of a queue: a search field and a list of check boxes."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QApplication, QFrame, QListView, QWidget

from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr
from annotator.ui.widgets.fields import search_line
from annotator.ui.widgets.labels import label
from annotator.ui.widgets.layouts import make_column

_POPUP_WIDTH, _VISIBLE_ROWS, _ROW_HEIGHT = 320, 12, 30
_CHOICE_ROLE = Qt.ItemDataRole.UserRole
_NAVIGATION_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterValue:
    """A value of a field of `QueueFilter` with its display words and its number of subjects."""

    field: str
    value: str
    title: str
    word: str
    count: str = ""
    is_selected: bool = False

    def fits(self, query: str) -> bool:
        """Return whether the dimension's title or the value contains every word of the query."""
        searched_text = f"{self.title} {self.word}".casefold()
        return all(word in searched_text for word in query.casefold().split())


class FilterChoice(QFrame):
    """Values by dimension; Return or a click toggles one, Escape or a click elsewhere closes the popup."""

    choice_toggled = Signal(object)
    """The `FilterValue` that was toggled."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        """Build the closed popup."""
        super().__init__(parent, Qt.WindowType.Popup)
        self._theme = theme
        self.setObjectName("palette")
        self.setAccessibleName(tr("Filters"))
        self._choices: tuple[FilterValue, ...] = ()
        self.field = search_line(tr("Search the filters"))
        self.model = QStandardItemModel(self)
        self.view = QListView()
        self.view.setAccessibleName(tr("Values to filter by"))
        self.view.setModel(self.model)
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.view.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.view.setFrameShape(QFrame.Shape.NoFrame)
        self.no_match = label(tr("No match. Try fewer letters."), "dim")
        make_column(self, self.field, self.no_match, self.view, spacing=8, margin=8)
        self.field.textChanged.connect(self._search)
        self.field.installEventFilter(self)
        self.view.clicked.connect(self._toggle)

    def open_below(self, corner: QPoint, choices: tuple[FilterValue, ...]) -> None:
        """Open the popup at a corner, within its screen, with these values."""
        self.field.clear()
        self.set_choices(choices)
        self.setFixedWidth(self._theme.pixels(_POPUP_WIDTH))
        self.view.setFixedHeight(self._theme.pixels(_ROW_HEIGHT) * _VISIBLE_ROWS)
        self.adjustSize()
        screen = QApplication.screenAt(corner) or self.screen()
        screen_area = screen.availableGeometry()
        x = max(screen_area.left(), min(corner.x(), screen_area.right() - self.width()))
        y = max(screen_area.top(), min(corner.y(), screen_area.bottom() - self.height()))
        self.move(x, y)
        self.show()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def set_choices(self, choices: tuple[FilterValue, ...]) -> None:
        """Replace the values; the current value stays current."""
        if choices != self._choices:
            marked = self.view.currentIndex().data(_CHOICE_ROLE)
            self._choices = choices
            self._search(self.field.text(), (marked.field, marked.value) if isinstance(marked, FilterValue) else None)

    def visible_choices(self) -> list[FilterValue]:
        """Return the visible values in order."""
        item_choices = (self.model.item(row).data(_CHOICE_ROLE) for row in range(self.model.rowCount()))
        return [choice for choice in item_choices if isinstance(choice, FilterValue)]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Forward navigation keys and Return from the search field to the list."""
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in _NAVIGATION_KEYS:
                QApplication.sendEvent(self.view, event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._toggle()
                return True
        return super().eventFilter(watched, event)

    def _search(self, query: str, marked: tuple[str, str] | None = None) -> None:
        self.model.clear()
        title, current = "", -1
        for choice in self._choices:
            if not choice.fits(query):
                continue
            if choice.title != title:
                title = choice.title
                self.model.appendRow(self._heading(title))
            item = QStandardItem(f"{choice.word}   {choice.count}".rstrip())
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            item.setCheckState(Qt.CheckState.Checked if choice.is_selected else Qt.CheckState.Unchecked)
            item.setData(choice, _CHOICE_ROLE)
            accessible_parts = [choice.title, choice.word, choice.count, tr("chosen") if choice.is_selected else ""]
            item.setAccessibleText(", ".join(part for part in accessible_parts if part))
            self.model.appendRow(item)
            if current < 0 or (choice.field, choice.value) == marked:
                current = self.model.rowCount() - 1
        self.view.setVisible(current >= 0)
        self.no_match.setVisible(current < 0)
        if current >= 0:
            self.view.setCurrentIndex(self.model.index(current, 0))

    def _heading(self, title: str) -> QStandardItem:
        heading = QStandardItem(title)
        heading.setFlags(Qt.ItemFlag.NoItemFlags)
        font = heading.font()
        font.setBold(True)
        heading.setFont(font)
        return heading

    def _toggle(self) -> None:
        choice = self.view.currentIndex().data(_CHOICE_ROLE)
        if isinstance(choice, FilterValue):
            self.choice_toggled.emit(choice)
