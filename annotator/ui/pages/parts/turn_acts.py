"""Saying whose turn the selected candidates are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from annotator.ui.session import Session
from annotator.ui.words import tr, tr_known, tr_later

if TYPE_CHECKING:
    from annotator.model.rows import AnnotatorRow, Changes

NOBODY = tr_later("Nobody")
EVERYBODY = tr_later("Everybody in turn")


class TurnActs(QObject):
    """Asks who gets the selected candidates and gives them."""

    def __init__(self, parent: QWidget, session: Session, selected: Callable[[], list[int]]) -> None:
        """Take the page, its session, and what returns the rows of the selected candidates."""
        super().__init__(parent)
        self._page = parent
        self._session = session
        self._selected = selected

    def ask(self) -> None:
        """Ask for a person; those there are must be read first."""
        store = self._session.store
        if store is not None and self._selected():
            self._session.run("read", partial(_people, store), self._choose, latest="select-people")

    def _choose(self, people: Sequence[AnnotatorRow]) -> None:
        store, rows = self._session.store, self._selected()
        names = [person.name for person in people]
        nobody, everybody = tr_known(NOBODY), tr_known(EVERYBODY)
        choices = [*names, *([everybody] if min(len(names), len(rows)) > 1 else []), nobody]
        what = tr("this candidate") if len(rows) == 1 else tr("{count} candidates", count=f"{len(rows):,}")
        from PySide6.QtWidgets import QInputDialog

        chosen, agreed = QInputDialog.getItem(
            self._page, tr("Give {what}", what=what), tr("Whose turn"), choices, 0, False
        )
        if not agreed or store is None or not rows:
            return
        dealt: dict[str, Sequence[int]] = {chosen: rows}
        if chosen == nobody:
            dealt = {"": rows}
        elif chosen == everybody:
            dealt = {name: rows[place :: len(names)] for place, name in enumerate(names)}
        self._session.act(partial(_give, store, dealt))


# The store's type would load SQLModel before the first paint, so these take it as an object.


def _people(store: Any) -> tuple[AnnotatorRow, ...]:
    from annotator.services import projects

    return projects.annotators(store)


def _give(store: Any, rows: dict[str, Sequence[int]]) -> Changes:
    from annotator.services import queues

    return queues.give(store, rows)
