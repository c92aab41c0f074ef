"""How busy a run keeps an endpoint while the window is open, and how long the window ever keeps one waiting.

``python -m tests.benchmarks.runs_window [ITEMS] [SAMPLES] [CONCURRENCY]``: a server in a process of its own answers
after 50 ms; in flight is what the server itself counted, over the middle of the run. The floor is the same number of
threads around bare ``http.client`` connections, against the same server just before, without a window. The work per
request is what all threads of this process used, the window's too; unlike time it does not depend on who else works
on the machine.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
PORT = 8931
URL = f"http://127.0.0.1:{PORT}"
sys.path.insert(0, str(Path(__file__).parents[2]))

from annotator.bench.asking import SWITCH_S, bare, counts, threads, watched  # noqa: E402


def main(items: int = 500, samples: int = 20, concurrency: int = 64) -> None:
    from annotator.base.settings import Settings
    from annotator.services import running
    from annotator.ui.app import SWITCH_SECONDS, make_application
    from annotator.ui.collector import Collector
    from annotator.ui.main_window import MainWindow
    from annotator.ui.theme import Theme
    from tests.runs.conftest import build_project

    folder = Path(tempfile.mkdtemp())
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        os.environ[name] = str(folder)
    build_project(folder / "p.annotator", items)
    server = subprocess.Popen([sys.executable, "-m", "tests.llm.server", str(PORT), "0.05"], stdout=subprocess.PIPE)
    assert server.stdout is not None
    server.stdout.readline()
    sys.setswitchinterval(SWITCH_S)
    floor = watched(URL, 4.0, threads(concurrency, lambda: bare(URL)))
    # From here on as `run_app` has it.
    sys.setswitchinterval(SWITCH_SECONDS)
    app = make_application()
    collector = Collector(app)
    gaps: list[float] = []

    def turn(seconds: float, until: object = None) -> None:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end and not (callable(until) and until()):
            before = time.perf_counter()
            app.processEvents()
            gaps.append(time.perf_counter() - before)
            time.sleep(0.002)

    try:
        window = MainWindow(Theme(app), Settings(folder / "s.json", {}))
        window.resize(1280, 800)
        window.show()
        window.open_project(folder / "p.annotator")
        turn(2)
        window.show_page("Runs")
        turn(2)
        page = window.pages.page("Runs")
        page.form.model.setText("m")
        page.form.endpoint.setEditText(f"http://127.0.0.1:{PORT}/v1")
        page.form.small["samples"].setText(str(samples))
        page.form.small["jobs"].setText(str(concurrency))
        turn(2)
        gaps.clear()
        page.form.ask_start()
        asked = counts(URL)["requests"]
        seen: list[tuple[dict[str, float], float]] = []
        watch = threading.Thread(target=_watch, args=(seen, lambda: not window.session.jobs), daemon=True)
        turn(1, lambda: bool(window.session.jobs))
        watch.start()
        turn(120, lambda: not window.session.jobs)
        watch.join()
        first, last, used = _middle(seen, asked, items * samples)
        busy = (last["area"] - first["area"]) / (last["moment"] - first["moment"])
        rate = (last["requests"] - first["requests"]) / (last["moment"] - first["moment"])
        store = window.session.store
        assert store is not None
        row = running.runs(store)[0]
        gaps.sort()
        print(f"{row.state}: {row.answered} answered, {row.done} scored in {row.seconds:.1f} s")
        print(f"in flight {busy:.1f} of {concurrency} ({busy / concurrency:.1%}), {rate:.0f} requests a second")
        bare_busy = floor.in_flight
        print(f"floor {bare_busy:.1f} in flight, {floor.rate:.0f} a second; the run has {busy / bare_busy:.1%}")
        print(f"work {1000 * used / (last['requests'] - first['requests']):.2f} ms a request, all threads")
        print(f"window: longest turn {gaps[-1] * 1000:.0f} ms, 99 % below {gaps[int(len(gaps) * 0.99)] * 1000:.0f} ms")
        window.close()
        turn(0.3)
    finally:
        collector.stop()
        server.kill()
        server.wait()


def _watch(seen: list[tuple[dict[str, float], float]], ended: Callable[[], bool]) -> None:
    """Ask the server what it counted, ten times a second, and note what this process used until then."""
    while not ended():
        seen.append((counts(URL), time.process_time()))
        time.sleep(0.1)


def _middle(
    seen: Sequence[tuple[dict[str, float], float]], asked: float, total: int
) -> tuple[dict[str, float], dict[str, float], float]:
    """Return what was counted at the ends of the middle of the run, and the processor time between."""
    inner = [item for item in seen if 0.15 * total <= item[0]["requests"] - asked <= 0.85 * total]
    return inner[0][0], inner[-1][0], inner[-1][1] - inner[0][1]


if __name__ == "__main__":
    main(*(int(item) for item in sys.argv[1:]))
