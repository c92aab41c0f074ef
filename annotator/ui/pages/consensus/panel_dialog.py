"""The panel of voters: how many vote, how many must approve, and what came of it once that may be seen."""

from __future__ import annotations

from PySide6.QtWidgets import QCheckBox, QDialogButtonBox, QFormLayout, QVBoxLayout, QWidget

from annotator.services.consensus.panel_votes import PanelReport, approvals_needed
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.fields import number_box
from annotator.ui.widgets.labels import label
from annotator.ui.widgets.layouts import arrange
from annotator.ui.widgets.table import Cell, DataTable

_LARGEST = 1000


class PanelDialog(Dialog):
    """The size of the panel as a form, and the distribution of approvals below it."""

    def __init__(
        self, theme: Theme, panel: tuple[int, int], hidden: bool, report: PanelReport | str, parent: QWidget
    ) -> None:
        """Show the panel in force; ``report`` is the reason why the result is sealed, where it is."""
        super().__init__(parent)
        self.setWindowTitle(tr("Panel"))
        self.voters = number_box(1, _LARGEST, panel[0], tr("People who vote"))
        self.needed = number_box(1, _LARGEST, panel[1], tr("Approvals that keep a subject"))
        self.before = panel
        form = QFormLayout()
        form.setSpacing(8)
        for box in (self.voters, self.needed):
            form.addRow(box.accessibleName(), box)
        self.hidden, self.were_hidden = QCheckBox(tr("Releases show pseudonyms in place of names")), hidden
        self.hidden.setChecked(hidden)
        form.addRow(self.hidden)
        self.voters.valueChanged.connect(self._suggest)
        self.summary = label(report if isinstance(report, str) else _describe(report), "dim", wrap=True)
        self.table = DataTable(tr("Approvals"))
        buttons = self.make_buttons(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        layout = QVBoxLayout(self)
        arrange(layout, form, self.summary, (self.table, 1), 0, buttons, spacing=12, margins=(16, 16, 16, 16))
        if isinstance(report, str) or not report.subjects:
            self.table.hide()
        else:
            rows = [
                (Cell(str(approvals), approvals), Cell(str(count), count),
                 Cell(tr("kept") if approvals >= report.needed else tr("not kept")))
                for approvals, count in report.distribution.items()
            ]  # fmt: skip
            self.table.set_rows((tr("approvals"), tr("subjects"), tr("result")), rows, rows, stretch=2)
        self.resize(theme.pixels(460), theme.pixels(300 if self.table.isHidden() else 460))

    def _suggest(self, voters: int) -> None:
        self.needed.setMaximum(voters)
        self.needed.setValue(approvals_needed(voters))

    @property
    def chosen(self) -> tuple[int, int]:
        """How many vote, and how many must approve."""
        return self.voters.value(), self.needed.value()


def _describe(report: PanelReport) -> str:
    if not report.subjects:
        return tr("Nobody has voted yet.")
    ac1 = report.agreement.ac1
    value = f"{ac1.value:.3f}" if ac1.value is not None else ac1.reason
    text = tr(
        "{kept} of {subjects} subjects are kept. Agreement of the voters (Gwet's AC1): {value}.",
        kept=report.kept,
        subjects=report.subjects,
        value=value,
    )
    if report.sealed:
        text += " " + tr("Still sealed: {sealed}.", sealed=report.sealed)
    return text
