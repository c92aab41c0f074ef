"""Quotas from area shares: what is wanted of each language, and how many to draw for inspection."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from annotator.base.errors import KnownError, UsageError
from annotator.mining.quotas import PUBLISHED_SHARES
from annotator.mining.quotas import Cell as QuotaCell
from annotator.services.sources.stackexchange_survey import PoolOptions
from annotator.ui.app.translation import tr
from annotator.ui.widgets.labels import label, number_box
from annotator.ui.widgets.layouts import make_column, make_splitter
from annotator.ui.widgets.table import Cell, DataTable


class PoolPanel(QWidget):
    """Edits the shares and shows the quotas they give; `edited` says that they were changed."""

    edited = Signal()

    def __init__(self) -> None:
        """Show the published shares."""
        super().__init__()
        self.shares = QTableWidget(0, 2)
        self.shares.setAccessibleName(tr("Share of each area"))
        self.shares.setHorizontalHeaderLabels([tr("area"), tr("share")])
        self.shares.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.shares.verticalHeader().hide()
        self.items, self.minimum, self.seed = number_box(), number_box(), number_box()
        row = QHBoxLayout()
        for box, name, most, value in (
            (self.items, tr("Size"), 1_000_000, 200),
            (self.minimum, tr("Minimum"), 100_000, 10),
            (self.seed, tr("Seed"), 2_000_000_000, 1),
        ):
            box.setRange(1 if name == "Size" else 0, most)
            box.setValue(value)
            box.setAccessibleName(name)
            box.valueChanged.connect(self._changed)
            row.addWidget(label(name, "dim"))
            row.addWidget(box)
        row.addStretch(1)
        self.total = label("", "section")
        row.addWidget(self.total)
        self.problem = label("", "problem", wrap=True)
        self.problem.hide()
        self.table = DataTable(tr("Quota of each language"))
        across = make_splitter(Qt.Orientation.Horizontal, self.shares, self.table, sizes=[250, 410], handle=None)
        make_column(self, row, (across, 1), self.problem, spacing=8)
        for area, share in PUBLISHED_SHARES.items():
            self._add_share(area, share)
        self.shares.itemChanged.connect(self._changed)

    def set_areas(self, by_area: Mapping[str, Mapping[str, int]]) -> None:
        """Add areas of the tag tree that have no line yet, with a share of 0."""
        known = {self._text(place, 0) for place in range(self.shares.rowCount())}
        self.shares.blockSignals(True)
        for area in by_area:
            if area not in known:
                self._add_share(area, 0.0)
        self.shares.blockSignals(False)

    def _add_share(self, area: str, share: float) -> None:
        place = self.shares.rowCount()
        self.shares.insertRow(place)
        self.shares.setItem(place, 0, QTableWidgetItem(area))
        self.shares.setItem(place, 1, QTableWidgetItem(f"{share:g}"))

    def options(self) -> PoolOptions:
        """Return what is entered. Raises `UsageError` for a share that is no number."""
        shares = {}
        for place in range(self.shares.rowCount()):
            text = self._text(place, 1).replace(",", ".") or "0"
            try:
                shares[self._text(place, 0)] = float(text)
            except ValueError:
                raise UsageError(tr("{text} is not a share from 0 to 1.", text=text)) from None
        return PoolOptions(shares, self.items.value(), self.minimum.value(), self.seed.value())

    def show_cells(self, cells: tuple[QuotaCell, ...] | KnownError) -> None:
        """Show the quotas, or why there are none."""
        wrong = isinstance(cells, KnownError)
        self.problem.setVisible(wrong)
        if isinstance(cells, KnownError):
            self.problem.setText(cells.message)
            cells = ()
        rows = [
            (
                Cell(cell.language),
                Cell(cell.area),
                Cell(f"{cell.seed:,}", cell.seed),
                Cell(f"{cell.share:.2f}", cell.share),
                Cell(str(cell.quota), cell.quota),
                Cell(str(cell.pool), cell.pool),
            )
            for cell in cells
        ]
        headers = (tr("language"), tr("area"), tr("questions"), tr("share"), tr("quota"), tr("pool"))
        self.table.set_rows(headers, rows, list(cells), stretch=1)
        quota, pool = sum(cell.quota for cell in cells), sum(cell.pool for cell in cells)
        self.total.setText(
            tr("{quota} wanted, {pool} to inspect", quota=f"{quota:,}", pool=f"{pool:,}") if cells else ""
        )

    def _text(self, row: int, column: int) -> str:
        item = self.shares.item(row, column)
        return item.text().strip() if item is not None else ""

    def _changed(self, _value: object = None) -> None:
        self.edited.emit()
