"""What is said when keys go to a queue: after Esc left a field, and when a letter does nothing there."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from annotator.ui.app.session.session import Session
from annotator.ui.app.translation import tr


def say_left(session: Session, queue: QWidget) -> None:
    """Say that keys go to the queue from now on, unless they did before."""
    if not queue.hasFocus():
        session.say(tr("Keys go to the queue now. Return goes back to the item."))


def say_ignored(session: Session, letter: str) -> None:
    """Say that a letter does nothing in the queue, and what does."""
    if letter.strip():
        session.say(tr("{letter} does nothing in the queue. Return goes to the item, / to the search.", letter=letter))
