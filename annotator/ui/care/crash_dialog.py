"""The dialog that reports an unexpected error; it sends nothing."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QCheckBox, QWidget

from annotator.base.crash import crash_report
from annotator.ui.app import file_dialogs
from annotator.ui.app.translation import tr
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.fields import text_field
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.layouts import make_row


class CrashDialog(Dialog):
    """Shows the whole report, which the user can copy or save."""

    def __init__(self, parent: QWidget | None, error: BaseException, facts: dict[str, str]) -> None:
        super().__init__(parent, tr("Error"), name="crash-dialog", size=(760, 560))
        self._error = error
        self._facts = facts
        self.title = label(tr("An unexpected error occurred"), "title", wrap=True)
        self.safe = label(
            tr(
                "Your saved work is safe, and you can continue. A report helps us fix the error. Nothing is sent "
                "automatically; read the report, then copy or save it."
            ),
            wrap=True,
        )
        self.text = text_field(tr("The whole report"))
        self.text.setReadOnly(True)
        self.consent = QCheckBox(tr("Include the error's message (it may quote a subject)"))
        self.note = label("", "dim")
        self.copy_button = button(tr("Copy the report"), clicked=self._copy)
        self.save_button = button(tr("Save the report…"), clicked=self._save)
        self.continue_button = button(tr("Continue working"), primary=True, clicked=self.accept)
        row = make_row(self.copy_button, self.save_button, (self.note, 1), self.continue_button)
        self.lay_out(self.title, self.safe, (self.text, 1), self.consent, row)
        self.consent.toggled.connect(self._show_report)
        self.continue_button.setDefault(True)
        self.continue_button.setFocus()
        self._show_report(False)

    def _show_report(self, with_message: bool) -> None:
        self.text.setPlainText(crash_report(self._error, self._facts, with_message=with_message))

    def _copy(self, _checked: bool = False) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())
        self.note.setText(tr("Copied."))

    def _save(self, _checked: bool = False) -> None:
        target = file_dialogs.choose_new_file(self, tr("Save the report"), Path("annotator-report.txt"))
        if target is None:
            return
        try:
            target.write_text(self.text.toPlainText(), encoding="utf-8")
        except OSError as error:
            self.note.setText(tr("It could not be saved ({strerror}).", strerror=error.strerror))
        else:
            self.note.setText(tr("Saved as {name}.", name=target.name))
