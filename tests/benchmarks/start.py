"""From starting the program to its first window and page, and commands that only read, beside bare programs."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from tests.benchmarks import made_results, making
from tests.benchmarks.figures import Figure, within

ROUNDS = 7
_READING = ("list", "run list", "release list", "results")
"""Commands that only read, on a project of results."""
_RESULTS = (4, 60, 3)
_BARE_WINDOW = (
    "from PySide6.QtWidgets import QApplication, QMainWindow\n"
    "app = QApplication([]); window = QMainWindow(); window.resize(1280, 800); window.show()\n"
    "app.processEvents(); window.grab()\n"
)
# As the program's own script begins, not as a module that is run.
_BEGIN = "import sys\nfrom tests.benchmarks.first_paint import main\nmain(sys.argv[1:])"


def measure(folder: Path, subjects: int) -> list[Figure]:
    """Measure on a project of so many subjects."""
    path = str(making.project(folder / f"{subjects}.annotator", subjects))
    results = str(folder / "results.annotator")
    made_results.build(Path(results), _RESULTS, _RESULTS[0]).close()
    programs = {
        "pass": ["-c", "pass"],
        "window": ["-c", _BARE_WINDOW],
        "paint": ["-c", _BEGIN, path],
        "page": ["-c", _BEGIN, path, "--page"],
        "version": ["-m", "annotator", "--version"],
        "status": ["-m", "annotator", "status", path],
        "tables": ["-c", "import sqlmodel"],
        **{words: ["-m", "annotator", *words.split(), results] for words in _READING},
    }
    clock, processor = _rounds(programs, folder)
    figures = []
    # The processor's time holds on a machine that others load, the clock's is what people wait.
    for found, unit in ((clock, ""), (processor, " of processor"))[: 1 if sys.platform == "win32" else 2]:
        window, bare = (found["window"], f"bare PySide6 window{unit}"), (found["pass"], f"python -c pass{unit}")
        figures += [
            within("start", f"first painted window{unit}", found["paint"], "ms", 2, window),
            within("start", f"first page of the queue{unit}", found["page"], "ms", 2.5, window),
            within("start", f"annotator --version{unit}", found["version"], "ms", 6, bare),
            within("start", f"annotator status{unit}", found["status"], "ms", 25, bare),
        ]
        tables = (found["tables"], f"import sqlmodel{unit}")
        figures += [within("start", f"annotator {words}{unit}", found[words], "ms", 2, tables) for words in _READING]
    return figures


def _rounds(programs: dict[str, list[str]], folder: Path) -> tuple[dict[str, float], dict[str, float]]:
    """Run all programs in turn, several times; returns the median milliseconds of each by the clock and processor."""
    environment = {
        **os.environ,
        "QT_QPA_PLATFORM": "offscreen",
        "XDG_CONFIG_HOME": str(folder),
        "XDG_STATE_HOME": str(folder),
        "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
    }
    # What is measured is the second start: programs that nobody has started yet are compiled first, once.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    clock: dict[str, list[float]] = {name: [] for name in programs}
    processor: dict[str, list[float]] = {name: [] for name in programs}
    for number in range(ROUNDS + 1):
        for name, words in programs.items():
            spent, start = _children_ms(), time.perf_counter()
            subprocess.run([sys.executable, *words], check=True, capture_output=True, env=environment)
            if number:
                clock[name].append((time.perf_counter() - start) * 1000)
                processor[name].append(_children_ms() - spent)
    return _medians(clock), _medians(processor)


def _medians(times: dict[str, list[float]]) -> dict[str, float]:
    return {name: statistics.median(found) for name, found in times.items()}


def _children_ms() -> float:
    """Return the processor's milliseconds of all programs that have ended; 0 where the system does not count them."""
    if sys.platform == "win32":
        return 0.0
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1000
