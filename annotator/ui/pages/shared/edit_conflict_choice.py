"""Concurrent edits of one text: the revisions an author has seen, and the choice between two versions."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from annotator.model.changes import Changes
from annotator.services.edit_conflicts import EditConflictError
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr
from annotator.ui.widgets.code.diff_view import DiffPanes
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.labels import button, label, shorten_middle, when_text
from annotator.ui.widgets.layouts import make_row

_TITLE_LETTERS = 60


class SaveText(Protocol):
    """A service that saves a text on top of the revisions its author has seen."""

    def __call__(self, *, seen_ids: frozenset[str]) -> Changes:
        """Save, or raise `EditConflictError`."""
        ...


class SeenRevisions:
    """For each text, the revision its edit started from and the revisions saved or viewed here since.

    Used from the window's thread and from lane *store*, so that a save counts the saves queued before it as seen.
    """

    def __init__(self) -> None:
        self._base_revisions: dict[str, str] = {}
        self._later_revisions: dict[str, frozenset[str]] = {}

    def begin(self, text_id: str, revision: str) -> None:
        """Start an edit from a revision; empty if the text had none."""
        self._base_revisions[text_id] = revision

    def add(self, text_id: str, revision: str) -> None:
        """Record a revision, or the change that wrote it, as seen by this author."""
        self._later_revisions[text_id] = self._later_revisions.get(text_id, frozenset()) | {revision}

    def save(self, text_id: str, save_text: SaveText) -> Changes:
        """Save a text with the revisions seen so far; called in lane *store*."""
        changes = save_text(
            seen_ids=self._later_revisions.get(text_id, frozenset()) | {self._base_revisions.get(text_id, "")}
        )
        if changes.change_id is not None:
            self.add(text_id, changes.change_id)
        return changes


class ConflictDialog(Dialog):
    """Shows somebody else's saved version beside the unsaved one here; closing it changes nothing."""

    mine_kept = Signal(str)
    """The edited text to save on top of theirs."""
    theirs_taken = Signal()

    def __init__(
        self,
        parent: QWidget,
        theme: Theme,
        title: str,
        conflict: EditConflictError,
        own_text: str,
        *,
        code: bool = False,
        editable: bool = True,
    ) -> None:
        """``title`` names the edited text; ``code`` selects the code font; ``editable``: the own text can be edited."""
        super().__init__(
            parent, tr("Two versions of the text"), name="conflict-dialog", size=(theme.pixels(960), theme.pixels(560))
        )
        person = conflict.person or tr("Somebody")
        when = when_text(conflict.saved_at) if conflict.saved_at else ""
        about = tr(
            "{person} has saved another version of {title} since you started. Yours is not saved yet.",
            person=person,
            title=shorten_middle(title, _TITLE_LETTERS),
        )
        self.panes = DiffPanes(theme)
        self.panes.left_card.set_title(tr("Theirs: {person}, {when}", person=person, when=when) if when else person)
        self.panes.right_card.set_title(tr("Yours"))
        self.panes.original.setAccessibleName(tr("Their version"))
        self.panes.editor.setAccessibleName(tr("Your version"))
        if code:
            for view in (self.panes.original, self.panes.editor):
                view.setFont(theme.code_font())
        self.panes.editor.setReadOnly(not editable)
        self.panes.set_texts(conflict.text, own_text)
        self.take_theirs_button = button(tr("Take theirs"), clicked=self._take_theirs)
        self.cancel_button = button(tr("Cancel"), clicked=self.reject)
        tip = tr("Your version becomes current; theirs stays in the history.")
        self.keep_mine_button = button(tr("Keep mine"), primary=True, clicked=self._keep_mine, tip=tip)
        buttons = make_row(None, self.cancel_button, self.take_theirs_button, self.keep_mine_button)
        self.lay_out(label(about, wrap=True), (self.panes, 1), buttons)
        self.setWindowModality(Qt.WindowModality.WindowModal)

    def _keep_mine(self) -> None:
        self.accept()
        self.mine_kept.emit(self.panes.paraphrase())

    def _take_theirs(self) -> None:
        self.accept()
        self.theirs_taken.emit()
