"""A small program with its test in each language, beside the plain tool chain in the same container.

The plain tool chain gets the same text as a file and the commands its manual begins with. What the best known way takes
is a share of that, so the goal is a share too.
"""

from __future__ import annotations

import shlex
import statistics
import time
from dataclasses import dataclass

from annotator.sandbox import Job, Place, Pool, TestCode, find_language
from tests.benchmarks.figures import Figure, within
from tests.samples import load_samples

_ROUNDS = 5
_MARGIN = 1.3
_PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class Known:
    """A language's program and test, the plain commands for both in one file, and the best share of their time seen."""

    language: str
    code: str
    test: str
    file: str
    commands: str
    best: float


KNOWN = [Known(**{**row, "best": row["best"][0] / row["best"][1]}) for row in load_samples(__file__)]


def figures(pool: Pool, place: Place) -> list[Figure]:
    """Measure the languages whose image is built. Raises `RuntimeError` if a test that passes comes out otherwise."""
    return [_measured(pool, known) for known in KNOWN if place.has(find_language(known.language).group)]


def _measured(pool: Pool, known: Known) -> Figure:
    ours, plain = list[float](), list[float]()
    for number in range(_ROUNDS + 1):
        pair = _ours(pool, known), _plain(pool, known)
        if number:  # The first warms the files up.
            ours.append(pair[0])
            plain.append(pair[1])
    beside = (statistics.median(plain), "plain tool chain")
    return within("languages", known.language, statistics.median(ours), "ms", _MARGIN * known.best, beside)


def _ours(pool: Pool, known: Known) -> float:
    job = Job(id="one", language=known.language, code=known.code, tests=(TestCode("t", known.test),))
    start = time.perf_counter()
    result = pool.submit(job).result()
    took = (time.perf_counter() - start) * 1000
    if result.outcome != "pass":
        raise RuntimeError(f"a test in {known.language} that passes came out as {result.outcome}: {result.message}")
    return took


def _plain(pool: Pool, known: Known) -> float:
    text = f"{known.code}\n{known.test}\n"
    script = f"printf %s {shlex.quote(text)} > {known.file} && {{ {known.commands}; }}"
    start = time.perf_counter()
    result = pool.submit_command(find_language(known.language).group, ("sh", "-c", script), _PATIENCE_S).result()
    took = (time.perf_counter() - start) * 1000
    if result.outcome != "pass":
        raise RuntimeError(f"the plain tool chain of {known.language} failed: {result.message}{result.stdout[-300:]}")
    return took
