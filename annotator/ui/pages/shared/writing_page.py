"""What Prompt and Criterion have in common: a text is written for accepted subjects, and kept until it is saved."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from annotator.model.changes import Changes
from annotator.model.rows.queue import QueueFilter, StageCounts, SubjectRow
from annotator.model.rows.views import SubjectView
from annotator.services.edit_conflicts import EditConflictError
from annotator.services.project import projects
from annotator.ui.app.session.notices import Failure
from annotator.ui.app.translation import tr
from annotator.ui.pages.shared.drafts_dialog import DraftsDialog
from annotator.ui.pages.shared.edit_conflicts import ConflictDialog, Save, SeenRevisions
from annotator.ui.pages.shared.subject_page import WorkPage
from annotator.ui.widgets.draft_field import DraftBar, DraftField


class WritingPage(WorkPage):
    """The queue of accepted subjects and what is written for one; ``draft_kind`` is what a model is asked for first.

    What was typed here is saved when the subject is left; a draft from before is saved only when somebody asks for it.
    """

    base_filter = QueueFilter(verdicts=("accept",))
    empty_page = "Select"
    draft_kind = ""
    is_code = False
    """Whether the text is code."""
    draft_field = ""
    """The text's name in the journal of drafts."""

    def build(self) -> None:
        """Hold no text yet; subclasses build their editor."""
        self._drafts: dict[str, str] = {}
        self._saving: dict[str, str] = {}
        self._seen = SeenRevisions()
        self.draft = DraftField(self.session.drafts, self.draft_field, self.text, self.replace_text, self)
        self.draft_bar = DraftBar(self.theme, self.draft)
        self.session.drafts.found.connect(self._forget_typed)

    def activate(self) -> None:
        """Load the queue and the progress."""
        super().activate()
        self._count()

    def refresh(self, changes: Changes) -> None:
        """Show the new state; a text being written stays."""
        super().refresh(changes)
        self._count()

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return saving, and asking a model."""
        return {
            **super().handlers(),
            "subject.save": self.save,
            "subject.save_next": self.save_next,
            "subject.drafts": self.show_drafts,
        }

    def text(self) -> str:
        """Return the text as it stands in the editor."""
        raise NotImplementedError

    def replace_text(self, text: str) -> None:
        """Put another text into the editor, as one step that can be undone there."""
        raise NotImplementedError

    def revision_of(self, view: SubjectView) -> str:
        """Return the id of the revision that is saved of a subject's text, empty if there is none."""
        raise NotImplementedError

    def save_of(self, subject_id: str, text: str) -> Save:
        """Return what saves a text for a subject."""
        raise NotImplementedError

    def save_typed(self) -> bool:
        """Save what was typed here; returns whether saving has begun or there was nothing to save."""
        raise NotImplementedError

    def choose_text(self, view: SubjectView | None, stored: str) -> str:
        """Return the text to show for a subject: as it was typed, a draft from before, or what is stored."""
        subject_id, revision = (view.row.id, self.revision_of(view)) if view is not None else ("", "")
        kept = self.draft.choose(subject_id, stored, subject_id=subject_id, began_from=revision)
        return self._drafts.get(subject_id, kept)

    def keep_typed(self) -> None:
        """Take note of the text as it stands in the editor now."""
        if self.view is not None:
            self._begin_edit(self.view)
            self._drafts[self.view.row.id] = self.text()
            self.draft.note()

    def _forget_typed(self) -> None:
        """Show the draft of whoever works here now; what somebody else typed stays a draft of theirs."""
        self._drafts.clear()
        self.draft.leave_item()
        if self.view is not None:
            self.show_view(self.view)

    def _begin_edit(self, view: SubjectView) -> None:
        """Note what an edit begins from; of a draft from before, the bar above says whether another text is saved."""
        if view.row.id not in self._drafts:
            self._seen.begin(view.row.id, self.revision_of(view))

    def save(self) -> bool:
        """Save the text on screen, a draft from before too; returns whether saving has begun or was not needed."""
        self.take_up_draft()
        return self.save_typed()

    def take_up_draft(self) -> None:
        """Let the draft on screen, if there is one, be saved as if it was typed now."""
        if self.view is not None and self.draft.offered is not None:
            self._begin_edit(self.view)
            self._drafts.setdefault(self.view.row.id, self.text())

    def say(self, text: str) -> None:
        """Say below the text what is wrong with it, or nothing."""
        raise NotImplementedError

    def show_counts(self, counts: StageCounts) -> None:
        """Show how far the work is."""
        raise NotImplementedError

    def reveal(self, changes: Changes) -> bool:
        """Make the subject of an undo or redo current, unless a text is being written for another.

        Leaving that would save it, and after another act nothing can be redone.
        """
        view = self.view
        if view is not None and view.row.id in self._drafts and view.row.id not in changes.subjects:
            return False
        return super().reveal(changes)

    def save_next(self) -> None:
        """Save and go to the next subject; a text that cannot be saved keeps the page where it is."""
        if self.save():
            self.advance(1)

    def save_pending(self) -> bool:
        """Save before the page or the window is left."""
        return self.save_typed()

    def leave_subject(self) -> None:
        """Save before another subject is shown; a text that cannot be saved stays as a draft."""
        self.save_typed()

    def show_drafts(self) -> None:
        """Ask a model for a draft, after what is written here is saved."""
        if self.view is not None and self.save_typed():
            DraftsDialog(self, self.context, self.view, self.draft_kind).open()

    def start_saving(self, row: SubjectRow, text: str, then: Callable[[], object] | None = None) -> None:
        """Save a text, then go on; what is on its way already would be a second revision of the same."""
        if self._saving.get(row.id) != text or then is not None:
            self._saving[row.id] = text
            work = partial(self._seen.save, row.id, self.save_of(row.id, text))
            done, failed = partial(self._saved, row.id, text, then), partial(self._not_saved, row, text, then)
            self.session.act(work, done, failed, text=text)

    def _saved(self, subject_id: str, text: str, then: Callable[[], object] | None, _changes: Changes) -> None:
        self._saving.pop(subject_id, None)
        if self._drafts.get(subject_id) == text:
            del self._drafts[subject_id]
        self.draft.finish(subject_id, text)
        if then is not None:
            then()

    def _not_saved(self, row: SubjectRow, text: str, then: Callable[[], object] | None, failure: Failure) -> None:
        self._saving.pop(row.id, None)
        self.say(tr("{message} Your text is kept here.", message=failure.message))
        conflict = failure.error
        if isinstance(conflict, EditConflictError):
            dialog = ConflictDialog(self.window(), self.theme, row.title, conflict, text, code=self.is_code)
            dialog.mine_kept.connect(partial(self._keep_mine, row, conflict.revision, then))
            dialog.theirs_taken.connect(partial(self._take_theirs, row))
            dialog.open_once()

    def _keep_mine(self, row: SubjectRow, theirs: str, then: Callable[[], object] | None, text: str) -> None:
        self._seen.add(row.id, theirs)
        self._drafts[row.id] = text
        self.draft.finish(row.id)
        self._show_again(row)
        self.start_saving(row, text, then)

    def _take_theirs(self, row: SubjectRow) -> None:
        self._drafts.pop(row.id, None)
        self.draft.finish(row.id)
        self._show_again(row)

    def _show_again(self, row: SubjectRow) -> None:
        """Show a subject's text, and what is saved of it as soon as that is read."""
        self.say("")
        if self.view is not None and self.view.row.id == row.id:
            self.show_view(self.view)
            self.read_current()

    def _count(self) -> None:
        work = partial(projects.stage_counts, self.store)
        self.session.run("read", work, self.show_counts, latest=f"{self.name}-counts")
