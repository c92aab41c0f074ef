"""200,000 scores read into Arrow, beside `fetchall` of the same columns from the same file."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.notebook.notebook_project import NotebookProject
from tests.benchmarks.figures import Figure, repeated, within
from tests.benchmarks.made_results import build

if TYPE_CHECKING:
    from annotator.store.file.project_file import ProjectFile

MODELS, ITEMS, SAMPLES = 10, 2_000, 10
_ROUNDS = 5
_COLUMNS = """
    SELECT s.response_id, s.run_id, e.version, m.name, r.preset, s.subject_id, u.key, s.sample, s.outcome, s.score,
        s.points, s.total
    FROM response_score s JOIN run r ON r.id = s.run_id JOIN "release" e ON e.id = r.release_id
    JOIN model_under_test m ON m.id = r.model_id LEFT JOIN subject u ON u.id = s.subject_id
    WHERE s.criterion_hash IS NOT NULL
"""


def measure(folder: Path, _subjects: int) -> list[Figure]:
    """Measure on a project made for it."""
    store = build(folder / "notebook.annotator", (MODELS, ITEMS, SAMPLES), MODELS)
    try:
        rows = NotebookProject(store).scores().num_rows
        if rows != MODELS * ITEMS * SAMPLES:
            raise ValueError(f"{rows} scores are there")
        bare = min(repeated(partial(_fetch, store), _ROUNDS, time.perf_counter))
        taken = min(repeated(lambda: NotebookProject(store).scores(), _ROUNDS, time.perf_counter))
    finally:
        store.close()
    return [within("notebook", f"{rows:,} scores as Arrow", taken, "ms", 2.0, (bare, "fetchall"))]


def _fetch(store: ProjectFile) -> None:
    with store.reader() as connection:
        connection.execute(_COLUMNS).fetchall()
