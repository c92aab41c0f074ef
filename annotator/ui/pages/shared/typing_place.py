"""Status messages for keys that go to a queue: after Esc in a field, and for letters without a function."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from annotator.ui.app.session.session import Session
from annotator.ui.app.translation import tr


def announce_queue_focus(session: Session, queue: QWidget) -> None:
    """Announce that the queue gets the keys now, unless it has the focus already."""
    if not queue.hasFocus():
        session.say(tr("The keyboard now controls the queue. Press Return to go back to the item."))


def announce_ignored_key(session: Session, letter: str) -> None:
    """Announce that a letter does nothing in the queue, and which keys do."""
    if letter.strip():
        session.say(
            tr("{letter} has no effect in the queue. Press Return for the item, / for the search.", letter=letter)
        )
