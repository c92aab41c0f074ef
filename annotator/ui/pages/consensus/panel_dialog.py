"""The panel of voters: its size, the approvals needed, and the results unless they are sealed."""

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

_MAX_VOTERS = 1000


class PanelDialog(Dialog):
    """Edits the size of the panel, and shows the distribution of approvals."""

    def __init__(
        self, theme: Theme, panel: tuple[int, int], hidden: bool, report: PanelReport | str, parent: QWidget
    ) -> None:
        """``panel`` is (voters, approvals needed); ``report`` is a sentence if the results are sealed."""
        super().__init__(parent)
        self.setWindowTitle(tr("Panel"))
        self.voters = number_box(1, _MAX_VOTERS, panel[0], tr("People who vote"))
        self.needed = number_box(1, _MAX_VOTERS, panel[1], tr("Approvals that keep a subject"))
        self.previous_size = panel
        form = QFormLayout()
        form.setSpacing(8)
        for box in (self.voters, self.needed):
            form.addRow(box.accessibleName(), box)
        self.pseudonyms_box, self.had_pseudonyms = QCheckBox(tr("Releases show pseudonyms instead of names")), hidden
        self.pseudonyms_box.setChecked(hidden)
        form.addRow(self.pseudonyms_box)
        self.voters.valueChanged.connect(self._suggest)
        self.summary = label(report if isinstance(report, str) else _describe_panel_report(report), "dim", wrap=True)
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
    def panel_size(self) -> tuple[int, int]:
        """The number of voters and of approvals needed."""
        return self.voters.value(), self.needed.value()


def _describe_panel_report(report: PanelReport) -> str:
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
