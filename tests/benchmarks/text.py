"""Differences of texts, beside the standard library."""

from __future__ import annotations

import difflib
import random
import time
from functools import partial
from pathlib import Path

from tests.benchmarks import making
from tests.benchmarks.figures import Figure, at_most, repeated

LINES = 2_000


def measure(_folder: Path, _subjects: int) -> list[Figure]:
    """Measure what needs no project."""
    return [_diff()]


def _diff() -> Figure:
    from annotator.text.diff import line_diff

    chance = random.Random(3)
    pool = making.words(5, 400)
    old = [" ".join(chance.choices(pool, k=8)) for _ in range(LINES)]
    new = [line if chance.random() > 0.05 else " ".join(chance.choices(pool, k=8)) for line in old]
    ours = min(repeated(partial(line_diff, "\n".join(old), "\n".join(new)), 5, time.perf_counter))
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    peer = repeated(matcher.get_opcodes, 1, time.perf_counter)[0]
    return at_most("diff", f"{LINES:,} lines", ours, "ms", 10, (peer, "difflib"))
