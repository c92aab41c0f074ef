"""The backups of the open project: what each holds, checking them, putting one back."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from annotator.model.rows.history import BackupRow
from annotator.services.project import backups
from annotator.ui.app.relative_time import ago
from annotator.ui.app.session.notices import Failure
from annotator.ui.app.session.session import Session
from annotator.ui.app.translation import mark_for_translation, tr, tr_count, translate_word
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.labels import button, label, say
from annotator.ui.widgets.layouts import make_column, make_row
from annotator.ui.widgets.table import Cell, DataTable

_SIGNS = {
    "good": mark_for_translation("✓ good"),
    "not checked": mark_for_translation("? not checked"),
    "damaged": mark_for_translation("✗ damaged"),
}
HEADERS = (
    mark_for_translation("made"),
    mark_for_translation("age"),
    mark_for_translation("acts"),
    mark_for_translation("decisions"),
    "MB",
    mark_for_translation("state"),
    mark_for_translation("made for"),
)


def cells(row: BackupRow) -> tuple[Cell, ...]:
    """Return a backup as a line of a table."""
    return (
        Cell(row.made_at.astimezone().strftime("%Y-%m-%d %H:%M:%S"), row.made_at.isoformat()),
        Cell(ago(row.made_at), row.made_at.isoformat()),
        Cell("" if row.acts is None else f"{row.acts:,}", float(row.acts or 0)),
        Cell("" if row.decisions is None else f"{row.decisions:,}", float(row.decisions or 0)),
        Cell(f"{row.size / 1e6:.1f}", float(row.size)),
        Cell(translate_word(_SIGNS[row.state])),
        Cell(translate_word(row.reason)),
    )


class BackupsDialog(Dialog):
    """Lists backups, newest first; the chosen one can be checked and put back."""

    restore_wanted = Signal(object)
    """The `BackupRow` to put in the project's place."""
    backup_wanted = Signal()

    def __init__(self, parent: QWidget, session: Session, project: Path) -> None:
        """Show the backups of a project file."""
        super().__init__(parent)
        self.setObjectName("backups-dialog")
        self.setWindowTitle(tr("Backups"))
        self._session = session
        self._project = project
        self._chosen: BackupRow | None = None
        self.about = label(
            tr("Each backup is checked when it is written. Putting one back keeps the present file beside it."),
            "dim",
            wrap=True,
        )
        self.table = DataTable(tr("Backups, newest first"), selected=self._choose)
        self.problem = label("", "problem", wrap=True)
        self.problem.hide()
        self.make = button(tr("Back up now"), clicked=self.backup_wanted)
        self.check = button(tr("Check all now"), clicked=self._check)
        self.put_back = button(tr("Put this one back…"), clicked=self._put_back)
        self.close_button = button(tr("Close"), primary=True, clicked=self.accept)
        row = make_row(self.make, self.check, None, self.put_back, self.close_button, spacing=8)
        make_column(self, self.about, (self.table, 1), self.problem, row, spacing=12, margin=16)
        self.resize(860, 460)
        session.facts_changed.connect(self.load)
        self._show(())
        self.load()

    def load(self, _facts: object = None) -> None:
        """Read the list again."""
        self._session.run("read", partial(backups.listing, self._project), self._show, self._failed, latest="backups")

    def _show(self, rows: tuple[BackupRow, ...]) -> None:
        self._chosen = None
        self.table.set_rows(HEADERS, [cells(row) for row in rows], rows, stretch=6)
        problems = [f"{row.path.name}: {row.problems[0]}" for row in rows if row.problems]
        say(self.problem, "\n".join(problems[:3]))
        self.check.setEnabled(bool(rows))
        self.put_back.setEnabled(False)
        if rows:
            self.table.select(0)

    def _choose(self, row: BackupRow) -> None:
        self._chosen = row
        self.put_back.setEnabled(not row.problems)

    def _check(self, _checked: bool = False) -> None:
        self.check.setEnabled(False)
        self._session.start_job(
            tr("Checking backups"),
            partial(backups.verify, self._project, ()),
            self._show,
            self._failed,
            summary=_checked_text,
            chore=True,
        )

    def _put_back(self, _checked: bool = False) -> None:
        if self._chosen is not None:
            self.restore_wanted.emit(self._chosen)

    def _failed(self, failure: Failure) -> None:
        say(self.problem, failure.message)


def _checked_text(rows: tuple[BackupRow, ...]) -> str:
    bad = sum(bool(row.problems) for row in rows)
    words = tr("{bad} damaged", bad=bad) if bad else tr("all good")
    return tr_count("{count} backup checked, {words}.", "{count} backups checked, {words}.", len(rows), words=words)
