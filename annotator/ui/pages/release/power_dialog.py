"""Size and power: the detectable difference between two models, and the items needed to detect a difference."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from annotator.model.rows.result_rows import Table
from annotator.services.release.power_plan import GROUPS, PowerQuestion
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr, tr_message, translate_word
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.fields import choice_box, number_box, real_box
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.layouts import make_column, make_row
from annotator.ui.widgets.table import Cell, DataTable
from annotator.ui.widgets.timers import debounce

_TYPING_MS = 200


class PowerDialog(Dialog):
    """A question above and its answer by group below; `plan_requested` carries the question."""

    plan_requested = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Size and power"))
        self.resize(theme.pixels(640), theme.pixels(440))
        self.difference = real_box(0.1, 99.0, 5.0, tr("Difference between two models in points"))
        self.difference.setSuffix(" %")
        self.samples = number_box(1, 1000, 1, tr("Samples of each item"))
        self.power = real_box(1.0, 99.9, 80.0, tr("Power: chance of detecting the difference"))
        self.power.setSuffix(" %")
        self.by = choice_box(tr("Group by"), [(tr("by {name}", name=translate_word(name)), name) for name in GROUPS])
        self.table = DataTable(tr("Size and power"))
        self.notes = label("", "dim", wrap=True)
        question = make_row(
            label(tr("difference"), "dim"), self.difference, label(tr("samples"), "dim"), self.samples,
            label(tr("power"), "dim"), self.power, self.by, None, spacing=8,
        )  # fmt: skip
        foot = make_row(None, button(tr("Close"), primary=True, clicked=self.accept))
        make_column(self, question, (self.table, 1), self.notes, foot, spacing=10, margin=16)
        self._typing_timer = debounce(self, _TYPING_MS, self.ask)
        for box in (self.difference, self.samples, self.power):
            box.valueChanged.connect(self._typing_timer.start)
        self.by.currentIndexChanged.connect(self.ask)

    def ask(self, _choice: int = 0) -> None:
        """Emit the question."""
        self.plan_requested.emit(
            PowerQuestion(
                difference=self.difference.value() / 100,
                samples=self.samples.value(),
                power=self.power.value() / 100,
                by=str(self.by.currentData()),
            )
        )

    def show_plan(self, plan: Table) -> None:
        """Show the answer."""
        rows = [[Cell(tr_message(cell.text), cell.number) for cell in row] for row in plan.rows]
        self.table.set_rows(plan.headers, rows, list(plan.rows))
        self.notes.setText("\n".join(map(tr_message, plan.notes)))
