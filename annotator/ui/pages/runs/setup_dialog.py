"""The dialog that edits the setups of runs: endpoints, prices, prompt templates and protocols."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from PySide6.QtWidgets import QInputDialog, QWidget

from annotator.base import clock
from annotator.evaluation.item_prompts import TEMPLATES
from annotator.evaluation.presets import PRESETS
from annotator.model.changes import Changes
from annotator.model.rows.draft_rows import Draft
from annotator.model.rows.run_rows import SetupRow
from annotator.services.edit_conflicts import EditConflictError
from annotator.services.runs import run_setups
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.session.session import Session
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_words, tr, tr_message
from annotator.ui.pages.shared.edit_conflict_choice import ConflictDialog
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.draft_field import DraftBar, DraftField
from annotator.ui.widgets.labels import Segments, ago_text, button, label
from annotator.ui.widgets.layouts import make_column, make_row
from annotator.ui.widgets.table import DataTable

_KINDS = ("endpoint", "price", "template", "protocol")
_NEW_CONTENT: Mapping[str, dict[str, Any]] = {
    "endpoint": {"base_url": "http://localhost:8000/v1", "key_name": "", "concurrency": 16},
    "price": {"input": 0.0, "cached_input": None, "output": 0.0, "currency": "USD", "as_of": ""},
}


class SetupDialog(Dialog):
    """Lists the setups of a kind and edits one as JSON; every save is a revision that can be undone."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent, tr("Set up runs"), name="setup-dialog", size=(860, 560))
        self._session, self._theme = session, theme
        self._selected_entry: SetupRow | None = None
        self._entries: tuple[SetupRow, ...] = ()
        self.kinds = Segments(tr("Kind"), (tr("Endpoints"), tr("Prices"), tr("Templates"), tr("Protocols")))
        self.table = DataTable(tr("Available setups"), selected=self._choose_entry)
        self.text = CodeView(theme, tr("Content as JSON"), language="json", read_only=False)
        self.draft = DraftField.for_text(session.drafts, "runs.setup", self.text)
        self.draft_bar = DraftBar(theme, self.draft)
        self._pending_name = ""
        """The name of the entry to select once the list is loaded. The entry may not be saved yet."""
        self.status_label = label("", wrap=True)
        self.new_button = button(tr("New…"), clicked=self._ask_new)
        self.save_button = button(tr("Save"), primary=True, clicked=self.save_text)
        self.remove_button = button(tr("Remove"), clicked=self._remove)
        self.close_button = button(tr("Close"), clicked=self.accept)
        right = make_column(self.draft_bar, (self.text, 1), self.status_label)
        middle = make_row((self.table, 2), (right, 3), spacing=12)
        button_row = make_row(self.new_button, self.remove_button, None, self.close_button, self.save_button)
        self.lay_out(make_row(self.kinds, None), (middle, 1), button_row)
        self.kinds.picked.connect(self._kind_chosen)
        self._reload()

    @property
    def kind(self) -> str:
        """The selected kind."""
        return _KINDS[self.kinds.current]

    def _kind_chosen(self, _number: int) -> None:
        self._selected_entry, self._entries = None, ()
        self.new_button.setEnabled(False)
        self.draft.show_item("")
        self._show_status("")
        self._reload()

    def _reload(self) -> None:
        if self._session.store is not None:
            work = partial(load_setups, self._session.store, self.kind)
            self._session.run("read", work, self._show_entries, latest="run-setups")

    def _show_entries(self, entries: tuple[SetupRow, ...]) -> None:
        self._entries = entries
        names = {item.name for item in entries}
        pending_name, self._pending_name = self._pending_name, ""
        selected = self._selected_entry
        if not pending_name and selected is not None and (selected.name in names or not selected.version):
            pending_name = selected.name
        self._list_entries(pending_name)

    def _list_entries(self, selected_name: str) -> None:
        """List the entries and select one by name, adding a new entry for an unknown name."""
        entries = list(self._entries)
        saved_names = [item.name for item in entries]
        if selected_name and selected_name not in saved_names and self.kind in _NEW_CONTENT:
            entries.append(_unsaved_setup(self.kind, selected_name, dict(_NEW_CONTENT[self.kind])))
        rows = [
            (
                item.name,
                self._revision_text(item, saved_names),
                f"{item.annotator}, {ago_text(clock.parse_time(item.created_at))}" if item.version else "",
            )
            for item in entries
        ]
        self.table.set_rows(mark_words("name", "revision", "by"), rows, entries)
        self._selected_entry = None
        self.new_button.setEnabled(self.kind in _NEW_CONTENT)
        self.remove_button.setEnabled(False)
        self.save_button.setEnabled(False)
        self.table.select_first(lambda item: item.name == selected_name)

    @staticmethod
    def _revision_text(item: SetupRow, saved_names: Sequence[str]) -> str:
        if item.version:
            return tr("version {version}", version=item.version)
        return tr("original") if item.name in saved_names else tr("not saved yet")

    def show_draft(self, draft: Draft) -> None:
        """Show the entry of a draft, possibly one not saved yet."""
        kind, _, self._pending_name = draft.key.item_id.partition(" ")
        if kind in _KINDS:
            self.kinds.choose(_KINDS.index(kind))

    def _choose_entry(self, entry: SetupRow) -> None:
        self._selected_entry = entry
        content = json.dumps(entry.content, indent=2, ensure_ascii=False)
        self.draft.show_item(_draft_id(entry), content, began_from=str(entry.version))
        self.remove_button.setEnabled(entry.version > 0)
        self.save_button.setEnabled(True)

    def _ask_new(self) -> None:
        question = tr("Name of the endpoint:") if self.kind == "endpoint" else tr("Model (* and ? are wildcards):")
        name, has_agreed = QInputDialog.getText(self, tr("New"), question)
        if has_agreed and name.strip():
            self.add_entry(name.strip())

    def add_entry(self, name: str) -> None:
        """Add an entry of the selected kind; it is stored when it is saved."""
        self._list_entries(name)
        self.text.setFocus()

    def save_text(self) -> None:
        """Save the edited text as a revision."""
        entry = self._selected_entry
        if entry is None:
            return
        text = self.text.toPlainText()
        try:
            content = json.loads(text)
        except ValueError as error:
            self._show_status(tr("This is not JSON: {error}.", error=error), problem=True)
            return
        if not isinstance(content, dict):
            self._show_status(tr("The text must be one JSON object."), problem=True)
            return
        work = partial(save_setup_revision, self._session.open_store, entry.kind, entry.name, content, entry.version)
        self._session.act(work, partial(self._finish_save, entry, text), partial(self._fail_save, entry, text))

    def _fail_save(self, entry: SetupRow, text: str, failure: WorkFailure) -> None:
        self._show_failure(failure)
        conflict = failure.error
        if isinstance(conflict, EditConflictError):
            dialog = ConflictDialog(self, self._theme, entry.name, conflict, text, code=True)
            dialog.mine_kept.connect(partial(self._keep_mine, entry, int(conflict.revision)))
            dialog.theirs_taken.connect(partial(self._take_theirs, entry))
            dialog.open_once()

    def _keep_mine(self, entry: SetupRow, version: int, text: str) -> None:
        self._selected_entry = replace(entry, version=version)
        self.text.setPlainText(text)
        self.save_text()

    def _take_theirs(self, entry: SetupRow) -> None:
        self.draft.finish(_draft_id(entry))
        self._reload()

    def _remove(self) -> None:
        entry = self._selected_entry
        if entry is not None and entry.version:
            work = partial(run_setups.remove_setup, self._session.open_store, entry.kind, entry.name)
            self._session.act(work, partial(self._finish_save, entry, None), self._show_failure)

    def _finish_save(self, entry: SetupRow, text: str | None, changes: Changes) -> None:
        self.draft.finish(_draft_id(entry), text)
        self._show_status(tr("{label}: saved. Undo reverts it.", label=tr_message(changes.label)))
        self._reload()

    def _show_failure(self, failure: WorkFailure) -> None:
        self._show_status(failure.message, problem=True)

    def _show_status(self, text: str, *, problem: bool = False) -> None:
        self.status_label.setProperty("role", "problem" if problem else "dim")
        self.status_label.style().polish(self.status_label)
        self.status_label.setText(text)


def _draft_id(entry: SetupRow) -> str:
    return f"{entry.kind} {entry.name}"


def load_setups(store: ProjectFile, kind: str) -> tuple[SetupRow, ...]:
    """Return the current setups of a kind; those shipped with the application have version 0."""
    if kind == "endpoint":
        return run_setups.list_endpoints(store)
    own_rows = run_setups.list_own_setups(store, kind)
    names = {row.name for row in own_rows}
    shipped: list[tuple[str, dict[str, Any]]] = []
    if kind == "price":
        shipped = [(item.model, asdict(item)) for item in run_setups.list_prices().prices]
        for _, content in shipped:
            del content["model"]
    elif kind == "template":
        shipped = [(item.name, dict(item.as_json())) for item in TEMPLATES]
    elif kind == "protocol":
        shipped = [(item.name, item.as_json()) for item in PRESETS]
    return (*own_rows, *(_unsaved_setup(kind, name, content) for name, content in shipped if name not in names))


def _unsaved_setup(kind: str, name: str, content: dict[str, Any]) -> SetupRow:
    return SetupRow(kind=kind, name=name, version=0, content=content, removed=False, annotator="", created_at="")


def save_setup_revision(
    store: ProjectFile, kind: str, name: str, content: dict[str, Any], seen_version: int
) -> Changes:
    """Save a revision based on version ``seen_version``; a protocol takes its name from its content."""
    setup_name = str(content.get("name") or name) if kind == "protocol" else name
    identity_keys = {"template": ("name", "version"), "price": ("model",), "protocol": ("name",)}.get(kind, ())
    saved_content = {key: value for key, value in content.items() if key not in identity_keys}
    return run_setups.save_run_setup(
        store, kind, setup_name, saved_content, seen_version=seen_version if setup_name == name else 0
    )
