"""The forms to create a study and to give an absent rater's pairs to another person."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QDialogButtonBox, QLabel, QLineEdit, QWidget

from annotator.model.rows.queue_rows import AnnotatorRow
from annotator.ui.app import file_dialogs
from annotator.ui.app.translation import mark_for_translation, tr, translate_word
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.fields import TickList, choice_box, line_edit, number_box
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.layouts import Item, make_form, make_row


class HandoverDialog(Dialog):
    """Asks which rater's open pairs go to whom, and why; its button is enabled when the form is complete."""

    def __init__(self, raters: Sequence[str], people: Sequence[str], parent: QWidget | None = None) -> None:
        """Offer these raters as givers and these people as takers."""
        super().__init__(parent, tr("Reassign pairs"))
        self.giver = choice_box(tr("Absent rater"), ((name, name) for name in raters))
        self.taker = choice_box(tr("New rater"), ((name, name) for name in people))
        self.reason = line_edit(tr("Reason"))
        self.problem = label("", "dim", wrap=True)
        self.give_button = button(tr("Reassign pairs"), primary=True)
        buttons = self.make_buttons(QDialogButtonBox.StandardButton.Cancel, self.give_button)
        fields = (self.giver, self.taker, self.reason)
        form = make_form(*((field.accessibleName(), field) for field in fields))
        hint = label(
            tr("All pairs that the rater has not judged are reassigned, with their sides in the order that was drawn. "
               "The history and the report say so."),
            "dim", wrap=True,
        )  # fmt: skip
        self.lay_out(hint, form, self.problem, buttons)
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


KINDS = (
    (mark_for_translation("Model responses"), "response"),
    (mark_for_translation("Paraphrases"), "paraphrase"),
    (mark_for_translation("Requirements"), "requirement"),
    (mark_for_translation("Domain labels"), "domain"),
    (mark_for_translation("Question types"), "question_type"),
)
PLANS = (
    (mark_for_translation("Everyone judges every pair"), "all"),
    (mark_for_translation("Each pair is judged by some raters"), "balanced"),
    (mark_for_translation("Each rater judges a number of pairs"), "each"),
    (mark_for_translation("Everyone judges a share, one rater each the rest"), "overlap"),
)
_NUMBER_WORDS = {
    "all": "",
    "balanced": mark_for_translation("Raters per pair"),
    "each": mark_for_translation("Pairs per rater"),
    "overlap": mark_for_translation("Pairs for everyone"),
}
_SIDES = ("original", "paraphrase", "human", "llm", "reference", "label")


class StudyDialog(Dialog):
    """The form of a new study; its button is enabled when the form is complete."""

    def __init__(
        self,
        people: tuple[AnnotatorRow, ...],
        models: tuple[str, ...],
        parent: QWidget | None = None,
        creator: str = "",
    ) -> None:
        """Offer these people as raters and these models as sides.

        ``creator`` knows the candidates, so they are not ticked as a rater unless they are alone.
        """
        super().__init__(parent, tr("New study"), name="new-study-dialog")
        self.file: Path | None = None
        self.name = QLineEdit()
        self.kind, self.plan = (
            choice_box("", ((translate_word(word), value) for word, value in choices)) for choices in (KINDS, PLANS)
        )
        if not models:
            self.kind.setCurrentIndex(self.kind.findData("paraphrase"))
        sides = [*((name, f"model:{name}") for name in models), *((translate_word(name), name) for name in _SIDES)]
        self.side_a = choice_box(tr("Candidate A"), sides)
        self.side_b = choice_box(tr("Candidate B"), sides)
        self.side_b.setCurrentIndex(min(1, self.side_b.count() - 1))
        self.choose_button = button(tr("Pairs from a file…"), clicked=self._choose_file)
        self.subjects = line_edit(tr("Subjects"), tr("All accepted, or subject keys"))
        names = [person.name for person in people]
        self.raters = TickList(names, [name for name in names if name != creator] or names, 96)
        self.guidelines = QLineEdit()
        self.guidelines.setPlaceholderText(tr("The usual guidelines for this kind of comparison"))
        self.number = number_box(1, 100_000, 2)
        self.repeats = number_box(0, 100, 5)
        self.repeats.setSuffix(" %")
        self.number_label = label()
        self.problem = label("", "dim", wrap=True)
        self.create_button = button(tr("Create study"), primary=True)
        self.buttons = self.make_buttons(QDialogButtonBox.StandardButton.Cancel, self.create_button)
        self._lay_out()
        self.name.textChanged.connect(self._check)
        self.raters.itemChanged.connect(self._check)
        self.plan.currentIndexChanged.connect(self._show_plan)
        for box in (self.side_a, self.side_b):
            box.currentIndexChanged.connect(self._check)
        self._show_plan()

    def _lay_out(self) -> None:
        sides = make_row((self.side_a, 1), label(tr("against"), "dim"), (self.side_b, 1))
        self.repeats.setAccessibleName(tr("Repeated"))
        rows: tuple[tuple[str | QLabel, Item], ...] = (
            (tr("Name"), self.name),
            (tr("Comparison"), self.kind),
            (tr("Sides"), sides),
            (tr("Subjects"), make_row((self.subjects, 1), self.choose_button)),
            (tr("Raters"), self.raters),
            (tr("Guidelines"), self.guidelines),
            (tr("Plan"), self.plan),
            # Side by side, so that the form fits a screen 457 pixels high.
            (self.number_label, make_row((self.number, 1), label(self.repeats.accessibleName()), (self.repeats, 1))),
        )
        self.lay_out(make_form(*rows), self.problem, self.buttons)
        self.setMinimumWidth(560)

    def _choose_file(self) -> None:
        path = file_dialogs.choose_file(self, tr("Pairs"), tr("JSON lines (*.jsonl);;All (*)"))
        if path is not None:
            self.file = path
            self.choose_button.setText(tr("Pairs from {name}", name=path.name))
            for field in (self.side_a, self.side_b, self.subjects):
                field.setEnabled(False)
            self._check()

    def _show_plan(self, _index: int = 0) -> None:
        """Adapt the number field to the plan: raters or pairs, or the share that everybody judges."""
        plan = self.plan.currentData()
        is_share = plan == "overlap"
        self.number_label.setText(translate_word(_NUMBER_WORDS[plan]))
        self.number.setAccessibleName(self.number_label.text())
        self.number.setVisible(plan != "all")
        if is_share:
            self.number.setRange(0, 100)
            self.number.setSuffix(" %")
            self.number.setValue(20)
        else:
            self.number.setRange(1, 100_000)
            self.number.setSuffix("")
            self.number.setValue(2)
        self._check()

    def _check(self, _changed: object = None) -> None:
        problem = ""
        if not self.name.text().strip():
            problem = tr("Give the study a name.")
        elif not self.raters.ticked_names:
            problem = tr("Choose at least one rater.")
        elif self.file is None and self.side_a.currentData() == self.side_b.currentData():
            problem = tr("Choose two different sides.")
        self.problem.setText(problem)
        self.create_button.setEnabled(not problem)
