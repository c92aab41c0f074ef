"""The base class of all dialogs, and questions to confirm.

Return presses the primary button, and the first field has the focus.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from annotator.ui.widgets.layouts import Part, fill_column

_FIELDS = (QAbstractItemView, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit)


class Dialog(QDialog):
    """The base of dialogs; a subclass lays out its widgets and gives its main button the role "primary"."""

    def __init__(
        self, parent: QWidget | None, title: str, *, name: str = "", size: tuple[int, int] | None = None
    ) -> None:
        """Create a dialog with a title; ``name`` is its object name, ``size`` its initial size in pixels."""
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setObjectName(name)
        if size is not None:
            self.resize(*size)
        self._was_shown = False

    def showEvent(self, event: QShowEvent) -> None:
        """Set the default button and the focus, and fit the dialog to the screen, when it is first shown.

        By default Qt gives Return to the first button, such as one that only chooses a file.
        """
        super().showEvent(event)
        if self._was_shown:
            return
        self._was_shown = True
        self.resize(self.size().boundedTo(self.screen().availableSize()))
        default_button = self.return_button()
        if default_button is not None:
            # A button made the default before it had a parent is unknown to the dialog, so set it again.
            default_button.setDefault(False)
            default_button.setDefault(True)
        first_widget = self._first_field() or default_button
        if first_widget is not None:
            first_widget.setFocus(Qt.FocusReason.ActiveWindowFocusReason)

    def return_button(self) -> QPushButton | None:
        """Return the button that the Return key presses: the primary, else the rejecting one."""
        visible_buttons = [button for button in self.findChildren(QPushButton) if button.isVisibleTo(self)]
        primary_buttons = [button for button in visible_buttons if button.property("role") == "primary"]
        if primary_buttons:
            return primary_buttons[-1]
        for box in self.findChildren(QDialogButtonBox):
            for button in box.buttons():
                if box.buttonRole(button) == QDialogButtonBox.ButtonRole.RejectRole and isinstance(button, QPushButton):
                    return button
        return None

    def lay_out(self, *parts: Part) -> None:
        """Lay out parts, as in `fill_layout`, in a column with the spacing of all dialogs."""
        fill_column(self, *parts, spacing=12, margin=16)

    def make_buttons(
        self, standard: QDialogButtonBox.StandardButton, primary: QPushButton | None = None
    ) -> QDialogButtonBox:
        """Return a box of accepting and rejecting buttons; ``primary`` is an accepting button with its own text."""
        button_box = QDialogButtonBox(standard)
        # The stylesheet, which removes icons from button boxes, does not apply to buttons created without a window.
        for standard_button in button_box.buttons():
            standard_button.setIcon(QIcon())
            if button_box.buttonRole(standard_button) == QDialogButtonBox.ButtonRole.AcceptRole:
                standard_button.setProperty("role", "primary")
        if primary is not None:
            button_box.addButton(primary, QDialogButtonBox.ButtonRole.AcceptRole)
        button_box.accepted.connect(self.accept)
        button_box.rejected.connect(self.reject)
        return button_box

    def open_once(self) -> None:
        """Open the dialog, and delete it once it is closed."""
        self.finished.connect(self.deleteLater)
        self.open()

    def _first_field(self) -> QWidget | None:
        """Return the first field in tab order.

        Qt moves the focus here, because PySide's ``nextInFocusChain`` makes each widget the owner of the next, and the
        last one that of the dialog: a dialog without other references would then be collected while it is open.
        """
        visited_widgets: list[QWidget | None] = []
        while self.focusNextChild():
            widget = self.focusWidget()
            if widget is not None and is_field(widget):
                return widget
            if widget in visited_widgets:
                break
            visited_widgets.append(widget)
        return None


def is_field(widget: QWidget) -> bool:
    """Return whether a widget is an enabled, visible field for keyboard input."""
    if not isinstance(widget, _FIELDS) or not widget.isVisible() or not widget.isEnabled():
        return False
    if isinstance(widget, (QLineEdit, QPlainTextEdit)) and widget.isReadOnly():
        return False
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)


def confirm(
    parent: QWidget, name: str, title: str, text: str, *, proceed: str, stay: str, loses_work: bool = False
) -> bool:
    """Ask a question and return whether to proceed; ``loses_work`` warns that proceeding loses work.

    ``name`` is the box's object name; ``proceed`` and ``stay`` are the texts of its buttons.
    """
    box, proceed_button = _make_question(parent, name, title, text, proceed, stay, loses_work=loses_work)
    box.exec()
    has_agreed = box.clickedButton() is proceed_button
    box.deleteLater()
    return has_agreed


def ask_question(
    parent: QWidget, name: str, title: str, text: str, on_answer: Callable[[bool], object], *, proceed: str, stay: str
) -> None:
    """Ask a question without blocking; ``on_answer`` is called with whether to proceed. See `confirm`."""
    box, proceed_button = _make_question(parent, name, title, text, proceed, stay, loses_work=False)
    box.setWindowModality(Qt.WindowModality.WindowModal)

    def answered(_result: int) -> None:
        box.deleteLater()
        on_answer(box.clickedButton() is proceed_button)

    box.finished.connect(answered)
    box.show()


def show_message(parent: QWidget, title: str, text: str) -> None:
    """Show a message until it is closed. The text may name files, so it is never read as HTML."""
    box = QMessageBox(QMessageBox.Icon.Information, title, text, parent=parent)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.exec()
    box.deleteLater()


def _make_question(
    parent: QWidget, name: str, title: str, text: str, proceed: str, stay: str, *, loses_work: bool
) -> tuple[QMessageBox, QPushButton]:
    """Return a question box and its proceed button; Return and Esc press the other button."""
    icon = QMessageBox.Icon.Warning if loses_work else QMessageBox.Icon.Question
    box = QMessageBox(icon, title, title, parent=parent)
    box.setObjectName(name)
    box.setInformativeText(text)
    # File names and typed texts are not HTML. The box's own `setTextFormat` does not affect the informative text.
    for text_label in box.findChildren(QLabel):
        text_label.setTextFormat(Qt.TextFormat.PlainText)
    # Created as children of the box, because addButton does not take ownership.
    stay_button, proceed_button = QPushButton(stay, box), QPushButton(proceed, box)
    box.addButton(stay_button, QMessageBox.ButtonRole.RejectRole)
    box.addButton(
        proceed_button, QMessageBox.ButtonRole.DestructiveRole if loses_work else QMessageBox.ButtonRole.AcceptRole
    )
    box.setDefaultButton(stay_button)
    box.setEscapeButton(stay_button)
    return box, proceed_button
