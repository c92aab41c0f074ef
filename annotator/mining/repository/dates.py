"""Add the first and last commit of each function to its row."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from annotator.jobs.progress import Progress
from annotator.mining.repository.discovery.function_history import RepositoryHistory
from annotator.mining.repository.discovery.tree import UnreadableError, read_text
from annotator.mining.repository.rows import MinedSubject

TIMEOUT_S = 300.0
"""Time limit for dating the functions of one repository; the remaining ones get no dates."""


def with_dates(
    rows: Sequence[MinedSubject], history: RepositoryHistory | None, root: Path, progress: Progress
) -> tuple[list[MinedSubject], str]:
    """Return the rows with their functions' first and last commits, and a note for the user if some have none.

    Selected rows are dated first. A function whose file differs from its commit gets no dates.
    """
    if history is None or history.store.is_shallow:
        return list(rows), ""
    unchanged = {path: _is_as_committed(history, root, path) for path in {row.module_path for row in rows}}
    end = time.monotonic() + TIMEOUT_S
    dated: dict[tuple[str, str], MinedSubject] = {}
    undated = 0
    ordered = sorted((row for row in rows if unchanged[row.module_path]), key=lambda row: not row.selected)
    for done, row in enumerate(ordered):
        progress.report(done, len(ordered), f"reading the history of {row.qualified_name}")
        if time.monotonic() > end:
            undated += 1
            continue
        commits = history.commits_of(row.module_path, *row.span)
        if commits is not None:
            first, last = commits
            provenance = replace(
                row.provenance,
                function_first_commit=f"{first.date[:10]} {first.name}",
                function_last_commit=f"{last.date[:10]} {last.name}",
            )
            dated[row.key] = replace(row, provenance=provenance)
    changed = sum(not unchanged[row.module_path] for row in rows)
    notes = []
    if changed:
        notes.append(f"{changed} functions are in files that differ from their commit, so they have no dates")
    if undated:
        notes.append(f"reading the history of functions took too long, so {undated} have no dates")
    return [dated.get(row.key, row) for row in rows], "; ".join(notes)


def _is_as_committed(history: RepositoryHistory, root: Path, path: str) -> bool:
    try:
        return history.lines_of(path) == read_text(root, path).split("\n")
    except UnreadableError:
        return False
