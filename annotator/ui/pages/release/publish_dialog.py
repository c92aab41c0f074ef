"""Publish a release: choose the place, list the files that would be sent, then send them."""

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

_MAX_REMARKS = 6


@dataclass(frozen=True, slots=True)
class PublishRequest:
    """The target of a publication; an empty ``endpoint`` is the Hugging Face Hub."""

    place: str
    branch: str
    endpoint: str
    token: str


class PublishDialog(Dialog):
    """Requires a dry run first, so that only listed files can be sent."""

    plan_requested = Signal(object)
    """Request a dry run, with a `PublishRequest`."""
    publish_requested = Signal(object)
    """Request to send the listed files, with the same `PublishRequest`."""

    def __init__(self, theme: Theme, version: str, parent: QWidget) -> None:
        """Start with sending disabled."""
        super().__init__(parent)
        self.setWindowTitle(tr("Publish release {version}", version=version))
        self.resize(theme.pixels(680), theme.pixels(520))
        self._planned_request: PublishRequest | None = None
        self.place = line_edit(tr("Place", "where to publish"), tr("hf:OWNER/NAME, or the address of a git repository"))
        self.branch = line_edit(tr("Branch"), BRANCH)
        self.endpoint = line_edit(tr("Server"), tr("if it is not the Hugging Face Hub"))
        self.token = line_edit(tr("Name of the key"), TOKEN)
        self.branch.setMaximumWidth(theme.pixels(140))
        self.token.setMaximumWidth(theme.pixels(180))
        self.files = DataTable(tr("Files to send"))
        self.status_label = label("", "dim", wrap=True)
        self.plan_button = button(tr("Preview files"), clicked=self.ask)
        self.send_button = button(tr("Publish"), primary=True, clicked=self._confirm)
        about = tr(
            "A version is published once, as a commit with a tag. A new repository on the Hub is private; the key is "
            "read from the environment or the keyring."
        )
        place_row = make_row((self.place, 1), self.branch, spacing=8)
        server_row = make_row((self.endpoint, 1), self.token, self.plan_button, spacing=8)
        button_row = make_row(None, button(tr("Close"), clicked=self.reject), self.send_button, spacing=8)
        make_column(
            self,
            label(about, "dim", wrap=True),
            place_row,
            server_row,
            (self.files, 1),
            self.status_label,
            button_row,
            spacing=10,
            margin=16,
        )
        for line in (self.place, self.branch, self.endpoint, self.token):
            line.textChanged.connect(self._forget_plan)
        self.place.returnPressed.connect(self.ask)
        self._forget_plan()

    def read_request(self) -> PublishRequest:
        """Return the entered target."""
        return PublishRequest(
            self.place.text().strip(),
            self.branch.text().strip() or BRANCH,
            self.endpoint.text().strip(),
            self.token.text().strip() or TOKEN,
        )

    def ask(self, _checked: bool = False) -> None:
        """Request a dry run for the entered target."""
        if self.place.text().strip():
            self._planned_request = self.read_request()
            self.plan_requested.emit(self._planned_request)

    def show_plan(self, request: PublishRequest, publication: Publication) -> None:
        """List the files that would be sent; sending is enabled while the target is unchanged."""
        rows = [[Cell(name), Cell(f"{size:,}", size)] for name, size in publication.files]
        self.files.set_rows((tr("file"), tr("bytes")), rows, list(publication.files), stretch=0)
        remarks = list(publication.remarks[:_MAX_REMARKS])
        if len(publication.remarks) > _MAX_REMARKS:
            remarks.append(tr("and {count} more", count=len(publication.remarks) - _MAX_REMARKS))
        count = tr_count(
            "{count} file would be sent to {place}.", "{count} files would be sent to {place}.", len(publication.files),
            place=publication.place,
        )  # fmt: skip
        self.status_label.setText("\n".join([count, *remarks]))
        self.send_button.setEnabled(request == self.read_request())

    def show_sentence(self, text: str) -> None:
        """Show the outcome; sending needs another dry run."""
        self.status_label.setText(text)
        self.plan_button.setEnabled(bool(self.place.text().strip()))
        self.send_button.setEnabled(False)

    def _forget_plan(self, _text: str = "") -> None:
        self._planned_request = None
        self.plan_button.setEnabled(bool(self.place.text().strip()))
        self.send_button.setEnabled(False)

    def _confirm(self, _checked: bool = False) -> None:
        if self._planned_request == self.read_request():
            self.plan_button.setEnabled(False)
            self.send_button.setEnabled(False)
            self.publish_requested.emit(self._planned_request)
