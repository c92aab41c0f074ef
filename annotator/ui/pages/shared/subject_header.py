"""The title row of a subject: what it is, and the acts with their keys."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from annotator.model.rows.queue import SubjectRow
from annotator.ui.app.action_registry import ActionRegistry
from annotator.ui.app.theme.look import Theme
from annotator.ui.widgets.labels import ElidedLabel, OneClickButton, button
from annotator.ui.widgets.layouts import arrange

_LEAST_FACTS = 12


class SubjectHeader(QWidget):
    """Title and facts on the left, buttons for acts on the right."""

    def __init__(
        self,
        theme: Theme,
        actions: ActionRegistry,
        acts: tuple[tuple[str, str, bool], ...],
        parent: QWidget | None = None,
        *,
        keyless: Collection[str] = (),
        spare: Collection[str] = (),
    ) -> None:
        """Take the acts as (action id, word, primary).

        ``keyless`` acts show no key; ``spare`` ones are left to the menu in a cramped window.
        """
        super().__init__(parent)
        self._theme, self._actions, self._keyless, self._spare = theme, actions, keyless, spare
        self.title, self.facts = ElidedLabel("title"), ElidedLabel("dim")
        self.buttons: dict[str, QPushButton] = {}
        # The title comes first: facts have the room it leaves.
        self.title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.facts.set_least(_LEAST_FACTS)
        self.facts.setMinimumWidth(0)
        for action_id, word, primary in acts:
            act = actions.action(action_id).trigger
            made = button(word, actions.keys(action_id), primary=primary, clicked=act, kind=OneClickButton)
            self.buttons[action_id] = made
        arrange(QHBoxLayout(self), self.title, (self.facts, 1), *self.buttons.values())
        theme.changed.connect(self.fit)
        self.fit()

    def fit(self) -> None:
        """Leave to the menu what has no room, so that the main button is in view."""
        cramped = self._theme.is_cramped
        for action_id, made in self.buttons.items():
            key = "" if cramped or action_id in self._keyless else self._actions.keys(action_id)
            made.setText(f"{made.accessibleName()}  {key}".rstrip())
            made.setHidden(cramped and action_id in self._spare)

    def set_word(self, action_id: str, word: str) -> None:
        """Show another word on an act."""
        if self.buttons[action_id].accessibleName() != word:
            self.buttons[action_id].setAccessibleName(word)
            self.fit()

    def show_subject(self, row: SubjectRow | None, *, writable: bool = True) -> None:
        """Show a subject's title and facts, or nothing; acts are offered on one that can be changed."""
        self.title.set_full(row.title if row else "")
        parts = (row.key.partition(":")[2], row.language, row.domain) if row else ()
        self.facts.set_full(" · ".join(part for part in parts if part))
        # Where they have no room, they are found here.
        self.title.setToolTip("\n".join(text for text in (self.title.full, self.facts.full) if text))
        for made in self.buttons.values():
            made.setEnabled(row is not None and writable)
