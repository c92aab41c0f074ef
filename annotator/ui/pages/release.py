"""Releases: what blocks one, what changed, freezing and exporting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QMenu, QStackedWidget, QVBoxLayout

from annotator.base import clock
from annotator.model.rows import Changes, Gate, ReleaseDiff, ReleaseRow
from annotator.ui.notices import Failure
from annotator.ui.page import Destination, Page, PageContext
from annotator.ui.pages.parts.datasheet_dialog import DatasheetDialog
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.empty_state import EmptyState
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.table import Cell, DataTable

if TYPE_CHECKING:
    from annotator.formats.writing import Exported


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
        self.gates_card = Card("Before a release")
        self.gates = DataTable("Release gates")
        self.gates.row_activated.connect(self._go_to_gate)
        self.gates_card.body.addWidget(self.gates)
        self.form = Card("New release")
        self.version, self.notes, self.reason = QLineEdit(), QLineEdit(), QLineEdit()
        for field, name, hint in (
            (self.version, "Version", "0.1"),
            (self.notes, "Notes", "What is new, in a sentence"),
            (self.reason, "Reason", "A required gate is not met: why release all the same?"),
        ):
            field.setAccessibleName(name)
            field.setPlaceholderText(hint)
        self.version.setMaximumWidth(160)
        self.create_button = button("Create release", primary=True)
        self.create_button.clicked.connect(self.create_release)
        self.changed = label("", "dim", wrap=True)
        self.said = label("", wrap=True)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.version)
        row.addWidget(self.notes, 1)
        row.addWidget(self.create_button)
        self.form.body.addLayout(row)
        self.form.body.addWidget(self.reason)
        self.form.body.addWidget(self.changed)
        self.form.body.addWidget(self.said)
        self.said.hide()
        self.list_card = Card("Releases")
        self.export_button = button("Export…")
        self.formats = QMenu(self.export_button)
        self.formats.aboutToShow.connect(self._fill_formats)
        self.export_button.setMenu(self.formats)
        self.datasheet_button = button("Datasheet…")
        self.datasheet_button.clicked.connect(self.open_datasheet)
        self.gates_card.head.addWidget(self.datasheet_button)
        self.list_card.head.addWidget(self.export_button)
        self.table = DataTable("Releases")
        self.empty = EmptyState(
            self.theme,
            "ph.package",
            "No release yet",
            "A release is frozen: items, criteria and prompts never change in it.",
        )
        self.stack = QStackedWidget()
        self.stack.addWidget(self.table)
        self.stack.addWidget(self.empty)
        self.list_card.body.addWidget(self.stack)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 8, 12, 8)
        layout.setSpacing(12)
        layout.addWidget(self.gates_card, 3)
        layout.addWidget(self.form)
        layout.addWidget(self.list_card, 3)

    def activate(self) -> None:
        """Look at the gates again."""
        store = self.session.store
        if store is not None:
            self.session.run("cpu", partial(_state, store), self._take, latest="release-state")

    def refresh(self, changes: Changes) -> None:
        """Look again when items or releases changed."""
        if changes.nouns & {"subject", "decision", "prompt", "criterion", "release", "datasheet"}:
            self.activate()

    def actions(self) -> dict[str, Callable[[], object]]:  # type: ignore[override]  # see Page.actions
        """Return creating and exporting."""
        return {
            "release.create": self.create_release,
            "release.export": self.export,
            "release.datasheet": self.open_datasheet,
        }

    def create_release(self) -> None:
        """Freeze the present state."""
        store = self.session.store
        if store is not None:
            version = self.version.text().strip() or self.version.placeholderText()
            work = partial(_create, store, version, self.notes.text().strip(), self.reason.text().strip())
            self.session.act(work, self._created, self._refused)

    def open_datasheet(self) -> None:
        """Show the datasheet to be filled in."""
        store = self.session.store
        if store is not None:
            self.session.run("read", partial(_datasheet, store), self._show_datasheet, latest="release-datasheet")

    def _show_datasheet(self, state: tuple[tuple[Any, ...], dict[str, Any]]) -> None:
        answers, texts = state
        dialog = DatasheetDialog(self.theme, answers, texts, self)
        dialog.written.connect(self._write_answer)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _write_answer(self, answer: tuple[str, str]) -> None:
        store = self.session.store
        if store is not None:
            self.session.act(partial(_answer, store, *answer), None, self._refused)

    def _fill_formats(self) -> None:
        from annotator.formats.registry import EXPORTS

        self.formats.clear()
        for kind in EXPORTS:
            made = self.formats.addAction(kind.title)
            made.setToolTip(kind.description)
            made.triggered.connect(partial(self.export, kind.name))

    def export(self, format_name: str = "annotator", _checked: bool = False) -> None:
        """Ask for a folder and write the selected release (or the newest) into it."""
        row = self.table.payload_at(self.table.currentIndex()) if self.table.currentIndex().isValid() else None
        folder = QFileDialog.getExistingDirectory(self, "Export into a new or empty folder")
        if folder:
            self.export_to(Path(folder), row.version if row else None, format_name)

    def export_to(self, folder: Path, version: str | None, format_name: str = "annotator") -> None:
        """Write a release into a folder, and say what was written and what the format could not hold."""
        store = self.session.store
        if store is not None:
            work = partial(_export, store, version, folder, format_name)
            self.session.run("net", work, partial(self._exported, folder), self._refused)

    def _take(self, state: ReleaseState) -> None:
        rows = [
            (
                Cell("✓ met" if gate.ok else ("✗ blocks" if gate.required else "! open")),
                Cell(gate.name),
                Cell(gate.reason),
            )
            for gate in state.gates
        ]
        self.gates.set_rows(("state", "gate", "detail"), rows, list(state.gates), stretch=2)
        blocked = [gate for gate in state.gates if gate.required and not gate.ok]
        self.gates_card.set_trailing("ready to release" if not blocked else f"{len(blocked)} gates block")
        self.reason.setVisible(bool(blocked) and state.gates[0].ok)
        self.create_button.setEnabled(state.gates[0].ok)
        self.version.setPlaceholderText(state.suggested)
        self.changed.setText(_changes_text(state))
        self.stack.setCurrentWidget(self.table if state.releases else self.empty)
        self.export_button.setEnabled(bool(state.releases))
        lines = [
            (
                Cell(row.version),
                Cell(str(row.item_count), row.item_count),
                Cell(row.notes),
                Cell(row.annotator),
                Cell(clock.ago(clock.parse(row.created_at)), row.created_at),
                Cell(row.content_hash[:12]),
            )
            for row in state.releases
        ]
        self.table.set_rows(
            ("version", "items", "notes", "by", "when", "content"), lines, list(state.releases), stretch=2
        )

    def _created(self, result: tuple[ReleaseRow, Changes]) -> None:
        row = result[0]
        self.version.clear()
        self.notes.clear()
        self.reason.clear()
        self._say(f"Release {row.version} with {row.item_count} items is frozen.")

    def _exported(self, folder: Path, done: Exported) -> None:
        lines = [f"{len(done.files)} files were written to {folder.name}."]
        if done.left_out:
            lines.append(f"{len(done.left_out)} items were left out, for the format cannot hold them:")
            lines += [str(item) for item in done.left_out[:4]]
        self._say("\n".join([*lines, *done.notes[:3]]))

    def _refused(self, failure: Failure) -> None:
        self._say("\n".join([failure.message, *failure.details[:6]]))

    def _say(self, text: str) -> None:
        self.said.setText(text)
        self.said.show()

    def _go_to_gate(self, gate: Gate) -> None:
        if gate.subject_ids:
            self.go_to.emit(Destination("Criterion", gate.subject_ids[0]))
        elif not gate.ok:
            self.go_to.emit(Destination("Select"))


def _changes_text(state: ReleaseState) -> str:
    if state.diff is None:
        return "This will be the first release."
    diff = state.diff
    parts = [
        f"{len(diff.added)} added",
        f"{len(diff.removed)} removed",
        f"{len(diff.changed)} changed",
        f"{diff.same} same",
    ]
    names = "; ".join(f"{item.title} ({', '.join(item.fields)})" for item in diff.changed[:3])
    text = f"Since {state.releases[0].version}: {', '.join(parts)}."
    return f"{text} {names}" if names else text


# The store's type would load SQLModel before the first paint, so these take it as an object.


def _state(store: object) -> ReleaseState:
    from annotator.services import gating, releasing

    rows = releasing.releases(store)  # type: ignore[arg-type]  # see above
    return ReleaseState(
        gates=gating.gates(store),  # type: ignore[arg-type]  # see above
        suggested=releasing.suggest_version(store),  # type: ignore[arg-type]  # see above
        releases=rows,
        diff=releasing.diff(store, rows[0].version) if rows else None,  # type: ignore[arg-type]  # see above
    )


def _create(store: object, version: str, notes: str, reason: str) -> tuple[ReleaseRow, Changes]:
    from annotator.services import releasing

    return releasing.create_release(store, version, notes, reason)  # type: ignore[arg-type]  # see above


def _export(store: object, version: str | None, folder: Path, format_name: str) -> Exported:
    from annotator.services import releasing

    return releasing.export(store, version, format_name, folder)  # type: ignore[arg-type]  # see above


def _datasheet(store: object) -> tuple[tuple[Any, ...], dict[str, Any]]:
    from annotator.services import datasheet

    return datasheet.answers(store), datasheet.written(store)  # type: ignore[arg-type]  # see above


def _answer(store: object, name: str, text: str) -> Changes:
    from annotator.services import datasheet

    return datasheet.write(store, name, text)  # type: ignore[arg-type]  # see above
