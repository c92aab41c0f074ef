"""The differences between two versions: items, effects on stored results, and a draft of the errata."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from annotator.model.rows.release_rows import ReleaseDiff
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, tr, translate_word
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.fields import choice_box, text_field
from annotator.ui.widgets.labels import Segments, button, join_list, label
from annotator.ui.widgets.layouts import make_column, make_row, make_stack
from annotator.ui.widgets.table import Cell, DataTable, count_cell

PRESENT = mark_for_translation("the current state")


class ChangesDialog(Dialog):
    """Compares two selectable versions; the present state is the newest."""

    comparison_requested = Signal(str, str)
    """Older and newer version to compare; the newer is empty for the present state."""
    errata_edited = Signal(str)
    """The errata of the next release, a sentence a line."""

    def __init__(self, theme: Theme, versions: Sequence[str], old: str, parent: QWidget) -> None:
        """Offer ``versions``, newest first; initially, ``old`` is compared with the present state."""
        super().__init__(parent)
        self.setWindowTitle(tr("Changes between versions"))
        version_choices = [(version, version) for version in versions]
        self.old = choice_box(tr("Older version"), version_choices)
        self.old.setCurrentText(old)
        self.new = choice_box(tr("Newer version"), [(translate_word(PRESENT), ""), *version_choices])
        for box in (self.old, self.new):
            box.setMinimumContentsLength(14)
            box.currentIndexChanged.connect(self.ask)
        self.summary = label("", "section", wrap=True)
        self.items, self.runs = DataTable(tr("Items that differ")), DataTable(tr("Stored results"))
        self.errata = text_field(tr("Errata"))
        self.errata.textChanged.connect(self._write)
        self.about = label("", "dim", wrap=True)
        errata = QWidget()
        make_column(errata, self.about, (self.errata, 1))
        self.stack = make_stack(self.items, self.runs, errata)
        parts = (tr("Items"), tr("Stored results"), tr("Errata"))
        self.faces = Segments(tr("Part"), parts, selected=self.stack.setCurrentIndex)
        head = make_row(label(tr("From"), "dim"), self.old, label(tr("to"), "dim"), self.new, None, spacing=8)
        foot = make_row(None, button(tr("Close"), primary=True, clicked=self.accept))
        make_column(self, head, self.summary, self.faces, (self.stack, 1), foot, spacing=12, margin=16)
        self.resize(theme.pixels(760), theme.pixels(560))

    def ask(self) -> None:
        """Request the comparison of the selected versions."""
        self.comparison_requested.emit(self.old.currentText(), self.new.currentData())

    def show_diff(self, diff: ReleaseDiff, errata: str | None) -> None:
        """Show a comparison; ``errata`` is the text written for the next release, None for the generated draft."""
        self.summary.setText(summarize_diff(diff))
        item_cells = [(Cell(tr("added")), Cell(item.title or item.key), Cell(""), Cell("")) for item in diff.added]
        item_cells += [
            (Cell(tr("removed")), Cell(item.title or item.key), Cell(""), Cell(tr("dropped"))) for item in diff.removed
        ]
        item_cells += [
            (Cell(tr("changed")), Cell(item.title or item.key), Cell(join_list(map(translate_word, item.fields))),
             Cell(tr("no longer valid") if item.void else tr("still valid")))
            for item in diff.changed
        ]  # fmt: skip
        self.items.set_rows(
            (tr("what"), tr("item"), tr("parts"), tr("earlier scores")), item_cells, item_cells, stretch=1
        )
        run_cells = [
            (Cell(run.model),
             *map(count_cell, (run.responses, run.void - run.ask_again, run.ask_again, run.dropped)))
            for run in diff.runs
        ]  # fmt: skip
        headers = (tr("run of"), tr("responses"), tr("to score again"), tr("to request again"), tr("dropped"))
        self.runs.set_rows(headers, run_cells, list(diff.runs), stretch=0)
        is_present_state = not diff.new
        self.errata.setReadOnly(not is_present_state)
        self.about.setText(
            tr("Notes for users of the older version, published with the next release. You can edit them.")
            if is_present_state
            else tr("Suggested notes for users of the older version.")
        )
        self.errata.blockSignals(True)
        self.errata.setPlainText("\n".join(diff.errata) if errata is None or not is_present_state else errata)
        self.errata.blockSignals(False)

    def _write(self) -> None:
        if not self.errata.isReadOnly():
            self.errata_edited.emit(self.errata.toPlainText())


def summarize_diff(diff: ReleaseDiff) -> str:
    """Return a comparison in two sentences."""
    counts = (
        tr("{count} added", count=len(diff.added)),
        tr("{count} removed", count=len(diff.removed)),
        tr("{count} changed", count=len(diff.changed)),
        tr("{same} unchanged", same=diff.same),
    )
    return tr(
        "Since {old}: {list}. Results can be compared on {count} items.",
        old=diff.old,
        list=join_list(counts),
        count=len(diff.comparable),
    )
