"""How busy a run keeps an endpoint while the window is open, and how long the window ever keeps one waiting.

A server in a process of its own answers after half a second; in flight is what the server itself counted, over the
middle of the run. The floor is the same number of threads around bare ``http.client`` connections, against the same
server just before, without a window. The work per request is what all threads of this process used, the window's too;
unlike time it does not depend on who else works on the machine.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from annotator.base.settings import Settings
from annotator.ui.app.application import SWITCH_SECONDS, GarbageCollector, make_application
from annotator.ui.app.main_window import MainWindow
from annotator.ui.app.theme.look import Theme
from tests.benchmarks.asking import SWITCH_S, Busy, bare, counts, threads, watched
from tests.benchmarks.figures import Figure, quantile, reaching
from tests.benchmarks.generation import LIMIT, endpoint
from tests.services.runs.conftest import build_project

ITEMS, SAMPLES = 500, 20
_PATIENCE_S = 300.0


def measure(folder: Path, _subjects: int) -> list[Figure]:
    """Measure a run that the page starts."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        os.environ[name] = str(folder)
    path = folder / "run.annotator"
    build_project(path, ITEMS)
    with endpoint() as url:
        sys.setswitchinterval(SWITCH_S)
        floor = watched(url, 4.0, threads(LIMIT, partial(bare, url)))
        # From here on as `run_app` has it.
        sys.setswitchinterval(SWITCH_SECONDS)
        busy, turns = _run(path, folder, url)
    work, limit = 1000 * busy.cores / busy.rate, (float(LIMIT), "the limit")
    return [
        reaching("run", f"requests held of {LIMIT}, window open", busy.in_flight, "", 0.95, limit),
        Figure("run", "beside as many bare connections", busy.in_flight, "", floor=floor.in_flight,
               floor_name="bare http.client"),
        Figure("run", "requests", busy.rate, "1/s", floor=floor.rate, floor_name="bare http.client"),
        Figure("run", "processor for a request, all threads", work, "ms"),
        Figure("run", "a turn of the window p99", 1000 * quantile(turns, 0.99), "ms"),
        Figure("run", "longest turn of the window", 1000 * max(turns), "ms"),
    ]  # fmt: skip


def _run(path: Path, folder: Path, url: str) -> tuple[Busy, list[float]]:
    """Run a model from the page; returns how busy its endpoint was, and the seconds of the window's turns."""
    app = make_application()
    collector = GarbageCollector(app)
    turns: list[float] = []

    def turn(seconds: float, until: Callable[[], bool] = bool) -> None:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end and not until():
            before = time.perf_counter()
            app.processEvents()
            turns.append(time.perf_counter() - before)
            time.sleep(0.002)

    window = MainWindow(Theme(app), Settings(folder / "s.json", {}))
    try:
        window.resize(1280, 800)
        window.show()
        window.open_project(path)
        turn(2)
        window.show_page("Runs")
        turn(2)
        form = window.pages.page("Runs").form
        form.model.setText("m")
        form.endpoint.setEditText(f"{url}/v1")
        form.small_fields["samples"].setText(str(SAMPLES))
        form.small_fields["jobs"].setText(str(LIMIT))
        turn(2)
        turns.clear()
        form.request_start()
        asked = counts(url)["requests"]
        seen: list[tuple[dict[str, float], float]] = []
        watch = threading.Thread(target=_watch, args=(url, seen, lambda: not window.session.jobs), daemon=True)
        turn(1, lambda: bool(window.session.jobs))
        watch.start()
        turn(_PATIENCE_S, lambda: not window.session.jobs)
        watch.join()
        window.close()
        turn(0.3)
    finally:
        collector.stop()
    return _middle(seen, asked, ITEMS * SAMPLES), turns


def _watch(url: str, seen: list[tuple[dict[str, float], float]], ended: Callable[[], bool]) -> None:
    """Ask the server what it counted, ten times a second, and note what this process used until then."""
    while not ended():
        seen.append((counts(url), time.process_time()))
        time.sleep(0.1)


def _middle(seen: Sequence[tuple[dict[str, float], float]], asked: float, total: int) -> Busy:
    """Return how busy the middle of the run was."""
    inner = [item for item in seen if 0.15 * total <= item[0]["requests"] - asked <= 0.85 * total]
    (first, used_before), (last, used_after) = inner[0], inner[-1]
    took = last["moment"] - first["moment"]
    return Busy(
        (last["area"] - first["area"]) / took,
        (last["requests"] - first["requests"]) / took,
        (used_after - used_before) / took,
    )
