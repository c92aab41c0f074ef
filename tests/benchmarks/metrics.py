"""Summing up 100 models by 2,000 items by 10 samples, side by side with a bare NumPy aggregate, in one run.

Floor: mean over samples and mean per domain of the loaded array, nothing else. Ratios are to that floor; milliseconds
differ between machines.
"""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from annotator.metrics.comparison.score_intervals import board_draws, resampled_means
from annotator.metrics.scores.domains import dsi_table
from annotator.metrics.scores.item_health import item_health
from annotator.metrics.scores.score_board import heat_map, item_best_of_k, item_means, leaderboard, score_cube
from annotator.metrics.scores.skill_rating import rate_items
from tests.benchmarks.figures import Figure, repeated
from tests.benchmarks.made_results import DOMAINS
from tests.benchmarks.results import ITEMS, MODELS, SAMPLES, floor

_ROUNDS = 7
_FLOOR = "NumPy means of the loaded array"


def measure(_folder: Path, _subjects: int) -> list[Figure]:
    """Measure every part seven times; the medians count."""
    rng = np.random.default_rng(0)
    ability, ease = rng.random((MODELS, 1, 1)), rng.random((1, ITEMS, 1))
    loaded = (rng.random((MODELS, ITEMS, SAMPLES)) < (ability + ease) / 2).astype(np.float64)
    models, items = [f"model {n}" for n in range(MODELS)], [f"item {n}" for n in range(ITEMS)]
    model_of = np.repeat(np.arange(MODELS), ITEMS * SAMPLES)
    item_of = np.tile(np.repeat(np.arange(ITEMS), SAMPLES), MODELS)
    scores, shuffled = loaded.ravel(), rng.permutation(loaded.size)
    domains = [f"domain {n % DOMAINS}" for n in range(ITEMS)]
    cube = score_cube(models, items, model_of, item_of, scores)
    means = item_means(cube)
    own = [float(mean) for mean in means.values.mean(axis=1)]
    by_domain = {f"domain {d}": means.values[:, d::DOMAINS].tolist() for d in range(DOMAINS)}
    first = {model: dict(zip(items, loaded[at, :, 0].tolist(), strict=True)) for at, model in enumerate(models)}

    def board() -> None:
        scored = item_means(cube)
        leaderboard(scored)
        heat_map(scored, domains)

    work: dict[str, Callable[[], object]] = {
        _FLOOR: partial(floor, loaded),
        "leaderboard and heat map with intervals": board,
        "array from columns in order": lambda: score_cube(models, items, model_of, item_of, scores),
        "array from columns in any order": lambda: score_cube(
            models, items, model_of[shuffled], item_of[shuffled], scores[shuffled]
        ),
        "expected best of 5 of every item": lambda: item_best_of_k(cube, 5),
        "item health": lambda: item_health(items, means.values),
        "10,000 draws, first block": lambda: next(resampled_means(means.values)),
        "10,000 draws, means, intervals, ranks": lambda: board_draws(own, resampled_means(means.values)),
        "DSI of every cell, 10,000 draws": lambda: dsi_table(models, by_domain),
        "skill rating, 200,000 games": lambda: rate_items(first),
    }
    found = {name: statistics.median(repeated(act, _ROUNDS, time.perf_counter)) for name, act in work.items()}
    base = found.pop(_FLOOR)
    return [
        *(Figure("metrics", name, value, "ms", floor=base, floor_name=_FLOOR) for name, value in found.items()),
        Figure("metrics", "peak of memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "MB"),
    ]
