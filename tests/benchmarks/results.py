"""Results of 100 models by 2,000 items by 10 samples from a project file, beside a bare NumPy aggregate in one run.

The aggregate is the mean over samples and per domain of the array that is loaded already. Results start at the file on
disk, with the columns that a run keeps when it ends.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.figures import Figure, at_most, repeated, within
from tests.benchmarks.made_results import DOMAINS, build

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from annotator.services.results.score_data import ResultData
    from annotator.store.file.project_file import ProjectFile

MODELS, ITEMS, SAMPLES = 100, 2_000, 10
SIDE = 200
_ROUNDS, _PAINTS = 7, 15


def measure(folder: Path, _subjects: int) -> list[Figure]:
    """Measure on a project made for it."""
    store = build(folder / "results.annotator", (MODELS, ITEMS, SAMPLES), 1)
    try:
        return [*tables_of(store), *_painted()]
    finally:
        store.close()


def floor(loaded: NDArray[np.float64]) -> None:
    """Do what any leaderboard with domains cannot do without."""
    flat = loaded.mean(axis=2)
    for domain in range(DOMAINS):
        flat[:, domain::DOMAINS].mean(axis=1)


def from_disk(store: ProjectFile) -> ResultData:
    """Read the project and make the leaderboard and the heat map, with intervals."""
    from annotator.services.results import named_tables, score_data

    fresh = score_data.load_results(store)
    named_tables.make_table(store, fresh, "leaderboard")
    named_tables.make_table(store, fresh, "domains")
    return fresh


def tables_of(store: ProjectFile) -> list[Figure]:
    from annotator.metrics.scores.score_board import heat_map, item_means, leaderboard
    from annotator.services.results import named_tables, score_data

    gathering = repeated(partial(score_data.load_results, store), 1, time.process_time)[0]
    data = from_disk(store)
    cube, loaded, groups = data.cube, data.cube.values, data.groups("domain")

    def reckoned() -> None:
        scores = item_means(cube)
        leaderboard(scores)
        heat_map(scores, groups)

    work: dict[str, Callable[[], object]] = {
        "floor": partial(floor, loaded),
        "reckoned": reckoned,
        "disk": partial(from_disk, store),
    }
    times: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(_ROUNDS):
        for name, act in work.items():
            times[name] += repeated(act, 1, time.process_time)
    found = {name: statistics.median(values) for name, values in times.items()}
    draws = min(repeated(partial(named_tables.make_table, store, data, "rank-intervals"), 2, time.process_time))
    beside = (found["floor"], "NumPy means of the loaded array")
    size = f"{MODELS} models, {ITEMS:,} items, {SAMPLES} samples"
    return [
        within("results", "leaderboard and heat map of loaded scores, CPU", found["reckoned"], "ms", 3, beside),
        at_most("results", "… from disk, tables ready, CPU", found["disk"], "ms", 1_500, beside),
        at_most("results", f"10,000 draws, ranks of {size}, CPU", draws / 1000, "s", 5),
        Figure("results", f"gathering {ITEMS * SAMPLES:,} scores when a run ends, CPU", gathering, "ms"),
    ]


def _painted() -> list[Figure]:
    """Paint a heat map of so many models by as many groups, as the page shows it; a picture of it is the floor."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtWidgets import QApplication

    from annotator.model.rows.result_rows import Column, Table
    from annotator.ui.app.application import make_application
    from annotator.ui.app.session.session import Session
    from annotator.ui.app.theme.look import Theme
    from annotator.ui.pages.results.board import ResultsBoard

    application = make_application()
    session = Session()
    board = ResultsBoard(session, Theme(application))
    names = [f"group {number}" for number in range(SIDE)]
    lines = [_line(row) for row in range(SIDE)]
    columns = (
        Column.of_texts("model", [f"model {row}" for row in range(SIDE)]),
        *(Column.of_numbers(name, [line[at] for line in lines], 1) for at, name in enumerate(names)),
        Column.of_numbers("mean", [50.0] * SIDE, 1),
    )
    board.show_table(Table(name="domains", title="Domains", columns=columns))
    board.resize(1280, 800)
    board.show()
    QApplication.processEvents()
    viewport = board.table.viewport()
    shown = repeated(viewport.repaint, _PAINTS, time.thread_time)
    image = QImage(viewport.size(), QImage.Format.Format_RGB32)
    cells = QImage(SIDE, SIDE, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    bare = repeated(lambda: painter.drawImage(image.rect(), cells), _PAINTS, time.thread_time)
    painter.end()
    board.close()
    session.close()
    return [
        at_most("heat map", f"{SIDE} by {SIDE}, on screen, CPU", min(shown), "ms", 3,
                (min(bare), "one picture, no numbers")),
    ]  # fmt: skip


def _line(row: int) -> list[float]:
    return [(row * 37 + column * 61) % 1000 / 10 for column in range(SIDE)]
