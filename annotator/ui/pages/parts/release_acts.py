"""The dialogs of the Release page: changes between versions, rules of the gates, reports, the datasheet."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from annotator.model.release_rows import ReleaseDiff
from annotator.model.rows import Changes
from annotator.ui.pages.parts.changes_dialog import ChangesDialog
from annotator.ui.pages.parts.datasheet_dialog import DatasheetDialog
from annotator.ui.pages.parts.gate_rules_dialog import GateRulesDialog
from annotator.ui.pages.parts.report_dialog import ReportDialog
from annotator.ui.session import Session
from annotator.ui.theme import Theme
from annotator.ui.words import tr

if TYPE_CHECKING:
    from annotator.services.gate_rules import GateRules


class ReleaseActs(QObject):
    """Opens the dialogs and does what they ask for; ``version`` is the selected release where one matters."""

    refused = Signal(object)
    """A `Failure` of something that was asked for here."""

    def __init__(self, session: Session, theme: Theme, over: QWidget) -> None:
        """Open dialogs over a page."""
        super().__init__(over)
        self._session = session
        self._theme = theme
        self._over = over
        self.errata: str | None = None
        """What somebody wrote to be told with the next release, a sentence a line; None: the draft will do."""

    def open_changes(self, versions: list[str], version: str) -> None:
        """Compare a version with the present state, or any two of ``versions``, newest first."""
        dialog = ChangesDialog(self._theme, versions, version, self._over)
        dialog.asked.connect(partial(self._compare, dialog, versions[0]))
        dialog.errata_written.connect(self._keep_errata)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        dialog.ask()

    def _compare(self, dialog: ChangesDialog, newest: str, old: str, new: str) -> None:
        store = self._session.store
        if store is not None:
            done = partial(self._compared, dialog, newest)
            self._session.run("read", partial(_compare, store, old, new), done, latest="release-changes")

    def _compared(self, dialog: ChangesDialog, newest: str, diff: ReleaseDiff) -> None:
        dialog.show_diff(diff, self.errata if diff.old == newest else None)

    def _keep_errata(self, text: str) -> None:
        self.errata = text

    def open_rules(self) -> None:
        """Ask which gates the project has."""
        self._read(_rules, self._ask_for_rules, "release-rules")

    def _ask_for_rules(self, rules: GateRules) -> None:
        dialog = GateRulesDialog(self._theme, rules, self._over)
        dialog.accepted.connect(partial(self._set_rules, dialog))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _set_rules(self, dialog: GateRulesDialog) -> None:
        store = self._session.store
        if store is not None and (dialog.chosen or dialog.reviews is not None):
            self._act(partial(_set_rules, store, dialog.chosen, dialog.reviews))

    def open_privacy(self, version: str | None) -> None:
        """Look through a release, or the present state, for personal data and secrets."""
        about = tr("What was found is masked. The report goes with the release folder and the Hugging Face folder.")
        self._open_report(_privacy, version, tr("Personal data and secrets"), about)

    def open_sources(self, version: str | None) -> None:
        """Show whose work the items of a release, or of the present state, are and under which licences."""
        about = tr("Goes with every export of items as ATTRIBUTION.md, as the licences ask for it.")
        self._open_report(_sources, version, tr("Sources and licences"), about)

    def _open_report(self, work: Callable[..., str], version: str | None, title: str, about: str) -> None:
        store = self._session.store
        if store is not None:
            shown = partial(self._show_report, title, about)
            self._session.run("cpu", partial(work, store, version), shown, latest="release-report")

    def _show_report(self, title: str, about: str, text: str) -> None:
        dialog = ReportDialog(self._theme, title, about, text, self._over)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def open_datasheet(self) -> None:
        """Show the datasheet to be filled in."""
        self._read(_datasheet, self._show_datasheet, "release-datasheet")

    def _show_datasheet(self, state: tuple[tuple[Any, ...], dict[str, Any]]) -> None:
        answers, texts = state
        dialog = DatasheetDialog(self._theme, answers, texts, self._over)
        dialog.written.connect(self._write_answer)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _write_answer(self, answer: tuple[str, str]) -> None:
        store = self._session.store
        if store is not None:
            self._act(partial(_answer, store, *answer))

    def _read(self, work: Callable[[Any], Any], done: Callable[[Any], None], latest: str) -> None:
        store = self._session.store
        if store is not None:
            self._session.run("read", partial(work, store), done, latest=latest)

    def _act(self, work: Callable[[], Changes]) -> None:
        self._session.act(work, None, self.refused.emit)


# The store's type would load SQLModel before the first paint, so these take it as anything.


def _compare(store: Any, old: str, new: str) -> ReleaseDiff:
    from annotator.services import comparing

    return comparing.compare(store, old, new or None)


def _rules(store: Any) -> GateRules:
    from annotator.services import gate_rules

    return gate_rules.rules_of(store)


def _set_rules(store: Any, rules: dict[str, str], reviews: int | None) -> Changes:
    from annotator.services import gate_rules

    return gate_rules.set_rules(store, rules, reviews)


def _privacy(store: Any, version: str | None) -> str:
    from annotator.services import exporting

    return exporting.scan_release(store, version).text


def _sources(store: Any, version: str | None) -> str:
    from annotator.services import exporting

    return exporting.sources_text(store, version)


def _datasheet(store: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    from annotator.services import datasheet

    return datasheet.answers(store), datasheet.written(store)


def _answer(store: Any, name: str, text: str) -> Changes:
    from annotator.services import datasheet

    return datasheet.write(store, name, text)
