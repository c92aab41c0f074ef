"""Ask a model for bugs: which model, at which endpoint, what kinds and how many."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from annotator.ui.app.translation import tr
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.labels import label, number_box


class AskDialog(Dialog):
    """The form; the button wakes when it is complete."""

    def __init__(self, endpoints: Sequence[str], kinds: Sequence[str], parent: QWidget | None = None) -> None:
        """Offer these endpoints and kinds of bugs; the first kind is chosen."""
        super().__init__(parent)
        self.setWindowTitle(tr("Ask a model for bugs"))
        self.setObjectName("ask-for-bugs-dialog")
        self.endpoint, self.model = QComboBox(), QLineEdit()
        self.endpoint.addItems(list(endpoints))
        self.model.setPlaceholderText(tr("As the endpoint names it"))
        self.kinds = QListWidget()
        self.kinds.setMaximumHeight(180)
        for number, kind in enumerate(kinds):
            item = QListWidgetItem(kind)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Unchecked if number else Qt.CheckState.Checked)
            self.kinds.addItem(item)
        self.count = number_box()
        self.count.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        self.count.setRange(1, 20)
        self.count.setValue(3)
        self.problem = label("", "problem", wrap=True)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.ask_button = self.buttons.addButton(tr("Ask"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.ask_button.setProperty("role", "primary")
        form = QFormLayout()
        form.addRow(tr("&Endpoint"), self.endpoint)
        form.addRow(tr("&Model"), self.model)
        form.addRow(tr("&Kinds"), self.kinds)
        form.addRow(tr("Bugs of each kind"), self.count)
        layout = QVBoxLayout(self)
        layout.addWidget(label(tr("Each answer is proven before it comes to the reviewers."), "dim", wrap=True))
        layout.addLayout(form)
        layout.addWidget(self.problem)
        layout.addWidget(self.buttons)
        self.setMinimumWidth(440)
        self.model.textChanged.connect(self._check)
        self.kinds.itemChanged.connect(self._check)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self._check()

    @property
    def chosen_kinds(self) -> tuple[str, ...]:
        """The kinds that are ticked."""
        items = [self.kinds.item(number) for number in range(self.kinds.count())]
        return tuple(item.text() for item in items if item.checkState() == Qt.CheckState.Checked)

    def _check(self, _changed: object = None) -> None:
        problem = ""
        if not self.endpoint.count():
            problem = tr("The project has no endpoint yet. Add one on the Runs page.")
        elif not self.chosen_kinds:
            problem = tr("Tick a kind of bug.")
        self.problem.setText(problem)
        self.ask_button.setEnabled(not problem and bool(self.model.text().strip()))
