"""Releases: what blocks one, what changed, freezing and exporting."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QMenu, QVBoxLayout
from shiboken6 import isValid

from annotator.formats.documents.datasheet import Answer
from annotator.formats.registry import EXPORTS
from annotator.formats.write.export_folder import Exported
from annotator.jobs.progress import Progress
from annotator.model.changes import Changes
from annotator.model.rows.audit import Audit
from annotator.model.rows.drafts import Draft
from annotator.model.rows.releases import Gate, ReleaseDiff, ReleaseRow
from annotator.model.rows.results import Table
from annotator.services.edit_conflicts import EditConflictError
from annotator.services.release import audit as release_audit
from annotator.services.release import (
    datasheet,
    exports,
    power_plan,
    publishing,
    release_gates,
    release_list,
    suggested_version,
    versions,
)
from annotator.services.release.exports import PrivacyReport
from annotator.services.release.power_plan import PowerQuestion
from annotator.services.release.publishing import Publication
from annotator.services.release.release_gates import GateRules
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app import file_dialogs
from annotator.ui.app.base_page import Page, PageContext
from annotator.ui.app.session.notices import Failure
from annotator.ui.app.translation import tr, tr_count, translate_word
from annotator.ui.pages.release.audit_dialog import AUDIT, AuditDialog
from annotator.ui.pages.release.changes_dialog import ChangesDialog, summarize
from annotator.ui.pages.release.datasheet_dialog import DATASHEET, DatasheetDialog, draft_name
from annotator.ui.pages.release.gates import GateCard, GateRulesDialog
from annotator.ui.pages.release.power_dialog import PowerDialog
from annotator.ui.pages.release.publish_dialog import PublishDialog, PublishRequest
from annotator.ui.pages.release.report_dialog import ReportDialog
from annotator.ui.pages.shared.edit_conflicts import ConflictDialog
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.draft_field import DraftBar, DraftField
from annotator.ui.widgets.empty_state import EmptyState
from annotator.ui.widgets.fields import line_edit
from annotator.ui.widgets.labels import button, join_list, label
from annotator.ui.widgets.layouts import CurrentStack, arrange, make_flow, make_row, make_stack
from annotator.ui.widgets.table import Cell, DataTable, moment_cell

_LOOKED_AT = {
    "subject", "decision", "prompt", "criterion", "proof", "release", "datasheet", "gates", "review", "vote",
    "revision", "confirmation", "resolution", "quota", "quotaplan", "project", "bug", "source", "label",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ReleaseState:
    """Everything the page shows."""

    gates: tuple[Gate, ...]
    suggested: str
    releases: tuple[ReleaseRow, ...]
    diff: ReleaseDiff | None


_NEXT = "next"
"""The item of drafts for the release that is not made yet."""


class ReleasePage(Page):
    """Freeze a version and export it."""

    name = "Release"
    icon = "ph.package"

    def __init__(self, context: PageContext) -> None:
        """Put gates, form and list together."""
        super().__init__(context)
        self._releases: tuple[ReleaseRow, ...] = ()
        self.errata: str | None = None
        """What somebody wrote to be told with the next release, a sentence a line; None: the proposal will do."""
        self._errata_requested = False
        self.gate_card = GateCard()
        self.gates, self.failing = self.gate_card.gates, self.gate_card.failing
        self.gate_card.go_to.connect(self.go_to)
        self.gate_card.datasheet_requested.connect(self.open_datasheet)
        acts = (
            (tr("Gates…"), self.open_rules),
            (tr("Personal data…"), self.open_privacy),
            (tr("Sources…"), self.open_sources),
            (tr("Datasheet…"), self.open_datasheet),
            (tr("Audit…"), self.open_audit),
            (tr("Size and power…"), self.open_power),
        )
        self.gate_card.head.addLayout(make_flow(*(button(word, clicked=act) for word, act in acts)))
        parts = ((self.gate_card, 4), self._make_form(), (self._make_list(), 2))
        arrange(QVBoxLayout(self), *parts, spacing=12, margins=(0, 8, 12, 8))

    def _make_form(self) -> Card:
        self.version = line_edit(tr("Version"), "0.1")
        self.notes = line_edit(tr("Notes"), tr("What is new, in a sentence"))
        self.reason = line_edit(tr("Reason"), tr("A required gate is not met: why release all the same?"))
        self.version.setMaximumWidth(160)
        drafts = self.session.drafts
        self.lines = {
            name: DraftField.for_line(drafts, f"release.{name}", line)
            for name, line in (("version", self.version), ("notes", self.notes), ("reason", self.reason))
        }
        self.errata_draft = DraftField(drafts, "release.errata", self._read_errata, self._put_errata, self)
        self.draft_bar = DraftBar(self.theme, *self.lines.values(), self.errata_draft)
        self.create_button = button(tr("Create release"), primary=True, clicked=self.create_release)
        self.create_button.setEnabled(False)
        self.changes_button = button(tr("Changes…"), clicked=self.open_changes)
        self.changed = label("", "dim", wrap=True)
        self.said = label("", wrap=True)
        self.said.hide()
        row = make_row(self.version, (self.notes, 1), self.changes_button, self.create_button, spacing=8)
        return Card(tr("New release"), self.draft_bar, row, self.reason, self.changed, self.said)

    def _make_list(self) -> Card:
        self.export_button = button(tr("Export…"))
        self.formats = QMenu(self.export_button)
        self.formats.aboutToShow.connect(self._fill_formats)
        self.export_button.setMenu(self.formats)
        self.table = DataTable(tr("Releases"), activated=self._open_release)
        self.table.least_rows = 2
        self.table.menu.add(self._fill_release_menu)
        self.empty = EmptyState(
            self.theme,
            "ph.package",
            tr("No release yet"),
            tr("A release is frozen: items, criteria and prompts never change in it."),
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
        """Look at the releases and the gates again."""
        work = partial(release_list.list_releases, self.store)
        self.session.run("read", work, self._show_releases, latest="release-list")
        # The gates of 30,000 items take seconds, for which what is typed or scored elsewhere must not wait.
        self.session.run("net", partial(load_state, self.store), self._show_state, latest="release-state")

    def refresh(self, changes: Changes) -> None:
        """Look again when something that gates look at changed."""
        if changes.nouns & _LOOKED_AT:
            self.activate()

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return creating, exporting and what is to be read before."""
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
        """Open the dialog that a draft was written in; the others stand in the form."""
        if draft.key.item_id == DATASHEET:
            self.open_datasheet()
        elif draft.key.field == AUDIT:
            self.open_audit()
        elif draft.key.field == self.errata_draft.name:
            # What can be compared is known once the state is read.
            self._errata_requested = True
            self.activate()

    def create_release(self) -> None:
        """Freeze the present state."""
        version = self.version.text().strip() or self.version.placeholderText()
        errata = None
        if self.errata is not None:
            errata = [line.strip() for line in self.errata.splitlines() if line.strip()]
        notes, reason = self.notes.text().strip(), self.reason.text().strip()
        work = partial(_create_release, self.store, version, notes, reason, errata)
        written = {field: field.text for field in (*self.lines.values(), self.errata_draft)}
        self.session.act(work, partial(self._created, written), self._refused)

    # -- dialogs --------------------------------------------------------------------------------------------------

    def open_changes(self) -> None:
        """Compare the selected release, or the newest, with the present state, or any two releases."""
        if self._releases:
            names = [row.version for row in self._releases]
            dialog = ChangesDialog(self.theme, names, self._version() or names[0], self)
            dialog.asked.connect(partial(self._compare, dialog, names[0]))
            dialog.errata_written.connect(self.keep_errata)
            dialog.open_once()
            dialog.ask()

    def _compare(self, dialog: ChangesDialog, newest: str, old: str, new: str) -> None:
        work = partial(suggested_version.compare, self.store, old, new or None)
        self.session.run("read", work, partial(self._show_changes, dialog, newest), latest="release-changes")

    def _show_changes(self, dialog: ChangesDialog, newest: str, diff: ReleaseDiff) -> None:
        if isValid(dialog):
            dialog.show_diff(diff, self.errata if diff.old == newest else None)

    def _read_errata(self) -> str:
        return self.errata or ""

    def _put_errata(self, text: str) -> None:
        self.errata = text or None

    def keep_errata(self, text: str) -> None:
        """Take what is to be told with the next release."""
        self.errata = text
        self.errata_draft.note()

    def open_rules(self) -> None:
        """Ask which gates the project has."""
        work = partial(release_gates.rules_of, self.store)
        self.session.run("read", work, self._ask_for_rules, latest="release-rules")

    def _ask_for_rules(self, rules: GateRules) -> None:
        dialog = GateRulesDialog(self.theme, rules, self)
        dialog.accepted.connect(partial(self._set_rules, dialog))
        dialog.open_once()

    def _set_rules(self, dialog: GateRulesDialog) -> None:
        if dialog.chosen or dialog.reviews is not None:
            work = partial(release_gates.set_rules, self.store, dialog.chosen, dialog.reviews)
            self.session.act(work, None, self._refused)

    def open_privacy(self) -> None:
        """Look through the selected release, or the present state, for personal data and secrets."""
        about = tr("What was found is masked. The report goes with the release folder and the Hugging Face folder.")
        work = partial(exports.scan_release, self.store, self._version())
        show = partial(self._show_privacy, tr("Personal data and secrets"), about)
        self.session.run("cpu", work, show, latest="release-report")

    def _show_privacy(self, title: str, about: str, report: PrivacyReport) -> None:
        self._show_report(title, about, report.text)

    def open_sources(self) -> None:
        """Show whose work the items of the selected release, or of the present state, are, and their licences."""
        about = tr("Goes with every export of items as ATTRIBUTION.md, as the licences ask for it.")
        work = partial(exports.sources_text, self.store, self._version())
        show = partial(self._show_report, tr("Sources and licences"), about)
        self.session.run("cpu", work, show, latest="release-report")

    def _show_report(self, title: str, about: str, text: str) -> None:
        ReportDialog(self.theme, title, about, text, self).open_once()

    def open_power(self) -> None:
        """Plan how many items the next release needs."""
        dialog = PowerDialog(self.theme, self)
        dialog.asked.connect(partial(self._plan_power, dialog))
        dialog.open_once()
        dialog.ask()

    def _plan_power(self, dialog: PowerDialog, asked: PowerQuestion) -> None:
        def show(found: Table) -> None:
            if isValid(dialog):
                dialog.show_plan(found)

        self.session.run("cpu", partial(power_plan.plan, self.store, None, asked), show, latest="release-power")

    def open_audit(self) -> None:
        """Show the audit of the selected release, or of the present state."""
        version = self._version()
        work = partial(release_audit.audit, self.store, version)
        self.session.run("cpu", work, partial(self._show_audit, version), latest="release-audit")

    def _show_audit(self, version: str | None, found: Audit) -> None:
        dialog = AuditDialog(self.theme, self.session.drafts, found, self)
        dialog.stated.connect(partial(self._state_point, dialog, version))
        dialog.open_once()

    def _state_point(self, dialog: AuditDialog, version: str | None, point: str, state: str, text: str) -> None:
        work = partial(release_audit.state, self.store, point, state, text)
        self.session.act(work, lambda _changes: self._read_audit(dialog, version))

    def _read_audit(self, dialog: AuditDialog, version: str | None) -> None:
        work = partial(release_audit.audit, self.store, version)

        def show(found: Audit) -> None:
            if isValid(dialog):
                dialog.show_audit(found)

        self.session.run("cpu", work, show, latest="release-audit")

    def open_datasheet(self) -> None:
        """Show the datasheet to be filled in."""
        work = partial(load_datasheet, self.store)
        self.session.run("read", work, self._show_datasheet, latest="release-datasheet")

    def _show_datasheet(self, found: tuple[tuple[Answer, ...], dict[str, Any]]) -> None:
        dialog = DatasheetDialog(self.theme, self.session.drafts, *found, self)
        seen = {name: draft.stored for name, draft in dialog.drafts.items()}
        dialog.written.connect(partial(self._write_answer, dialog, seen))
        dialog.open_once()

    def _write_answer(self, dialog: DatasheetDialog, seen: dict[str, str], name: str, text: str) -> None:
        failed = partial(self._answer_refused, dialog, seen, name, text)
        done = partial(self._answer_written, dialog, name, text)
        self.session.act(partial(write_answer, self.store, seen, name, text), done, failed, text=text)

    def _answer_written(self, dialog: DatasheetDialog, name: str, text: str, _changes: Changes) -> None:
        self.session.drafts.finish(draft_name(name), DATASHEET, text)
        if isValid(dialog):
            dialog.note_written(name, text)

    def _answer_refused(
        self, dialog: DatasheetDialog, seen: dict[str, str], name: str, text: str, failure: Failure
    ) -> None:
        self._refused(failure)
        conflict = failure.error
        if isinstance(conflict, EditConflictError):
            parent = dialog if isValid(dialog) else self.window()
            question = ConflictDialog(parent, self.theme, tr("Datasheet"), conflict, text)
            question.mine_kept.connect(partial(self._keep_answer, dialog, seen, name, conflict.text))
            question.theirs_taken.connect(partial(self._take_answer, dialog, seen, name, conflict.text))
            question.open_once()

    def _keep_answer(self, dialog: DatasheetDialog, seen: dict[str, str], name: str, theirs: str, text: str) -> None:
        self._take_answer(dialog, seen, name, theirs, text)
        self._write_answer(dialog, seen, name, text)

    def _take_answer(
        self, dialog: DatasheetDialog, seen: dict[str, str], name: str, theirs: str, shown: str = ""
    ) -> None:
        seen[name] = theirs
        self.said.hide()
        if isValid(dialog):
            dialog.show_text(name, shown or theirs)

    # -- exports --------------------------------------------------------------------------------------------------

    def _version(self) -> str | None:
        """Return the selected release's version, None if none is selected."""
        index = self.table.currentIndex()
        row: ReleaseRow | None = self.table.payload_at(index) if index.isValid() else None
        return row.version if row else None

    def _fill_formats(self) -> None:
        self.formats.clear()
        self._offer_formats(self.formats)

    def _offer_formats(self, menu: QMenu) -> None:
        for kind in EXPORTS:
            made = menu.addAction(translate_word(kind.title))
            made.setToolTip(translate_word(kind.description))
            made.triggered.connect(partial(self.export, kind.name))

    def open_publish(self) -> None:
        """Ask where the selected release, or the newest, is to be published."""
        if not self._releases:
            return
        version = self._version() or self._releases[0].version
        dialog = PublishDialog(self.theme, version, self)
        dialog.planned.connect(partial(self._plan_publication, dialog, version))
        dialog.confirmed.connect(partial(self._publish, dialog, version))
        dialog.open_once()

    def _plan_publication(self, dialog: PublishDialog, version: str, asked: PublishRequest) -> None:
        def show(found: Publication) -> None:
            if isValid(dialog):
                dialog.show_plan(asked, found)

        work = partial(publish, self.store, version, asked, False, Progress())
        self.session.run("cpu", work, show, partial(_refuse_publication, dialog), latest="release-publish")

    def _publish(self, dialog: PublishDialog, version: str, asked: PublishRequest) -> None:
        def show(done: Publication) -> None:
            if isValid(dialog):
                dialog.show_sentence(_published_text(done))

        work = partial(publish, self.store, version, asked, True)
        label = tr("Publishing {version}", version=version)
        failed = partial(_refuse_publication, dialog)
        self.session.start_job(label, work, show, failed, summary=_published_text, lane="net")

    def export(self, format_name: str = "annotator", _checked: bool = False) -> None:
        """Ask for a folder and write the selected release (or the newest) into it."""
        version = self._version()
        newest = self._releases[0].version if self._releases else ""
        proposed = file_dialogs.beside_project(self.session, f"{format_name}-{version or newest}")
        folder = file_dialogs.choose_new_folder(self, tr("Export into a new or empty folder"), proposed)
        if folder is not None:
            self.export_to(folder, version, format_name)

    def export_to(self, folder: Path, version: str | None, format_name: str = "annotator") -> None:
        """Write a release into a folder, and say what was written and what the format could not hold."""
        work = partial(exports.export_release, self.store, version, format_name, folder)
        self.session.run("net", work, partial(self._exported, folder), self._refused)

    def _show_state(self, state: ReleaseState) -> None:
        self.gate_card.show_gates(state.gates)
        blocked = any(gate.required and not gate.ok for gate in state.gates)
        self.reason.setVisible(blocked and state.gates[0].ok)
        self.create_button.setEnabled(state.gates[0].ok)
        self.version.setPlaceholderText(state.suggested)
        self.changed.setText(_changes_text(state))
        self._show_releases(state.releases)
        if self._errata_requested:
            self._errata_requested = False
            self.open_changes()

    def _show_releases(self, releases: tuple[ReleaseRow, ...]) -> None:
        # Before the gates have been read: what is typed meanwhile stays.
        for field in self.lines.values():
            field.show_item(_NEXT)
        # What users of a release are told is of that release alone.
        self.errata_draft.show_item(_NEXT, began_from=releases[0].version if releases else "")
        self._releases = releases
        self.stack.setCurrentWidget(self.table if releases else self.empty)
        self.export_button.setEnabled(bool(releases))
        self.publish_button.setEnabled(bool(releases))
        self.changes_button.setEnabled(bool(releases))
        lines = [
            (
                Cell(row.version),
                Cell(str(row.item_count), row.item_count),
                Cell(row.notes),
                Cell(row.annotator),
                moment_cell(row.created_at),
                Cell(row.content_hash[:12]),
                Cell("; ".join(row.overrides), len(row.overrides)),
            )
            for row in releases
        ]
        chosen = self._version()
        self.table.set_rows(
            (tr("version"), tr("items"), tr("notes"), tr("by"), tr("when"), tr("content"), tr("overridden")),
            lines,
            list(releases),
            stretch=2,
        )
        place = next((number for number, row in enumerate(releases) if row.version == chosen), None)
        if place is not None:
            self.table.select(place)

    def _created(self, written: Mapping[DraftField, str], result: tuple[ReleaseRow, Changes]) -> None:
        row = result[0]
        for field, text in written.items():
            field.clear(_NEXT, text)
        frozen = tr_count(
            "Release {version} with {count} item is frozen.",
            "Release {version} with {count} items is frozen.",
            row.item_count,
            version=row.version,
        )
        self._say("\n".join((frozen, tr("Next: try models on it, on the page Runs."))))

    def _exported(self, folder: Path, done: Exported) -> None:
        files, name = len(done.files), folder.name
        lines = [
            tr_count("{count} file was written to {name}.", "{count} files were written to {name}.", files, name=name)
        ]
        if done.left_out:
            lines.append(
                tr_count(
                    "{count} item was left out, for the format cannot hold it:",
                    "{count} items were left out, for the format cannot hold them:",
                    len(done.left_out),
                )
            )
            lines += [str(item) for item in done.left_out[:4]]
        self._say("\n".join([*lines, *done.notes[:3]]))

    def _refused(self, failure: Failure) -> None:
        self._say("\n".join([failure.message, *failure.details[:6]]))

    def _say(self, text: str) -> None:
        self.said.setText(text)
        self.said.show()


def publish(store: ProjectFile, version: str, asked: PublishRequest, send: bool, progress: Progress) -> Publication:
    """Publish a release, or plan it."""
    return publishing.publish(
        store, version, asked.place, send=send, branch=asked.branch, endpoint=asked.endpoint, token=asked.token,
        progress=progress,
    )  # fmt: skip


def _published_text(done: Publication) -> str:
    return tr(
        "{version} is published to {place} as {tag}, commit {commit}.", version=done.version, place=done.place,
        tag=publishing.tag_of(done.version), commit=done.commit[:12],
    )  # fmt: skip


def _refuse_publication(dialog: PublishDialog, failure: Failure) -> None:
    if isValid(dialog):
        dialog.show_sentence("\n".join([failure.message, *failure.details[:6]]))


def _changes_text(state: ReleaseState) -> str:
    if state.diff is None:
        return tr("This will be the first release.")
    if not state.suggested:
        return tr("Nothing has changed since {version}.", version=state.diff.old)
    names = "; ".join(
        f"{item.title} ({join_list(map(translate_word, item.fields))})" for item in state.diff.changed[:3]
    )
    return f"{summarize(state.diff)} {names}" if names else summarize(state.diff)


def _create_release(
    store: ProjectFile, version: str, notes: str, reason: str, errata: list[str] | None
) -> tuple[ReleaseRow, Changes]:
    """Freeze the present state, as the suggested version where none is typed."""
    return versions.create_release(store, version or suggested_version.suggest_version(store), notes, reason, errata)


def load_state(store: ProjectFile) -> ReleaseState:
    """Read everything the page shows."""
    last = suggested_version.previous(store)
    diff = suggested_version.compare(store, last) if last is not None else None
    return ReleaseState(
        gates=release_gates.gates(store),
        suggested=diff.suggested if diff else suggested_version.FIRST,
        releases=release_list.list_releases(store),
        diff=diff,
    )


def write_answer(store: ProjectFile, seen: dict[str, str], name: str, text: str) -> Changes:
    """Write an answer of the datasheet on top of the text that was ``seen``; from then on, that is this one."""
    changes = datasheet.write(store, name, text, seen=seen[name])
    seen[name] = text
    return changes


def load_datasheet(store: ProjectFile) -> tuple[tuple[Answer, ...], dict[str, Any]]:
    """Return every question with its answer, and the texts beside them."""
    return datasheet.answers(store), datasheet.written(store)
