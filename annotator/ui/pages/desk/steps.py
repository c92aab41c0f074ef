"""The steps of one item, from accepted to reviewed: each says why it is not done."""

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

_LEAST_LETTERS = 8
_OPEN = "▾"


class Step(IntEnum):
    """The steps in their order."""

    ACCEPTED = 0
    PARAPHRASED = 1
    CRITERION = 2
    PROVEN = 3
    REVIEWED = 4


_WORDS = {
    Step.ACCEPTED: mark_for_translation("Accepted"),
    Step.PARAPHRASED: mark_for_translation("Paraphrase"),
    Step.CRITERION: mark_for_translation("Criterion"),
    Step.PROVEN: mark_for_translation("Proof"),
    Step.REVIEWED: mark_for_translation("Review"),
}


@dataclass(frozen=True, slots=True)
class StepState:
    """Whether a step is done, and in a few words why it is not, or how."""

    done: bool
    said: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepPanel:
    """What a step is done in, and what stands in its line while it is open."""

    panel: QWidget
    acts: Sequence[QWidget] = ()


class StepStack(QWidget):
    """The steps one below the other, a line each; the open one shows its panel, which has all the room left.

    That an item is accepted is said only where it is not.
    """

    chosen = Signal(object)
    """The `Step` to go to."""

    def __init__(self, panels: Mapping[Step, StepPanel]) -> None:
        """Show no state yet; the first step with a panel is open."""
        super().__init__()
        self.setAccessibleName(tr("Steps of this item"))
        self._panels = panels
        self._states = dict.fromkeys(Step, StepState(False))
        self.buttons = {step: button(translate_word(word)) for step, word in _WORDS.items()}
        self.reasons = {step: ElidedLabel("dim") for step in _WORDS}
        column = arrange(QVBoxLayout(self), spacing=4)
        for step, made in self.buttons.items():
            made.setProperty("role", "flat")
            made.clicked.connect(partial(self._choose, step))
            self.reasons[step].set_least(_LEAST_LETTERS)
            acts = panels[step].acts if step in panels else ()
            column.addLayout(arrange(QHBoxLayout(), made, (self.reasons[step], 100), 1, *acts, spacing=4))
            if step in panels:
                column.addWidget(panels[step].panel, 1)
        self.open = next(iter(panels), Step.ACCEPTED)
        """The step whose panel is shown."""
        self.show_step(self.open)

    def show_step(self, step: Step) -> None:
        """Open a step that has a panel, and close the one that was open."""
        if step in self._panels:
            self.open = step
        for other, shown in self._panels.items():
            for widget in (shown.panel, *shown.acts):
                widget.setVisible(other == self.open)
        self.show_states(self._states)

    def show_states(self, states: dict[Step, StepState]) -> None:
        """Show how far an item is."""
        self._states = states
        for step, state in states.items():
            made, word = self.buttons[step], translate_word(_WORDS[step])
            signs = (_OPEN if step in self._panels and step == self.open else "", "✓" if state.done else "○", word)
            made.setText(" ".join(filter(None, signs)))
            told = tr("{step}: done", step=word) if state.done else tr("{step}: open", step=word)
            made.setAccessibleName(told)
            made.setToolTip(escape_tool_tip(state.said))
            self.reasons[step].set_full(state.said)
            # The panel of the open step says it in full.
            is_said = bool(state.said) and (step != self.open or step not in self._panels)
            self.reasons[step].setVisible(is_said)
        is_accepted = states[Step.ACCEPTED].done
        self.buttons[Step.ACCEPTED].setHidden(is_accepted)

    def _choose(self, step: Step, _checked: bool = False) -> None:
        self.chosen.emit(step)
