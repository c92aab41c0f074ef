"""Results of 100 models by 2,000 items by 10 samples from a project file, beside a bare NumPy aggregate, in one run.

The floor and the way from disk are those of `python -m tests.benchmarks results` (`tests/benchmarks/results.py`).
Here all responses and scores are there as rows; "gathered" is the one time their columns are made from them.
"""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from annotator.services.results import named_tables, responses, score_data
from annotator.services.results.result_tables import TableOptions
from annotator.store.file.project_file import ProjectFile
from tests.benchmarks.figures import Figure, repeated
from tests.benchmarks.made_results import build
from tests.benchmarks.results import ITEMS, MODELS, SAMPLES, floor, from_disk

_ROUNDS = 5
_FLOOR = "NumPy means of the loaded array"


def measure(folder: Path, _subjects: int) -> list[Figure]:
    """Build the project, then measure every part five times; the medians count."""
    store = build(folder / "result-tables.annotator", (MODELS, ITEMS, SAMPLES), MODELS)
    try:
        return _measure(store)
    finally:
        store.close()


def _measure(store: ProjectFile) -> list[Figure]:
    with store.write() as db:
        db.connection().exec_driver_sql("DELETE FROM run_scores")
    start = time.perf_counter()
    data = score_data.load_results(store)
    gathered = 1000 * (time.perf_counter() - start)
    loaded = data.cube.values

    def drill() -> None:
        responses.responses_of_run(store, data, data.entries[0].run.id, "domain", "domain 3")
        responses.responses_to_item(store, data, data.items[3].subject_id)

    work: dict[str, Callable[[], object]] = {
        _FLOOR: partial(floor, loaded),
        "leaderboard and heat map with intervals from disk": partial(from_disk, store),
        "10,000 draws: ranks of all models": lambda: named_tables.make_table(store, data, "rank-intervals"),
        "DSI of every cell, 2,000 draws": lambda: named_tables.make_table(store, data, "dsi", TableOptions(draws=2000)),
        "best of k": lambda: named_tables.make_table(store, data, "passes"),
        "item health": lambda: named_tables.make_table(store, data, "items"),
        "a cell's items and an item's answers": drill,
    }
    found = {name: statistics.median(repeated(act, _ROUNDS, time.perf_counter)) for name, act in work.items()}
    base = found.pop(_FLOOR)
    return [
        Figure("result tables", "columns gathered once, all runs", gathered, "ms"),
        *(Figure("result tables", name, value, "ms", floor=base, floor_name=_FLOOR) for name, value in found.items()),
        Figure("result tables", "peak of memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "MB"),
    ]
