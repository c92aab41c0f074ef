"""A text that is edited on the desk: it is kept as a draft while it is typed, and saved as a revision."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from annotator.model.changes import Changes
from annotator.model.rows.queue_rows import SubjectRow
from annotator.model.rows.view_rows import SubjectView
from annotator.services.edit_conflicts import EditConflictError
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.translation import tr
from annotator.ui.pages.shared.edit_conflict_choice import ConflictDialog, SaveText, SeenRevisions
from annotator.ui.pages.shared.model_suggestions import SuggestionsDialog
from annotator.ui.pages.shared.subject_page import WorkPage
from annotator.ui.widgets.draft_field import DraftBar, DraftField

OnSaved = Callable[[], object] | None


class Writing(QObject):
    """A text and its editor; ``suggestion_kind`` is the default kind of a model's suggestion for it.

    Typed text stays a draft until it is saved, even if the user moves on to other items or pages.
    """

    suggestion_kind = ""
    is_code = False
    """Whether the text is code."""
    draft_field = ""
    """The text's name in the journal of drafts."""
    panel: QWidget
    """The widget in which the text is written."""
    state_changed = Signal()
    """The state of the text may have changed."""

    def __init__(self, page: WorkPage) -> None:
        super().__init__(page)
        self.page, self.session, self.store, self.theme = page, page.session, page.store, page.theme
        self.unsaved_texts: dict[str, str] = {}
        """Unsaved texts by subject id."""
        self._texts_being_saved: dict[str, str] = {}
        self._seen_revisions = SeenRevisions()
        self.draft = DraftField(self.session.drafts, self.draft_field, self.text, self.replace_text, self)
        self.draft_bar = DraftBar(self.theme, self.draft)
        self.session.drafts.drafts_loaded.connect(self._forget_typed_texts)

    @property
    def view(self) -> SubjectView | None:
        """The subject on the desk."""
        return self.page.view

    def focus(self) -> None:
        """Put the cursor into the editor."""
        raise NotImplementedError

    def show_view(self, view: SubjectView | None) -> None:
        """Show a subject's text, or its unsaved draft."""
        raise NotImplementedError

    def text(self) -> str:
        """Return the text in the editor."""
        raise NotImplementedError

    def replace_text(self, text: str) -> None:
        """Replace the editor's text, as one undoable step of the editor."""
        raise NotImplementedError

    def saved_revision(self, view: SubjectView) -> tuple[str, str]:
        """Return the revision id and the text that are saved for a subject, empty if there are none."""
        raise NotImplementedError

    def make_save(self, subject_id: str, text: str) -> SaveText:
        """Return the service call that saves a text for a subject."""
        raise NotImplementedError

    def can_save(self, view: SubjectView, text: str) -> bool:
        """Return whether a text can be saved as it is; if not, show the reason."""
        raise NotImplementedError

    def say(self, text: str) -> None:
        """Show a problem below the text, or clear it."""
        raise NotImplementedError

    def finish_typing(self) -> None:
        """Apply pending input of fields that update with a delay."""

    @property
    def is_edited(self) -> bool:
        """Whether the text on screen differs from the saved one."""
        return self.view is not None and self.text() != self.saved_revision(self.view)[1]

    def choose_text(self, view: SubjectView | None) -> str:
        """Return the text to show for a subject: the unsaved text, a recovered draft, or the saved text."""
        subject_id = view.row.id if view is not None else ""
        revision, stored = self.saved_revision(view) if view is not None else ("", "")
        draft_text = self.draft.load_item(subject_id, stored, subject_id=subject_id, began_from=revision)
        return self.unsaved_texts.get(subject_id, draft_text)

    def record_typing(self) -> None:
        """Record the editor's text as unsaved."""
        if self.view is not None:
            self._begin_edit(self.view)
            self.unsaved_texts[self.view.row.id] = self.text()
            self.draft.record_edit()

    def _forget_typed_texts(self) -> None:
        """Forget the typed texts, which stay drafts of their authors, and show the current person's draft."""
        self.unsaved_texts.clear()
        self.draft.leave_item()
        if self.view is not None:
            self.show_view(self.view)

    def _begin_edit(self, view: SubjectView) -> None:
        """Record the revision an edit starts from; for a recovered draft, the draft bar warns of a newer saved text."""
        if view.row.id not in self.unsaved_texts:
            self._seen_revisions.begin(view.row.id, self.saved_revision(view)[0])

    def take_up_draft(self) -> None:
        """Treat a recovered draft on screen as if it had just been typed, so that it gets saved."""
        if self.view is not None and self.draft.offered is not None:
            self._begin_edit(self.view)
            self.unsaved_texts.setdefault(self.view.row.id, self.text())

    def save_typed(self, on_saved: OnSaved = None) -> bool:
        """Save the unsaved text if there is one, then call ``on_saved``; return False if the text cannot be saved."""
        self.finish_typing()
        view = self.view
        text = self.unsaved_texts.get(view.row.id) if view is not None else None
        if view is None or text is None or text == self.saved_revision(view)[1]:
            if view is not None:
                self.unsaved_texts.pop(view.row.id, None)
            if on_saved is not None:
                on_saved()
            return True
        if not self.can_save(view, text):
            return False
        self._start_saving(view.row, text, on_saved)
        return True

    def show_suggestions(self) -> None:
        """Save the text, then open the dialog for a model's suggestions."""
        if self.view is not None and self.save_typed():
            SuggestionsDialog(self.page, self.page.context, self.view, self.suggestion_kind).open()

    def _start_saving(self, row: SubjectRow, text: str, on_saved: OnSaved = None) -> None:
        """Save a text, then call ``on_saved``; a text already being saved is not saved twice."""
        if self._texts_being_saved.get(row.id) != text or on_saved is not None:
            self._texts_being_saved[row.id] = text
            work = partial(self._seen_revisions.save, row.id, self.make_save(row.id, text))
            on_done = partial(self._finish_save, row.id, text, on_saved)
            self.session.act(work, on_done, partial(self._fail_save, row, text, on_saved), text=text)

    def _finish_save(self, subject_id: str, text: str, on_saved: OnSaved, _changes: Changes) -> None:
        self._texts_being_saved.pop(subject_id, None)
        if self.unsaved_texts.get(subject_id) == text:
            del self.unsaved_texts[subject_id]
        self.draft.finish(subject_id, text)
        if on_saved is not None:
            on_saved()

    def _fail_save(self, row: SubjectRow, text: str, on_saved: OnSaved, failure: WorkFailure) -> None:
        self._texts_being_saved.pop(row.id, None)
        self.say(tr("{message} Your text is kept here.", message=failure.message))
        conflict = failure.error
        if isinstance(conflict, EditConflictError):
            dialog = ConflictDialog(self.page.window(), self.theme, row.title, conflict, text, code=self.is_code)
            dialog.mine_kept.connect(partial(self._keep_mine, row, conflict.revision, on_saved))
            dialog.theirs_taken.connect(partial(self._take_theirs, row))
            dialog.open_once()

    def _keep_mine(self, row: SubjectRow, their_revision: str, on_saved: OnSaved, text: str) -> None:
        self._seen_revisions.add(row.id, their_revision)
        self.unsaved_texts[row.id] = text
        self.draft.finish(row.id)
        self._show_again(row)
        self._start_saving(row, text, on_saved)

    def _take_theirs(self, row: SubjectRow) -> None:
        self.unsaved_texts.pop(row.id, None)
        self.draft.finish(row.id)
        self._show_again(row)

    def _show_again(self, row: SubjectRow) -> None:
        """Show a subject's text again and reload the saved one."""
        self.say("")
        if self.view is not None and self.view.row.id == row.id:
            self.show_view(self.view)
            self.page.read_current()
