"""Ask for a new study: what is compared, who judges, and how pairs are shared out."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from annotator.model.rows import AnnotatorRow
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.labels import button, label, number_box
from annotator.ui.words import tr, tr_known, tr_later

KINDS = (
    (tr_later("Model responses"), "response"),
    (tr_later("Paraphrases"), "paraphrase"),
    (tr_later("Requirements"), "requirement"),
    (tr_later("Domain labels"), "domain"),
    (tr_later("Question types"), "question_type"),
)
PLANS = (
    (tr_later("Everybody judges every pair"), "all"),
    (tr_later("Every pair by some raters"), "balanced"),
    (tr_later("Every rater a number of pairs"), "each"),
    (tr_later("A fifth by everybody, the rest by one"), "overlap"),
)
_SIDES = ("original", "paraphrase", "human", "llm", "reference", "label")


class StudyDialog(Dialog):
    """The form of a new study; the button wakes when it is complete."""

    def __init__(
        self, people: tuple[AnnotatorRow, ...], models: tuple[str, ...], parent: QWidget | None = None
    ) -> None:
        """Offer these people as raters and these models as sides."""
        super().__init__(parent)
        self.setWindowTitle(tr("New study"))
        self.setObjectName("new-study-dialog")
        self.file: Path | None = None
        self.name = QLineEdit()
        self.kind, self.plan = QComboBox(), QComboBox()
        for box, choices in ((self.kind, KINDS), (self.plan, PLANS)):
            for word, value in choices:
                box.addItem(tr_known(word), value)
        self.side_a, self.side_b = QComboBox(), QComboBox()
        for box in (self.side_a, self.side_b):
            for name in models:
                box.addItem(f"model:{name}", f"model:{name}")
            for name in _SIDES:
                box.addItem(tr_known(name), name)
        self.side_b.setCurrentIndex(min(1, self.side_b.count() - 1))
        self.choose = button(tr("Pairs from a file…"))
        self.choose.clicked.connect(self._choose_file)
        self.raters = QListWidget()
        self.raters.setMaximumHeight(130)
        for person in people:
            item = QListWidgetItem(person.name)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked)
            self.raters.addItem(item)
        self.number, self.repeats = number_box(), number_box()
        self.number.setRange(1, 100_000)
        self.number.setValue(2)
        self.repeats.setRange(0, 100)
        self.repeats.setValue(5)
        self.repeats.setSuffix(" %")
        self.problem = label("", "problem", wrap=True)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.create_button = self.buttons.addButton(tr("Make the study"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.create_button.setProperty("role", "primary")
        self._lay_out()
        self.name.textChanged.connect(self._check)
        self.raters.itemChanged.connect(self._check)
        for box in (self.side_a, self.side_b, self.plan):
            box.currentIndexChanged.connect(self._check)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self._check()

    def _lay_out(self) -> None:
        sides = QHBoxLayout()
        sides.setSpacing(8)
        sides.addWidget(self.side_a, 1)
        sides.addWidget(label(tr("against"), "dim"))
        sides.addWidget(self.side_b, 1)
        form = QFormLayout()
        form.setHorizontalSpacing(12)
        form.setVerticalSpacing(12)
        fields: tuple[tuple[str, QWidget], ...] = (
            (tr("Name"), self.name),
            (tr("Compared are"), self.kind),
            (tr("Raters"), self.raters),
            (tr("Plan"), self.plan),
            (tr("Number"), self.number),
            (tr("Served again"), self.repeats),
        )
        for number, (word, field) in enumerate(fields):
            field.setAccessibleName(word)
            form.addRow(word, field)
            if number == 1:
                form.addRow(tr("Sides"), sides)
                form.addRow("", self.choose)
        self.side_a.setAccessibleName(tr("Candidate A"))
        self.side_b.setAccessibleName(tr("Candidate B"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(12)
        layout.addLayout(form)
        layout.addWidget(self.problem)
        layout.addWidget(self.buttons)
        self.setMinimumWidth(560)

    def chosen_raters(self) -> tuple[str, ...]:
        """Return the names that are ticked."""
        items = [self.raters.item(row) for row in range(self.raters.count())]
        return tuple(item.text() for item in items if item.checkState() == Qt.CheckState.Checked)

    def use_file(self, path: Path) -> None:
        """Take the pairs from a file instead of the project's own texts."""
        self.file = path
        self.choose.setText(tr("Pairs from {name}", name=path.name))
        for box in (self.side_a, self.side_b):
            box.setEnabled(False)
        self._check()

    def _choose_file(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, tr("Pairs"), "", tr("JSON lines (*.jsonl);;All (*)"))
        if name:
            self.use_file(Path(name))

    def _check(self, _changed: object = None) -> None:
        self.number.setEnabled(self.plan.currentData() in ("balanced", "each"))
        problem = ""
        if not self.name.text().strip():
            problem = tr("Give the study a name.")
        elif not self.chosen_raters():
            problem = tr("Choose at least one rater.")
        elif self.file is None and self.side_a.currentData() == self.side_b.currentData():
            problem = tr("Choose two different sides.")
        self.problem.setText(problem)
        self.create_button.setEnabled(not problem)
