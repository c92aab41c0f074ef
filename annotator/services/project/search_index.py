"""Complete the search index after long imports: count the candidates missing in it, and index them."""

from __future__ import annotations

from annotator.jobs.progress import Progress
from annotator.store.file.long_writes import LongWrite
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import first_page, search


def count_unindexed(store: ProjectFile) -> int:
    """Return the number of candidates that are not in the search index yet."""
    with store.reader() as connection:
        return first_page.count_unsearchable(connection)


def complete_search_index(store: ProjectFile, progress: Progress | None = None) -> int:
    """Index all missing candidates; returns how many were added.

    Other work can continue meanwhile. After a cancellation or a kill the next call continues. Transactions do not
    wait for the disk: one lost in a power cut counts as missing again.
    """
    if store.read_only or not count_unindexed(store):
        return 0
    progress = progress or Progress()
    with LongWrite(store) as long_write:
        total = 0
        for count in long_write.repeat(lambda db, most: search.fill_search_gap(db.connection(), most)):
            total += count
            if count:
                progress.report(total, total + count_unindexed(store), f"{total:,} candidates made searchable")
        # A merge writes about as much as a step of the index.
        for _ in long_write.repeat(lambda db, most: most * search.merge_index_segments(db.connection())):
            progress.check()
    return total
