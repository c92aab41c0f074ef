"""The form in which people are ticked whom a release names as its authors."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QDialogButtonBox, QVBoxLayout, QWidget

from annotator.services.release.authors import DEFAULT, LEFT_OUT, NAMED, AuthorRow
from annotator.ui.app.translation import tr
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.fields import TickList
from annotator.ui.widgets.labels import label
from annotator.ui.widgets.layouts import arrange


class AuthorsDialog(Dialog):
    """Ticks the people who are named; by default those whose work is in the release."""

    def __init__(self, authors: Sequence[AuthorRow], parent: QWidget | None = None) -> None:
        """List everybody in the project."""
        super().__init__(parent)
        self.setWindowTitle(tr("Authors"))
        self._authors = authors
        self.people = TickList([row.name for row in authors], [row.name for row in authors if row.is_named], 200)
        self.people.setAccessibleName(tr("Authors"))
        hint = label(
            tr("The next release names the ticked people as authors: at first, those whose work is in it."),
            "dim", wrap=True,
        )  # fmt: skip
        buttons = self.make_buttons(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        arrange(QVBoxLayout(self), hint, (self.people, 1), buttons, spacing=12, margins=(16, 16, 16, 16))
        self.setMinimumWidth(420)

    @property
    def choices(self) -> dict[str, str]:
        """The people whose tick was changed, with what is chosen for them now."""
        ticked = set(self.people.ticked_names)
        return {
            row.name: DEFAULT if row.has_work == (row.name in ticked) else NAMED if row.name in ticked else LEFT_OUT
            for row in self._authors
            if row.is_named != (row.name in ticked)
        }
