"""The preview of labels from other tools: the target of every question, the people, and the labels left out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QPlainTextEdit, QWidget

from annotator.services.sources import label_import
from annotator.services.sources.import_preview import read_pairs
from annotator.services.sources.label_import import LabelPreview, LabelReport
from annotator.services.sources.label_targets import JUDGEMENT, TARGETS, LabelChoices, split_people
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.session.session import Session
from annotator.ui.app.translation import tr, tr_count, translate_word
from annotator.ui.widgets.fields import choice_box, line_edit
from annotator.ui.widgets.labels import button, join_list, label
from annotator.ui.widgets.layouts import make_column, make_row
from annotator.ui.widgets.table import Cell, DataTable, moment_cell


class LabelPanel(QWidget):
    """Shows the outcome of an import of labels, updated after every choice."""

    imported = Signal(object)
    """The `LabelReport` of an import."""
    failed = Signal(object)
    """A `WorkFailure` to read or import."""

    def __init__(self, session: Session, store: Callable[[], ProjectFile]) -> None:
        """Build the empty panel; ``store`` returns the project."""
        super().__init__()
        self.setObjectName("label-preview")
        self._session, self._store = session, store
        self._path = Path()
        self.heading = label("", wrap=True)
        self.questions = QWidget()
        self._rows = make_column(self.questions, spacing=4)
        self.boxes: dict[str, QComboBox] = {}
        self.person = line_edit(
            tr("Person to use if the file names nobody"), tr("Person, if the file names nobody; 3=Ada, 4=Bob renames")
        )
        self.study = line_edit(tr("Name of the study"), tr("Name of the study of comparisons"))
        self.words = line_edit(tr("Meaning of values"), tr("Meaning of values: good=accept bad=reject"))
        self.add = QCheckBox(tr("Add tasks that are not in the project"))
        self.people = label("", "dim", wrap=True)
        self.examples = DataTable(tr("Preview of labels"))
        self.left_out = QPlainTextEdit()
        self.left_out.setReadOnly(True)
        self.left_out.setAccessibleName(tr("Left out"))
        self.left_out.setMaximumHeight(110)
        self.take = button(tr("Import"), primary=True, clicked=self.import_labels)
        buttons = make_row(self.take, button(tr("Cancel"), clicked=self.hide), None)
        choices = make_row(self.person, self.words, self.study, spacing=8)
        widgets = (self.questions, choices, self.add, self.people, self.examples, self.left_out, buttons)
        make_column(self, self.heading, *widgets, spacing=8)
        for field in (self.person, self.words, self.study):
            field.editingFinished.connect(self._reload_preview)
        self.add.toggled.connect(self._reload_preview)

    def choices(self) -> LabelChoices:
        """Return the current choices."""
        people, unnamed = split_people(self.person.text().split(","))
        return LabelChoices(
            targets={question: str(box.currentData()) for question, box in self.boxes.items()},
            words=dict(read_pairs(self.words.text())),
            people=people,
            person=", ".join(unnamed),
            add=self.add.isChecked(),
            study=self.study.text().strip() if self.study.isVisibleTo(self) else "",
        )

    def show_file(self, path: Path, preview: LabelPreview) -> None:
        """Show the preview of a file with the guessed targets."""
        self._path = path
        self._clear()
        for row in preview.questions:
            self._add_question(row)
        self._show(preview)
        self.show()
        self.take.setFocus()

    def _clear(self) -> None:
        self.boxes = {}
        while (item := self._rows.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()

    def _add_question(self, row: label_import.QuestionRow) -> None:
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
        text = label(answers, wrap=True)
        text.setBuddy(box)
        make_column(line, make_row((text, 1), box, spacing=8))
        self._rows.addWidget(line)

    def _reload_preview(self) -> None:
        if self.isVisible():
            work = partial(label_import.preview_labels, self._store(), self._path, self.choices())
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
            (Cell(one.subject), Cell(one.person), moment_cell(one.moment) if one.moment else Cell(""),
             Cell(f"{one.question}: {one.answer}"), Cell(one.becomes))
            for one in preview.examples
        ]  # fmt: skip
        self.examples.set_rows((tr("subject"), tr("who"), tr("when"), tr("answer"), tr("becomes")), rows, rows)
        self.examples.setVisible(bool(rows))
        header, lines = self.examples.horizontalHeader().sizeHint().height(), self.examples.verticalHeader().length()
        self.examples.setFixedHeight(header + lines + 2 * self.examples.frameWidth())
        left_out_lines = [*preview.bad, *preview.left_out]
        self.left_out.setPlainText("\n".join(left_out_lines))
        self.left_out.setVisible(bool(left_out_lines))
        taken_count = sum(row.taken for row in preview.questions) + preview.added_tasks
        self.take.setEnabled(taken_count > 0 and not preview.bad)

    def import_labels(self) -> None:
        """Import the labels with the current choices."""
        work = partial(label_import.import_labels, self._store(), self._path, self.choices())
        self.hide()
        self._session.act(work, self.imported.emit, self.failed.emit)


def describe_label_report(report: LabelReport) -> str:
    """Return the outcome of an import of labels as a sentence."""
    count = sum(report.added.values())
    text = tr_count("{count} label added", "{count} labels added", count)
    if report.known:
        text += tr(", {known} known", known=report.known)
    if report.new_people:
        text += tr("; new annotators: {names}", names=join_list(report.new_people))
    left_out = tr_count("{count} left out", "{count} left out", len(report.left_out)) if report.left_out else ""
    return f"{text}; {left_out}." if left_out else f"{text}."
