"""One text that is written for a subject on the desk: typed, kept as a draft, saved as a revision."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from annotator.model.changes import Changes
from annotator.model.rows.queue import SubjectRow
from annotator.model.rows.views import SubjectView
from annotator.services.edit_conflicts import EditConflictError
from annotator.ui.app.session.notices import Failure
from annotator.ui.app.translation import tr
from annotator.ui.pages.shared.drafts_dialog import DraftsDialog
from annotator.ui.pages.shared.edit_conflicts import ConflictDialog, Save, SeenRevisions
from annotator.ui.pages.shared.subject_page import WorkPage
from annotator.ui.widgets.draft_field import DraftBar, DraftField

Then = Callable[[], object] | None


class Writing(QObject):
    """A text and its editor; ``draft_kind`` is what a model is asked for first.

    What is typed is a draft until somebody saves it, wherever they go meanwhile.
    """

    draft_kind = ""
    is_code = False
    """Whether the text is code."""
    draft_field = ""
    """The text's name in the journal of drafts."""
    state_changed = Signal()
    """What is said of the text may be another now."""

    def __init__(self, page: WorkPage) -> None:
        """Hold no text yet; subclasses build their editor."""
        super().__init__(page)
        self.page, self.session, self.store, self.theme = page, page.session, page.store, page.theme
        self.typed: dict[str, str] = {}
        """What was typed and is not saved, by subject."""
        self._saving: dict[str, str] = {}
        self._seen = SeenRevisions()
        self.draft = DraftField(self.session.drafts, self.draft_field, self.text, self.replace_text, self)
        self.draft_bar = DraftBar(self.theme, self.draft)
        self.session.drafts.drafts_loaded.connect(self._forget_typed)

    @property
    def view(self) -> SubjectView | None:
        """The subject on the desk."""
        return self.page.view

    @property
    def panel(self) -> QWidget:
        """The widget in which the text is written."""
        raise NotImplementedError

    def focus(self) -> None:
        """Put the cursor where the text is typed."""
        raise NotImplementedError

    def show_view(self, view: SubjectView | None) -> None:
        """Show a subject; an unsaved draft of it comes back."""
        raise NotImplementedError

    def text(self) -> str:
        """Return the text as it stands in the editor."""
        raise NotImplementedError

    def replace_text(self, text: str) -> None:
        """Put another text into the editor, as one step that can be undone there."""
        raise NotImplementedError

    def saved_text(self, view: SubjectView) -> str:
        """Return the text that is saved for a subject, empty if there is none."""
        raise NotImplementedError

    def revision_of(self, view: SubjectView) -> str:
        """Return the id of the revision that is saved of a subject's text, empty if there is none."""
        raise NotImplementedError

    def save_of(self, subject_id: str, text: str) -> Save:
        """Return what saves a text for a subject."""
        raise NotImplementedError

    def can_save(self, view: SubjectView, text: str) -> bool:
        """Return whether a text can be saved as it is; where it cannot, say why."""
        raise NotImplementedError

    def say(self, text: str) -> None:
        """Say below the text what is wrong with it, or nothing."""
        raise NotImplementedError

    def finish_typing(self) -> None:
        """Take over what is still being typed in slow fields."""

    @property
    def edited(self) -> bool:
        """Whether what is on screen differs from what is saved."""
        return self.view is not None and self.text() != self.saved_text(self.view)

    def choose_text(self, view: SubjectView | None) -> str:
        """Return the text to show for a subject: as it was typed, a draft from before, or what is stored."""
        subject_id, revision = (view.row.id, self.revision_of(view)) if view is not None else ("", "")
        stored = self.saved_text(view) if view is not None else ""
        kept = self.draft.choose(subject_id, stored, subject_id=subject_id, began_from=revision)
        return self.typed.get(subject_id, kept)

    def keep_typed(self) -> None:
        """Take note of the text as it stands in the editor now."""
        if self.view is not None:
            self._begin_edit(self.view)
            self.typed[self.view.row.id] = self.text()
            self.draft.note()

    def _forget_typed(self) -> None:
        """Show the draft of whoever works here now; what somebody else typed stays a draft of theirs."""
        self.typed.clear()
        self.draft.leave_item()
        if self.view is not None:
            self.show_view(self.view)

    def _begin_edit(self, view: SubjectView) -> None:
        """Note what an edit begins from; of a draft from before, the bar above says whether another text is saved."""
        if view.row.id not in self.typed:
            self._seen.begin(view.row.id, self.revision_of(view))

    def take_up_draft(self) -> None:
        """Let the draft on screen, if there is one, be saved as if it was typed now."""
        if self.view is not None and self.draft.offered is not None:
            self._begin_edit(self.view)
            self.typed.setdefault(self.view.row.id, self.text())

    def save_typed(self, then: Then = None) -> bool:
        """Save what was typed, then go on; returns whether saving has begun or there was nothing to save.

        A text that cannot be saved as it is stays where it is.
        """
        self.finish_typing()
        view = self.view
        text = self.typed.get(view.row.id) if view is not None else None
        if view is None or text is None or text == self.saved_text(view):
            if view is not None:
                self.typed.pop(view.row.id, None)
            if then is not None:
                then()
            return True
        if not self.can_save(view, text):
            return False
        self._start_saving(view.row, text, then)
        return True

    def show_drafts(self) -> None:
        """Ask a model for a draft, after what is written here is saved."""
        if self.view is not None and self.save_typed():
            DraftsDialog(self.page, self.page.context, self.view, self.draft_kind).open()

    def _start_saving(self, row: SubjectRow, text: str, then: Then = None) -> None:
        """Save a text, then go on; what is on its way already would be a second revision of the same."""
        if self._saving.get(row.id) != text or then is not None:
            self._saving[row.id] = text
            work = partial(self._seen.save, row.id, self.save_of(row.id, text))
            done, failed = partial(self._saved, row.id, text, then), partial(self._not_saved, row, text, then)
            self.session.act(work, done, failed, text=text)

    def _saved(self, subject_id: str, text: str, then: Then, _changes: Changes) -> None:
        self._saving.pop(subject_id, None)
        if self.typed.get(subject_id) == text:
            del self.typed[subject_id]
        self.draft.finish(subject_id, text)
        if then is not None:
            then()

    def _not_saved(self, row: SubjectRow, text: str, then: Then, failure: Failure) -> None:
        self._saving.pop(row.id, None)
        self.say(tr("{message} Your text is kept here.", message=failure.message))
        conflict = failure.error
        if isinstance(conflict, EditConflictError):
            dialog = ConflictDialog(self.page.window(), self.theme, row.title, conflict, text, code=self.is_code)
            dialog.mine_kept.connect(partial(self._keep_mine, row, conflict.revision, then))
            dialog.theirs_taken.connect(partial(self._take_theirs, row))
            dialog.open_once()

    def _keep_mine(self, row: SubjectRow, theirs: str, then: Then, text: str) -> None:
        self._seen.add(row.id, theirs)
        self.typed[row.id] = text
        self.draft.finish(row.id)
        self._show_again(row)
        self._start_saving(row, text, then)

    def _take_theirs(self, row: SubjectRow) -> None:
        self.typed.pop(row.id, None)
        self.draft.finish(row.id)
        self._show_again(row)

    def _show_again(self, row: SubjectRow) -> None:
        """Show a subject's text, and what is saved of it as soon as that is read."""
        self.say("")
        if self.view is not None and self.view.row.id == row.id:
            self.show_view(self.view)
            self.page.read_current()
