"""The dialog that lists, checks and restores the backups of the open project."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from annotator.model.rows.history_rows import BackupRow
from annotator.services.project import backups
from annotator.ui.app.relative_time import ago_text
from annotator.ui.app.session.session import Session
from annotator.ui.app.translation import mark_for_translation, mark_words, tr, tr_count, translate_word
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.labels import OptionalLabel, button, label
from annotator.ui.widgets.layouts import make_column, make_row
from annotator.ui.widgets.table import Cell, DataTable

_STATE_WORDS = {
    "good": mark_for_translation("✓ good"),
    "not checked": mark_for_translation("? not checked"),
    "damaged": mark_for_translation("✗ damaged"),
}
BACKUP_HEADERS = (*mark_words("created", "age", "changes", "decisions"), "MB", *mark_words("state", "reason"))


def backup_cells(row: BackupRow) -> tuple[Cell, ...]:
    """Return the table cells of a backup."""
    return (
        Cell(row.made_at.astimezone().strftime("%Y-%m-%d %H:%M:%S"), row.made_at.isoformat()),
        Cell(ago_text(row.made_at), row.made_at.isoformat()),
        Cell("" if row.acts is None else f"{row.acts:,}", float(row.acts or 0)),
        Cell("" if row.decisions is None else f"{row.decisions:,}", float(row.decisions or 0)),
        Cell(f"{row.size / 1e6:.1f}", float(row.size)),
        Cell(translate_word(_STATE_WORDS[row.state])),
        Cell(translate_word(row.reason)),
    )


class BackupsDialog(Dialog):
    """Lists backups, newest first; checks all of them and restores the selected one."""

    restore_requested = Signal(object)
    """The `BackupRow` to restore."""
    backup_requested = Signal()

    def __init__(self, parent: QWidget, session: Session, project: Path) -> None:
        super().__init__(parent, tr("Backups"), name="backups-dialog", size=(860, 460))
        self._session = session
        self._project = project
        self._selected_row: BackupRow | None = None
        self.about = label(
            tr("Each backup is checked when it is written. When you restore one, the current file is kept beside it."),
            "dim",
            wrap=True,
        )
        self.table = DataTable(tr("Backups, newest first"), selected=self._choose)
        self.problem = OptionalLabel("problem")
        self.make = button(tr("Back up now"), clicked=self.backup_requested)
        self.check = button(tr("Check all now"), clicked=self._check_all)
        self.put_back = button(tr("Restore this backup…"), clicked=self._request_restore)
        self.close_button = button(tr("Close"), primary=True, clicked=self.accept)
        row = make_row(self.make, self.check, None, self.put_back, self.close_button, spacing=8)
        make_column(self, self.about, (self.table, 1), self.problem, row, spacing=12, margin=16)
        session.facts_changed.connect(self.load)
        self._show(())
        self.load()

    def load(self, _facts: object = None) -> None:
        """Reload the list."""
        work = partial(backups.list_project_backups, self._project)
        self._session.run("read", work, self._show, self.problem.show_failure, latest="backups")

    def _show(self, rows: tuple[BackupRow, ...]) -> None:
        self._selected_row = None
        self.table.set_rows(BACKUP_HEADERS, [backup_cells(row) for row in rows], rows, stretch=6)
        problems = [f"{row.path.name}: {row.problems[0]}" for row in rows if row.problems]
        self.problem.setText("\n".join(problems[:3]))
        self.check.setEnabled(bool(rows))
        self.put_back.setEnabled(False)
        if rows:
            self.table.select(0)

    def _choose(self, row: BackupRow) -> None:
        self._selected_row = row
        self.put_back.setEnabled(not row.problems)

    def _check_all(self, _checked: bool = False) -> None:
        self.check.setEnabled(False)
        self._session.start_job(
            tr("Checking backups"),
            partial(backups.verify_project_backups, self._project, ()),
            self._show,
            self.problem.show_failure,
            summary=_checked_text,
            chore=True,
        )

    def _request_restore(self, _checked: bool = False) -> None:
        if self._selected_row is not None:
            self.restore_requested.emit(self._selected_row)


def _checked_text(rows: tuple[BackupRow, ...]) -> str:
    damaged_count = sum(bool(row.problems) for row in rows)
    verdict = tr("{bad} damaged", bad=damaged_count) if damaged_count else tr("all good")
    return tr_count("{count} backup checked, {words}.", "{count} backups checked, {words}.", len(rows), words=verdict)
