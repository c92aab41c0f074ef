"""Quotas from area shares: the quota of each language, and the size of its inspection pool."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from annotator.base.errors import KnownError, UsageError
from annotator.mining.quota_plan import PUBLISHED_SHARES
from annotator.mining.quota_plan import LanguageQuota as QuotaCell
from annotator.services.sources.stackexchange_survey import PoolOptions
from annotator.ui.app.translation import tr
from annotator.ui.widgets.fields import number_box
from annotator.ui.widgets.labels import label, set_label_text
from annotator.ui.widgets.layouts import fill_layout, make_column, make_splitter
from annotator.ui.widgets.table import Cell, DataTable, count_cell


class PoolPanel(QWidget):
    """Edits the shares and shows the resulting quotas; `edited` is emitted on every change."""

    edited = Signal()

    def __init__(self) -> None:
        """Start with the published shares."""
        super().__init__()
        self.shares = QTableWidget(0, 2)
        self.shares.setAccessibleName(tr("Share of each area"))
        self.shares.setHorizontalHeaderLabels([tr("area"), tr("share")])
        self.shares.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.shares.verticalHeader().hide()
        self.items = number_box(1, 1_000_000, 200, tr("Size"))
        self.minimum = number_box(0, 100_000, 10, tr("Minimum"))
        self.seed = number_box(0, 2_000_000_000, 1, tr("Seed"))
        row = QHBoxLayout()
        for box in (self.items, self.minimum, self.seed):
            box.valueChanged.connect(self.edited)
            fill_layout(row, label(box.accessibleName(), "dim"), box)
        self.total = label("", "section")
        fill_layout(row, None, self.total)
        self.problem = label("", "problem", wrap=True)
        self.problem.hide()
        self.table = DataTable(tr("Quota per language"))
        across = make_splitter(Qt.Orientation.Horizontal, self.shares, self.table, sizes=[250, 410], handle=None)
        make_column(self, row, (across, 1), self.problem, spacing=8)
        for area, share in PUBLISHED_SHARES.items():
            self._add_share(area, share)
        self.shares.itemChanged.connect(self.edited)

    def set_areas(self, by_area: Mapping[str, Mapping[str, int]]) -> None:
        """Add the missing areas of the tag tree, with a share of 0."""
        known_areas = {self._text(place, 0) for place in range(self.shares.rowCount())}
        self.shares.blockSignals(True)
        for area in by_area:
            if area not in known_areas:
                self._add_share(area, 0.0)
        self.shares.blockSignals(False)

    def _add_share(self, area: str, share: float) -> None:
        place = self.shares.rowCount()
        self.shares.insertRow(place)
        self.shares.setItem(place, 0, QTableWidgetItem(area))
        self.shares.setItem(place, 1, QTableWidgetItem(f"{share:g}"))

    def options(self) -> PoolOptions:
        """Return the entered options. Raises `UsageError` for a share that is not a number."""
        shares = {}
        for place in range(self.shares.rowCount()):
            text = self._text(place, 1).replace(",", ".") or "0"
            try:
                shares[self._text(place, 0)] = float(text)
            except ValueError:
                raise UsageError(tr("{text} is not a share from 0 to 1.", text=text)) from None
        return PoolOptions(shares, self.items.value(), self.minimum.value(), self.seed.value())

    def show_cells(self, cells: tuple[QuotaCell, ...] | KnownError) -> None:
        """Show the quotas, or the error that prevents them."""
        set_label_text(self.problem, cells.message if isinstance(cells, KnownError) else "")
        if isinstance(cells, KnownError):
            cells = ()
        rows = [
            (
                Cell(cell.language),
                Cell(cell.area),
                count_cell(cell.seed),
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
            tr("{quota} in the quotas, {pool} to inspect", quota=f"{quota:,}", pool=f"{pool:,}") if cells else ""
        )

    def _text(self, row: int, column: int) -> str:
        item = self.shares.item(row, column)
        return item.text().strip() if item is not None else ""
