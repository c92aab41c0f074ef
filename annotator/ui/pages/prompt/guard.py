"""The guard's results on paraphrases: a chip in the queue, and sentences below the text."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from annotator.model.changes import Changes
from annotator.model.rows.queue_rows import SubjectRow
from annotator.model.rows.release_rows import PromptOverride
from annotator.services.prompt import paraphrases
from annotator.services.prompt.paraphrases import PromptState
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.session.session import Session
from annotator.ui.app.translation import tr, tr_message
from annotator.ui.widgets.labels import button, label, set_label_text
from annotator.ui.widgets.layouts import make_column, make_row
from annotator.ui.widgets.queue_card import Queue
from annotator.ui.widgets.timers import debounce

_READ_MS = 60
_MAX_PROBLEMS = 5
_PROMPT_NOUNS = {"prompt", "resolution", "subject", "source", "revision"}


class GuardStates:
    """The guard's states of saved paraphrases, loaded for the subjects on screen."""

    def __init__(self, session: Session, store: ProjectFile, queue: Queue, on_loaded: Callable[[], object]) -> None:
        """``on_loaded`` is called whenever states have been loaded."""
        self._session, self._store, self._queue, self._on_loaded = session, store, queue, on_loaded
        self._states: dict[str, PromptState | None] = {}
        self._requested_ids: set[str] = set()
        self._timer = debounce(queue, _READ_MS, self._load_states)

    def status(self, row: SubjectRow) -> tuple[str, str] | None:
        """Return the chip of a subject, ready or check; None until its state is loaded."""
        if not row.has_prompt:
            return None
        self.request(row.id)
        state = self._states.get(row.id)
        if state is None:
            return None
        return (tr("ready"), "good") if state.ready else (tr("check"), "attention")

    def state(self, subject_id: str) -> PromptState | None:
        """Return the state of a subject's saved paraphrase, None until it is loaded."""
        return self._states.get(subject_id)

    def request(self, subject_id: str) -> None:
        """Schedule loading a subject's state, unless it is loaded already."""
        if subject_id not in self._states and subject_id not in self._requested_ids:
            self._requested_ids.add(subject_id)
            self._timer.start()

    def forget(self, changes: Changes) -> None:
        """Drop the states that a change affects, so that they are loaded again."""
        if not changes.nouns & _PROMPT_NOUNS:
            return
        for subject_id in changes.subjects or tuple(self._states):
            self._states.pop(subject_id, None)
            self._requested_ids.discard(subject_id)
        self._queue.list.viewport().update()

    def _load_states(self) -> None:
        subject_ids = tuple(sorted(self._requested_ids))
        if subject_ids:
            work = partial(paraphrases.prompt_states, self._store, subject_ids)
            self._session.run("cpu", work, partial(self._store_states, subject_ids))

    def _store_states(self, subject_ids: tuple[str, ...], states: dict[str, PromptState]) -> None:
        # Skip subjects dropped in the meantime: they have changed and are loaded again.
        for subject_id in self._requested_ids.intersection(subject_ids):
            self._states[subject_id] = states.get(subject_id)
        self._requested_ids.difference_update(subject_ids)
        self._queue.list.viewport().update()
        self._on_loaded()


class GuardLine(QWidget):
    """The problems of the text in red with a button to override them, or who has overridden them and why."""

    override_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.problems, self.override_label = label("", "problem", wrap=True), label("", "dim", wrap=True)
        self.button = button(tr("Keep it anyway…"), clicked=self.override_requested.emit)
        self.problems.setAccessibleName(tr("What is wrong with the paraphrase"))
        make_column(self, make_row((self.problems, 1), self.button, spacing=12), self.override_label, spacing=4)
        self.hide()

    def show_problems(self, problems: tuple[str, ...], override: PromptOverride | None, *, can_override: bool) -> None:
        """Show a few problems at most; those of a saved text can be overridden and are then dim."""
        lines = [tr_message(problem) for problem in problems[:_MAX_PROBLEMS]]
        if len(problems) > _MAX_PROBLEMS:
            lines.append(tr("{count} more.", count=len(problems) - _MAX_PROBLEMS))
        text = "\n".join(lines)
        override_text = ""
        if problems and override is not None:
            override_text = tr("Kept anyway by {person}: {reason}", person=override.person, reason=override.reason)
        set_label_text(self.problems, "" if override_text else text)
        set_label_text(self.override_label, f"{override_text}\n{text}" if override_text else "")
        self.button.setVisible(bool(problems) and not override_text and can_override)
        self.setVisible(bool(problems))
