"""Quotas from area shares: what is wanted of each language, and how many to draw for inspection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QSplitter,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from annotator.base.errors import KnownError
from annotator.ui.widgets.labels import label, number_box
from annotator.ui.widgets.table import Cell, DataTable
from annotator.ui.words import tr

if TYPE_CHECKING:
    from annotator.mining.quotas import Cell as QuotaCell
    from annotator.services.surveying import PoolOptions


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
        across = QSplitter(Qt.Orientation.Horizontal)
        across.setChildrenCollapsible(False)
        across.addWidget(self.shares)
        across.addWidget(self.table)
        across.setSizes([250, 410])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addLayout(row)
        layout.addWidget(across, 1)
        layout.addWidget(self.problem)
        self._fill()
        self.shares.itemChanged.connect(self._changed)

    def _fill(self) -> None:
        from annotator.mining.quotas import PUBLISHED_SHARES

        for place, (area, share) in enumerate(PUBLISHED_SHARES.items()):
            self.shares.insertRow(place)
            self.shares.setItem(place, 0, QTableWidgetItem(area))
            self.shares.setItem(place, 1, QTableWidgetItem(f"{share:g}"))

    def set_areas(self, by_area: Mapping[str, Mapping[str, int]]) -> None:
        """Add areas of the tag tree that have no line yet, with a share of 0."""
        known = {self._text(place, 0) for place in range(self.shares.rowCount())}
        self.shares.blockSignals(True)
        for area in by_area:
            if area not in known:
                place = self.shares.rowCount()
                self.shares.insertRow(place)
                self.shares.setItem(place, 0, QTableWidgetItem(area))
                self.shares.setItem(place, 1, QTableWidgetItem("0"))
        self.shares.blockSignals(False)

    def options(self) -> PoolOptions:
        """Return what is entered. Raises `UsageError` for a share that is no number."""
        from annotator.base.errors import UsageError
        from annotator.services.surveying import PoolOptions

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
        self.table.set_rows(
            (tr("language"), tr("area"), tr("questions"), tr("share"), tr("quota"), tr("pool")),
            rows,
            list(cells),
            stretch=1,
        )
        quota, pool = sum(cell.quota for cell in cells), sum(cell.pool for cell in cells)
        self.total.setText(
            tr("{quota} wanted, {pool} to inspect", quota=f"{quota:,}", pool=f"{pool:,}") if cells else ""
        )

    def _text(self, row: int, column: int) -> str:
        item = self.shares.item(row, column)
        return item.text().strip() if item is not None else ""

    def _changed(self, _value: object = None) -> None:
        self.edited.emit()
