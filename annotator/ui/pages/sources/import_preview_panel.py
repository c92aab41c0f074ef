"""The preview of an import: its format, the outcome of each row, and the columns left out."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from annotator.formats.format_registry import IMPORTS, is_response_format
from annotator.services.sources.import_preview import (
    ImportPreview,
    Pairs,
    PreviewRow,
    name_columns,
    pairs_of_heads,
)
from annotator.ui.app.translation import mark_for_translation, tr, tr_count, tr_message, translate_word
from annotator.ui.pages.sources.column_heads import ColumnHeads
from annotator.ui.widgets.fields import line_edit
from annotator.ui.widgets.labels import button, join_list, label
from annotator.ui.widgets.layouts import make_column, make_row
from annotator.ui.widgets.table import Cell, DataTable, count_cell

_MAX_ERROR_LINES = 5
_MIN_VISIBLE_ROWS = 4
_MAX_CELL_LETTERS = 300
_STATES = {
    "read": mark_for_translation("new"),
    "known": mark_for_translation("known"),
    "changed": mark_for_translation("known, with other content"),
}


class ImportPreviewPanel(QWidget):
    """Shows the first rows of the chosen files; nothing is imported before the user confirms."""

    accepted = Signal()
    cancelled = Signal()
    columns_chosen = Signal(object)
    """The pairs of field and column, after the user assigned another field."""

    def __init__(self) -> None:
        """Build the empty panel."""
        super().__init__()
        self.setObjectName("import-preview")
        self._columns: tuple[str, ...] = ()
        self.leaves_bad = False
        """Whether the import skips the bad rows, all of which the preview has shown."""
        self.heading = label("", wrap=True)
        self.heads = ColumnHeads()
        self.heads.fields_chosen.connect(self._choose_fields)
        self.items = DataTable(tr("First rows"), header=self.heads)
        self.items.horizontalScrollBar().valueChanged.connect(self.heads.place_boxes)
        self.left_out = label("", "dim", wrap=True)
        self.notes = label("", "dim", wrap=True)
        self.lacking = label("", wrap=True)
        self.libraries = line_edit(tr("Required libraries"), tr("such as rsa==4.9 gmpy2"))
        self.warning = label("", "problem", wrap=True)
        self.take = button(tr("Import"), primary=True, clicked=self.accepted.emit)
        self.leave = button(tr("Cancel"), clicked=self.cancelled.emit)
        buttons = make_row(self.take, self.leave, None)
        texts = (self.left_out, self.notes, self.lacking, self.libraries, self.warning)
        make_column(self, self.heading, (self.items, 100), *texts, buttons, 1, spacing=8)

    def wanted_libraries(self) -> tuple[str, ...]:
        """Return the entered libraries, empty if the field is hidden."""
        return tuple(self.libraries.text().replace(",", " ").split()) if self.libraries.isVisibleTo(self) else ()

    def show_preview(self, name: str, preview: ImportPreview) -> None:
        """Show the preview of a file or folder called ``name``."""
        self._columns = preview.columns
        are_answers = is_response_format(preview.format)
        counts = Counter[str](row.state for row in preview.rows)
        self.heading.setText(_heading(name, preview, counts))
        self._show_rows(preview)
        self.left_out.setText(tr("Columns left out: {columns}.", columns=join_list(name_columns(preview.ignored))))
        self.left_out.setVisible(bool(preview.ignored))
        self.notes.setText("\n".join(tr_message(note) for note in preview.notes))
        self.notes.setVisible(bool(preview.notes))
        names = join_list(preview.lacking)
        self.lacking.setText(
            tr(
                "The items import {modules}, which the sandbox does not have. Enter the required packages:",
                modules=names,
            )
        )
        self.libraries.clear()
        for widget in (self.lacking, self.libraries):
            widget.setVisible(bool(preview.lacking))
        self._show_warnings(preview, are_answers=are_answers)
        good_count = counts["read"] + counts["known"] + counts["changed"]
        self.leaves_bad = good_count > 0 and counts["bad"] > 0 and not preview.has_more
        self.take.setText(
            tr_count("Import {count} good row", "Import {count} good rows", good_count)
            if self.leaves_bad
            else tr("Import")
        )
        self.take.setEnabled(not are_answers and (good_count > 0 or preview.has_more or not preview.columns))
        (self.take if self.take.isEnabled() else self.leave).setFocus()

    def _show_rows(self, preview: ImportPreview) -> None:
        rows = preview.rows
        if preview.columns:
            headers = (tr("row"), *preview.columns)
            cells = [(_state_cell(row), *(_cell(text) for text in _padded(row, preview))) for row in rows]
        else:
            headers = (tr("row"), tr("title"), tr("language"), tr("tests"), tr("reference"), tr("licence"))
            cells = [(_state_cell(row), *_item_cells(row)) for row in rows]
        prompt = preview.mapping.get("prompt", "prompt")
        stretched_column = 1 + preview.columns.index(prompt) if prompt in preview.columns else 1
        fields = {preview.mapping.get(name, name): name for name in reversed(_fields_read(preview))}
        self.heads.show_fields(preview.columns, fields, 1)
        self.items.set_rows(headers, cells, rows, stretch=stretched_column)
        self.items.setVisible(bool(rows))
        row_height = self.items.verticalHeader().defaultSectionSize()
        other_height = self.heads.sizeHint().height() + self.items.horizontalScrollBar().sizeHint().height() + 4
        self.items.setMinimumHeight(other_height + min(len(rows), _MIN_VISIBLE_ROWS) * row_height)
        self.items.setMaximumHeight(other_height + len(rows) * row_height)

    def _show_warnings(self, preview: ImportPreview, *, are_answers: bool) -> None:
        warnings = [tr_message(warning) for warning in preview.warnings]
        error_lines = [str(error) for error in preview.errors[:_MAX_ERROR_LINES]]
        if preview.columns and preview.mapping.get("prompt", "prompt") not in preview.columns:
            warnings.append(tr("Choose the column that contains the prompt, in the box above it."))
            error_lines = []
        elif len(preview.errors) > _MAX_ERROR_LINES:
            error_lines.append(
                tr("{count} more rows are bad; the table shows them.", count=len(preview.errors) - _MAX_ERROR_LINES)
            )
        warnings += error_lines
        if are_answers:
            warnings.append(
                tr(
                    "These are answers of models, not candidates. To score them, use Recorded… on the Runs page; "
                    "without a release, use the command annotator import."
                )
            )
        self.warning.setText("\n".join(warnings))
        self.warning.setVisible(bool(warnings))

    def _choose_fields(self, fields: dict[str, str]) -> None:
        pairs: Pairs = pairs_of_heads(self._columns, fields)
        self.columns_chosen.emit(pairs)


def _heading(name: str, preview: ImportPreview, counts: Counter[str]) -> str:
    titles = {item.name: translate_word(item.title) for item in IMPORTS}
    format = titles.get(preview.format, preview.format)
    if not preview.rows:
        return tr("{name} read as {format}.", name=name, format=format)
    parts = [tr_count("{count} new row", "{count} new rows", counts["read"])]
    if counts["known"]:
        parts.append(tr("{count} known", count=counts["known"]))
    if counts["changed"]:
        parts.append(tr("{count} known with other content (left unchanged)", count=counts["changed"]))
    if counts["bad"]:
        parts.append(tr("{count} bad", count=counts["bad"]))
    rows = join_list(parts)
    if preview.has_more:
        return tr("{name} read as {format}. First rows: {rows}.", name=name, format=format, rows=rows)
    return tr("{name} read as {format}: {rows}.", name=name, format=format, rows=rows)


def _fields_read(preview: ImportPreview) -> list[str]:
    """Return the fields that are read from a column, mapped ones first."""
    own_names = [
        name for name in preview.columns if preview.mapping.get(name, name) == name and name not in preview.ignored
    ]
    return [*(name for name, column in preview.mapping.items() if column), *own_names]


def _padded(row: PreviewRow, preview: ImportPreview) -> tuple[str, ...]:
    return row.cells or ("",) * len(preview.columns)


def _cell(text: str) -> Cell:
    plain = " ".join(text.split())
    return Cell(plain if len(plain) <= _MAX_CELL_LETTERS else plain[: _MAX_CELL_LETTERS - 1] + "…")


def _state_cell(row: PreviewRow) -> Cell:
    """Return the cell with a row's line number and outcome."""
    text = tr("bad: {reason}", reason=row.reason) if row.state == "bad" else translate_word(_STATES[row.state])
    if row.reason and row.state != "bad":
        text = f"{text} ({row.reason})"
    return Cell(f"{row.line}: {text}" if row.line else text, f"{row.line:09}")


def _item_cells(row: PreviewRow) -> tuple[Cell, ...]:
    item = row.item
    if item is None:
        return (Cell(""), Cell(""), count_cell(0), Cell(""), Cell(""))
    return (
        Cell(item.title),
        Cell(item.language),
        count_cell(len(item.tests)),
        Cell(tr("yes") if item.reference else tr("no")),
        Cell(item.licence or tr("not known")),
    )
