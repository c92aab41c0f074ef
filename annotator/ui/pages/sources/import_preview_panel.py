"""What an import would bring, before it is made: the format, the first items, and what would be left out."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from annotator.formats.registry import IMPORTS, is_response_format
from annotator.services.sources.import_preview import ITEMS_SHOWN, ImportPreview, name_columns
from annotator.ui.app.translation import tr, tr_message, translate_word
from annotator.ui.widgets.fields import line_edit
from annotator.ui.widgets.labels import button, join_list, label
from annotator.ui.widgets.layouts import make_column, make_row
from annotator.ui.widgets.table import Cell, DataTable, count_cell

_LINES = 5


class ImportPreviewPanel(QWidget):
    """Shows the first items of what was chosen; nothing is imported before somebody says so."""

    accepted = Signal()
    cancelled = Signal()

    def __init__(self) -> None:
        """Make the panel, empty."""
        super().__init__()
        self.setObjectName("import-preview")
        self.heading = label("", wrap=True)
        self.items = DataTable(tr("First items"))
        self.left_out = label("", "dim", wrap=True)
        self.lacking = label("", wrap=True)
        self.libraries = line_edit(tr("Libraries that they need"), tr("such as rsa==4.9 gmpy2"))
        self.warning = label("", "problem", wrap=True)
        self.take = button(tr("Import"), primary=True, clicked=self.accepted.emit)
        self.leave = button(tr("Cancel"), clicked=self.cancelled.emit)
        acts = make_row(self.take, self.leave, None)
        needs = (self.lacking, self.libraries)
        make_column(self, self.heading, self.items, self.left_out, *needs, self.warning, acts, spacing=8)

    def wanted_libraries(self) -> tuple[str, ...]:
        """Return the libraries that were named, if they were asked for."""
        return tuple(self.libraries.text().replace(",", " ").split()) if self.libraries.isVisibleTo(self) else ()

    def show_preview(self, name: str, preview: ImportPreview) -> None:
        """Show what would come of a file or folder called ``name``."""
        titles = {item.name: translate_word(item.title) for item in IMPORTS}
        format = titles.get(preview.format, preview.format)
        more = len(preview.items) == ITEMS_SHOWN
        self.heading.setText(
            tr("{name} is read as {format}. It begins with:", name=name, format=format)
            if more
            else tr("{name} is read as {format}.", name=name, format=format)
        )
        rows = [
            (
                Cell(item.title),
                Cell(item.language),
                count_cell(len(item.tests)),
                Cell(tr("yes") if item.reference else tr("no")),
                Cell(item.licence or tr("not known")),
            )
            for item in preview.items
        ]
        self.items.set_rows((tr("title"), tr("language"), tr("tests"), tr("reference"), tr("licence")), rows, rows)
        self.items.setVisible(bool(rows))
        header, lines = self.items.horizontalHeader().sizeHint().height(), self.items.verticalHeader().length()
        self.items.setFixedHeight(header + lines + 2 * self.items.frameWidth())
        self.left_out.setText(tr("Columns left out: {columns}.", columns=join_list(name_columns(preview.ignored))))
        self.left_out.setVisible(bool(preview.ignored))
        names = join_list(preview.lacking)
        self.lacking.setText(
            tr("They import {modules}, which the sandbox does not have. Name what they need:", modules=names)
        )
        self.libraries.clear()
        for widget in (self.lacking, self.libraries):
            widget.setVisible(bool(preview.lacking))
        answers = is_response_format(preview.format)
        warnings = [tr_message(warning) for warning in preview.warnings]
        warnings += [str(error) for error in preview.errors[:_LINES]]
        if answers:
            warnings.append(
                tr(
                    "These are answers of models, not candidates. To score them, choose them by Recorded… on the page "
                    "Runs; without a release, the command annotator import reads them."
                )
            )
        self.warning.setText("\n".join(warnings))
        self.warning.setVisible(bool(warnings))
        self.take.setEnabled(not answers)
        (self.leave if answers else self.take).setFocus()
