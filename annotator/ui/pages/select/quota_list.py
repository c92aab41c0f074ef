"""The list of the project's quotas with their progress, and the dialog that edits them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialogButtonBox, QHeaderView, QListWidgetItem, QMenu, QWidget

from annotator.base.errors import KnownError
from annotator.mining.quota_plan import DIMENSIONS, parse_quotas
from annotator.model.rows.queue_rows import QuotaRow, SubjectRow
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr, translate_word
from annotator.ui.widgets.bar_list import Bar, BarList
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.fields import EntryTable
from annotator.ui.widgets.labels import OptionalLabel, button, label
from annotator.ui.widgets.layouts import make_row


class QuotaDialog(Dialog):
    """Edits quotas; `rows` holds the entered quotas after the dialog was accepted."""

    def __init__(self, parent: QWidget, rows: Sequence[dict[str, Any]]) -> None:
        """``rows`` are quotas as `annotator.mining.quota_plan.quotas_json` returns them."""
        super().__init__(parent, tr("Quotas of the project"), size=(720, 460))
        self.rows: list[dict[str, Any]] = []
        self._columns = (*DIMENSIONS, "wanted")
        self.table = EntryTable(tr("Quotas"), [translate_word(name) for name in (*DIMENSIONS, "target")])
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.table.horizontalHeader().setStretchLastSection(True)
        self.table.verticalHeader().hide()
        self.problem = OptionalLabel("problem")
        add_button = button(tr("Add a quota"), clicked=self._add)
        remove_button = button(tr("Remove selected"), clicked=self.table.remove_selected)
        self.buttons = self.make_buttons(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        about = tr("Target number of accepted subjects with these values. An empty cell matches any value.")
        below = make_row(add_button, remove_button, None, self.buttons)
        parts = (label(about, "dim", wrap=True), (self.table, 1), self.problem, below)
        self.lay_out(*parts)
        for row in rows:
            self._insert(row)

    def accept(self) -> None:
        """Accept valid quotas; show the problem of invalid ones."""
        rows = self._entered_rows()
        try:
            parse_quotas(rows)
        except KnownError as error:
            self.problem.setText(error.message)
            return
        self.rows = rows
        super().accept()

    def _insert(self, row: dict[str, Any]) -> None:
        target = self.table.add_row([str(row.get(name, "")) for name in self._columns])[-1]
        target.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)

    def _add(self) -> None:
        self._insert({"wanted": 10})
        self.table.setCurrentCell(self.table.rowCount() - 1, 0)
        self.table.setFocus()

    def _entered_rows(self) -> list[dict[str, Any]]:
        rows = []
        for typed_texts in self.table.texts():
            *_, count_text = texts = [text.strip() for text in typed_texts]
            if any(texts):
                row: dict[str, Any] = {name: text for name, text in zip(DIMENSIONS, texts, strict=False) if text}
                row["wanted"] = int(count_text) if count_text.isascii() and count_text.isdecimal() else count_text
                rows.append(row)
        return rows


class QuotaList(BarList):
    """The quotas of the project; `quota_chosen` carries the quota to show subjects of, or None to show all."""

    quota_chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, tr("Quotas"), parent)
        self.setToolTip(tr("Double-click or Return shows the subjects of a quota; repeat to show all"))
        self.itemActivated.connect(self._toggle_quota)
        self._shown_quota: QuotaRow | None = None
        self._subject: SubjectRow | None = None

    def set_rows(self, rows: Sequence[QuotaRow]) -> None:
        """Update the quotas in place; those of the marked subject are bold."""
        self.set_bars([self._bar(row) for row in rows], rows)

    def rows(self) -> tuple[QuotaRow, ...]:
        """Return the quotas in the list."""
        return self.payloads()

    def mark(self, subject: SubjectRow | None) -> None:
        """Mark the quotas a subject counts towards and scroll to the first of them."""
        self._subject, rows = subject, self.rows()
        self.set_rows(rows)
        first_index = next((index for index, row in enumerate(rows) if self._counts_marked_subject(row)), None)
        if first_index is not None:
            self.scrollToItem(self.item(first_index))

    def _counts_marked_subject(self, row: QuotaRow) -> bool:
        return self._subject is not None and row.holds(self._subject)

    def _bar(self, row: QuotaRow) -> Bar:
        is_full = row.filled >= row.target
        is_unreachable = not is_full and row.target - row.filled > row.open
        sign, kind = "", ""
        if is_full:
            sign, kind = " ✓", "good"
        elif is_unreachable:
            sign, kind = " !", "attention"
        return Bar(
            label=row.label,
            number=f"{row.filled} / {row.target}{sign}",
            share=row.filled / row.target if row.target else 1.0,
            summary=tr(
                "{label}: {filled} of {wanted}, {open} open",
                label=row.label,
                filled=row.filled,
                wanted=row.target,
                open=row.open,
            ),
            kind=kind,
            is_marked=self._counts_marked_subject(row),
        )

    def _fill_menu(self, menu: QMenu) -> None:
        item = self.currentItem()
        action = menu.addAction(tr("Show all candidates") if self._is_shown(item) else tr("Show its candidates"))
        action.triggered.connect(partial(self._toggle_quota, item))
        menu.setDefaultAction(action)
        super()._fill_menu(menu)

    def _is_shown(self, item: QListWidgetItem) -> bool:
        row: QuotaRow = item.data(Qt.ItemDataRole.UserRole)
        return self._shown_quota is not None and self._shown_quota.values == row.values

    def _toggle_quota(self, item: QListWidgetItem, _checked: bool = False) -> None:
        self._shown_quota = None if self._is_shown(item) else item.data(Qt.ItemDataRole.UserRole)
        self.quota_chosen.emit(self._shown_quota)
