"""The base class of the mining panels of the page Sources, and the widgets they share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHeaderView, QListWidgetItem, QTableWidget, QTableWidgetItem, QWidget

from annotator.base.errors import UsageError
from annotator.jobs.progress import Progress
from annotator.services.sources.imports import ImportReport
from annotator.ui.app.base_page import Page
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr, tr_count, translate_word
from annotator.ui.widgets.bar_list import Bar, BarList
from annotator.ui.widgets.card import Card, EmptyState
from annotator.ui.widgets.labels import label
from annotator.ui.widgets.layouts import make_column, make_stack


class FunnelView(BarList):
    """The stages of a funnel; `stage_chosen` carries the name of the selected stage, to show what it dropped."""

    stage_chosen = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, tr("Funnel"))
        self.currentItemChanged.connect(self._emit_current)

    def set_stages(self, stages: Sequence[tuple[str, str, int | None]]) -> None:
        """Show stages given as (name, label, number of items left or None if it is not known)."""
        largest = max((count or 0 for _, _, count in stages), default=0)
        bars = []
        for _, condition, count in stages:
            text, number = translate_word(condition), tr("not known") if count is None else f"{count:,}"
            share = (count or 0) / largest if largest else 0.0
            summary = f"{text}: {number}"
            tip = tr("{said}. Select it to see what it drops.", said=summary)
            bars.append(Bar(label=text, number=number, share=share, summary=summary, tip=tip))
        self.set_bars(bars, [name for name, _, _ in stages])
        self.setMinimumHeight(self.full_height)

    def _emit_current(self, current: QListWidgetItem | None, _previous: QListWidgetItem | None) -> None:
        if current is not None:
            self.stage_chosen.emit(current.data(Qt.ItemDataRole.UserRole))


class ShareTable(QTableWidget):
    """An editable table of names and their shares."""

    def __init__(self, name: str, head: str) -> None:
        """``name`` is for screen readers, ``head`` names the first column."""
        super().__init__(0, 2)
        self.setAccessibleName(name)
        self.setHorizontalHeaderLabels([head, tr("share")])
        self.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.verticalHeader().hide()

    def add_share(self, name: str = "", share: float | None = None) -> None:
        """Add a row."""
        row = self.rowCount()
        self.insertRow(row)
        self.setItem(row, 0, QTableWidgetItem(name))
        self.setItem(row, 1, QTableWidgetItem("" if share is None else f"{share:g}"))

    def shares(self) -> dict[str, float]:
        """Return the shares by name; rows without a name are left out.

        Raises `UsageError` for a share that is not a number.
        """
        shares = {}
        for row in range(self.rowCount()):
            name, text = (item.text().strip() if (item := self.item(row, n)) else "" for n in range(2))
            if name:
                try:
                    shares[name] = float(text.replace(",", ".") or "0")
                except ValueError:
                    raise UsageError(tr("{text} is not a share from 0 to 1.", text=text)) from None
        return shares


class MiningPanel(QWidget):
    """The base of the panels that mine candidates; subclasses call `fill` to lay out their widgets."""

    def __init__(self, page: Page, about: str) -> None:
        """``about`` is a sentence on what can be mined."""
        super().__init__()
        self.session, self.store, self.theme = page.session, page.store, page.theme
        self.state = label(about, "dim", wrap=True)
        """At first what can be mined, later the progress and outcome."""

    def fill(self, card: Card, empty: EmptyState, *results: QWidget) -> None:
        """Lay out the card with the inputs above a stack of the empty state and the views of results."""
        self.card, self.empty = card, empty
        self.stack = make_stack(empty, *results)
        make_column(self, card, (self.stack, 1), spacing=12)

    def take_paths(self, paths: Sequence[Path]) -> None:
        """Handle paths dropped on the page."""
        raise NotImplementedError

    def _failed(self, failure: WorkFailure) -> None:
        self.state.setText(failure.message)

    def import_found(self, title: str, work: Callable[[Progress], ImportReport]) -> None:
        """Start a job that imports candidates, and show how many were added."""
        self.session.start_job(title, work, self._report_import, self._failed, summary=_describe_import)

    def _report_import(self, report: ImportReport) -> None:
        self.session.announce(report.changes)
        self.state.setText(_describe_import(report))


def _describe_import(report: ImportReport) -> str:
    return tr_count(
        "{count} candidate added, {known} already in the project.",
        "{count} candidates added, {known} already in the project.",
        report.added,
        known=f"{report.known + report.changed:,}",
    )
