"""What Prompt and Criterion have in common: a text is written for accepted subjects, and kept until it is saved."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from annotator.model.changes import Changes
from annotator.model.rows.queue import QueueFilter, StageCounts
from annotator.services.project import projects
from annotator.ui.app.session.notices import Failure
from annotator.ui.app.translation import tr
from annotator.ui.pages.shared.drafts_dialog import DraftsDialog
from annotator.ui.pages.shared.subject_page import WorkPage


class WritingPage(WorkPage):
    """The queue of accepted subjects and what is written for one; ``draft_kind`` is what a model is asked for first."""

    base_filter = QueueFilter(verdicts=("accept",))
    empty_page = "Select"
    draft_kind = ""

    def build(self) -> None:
        """Hold no text yet; subclasses build their editor."""
        self._drafts: dict[str, str] = {}
        self._saving: dict[str, str] = {}

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

    def save(self) -> bool:
        """Save the text if it has changed; returns whether saving has begun or there was nothing to save."""
        raise NotImplementedError

    def say(self, text: str) -> None:
        """Say below the text what is wrong with it, or nothing."""
        raise NotImplementedError

    def show_counts(self, counts: StageCounts) -> None:
        """Show how far the work is."""
        raise NotImplementedError

    def save_next(self) -> None:
        """Save and go to the next subject; a text that cannot be saved keeps the page where it is."""
        if self.save():
            self.queue.select_next()

    def save_pending(self) -> bool:
        """Save before the page or the window is left."""
        return self.save()

    def leave_subject(self) -> None:
        """Save before another subject is shown; a text that cannot be saved stays as a draft."""
        self.save()

    def show_drafts(self) -> None:
        """Ask a model for a draft, after what is written here is saved."""
        if self.view is not None and self.save():
            DraftsDialog(self, self.context, self.view, self.draft_kind).open()

    def start_saving(
        self, subject_id: str, text: str, work: Callable[[], Changes], then: Callable[[], object] | None = None
    ) -> None:
        """Save a text by ``work``, then go on; what is on its way already would be a second revision of the same."""
        if self._saving.get(subject_id) != text or then is not None:
            self._saving[subject_id] = text
            done, failed = partial(self._saved, subject_id, text, then), partial(self._not_saved, subject_id)
            self.session.act(work, done, failed, text=text)

    def _saved(self, subject_id: str, text: str, then: Callable[[], object] | None, _changes: Changes) -> None:
        self._saving.pop(subject_id, None)
        if self._drafts.get(subject_id) == text:
            del self._drafts[subject_id]
        if then is not None:
            then()

    def _not_saved(self, subject_id: str, failure: Failure) -> None:
        self._saving.pop(subject_id, None)
        self.say(tr("{message} Your text is kept here.", message=failure.message))

    def _count(self) -> None:
        work = partial(projects.stage_counts, self.store)
        self.session.run("read", work, self.show_counts, latest=f"{self.name}-counts")
