"""The dialogs that restore a project: the list of its backups, and what can be recovered from a damaged file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from annotator.base.paths import PROJECT_SUFFIX
from annotator.jobs.progress import Progress
from annotator.model.rows.history_rows import ExaminationResult, SalvageResult, TableState
from annotator.model.rows.project_rows import BackupRow
from annotator.services.project import backups
from annotator.ui.app import file_dialogs
from annotator.ui.app.session.session import Session
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.translation import mark_for_translation, mark_words, tr, tr_count, tr_message, translate_word
from annotator.ui.loading import recovery
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.labels import OptionalLabel, ago_text, button, label, when_text
from annotator.ui.widgets.layouts import FlowRow, make_row
from annotator.ui.widgets.table import Cell, DataTable

_WORK_TABLES = ("decision", "prompt", "criterion", "comment", "judgement", "review", "subject", "change")


class RecoveryDialog(Dialog):
    """Examines a damaged file without changing it; then opens or exports its readable rows, or restores a backup."""

    open_requested = Signal(object)
    """The path of the new project that contains the readable rows."""
    restore_requested = Signal(object)
    """The `BackupRow` to replace the damaged file with."""

    def __init__(self, parent: QWidget, session: Session, path: Path, message: str) -> None:
        """Start examining the file; ``message`` is the error of opening it."""
        super().__init__(parent, tr("This project is damaged"), name="recovery-dialog", size=(760, 560))
        self._session = session
        self._path = path
        self._backup: BackupRow | None = None
        self.title = label(tr("{name} is damaged", name=path.name), "title")
        self.message = label(message, wrap=True)
        self.message.setObjectName("error-sentence")
        self.state = label(tr("Checking what can be read… The file is not changed."), "dim", wrap=True)
        self.table = DataTable(tr("Readable rows by table"))
        self.problem = OptionalLabel("problem")
        self.problem.setObjectName("error-sentence")
        self.open_button = button(tr("Open what can be read"), primary=True, clicked=self._open_readable)
        self.export_button = button(tr("Export what can be read…"), clicked=self._export_readable)
        self.restore_button = button(tr("Restore the newest backup"), clicked=self._request_restore)
        self.close_button = button(tr("Close"), clicked=self.reject)
        for act_button in (self.open_button, self.export_button, self.restore_button):
            act_button.setEnabled(False)
        row = make_row(FlowRow(self.open_button, self.export_button, self.restore_button), None, self.close_button)
        parts = (self.title, self.message, self.state, (self.table, 1), self.problem, row)
        self.lay_out(*parts)
        session.start_job(
            tr("Checking {name}", name=path.name),
            partial(_examine, path),
            self._show_examined,
            self._show_failure,
            summary=lambda examined_and_backup: tr(
                "{readable} rows can be read.", readable=f"{examined_and_backup[0].readable:,}"
            ),
            chore=True,
        )

    def _show_examined(self, result: tuple[ExaminationResult, BackupRow | None]) -> None:
        examined, self._backup = result
        parts = [
            tr(
                "{readable} rows can be read from {source}.",
                readable=f"{examined.readable:,}",
                source=translate_word(examined.source),
            )
        ]
        if examined.newest is not None:
            who = tr(" by {annotator}", annotator=examined.newest.annotator) if examined.newest.annotator else ""
            parts.append(
                tr(
                    "The newest change is “{label}”{who}, {created_at}.",
                    label=tr_message(examined.newest.label),
                    who=who,
                    created_at=when_text(examined.newest.created_at),
                )
            )
        if self._backup is not None:
            parts.append(tr("The newest good backup was made {made_at}.", made_at=ago_text(self._backup.made_at)))
            self.restore_button.setText(
                tr("Restore the backup of {made_at}", made_at=f"{self._backup.made_at.astimezone():%Y-%m-%d %H:%M}")
            )
        else:
            parts.append(tr("There is no good backup."))
        self.state.setText(" ".join(parts))
        rows = sorted(examined.tables, key=_importance)
        cells = [
            (
                Cell(translate_word(item.name.replace("_", " "))),
                Cell(f"{item.readable:,}", float(item.readable)),
                Cell("?" if item.lost is None else f"{item.lost:,}", float(item.lost or 0)),
                Cell(tr("✓ intact") if not item.problem and not item.lost else tr("⚠ damaged")),
            )
            for item in rows
        ]
        self.table.set_rows(mark_words("what", "readable", "lost", "state"), cells, rows, stretch=0)
        self.open_button.setEnabled(True)
        self.export_button.setEnabled(True)
        self.restore_button.setEnabled(self._backup is not None)

    def _open_readable(self, _checked: bool = False) -> None:
        target = self._unused_path(f"{self._path.stem}-recovered{PROJECT_SUFFIX}")
        self._start_salvage(target, self._open_salvaged)

    def _export_readable(self, _checked: bool = False) -> None:
        proposed = self._unused_path(f"{self._path.stem}-recovered{PROJECT_SUFFIX}")
        target = file_dialogs.choose_new_file(self, tr("Export what can be read"), proposed, keep_folder=True)
        if target is not None:
            self._start_salvage(target.with_suffix(PROJECT_SUFFIX), self._show_exported)

    def _unused_path(self, name: str) -> Path:
        path, number = self._path.with_name(name), 1
        while path.exists() or path.with_suffix(".jsonl").exists():
            number += 1
            path = self._path.with_name(f"{Path(name).stem}-{number}{PROJECT_SUFFIX}")
        return path

    def _start_salvage(self, target: Path, on_salvaged: Callable[[SalvageResult], None]) -> None:
        self.problem.setText("")
        for act_button in (self.open_button, self.export_button):
            act_button.setEnabled(False)
        work = partial(_salvage, self._path, target)
        self._session.start_job(
            tr("Recovering"), work, on_salvaged, self._show_failure, summary=_recovered_text, chore=True
        )

    def _open_salvaged(self, salvaged: SalvageResult) -> None:
        self.open_requested.emit(salvaged.project)
        self.accept()

    def _show_exported(self, salvaged: SalvageResult) -> None:
        self.open_button.setEnabled(True)
        self.export_button.setEnabled(True)
        self.state.setText(
            tr(
                "{written} rows were exported to {name}, and an intact project with {count} rows to {project}. {notes}",
                written=f"{salvaged.written:,}",
                name=salvaged.lines.name,
                count=f"{sum(salvaged.kept.values()):,}",
                project=salvaged.project.name if salvaged.project else "",
                notes=" ".join(f"{note}." for note in salvaged.left_out),
            )
        )

    def _request_restore(self, _checked: bool = False) -> None:
        if self._backup is not None:
            self.restore_requested.emit(self._backup)
            self.accept()

    def _show_failure(self, failure: WorkFailure) -> None:
        self.problem.setText(failure.message)
        self._session.run("read", partial(backups.newest_good_backup, self._path), self._offer_backup)

    def _offer_backup(self, backup: BackupRow | None) -> None:
        self._backup = backup
        self.restore_button.setEnabled(backup is not None)


def _importance(item: TableState) -> tuple[bool, int]:
    """Return a sort key that puts damaged tables first, then the tables with people's work."""
    index = _WORK_TABLES.index(item.name) if item.name in _WORK_TABLES else len(_WORK_TABLES)
    return not (item.problem or item.lost), index


def _recovered_text(salvaged: SalvageResult) -> str:
    return tr("{written} rows recovered.", written=f"{salvaged.written:,}")


def _examine(path: Path, progress: Progress) -> tuple[ExaminationResult, BackupRow | None]:
    return recovery.examine_project(path, progress), backups.newest_good_backup(path)


def _salvage(path: Path, target: Path, progress: Progress) -> SalvageResult:
    return recovery.salvage_project(path, target.with_suffix(".jsonl"), target, progress=progress)


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
        self.back_up_button = button(tr("Back up now"), clicked=self.backup_requested)
        self.check_button = button(tr("Check all now"), clicked=self._check_all)
        self.restore_button = button(tr("Restore this backup…"), clicked=self._request_restore)
        self.close_button = button(tr("Close"), primary=True, clicked=self.accept)
        row = make_row(self.back_up_button, self.check_button, None, self.restore_button, self.close_button)
        self.lay_out(self.about, (self.table, 1), self.problem, row)
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
        self.check_button.setEnabled(bool(rows))
        self.restore_button.setEnabled(False)
        if rows:
            self.table.select(0)

    def _choose(self, row: BackupRow) -> None:
        self._selected_row = row
        self.restore_button.setEnabled(not row.problems)

    def _check_all(self, _checked: bool = False) -> None:
        self.check_button.setEnabled(False)
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
    return tr_count(
        "{count} backup checked, {verdict}.", "{count} backups checked, {verdict}.", len(rows), verdict=verdict
    )
