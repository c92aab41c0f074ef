"""The form that gives an absent rater's open pairs to another person."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QDialogButtonBox, QFormLayout, QVBoxLayout, QWidget

from annotator.ui.app.translation import tr
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.fields import choice_box, line_edit
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.layouts import arrange


class HandoverDialog(Dialog):
    """Asks whose open pairs go to whom, and why; its button is enabled when the form is complete."""

    def __init__(self, raters: Sequence[str], people: Sequence[str], parent: QWidget | None = None) -> None:
        """Offer these raters as givers and these people as takers."""
        super().__init__(parent)
        self.setWindowTitle(tr("Give pairs to another rater"))
        self.giver = choice_box(tr("Absent rater"), ((name, name) for name in raters))
        self.taker = choice_box(tr("New rater"), ((name, name) for name in people))
        self.reason = line_edit(tr("Reason"))
        self.problem = label("", "problem", wrap=True)
        self.give_button = button(tr("Give the pairs"), primary=True)
        buttons = self.make_buttons(QDialogButtonBox.StandardButton.Cancel, self.give_button)
        form = QFormLayout()
        for word, field in (
            (tr("Absent rater"), self.giver), (tr("New rater"), self.taker), (tr("Reason"), self.reason),
        ):  # fmt: skip
            form.addRow(word, field)
        hint = label(
            tr("All pairs that the rater has not judged are reassigned, with their sides in the order that was drawn. "
               "The history and the report say so."),
            "dim", wrap=True,
        )  # fmt: skip
        arrange(QVBoxLayout(self), hint, form, self.problem, buttons, spacing=12, margins=(16, 16, 16, 16))
        self.setMinimumWidth(460)
        for box in (self.giver, self.taker):
            box.currentIndexChanged.connect(self._check)
        self.reason.textChanged.connect(self._check)
        self._check()

    def _check(self, _changed: object = None) -> None:
        problem = ""
        if self.giver.currentData() == self.taker.currentData():
            problem = tr("Choose two different people.")
        elif not self.reason.text().strip():
            problem = tr("Give a reason.")
        self.problem.setText(problem)
        self.give_button.setEnabled(not problem)
