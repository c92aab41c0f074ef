"""Labels and buttons in the roles the stylesheet knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton

from annotator.ui.words import tr

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtWidgets import QDoubleSpinBox, QLineEdit, QSpinBox

_INSET = 9


def label(text: str = "", role: str = "", *, wrap: bool = False) -> QLabel:
    """Return a label; roles are dim, section, title, heading and problem."""
    made = QLabel(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    if role:
        made.setProperty("role", role)
    made.setWordWrap(wrap)
    return made


def button(text: str, key: str = "", *, primary: bool = False) -> QPushButton:
    """Return a button that shows its key beside its word."""
    made = QPushButton(f"{text}  {key}" if key else text)
    made.setAccessibleName(text)
    made.setProperty("key", key)
    if primary:
        made.setProperty("role", "primary")
    made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return made


def clearable(line: QLineEdit) -> None:
    """Let a line be emptied by a button in it; Qt gives that button no name."""
    from PySide6.QtWidgets import QToolButton

    line.setClearButtonEnabled(True)
    for made in line.findChildren(QToolButton):
        made.setAccessibleName(tr("Clear the text"))


def number_box() -> QSpinBox:
    """Return a field for a whole number."""
    from PySide6.QtWidgets import QSpinBox

    box = QSpinBox()
    _inset(box.lineEdit())
    return box


def real_box() -> QDoubleSpinBox:
    """Return a field for a number with decimals."""
    from PySide6.QtWidgets import QDoubleSpinBox

    box = QDoubleSpinBox()
    _inset(box.lineEdit())
    return box


def _inset(field: QLineEdit) -> None:
    """Keep a number off the frame: style sheets do not pad the field inside, and hide it where there are no arrows."""
    field.setTextMargins(_INSET, 0, _INSET, 0)


def as_tip(text: str) -> str:
    """Return a text as a tool tip that shows it letter by letter: Qt would take some texts for mark-up."""
    if "<" not in text:
        return text
    from html import escape

    return f"<span>{escape(text)}</span>"


def shortened(text: str, longest: int = 48) -> str:
    """Return a text that fits where it stands: its middle is left out if it is longer."""
    plain = " ".join(text.split())
    half = (longest - 1) // 2
    return plain if len(plain) <= longest else f"{plain[:half]}…{plain[-half:]}"


def begun(text: str, longest: int = 48) -> str:
    """Return how a text begins, with an ellipsis where it is longer: for titles, which say most at their start."""
    plain = " ".join(text.split())
    return plain if len(plain) <= longest else f"{plain[: longest - 1].rstrip(' .…')}…"


def listed(parts: Iterable[str]) -> str:
    """Return parts one after the other, with what stands between them in the user's language."""
    return tr(", ", "between the parts of a list").join(parts)
