"""The project file: importing, the queue, searching, deciding, beside bare SQLite in the same run."""

from __future__ import annotations

import shutil
import sqlite3
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from annotator.model.rows.queue_rows import SORTS, QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.project import projects, search_index, undo
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import first_page, stored_candidates
from tests.benchmarks import making
from tests.benchmarks.figures import Figure, at_most, quantile, reaching, repeated, within

IMPORTED = 100_000
_ROUNDS = 3
_MEANWHILE = 50_000
_LABEL_STUDIO = 2_800.0
_BARE_ACT = (
    "INSERT INTO decision (id, created_at, annotator_id, change_id, active, subject_id, verdict, reason) "
    "SELECT 'floor' || row, '2000', (SELECT id FROM annotator), change_id, 1, id, 'accept', '' "
    "FROM subject WHERE row <= ?",
    "UPDATE subject SET verdict = 'accept' WHERE row <= ?",
)


def measure(folder: Path, subjects: int) -> list[Figure]:
    """Measure everything on a project of so many subjects."""
    path = making.project(folder / f"{subjects}.annotator", subjects)
    found = _imports(folder, min(subjects, IMPORTED))
    store = projects.open_project(path)
    try:
        found += _lists(store) + _searches(store) + _acts(store, subjects) + _single(store)
    finally:
        store.close()
    return found


def _imports(folder: Path, count: int) -> list[Figure]:
    """Import in turns with bare SQLite: there, then searchable too. Of each the best of `_ROUNDS` counts."""
    rows = list(making.subjects(count))
    there, searchable, floors = list[float](), list[float](), list[float]()
    for _ in range(_ROUNDS):
        floors.append(_bare_import(folder / "bare.annotator", rows))
        path = folder / "import.annotator"
        ProjectFile.create(path, "Import", "Mei").close()
        store = ProjectFile.open(path)
        try:
            start = time.perf_counter()
            stored_candidates.insert_candidates(
                store, stored_candidates.SourceInfo("jsonl", "m", ""), rows, {}, "Import"
            )
            there.append(time.perf_counter() - start)
            search_index.complete_search_index(store)
            searchable.append(time.perf_counter() - start)
        finally:
            store.close()
            _remove(path)
    beside = (count / min(floors), "sqlite3 executemany, no search index")
    return [
        reaching("import", f"{count:,} subjects, before the search index", count / min(there), "1/s", 0.4, beside),
        Figure(
            "import", f"{count:,} subjects, searchable", count / min(searchable), "1/s",
            floor=_LABEL_STUDIO, floor_name="Label Studio, measured elsewhere",
        ),
    ]  # fmt: skip


def _bare_import(path: Path, rows: list[stored_candidates.NewSubject]) -> float:
    """Write list columns and texts into two bare tables in one transaction, with a project's pages; returns seconds."""
    ProjectFile.create(path, "Bare", "Mei").close()
    narrow = [tuple(row.columns.values()) for row in rows]
    wide = [(row.columns["id"], row.texts["prompt"], row.texts["reference"]) for row in rows]
    connection = sqlite3.connect(path)
    try:
        connection.execute("CREATE TABLE narrow (id PRIMARY KEY, key UNIQUE, a, b, c, d, e, f, g, h, i, j)")
        connection.execute("CREATE TABLE wide (id PRIMARY KEY, prompt, reference)")
        start = time.perf_counter()
        with connection:
            connection.executemany("INSERT INTO narrow VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", narrow)
            connection.executemany("INSERT INTO wide VALUES (?, ?, ?)", wide)
        return time.perf_counter() - start
    finally:
        connection.close()
        _remove(path)


def _remove(path: Path) -> None:
    for end in ("", "-wal", "-shm"):
        Path(f"{path}{end}").unlink(missing_ok=True)


def _first(store: ProjectFile, wanted: QueueFilter) -> object:
    with store.reader() as connection:
        return first_page.list_queue_rows(connection, wanted, 64)


def _lists(store: ProjectFile) -> list[Figure]:
    everything = QueueFilter()
    opening = min(repeated(partial(triage.queue_rows, store, everything), 5, time.thread_time))
    rows = triage.queue_rows(store, everything).rows
    jumps = [
        repeated(partial(triage.subjects_at_rows, store, rows[place : place + 64]), 1, time.thread_time)[0]
        for place in range(0, max(1, len(rows) - 64), max(1, len(rows) // 100))
    ]
    languages = [value for value, _ in triage.queue_facets(store, everything).counts["language"]]
    filters = [QueueFilter(sort=sort, languages=(name,)) for sort in ("", *SORTS) for name in languages]
    pages = [repeated(partial(_first, store, wanted), 3, time.perf_counter)[-1] for wanted in filters]
    counting = [
        min(repeated(partial(triage.queue_facets, store, QueueFilter(languages=(name,))), 3, time.perf_counter))
        for name in languages
    ]
    counting += repeated(partial(triage.queue_facets, store, everything), 3, time.perf_counter)
    return [
        at_most("queue", "open, CPU", opening, "ms", 100),
        at_most("queue", "random jump p95, CPU", quantile(jumps, 0.95), "ms", 8),
        at_most("queue", "filter, sort, first page p95", quantile(pages, 0.95), "ms", 5),
        at_most("queue", "facet counts p95", quantile(counting, 0.95), "ms", 100),
    ]


def _searches(store: ProjectFile) -> list[Figure]:
    typed = [word[:length] for word in making.words(1, 40) for length in range(1, len(word) + 1)]

    def timed(sort: str) -> list[float]:
        wanted = [QueueFilter(text=text, sort=sort) for text in typed]
        return [repeated(partial(triage.queue_rows, store, item), 1, time.perf_counter)[0] for item in wanted]

    plain, ordered = timed(""), timed("title")
    return [
        at_most("search", "as you type p95", quantile(plain, 0.95), "ms", 15),
        at_most("search", "in the order of titles p95", quantile(ordered, 0.95), "ms", 50),
        # The stop is asked for at 150 ms; what has been found then is still put in order.
        at_most("search", "longest", max(plain + ordered), "ms", 165),
    ]


def _bare_act(path: Path, many: int) -> float:
    """Do what a bulk act cannot do without, in bare SQLite on a copy of the project; returns milliseconds."""
    copy = path.with_suffix(".floor")
    shutil.copy(path, copy)
    connection = sqlite3.connect(copy, isolation_level=None)
    try:
        connection.execute("PRAGMA cache_size = -65536")
        for name in ("added", "changed", "removed"):
            connection.execute(f"DROP TRIGGER subject_count_{name}")
        connection.execute("PRAGMA synchronous = FULL")
        start = time.perf_counter()
        connection.execute("BEGIN IMMEDIATE")
        for statement in _BARE_ACT:
            connection.execute(statement, (many,))
        connection.execute("COMMIT")
        return (time.perf_counter() - start) * 1000
    finally:
        connection.close()
        _remove(copy)


def _acts(store: ProjectFile, subjects: int) -> list[Figure]:
    found = []
    for many, goal in ((10_000, 2), (100_000, 800 / 518)):
        if many > subjects:
            continue
        rows = range(1, many + 1)
        floors, acts, undos = list[float](), list[float](), list[float]()
        for _ in range(3):
            floors.append(_bare_act(store.path, many))
            acts += repeated(partial(triage.decide_queue_rows, store, rows, Verdict.ACCEPT), 1, time.perf_counter)
            undos += repeated(partial(undo.undo_last_act, store), 1, time.perf_counter)
        beside = (min(floors), "the same rows in bare SQLite")
        found.append(within("bulk act", f"decide on {many:,}", min(acts), "ms", goal, beside))
        found.append(within("bulk act", f"undo of {many:,}", min(undos), "ms", goal, beside))
    return found


def _commit(path: Path) -> Callable[[], object]:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE IF NOT EXISTS t (a)")
    return partial(connection.execute, "INSERT INTO t VALUES (1)")


def _single(store: ProjectFile) -> list[Figure]:
    def decide(number: int) -> None:
        triage.decide_queue_rows(store, [number], Verdict.REJECT)

    from annotator.ui.app.application import SWITCH_SECONDS

    # People decide in the window, whose threads take turns this often.
    sys.setswitchinterval(SWITCH_SECONDS)
    floor = quantile(repeated(_commit(store.path.with_suffix(".one")), 200, time.perf_counter), 0.95)
    idle = [repeated(partial(decide, number), 1, time.perf_counter)[0] for number in range(1, 201)]
    more = making.subjects(_MEANWHILE, 10_000_000 + time.time_ns() % 1_000_000_000)
    work = threading.Thread(
        target=stored_candidates.insert_candidates,
        args=(store, stored_candidates.SourceInfo("jsonl", "n", ""), more, {}, "Import"),
    )
    work.start()
    busy: list[float] = []
    while work.is_alive():
        busy += repeated(partial(decide, 1 + len(busy) % 200), 1, time.perf_counter)
        time.sleep(0.02)
    work.join()
    beside = (floor, "one-row commit p95")
    return [
        at_most("decision", "on disk p95", quantile(idle, 0.95), "ms", 12, beside),
        at_most("decision", "during an import p95", quantile(busy, 0.95), "ms", 25, beside),
        Figure("decision", f"longest during an import of {_MEANWHILE:,}", max(busy), "ms"),
    ]
