"""The title row of a subject: title, facts, and buttons with their shortcuts."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from annotator.model.rows.queue_rows import SubjectRow
from annotator.ui.app.action_registry import ActionRegistry
from annotator.ui.app.theme.look import Theme
from annotator.ui.widgets.labels import ElidedLabel, OneClickButton, button, escape_tool_tip
from annotator.ui.widgets.layouts import arrange

_MIN_FACTS_LETTERS = 12
_GAP, _CRAMPED_GAP = 8, 6
"""Pixels between the parts of the header."""


class SubjectHeader(QWidget):
    """Title and facts on the left, the buttons of the page's acts on the right."""

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
        """``acts`` are (action id, word, primary) of each button.

        ``keyless`` buttons show no shortcut; ``spare`` ones are hidden in a cramped window, which keeps the menu entry.
        """
        super().__init__(parent)
        self._theme, self._actions, self._keyless, self._spare = theme, actions, keyless, spare
        # The title has priority; the facts get the remaining width.
        self.title, self.facts = ElidedLabel("title", QSizePolicy.Policy.Maximum), ElidedLabel("dim")
        self.buttons: dict[str, QPushButton] = {}
        self.facts.set_least(_MIN_FACTS_LETTERS)
        for action_id, word, primary in acts:
            act = actions.action(action_id).trigger
            act_button = button(word, actions.keys(action_id), primary=primary, clicked=act, kind=OneClickButton)
            self.buttons[action_id] = act_button
        self._row = QHBoxLayout(self)
        arrange(self._row, self.title, (self.facts, 1), *self.buttons.values())
        theme.changed.connect(self.fit)
        self.fit()

    def fit(self) -> None:
        """Hide spare buttons and keys in a cramped window, so that the main button stays in view."""
        cramped = self._theme.is_cramped
        self._row.setSpacing(_CRAMPED_GAP if cramped else _GAP)
        for action_id, act_button in self.buttons.items():
            key = "" if cramped or action_id in self._keyless else self._actions.keys(action_id)
            act_button.setText(f"{act_button.accessibleName()}  {key}".rstrip())
            act_button.setHidden(cramped and action_id in self._spare)

    def minimumSizeHint(self) -> QSize:
        """Ask only for the room that a cramped window needs, so that any window can become one in one step."""
        hint, extra_width = super().minimumSizeHint(), 0
        for action_id, act_button in self.buttons.items():
            if not act_button.isHidden() and action_id in self._spare:
                extra_width += act_button.minimumSizeHint().width() + self._row.spacing()
            elif not act_button.isHidden():
                metrics, word = act_button.fontMetrics(), act_button.accessibleName()
                extra_width += metrics.horizontalAdvance(act_button.text()) - metrics.horizontalAdvance(word)
        return QSize(hint.width() - extra_width, hint.height())

    def set_word(self, action_id: str, word: str) -> None:
        """Change the word on an act's button."""
        if self.buttons[action_id].accessibleName() != word:
            self.buttons[action_id].setAccessibleName(word)
            self.fit()

    def show_subject(self, row: SubjectRow | None, *, writable: bool = True) -> None:
        """Show a subject's title and facts, or nothing; the buttons are enabled for a writable subject."""
        self.title.set_full(row.title if row else "")
        parts = (row.key.partition(":")[2], row.language, row.domain) if row else ()
        self.facts.set_full(" · ".join(part for part in parts if part))
        # Elided texts can be read in full in the tool tip.
        self.title.setToolTip(escape_tool_tip("\n".join(filter(None, (self.title.full, self.facts.full)))))
        for act_button in self.buttons.values():
            act_button.setEnabled(row is not None and writable)
