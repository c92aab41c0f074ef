"""What happens in the window: the next candidate after a key, the queue, code views, memory, and events under load."""

from __future__ import annotations

import os
from pathlib import Path

from tests.benchmarks import code_view, making, memory, queue_window, triage, under_load
from tests.benchmarks.figures import Figure, at_most

_TRIAGED = 60


def measure(folder: Path, subjects: int) -> list[Figure]:
    """Measure in a window without a screen, on a project of so many subjects."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    path = making.project(folder / f"{subjects}.annotator", subjects)
    found = triage.measure(_TRIAGED, x11=False)
    return [
        at_most("window", "key to next candidate p95", found.p95, "ms", 50),
        *code_view.measure(),
        *queue_window.figures(path, subjects),
        *memory.figures(path),
        # Last, because the project gets what is imported meanwhile.
        *under_load.figures(path, folder / "load"),
    ]
