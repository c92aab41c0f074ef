"""The popup that offers the values a queue can be filtered by: a search field and a list to tick."""

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

_WIDTH, _ROWS_SHOWN, _ROW = 320, 12, 30
_CHOICE = Qt.ItemDataRole.UserRole
_MOVES = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A value of a field of `QueueFilter`, in the words shown, with how many subjects have it."""

    field: str
    value: str
    title: str
    word: str
    count: str = ""
    chosen: bool = False

    def fits(self, typed: str) -> bool:
        """Say whether every word typed stands in the name of the dimension or in the value."""
        said = f"{self.title} {self.word}".casefold()
        return all(word in said for word in typed.casefold().split())


class FilterChoice(QFrame):
    """Values by dimension; Return or a click ticks one, Escape or a click elsewhere closes the popup."""

    chosen = Signal(object)
    """The `Choice` that was ticked, or whose tick was taken away."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        """Make the closed popup."""
        super().__init__(parent, Qt.WindowType.Popup)
        self._theme = theme
        self.setObjectName("palette")
        self.setAccessibleName(tr("Filters"))
        self._choices: tuple[Choice, ...] = ()
        self.field = search_line(tr("Search the filters"))
        self.model = QStandardItemModel(self)
        self.view = QListView()
        self.view.setAccessibleName(tr("Values to filter by"))
        self.view.setModel(self.model)
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.view.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.view.setFrameShape(QFrame.Shape.NoFrame)
        self.nothing = label(tr("Nothing fits. Try fewer letters."), "dim")
        make_column(self, self.field, self.nothing, self.view, spacing=8, margin=8)
        self.field.textChanged.connect(self._search)
        self.field.installEventFilter(self)
        self.view.clicked.connect(self._toggle)

    def open_below(self, corner: QPoint, choices: tuple[Choice, ...]) -> None:
        """Open at a corner, on its screen, with these values to choose from."""
        self.field.clear()
        self.set_choices(choices)
        self.setFixedWidth(self._theme.pixels(_WIDTH))
        self.view.setFixedHeight(self._theme.pixels(_ROW) * _ROWS_SHOWN)
        self.adjustSize()
        screen = QApplication.screenAt(corner) or self.screen()
        room = screen.availableGeometry()
        left = max(room.left(), min(corner.x(), room.right() - self.width()))
        top = max(room.top(), min(corner.y(), room.bottom() - self.height()))
        self.move(left, top)
        self.show()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def set_choices(self, choices: tuple[Choice, ...]) -> None:
        """Show other values; the mark stays on the value it is on."""
        if choices != self._choices:
            marked = self.view.currentIndex().data(_CHOICE)
            self._choices = choices
            self._search(self.field.text(), (marked.field, marked.value) if isinstance(marked, Choice) else None)

    def shown(self) -> list[Choice]:
        """Return the values shown, in their order."""
        found = (self.model.item(row).data(_CHOICE) for row in range(self.model.rowCount()))
        return [choice for choice in found if isinstance(choice, Choice)]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the keys that move and Return in the search field drive the list."""
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in _MOVES:
                QApplication.sendEvent(self.view, event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._toggle()
                return True
        return super().eventFilter(watched, event)

    def _search(self, typed: str, marked: tuple[str, str] | None = None) -> None:
        self.model.clear()
        title, current = "", -1
        for choice in self._choices:
            if not choice.fits(typed):
                continue
            if choice.title != title:
                title = choice.title
                self.model.appendRow(self._heading(title))
            item = QStandardItem(f"{choice.word}   {choice.count}".rstrip())
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            item.setCheckState(Qt.CheckState.Checked if choice.chosen else Qt.CheckState.Unchecked)
            item.setData(choice, _CHOICE)
            said = [choice.title, choice.word, choice.count, tr("chosen") if choice.chosen else ""]
            item.setAccessibleText(", ".join(part for part in said if part))
            self.model.appendRow(item)
            if current < 0 or (choice.field, choice.value) == marked:
                current = self.model.rowCount() - 1
        self.view.setVisible(current >= 0)
        self.nothing.setVisible(current < 0)
        if current >= 0:
            self.view.setCurrentIndex(self.model.index(current, 0))

    def _heading(self, title: str) -> QStandardItem:
        made = QStandardItem(title)
        made.setFlags(Qt.ItemFlag.NoItemFlags)
        font = made.font()
        font.setBold(True)
        made.setFont(font)
        return made

    def _toggle(self) -> None:
        choice = self.view.currentIndex().data(_CHOICE)
        if isinstance(choice, Choice):
            self.chosen.emit(choice)
