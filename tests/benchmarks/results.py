"""Results of 100 models by 2,000 items by 10 samples from a project file, beside a bare NumPy aggregate, in one run.

    python tests/benchmarks/results.py [--json] [--models N] [--items N] [--samples N] [--file P]

Floor: mean over samples and per domain of the loaded array. Everything else starts at the file on disk, with the
columns that a run keeps when it ends; "gathered" is the one time they are made from responses and scores.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from annotator.base.clock import now_text
from annotator.base.ids import new_id
from annotator.services import projects, result_data, results
from annotator.services.result_tables import TableOptions
from annotator.store.project_file import ProjectFile

DOMAINS = 20
TEXT = "def f(x):\n    return x\n" * 4


def build(path: Path, models: int, items: int, samples: int) -> ProjectFile:
    """Write a project with a release and finished runs straight into its tables."""
    store = projects.create_project(path, "Benchmark", "Mei")
    now, who = now_text(), store.annotator.id
    rng = np.random.default_rng(0)
    ability, ease = rng.random(models), rng.random(items)
    ids = [new_id() for _ in range(items)]
    with store.write(durable=False) as db:
        execute = db.connection().exec_driver_sql
        execute("INSERT INTO change (id, kind, label, state, annotator_id, created_at, nouns) "
                "VALUES ('c', 'do', 'x', 'done', ?, ?, '[]')", (who, now))  # fmt: skip
        execute("INSERT INTO source VALUES ('s', ?, 'k', 'n', '', '{}', ?, 'c', 1)", (now, who))
        execute("INSERT INTO subject (id, key, title, task, language, domain, area, difficulty, question_type, "
                "licence, content_hash, source_id, change_id, active, created_at) "
                "VALUES (?, ?, ?, 'generation', 'python', ?, '', '', '', '', 'h', 's', 'c', 1, ?)",
                [(key, f"k{n}", f"Item {n}", f"domain {n % DOMAINS}", now) for n, key in enumerate(ids)])  # fmt: skip
        execute("INSERT INTO release VALUES ('r', ?, '1.0', '', ?, 'h', ?, '{}')", (now, who, items))
        frozen = [
            {"id": key, "key": f"k{n}", "title": f"Item {n}", "language": "python", "domain": f"domain {n % DOMAINS}",
             "task": "generation", "provenance": {}, "prompt": "Write it. " * 100, "reference": TEXT, "criterion": ""}
            for n, key in enumerate(ids)
        ]  # fmt: skip
        execute("INSERT INTO releaseitem VALUES ('r', ?, ?, 'h', ?)",
                [(item["id"], n, json.dumps(item)) for n, item in enumerate(frozen)])  # fmt: skip
    for m in range(models):
        passed = rng.random((items, samples)) < (ability[m] + ease[:, None]) / 2
        with store.write(durable=False) as db:
            execute = db.connection().exec_driver_sql
            model, run = new_id(), f"run{m:04d}"
            execute("INSERT INTO model_under_test VALUES (?, ?, ?, '{}')", (model, now, f"model {m:03d}-{m + 1}b"))
            execute("INSERT INTO run (id, created_at, release_id, model_id, preset, samples, settings, state, reason, "
                    "annotator_id, finished_at) VALUES (?, ?, 'r', ?, 'chat', ?, '{}', 'done', '', ?, ?)",
                    (run, f"{now}{m:04d}", model, samples, who, now))  # fmt: skip
            places = [(f"{run}-{n}-{s}", n, s) for n in range(items) for s in range(samples)]
            execute("INSERT INTO response (id, created_at, run_id, subject_id, model_id, sample, text, outcome, "
                    "finish_reason, content_hash, request_hash, usage) VALUES (?, ?, ?, ?, ?, ?, ?, 'answer', 'stop', "
                    "'h', '', '{}')",
                    [(name, now, run, ids[n], model, s, TEXT) for name, n, s in places])  # fmt: skip
            execute("INSERT INTO score (response_id, criterion_hash, points, total, score, outcome, detail, "
                    "created_at) VALUES (?, 'h', ?, 1, ?, ?, '{\"rules\": []}', ?)",
                    [(name, float(passed[n, s]), float(passed[n, s]), "pass" if passed[n, s] else "fail", now)
                     for name, n, s in places])  # fmt: skip
    return store


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
            store = build(path, arguments.models, arguments.items, arguments.samples)
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

    def floor() -> None:
        flat = loaded.mean(axis=2)
        for domain in range(DOMAINS):
            flat[:, domain::DOMAINS].mean(axis=1)

    def board() -> None:
        fresh = result_data.load(store)
        results.table(store, fresh, "leaderboard")
        results.table(store, fresh, "domains")

    def drill() -> None:
        results.of_run(store, data, data.entries[0].run.id, "domain", "domain 3")
        results.of_item(store, data, data.items[3].subject_id)

    work: dict[str, Callable[[], object]] = {
        "floor: means of the loaded array, ms": floor,
        "leaderboard and heat map with intervals from disk, ms": board,
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
