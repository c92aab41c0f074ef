"""A question before something that cannot be taken back at once: staying is what Return and Esc do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget


def agreed(parent: QWidget, name: str, title: str, text: str, *, proceed: str, stay: str, loses: bool = False) -> bool:
    """Ask, and return whether the answer was to proceed; ``loses`` says that work is lost then.

    ``name`` is the box's object name, ``proceed`` and ``stay`` are what its buttons say.
    """
    # Loaded when it is wanted: a window asks seldom, and never before its first page.
    from PySide6.QtWidgets import QMessageBox, QPushButton

    icon = QMessageBox.Icon.Warning if loses else QMessageBox.Icon.Question
    box = QMessageBox(icon, title, title, parent=parent)
    box.setObjectName(name)
    box.setInformativeText(text)
    back = QPushButton(stay)
    box.addButton(back, QMessageBox.ButtonRole.RejectRole)
    go = box.addButton(proceed, QMessageBox.ButtonRole.DestructiveRole if loses else QMessageBox.ButtonRole.AcceptRole)
    box.setDefaultButton(back)
    box.setEscapeButton(back)
    box.exec()
    answer = box.clickedButton() is go
    box.deleteLater()
    return answer
