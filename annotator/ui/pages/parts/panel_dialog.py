"""The panel of voters: how many vote, how many must approve, and what came of it once that may be seen."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDialogButtonBox, QFormLayout, QVBoxLayout, QWidget

from annotator.model.rows import Changes
from annotator.ui.notices import Failure
from annotator.ui.session import Session
from annotator.ui.theme import Theme
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.labels import label, number_box
from annotator.ui.widgets.table import Cell, DataTable
from annotator.ui.words import tr

if TYPE_CHECKING:
    from annotator.services.voting import PanelReport

_LARGEST = 1000


class PanelDialog(Dialog):
    """The size of the panel as a form, and the distribution of approvals below it."""

    def __init__(self, theme: Theme, panel: tuple[int, int], report: PanelReport | str, parent: QWidget) -> None:
        """Show the panel in force; ``report`` is the reason why the result is hidden, where it is."""
        super().__init__(parent)
        self.setWindowTitle(tr("Panel"))
        self.voters, self.needed = number_box(), number_box()
        self.before = panel
        for box, name, value in (
            (self.voters, tr("People who vote"), panel[0]),
            (self.needed, tr("Approvals that keep a subject"), panel[1]),
        ):
            box.setAccessibleName(name)
            box.setRange(1, _LARGEST)
            box.setValue(value)
        self.voters.valueChanged.connect(self._suggest)
        form = QFormLayout()
        form.setSpacing(8)
        form.addRow(tr("People who vote"), self.voters)
        form.addRow(tr("Approvals that keep a subject"), self.needed)
        self.told = label(report if isinstance(report, str) else _told(report), "dim", wrap=True)
        self.table = DataTable(tr("Approvals"))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(12)
        layout.addLayout(form)
        layout.addWidget(self.told)
        layout.addWidget(self.table, 1)
        layout.addStretch()
        layout.addWidget(buttons)
        if isinstance(report, str) or not report.subjects:
            self.table.hide()
        else:
            rows = [
                (Cell(str(approvals), approvals), Cell(str(count), count),
                 Cell(tr("kept") if approvals >= report.needed else tr("not kept")))
                for approvals, count in report.distribution.items()
            ]  # fmt: skip
            self.table.set_rows((tr("approvals"), tr("subjects"), tr("result so far")), rows, rows, stretch=2)
        self.resize(theme.pixels(460), theme.pixels(300 if self.table.isHidden() else 460))

    def _suggest(self, voters: int) -> None:
        from annotator.services.three_experts import approvals_needed

        self.needed.setMaximum(voters)
        self.needed.setValue(approvals_needed(voters))

    @property
    def chosen(self) -> tuple[int, int]:
        """How many vote, and how many must approve."""
        return self.voters.value(), self.needed.value()


def _told(report: PanelReport) -> str:
    if not report.subjects:
        return tr("Nobody has voted yet.")
    ac1 = report.agreement.ac1
    value = f"{ac1.value:.3f}" if ac1.value is not None else ac1.reason
    return tr(
        "{kept} of {subjects} subjects are kept. Agreement of the voters (Gwet's AC1): {value}.",
        kept=report.kept,
        subjects=report.subjects,
        value=value,
    )


class PanelActs(QObject):
    """Opens the dialog and keeps what it says."""

    refused = Signal(object)

    def __init__(self, session: Session, theme: Theme, over: QWidget) -> None:
        """Open the dialog over a page."""
        super().__init__(over)
        self._session = session
        self._theme = theme
        self._over = over

    def open(self) -> None:
        """Read the panel and what came of it, then show both."""
        store = self._session.store
        if store is not None:
            self._session.run("read", partial(_panel, store), self._show, latest="consensus-panel")

    def _show(self, found: tuple[tuple[int, int], PanelReport | str]) -> None:
        dialog = PanelDialog(self._theme, *found, self._over)
        dialog.accepted.connect(partial(self._keep, dialog))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _keep(self, dialog: PanelDialog) -> None:
        store = self._session.store
        if store is not None and dialog.chosen != dialog.before:
            self._session.act(partial(_set_panel, store, *dialog.chosen), None, self._failed)

    def _failed(self, failure: Failure) -> None:
        self.refused.emit(failure)


# The store's type would load SQLModel before the first paint, so these take it as anything.


def _panel(store: Any) -> tuple[tuple[int, int], PanelReport | str]:
    from annotator.base.errors import BadInputError
    from annotator.services import voting

    try:
        return voting.panel_of(store), voting.panel_report(store)
    except BadInputError as hidden:
        return voting.panel_of(store), hidden.message


def _set_panel(store: Any, voters: int, needed: int) -> Changes:
    from annotator.services import voting

    return voting.set_panel(store, voters, needed)
