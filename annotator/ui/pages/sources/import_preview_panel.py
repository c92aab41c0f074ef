"""The previews of an import: of the rows and columns of a file of candidates, or of labels from another tool."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QHeaderView, QPlainTextEdit, QWidget

from annotator.formats.format_registry import IMPORTS, is_response_format
from annotator.formats.read.field_names import FIELDS
from annotator.services.sources import tool_labels
from annotator.services.sources.import_preview import (
    ImportPreview,
    Pairs,
    PreviewRow,
    name_columns,
    pairs_of_heads,
    read_pairs,
)
from annotator.services.sources.label_plan import JUDGEMENT, TARGETS, LabelChoices, split_people
from annotator.services.sources.tool_labels import LabelPreview, LabelReport
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.session.session import Session
from annotator.ui.app.translation import mark_for_translation, mark_words, tr, tr_count, tr_message, translate_word
from annotator.ui.widgets.fields import choice_box, line_edit
from annotator.ui.widgets.labels import OptionalLabel, button, join_list, label
from annotator.ui.widgets.layouts import fill_column, make_row
from annotator.ui.widgets.table import Cell, CellContent, DataTable, moment_cell


class LabelPanel(QWidget):
    """Previews an import of labels; every choice updates the preview."""

    imported = Signal(object)
    """The `LabelReport` of an import."""
    failed = Signal(object)
    """The `WorkFailure` of reading or importing."""

    def __init__(self, session: Session, store: Callable[[], ProjectFile]) -> None:
        """Build the empty panel; ``store`` returns the project."""
        super().__init__()
        self.setObjectName("label-preview")
        self._session, self._store = session, store
        self._path = Path()
        self.heading = label("", wrap=True)
        self.questions = QWidget()
        self._rows = fill_column(self.questions, spacing=4)
        self.boxes: dict[str, QComboBox] = {}
        self.person = line_edit(
            tr("Person to use if the file names nobody"), tr("Person, if the file names nobody; 3=Ada, 4=Bob renames")
        )
        self.study = line_edit(tr("Name of the study"), tr("Name of the study of comparisons"))
        self.words = line_edit(tr("Meaning of values"), tr("Meaning of values: good=accept bad=reject"))
        self.add_tasks = QCheckBox(tr("Add tasks that are not in the project"))
        self.people = label("", "dim", wrap=True)
        self.examples = DataTable(tr("Preview of labels"))
        self.left_out = QPlainTextEdit()
        self.left_out.setReadOnly(True)
        self.left_out.setAccessibleName(tr("Left out"))
        self.left_out.setMaximumHeight(110)
        self.import_button = button(tr("Import"), primary=True, clicked=self.import_labels)
        buttons = make_row(self.import_button, button(tr("Cancel"), clicked=self.hide), None)
        choices = make_row(self.person, self.words, self.study)
        widgets = (self.questions, choices, self.add_tasks, self.people, self.examples, self.left_out, buttons)
        fill_column(self, self.heading, *widgets)
        for field in (self.person, self.words, self.study):
            field.editingFinished.connect(self._reload_preview)
        self.add_tasks.toggled.connect(self._reload_preview)

    def choices(self) -> LabelChoices:
        """Return the current choices."""
        people, unnamed = split_people(self.person.text().split(","))
        return LabelChoices(
            targets={question: str(box.currentData()) for question, box in self.boxes.items()},
            words=dict(read_pairs(self.words.text())),
            people=people,
            person=", ".join(unnamed),
            add=self.add_tasks.isChecked(),
            study=self.study.text().strip() if self.study.isVisibleTo(self) else "",
        )

    def show_file(self, path: Path, preview: LabelPreview) -> None:
        """Show the preview of a file with the guessed targets."""
        self._path = path
        self.boxes = {}
        while (item := self._rows.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        for row in preview.questions:
            self._add_question(row)
        self._show(preview)
        self.show()
        self.import_button.setFocus()

    def _add_question(self, row: tool_labels.QuestionRow) -> None:
        box = choice_box(row.question, [(translate_word(target), target) for target in TARGETS])
        box.setCurrentIndex(box.findData(row.target))
        box.currentIndexChanged.connect(self._reload_preview)
        self.boxes[row.question] = box
        values = join_list(row.values)
        answers = tr_count(
            "{question}, {count} answer: {values}", "{question}, {count} answers: {values}", row.answers,
            question=row.question, values=values if len(values) < 80 else values[:79] + "…",
        )  # fmt: skip
        line = QWidget()
        question_label = label(answers, wrap=True)
        question_label.setBuddy(box)
        fill_column(line, make_row((question_label, 1), box))
        self._rows.addWidget(line)

    def _reload_preview(self) -> None:
        if self.isVisible():
            work = partial(tool_labels.preview_labels, self._store(), self._path, self.choices())
            self._session.run("read", work, self._show, self.failed.emit, latest="label-preview")

    def _show(self, preview: LabelPreview) -> None:
        self.heading.setText(
            tr(
                "{name} contains labels from {tool}. {matched} of its {tasks} tasks are in the project.",
                name=self._path.name, tool=preview.tool, tasks=preview.tasks, matched=preview.matched,
            )
        )  # fmt: skip
        new_names = [name for name, _, is_new in preview.people if is_new]
        known_names = [name for name, _, is_new in preview.people if not is_new]
        parts = [tr("Annotators: {names}.", names=join_list(known_names))] if known_names else []
        parts += [tr("New annotators: {names}.", names=join_list(new_names))] if new_names else []
        self.people.setText(" ".join(parts) or tr("The file names no annotators."))
        self.study.setVisible(any(row.target == JUDGEMENT for row in preview.questions))
        rows = [
            (example.subject, example.person, moment_cell(example.moment) if example.moment else "",
             f"{example.question}: {example.answer}", example.becomes)
            for example in preview.examples
        ]  # fmt: skip
        self.examples.set_rows(mark_words("subject", "who", "when", "answer", "becomes"), rows, rows)
        self.examples.setVisible(bool(rows))
        header_height = self.examples.horizontalHeader().sizeHint().height()
        rows_height = self.examples.verticalHeader().length()
        self.examples.setFixedHeight(header_height + rows_height + 2 * self.examples.frameWidth())
        left_out_lines = [*preview.bad, *preview.left_out]
        self.left_out.setPlainText("\n".join(left_out_lines))
        self.left_out.setVisible(bool(left_out_lines))
        taken_count = sum(row.taken for row in preview.questions) + preview.added_tasks
        self.import_button.setEnabled(taken_count > 0 and not preview.bad)

    def import_labels(self) -> None:
        """Import the labels with the current choices."""
        work = partial(tool_labels.import_labels, self._store(), self._path, self.choices())
        self.hide()
        self._session.act(work, self.imported.emit, self.failed.emit)


def describe_label_report(report: LabelReport) -> str:
    """Return a sentence on the outcome of an import of labels."""
    count = sum(report.added.values())
    text = tr_count("{count} label added", "{count} labels added", count)
    if report.known:
        text += tr(", {known} known", known=report.known)
    if report.new_people:
        text += tr("; new annotators: {names}", names=join_list(report.new_people))
    left_out = tr_count("{count} left out", "{count} left out", len(report.left_out)) if report.left_out else ""
    return f"{text}; {left_out}." if left_out else f"{text}."


_NO_FIELD = ""
FIELD_NAMES: Mapping[str, str] = {
    "id": mark_for_translation("id"),
    "prompt": mark_for_translation("prompt"),
    "reference": mark_for_translation("reference"),
    "tests": mark_for_translation("tests"),
    "language": mark_for_translation("language"),
    "entry_point": mark_for_translation("entry point"),
    "title": mark_for_translation("title"),
    "domain": mark_for_translation("label: domain"),
    "area": mark_for_translation("label: area"),
    "difficulty": mark_for_translation("label: difficulty"),
    "question_type": mark_for_translation("label: question type"),
    "licence": mark_for_translation("licence"),
    "author": mark_for_translation("author"),
    "copyright": mark_for_translation("copyright notice"),
    "url": mark_for_translation("address"),
    "context": mark_for_translation("context"),
    "views": mark_for_translation("views"),
    "criterion": mark_for_translation("criterion"),
    "task": mark_for_translation("task family"),
}
"""Display names of the fields a column can hold, in menu order."""
_BOX_MARGIN, _BOX_GAP = 6, 4
_MIN_SECTION_WIDTH = 24


class ColumnHeads(QHeaderView):
    """The header of a preview: the name of each column with a combo box for its field below."""

    fields_chosen = Signal(object)
    """The mapping from column to field, after a change by the user."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setSectionsClickable(True)
        self._columns: tuple[str, ...] = ()
        self._first_box_section = 0
        self.boxes: list[QComboBox] = []
        self.sectionResized.connect(self.place_boxes)
        self.geometriesChanged.connect(self.place_boxes)

    def show_fields(self, columns: Sequence[str], fields: Mapping[str, str], first: int) -> None:
        """Show a combo box for each column from section ``first`` on; ``fields`` maps columns to fields."""
        for box in self.boxes:
            box.hide()
            box.deleteLater()
        self._columns, self._first_box_section = tuple(columns), first
        self.boxes = [self._make_box(name, fields.get(name, _NO_FIELD)) for name in columns]
        self.setMinimumSectionSize(
            max((box.sizeHint().width() + _BOX_MARGIN for box in self.boxes), default=_MIN_SECTION_WIDTH)
        )
        self.updateGeometry()
        self.place_boxes()

    def _make_box(self, column: str, field: str) -> QComboBox:
        choices = [(translate_word(FIELD_NAMES[name]), name) for name in FIELD_NAMES]
        # A field outside the menu comes from a typed mapping.
        choices += [(name, name) for name in FIELDS if name == field and name not in FIELD_NAMES]
        box = choice_box(tr("Meaning of {column}", column=column), [(tr("left out"), _NO_FIELD), *choices], letters=9)
        box.setCurrentIndex(max(0, box.findData(field)))
        box.setParent(self.viewport())
        box.activated.connect(partial(self._choose, column))
        box.show()
        return box

    def _choose(self, column: str, _index: int) -> None:
        """Assign a field to a column and remove it from any other column."""
        field = self.boxes[self._columns.index(column)].currentData()
        for name, box in zip(self._columns, self.boxes, strict=True):
            if field and name != column and box.currentData() == field:
                box.setCurrentIndex(0)
        pairs = zip(self._columns, self.boxes, strict=True)
        self.fields_chosen.emit({name: box.currentData() for name, box in pairs if box.currentData()})

    def sizeHint(self) -> QSize:
        """Return a height for the names and the boxes below them."""
        hint = super().sizeHint()
        if self.boxes:
            hint.setHeight(hint.height() + self.boxes[0].sizeHint().height() + _BOX_GAP)
        return hint

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the boxes again for the new size."""
        super().resizeEvent(event)
        self.place_boxes()

    def place_boxes(self, *_changed: int) -> None:
        """Place each box in its section; also connected to scrolling."""
        if self.boxes:
            self.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        for number, box in enumerate(self.boxes, start=self._first_box_section):
            height = box.sizeHint().height()
            width = self.sectionSize(number) - _BOX_MARGIN
            box.setVisible(width > 0 and not self.isSectionHidden(number))
            box.setGeometry(self.sectionViewportPosition(number), self.height() - height - _BOX_GAP, width, height)


_MAX_ERROR_LINES = 5
_MIN_VISIBLE_ROWS = 4
_MAX_CELL_CHARS = 300
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
        super().__init__()
        self.setObjectName("import-preview")
        self._columns: tuple[str, ...] = ()
        self.skips_bad_rows = False
        """Whether the import skips bad rows; only if the preview shows all of them."""
        self.heading = label("", wrap=True)
        self.column_heads = ColumnHeads()
        self.column_heads.fields_chosen.connect(self._choose_fields)
        self.items = DataTable(tr("First rows"), header=self.column_heads)
        self.items.horizontalScrollBar().valueChanged.connect(self.column_heads.place_boxes)
        self.left_out = OptionalLabel("dim")
        self.notes = OptionalLabel("dim")
        self.missing_modules = label("", wrap=True)
        self.libraries = line_edit(tr("Required libraries"), tr("such as rsa==4.9 gmpy2"))
        self.warning = OptionalLabel("problem")
        self.import_button = button(tr("Import"), primary=True, clicked=self.accepted.emit)
        self.cancel_button = button(tr("Cancel"), clicked=self.cancelled.emit)
        buttons = make_row(self.import_button, self.cancel_button, None)
        texts = (self.left_out, self.notes, self.missing_modules, self.libraries, self.warning)
        fill_column(self, self.heading, (self.items, 100), *texts, buttons, 1)

    def entered_libraries(self) -> tuple[str, ...]:
        """Return the entered libraries, empty if the field is hidden."""
        return tuple(self.libraries.text().replace(",", " ").split()) if self.libraries.isVisibleTo(self) else ()

    def show_preview(self, name: str, preview: ImportPreview) -> None:
        """Show the preview of a file or folder called ``name``."""
        self._columns = preview.columns
        are_answers = is_response_format(preview.format)
        counts = Counter[str](row.state for row in preview.rows)
        self.heading.setText(_heading(name, preview, counts))
        self._show_rows(preview)
        names = join_list(name_columns(preview.ignored))
        self.left_out.setText(tr("Columns left out: {columns}.", columns=names) if names else "")
        self.notes.setText("\n".join(tr_message(note) for note in preview.notes))
        modules = join_list(preview.lacking)
        self.missing_modules.setText(
            tr(
                "The items import {modules}, which the sandbox does not have. Enter the required packages:",
                modules=modules,
            )
        )
        self.libraries.clear()
        for widget in (self.missing_modules, self.libraries):
            widget.setVisible(bool(preview.lacking))
        self._show_warnings(preview, are_answers=are_answers)
        good_count = counts["read"] + counts["known"] + counts["changed"]
        self.skips_bad_rows = good_count > 0 and counts["bad"] > 0 and not preview.has_more
        self.import_button.setText(
            tr_count("Import {count} good row", "Import {count} good rows", good_count)
            if self.skips_bad_rows
            else tr("Import")
        )
        has_rows = good_count > 0 or preview.has_more or not preview.columns
        self.import_button.setEnabled(has_rows and not are_answers and not _lacks_prompt(preview))
        (self.import_button if self.import_button.isEnabled() else self.cancel_button).setFocus()

    def _show_rows(self, preview: ImportPreview) -> None:
        rows = preview.rows
        cells: list[tuple[CellContent, ...]]
        if preview.columns:
            headers = (mark_for_translation("row"), *preview.columns)
            cells = [(_state_cell(row), *(_text_cell(text) for text in _cells_of_row(row, preview))) for row in rows]
        else:
            headers = mark_words("row", "title", "language", "tests", "reference", "licence")
            cells = [(_state_cell(row), *_item_cells(row)) for row in rows]
        prompt = preview.mapping.get("prompt", "prompt")
        stretched_column = 1 + preview.columns.index(prompt) if prompt in preview.columns else 1
        fields = {preview.mapping.get(name, name): name for name in reversed(_fields_read(preview))}
        self.column_heads.show_fields(preview.columns, fields, 1)
        self.items.set_rows(headers, cells, rows, stretch=stretched_column)
        self.items.setVisible(bool(rows))
        row_height = self.items.verticalHeader().defaultSectionSize()
        other_height = self.column_heads.sizeHint().height() + self.items.horizontalScrollBar().sizeHint().height() + 4
        self.items.setMinimumHeight(other_height + min(len(rows), _MIN_VISIBLE_ROWS) * row_height)
        self.items.setMaximumHeight(other_height + len(rows) * row_height)

    def _show_warnings(self, preview: ImportPreview, *, are_answers: bool) -> None:
        warnings = [tr_message(warning) for warning in preview.warnings]
        error_lines = [str(error) for error in preview.errors[:_MAX_ERROR_LINES]]
        if _lacks_prompt(preview):
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

    def _choose_fields(self, fields: dict[str, str]) -> None:
        pairs: Pairs = pairs_of_heads(self._columns, fields)
        self.columns_chosen.emit(pairs)


def _heading(name: str, preview: ImportPreview, counts: Counter[str]) -> str:
    titles = {item.name: translate_word(item.title) for item in IMPORTS}
    title = titles.get(preview.format, preview.format)
    if not preview.rows:
        return tr("{name} read as {format}.", name=name, format=title)
    parts = [tr_count("{count} new row", "{count} new rows", counts["read"])]
    if counts["known"]:
        parts.append(tr("{count} known", count=counts["known"]))
    if counts["changed"]:
        parts.append(tr("{count} already there with other content (left unchanged)", count=counts["changed"]))
    if counts["bad"]:
        parts.append(tr("{count} bad", count=counts["bad"]))
    rows = join_list(parts)
    if preview.has_more:
        return tr("{name} read as {format}. First rows: {rows}.", name=name, format=title, rows=rows)
    return tr("{name} read as {format}: {rows}.", name=name, format=title, rows=rows)


def _lacks_prompt(preview: ImportPreview) -> bool:
    """Return whether a table has no column for the prompt; dots in the name lead to a field inside a column."""
    column = preview.mapping.get("prompt", "prompt")
    return bool(preview.columns) and not {column, column.partition(".")[0]} & set(preview.columns)


def _fields_read(preview: ImportPreview) -> list[str]:
    """Return the fields that have a column, mapped ones first."""
    own_names = [
        name for name in preview.columns if preview.mapping.get(name, name) == name and name not in preview.ignored
    ]
    return [*(name for name, column in preview.mapping.items() if column), *own_names]


def _cells_of_row(row: PreviewRow, preview: ImportPreview) -> tuple[str, ...]:
    return row.cells or ("",) * len(preview.columns)


def _text_cell(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _MAX_CELL_CHARS else plain[: _MAX_CELL_CHARS - 1] + "…"


def _state_cell(row: PreviewRow) -> Cell:
    """Return the cell with a row's line number and outcome."""
    text = tr("bad: {reason}", reason=row.reason) if row.state == "bad" else translate_word(_STATES[row.state])
    if row.reason and row.state != "bad":
        text = f"{text} ({row.reason})"
    return Cell(f"{row.line}: {text}" if row.line else text, f"{row.line:09}")


def _item_cells(row: PreviewRow) -> tuple[CellContent, ...]:
    item = row.item
    if item is None:
        return ("", "", 0, "", "")
    return (
        item.title,
        item.language,
        len(item.tests),
        tr("yes") if item.reference else tr("no"),
        item.licence or tr("not known"),
    )
