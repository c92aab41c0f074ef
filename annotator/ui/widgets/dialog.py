"""The base of all dialogs and a question to confirm: Return presses the primary button, the first field has focus."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QLineEdit,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

_FIELDS = (QAbstractItemView, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit)


class Dialog(QDialog):
    """Closes by Esc, as every dialog of Qt does; a subclass lays out its parts and calls its main button primary."""

    _was_shown = False

    def showEvent(self, event: QShowEvent) -> None:
        """Settle what Return does, where the cursor is, and that it fits the screen, when the dialog is first shown.

        Left alone, Qt would give Return to whichever button comes first, such as one that only chooses a file.
        """
        super().showEvent(event)
        if self._was_shown:
            return
        self._was_shown = True
        self.resize(self.size().boundedTo(self.screen().availableSize()))
        default_button = self.return_button()
        if default_button is not None:
            # One that was called so before it had a dialog is not known to the dialog, and would not tell it now.
            default_button.setDefault(False)
            default_button.setDefault(True)
        first = self._first_field() or default_button
        if first is not None:
            first.setFocus(Qt.FocusReason.ActiveWindowFocusReason)

    def return_button(self) -> QPushButton | None:
        """Return the button that Return presses: the primary one, else the one that agrees, else the one to close."""
        buttons = [item for item in self.findChildren(QPushButton) if item.isVisibleTo(self)]
        primary = [item for item in buttons if item.property("role") == "primary"]
        if primary:
            return primary[-1]
        for box in self.findChildren(QDialogButtonBox):
            for role in (QDialogButtonBox.ButtonRole.AcceptRole, QDialogButtonBox.ButtonRole.RejectRole):
                candidates = [item for item in box.buttons() if box.buttonRole(item) == role]
                if candidates and isinstance(candidates[0], QPushButton):
                    return candidates[0]
        return None

    def make_buttons(
        self, standard: QDialogButtonBox.StandardButton, primary: QPushButton | None = None
    ) -> QDialogButtonBox:
        """Return a row of buttons that agree and reject; ``primary`` agrees in words of its own."""
        button_box = QDialogButtonBox(standard)
        if primary is not None:
            button_box.addButton(primary, QDialogButtonBox.ButtonRole.AcceptRole)
        button_box.accepted.connect(self.accept)
        button_box.rejected.connect(self.reject)
        return button_box

    def open_once(self) -> None:
        """Open; once closed, nothing is left of the dialog."""
        self.finished.connect(self.deleteLater)
        self.open()

    def _first_field(self) -> QWidget | None:
        """Return the first field in the order of Tab.

        Qt moves the focus from one to the next. Asked for the chain of widgets, the binding takes each for the owner of
        the next and the last for that of the dialog: one that nobody else holds is then collected while it is open.
        """
        passed: list[QWidget | None] = []
        while self.focusNextChild():
            widget = self.focusWidget()
            if widget is not None and is_field(widget):
                return widget
            if widget in passed:
                break
            passed.append(widget)
        return None


def is_field(widget: QWidget) -> bool:
    """Say whether a widget is one that somebody types or chooses in now, by keyboard."""
    if not isinstance(widget, _FIELDS) or not widget.isVisible() or not widget.isEnabled():
        return False
    if isinstance(widget, (QLineEdit, QPlainTextEdit)) and widget.isReadOnly():
        return False
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)


def confirm(parent: QWidget, name: str, title: str, text: str, *, proceed: str, stay: str, loses: bool = False) -> bool:
    """Ask, and return whether the answer was to proceed; ``loses`` says that work is lost then.

    ``name`` is the box's object name, ``proceed`` and ``stay`` are what its buttons say.
    """
    box, go = _make_question(parent, name, title, text, proceed, stay, loses=loses)
    box.exec()
    answer = box.clickedButton() is go
    box.deleteLater()
    return answer


def ask(
    parent: QWidget, name: str, title: str, text: str, on_answer: Callable[[bool], object], *, proceed: str, stay: str
) -> None:
    """Ask as `confirm` does, but go on at once; ``on_answer`` gets whether the answer was to proceed."""
    box, go = _make_question(parent, name, title, text, proceed, stay, loses=False)
    box.setWindowModality(Qt.WindowModality.WindowModal)

    def answered(_result: int) -> None:
        box.deleteLater()
        on_answer(box.clickedButton() is go)

    box.finished.connect(answered)
    box.show()


def _make_question(
    parent: QWidget, name: str, title: str, text: str, proceed: str, stay: str, *, loses: bool
) -> tuple[QMessageBox, QPushButton]:
    """Return a box, and its button that proceeds; Return and Esc leave things as they are."""
    # Loaded when it is wanted: a window asks seldom, and never before its first page.
    icon = QMessageBox.Icon.Warning if loses else QMessageBox.Icon.Question
    box = QMessageBox(icon, title, title, parent=parent)
    box.setObjectName(name)
    box.setInformativeText(text)
    # Children of the box from the first: it takes over their place, not their life.
    back, go = QPushButton(stay, box), QPushButton(proceed, box)
    box.addButton(back, QMessageBox.ButtonRole.RejectRole)
    box.addButton(go, QMessageBox.ButtonRole.DestructiveRole if loses else QMessageBox.ButtonRole.AcceptRole)
    box.setDefaultButton(back)
    box.setEscapeButton(back)
    return box, go
