"""How late the window comes to an event while it scores, mines, runs and imports, beside its own idle time.

python -m tests.benchmarks.under_load PROJECT FOLDER prints the milliseconds of each as JSON.

An event falls due every few milliseconds, whether or not the window has come to those before it, so a stop of a tenth
of a second counts as every event that it kept waiting. Each kind of work is begun as its page begins it, while the
queue is on screen, and idle time is measured before and after it: other programs slow down both.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.benchmarks import criteria, generation, making, mining
from tests.benchmarks.figures import Figure, at_most, quantile

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from annotator.ui.app.main_window import MainWindow

P99_MS, LONGEST_MS = 25, 50
ITEMS, SAMPLES, ANSWERS = 240, 40, 6_000
IMPORTED = 20_000
FILES, LONG_FILE = 240, 600
"""Of the repository that is mined: files with their tests, and functions of one more file, some 10,000 lines."""
IDLE_S, MOST_S = 3.0, 12.0
_EVERY_S = 0.005
_LOOK_MS = 20
_AFTER_S = 1.0
_CHECK_S = 15.0
_VERSION = "0.1"
_KEY = "load:{}"
Begin = Callable[[], object]
Late = dict[str, list[float]]


def figures(path: Path, folder: Path) -> list[Figure]:
    """Measure in a process of its own; the project gets the items, runs and subjects of the measurement."""
    words = [sys.executable, "-m", "tests.benchmarks.under_load", str(path), str(folder)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    found: dict[str, dict[str, list[float]]] = json.loads(done.stdout.splitlines()[-1])
    rows = []
    for name, late in found.items():
        (p99, worst), (idle, idle_worst) = late["busy"], late["idle"]
        rows += [
            at_most("window under load", f"{name}, p99", p99, "ms", round(idle + P99_MS, 1), (idle, "idle p99")),
            at_most(
                "window under load", f"{name}, longest", worst, "ms", round(idle_worst + LONGEST_MS, 1),
                (idle_worst, "idle, longest"),
            ),
        ]  # fmt: skip
    return rows


# -- what there is to work on ------------------------------------------------------------------------------------------


def prepare(path: Path, folder: Path) -> None:
    """Release items of three kinds of criteria in a project, and write what is scored, mined and imported."""
    from annotator.model.vocabulary import Verdict
    from annotator.services.project import projects
    from annotator.services.release import versions
    from annotator.services.select import triage
    from annotator.services.sources import imports

    folder.mkdir()
    rows = folder / "items.jsonl"
    _write(rows, [_item(number) for number in range(ITEMS)])
    store = projects.open_project(path)
    try:
        imports.import_paths(store, "jsonl", [rows])
        triage.decide_subjects(store, [_KEY.format(number) for number in range(ITEMS)], Verdict.ACCEPT)
        versions.create_release(store, _VERSION, override_reason="to measure with")
    finally:
        store.close()
    texts = criteria.answers(ANSWERS, 120)
    _write(
        folder / "answers.jsonl",
        [{"subject": _KEY.format(number % ITEMS), "model": "recorded", "response": texts[number]}
         for number in range(ANSWERS)],
    )  # fmt: skip
    more = making.subjects(IMPORTED, 20_000_000)
    _write(folder / "more.jsonl", [{**item.columns, **item.texts, "id": item.columns["key"]} for item in more])
    mining.write(folder / "repository", FILES)
    body = "".join(f"    value = (value * {line} + 1) % 97\n" for line in range(2, 16))
    long = "".join(f"def long_{number}(value):\n{body}    return value\n\n\n" for number in range(LONG_FILE))
    (folder / "repository" / "made" / "long.py").write_text(long, encoding="utf-8")


def _item(number: int) -> dict[str, object]:
    reference = "\n".join(criteria.answers(4, 40))
    similarity = json.dumps([{"metric": "rougeLsum", "references": [reference]}])
    blanks = json.dumps({"template": criteria.TEMPLATE, "targets": ['"r3"', 'r"sum+"']})
    kinds = (criteria.KEYWORDS, f"grading:\n  blank_filling: {blanks}\n", f"grading:\n  similarity: {similarity}\n")
    return {
        "id": _KEY.format(number),
        "title": f"Item {number}",
        "prompt": f"question {number}",
        "reference": reference,
        "language": "python",
        "task": "question",
        "criterion": kinds[number % len(kinds)],
        "licence": "CC0-1.0",
        "provenance": {"source": "made"},
    }


def _write(path: Path, rows: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


# -- the window --------------------------------------------------------------------------------------------------------


class Lateness:
    """How late a program with an event loop comes to events."""

    def __init__(self) -> None:
        """Make the events."""
        from PySide6.QtCore import QEventLoop, Qt, QTimer

        self._loop, self._timer, self._look = QEventLoop(), QTimer(), QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._come)
        self._look.setInterval(_LOOK_MS)
        self._look.timeout.connect(self._leave)
        self._late: list[float] = []
        self._due = self._end = 0.0
        self._over: Callable[[], object] = bool

    def until(self, over: Callable[[], object], seconds: float = 60.0) -> list[float]:
        """Let the program work until something holds or so many seconds are over; returns how late it was, in ms."""
        self._late, self._over = [], over
        self._end = time.perf_counter() + seconds
        self._due = time.perf_counter() + _EVERY_S
        self._timer.start(0)
        self._look.start()
        self._loop.exec()
        self._timer.stop()
        self._look.stop()
        return self._late

    def _come(self) -> None:
        now = time.perf_counter()
        while self._due <= now:
            self._late.append((now - self._due) * 1000)
            self._due += _EVERY_S
        self._timer.start(math.ceil((self._due - now) * 1000))

    def _leave(self) -> None:
        if time.perf_counter() > self._end or self._over():
            self._loop.quit()


class Watched(Lateness):
    """The window with a project, and how late it comes to events."""

    def __init__(self, application: QApplication, path: Path) -> None:
        """Open the project in a window as the application does, and look at the queue."""
        super().__init__()
        from annotator.base.settings import Settings
        from annotator.ui.app.application import GarbageCollector
        from annotator.ui.app.main_window import MainWindow
        from annotator.ui.app.theme.look import Theme

        self._collector = GarbageCollector(application)
        self.window: MainWindow = MainWindow(Theme(application), Settings(path.parent / "load.json", {}))
        self._collector.follow(self.window.session)
        self.window.resize(1280, 800)
        self.window.show()
        self.window.open_project(path)
        self.until(lambda: self.window.pages.current_name)
        # Pages are made when they are first looked at, which is no work in the background.
        for name in ("Sources", "Runs", "Select"):
            self.window.show_page(name)
            self.until(bool, 1.0)
        # A large project is checked once it is open; that is over before anything is measured.
        self.until(lambda: self.window.session.jobs, _CHECK_S)
        self.until(lambda: not self.window.session.jobs)

    def page(self, name: str) -> Any:
        """Return a page that has been shown."""
        return self.window.pages.page(name)

    def during(self, begin: Begin) -> list[float]:
        """Begin some work and follow it to its end, or for some seconds and then cancel it; returns how late."""
        session = self.window.session
        begin()
        late = self.until(lambda: session.jobs, 5.0)
        late += self.until(lambda: not session.jobs, MOST_S)
        for job in session.jobs:
            job.progress.cancel()
        late += self.until(lambda: not session.jobs)
        return late + self.until(bool, _AFTER_S)

    def close(self) -> None:
        """Close the window."""
        self.window.close()
        self._collector.stop()


def works(watched: Watched, folder: Path, url: str) -> dict[str, Begin]:
    """Return what is done in the background, each as its page begins it."""
    from annotator.ui.pages.runs.run_form import RunInput

    sources, runs = watched.page("Sources"), watched.page("Runs")
    sources.format.setCurrentIndex(sources.format.findData("jsonl"))
    repositories = sources.panel(3)
    repositories.run_tests.setChecked(False)
    typed = RunInput(
        release=_VERSION,
        model="asked",
        endpoint=f"{url}/v1",
        key_name="",
        protocol="plain",
        samples=str(SAMPLES),
        jobs="64",
    )
    return {
        "scoring answers": partial(runs.replay, folder / "answers.jsonl"),
        "mining": partial(repositories.take_paths, [folder / "repository"]),
        "a run": partial(runs.start, typed),
        f"importing {IMPORTED:,}": partial(sources.import_paths, [folder / "more.jsonl"]),
    }


def measure(path: Path, folder: Path, wanted: str = "") -> dict[str, Late]:
    """Measure each kind of work (whose name holds ``wanted``): p99 and longest while it goes on, and idle."""
    from annotator.ui.app.application import SWITCH_SECONDS, make_application

    prepare(path, folder)
    sys.setswitchinterval(SWITCH_SECONDS)
    watched = Watched(make_application(), path)
    found: dict[str, Late] = {}
    try:
        with generation.endpoint() as url:
            for name, begin in works(watched, folder, url).items():
                if wanted not in name:
                    continue
                idle = watched.until(bool, IDLE_S)
                busy = watched.during(begin)
                idle += watched.until(bool, IDLE_S)
                found[name] = {"busy": _ends(busy), "idle": _ends(idle)}
    finally:
        watched.close()
    return found


def _ends(late: list[float]) -> list[float]:
    return [round(quantile(late, 0.99), 1), round(max(late), 1)]


if __name__ == "__main__":
    sys.stdout.write(json.dumps(measure(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])) + "\n")
