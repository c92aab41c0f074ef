"""The list of answers behind a cell of the results, with filters and usage columns."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox

from annotator.base import clock
from annotator.model.rows.result_rows import ItemScoreRow, Usage
from annotator.services.results.answer_list import AnswerFilter
from annotator.services.results.score_data import FAILED, IN_DOUBT, NO_ANSWERS, OUTCOMES
from annotator.ui.app.translation import mark_for_translation, mark_words, tr, tr_count, translate_word
from annotator.ui.pages.shared.fact_texts import scoring_mode_word
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.fields import choice_box, debounce, search_line
from annotator.ui.widgets.labels import ago_text, button, shorten_middle
from annotator.ui.widgets.layouts import fill_layout, make_flow, make_row
from annotator.ui.widgets.table import Cell, DataTable

_TYPING_MS = 200


class AnswersCard(Card):
    """Lists answers; `filter_changed` requests other rows, `answer_selected` carries the row of the answer to show."""

    filter_changed = Signal()
    answer_selected = Signal(object)
    save_requested = Signal()
    """Request to write the selected rows, or all listed ones, to a file."""

    def __init__(self) -> None:
        super().__init__(tr("Items"))
        self.outcome_box = choice_box(tr("Outcome"), [(tr("all outcomes"), "")])
        self.outcome_box.setMinimumContentsLength(11)
        groups = {
            FAILED: tr("any failure"),
            NO_ANSWERS: tr("any missing answer"),
            IN_DOUBT: tr("any doubtful verdict"),
        }
        for name in OUTCOMES:
            self.outcome_box.addItem(groups.get(name) or translate_word(name), name)
        self.search_field = search_line(tr("Search answers and logs"))
        self.search_field.setToolTip(tr("Words in the answer, the test log or a failed rule; use quotes for a phrase"))
        self.changed_box = QCheckBox(tr("changed"))
        self.changed_box.setToolTip(tr("Only answers whose outcome differs from the model's previous run"))
        self.save_button = button(
            tr("Save…"), clicked=self.save_requested, tip=tr("Save the selected answers, or all that are listed")
        )
        self.table = DataTable(tr("Items"), selected=self.answer_selected)
        self.table.min_rows = 2
        row = make_row(make_flow(self.outcome_box, self.changed_box), (self.search_field, 1))
        self.head.addWidget(self.save_button)
        fill_layout(self.body, row, (self.table, 1))
        self._typing_timer = debounce(self, _TYPING_MS, self.filter_changed.emit)
        self.search_field.textChanged.connect(self._typing_timer.start)
        self.outcome_box.currentIndexChanged.connect(self.filter_changed)
        self.changed_box.toggled.connect(self.filter_changed)

    def read_filter(self) -> AnswerFilter:
        """Return the current filter."""
        return AnswerFilter(str(self.outcome_box.currentData()), self.search_field.text(), self.changed_box.isChecked())

    def clear_filter(self) -> None:
        """Clear the filter without emitting `filter_changed`."""
        with QSignalBlocker(self.outcome_box), QSignalBlocker(self.search_field), QSignalBlocker(self.changed_box):
            self.outcome_box.setCurrentIndex(0)
            self.search_field.clear()
            self.changed_box.setChecked(False)

    def show_rows(
        self, title: str, rows: Sequence[ItemScoreRow], *, by_model: bool, current_index: int, run_created_at: str = ""
    ) -> None:
        """List answers, named by model or item, and select one; ``run_created_at`` is empty for several runs."""
        has_shared_mode = any(row.mode == "shared" for row in rows)
        used_columns = [name for name in _USAGE_HEADERS if any(getattr(row.usage, name) is not None for row in rows)]
        cells = [
            (
                *response_cells(row.model if by_model else row.title, row),
                *(_usage_cell(row.usage, name) for name in used_columns),
                *([Cell(scoring_mode_word(row.mode))] if has_shared_mode else []),
            )
            for row in rows
        ]
        headers = (
            "model" if by_model else "item", *mark_words("sample", "outcome", "score %"),
            *(_USAGE_HEADERS[name] for name in used_columns), *(mark_words("mode") if has_shared_mode else ()),
        )  # fmt: skip
        self.table.set_rows(headers, cells, list(rows), spare=(1, *range(_BASE_COLUMN_COUNT, len(headers))))
        self.set_title(shorten_middle(title, 40))
        count = tr_count("{count} response", "{count} responses", len(rows))
        self.set_trailing(
            tr("{count} · run {when}", count=count, when=ago_text(clock.parse_time(run_created_at)))
            if run_created_at
            else count
        )
        if rows:
            self.table.select(current_index)

    def next_failed(self) -> bool:
        """Select the next answer that did not pass, wrapping around; return whether there is one."""
        rows, current_row = self.table.view_payloads(), self.table.currentIndex().row()
        for step in range(1, len(rows) + 1):
            index = (current_row + step) % len(rows)
            if rows[index].outcome != "pass":
                self.table.select_view_row(index)
                return True
        return False

    def rows_to_save(self) -> list[ItemScoreRow]:
        """Return the selected rows if there are several, else all rows, in the order shown."""
        selected = self.table.selected_payloads()
        return selected if len(selected) > 1 else self.table.view_payloads()


_BASE_COLUMN_COUNT = 4
"""Name, sample, outcome and score; in a narrow table later columns are hidden first, then the sample."""
_USAGE_HEADERS = {
    "prompt_tokens": mark_for_translation("prompt tokens"),
    "completion_tokens": mark_for_translation("completion tokens"),
    "cost": "cost",
    "seconds": "seconds",
}


def _usage_cell(usage: Usage, name: str) -> Cell:
    value = getattr(usage, name)
    if value is None:
        return Cell("n/a", -1.0)
    formats = {"cost": ".4f", "seconds": ".1f"}
    return Cell(format(value, formats.get(name, "")), value)


def response_cells(name: str, row: ItemScoreRow) -> tuple[Cell, ...]:
    """Return the cells of a response: name, number of the sample, outcome and score."""
    return (
        Cell(name),
        Cell(str(row.sample + 1), row.sample),
        Cell(translate_word(row.outcome)),
        Cell("n/a", -1.0) if row.score is None else Cell(f"{row.score * 100:.2f}", row.score),
    )
