"""The memory that an open project takes, in a process that does nothing else.

python -m tests.benchmarks.memory PROJECT prints the MB after each round of browsing, as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.benchmarks import triage
from tests.benchmarks.figures import Figure, at_most, quantile

_BROWSED = 100


def figures(path: Path) -> list[Figure]:
    """Return what a browsed project takes, and how much that grows."""
    words = [sys.executable, "-m", "tests.benchmarks.memory", str(path)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    seen: list[float] = json.loads(done.stdout)
    return [
        at_most("memory", "a project open and browsed", max(seen), "MB", 250),
        at_most("memory", f"growth over {2 * _BROWSED} more subjects", quantile(seen[2:], 1.0) - seen[1], "MB", 5),
    ]


def resident() -> float:
    """Return this process's memory in MB; nan where the system does not say."""
    status = Path("/proc/self/status")
    if not status.exists():
        return float("nan")
    lines = status.read_text(encoding="utf-8").splitlines()
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")), float("nan"))


def browse(path: Path) -> list[float]:
    """Open a project in a window and browse it up and down; returns the memory after each round in MB."""
    application, window, page = triage.shown(path)
    seen = []
    many = page.queue.model.rowCount()
    for _ in range(4):
        for number in range(_BROWSED):
            page.queue.list.setCurrentIndex(page.queue.model.index(number * max(1, many // _BROWSED)))
            triage.rest(application, 0.005)
        seen.append(resident())
    window.close()
    return seen


if __name__ == "__main__":
    print(json.dumps(browse(Path(sys.argv[1]))))
