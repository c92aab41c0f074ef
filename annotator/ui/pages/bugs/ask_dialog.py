"""The dialog to ask a model for bugs: endpoint, model, kinds and number."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QComboBox, QDialogButtonBox, QFormLayout, QLineEdit, QVBoxLayout, QWidget

from annotator.model.rows.run_rows import SetupRow
from annotator.ui.app.translation import tr
from annotator.ui.pages.bugs.bug_words import bug_kind_word
from annotator.ui.pages.shared.endpoint_choice import offer_endpoints
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.fields import TickList, make_editable, number_box
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.layouts import arrange


class AskDialog(Dialog):
    """The form of a request for bugs; its button is enabled when the form is complete."""

    def __init__(self, endpoints: Sequence[SetupRow], kinds: Sequence[str], parent: QWidget | None = None) -> None:
        """Offer these endpoints and kinds of bugs; the first kind is ticked."""
        super().__init__(parent)
        self.setWindowTitle(tr("Ask a model for bugs"))
        self.setObjectName("ask-for-bugs-dialog")
        self.endpoint, self.model = QComboBox(), QLineEdit()
        make_editable(self.endpoint, "http://localhost:8000/v1")
        offer_endpoints(self.endpoint, endpoints)
        self.model.setPlaceholderText(tr("Name of the model at the endpoint"))
        self.kinds = TickList(kinds, kinds[:1], 180, bug_kind_word)
        self.count = number_box(1, 20, 3)
        self.problem = label("", "problem", wrap=True)
        self.ask_button = button(tr("Ask"), primary=True)
        self.buttons = self.make_buttons(QDialogButtonBox.StandardButton.Cancel, self.ask_button)
        form = QFormLayout()
        form.addRow(tr("&Endpoint"), self.endpoint)
        form.addRow(tr("&Model"), self.model)
        form.addRow(tr("&Kinds"), self.kinds)
        form.addRow(tr("Bugs of each kind"), self.count)
        about = label(tr("Each proposed bug is proven before reviewers see it."), "dim", wrap=True)
        arrange(QVBoxLayout(self), about, form, self.problem, self.buttons, margins=(16, 16, 16, 16))
        self.setMinimumWidth(440)
        self.endpoint.editTextChanged.connect(self._check)
        self.model.textChanged.connect(self._check)
        self.kinds.itemChanged.connect(self._check)
        self._check()

    def _check(self, _changed: object = None) -> None:
        problem = ""
        if not self.endpoint.currentText().strip():
            problem = tr("Choose an endpoint, or type an address.")
        elif not self.kinds.ticked_names:
            problem = tr("Tick a kind of bug.")
        self.problem.setText(problem)
        self.ask_button.setEnabled(not problem and bool(self.model.text().strip()))
