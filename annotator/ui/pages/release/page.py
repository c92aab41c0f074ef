"""The page Release: check the gates, and create, export and publish releases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QDialog, QMenu
from shiboken6 import isValid

from annotator.formats.documents.datasheet_document import DatasheetAnswer
from annotator.formats.format_registry import EXPORTS
from annotator.formats.write.export_folder import ExportResult
from annotator.jobs.progress import Progress
from annotator.model.changes import Changes
from annotator.model.rows.audit_rows import Audit
from annotator.model.rows.draft_rows import Draft
from annotator.model.rows.project_rows import ReleaseRow
from annotator.model.rows.release_rows import Gate, ReleaseDiff
from annotator.services.edit_conflicts import EditConflictError
from annotator.services.release import audit as release_audit
from annotator.services.release import (
    authors,
    datasheet,
    exports,
    power_plan,
    publishing,
    release_gates,
    release_list,
    suggested_version,
    versions,
)
from annotator.services.release.authors import AuthorRow
from annotator.services.release.exports import PrivacyReport
from annotator.services.release.power_plan import PowerQuestion
from annotator.services.release.publishing import Publication
from annotator.services.release.release_gates import GateRules
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app import file_dialogs
from annotator.ui.app.base_page import Page, PageContext
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.translation import tr, tr_count, translate_word
from annotator.ui.pages.release.dialogs import (
    AUDIT,
    DATASHEET,
    AuditDialog,
    AuthorsDialog,
    ChangesDialog,
    DatasheetDialog,
    PowerDialog,
    PublishDialog,
    PublishRequest,
    ReportDialog,
    datasheet_draft_name,
    describe_publication,
    summarize_diff,
)
from annotator.ui.pages.release.gates import GateCard, GateRulesDialog
from annotator.ui.pages.shared.edit_conflict_choice import ConflictDialog
from annotator.ui.widgets.card import Card, EmptyState
from annotator.ui.widgets.draft_field import DraftBar, DraftField
from annotator.ui.widgets.fields import line_edit
from annotator.ui.widgets.labels import OptionalLabel, button, join_list, label
from annotator.ui.widgets.layouts import CurrentStack, fill_column, make_flow, make_row, make_stack
from annotator.ui.widgets.table import Cell, DataTable, moment_cell

_RELEVANT_NOUNS = {
    "subject", "decision", "prompt", "criterion", "proof", "release", "datasheet", "gates", "review", "vote",
    "revision", "confirmation", "resolution", "quota", "quotaplan", "project", "bug", "source", "label",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ReleaseState:
    """The content of the page."""

    gates: tuple[Gate, ...]
    suggested: str
    releases: tuple[ReleaseRow, ...]
    diff: ReleaseDiff | None


_NEXT_RELEASE = "next"
"""The item id of drafts for the next release."""


class ReleasePage(Page):
    """Creates, exports and publishes releases."""

    name = "Release"
    icon = "ph.package"

    def __init__(self, context: PageContext) -> None:
        """Build the gates, the form and the list of releases."""
        super().__init__(context)
        self._releases: tuple[ReleaseRow, ...] = ()
        self.errata: str | None = None
        """The errata written for the next release, one sentence per line; None for the generated draft."""
        self._errata_requested = False
        self._is_creating = False
        self.gate_card = GateCard()
        self.gates, self.failing_items = self.gate_card.gates, self.gate_card.failing_items
        self.gate_card.go_to.connect(self.go_to)
        self.gate_card.datasheet_requested.connect(self.open_datasheet)
        button_acts = (
            (tr("Gates…"), self.open_rules),
            (tr("Personal data…"), self.open_privacy),
            (tr("Sources…"), self.open_sources),
            (tr("Datasheet…"), self.open_datasheet),
            (tr("Authors…"), self.open_authors),
            (tr("Audit…"), self.open_audit),
            (tr("Size and power…"), self.open_power),
        )
        self.gate_card.body.insertLayout(0, make_flow(*(button(word, clicked=act) for word, act in button_acts)))
        parts = ((self.gate_card, 4), self._make_form(), (self._make_list(), 2))
        fill_column(self, *parts, spacing=12, margin=(0, 8, 12, 8))

    def _make_form(self) -> Card:
        self.version = line_edit(tr("Version"), "0.1")
        self.notes = line_edit(tr("Notes"), tr("New in this version, in one sentence"))
        self.reason = line_edit(tr("Reason"), tr("A required gate is not met: why release anyway?"))
        self.reason.hide()
        self.version.setMaximumWidth(160)
        drafts = self.session.drafts
        self.draft_fields = {
            name: DraftField.for_line(drafts, f"release.{name}", line)
            for name, line in (("version", self.version), ("notes", self.notes), ("reason", self.reason))
        }
        self.errata_draft = DraftField(drafts, "release.errata", self._errata_text, self._replace_errata, self)
        self.draft_bar = DraftBar(self.theme, *self.draft_fields.values(), self.errata_draft)
        self.create_button = button(tr("Create release"), primary=True, clicked=self.create_release)
        self.create_button.setEnabled(False)
        self.changes_button = button(tr("Changes…"), clicked=self.open_changes)
        self.changes_label = label("", "dim", wrap=True)
        self.status_label = OptionalLabel()
        row = make_row(self.version, (self.notes, 1), self.changes_button, self.create_button)
        return Card(tr("New release"), self.draft_bar, row, self.reason, self.changes_label, self.status_label)

    def _make_list(self) -> Card:
        self.export_button = button(tr("Export…"))
        self.formats = QMenu(self.export_button)
        self.formats.aboutToShow.connect(self._fill_formats)
        self.export_button.setMenu(self.formats)
        self.table = DataTable(tr("Releases"), activated=self._open_release)
        self.table.min_rows = 2
        self.table.menu.add(self._fill_release_menu)
        self.empty = EmptyState(
            self.theme,
            "ph.package",
            tr("No releases yet"),
            tr("A release is frozen: its items, criteria and prompts never change."),
        )
        self.stack = make_stack(self.table, self.empty, kind=CurrentStack)
        card = Card(tr("Releases"), self.stack)
        self.publish_button = button(tr("Publish…"), clicked=self.open_publish)
        self.publish_button.setEnabled(False)
        card.head.addWidget(self.publish_button)
        card.head.addWidget(self.export_button)
        return card

    def _fill_release_menu(self, menu: QMenu) -> None:
        self._offer_formats(menu.addMenu(tr("Export")))

    def _open_release(self, _row: ReleaseRow) -> None:
        self.open_changes()

    def activate(self) -> None:
        """Reload the releases and the gates."""
        work = partial(release_list.list_releases, self.store)
        self.session.run("read", work, self._show_releases, latest="release-list")
        # The gates of 30,000 items take seconds; in this lane they do not hold up saves or scoring.
        self.session.run("net", partial(load_release_state, self.store), self._show_state, latest="release-state")

    def refresh(self, changes: Changes) -> None:
        """Reload if something changed that the gates depend on."""
        if changes.nouns & _RELEVANT_NOUNS:
            self.activate()

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return the page's handlers by action id."""
        return {
            "release.create": self.create_release,
            "release.export": self.export,
            "release.publish": self.open_publish,
            "release.datasheet": self.open_datasheet,
            "release.audit": self.open_audit,
            "release.power": self.open_power,
            "release.changes": self.open_changes,
            "release.gates": self.open_rules,
            "release.privacy": self.open_privacy,
            "release.sources": self.open_sources,
        }

    def show_draft(self, draft: Draft) -> None:
        """Open the dialog that a draft was written in; drafts of the form are on screen already."""
        if draft.key.item_id == DATASHEET:
            self.open_datasheet()
        elif draft.key.field == AUDIT:
            self.open_audit()
        elif draft.key.field == self.errata_draft.name:
            # The dialog opens once the state with the versions is loaded.
            self._errata_requested = True
            self.activate()

    def create_release(self) -> None:
        """Create a release of the current state."""
        version = self.version.text().strip() or self.version.placeholderText()
        errata = None
        if self.errata is not None:
            errata = [line.strip() for line in self.errata.splitlines() if line.strip()]
        notes, reason = self.notes.text().strip(), self.reason.text().strip()
        work = partial(_create_release, self.store, version, notes, reason, errata)
        draft_texts = {field: field.text for field in (*self.draft_fields.values(), self.errata_draft)}
        self._is_creating = True
        self.create_button.setEnabled(False)
        # In the lane of acts, so that everything saved before is in the release.
        self.session.start_job(
            tr("Creating release {version}", version=version),
            work,
            partial(self._announce_release, draft_texts),
            self._show_failure,
            lane="store",
            on_end=self._end_creation,
        )

    def _end_creation(self) -> None:
        self._is_creating = False
        self.create_button.setEnabled(True)

    # -- dialogs --------------------------------------------------------------------------------------------------

    def open_changes(self) -> None:
        """Compare the selected release, or the newest, with the current state, or any two releases."""
        if self._releases:
            names = [row.version for row in self._releases]
            dialog = ChangesDialog(self.theme, names, self._selected_version() or names[0], self)
            dialog.comparison_requested.connect(partial(self._compare, dialog, names[0]))
            dialog.errata_edited.connect(self.record_errata)
            dialog.open_once()
            dialog.ask()

    def _compare(self, dialog: ChangesDialog, newest: str, old: str, new: str) -> None:
        work = partial(suggested_version.diff_versions, self.store, old, new or None)
        self.session.run("read", work, partial(self._show_changes, dialog, newest), latest="release-changes")

    def _show_changes(self, dialog: ChangesDialog, newest: str, diff: ReleaseDiff) -> None:
        if isValid(dialog):
            dialog.show_diff(diff, self.errata if diff.old == newest else None)

    def _errata_text(self) -> str:
        return self.errata or ""

    def _replace_errata(self, text: str) -> None:
        self.errata = text or None

    def record_errata(self, text: str) -> None:
        """Record the errata of the next release as a draft."""
        self.errata = text
        self.errata_draft.record_edit()

    def open_rules(self) -> None:
        """Open the dialog of gate rules."""
        work = partial(release_gates.load_gate_rules, self.store)
        self.session.run("read", work, self._edit_rules, latest="release-rules")

    def _edit_rules(self, rules: GateRules) -> None:
        dialog = GateRulesDialog(self.theme, rules, self)
        dialog.accepted.connect(partial(self._set_rules, dialog))
        dialog.open_once()

    def _set_rules(self, dialog: GateRulesDialog) -> None:
        if dialog.changed_rules or dialog.changed_numbers:
            work = partial(release_gates.set_gate_rules, self.store, dialog.changed_rules, **dialog.changed_numbers)
            self.session.act(work, None, self._show_failure)

    def open_privacy(self) -> None:
        """Scan the selected release, or the current state, for personal data and secrets."""
        about = tr("Matches are masked. The report is included in the release folder and the Hugging Face folder.")
        work = partial(exports.scan_release, self.store, self._selected_version())
        show = partial(self._show_privacy, tr("Personal data and secrets"), about)
        self.session.run("cpu", work, show, latest="release-report")

    def _show_privacy(self, title: str, about: str, report: PrivacyReport) -> None:
        self._show_report(title, about, report.text)

    def open_sources(self) -> None:
        """Show the sources and licences of the items of the selected release or the current state."""
        about = tr("Included as ATTRIBUTION.md in every export of items, as the licences require.")
        work = partial(exports.sources_text, self.store, self._selected_version())
        show = partial(self._show_report, tr("Sources and licences"), about)
        self.session.run("cpu", work, show, latest="release-report")

    def _show_report(self, title: str, about: str, text: str) -> None:
        ReportDialog(self.theme, title, about, text, self).open_once()

    def open_power(self) -> None:
        """Open the dialog to plan the size of the next release."""
        dialog = PowerDialog(self.theme, self)
        dialog.plan_requested.connect(partial(self._plan_power, dialog))
        dialog.open_once()
        dialog.ask()

    def _plan_power(self, dialog: PowerDialog, question: PowerQuestion) -> None:
        work = partial(power_plan.plan_benchmark_size, self.store, None, question)
        self.session.run("cpu", work, dialog.show_plan, latest="release-power")

    def open_audit(self) -> None:
        """Show the audit of the selected release, or of the current state."""
        version = self._selected_version()
        work = partial(release_audit.load_audit, self.store, version)
        self.session.run("cpu", work, partial(self._show_audit, version), latest="release-audit")

    def _show_audit(self, version: str | None, audit: Audit) -> None:
        dialog = AuditDialog(self.theme, self.session.drafts, audit, self)
        dialog.stated.connect(partial(self._state_point, dialog, version))
        dialog.open_once()

    def _state_point(self, dialog: AuditDialog, version: str | None, point: str, state: str, text: str) -> None:
        work = partial(release_audit.save_statement, self.store, point, state, text)
        self.session.act(work, partial(self._read_audit, dialog, version))

    def _read_audit(self, dialog: AuditDialog, version: str | None, _changes: Changes) -> None:
        if isValid(dialog):
            work = partial(release_audit.load_audit, self.store, version)
            self.session.run("cpu", work, dialog.show_audit, latest="release-audit")

    def open_authors(self) -> None:
        """Ask whom the next release names as its authors."""
        self.session.run("read", partial(authors.list_authors, self.store), self._edit_authors)

    def _edit_authors(self, rows: tuple[AuthorRow, ...]) -> None:
        dialog = AuthorsDialog(rows, self)
        if dialog.exec() == QDialog.DialogCode.Accepted and dialog.choices:
            self.session.act(partial(authors.choose_authors, self.store, dialog.choices))
        dialog.deleteLater()

    def open_datasheet(self) -> None:
        """Open the form of the datasheet."""
        work = partial(load_datasheet, self.store)
        self.session.run("read", work, self._show_datasheet, latest="release-datasheet")

    def _show_datasheet(self, answers_and_texts: tuple[tuple[DatasheetAnswer, ...], dict[str, Any]]) -> None:
        dialog = DatasheetDialog(self.theme, self.session.drafts, *answers_and_texts, self)
        # A draft that was begun from another text asks before it replaces the present one.
        base_texts = {
            name: draft.base_revision if draft.is_outdated else draft.stored for name, draft in dialog.drafts.items()
        }
        for name, draft in dialog.drafts.items():
            draft.offered_changed.connect(partial(_rebase_field, base_texts, name, draft))
        dialog.written.connect(partial(self._write_answer, dialog, base_texts))
        dialog.open_once()

    def _write_answer(self, dialog: DatasheetDialog, base_texts: dict[str, str], name: str, text: str) -> None:
        on_failure = partial(self._fail_answer, dialog, base_texts, name, text)
        on_done = partial(self._finish_answer, dialog, name, text)
        self.session.act(
            partial(write_datasheet_answer, self.store, base_texts, name, text), on_done, on_failure, text=text
        )

    def _finish_answer(self, dialog: DatasheetDialog, name: str, text: str, _changes: Changes) -> None:
        self.session.drafts.finish(datasheet_draft_name(name), DATASHEET, text)
        if isValid(dialog):
            dialog.mark_written(name, text)

    def _fail_answer(
        self, dialog: DatasheetDialog, base_texts: dict[str, str], name: str, text: str, failure: WorkFailure
    ) -> None:
        self._show_failure(failure)
        conflict = failure.error
        if isinstance(conflict, EditConflictError):
            parent = dialog if isValid(dialog) else self.window()
            conflict_dialog = ConflictDialog(parent, self.theme, tr("Datasheet"), conflict, text)
            conflict_dialog.mine_kept.connect(partial(self._keep_answer, dialog, base_texts, name, conflict.text))
            conflict_dialog.theirs_taken.connect(partial(self._take_answer, dialog, base_texts, name, conflict.text))
            conflict_dialog.open_once()

    def _keep_answer(
        self, dialog: DatasheetDialog, base_texts: dict[str, str], name: str, their_text: str, text: str
    ) -> None:
        self._take_answer(dialog, base_texts, name, their_text, text)
        self._write_answer(dialog, base_texts, name, text)

    def _take_answer(
        self, dialog: DatasheetDialog, base_texts: dict[str, str], name: str, their_text: str, own_text: str = ""
    ) -> None:
        self.status_label.setText("")
        if isValid(dialog):
            dialog.show_text(name, own_text or their_text)
        base_texts[name] = their_text

    # -- exports --------------------------------------------------------------------------------------------------

    def _selected_version(self) -> str | None:
        """Return the selected release's version, None if none is selected."""
        index = self.table.currentIndex()
        row: ReleaseRow | None = self.table.payload_at(index) if index.isValid() else None
        return row.version if row else None

    def _fill_formats(self) -> None:
        self.formats.clear()
        self._offer_formats(self.formats)

    def _offer_formats(self, menu: QMenu) -> None:
        for export_format in EXPORTS:
            action = menu.addAction(translate_word(export_format.title))
            action.setToolTip(translate_word(export_format.description))
            action.triggered.connect(partial(self.export, export_format.name))

    def open_publish(self) -> None:
        """Open the dialog to publish the selected release or the newest."""
        if not self._releases:
            return
        version = self._selected_version() or self._releases[0].version
        dialog = PublishDialog(self.theme, version, self)
        dialog.plan_requested.connect(partial(self._plan_publication, dialog, version))
        dialog.publish_requested.connect(partial(self._publish, dialog, version))
        dialog.open_once()

    def _plan_publication(self, dialog: PublishDialog, version: str, request: PublishRequest) -> None:
        work = partial(run_publication, self.store, version, request, False, Progress())
        show = partial(dialog.show_plan, request)
        self.session.run("cpu", work, show, dialog.show_failure, latest="release-publish")

    def _publish(self, dialog: PublishDialog, version: str, request: PublishRequest) -> None:
        work = partial(run_publication, self.store, version, request, True)
        self.session.start_job(
            tr("Publishing {version}", version=version),
            work,
            dialog.show_published,
            dialog.show_failure,
            summary=describe_publication,
            lane="net",
        )

    def export(self, format_name: str = "annotator", _checked: bool = False) -> None:
        """Ask for a folder and export the selected release, or the newest, into it."""
        version = self._selected_version()
        newest = self._releases[0].version if self._releases else ""
        proposed = file_dialogs.beside_project(self.session, f"{format_name}-{version or newest}")
        folder = file_dialogs.choose_new_folder(self, tr("Export into a new or empty folder"), proposed)
        if folder is not None:
            self.export_to(folder, version, format_name)

    def export_to(self, folder: Path, version: str | None, format_name: str = "annotator") -> None:
        """Export a release into a folder, then show the number of files and the items left out."""
        work = partial(exports.export_release, self.store, version, format_name, folder)
        self.session.run("net", work, partial(self._announce_export, folder), self._show_failure)

    def _show_state(self, state: ReleaseState) -> None:
        self.gate_card.show_gates(state.gates)
        is_blocked = any(gate.required and not gate.ok for gate in state.gates)
        self.reason.setVisible(is_blocked and state.gates[0].ok)
        self.create_button.setEnabled(state.gates[0].ok and not self._is_creating)
        self.version.setPlaceholderText(state.suggested)
        self.changes_label.setText(_changes_text(state))
        self._show_releases(state.releases)
        if self._errata_requested:
            self._errata_requested = False
            self.open_changes()

    def _show_releases(self, releases: tuple[ReleaseRow, ...]) -> None:
        # The list can arrive before the gates; text typed in the meantime stays.
        for field in self.draft_fields.values():
            field.show_item(_NEXT_RELEASE)
        # Errata refer to one previous release, so a newer one outdates the draft.
        self.errata_draft.show_item(_NEXT_RELEASE, began_from=releases[0].version if releases else "")
        self._releases = releases
        self.stack.setCurrentWidget(self.table if releases else self.empty)
        self.export_button.setEnabled(bool(releases))
        self.publish_button.setEnabled(bool(releases))
        self.changes_button.setEnabled(bool(releases))
        cells = [
            (
                Cell(row.version),
                Cell(str(row.item_count), row.item_count),
                Cell(row.notes),
                Cell(row.annotator),
                moment_cell(row.created_at),
                Cell(row.content_hash[:12]),
                Cell("; ".join(row.overrides)),
            )
            for row in releases
        ]
        selected_version = self._selected_version()
        headers = ("version", "items", "notes", "by", "when", "content", "overridden")
        self.table.set_rows(headers, cells, list(releases), stretch=2, spare=(5,))
        index = next((number for number, row in enumerate(releases) if row.version == selected_version), None)
        if index is not None:
            self.table.select(index)

    def _announce_release(self, draft_texts: Mapping[DraftField, str], result: tuple[ReleaseRow, Changes]) -> None:
        row = result[0]
        for field, text in draft_texts.items():
            field.clear(_NEXT_RELEASE, text)
        created_text = tr_count(
            "Created release {version} with {count} item.",
            "Created release {version} with {count} items.",
            row.item_count,
            version=row.version,
        )
        self._say("\n".join((created_text, tr("Next: run models on it on the Runs page."))))

    def _announce_export(self, folder: Path, result: ExportResult) -> None:
        files, name = len(result.files), folder.name
        lines = [
            tr_count("{count} file was written to {name}.", "{count} files were written to {name}.", files, name=name)
        ]
        if result.left_out:
            lines.append(
                tr_count(
                    "{count} item was left out because the format cannot represent it:",
                    "{count} items were left out because the format cannot represent them:",
                    len(result.left_out),
                )
            )
            lines += [str(item) for item in result.left_out[:4]]
        self._say("\n".join([*lines, *result.notes[:3]]))

    def _show_failure(self, failure: WorkFailure) -> None:
        self._say("\n".join([failure.message, *failure.details[:6]]))

    def _say(self, text: str) -> None:
        self.status_label.setText(text)


def run_publication(
    store: ProjectFile, version: str, request: PublishRequest, send: bool, progress: Progress
) -> Publication:
    """Publish a release; without ``send``, only list what would be sent."""
    return publishing.send_release(
        store, version, request.place, send=send, branch=request.branch, endpoint=request.endpoint, token=request.token,
        progress=progress,
    )  # fmt: skip


def _changes_text(state: ReleaseState) -> str:
    if state.diff is None:
        return tr("This will be the first release.")
    if not state.suggested:
        return tr("Nothing has changed since {version}.", version=state.diff.old)
    names = "; ".join(
        f"{item.title} ({join_list(map(translate_word, item.fields))})" for item in state.diff.changed[:3]
    )
    return f"{summarize_diff(state.diff)} {names}" if names else summarize_diff(state.diff)


def _create_release(
    store: ProjectFile, version: str, notes: str, reason: str, errata: list[str] | None, progress: Progress
) -> tuple[ReleaseRow, Changes]:
    """Create a release of the current state; without ``version``, with the suggested one."""
    version = version or suggested_version.suggest_version(store)
    return versions.create_release(store, version, notes, reason, errata, progress)


def load_release_state(store: ProjectFile) -> ReleaseState:
    """Load the content of the page."""
    previous_version = suggested_version.previous_version(store)
    diff = suggested_version.diff_versions(store, previous_version) if previous_version is not None else None
    return ReleaseState(
        gates=release_gates.check_gates(store),
        suggested=diff.suggested if diff else suggested_version.FIRST_VERSION,
        releases=release_list.list_releases(store),
        diff=diff,
    )


def _rebase_field(base_texts: dict[str, str], name: str, draft: DraftField) -> None:
    """Treat a datasheet field as based on the stored text once its draft is gone."""
    if not draft.has_draft:
        base_texts[name] = draft.stored


def write_datasheet_answer(store: ProjectFile, base_texts: dict[str, str], name: str, text: str) -> Changes:
    """Save an answer of the datasheet that was based on its text in ``base_texts``, and update ``base_texts``."""
    changes = datasheet.save_datasheet_text(store, name, text, seen_text=base_texts[name])
    base_texts[name] = text
    return changes


def load_datasheet(store: ProjectFile) -> tuple[tuple[DatasheetAnswer, ...], dict[str, Any]]:
    """Return the answers to all questions, and the free texts by name."""
    return datasheet.datasheet_answers(store), datasheet.load_datasheet_texts(store)
