"""The rater's own verdicts on a study, and the selected pair as it was shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from annotator.model.rows.judging_rows import OwnVerdict
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr, tr_count
from annotator.ui.pages.judge.pair_panel import show_pair_sides
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.labels import label
from annotator.ui.widgets.layouts import arrange, make_splitter
from annotator.ui.widgets.table import Cell, DataTable


class OwnVerdicts(QWidget):
    """Lists verdicts; the selected one's pair is below, in the order it was shown in."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.table = DataTable(tr("Your verdicts"), selected=self._show_pair)
        self.remark = label("", "dim", wrap=True)
        self.first, self.second = CodeView(theme, tr("Candidate 1")), CodeView(theme, tr("Candidate 2"))
        for view in (self.first, self.second):
            view.setLineWrapMode(CodeView.LineWrapMode.WidgetWidth)
        pair = make_splitter(Qt.Orientation.Horizontal, Card("1", self.first), Card("2", self.second))
        listed = Card(tr("Your verdicts"), self.remark, (self.table, 1))
        arrange(QVBoxLayout(self), (make_splitter(Qt.Orientation.Vertical, listed, pair, sizes=(320, 260)), 1))

    def show_verdicts(self, verdicts: Sequence[OwnVerdict]) -> None:
        """List verdicts and select the newest."""
        words = {"1": tr("1 is better"), "2": tr("2 is better"), "tie": tr("Tie"), "both_bad": tr("Both bad")}
        self.remark.setText(
            tr_count("{count} verdict. Undo reverts the newest.", "{count} verdicts. Undo reverts the newest.",
                     len(verdicts))
            if verdicts
            else tr("You have not judged any pair of this study yet.")
        )  # fmt: skip
        lines = [
            (
                Cell(str(row.pair.position + 1), row.pair.position),
                Cell(row.title),
                Cell(words.get(row.choice, row.choice)),
                Cell(tr("repeated") if row.again else ""),
                Cell("n/a", -1.0)
                if row.seconds is None
                else Cell(tr("{seconds} s", seconds=f"{row.seconds:.0f}"), row.seconds),
                Cell(row.rationale),
            )
            for row in verdicts
        ]
        headers = (tr("pair"), tr("subject"), tr("verdict"), tr("shown"), tr("time"), tr("rationale"))
        self.table.set_rows(headers, lines, list(verdicts))
        if verdicts:
            self.table.select(len(verdicts) - 1)
        else:
            self._show_pair(None)

    def _show_pair(self, row: Any) -> None:
        show_pair_sides(row.pair if isinstance(row, OwnVerdict) else None, self.first, self.second)
