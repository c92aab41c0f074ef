"""The filter line dragged over a million questions: what a place of the line costs, in the worker and on screen."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from datetime import date
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np

from annotator.mining.stackexchange.funnel import FunnelCounter, density_image
from annotator.mining.stackexchange.survey import DumpCounts, FilterLine, SurveyOptions
from annotator.mining.stackexchange.survey_result import Head, Points
from annotator.mining.stackexchange.tags import default_tag_tree
from tests.benchmarks.figures import Figure, quantile, repeated

POINTS = 1_000_000
HEADS = 20_000
SIZE = (560, 480)
EXTENT = (5000.0, 17.0)


def make_funnel_counter() -> FunnelCounter:
    """Return a funnel counter over made questions: a million with enough answers, twenty thousand with their tags."""
    random = np.random.default_rng(1)
    days = random.integers(0, 5000, POINTS)
    views = np.exp(random.normal(7.5, 1.8, POINTS)).astype(np.int64)
    tags = [node.tag for node in default_tag_tree().nodes] + [f"loose-{number}" for number in range(2000)]
    heads = [
        Head(id=n, days=int(days[n]), views=int(views[n]), score=1, title="", tags=tuple(random.choice(tags, 3)))
        for n in range(HEADS)
    ]
    options = SurveyOptions(date(2023, 6, 14), FilterLine(-1e6, 0.0))
    kept: Any = SimpleNamespace(options=options, counts=DumpCounts(questions=23_540_000))
    return FunnelCounter(kept, Points(np.arange(POINTS), days, views), heads, default_tag_tree())


def measure(_folder: Path, _subjects: int) -> list[Figure]:
    """Measure in the worker and on screen."""
    from PySide6.QtCore import QPoint, Qt
    from PySide6.QtTest import QTest

    from annotator.ui.app.application import make_application
    from annotator.ui.app.theme.look import Theme
    from annotator.ui.pages.sources.age_views_plot import AgeViewsPlot

    funnel_counter = make_funnel_counter()
    found = [
        *_timed(
            "count the funnel for a line (worker)", lambda n: funnel_counter.count(FilterLine(5.0 + n / 50, 0.0035))
        ),
        *_timed(
            "density picture (worker)",
            lambda _: density_image(funnel_counter.days, funnel_counter.logs, EXTENT, SIZE),
            15,
        ),
    ]
    application = make_application()
    scatter = AgeViewsPlot(Theme(application))
    scatter.resize(640, 540)
    scatter.show()
    application.processEvents()
    scatter.set_extent(*EXTENT)
    picture = density_image(funnel_counter.days, funnel_counter.logs, EXTENT, scatter.picture_size)
    found += _timed("picture into colours (window, once a size)", lambda _: scatter.set_density(picture))

    def drag(number: int) -> None:
        QTest.mouseClick(scatter, Qt.MouseButton.LeftButton, pos=QPoint(100 + number % 2 * 400, 350 - number))
        scatter.repaint()

    found += _timed("one step of dragging, painted (window)", drag, 100)
    scatter.close()
    return found


def _timed(name: str, work: Callable[[int], object], rounds: int = 40) -> list[Figure]:
    """Return the median and the 95th percentile of a piece of work that is told its number."""
    numbers = count()
    times = repeated(lambda: work(next(numbers)), rounds, time.perf_counter)
    return [Figure("scatter", f"{name} p{share}", quantile(times, share / 100), "ms") for share in (50, 95)]
