"""The steps of one item, from accepted to reviewed: each says why it is not done."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from annotator.ui.app.translation import mark_for_translation, tr, translate_word
from annotator.ui.widgets.labels import ElidedLabel, button, escape_tool_tip
from annotator.ui.widgets.layouts import arrange, fill_layout

_LEAST_LETTERS = 8
_CUT_LETTERS = 20
"""So much of a reason that is cut still says something."""


class Step(IntEnum):
    """The steps in their order."""

    ACCEPTED = 0
    PARAPHRASED = 1
    CRITERION = 2
    PROVEN = 3
    REVIEWED = 4


_WORDS = {
    Step.ACCEPTED: mark_for_translation("Accepted"),
    Step.PARAPHRASED: mark_for_translation("Paraphrased"),
    Step.CRITERION: mark_for_translation("Criterion"),
    Step.PROVEN: mark_for_translation("Proven"),
    Step.REVIEWED: mark_for_translation("Reviewed"),
}


@dataclass(frozen=True, slots=True)
class StepState:
    """Whether a step is done, and in a few words why it is not, or how."""

    done: bool
    said: str = ""


class StepsBar(QWidget):
    """The steps in a row; a click goes to one."""

    chosen = Signal(object)
    """The `Step` to go to."""

    def __init__(self) -> None:
        """Show no state yet."""
        super().__init__()
        self.setAccessibleName(tr("Steps of this item"))
        self.buttons = {step: button(translate_word(word)) for step, word in _WORDS.items()}
        self.reasons = {step: ElidedLabel("dim") for step in _WORDS}
        self._narrow = False
        self._open: list[Step] = []
        self._row = arrange(QHBoxLayout(self), spacing=4)
        for step, made in self.buttons.items():
            made.setProperty("role", "flat")
            made.clicked.connect(partial(self._choose, step))
            self.reasons[step].set_least(_LEAST_LETTERS)
            self.reasons[step].setMinimumWidth(0)
            fill_layout(self._row, made, self.reasons[step])
        self._row.addStretch(1)

    def set_narrow(self, narrow: bool) -> None:
        """Leave out what is not done on the desk itself, where letters are large."""
        self._narrow = narrow
        self.buttons[Step.REVIEWED].setHidden(narrow)
        self._fit()

    def show_states(self, states: dict[Step, StepState]) -> None:
        """Show how far an item is."""
        for step, state in states.items():
            word, reason = translate_word(_WORDS[step]), self.reasons[step]
            self.buttons[step].setText(f"{'✓' if state.done else '○'} {word}")
            told = tr("{step}: done", step=word) if state.done else tr("{step}: open", step=word)
            self.buttons[step].setAccessibleName(told)
            reason.set_full(state.said)
            self.buttons[step].setToolTip(escape_tool_tip(state.said))
            # What says something has the room that the others leave.
            self._row.setStretchFactor(reason, 100 if state.said else 0)
        self._open = [step for step, state in states.items() if not state.done]
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many reasons as there is room for."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Show whole reasons, of open steps first; of those, the first that does not fit is cut and ends the row."""
        buttons = [made for made in self.buttons.values() if not made.isHidden()]
        room = self.width() - sum(made.sizeHint().width() + 2 * self._row.spacing() for made in buttons)
        least = _CUT_LETTERS * self.fontMetrics().averageCharWidth()
        for step in (*self._open, *(step for step in Step if step not in self._open)):
            reason = self.reasons[step]
            told = bool(reason.full) and not (self._narrow and step == Step.REVIEWED)
            need = reason.sizeHint().width()
            cut = told and step in self._open and need > room
            fits = not cut or room >= least or step in self._open[:1]
            reason.setVisible(told and fits and (need <= room or cut))
            room = 0 if cut else room - (need if told and fits and need <= room else 0)

    def _choose(self, step: Step, _checked: bool = False) -> None:
        self.chosen.emit(step)
