"""Acts of jobs, with the end of the undo log when each job began.

A job that ends late was still asked for before what somebody did meanwhile, so undo takes it back after that.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

BEGAN = "began"
"""Where a writing session of a job says at which place of the undo log the job began (a key of its ``info``)."""


class JobActs:
    """Knows the acts that jobs of this client made; a job works in one thread."""

    def __init__(self) -> None:
        """Know of nothing."""
        self._here = threading.local()
        self._places: dict[str, int] = {}

    @property
    def places(self) -> Mapping[str, int]:
        """The place at which its job began, by the id of the act."""
        return self._places

    @property
    def began(self) -> int | None:
        """The place at which the job of this thread began, None outside jobs."""
        return getattr(self._here, "place", None)

    @contextmanager
    def job(self, place: int) -> Iterator[None]:
        """Take what this thread writes in the block for the work of a job that begins at a place."""
        self._here.place = place
        try:
            yield
        finally:
            self._here.place = None

    def note(self, change_ids: Iterable[str], place: int) -> None:
        """Note acts that a job recorded; of one that was rolled back nothing will be found."""
        self._places.update(dict.fromkeys(change_ids, place))
