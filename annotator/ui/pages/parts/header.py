"""The title row of a subject: what it is, and the acts with their keys."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from annotator.model.rows import SubjectRow
from annotator.ui.action_registry import ActionRegistry
from annotator.ui.widgets.labels import button


class ElidedLabel(QLabel):
    """A label that ends in an ellipsis where there is no room."""

    def __init__(self, role: str) -> None:
        """Start empty."""
        super().__init__()
        self._full = ""
        self.setProperty("role", role)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setMinimumWidth(40)

    def set_full(self, text: str) -> None:
        """Show a text, as much of it as fits."""
        self._full = text
        self.setToolTip(text)
        self.setAccessibleName(text)
        self.updateGeometry()
        self._fit()

    def sizeHint(self) -> QSize:
        """Ask for room for the whole text, however much of it is shown now."""
        hint = super().sizeHint()
        return QSize(self.fontMetrics().horizontalAdvance(self._full) + 4, hint.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the text again."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.setText(self.fontMetrics().elidedText(self._full, Qt.TextElideMode.ElideRight, max(10, self.width())))


class SubjectHeader(QWidget):
    """Title and facts on the left, buttons for acts on the right."""

    def __init__(self, actions: ActionRegistry, acts: tuple[tuple[str, str, bool], ...]) -> None:
        """Take the acts as (action id, word, primary)."""
        super().__init__()
        self.title, self.facts = ElidedLabel("title"), ElidedLabel("dim")
        self.buttons: dict[str, QPushButton] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        # The title comes first: facts have the room it leaves.
        self.title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        row.addWidget(self.title)
        row.addWidget(self.facts, 1)
        for action_id, word, primary in acts:
            made = button(word, actions.keys(action_id), primary=primary)
            made.clicked.connect(actions.action(action_id).trigger)
            self.buttons[action_id] = made
            row.addWidget(made)

    def show_subject(self, row: SubjectRow | None) -> None:
        """Show a subject's title and facts, or nothing; without one there is nothing to act on."""
        self.title.set_full(row.title if row else "")
        parts = (row.key.partition(":")[2], row.language, row.domain) if row else ()
        self.facts.set_full(" · ".join(part for part in parts if part))
        for made in self.buttons.values():
            made.setEnabled(row is not None)
