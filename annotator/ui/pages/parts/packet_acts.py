"""Packets from the window: ask for whom, where and under which passphrase; merge what comes back."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QInputDialog, QLineEdit, QWidget

from annotator.model.rows import AnnotatorRow, Changes
from annotator.ui.folders import beside_project
from annotator.ui.notices import Failure
from annotator.ui.session import Session
from annotator.ui.words import tr, tr_known, tr_later

if TYPE_CHECKING:
    from annotator.jobs.progress import Progress
    from annotator.services.packets import MergeReport

EVERYTHING = tr_later("Everybody: all work in this file")


class PacketActs(QObject):
    """Writes and merges packets as jobs."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        """Ask in dialogs over ``parent``."""
        super().__init__(parent)
        self._session = session
        self._over = parent

    def ask_to_export(self) -> None:
        """Ask for whom a packet is, then where it goes."""
        store = self._session.store
        if store is not None:
            self._session.run("read", partial(_people, store), self._ask_for_whom)

    def _ask_for_whom(self, people: tuple[AnnotatorRow, ...]) -> None:
        everything = tr_known(EVERYTHING)
        names = [everything, *(person.name for person in people)]
        name, said = QInputDialog.getItem(
            self._over, tr("Export a packet"), tr("For whom? A share for one person is blind."), names, 0, False
        )
        if not said:
            return
        path, _ = QFileDialog.getSaveFileName(
            self._over, tr("Packet"), beside_project(self._session, "work.packet"), tr("Packets (*.packet)")
        )
        if path:
            phrase, said = self._ask_for_phrase(tr("A passphrase seals the packet. Leave it empty for none."))
            if said and (not phrase or self._is_confirmed(phrase)):
                self.export_to(Path(path), "" if name == everything else name, phrase)

    def _is_confirmed(self, phrase: str) -> bool:
        """Ask for a new passphrase once more: nobody can open a packet that was sealed with a slip of the hand."""
        again, said = self._ask_for_phrase(tr("The same passphrase once more."))
        if said and again != phrase:
            self._session.failed.emit(Failure(tr("The two passphrases differ, so no packet was written.")))
        return said and again == phrase

    def _ask_for_phrase(self, text: str) -> tuple[str, bool]:
        return QInputDialog.getText(self._over, tr("Passphrase"), text, QLineEdit.EchoMode.Password)

    def export_to(self, path: Path, person: str, phrase: str) -> None:
        """Write a packet as a job."""
        store = self._session.store
        if store is not None:
            work = partial(_export, store, path, person, phrase)
            self._session.start_job(tr("Writing {name}", name=path.name), work, summary=str)

    def ask_to_import(self) -> None:
        """Ask for a packet or another project file and merge it."""
        path, _ = QFileDialog.getOpenFileName(
            self._over, tr("Merge"), "", tr("Packets and projects (*.packet *.annotator)")
        )
        if path:
            self.merge(Path(path), "")

    def merge(self, path: Path, phrase: str) -> None:
        """Merge a file as a job; a sealed one asks for its passphrase."""
        store = self._session.store
        if store is not None:
            work = partial(_merge, store, path, phrase)
            failed = partial(self._not_merged, path, phrase)
            self._session.start_job(tr("Merging {name}", name=path.name), work, None, failed, summary=_summary)

    def _not_merged(self, path: Path, phrase: str, failure: Failure) -> None:
        if not phrase and "sealed with a passphrase" in failure.message:
            phrase, said = self._ask_for_phrase(tr("{name} is sealed with a passphrase.", name=path.name))
            if said and phrase:
                self.merge(path, phrase)
            return
        self._session.failed.emit(failure)


def _summary(result: tuple[MergeReport, Changes]) -> str:
    report = result[0]
    text = tr("{total} new rows merged, {known} known.", total=report.total, known=report.known)
    return (
        tr("{text} {conflicts} conflicts are listed on this page.", text=text, conflicts=report.conflicts)
        if report.conflicts
        else text
    )


# The store's type would load SQLModel before the first paint, so these take it as anything.


def _people(store: Any) -> tuple[AnnotatorRow, ...]:
    from annotator.services import projects

    return projects.annotators(store)


def _export(store: Any, path: Path, person: str, phrase: str, _progress: Progress) -> str:
    from annotator.services import packets

    # The file dialog has asked about replacing a file of this name.
    path.unlink(missing_ok=True)
    packet = packets.export_packet(store, path, person=person, passphrase=phrase)
    return tr("{rows} rows written to {name}.", rows=packet.rows, name=path.name)


def _merge(store: Any, path: Path, phrase: str, _progress: Progress) -> tuple[MergeReport, Changes]:
    from annotator.services import packets

    report = packets.import_packet(store, path, passphrase=phrase)
    return report, report.changes
