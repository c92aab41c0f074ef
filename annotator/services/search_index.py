"""The search index, built behind long imports: how much it lacks, and the work that brings it up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotator.jobs.progress import Progress
from annotator.store import queue
from annotator.store.project_file import ProjectFile

if TYPE_CHECKING:
    from annotator.store.long_writes import LongWrite

_STEP = 500
# Many small steps cost more than few large ones; a step ends with its transaction.
_STEP_S = 0.01


def lacking(store: ProjectFile) -> int:
    """Return how many candidates search does not know yet."""
    with store.reader() as connection:
        return queue.unsearchable(connection)


def complete(store: ProjectFile, progress: Progress | None = None) -> int:
    """Make everything searchable that search lacks; returns how many candidates that were.

    Others work on meanwhile: each step is as long as a decision may wait. Cancelled or killed, it keeps what it did,
    and the next call goes on from there.
    """
    from annotator.store.long_writes import LongWrite

    if store.read_only or not lacking(store):
        return 0
    progress = progress or Progress()
    with LongWrite(store, _STEP, _STEP_S) as long:
        done = 0
        while made := _fill(store, long):
            done += made
            progress.report(done, done + lacking(store), f"{done:,} candidates made searchable")
        _merge(store, long, progress)
    return done


def _fill(store: ProjectFile, long: LongWrite) -> int:
    from annotator.store import search

    # A step that is lost in a power cut is a gap again, so none waits for the disk.
    with store.write(durable=False) as db, long.part():
        made = search.step(db.connection(), long.size)
    long.pause()
    return made


def _merge(store: ProjectFile, long: LongWrite, progress: Progress) -> None:
    from annotator.store import search

    more = True
    while more:
        with store.write(durable=False) as db, long.part():
            more = search.merge_some(db.connection())
        long.pause()
        progress.check()
