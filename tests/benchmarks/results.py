"""Results of 100 models by 2,000 items by 10 samples from a project file, beside a bare NumPy aggregate, in one run.

    python tests/benchmarks/results.py [--json] [--models N] [--items N] [--samples N] [--file P]

The floor and the way from disk are those of `annotator bench results` (`annotator/bench/results.py`). Here all
responses and scores are there as rows; "gathered" is the one time their columns are made from them.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from annotator.bench.made_results import build
from annotator.bench.results import floor, from_disk
from annotator.services import projects, result_data, results
from annotator.services.result_tables import TableOptions
from annotator.store.project_file import ProjectFile


def main() -> None:
    """Build the project, then measure every part five times and print the medians."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--file", type=Path, help="use this project (made if it is not there)")
    for name, value in (("models", 100), ("items", 2000), ("samples", 10)):
        parser.add_argument(f"--{name}", type=int, default=value)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.file or Path(folder) / "results.annotator"
        if path.exists():
            store = projects.open_project(path)
        else:
            size = (arguments.models, arguments.items, arguments.samples)
            store = build(path, size, arguments.models)
        found = measure(store)
        store.close()
    if arguments.json:
        print(json.dumps(found, indent=2))
        return
    for what, value in found.items():
        print(f"{what:<56} {value:>10.1f}")


def measure(store: ProjectFile) -> dict[str, float]:
    """Return milliseconds by what was done, and the peak of memory in MB."""
    with store.write() as db:
        db.connection().exec_driver_sql("DELETE FROM run_scores")
    start = time.perf_counter()
    data = result_data.load(store)
    found = {"columns gathered once, all runs, ms": 1000 * (time.perf_counter() - start)}
    loaded = data.cube.values

    def drill() -> None:
        results.of_run(store, data, data.entries[0].run.id, "domain", "domain 3")
        results.of_item(store, data, data.items[3].subject_id)

    work: dict[str, Callable[[], object]] = {
        "floor: means of the loaded array, ms": partial(floor, loaded),
        "leaderboard and heat map with intervals from disk, ms": partial(from_disk, store),
        "10,000 draws: ranks of all models, ms": lambda: results.table(store, data, "rank-intervals"),
        "DSI of every cell, 2,000 draws, ms": lambda: results.table(store, data, "dsi", TableOptions(draws=2000)),
        "best of k, ms": lambda: results.table(store, data, "passes"),
        "item health, ms": lambda: results.table(store, data, "items"),
        "a cell's items and an item's answers, ms": drill,
    }
    for name, act in work.items():
        times = []
        for _ in range(5):
            start = time.perf_counter()
            act()
            times.append(time.perf_counter() - start)
        found[name] = 1000 * statistics.median(times)
    found["peak memory, MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return found


if __name__ == "__main__":
    main()
