"""What the guard says about paraphrases: a chip in the queue, and sentences below the text."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from annotator.model.changes import Changes
from annotator.model.rows.queue import SubjectRow
from annotator.model.rows.releases import PromptOverride
from annotator.services.prompt import paraphrases
from annotator.services.prompt.paraphrases import PromptState
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.session.session import Session
from annotator.ui.app.translation import tr, tr_message
from annotator.ui.widgets.labels import button, label, say
from annotator.ui.widgets.layouts import make_column, make_row
from annotator.ui.widgets.queue_card import Queue
from annotator.ui.widgets.timers import debounce

_READ_MS = 60
_MOST_SHOWN = 5
_CONCERNED = {"prompt", "resolution", "subject", "source", "revision"}


class GuardStates:
    """The states of saved paraphrases, read for the subjects that are on screen."""

    def __init__(self, session: Session, store: ProjectFile, queue: Queue, arrived: Callable[[], object]) -> None:
        """Know nothing yet; ``arrived`` is called when something more is known."""
        self._session, self._store, self._queue, self._arrived = session, store, queue, arrived
        self._states: dict[str, PromptState | None] = {}
        self._wanted: set[str] = set()
        self._timer = debounce(queue, _READ_MS, self._read)

    def status(self, row: SubjectRow) -> tuple[str, str] | None:
        """Return the chip of a subject: ready if the guard is content, else check; none until that is known."""
        if not row.has_prompt:
            return None
        self.request(row.id)
        state = self._states.get(row.id)
        if state is None:
            return None
        return (tr("ready"), "good") if state.ready else (tr("check"), "attention")

    def state(self, subject_id: str) -> PromptState | None:
        """Return what is known of a subject's saved paraphrase."""
        return self._states.get(subject_id)

    def request(self, subject_id: str) -> None:
        """Read a subject's state soon, unless it is known."""
        if subject_id not in self._states and subject_id not in self._wanted:
            self._wanted.add(subject_id)
            self._timer.start()

    def forget(self, changes: Changes) -> None:
        """Read again what a change concerns."""
        if not changes.nouns & _CONCERNED:
            return
        for subject_id in changes.subjects or tuple(self._states):
            self._states.pop(subject_id, None)
            self._wanted.discard(subject_id)
        self._queue.list.viewport().update()

    def _read(self) -> None:
        wanted = tuple(sorted(self._wanted))
        if wanted:
            work = partial(paraphrases.prompt_states, self._store, wanted)
            self._session.run("cpu", work, partial(self._take, wanted))

    def _take(self, wanted: tuple[str, ...], found: dict[str, PromptState]) -> None:
        # What was forgotten meanwhile has changed since, and is read again.
        for subject_id in self._wanted.intersection(wanted):
            self._states[subject_id] = found.get(subject_id)
        self._wanted.difference_update(wanted)
        self._queue.list.viewport().update()
        self._arrived()


class GuardLine(QWidget):
    """Below the text: what is wrong with it in red, with a way to keep it all the same, or who did that and why."""

    override_requested = Signal()

    def __init__(self) -> None:
        """Say nothing yet."""
        super().__init__()
        self.problems, self.passed = label("", "problem", wrap=True), label("", "dim", wrap=True)
        self.button = button(tr("Keep it all the same…"), clicked=self.override_requested.emit)
        self.problems.setAccessibleName(tr("What is wrong with the paraphrase"))
        make_column(self, make_row((self.problems, 1), self.button, spacing=12), self.passed, spacing=4)
        self.hide()

    def show_problems(self, problems: tuple[str, ...], override: PromptOverride | None, *, can_override: bool) -> None:
        """Show sentences, a few at most; those of a saved text can be overridden, and are dim once they are."""
        lines = [tr_message(problem) for problem in problems[:_MOST_SHOWN]]
        if len(problems) > _MOST_SHOWN:
            lines.append(tr("There is more: {count}.", count=len(problems) - _MOST_SHOWN))
        text = "\n".join(lines)
        told = ""
        if problems and override is not None:
            told = tr("Kept all the same by {person}: {reason}", person=override.person, reason=override.reason)
        say(self.problems, "" if told else text)
        say(self.passed, f"{told}\n{text}" if told else "")
        self.button.setVisible(bool(problems) and not told and can_override)
        self.setVisible(bool(problems))
