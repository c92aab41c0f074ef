"""Messages from the session to the window: failures, notices, facts about the project, and jobs."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from annotator.base.errors import KnownError
from annotator.jobs.progress import Progress
from annotator.model.changes import Changes
from annotator.model.rows.queue_rows import AnnotatorRow, DiskStatus, StageCounts
from annotator.ui.app.translation import tr


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkFailure:
    """Failed work: a message, one line per cause, and the stack trace, which must be redacted before it is shown.

    ``error`` is the exception itself. A failed save has ``retry``, which repeats it, and the unsaved ``text``, which
    the user can copy.
    """

    message: str
    details: tuple[str, ...] = ()
    traceback: str = ""
    error: BaseException | None = None
    retry: Callable[[], object] | None = None
    text: str = ""


OnError = Callable[[WorkFailure], object] | None
"""A callback for the failure of work; None shows the failure in the window."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A short sentence for the status bar with a button for one action."""

    text: str
    word: str
    act: Callable[[], object]


@dataclass(frozen=True, slots=True)
class Receipt:
    """The last save: its local time, the label of the change, and its id."""

    at: datetime
    what: str
    change_id: str | None = None


def failure_of(error: BaseException) -> WorkFailure:
    """Return the failure for an error: known errors keep their message, any other one is a bug of the program."""
    trace = "".join(traceback.format_exception(error))
    if isinstance(error, KnownError):
        return WorkFailure(message=error.message, details=error.details, traceback=trace, error=error)
    message = tr("An unexpected error occurred. Your saved work is not affected.")
    return WorkFailure(message=message, details=(f"{type(error).__name__}: {error}",), traceback=trace, error=error)


def changes_in(result: object) -> Changes | None:
    """Return the `Changes` in a service's result: the result itself, a tuple's last item, or its ``changes``."""
    if isinstance(result, tuple) and result:
        result = result[-1]
    if isinstance(result, Changes):
        return result
    inner = getattr(result, "changes", None)
    return inner if isinstance(inner, Changes) else None


def merge_changes(first: Changes | None, second: Changes) -> Changes:
    """Merge two changes; an empty set of subjects, which means possibly all, wins over any other."""
    if first is None:
        return second
    subjects = first.subjects | second.subjects if first.subjects and second.subjects else frozenset[str]()
    return Changes(
        first.nouns | second.nouns, subjects, second.label or first.label, second.change_id or first.change_id
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectFacts:
    """Facts about the open project for the window's frame; None or empty until known."""

    counts: StageCounts | None = None
    disk: DiskStatus | None = None
    annotators: tuple[AnnotatorRow, ...] = ()
    undo_label: str | None = None
    redo_label: str | None = None
    local_execution: bool = False
    """Whether the project's code may run here without isolation."""
    name: str = ""


class SessionJob:
    """A long piece of work shown in the status bar. ``state`` is waiting, running, done, failed or cancelled.

    A ``chore`` is background work such as a backup: closing the project waits for it without asking. A job that holds
    up saves must not be paused, so ``can_pause`` is False.
    """

    def __init__(
        self,
        label: str,
        listener: Callable[[Progress], None],
        *,
        chore: bool = False,
        can_pause: bool = True,
        on_end: Callable[[], object] | None = None,
    ) -> None:
        """Create a waiting job; ``listener`` is called with its progress in the worker thread."""
        self.label = label
        self.chore, self.can_pause, self.on_end = chore, can_pause, on_end
        self.progress = Progress(listener)
        self.state = "waiting"
        self.started_at = time.monotonic()

    @property
    def seconds_left(self) -> float | None:
        """The estimated time left from the pace so far, or None while it is unknown."""
        fraction = self.progress.fraction
        elapsed = time.monotonic() - self.started_at
        if not fraction or self.progress.paused or elapsed < 1.0:
            return None
        return elapsed * (1.0 - fraction) / fraction
