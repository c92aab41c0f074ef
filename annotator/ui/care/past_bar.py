"""The bar above the pages of a past project, with the way back to the present."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from annotator.ui.app.relative_time import when_text
from annotator.ui.app.session.session import Session
from annotator.ui.app.translation import tr
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.layouts import arrange


class PastBar(QFrame):
    """Visible while the open project is a past one."""

    back_requested = Signal()
    restore_requested = Signal(str)
    """The moment as of which to restore everything."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        """Build the hidden bar; it follows the session."""
        super().__init__(parent)
        self.setObjectName("past-bar")
        self.setAccessibleName(tr("The project at an earlier time"))
        self._session = session
        self.text = label("", wrap=True)
        self.restore = button(tr("Restore everything"), clicked=self._restore)
        self.back = button(tr("Back to the present"), primary=True, clicked=self.back_requested)
        top = Qt.AlignmentFlag.AlignTop
        parts = ((self.text, 1), (self.restore, top), (self.back, top))
        arrange(QHBoxLayout(self), *parts, margins=(12, 8, 12, 8))
        session.opened.connect(self.show_state)
        session.closed.connect(self.show_state)
        self.show_state()

    @property
    def moment(self) -> str:
        """The moment of the past project, empty for the present."""
        store = self._session.store
        return store.moment if store is not None else ""

    def show_state(self) -> None:
        """Show the bar while a past project is open."""
        if self.moment:
            self.text.setText(
                tr(
                    ("◷ You are viewing the project as of {moment}, read-only. The current state is not lost."),
                    moment=when_text(self.moment),
                )
            )
        self.setVisible(bool(self.moment))

    def _restore(self, _checked: bool = False) -> None:
        self.restore_requested.emit(self.moment)
