"""The steps of one item, from accepted to reviewed, each with the reason why it is open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from annotator.ui.app.translation import mark_for_translation, tr, translate_word
from annotator.ui.widgets.labels import ElidedLabel, button, escape_tool_tip
from annotator.ui.widgets.layouts import arrange

_MIN_REASON_LETTERS = 8
_OPEN = "▾"


class DeskStep(IntEnum):
    """The steps of an item, in order."""

    ACCEPTED = 0
    PARAPHRASED = 1
    CRITERION = 2
    PROVEN = 3
    REVIEWED = 4


_WORDS = {
    DeskStep.ACCEPTED: mark_for_translation("Accepted"),
    DeskStep.PARAPHRASED: mark_for_translation("Paraphrase"),
    DeskStep.CRITERION: mark_for_translation("Criterion"),
    DeskStep.PROVEN: mark_for_translation("Proof"),
    DeskStep.REVIEWED: mark_for_translation("Review"),
}


@dataclass(frozen=True, slots=True)
class StepState:
    """Whether a step is done, with a short note why not or how."""

    done: bool
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepPanel:
    """The panel of a step, and the buttons in its row while it is open."""

    panel: QWidget
    acts: Sequence[QWidget] = ()


class StepStack(QWidget):
    """A column of steps, a row each; the panel of the open step fills the remaining height.

    The row of the step Accepted is shown only for an item that is not accepted.
    """

    step_chosen = Signal(object)
    """The `DeskStep` to go to."""

    def __init__(self, panels: Mapping[DeskStep, StepPanel]) -> None:
        """Open the first step with a panel."""
        super().__init__()
        self.setAccessibleName(tr("Steps of this item"))
        self._panels = panels
        self._states = dict.fromkeys(DeskStep, StepState(False))
        self.buttons = {step: button(translate_word(word)) for step, word in _WORDS.items()}
        self.reasons = {step: ElidedLabel("dim") for step in _WORDS}
        column = arrange(QVBoxLayout(self), spacing=4)
        for step, step_button in self.buttons.items():
            step_button.setProperty("role", "flat")
            step_button.clicked.connect(partial(self._choose, step))
            self.reasons[step].set_least(_MIN_REASON_LETTERS)
            acts = panels[step].acts if step in panels else ()
            column.addLayout(arrange(QHBoxLayout(), step_button, (self.reasons[step], 100), 1, *acts, spacing=4))
            if step in panels:
                column.addWidget(panels[step].panel, 1)
        self.open = next(iter(panels), DeskStep.ACCEPTED)
        """The step whose panel is shown."""
        self.show_step(self.open)

    def show_step(self, step: DeskStep) -> None:
        """Open a step that has a panel, and close the one that was open."""
        if step in self._panels:
            self.open = step
        for other, step_panel in self._panels.items():
            for widget in (step_panel.panel, *step_panel.acts):
                widget.setVisible(other == self.open)
        self.show_states(self._states)

    def show_states(self, states: dict[DeskStep, StepState]) -> None:
        """Show the state of each step."""
        self._states = states
        for step, state in states.items():
            step_button, word = self.buttons[step], translate_word(_WORDS[step])
            signs = (_OPEN if step in self._panels and step == self.open else "", "✓" if state.done else "○", word)
            step_button.setText(" ".join(filter(None, signs)))
            accessible_name = tr("{step}: done", step=word) if state.done else tr("{step}: open", step=word)
            step_button.setAccessibleName(accessible_name)
            step_button.setToolTip(escape_tool_tip(state.note))
            self.reasons[step].set_full(state.note)
            # The panel of the open step shows the reason in full.
            is_note_shown = bool(state.note) and (step != self.open or step not in self._panels)
            self.reasons[step].setVisible(is_note_shown)
        is_accepted = states[DeskStep.ACCEPTED].done
        self.buttons[DeskStep.ACCEPTED].setHidden(is_accepted)

    def _choose(self, step: DeskStep, _checked: bool = False) -> None:
        self.step_chosen.emit(step)
