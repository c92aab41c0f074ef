"""What the bridge tells the window: failures, changes, facts about the project, and jobs."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from annotator.base.errors import KnownError
from annotator.jobs.progress import Progress
from annotator.model.changes import Changes
from annotator.model.rows.queue import AnnotatorRow, DiskStatus, StageCounts
from annotator.ui.app.translation import tr


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Work that failed: a sentence, one line per cause, and the stack trace (unredacted; redact before showing).

    ``error`` is the exception itself, for those who can do more with it than show it. A failed save has ``retry``,
    which tries it again, and the ``text`` that is not on disk, so that it can be copied.
    """

    message: str
    details: tuple[str, ...] = ()
    traceback: str = ""
    error: BaseException | None = None
    retry: Callable[[], object] | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """A short sentence for the status bar with one thing that can be done about it."""

    text: str
    word: str
    act: Callable[[], object]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was committed to disk last, and when (local time)."""

    at: datetime
    what: str
    change_id: str | None = None


def failure_of(error: BaseException) -> Failure:
    """Tell a known error, which speaks for itself, from a bug, which is named as one."""
    trace = "".join(traceback.format_exception(error))
    if isinstance(error, KnownError):
        return Failure(message=error.message, details=error.details, traceback=trace, error=error)
    message = tr("Something went wrong that Annotator did not expect. What is on disk is untouched.")
    return Failure(message=message, details=(f"{type(error).__name__}: {error}",), traceback=trace, error=error)


def changes_in(result: object) -> Changes | None:
    """Find the `Changes` in what a service returned: itself, a tuple's last item, or its ``changes``."""
    if isinstance(result, tuple) and result:
        result = result[-1]
    if isinstance(result, Changes):
        return result
    inner = getattr(result, "changes", None)
    return inner if isinstance(inner, Changes) else None


def merged(first: Changes | None, second: Changes) -> Changes:
    """Join two changes into one; "possibly all subjects" wins over a list of some."""
    if first is None:
        return second
    subjects = first.subjects | second.subjects if first.subjects and second.subjects else frozenset[str]()
    return Changes(
        first.nouns | second.nouns, subjects, second.label or first.label, second.change_id or first.change_id
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the window's frame shows of the open project; None and empty until it is known."""

    counts: StageCounts | None = None
    disk: DiskStatus | None = None
    annotators: tuple[AnnotatorRow, ...] = ()
    undo_label: str | None = None
    redo_label: str | None = None
    local_execution: bool = False
    """Whether the project's code may run here without isolation."""
    name: str = ""


class Job:
    """A long piece of work as the status bar shows it. ``state`` is waiting, running, done, failed or cancelled.

    A ``chore`` is work nobody asked for (a backup): closing the project lets it end and asks nothing.
    """

    def __init__(self, label: str, listener: Callable[[Progress], None], *, chore: bool = False) -> None:
        """Name the work; ``listener`` hears of progress in the worker's thread."""
        self.label = label
        self.chore = chore
        self.progress = Progress(listener)
        self.state = "waiting"
        self.started_at = time.monotonic()

    @property
    def seconds_left(self) -> float | None:
        """An estimate from the pace so far, or None while there is nothing to go by."""
        fraction = self.progress.fraction
        elapsed = time.monotonic() - self.started_at
        if not fraction or self.progress.paused or elapsed < 1.0:
            return None
        return elapsed * (1.0 - fraction) / fraction
