"""The lower half of the Bugs page: the tests before and after, the proof with its times, and the reviewer's form."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QScrollArea, QSplitter, QVBoxLayout, QWidget

from annotator.model.bug_rows import ASPECTS, REASONS, BugView
from annotator.text.diff import line_diff
from annotator.ui.pages.parts.bug_calls import facts_of, own_label
from annotator.ui.pages.parts.label_menu import LabelMenu
from annotator.ui.theme import Theme
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.code_view import CodeView
from annotator.ui.widgets.labels import label
from annotator.ui.widgets.table import Cell, DataTable
from annotator.ui.widgets.timing_plot import TimingPlot
from annotator.ui.words import tr, tr_known


class BugProof(QSplitter):
    """Shows the proof of a bug, and asks what the reviewer thinks of it."""

    def __init__(self, theme: Theme) -> None:
        """Put the three cards side by side."""
        super().__init__(Qt.Orientation.Horizontal)
        self.setChildrenCollapsible(False)
        self.setHandleWidth(12)
        self.tests_card, self.proof_card, review = Card(tr("Tests")), Card(tr("Proof")), Card(tr("Your review"))
        self.matrix = DataTable(tr("Tests before and after"))
        self.tests_card.body.addWidget(self.matrix)
        self.tests_card.setMinimumWidth(270)
        self.proof_card.setMinimumWidth(150)
        self._build_proof(theme)
        self._build_form(review)
        for card in (self.tests_card, self.proof_card, review):
            self.addWidget(card)
        self.setSizes([330, 380, 230])

    def _build_proof(self, theme: Theme) -> None:
        self.facts = label("", wrap=True)
        self.facts.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.plot = TimingPlot(theme)
        held = QWidget()
        layout = QVBoxLayout(held)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.plot)
        layout.addWidget(self.facts)
        layout.addStretch(1)
        area = QScrollArea()
        area.setWidget(held)
        area.setWidgetResizable(True)
        for widget in (held, area.viewport()):
            widget.setAutoFillBackground(False)
        self.proof_card.body.addWidget(area, 1)

    def _build_form(self, review: Card) -> None:
        self.aspects = {name: QCheckBox(tr_known(name.capitalize())) for name in ASPECTS}
        for box in self.aspects.values():
            box.setTristate(True)
            box.setToolTip(tr("Ticked: it holds. Empty: it does not. In between: not judged."))
            review.body.addWidget(box)
        self.reason = QComboBox()
        self.reason.setEditable(True)
        self.reason.addItem("", "")
        for word in REASONS:
            self.reason.addItem(tr_known(word), word)
        self.reason.setAccessibleName(tr("Reason to reject"))
        line = self.reason.lineEdit()
        if line is not None:
            line.setPlaceholderText(tr("Reason to reject"))
        self.labels = LabelMenu()
        review.body.addWidget(self.labels)
        review.body.addWidget(self.reason)
        self.problem = label("", "problem", wrap=True)
        review.body.addWidget(self.problem)
        review.body.addStretch(1)

    @property
    def said(self) -> dict[str, bool]:
        """Which aspects the reviewer says hold, and which do not."""
        return {
            name: box.checkState() == Qt.CheckState.Checked
            for name, box in self.aspects.items()
            if box.checkState() != Qt.CheckState.PartiallyChecked
        }

    def show_bug(self, view: BugView, *, fresh: bool, reviewer: str = "") -> None:
        """Show a bug's proof; ``fresh`` empties the form, but for the labels that the reviewer accepted before."""
        # What fails is what a reviewer looks for, so it comes first.
        ordered = sorted(view.matrix, key=_passes)
        cells = [(Cell(name), Cell(before), Cell(after)) for name, before, after in ordered]
        self.matrix.set_rows((tr("test"), tr("before"), tr("after")), cells, ordered, 0)
        failing = sum(after != "pass" for _, _, after in view.matrix)
        self.tests_card.set_trailing(
            tr("{failing} of {count} fail", failing=failing, count=len(view.matrix)) if view.matrix else tr("not run")
        )
        timing = view.proof.get("timing")
        self.plot.setVisible(bool(timing))
        if timing:
            self.plot.show_times(timing["sizes"], timing["reference_s"], timing["changed_s"])
        self.facts.setText(facts_of(view))
        if fresh:
            for box in self.aspects.values():
                box.setCheckState(Qt.CheckState.PartiallyChecked)
            self.reason.setCurrentIndex(0)
            said = [label for item in view.reviews if item.annotator == reviewer for label in item.labels]
            self.labels.offer(own_label(view), said)
            self.problem.setText("")

    def reason_given(self) -> str:
        """Return the reason, a usual one in the words that are kept, whatever language shows it."""
        typed = self.reason.currentText().strip()
        place = self.reason.findText(typed)
        return str(self.reason.itemData(place)) if place > 0 else typed


def mark_change(reference: CodeView, code: CodeView, view: BugView) -> None:
    """Mark the lines that differ in both programs, and go to the first."""
    old, new = [], []
    for part in line_diff(view.reference, view.code):
        if part.kind == "removed":
            old.append((part.a_start, part.a_start + len(part.text), "bad"))
        elif part.kind == "added":
            new.append((part.b_start, part.b_start + len(part.text), "attention"))
    reference.set_marks(old)
    code.set_marks(new)
    if view.lines:
        code.go_to_line(view.lines[0])


def _passes(test: tuple[str, str, str]) -> bool:
    return test[2] == "pass"
