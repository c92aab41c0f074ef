"""What runs are set up with, to look at and to edit: endpoints, prices, prompt templates, protocols."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from PySide6.QtWidgets import QHBoxLayout, QInputDialog, QVBoxLayout, QWidget

from annotator.base import clock
from annotator.model.rows import Changes
from annotator.ui.notices import Failure
from annotator.ui.pages.parts import run_work
from annotator.ui.pages.parts.run_work import SetupEntry
from annotator.ui.session import Session
from annotator.ui.theme import Theme
from annotator.ui.when import ago
from annotator.ui.widgets.code_view import CodeView
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.segments import Segments
from annotator.ui.widgets.table import Cell, DataTable
from annotator.ui.words import tr

_KINDS = ("endpoint", "price", "template", "protocol")
_NEW: Mapping[str, dict[str, Any]] = {
    "endpoint": {"base_url": "http://localhost:8000/v1", "key_name": "", "concurrency": 16},
    "price": {"input": 0.0, "output": 0.0, "currency": "USD", "as_of": ""},
}


class SetupDialog(Dialog):
    """Lists what there is of a kind and edits one as JSON; every save is a revision that can be undone."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget) -> None:
        """Show the endpoints."""
        super().__init__(parent)
        self.setWindowTitle(tr("Set up runs"))
        self.setObjectName("setup-dialog")
        self.resize(860, 560)
        self._session = session
        self._chosen: SetupEntry | None = None
        self.kinds = Segments(tr("Kind"), (tr("Endpoints"), tr("Prices"), tr("Templates"), tr("Protocols")))
        self.table = DataTable(tr("What there is"))
        self.text = CodeView(theme, tr("Content as JSON"), language="json", read_only=False)
        self.said = label("", wrap=True)
        self.new, self.save = button(tr("New…")), button(tr("Save"), primary=True)
        self.remove, self.close_button = button(tr("Remove")), button(tr("Close"))
        left = QVBoxLayout()
        left.addWidget(self.table, 1)
        right = QVBoxLayout()
        right.addWidget(self.text, 1)
        right.addWidget(self.said)
        middle = QHBoxLayout()
        middle.setSpacing(12)
        middle.addLayout(left, 2)
        middle.addLayout(right, 3)
        acts = QHBoxLayout()
        acts.addWidget(self.new)
        acts.addWidget(self.remove)
        acts.addStretch(1)
        acts.addWidget(self.close_button)
        acts.addWidget(self.save)
        layout = QVBoxLayout(self)
        layout.setSpacing(12)
        top = QHBoxLayout()
        top.addWidget(self.kinds)
        top.addStretch(1)
        layout.addLayout(top)
        layout.addLayout(middle, 1)
        layout.addLayout(acts)
        self.kinds.chosen.connect(self._kind_chosen)
        self.table.row_selected.connect(self._choose)
        self.new.clicked.connect(self._ask_new)
        self.save.clicked.connect(self.save_text)
        self.remove.clicked.connect(self._remove)
        self.close_button.clicked.connect(self.accept)
        self._read()

    @property
    def kind(self) -> str:
        """The kind that is shown."""
        return _KINDS[self.kinds.current]

    def _kind_chosen(self, _number: int) -> None:
        self._chosen = None
        self.text.setPlainText("")
        self._say("")
        self._read()

    def _read(self) -> None:
        store = self._session.store
        if store is not None:
            self._session.run("read", partial(run_work.setups, store, self.kind), self._take, latest="run-setups")

    def _take(self, entries: tuple[SetupEntry, ...]) -> None:
        rows = [
            (
                Cell(item.name),
                Cell(tr("version {version}", version=item.version) if item.own else tr("as it came")),
                Cell(f"{item.annotator}, {ago(clock.parse(item.created_at))}" if item.own else ""),
            )
            for item in entries
        ]
        self.table.set_rows((tr("name"), tr("revision"), tr("by")), rows, list(entries))
        wanted = self._chosen.name if self._chosen else ""
        self._chosen = None
        self.new.setEnabled(self.kind in _NEW)
        self.remove.setEnabled(False)
        self.save.setEnabled(False)
        if entries:
            self.table.select(next((at for at, item in enumerate(entries) if item.name == wanted), 0))

    def _choose(self, entry: SetupEntry) -> None:
        self._chosen = entry
        self.text.setPlainText(json.dumps(entry.content, indent=2, ensure_ascii=False))
        self.remove.setEnabled(entry.own)
        self.save.setEnabled(True)

    def _ask_new(self) -> None:
        what = tr("Name of the endpoint:") if self.kind == "endpoint" else tr("Model (* and ? fit any):")
        name, given = QInputDialog.getText(self, tr("New"), what)
        if given and name.strip():
            self.begin(name.strip())

    def begin(self, name: str) -> None:
        """Begin something new of the kind shown; it is kept when it is saved."""
        self._choose(SetupEntry(self.kind, name, dict(_NEW[self.kind])))

    def save_text(self) -> None:
        """Save what is typed as a revision."""
        store, entry = self._session.store, self._chosen
        if store is None or entry is None:
            return
        try:
            content = json.loads(self.text.toPlainText())
        except ValueError as error:
            self._say(tr("This is not JSON: {error}.", error=error), problem=True)
            return
        if not isinstance(content, dict):
            self._say(tr("The text must be one JSON object."), problem=True)
            return
        work = partial(run_work.save_setup, store, entry.kind, entry.name, content)
        self._session.act(work, self._saved, self._failed)

    def _remove(self) -> None:
        store, entry = self._session.store, self._chosen
        if store is not None and entry is not None and entry.own:
            self._session.act(partial(run_work.remove_setup, store, entry.kind, entry.name), self._saved, self._failed)

    def _saved(self, changes: Changes) -> None:
        self._say(tr("{label}: on disk. Undo takes it back.", label=changes.label))
        self._read()

    def _failed(self, failure: Failure) -> None:
        self._say(failure.message, problem=True)

    def _say(self, text: str, *, problem: bool = False) -> None:
        self.said.setProperty("role", "problem" if problem else "dim")
        self.said.style().polish(self.said)
        self.said.setText(text)
