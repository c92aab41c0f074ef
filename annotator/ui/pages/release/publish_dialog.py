"""Publish a release: where to, what would be sent, and only then sending it."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from annotator.services.release.publishing import BRANCH, TOKEN, Publication
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr, tr_count
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.fields import line_edit
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.layouts import make_column, make_row
from annotator.ui.widgets.table import Cell, DataTable

_REMARKS = 6


@dataclass(frozen=True, slots=True)
class PublishRequest:
    """Where a release is to go; an empty ``endpoint`` is the Hub itself."""

    place: str
    branch: str
    endpoint: str
    token: str


class PublishDialog(Dialog):
    """A dry run comes first: what was not listed here cannot be sent."""

    planned = Signal(object)
    """What would be sent is asked for."""
    confirmed = Signal(object)
    """What is listed is to be sent."""

    def __init__(self, theme: Theme, version: str, parent: QWidget) -> None:
        """Ask where to; nothing can be sent yet."""
        super().__init__(parent)
        self.setWindowTitle(tr("Publish release {version}", version=version))
        self.resize(theme.pixels(680), theme.pixels(520))
        self._asked: PublishRequest | None = None
        self.place = line_edit(tr("Place", "where to publish"), tr("hf:OWNER/NAME, or the address of a git repository"))
        self.branch = line_edit(tr("Branch"), BRANCH)
        self.endpoint = line_edit(tr("Server"), tr("another server than the Hugging Face Hub"))
        self.token = line_edit(tr("Name of the key"), TOKEN)
        self.branch.setMaximumWidth(theme.pixels(140))
        self.token.setMaximumWidth(theme.pixels(180))
        self.files = DataTable(tr("Files that would be sent"))
        self.said = label("", "dim", wrap=True)
        self.plan_button = button(tr("Show what would be sent"), clicked=self.ask)
        self.send_button = button(tr("Publish"), primary=True, clicked=self._confirm)
        about = tr(
            "A version is published once, as a commit with a tag. A repository of the Hub is made private; its key is "
            "read from the environment or the keyring."
        )
        where = make_row((self.place, 1), self.branch, spacing=8)
        server = make_row((self.endpoint, 1), self.token, self.plan_button, spacing=8)
        foot = make_row(None, button(tr("Close"), clicked=self.reject), self.send_button, spacing=8)
        make_column(
            self, label(about, "dim", wrap=True), where, server, (self.files, 1), self.said, foot, spacing=10, margin=16
        )
        for line in (self.place, self.branch, self.endpoint, self.token):
            line.textChanged.connect(self._changed)
        self.place.returnPressed.connect(self.ask)
        self._changed()

    def read_request(self) -> PublishRequest:
        """Return what is typed."""
        return PublishRequest(
            self.place.text().strip(),
            self.branch.text().strip() or BRANCH,
            self.endpoint.text().strip(),
            self.token.text().strip() or TOKEN,
        )

    def ask(self, _checked: bool = False) -> None:
        """Ask for a dry run of what is typed."""
        if self.place.text().strip():
            self._asked = self.read_request()
            self.planned.emit(self._asked)

    def show_plan(self, asked: PublishRequest, found: Publication) -> None:
        """List what would be sent; sending is offered while the place is still the one that was asked about."""
        rows = [[Cell(name), Cell(f"{size:,}", size)] for name, size in found.files]
        self.files.set_rows((tr("file"), tr("bytes")), rows, list(found.files), stretch=0)
        remarks = list(found.remarks[:_REMARKS])
        if len(found.remarks) > _REMARKS:
            remarks.append(tr("and {count} more", count=len(found.remarks) - _REMARKS))
        count = tr_count(
            "{count} file would go to {place}.", "{count} files would go to {place}.", len(found.files),
            place=found.place,
        )  # fmt: skip
        self.said.setText("\n".join([count, *remarks]))
        self.send_button.setEnabled(asked == self.read_request())

    def show_sentence(self, text: str) -> None:
        """Say what came of it; a dry run comes first again."""
        self.said.setText(text)
        self.plan_button.setEnabled(bool(self.place.text().strip()))
        self.send_button.setEnabled(False)

    def _changed(self, _text: str = "") -> None:
        self._asked = None
        self.plan_button.setEnabled(bool(self.place.text().strip()))
        self.send_button.setEnabled(False)

    def _confirm(self, _checked: bool = False) -> None:
        if self._asked == self.read_request():
            self.plan_button.setEnabled(False)
            self.send_button.setEnabled(False)
            self.confirmed.emit(self._asked)
