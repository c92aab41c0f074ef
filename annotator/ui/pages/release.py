"""Releases: what blocks one, what changed, freezing and exporting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QMenu, QStackedWidget, QVBoxLayout

from annotator.base import clock
from annotator.model.release_rows import Gate, ReleaseDiff, ReleaseRow
from annotator.model.rows import Changes
from annotator.ui.folders import beside_project
from annotator.ui.notices import Failure
from annotator.ui.page import Page, PageContext
from annotator.ui.pages.parts.changes_dialog import summary
from annotator.ui.pages.parts.gate_card import GateCard
from annotator.ui.pages.parts.release_acts import ReleaseActs
from annotator.ui.when import ago
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.empty_state import EmptyState
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.table import Cell, DataTable
from annotator.ui.words import tr, tr_count, tr_known

if TYPE_CHECKING:
    from annotator.formats.writing import Exported

_LOOKED_AT = {
    "subject", "decision", "prompt", "criterion", "proof", "release", "datasheet", "gates", "review", "vote",
    "revision", "confirmation", "resolution", "quotaplan", "project",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ReleaseState:
    """Everything the page shows."""

    gates: tuple[Gate, ...]
    suggested: str
    releases: tuple[ReleaseRow, ...]
    diff: ReleaseDiff | None


class ReleasePage(Page):
    """Freeze a version and export it."""

    name = "Release"
    icon = "ph.package"

    def __init__(self, context: PageContext) -> None:
        """Put gates, form and list together."""
        super().__init__(context)
        self._releases: tuple[ReleaseRow, ...] = ()
        self.acts = ReleaseActs(self.session, self.theme, self)
        self.acts.refused.connect(self._refused)
        self.gate_card = GateCard()
        self.gates, self.failing = self.gate_card.gates, self.gate_card.failing
        self.gate_card.go_to.connect(self.go_to)
        self.gate_card.datasheet_wanted.connect(self.open_datasheet)
        for word, act in (
            (tr("Gates…"), self.open_rules),
            (tr("Personal data…"), self.open_privacy),
            (tr("Sources…"), self.open_sources),
            (tr("Datasheet…"), self.open_datasheet),
        ):
            made = button(word)
            made.clicked.connect(act)
            self.gate_card.head.addWidget(made)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 8, 12, 8)
        layout.setSpacing(12)
        layout.addWidget(self.gate_card, 4)
        layout.addWidget(self._make_form())
        layout.addWidget(self._make_list(), 2)

    def _make_form(self) -> Card:
        form = Card(tr("New release"))
        self.version, self.notes, self.reason = QLineEdit(), QLineEdit(), QLineEdit()
        for field, name, hint in (
            (self.version, tr("Version"), "0.1"),
            (self.notes, tr("Notes"), tr("What is new, in a sentence")),
            (self.reason, tr("Reason"), tr("A required gate is not met: why release all the same?")),
        ):
            field.setAccessibleName(name)
            field.setPlaceholderText(hint)
        self.version.setMaximumWidth(160)
        self.create_button = button(tr("Create release"), primary=True)
        self.create_button.clicked.connect(self.create_release)
        self.changes_button = button(tr("Changes…"))
        self.changes_button.clicked.connect(self.open_changes)
        self.changed = label("", "dim", wrap=True)
        self.said = label("", wrap=True)
        self.said.hide()
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.version)
        row.addWidget(self.notes, 1)
        row.addWidget(self.changes_button)
        row.addWidget(self.create_button)
        form.body.addLayout(row)
        for widget in (self.reason, self.changed, self.said):
            form.body.addWidget(widget)
        return form

    def _make_list(self) -> Card:
        card = Card(tr("Releases"))
        self.export_button = button(tr("Export…"))
        self.formats = QMenu(self.export_button)
        self.formats.aboutToShow.connect(self._fill_formats)
        self.export_button.setMenu(self.formats)
        card.head.addWidget(self.export_button)
        self.table = DataTable(tr("Releases"))
        self.empty = EmptyState(
            self.theme,
            "ph.package",
            tr("No release yet"),
            tr("A release is frozen: items, criteria and prompts never change in it."),
        )
        self.stack = QStackedWidget()
        self.stack.addWidget(self.table)
        self.stack.addWidget(self.empty)
        card.body.addWidget(self.stack)
        return card

    def activate(self) -> None:
        """Look at the gates again."""
        store = self.session.store
        if store is not None:
            self.session.run("cpu", partial(_state, store), self._take, latest="release-state")

    def refresh(self, changes: Changes) -> None:
        """Look again when something that gates look at changed."""
        if changes.nouns & _LOOKED_AT:
            self.activate()

    def actions(self) -> dict[str, Callable[[], object]]:  # type: ignore[override]  # see Page.actions
        """Return creating, exporting and what is to be read before."""
        return {
            "release.create": self.create_release,
            "release.export": self.export,
            "release.datasheet": self.open_datasheet,
            "release.changes": self.open_changes,
            "release.gates": self.open_rules,
            "release.privacy": self.open_privacy,
            "release.sources": self.open_sources,
        }

    def create_release(self) -> None:
        """Freeze the present state."""
        store = self.session.store
        if store is not None:
            version = self.version.text().strip() or self.version.placeholderText()
            written = self.acts.errata
            errata = None if written is None else [line.strip() for line in written.splitlines() if line.strip()]
            work = partial(_create, store, version, self.notes.text().strip(), self.reason.text().strip(), errata)
            self.session.act(work, self._created, self._refused)

    def open_changes(self) -> None:
        """Compare the selected release, or the newest, with the present state."""
        if self._releases:
            self.acts.open_changes([row.version for row in self._releases], self._version() or self._last())

    def open_rules(self) -> None:
        """Ask which gates the project has."""
        self.acts.open_rules()

    def open_privacy(self) -> None:
        """Look through the selected release, or the present state, for personal data and secrets."""
        self.acts.open_privacy(self._version())

    def open_sources(self) -> None:
        """Show whose work the items of the selected release, or of the present state, are."""
        self.acts.open_sources(self._version())

    def open_datasheet(self) -> None:
        """Show the datasheet to be filled in."""
        self.acts.open_datasheet()

    def _version(self) -> str | None:
        """Return the selected release's version, None if none is selected."""
        index = self.table.currentIndex()
        row: ReleaseRow | None = self.table.payload_at(index) if index.isValid() else None
        return row.version if row else None

    def _last(self) -> str:
        return self._releases[0].version

    def _fill_formats(self) -> None:
        from annotator.formats.registry import EXPORTS

        self.formats.clear()
        for kind in EXPORTS:
            made = self.formats.addAction(tr_known(kind.title))
            made.setToolTip(tr_known(kind.description))
            made.triggered.connect(partial(self.export, kind.name))

    def export(self, format_name: str = "annotator", _checked: bool = False) -> None:
        """Ask for a folder and write the selected release (or the newest) into it."""
        version = self._version()
        folder = QFileDialog.getExistingDirectory(
            self, tr("Export into a new or empty folder"), beside_project(self.session)
        )
        if folder:
            self.export_to(Path(folder), version, format_name)

    def export_to(self, folder: Path, version: str | None, format_name: str = "annotator") -> None:
        """Write a release into a folder, and say what was written and what the format could not hold."""
        store = self.session.store
        if store is not None:
            work = partial(_export, store, version, folder, format_name)
            self.session.run("net", work, partial(self._exported, folder), self._refused)

    def _take(self, state: ReleaseState) -> None:
        self._releases = state.releases
        self.gate_card.show_gates(state.gates)
        blocked = any(gate.required and not gate.ok for gate in state.gates)
        self.reason.setVisible(blocked and state.gates[0].ok)
        self.create_button.setEnabled(state.gates[0].ok)
        self.version.setPlaceholderText(state.suggested)
        self.changed.setText(_changes_text(state))
        self.stack.setCurrentWidget(self.table if state.releases else self.empty)
        self.export_button.setEnabled(bool(state.releases))
        self.changes_button.setEnabled(bool(state.releases))
        lines = [
            (
                Cell(row.version),
                Cell(str(row.item_count), row.item_count),
                Cell(row.notes),
                Cell(row.annotator),
                Cell(ago(clock.parse(row.created_at)), row.created_at),
                Cell(row.content_hash[:12]),
            )
            for row in state.releases
        ]
        self.table.set_rows(
            (tr("version"), tr("items"), tr("notes"), tr("by"), tr("when"), tr("content")),
            lines,
            list(state.releases),
            stretch=2,
        )

    def _created(self, result: tuple[ReleaseRow, Changes]) -> None:
        row = result[0]
        self.acts.errata = None
        for field in (self.version, self.notes, self.reason):
            field.clear()
        self._say(
            tr("Release {version} with {item_count} items is frozen.", version=row.version, item_count=row.item_count)
        )

    def _exported(self, folder: Path, done: Exported) -> None:
        lines = [tr("{count} files were written to {name}.", count=len(done.files), name=folder.name)]
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


def _changes_text(state: ReleaseState) -> str:
    if state.diff is None:
        return tr("This will be the first release.")
    names = "; ".join(f"{item.title} ({', '.join(item.fields)})" for item in state.diff.changed[:3])
    return f"{summary(state.diff)} {names}" if names else summary(state.diff)


# The store's type would load SQLModel before the first paint, so these take it as anything.


def _state(store: Any) -> ReleaseState:
    from annotator.services import comparing, gating, releasing

    last = comparing.previous(store)
    diff = comparing.compare(store, last) if last is not None else None
    return ReleaseState(
        gates=gating.gates(store),
        suggested=diff.suggested if diff else comparing.FIRST,
        releases=releasing.releases(store),
        diff=diff,
    )


def _create(store: Any, version: str, notes: str, reason: str, errata: list[str] | None) -> tuple[ReleaseRow, Changes]:
    from annotator.services import releasing

    return releasing.create_release(store, version, notes, reason, errata)


def _export(store: Any, version: str | None, folder: Path, format_name: str) -> Exported:
    from annotator.services import releasing

    return releasing.export(store, version, format_name, folder)
