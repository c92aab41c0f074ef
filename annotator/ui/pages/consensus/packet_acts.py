"""Export a packet of work for another person, or merge one, with the dialogs that ask for file and passphrase."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QInputDialog, QLineEdit, QWidget

from annotator.base.errors import FutureDateError, OthersActsError, PassphraseError
from annotator.base.open_files import refuse_replacing_project
from annotator.jobs.progress import Progress
from annotator.model.changes import Changes
from annotator.model.rows.queue_rows import AnnotatorRow
from annotator.services.project import members, packets
from annotator.services.project.packets import MergeReport
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app import file_dialogs
from annotator.ui.app.session.session import Session
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.translation import mark_for_translation, tr, tr_count, translate_word
from annotator.ui.widgets.dialog import confirm
from annotator.ui.widgets.labels import escape_tool_tip

EVERYTHING = mark_for_translation("Everyone: all work in this file")


class PacketActs(QObject):
    """Exports and merges packets as jobs."""

    def __init__(self, session: Session, store: ProjectFile, parent: QWidget) -> None:
        """``parent`` is the parent of the dialogs."""
        super().__init__(parent)
        self._session, self._store, self._dialog_parent = session, store, parent

    def ask_to_export(self) -> None:
        """Ask for the recipient of a packet, its file and its passphrase, and write it."""
        self._session.run("read", partial(members.list_annotators, self._store), self._ask_for_whom)

    def _ask_for_whom(self, people: tuple[AnnotatorRow, ...]) -> None:
        everything = translate_word(EVERYTHING)
        names = [everything, *(person.name for person in people)]
        name, has_accepted = QInputDialog.getItem(
            self._dialog_parent,
            tr("Export a packet"),
            tr("Who is the packet for? One person's share is blind."),
            names,
            0,
            False,
        )
        if not has_accepted:
            return
        proposed = file_dialogs.beside_project(self._session, "work.packet")
        path = file_dialogs.choose_new_file(self._dialog_parent, tr("Packet"), proposed, tr("Packets (*.packet)"))
        if path is not None:
            passphrase, has_accepted = self.ask_for_passphrase(
                tr("A passphrase encrypts the packet. Leave it empty for none.")
            )
            if has_accepted and (not passphrase or self._is_confirmed(passphrase)):
                self.export_to(path, "" if name == everything else name, passphrase)

    def _is_confirmed(self, passphrase: str) -> bool:
        """Ask for a new passphrase again, because a packet sealed with a typo cannot be opened."""
        repeated_passphrase, has_accepted = self.ask_for_passphrase(tr("Enter the same passphrase again."))
        if has_accepted and repeated_passphrase != passphrase:
            self._session.failed.emit(WorkFailure(message=tr("The two passphrases differ, so no packet was written.")))
        return has_accepted and repeated_passphrase == passphrase

    def ask_for_passphrase(self, text: str) -> tuple[str, bool]:
        """Return the passphrase, and whether the dialog was accepted."""
        # The dialog would read HTML in the name of a file, as a tool tip does.
        question = escape_tool_tip(text)
        return QInputDialog.getText(self._dialog_parent, tr("Passphrase"), question, QLineEdit.EchoMode.Password)

    def export_to(self, path: Path, person: str, passphrase: str) -> None:
        """Write a packet as a job."""
        work = partial(_export, self._store, path, person, passphrase)
        self._session.start_job(tr("Writing {name}", name=path.name), work, summary=str)

    def ask_to_import(self) -> None:
        """Ask for a packet or another project file and merge it."""
        folder = file_dialogs.project_folder(self._session)
        filters = tr("Packets and projects (*.packet *.annotator)")
        path = file_dialogs.choose_file(self._dialog_parent, tr("Merge"), filters, folder, allow_projects=True)
        if path is not None:
            self.merge(path, "")

    def ask_about_others(self, text: str) -> bool:
        """Ask whether to merge changes by people other than the author of a file."""
        return self._ask_to_merge("others-question", tr("Changes by others"), text)

    def ask_about_future(self, text: str) -> bool:
        """Ask whether to merge rows that are dated in the future."""
        return self._ask_to_merge("future-question", tr("Dates in the future"), text)

    def _ask_to_merge(self, name: str, title: str, text: str) -> bool:
        return confirm(
            self._dialog_parent,
            name,
            title,
            text,
            proceed=tr("Merge all"),
            stay=tr("Cancel"),
        )

    def merge(self, path: Path, passphrase: str, *, others: bool = False, future: bool = False) -> None:
        """Merge a file as a job; ask for its passphrase if it has one, and before what only a person may accept."""
        work = partial(_merge, self._store, path, passphrase, others, future)
        failed = partial(self._handle_merge_failure, path, passphrase, others=others, future=future)
        self._session.start_job(tr("Merging {name}", name=path.name), work, None, failed, summary=_describe_merge)

    def _handle_merge_failure(
        self, path: Path, passphrase: str, failure: WorkFailure, *, others: bool, future: bool
    ) -> None:
        if isinstance(failure.error, PassphraseError):
            passphrase, has_accepted = self.ask_for_passphrase(
                tr("{name} is encrypted with a passphrase.", name=path.name)
            )
            if has_accepted and passphrase:
                self.merge(path, passphrase)
            return
        problem = failure.message.split(". ", 1)[0] + "."
        if isinstance(failure.error, OthersActsError):
            if self.ask_about_others(problem):
                self.merge(path, passphrase, others=True, future=future)
            return
        if isinstance(failure.error, FutureDateError):
            if self.ask_about_future(problem):
                self.merge(path, passphrase, others=others, future=True)
            return
        self._session.failed.emit(failure)


def _describe_merge(result: tuple[MergeReport, Changes]) -> str:
    report = result[0]
    text = tr("{total} new rows merged, {known} already known.", total=report.total, known=report.known)
    conflicts = tr_count(
        "{count} conflict is listed on this page.", "{count} conflicts are listed on this page.", report.conflicts
    )
    return f"{text} {conflicts}" if report.conflicts else text


def _export(store: ProjectFile, path: Path, person: str, passphrase: str, _progress: Progress) -> str:
    refuse_replacing_project(path)
    # The file dialog has asked about replacing a file of this name.
    path.unlink(missing_ok=True)
    packet = packets.export_packet(store, path, person=person, passphrase=passphrase)
    return tr_count("{count} row written to {name}.", "{count} rows written to {name}.", packet.rows, name=path.name)


def _merge(
    store: ProjectFile, path: Path, passphrase: str, others: bool, future: bool, _progress: Progress
) -> tuple[MergeReport, Changes]:
    report = packets.import_packet(store, path, passphrase=passphrase, others=others, future=future)
    return report, report.changes
