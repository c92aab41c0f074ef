"""The filter line dragged over a million questions: what a place of the line costs, in the worker and on screen."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from datetime import date
from types import SimpleNamespace
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np

from annotator.mining.stackexchange.kept import Head, Points
from annotator.mining.stackexchange.line import FilterLine
from annotator.mining.stackexchange.sieve import Sieve, density
from annotator.mining.stackexchange.survey import Counts, SurveyOptions
from annotator.mining.stackexchange.tags import default_tree

POINTS = 1_000_000
HEADS = 20_000
SIZE = (560, 480)
EXTENT = (5000.0, 17.0)


def made_sieve() -> Sieve:
    """Return a sieve over made questions: a million with enough answers, twenty thousand with their tags."""
    random = np.random.default_rng(1)
    days = random.integers(0, 5000, POINTS)
    views = np.exp(random.normal(7.5, 1.8, POINTS)).astype(np.int64)
    tags = [node.tag for node in default_tree().nodes] + [f"loose-{number}" for number in range(2000)]
    heads = [Head(n, int(days[n]), int(views[n]), 1, "", tuple(random.choice(tags, 3))) for n in range(HEADS)]
    options = SurveyOptions(date(2023, 6, 14), FilterLine(-1e6, 0.0))
    kept: Any = SimpleNamespace(options=options, counts=Counts(questions=23_540_000))
    return Sieve(kept, Points(np.arange(POINTS), days, views), heads, default_tree())


def timed(name: str, work: Callable[[int], object], rounds: int = 40) -> None:
    """Print the median and the 95th percentile of a piece of work."""
    times = []
    for number in range(rounds):
        start = time.perf_counter()
        work(number)
        times.append((time.perf_counter() - start) * 1000)
    print(f"{name:50} p50 {statistics.median(times):7.2f} ms  p95 {sorted(times)[int(rounds * 0.95)]:7.2f} ms")


def main() -> None:
    """Measure and print."""
    from annotator.ui.app import make_application
    from annotator.ui.theme import Theme
    from annotator.ui.widgets.scatter import Scatter

    start = time.perf_counter()
    sieve = made_sieve()
    print(f"{POINTS:,} points, {HEADS:,} tagged questions, made in {time.perf_counter() - start:.1f} s")
    timed("count the funnel for a line (worker)", lambda n: sieve.count(FilterLine(5.0 + n / 50, 0.0035)))
    timed("density picture (worker)", lambda _: density(sieve.days, sieve.logs, EXTENT, SIZE), 15)
    application = make_application()
    scatter = Scatter(Theme(application))
    scatter.resize(640, 540)
    scatter.show()
    application.processEvents()
    scatter.set_extent(*EXTENT)
    picture = density(sieve.days, sieve.logs, EXTENT, scatter.picture_size)
    timed("picture into colours (window, once a size)", lambda _: scatter.set_density(picture))

    def drag(number: int) -> None:
        scatter._move_end(number % 2, 5.0 + number / 20)
        scatter.repaint()

    timed("one step of dragging, painted (window)", drag, 100)
    scatter.close()


if __name__ == "__main__":
    main()
