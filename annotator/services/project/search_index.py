"""The search index, built behind long imports: how much it lacks, and the work that brings it up to date."""

from __future__ import annotations

from annotator.jobs.progress import Progress
from annotator.store.file.long_writes import CHUNK, LongWrite
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import first_page, search


def lacking(store: ProjectFile) -> int:
    """Return how many candidates search does not know yet."""
    with store.reader() as connection:
        return first_page.unsearchable(connection)


def complete(store: ProjectFile, progress: Progress | None = None) -> int:
    """Make everything searchable that search lacks; returns how many candidates that were.

    Others work on meanwhile. Cancelled or killed, it keeps what it did, and the next call goes on from there. A chunk
    that a power cut loses is a gap again, so none waits for the disk.
    """
    if store.read_only or not lacking(store):
        return 0
    progress = progress or Progress()
    with LongWrite(store) as long:
        total, count = 0, 1
        while count:
            with long.transaction() as db:
                count = search.step(db.connection(), CHUNK)
            total += count
            if count:
                progress.report(total, total + lacking(store), f"{total:,} candidates made searchable")
        more = True
        while more:
            with long.transaction() as db:
                more = search.merge_some(db.connection())
            progress.check()
    return total
