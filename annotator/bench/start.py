"""From starting the program to its first window and first page, beside a bare window and a bare interpreter."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from annotator.bench import making
from annotator.bench.figures import Figure, within

ROUNDS = 7
_BARE_WINDOW = (
    "from PySide6.QtWidgets import QApplication, QMainWindow\n"
    "app = QApplication([]); window = QMainWindow(); window.resize(1280, 800); window.show()\n"
    "app.processEvents(); window.grab()\n"
)


def measure(folder: Path, subjects: int) -> list[Figure]:
    """Measure on a project of so many subjects."""
    path = str(making.project(folder / f"{subjects}.annotator", subjects))
    programs = {
        "pass": ["-c", "pass"],
        "window": ["-c", _BARE_WINDOW],
        "paint": ["-m", "annotator.bench.first_paint", path],
        "page": ["-m", "annotator.bench.first_paint", path, "--page"],
        "version": ["-m", "annotator", "--version"],
        "status": ["-m", "annotator", "status", path],
    }
    found = _rounds(programs, folder)
    window, bare = (found["window"], "bare PySide6 window"), (found["pass"], "python -c pass")
    return [
        within("start", "first painted window", found["paint"], "ms", 1.35, window),
        within("start", "first page of the queue", found["page"], "ms", 1.5, window),
        within("start", "annotator --version", found["version"], "ms", 6, bare),
        within("start", "annotator status", found["status"], "ms", 25, bare),
    ]


def _rounds(programs: dict[str, list[str]], folder: Path) -> dict[str, float]:
    """Run all programs in turn, several times; returns the median milliseconds of each."""
    environment = {
        **os.environ,
        "QT_QPA_PLATFORM": "offscreen",
        "XDG_CONFIG_HOME": str(folder),
        "XDG_STATE_HOME": str(folder),
        "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
    }
    # What is measured is the second start: programs that nobody has started yet are compiled first, once.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    times: dict[str, list[float]] = {name: [] for name in programs}
    for number in range(ROUNDS + 1):
        for name, words in programs.items():
            start = time.perf_counter()
            subprocess.run([sys.executable, *words], check=True, capture_output=True, env=environment)  # noqa: S603
            if number:
                times[name].append((time.perf_counter() - start) * 1000)
    return {name: statistics.median(found) for name, found in times.items()}
