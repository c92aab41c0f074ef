"""The acts of jobs, with the undo log's position when each job began.

A job was started before the acts that people made while it ran, so undo reverts those first.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

BEGAN = "began"
"""The key of a writing session's ``info`` for the position of the undo log at which its job began."""


class JobActs:
    """The acts that jobs of this client recorded. A job works in one thread."""

    def __init__(self) -> None:
        self._here = threading.local()
        self._places: dict[str, int] = {}

    @property
    def places(self) -> Mapping[str, int]:
        """The position at which its job began, by the id of the act."""
        return self._places

    @property
    def began(self) -> int | None:
        """The position at which the job of this thread began, None outside jobs."""
        return getattr(self._here, "place", None)

    @contextmanager
    def job(self, position: int) -> Iterator[None]:
        """Attribute this thread's writes in the block to a job that begins at a position of the undo log."""
        self._here.place = position
        try:
            yield
        finally:
            self._here.place = None

    def note(self, change_ids: Iterable[str], position: int) -> None:
        """Record a job's acts. One that was rolled back does no harm: it is not in the log."""
        self._places.update(dict.fromkeys(change_ids, position))
