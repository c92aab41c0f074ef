"""300 candidates triaged by keyboard alone in the window: time from each key to the next candidate on screen.

A scripted person waits for each candidate to be painted before the next key; then the same again without waiting, as
fast as keys can come. Prints a table; the goal is a p95 of 50 ms (performance goals, "A decision on disk").
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from annotator.base.settings import Settings
from annotator.mining.quotas import Quota
from annotator.model.rows import QueueFilter
from annotator.services import importing, projects, quotas, selecting
from annotator.ui.app import SWITCH_SECONDS, make_application
from annotator.ui.main_window import MainWindow
from annotator.ui.theme import Theme

COUNT = 300
PAUSE = 0.1
KEYS = (Qt.Key.Key_A, Qt.Key.Key_R, Qt.Key.Key_S, Qt.Key.Key_F)
VERDICTS = ("accept", "reject", "skip", "flag")


def make_project(folder: Path) -> Path:
    """Make a project of candidates with prompts and references of a usual length."""
    rows = folder / "rows.jsonl"
    with rows.open("w") as stream:
        for number in range(COUNT):
            code = "\n".join(f"def step_{line}(value):\n    return value * {line}" for line in range(20))
            row = {
                "id": f"c{number}",
                "title": f"Candidate {number}",
                "prompt": f"How do I do step {number}? " + "Some more words of a question. " * 15,
                "reference": code,
                "language": ("python", "java", "go")[number % 3],
                "task": "question",
                "area": ("back-end", "data science")[number % 2],
                "views": number * 37,
            }
            stream.write(json.dumps(row) + "\n")
    path = folder / "triage.annotator"
    store = projects.create_project(path, "Triage", "mei")
    importing.import_paths(store, "jsonl", [rows])
    quotas.keep(store, [Quota((("language", name),), 40) for name in ("python", "java", "go")])
    store.close()
    return path


def wait(application: QApplication, condition: object, seconds: float = 10.0) -> None:
    """Let the window work until something holds."""
    end = time.perf_counter() + seconds
    while not condition():  # type: ignore[operator]  # a callable
        if time.perf_counter() > end:
            raise TimeoutError("waited too long")
        application.processEvents()


def triage(application: QApplication, path: Path, *, patient: bool) -> tuple[list[float], Counter[str]]:
    """Press 300 keys; returns the milliseconds of each, and the verdicts that are in the project afterwards."""
    window = MainWindow(Theme(application), Settings(path.parent / "s.json", {}))
    window.resize(1280, 800)
    window.show()
    window.open_project(path)
    wait(application, lambda: window.pages.current_name != "")
    window.activateWindow()
    wait(application, window.isActiveWindow)
    window.show_page("Select")
    page = window.pages.page("Select")
    wait(application, lambda: page.view is not None and page.queue.model.rowCount() == COUNT)
    end = time.perf_counter() + 1.5
    wait(application, lambda: time.perf_counter() > end)
    page.queue.list.setFocus()
    times = []
    for number in range(COUNT):
        before = page.view.row.id
        start = time.perf_counter()
        QTest.keyClick(page.queue.list, KEYS[number % len(KEYS)])
        if patient:
            if number < COUNT - 1:
                wait(application, lambda seen=before: page.view.row.id != seen)
            # What the new candidate changed on screen is painted when the window's events are done.
            application.processEvents()
        times.append((time.perf_counter() - start) * 1000)
        if patient:
            rest = time.perf_counter() + PAUSE
            wait(application, lambda end=rest: time.perf_counter() > end)
    store = window.session.store
    wait(application, lambda: projects.stage_counts(store).open == 0, 60)
    rows = selecting.rows_at(store, selecting.queue_ids(store, QueueFilter()))
    wrong = [row.title for place, row in enumerate(rows) if row.verdict != VERDICTS[place % len(VERDICTS)]]
    if wrong:
        raise SystemExit(f"{len(wrong)} candidates have another verdict than the key said: {wrong[:3]}")
    wait(application, lambda: not window.session.jobs)
    window.close()
    return times, Counter(str(row.verdict) for row in rows)


def main() -> None:
    """Measure both ways and print."""
    sys.setswitchinterval(SWITCH_SECONDS)
    application = make_application()
    for patient in (True, False):
        with tempfile.TemporaryDirectory() as folder:
            times, verdicts = triage(application, make_project(Path(folder)), patient=patient)
        ranked = sorted(times)
        p50, p95, worst = ranked[len(ranked) // 2], ranked[int(len(ranked) * 0.95)], ranked[-1]
        how = "key to next candidate painted" if patient else "keys without waiting, time in the key"
        print(f"{how:40} p50 {p50:6.1f} ms  p95 {p95:6.1f} ms  max {worst:6.1f} ms  {dict(verdicts)}")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
