"""What happens in the window: the next candidate after a key, code views, and the memory an open project takes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from annotator.bench import code_view, making, triage
from annotator.bench.figures import Figure, at_most, quantile

_TRIAGED = 60
_BROWSED = 100


def measure(folder: Path, subjects: int) -> list[Figure]:
    """Measure in a window without a screen, on a project of so many subjects."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    path = making.project(folder / f"{subjects}.annotator", subjects)
    found = triage.measure(_TRIAGED, x11=False)
    return [
        at_most("window", "key to next candidate p95", found.p95, "ms", 50),
        *code_view.measure(),
        *_memory(path),
    ]


def _resident() -> float:
    """Return this process's memory in MB; nan where the system does not say."""
    status = Path("/proc/self/status")
    if not status.exists():
        return float("nan")
    lines = status.read_text(encoding="utf-8").splitlines()
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")), float("nan"))


def _memory(path: Path) -> list[Figure]:
    """Browse an open project up and down; memory after the first and after the last round."""
    from annotator.base.settings import Settings
    from annotator.ui.app import make_application
    from annotator.ui.main_window import MainWindow
    from annotator.ui.theme import Theme

    application = make_application()
    window = MainWindow(Theme(application), Settings(path.parent / "memory.json", {}))
    window.resize(1280, 800)
    window.show()
    window.open_project(path)
    triage.wait(application, lambda: window.pages.current_name != "")
    window.show_page("Select")
    page: Any = window.pages.page("Select")
    triage.wait(application, lambda: page.view is not None)
    seen = []
    many = page.queue.model.rowCount()
    for _ in range(4):
        for number in range(_BROWSED):
            page.queue.list.setCurrentIndex(page.queue.model.index(number * max(1, many // _BROWSED)))
            triage.rest(application, 0.005)
        seen.append(_resident())
    window.close()
    growth = quantile(seen[2:], 1.0) - seen[1]
    return [
        at_most("memory", "a project open and browsed", max(seen), "MB", 250),
        at_most("memory", f"growth over {2 * _BROWSED} more subjects", growth, "MB", 5),
    ]
