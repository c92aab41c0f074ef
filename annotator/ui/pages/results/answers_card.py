"""The answers behind a cell: filters above, tokens, price and time as columns, the next failure, and saving them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout

from annotator.base import clock
from annotator.model.rows.results import ItemScoreRow, Usage
from annotator.services.results.answer_list import FAILED, IN_DOUBT, NO_ANSWERS, OUTCOMES, AnswerFilter
from annotator.ui.app.relative_time import ago
from annotator.ui.app.translation import mark_for_translation, tr, tr_count, translate_word
from annotator.ui.pages.shared.rule_words import mode_word
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.fields import choice_box, search_line
from annotator.ui.widgets.labels import button, shorten_middle
from annotator.ui.widgets.layouts import fill_layout, make_flow
from annotator.ui.widgets.table import Cell, DataTable
from annotator.ui.widgets.timers import debounce

_TYPING_MS = 200


class AnswersCard(Card):
    """Lists answers; `filtered` asks for others, `shown` carries the row of the one to be explained."""

    filtered = Signal()
    shown = Signal(object)
    saved = Signal()
    """What is selected, or else everything listed, is to be written into a file."""

    def __init__(self) -> None:
        """List nothing yet."""
        super().__init__(tr("Items"))
        self.outcome = choice_box(tr("Outcome"), [(tr("all outcomes"), "")])
        self.outcome.setMinimumContentsLength(11)
        groups = {
            FAILED: tr("failed, all kinds"),
            NO_ANSWERS: tr("no answer, all kinds"),
            IN_DOUBT: tr("in doubt, all kinds"),
        }
        for name in OUTCOMES:
            self.outcome.addItem(groups.get(name) or translate_word(name), name)
        self.words = search_line(tr("Search answers and logs"))
        self.words.setToolTip(
            tr("Words in the answer, in what the tests said, or in a rule that failed; a phrase stands in quotes")
        )
        self.changed = QCheckBox(tr("changed"))
        self.changed.setToolTip(tr("Only answers with another outcome than in the model's run before"))
        self.save = button(tr("Save…"), clicked=self.saved, tip=tr("Write the selected answers, or all listed"))
        self.table = DataTable(tr("Items"), selected=self.shown)
        self.table.least_rows = 2
        row = fill_layout(QHBoxLayout(), make_flow(self.outcome, self.changed), (self.words, 1), spacing=8, margin=0)
        self.head.addWidget(self.save)
        fill_layout(self.body, row, (self.table, 1))
        self._typing = debounce(self, _TYPING_MS, self.filtered.emit)
        self.words.textChanged.connect(self._typing.start)
        self.outcome.currentIndexChanged.connect(self.filtered)
        self.changed.toggled.connect(self.filtered)

    def read_filter(self) -> AnswerFilter:
        """Return which answers are wanted."""
        return AnswerFilter(str(self.outcome.currentData()), self.words.text(), self.changed.isChecked())

    def clear_filter(self) -> None:
        """Want all answers, without telling anybody."""
        with QSignalBlocker(self.outcome), QSignalBlocker(self.words), QSignalBlocker(self.changed):
            self.outcome.setCurrentIndex(0)
            self.words.clear()
            self.changed.setChecked(False)

    def show_rows(
        self, title: str, rows: Sequence[ItemScoreRow], *, by_model: bool, chosen: int, asked: str = ""
    ) -> None:
        """List answers, named by their model or by their item, and show the chosen one; ``asked`` is when, if once."""
        shared = any(row.mode == "shared" for row in rows)
        used = [name for name in _USED if any(getattr(row.usage, name) is not None for row in rows)]
        lines = [
            (
                *response_cells(row.model if by_model else row.title, row),
                *(_usage_cell(row.usage, name) for name in used),
                *([Cell(mode_word(row.mode))] if shared else []),
            )
            for row in rows
        ]
        headers = (
            "model" if by_model else "item", tr("sample"), tr("outcome"), tr("score %"),
            *(_USED[name] for name in used), *([tr("mode")] if shared else []),
        )  # fmt: skip
        self.table.set_rows(headers, lines, list(rows), spare=(1, *range(_OWN_COLUMNS, len(headers))))
        self.set_title(shorten_middle(title, 40))
        count = tr_count("{count} response", "{count} responses", len(rows))
        self.set_trailing(tr("{count} · run {when}", count=count, when=ago(clock.parse(asked))) if asked else count)
        if rows:
            self.table.select(chosen)

    def next_failed(self) -> bool:
        """Go to the next answer that did not pass, from the top again after the last; returns whether there is one."""
        rows, at = self.table.shown_payloads(), self.table.currentIndex().row()
        for step in range(1, len(rows) + 1):
            place = (at + step) % len(rows)
            if rows[place].outcome != "pass":
                self.table.select(place)
                return True
        return False

    def chosen_rows(self) -> list[ItemScoreRow]:
        """Return the selected rows if there are several, else all of them, in the order shown."""
        selected = self.table.selected_payloads()
        return selected if len(selected) > 1 else self.table.shown_payloads()


_OWN_COLUMNS = 4
"""Name, sample, outcome and score; what follows gives way where there is no room, and then the sample."""
_USED = {
    "prompt_tokens": mark_for_translation("prompt tokens"),
    "completion_tokens": mark_for_translation("completion tokens"),
    "cost": "cost",
    "seconds": "seconds",
}


def _usage_cell(usage: Usage, name: str) -> Cell:
    value = getattr(usage, name)
    if value is None:
        return Cell("n/a", -1.0)
    return Cell(f"{value:.4f}" if name == "cost" else f"{value:.1f}" if name == "seconds" else str(value), value)


def response_cells(name: str, row: ItemScoreRow) -> tuple[Cell, ...]:
    """Return a response's line in a table: a name, the number of the sample, the outcome and the score."""
    return (
        Cell(name),
        Cell(str(row.sample + 1), row.sample),
        Cell(translate_word(row.outcome)),
        Cell("n/a", -1.0) if row.score is None else Cell(f"{row.score * 100:.2f}", row.score),
    )
