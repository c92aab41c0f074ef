"""Unit tests in Python through the sandbox, beside the same tests forked bare.

The floor runs where the tests run: in sandboxes of the same kind, one per processor, on the same Python. Outside, it
would be another floor. On a busy machine an engine's containers get another share of the processors than a program
beside them, and Pythons differ by a quarter in what a fork costs. Rounds take turns, and the medians are compared. The
heavier the tests themselves, the nearer is everything to the floor, so figures tell of the tests they were taken with.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from annotator.sandbox import Job, Limits, Place, Pool, TestCode
from annotator.sandbox.sandbox_jobs import Mode
from annotator.sandbox.sandbox_places import DockerPlace

_ROUNDS = 3
_AHEAD = 256
_FLOOR = "floor.py"
Case = tuple[str, str]
"""A program, and a test of it."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Tests a second, and milliseconds of processor a test (None where nobody counts that)."""

    a_second: float
    processor_ms: float | None


@dataclass(frozen=True, slots=True)
class Rates:
    """What was measured in turns: bare forks, fast mode, judged."""

    floor: Rate
    fast: Rate
    judged: Rate


def rates(pool: Pool, place: Place, cases: Sequence[Case], rounds: int = _ROUNDS) -> Rates:
    """Measure all three in turns. Raises `RuntimeError` for a test that did not pass."""
    found: tuple[list[Rate], list[Rate], list[Rate]] = ([], [], [])
    with Pool(place, pool.size) as beside:
        _floor(beside, cases[: pool.size])
        through(pool, place, cases, "fast")
        for _ in range(rounds):
            found[0].append(_floor(beside, cases))
            found[1].append(through(pool, place, cases, "fast"))
            found[2].append(through(pool, place, cases, "judged"))
    return Rates(*(_median(item) for item in found))


def _median(found: Sequence[Rate]) -> Rate:
    used = [item.processor_ms for item in found if item.processor_ms is not None]
    return Rate(statistics.median(item.a_second for item in found), statistics.median(used) if used else None)


def _floor(pool: Pool, cases: Sequence[Case]) -> Rate:
    program = Path(__file__).with_name("fork_floor.py").read_text(encoding="utf-8")
    shares = [cases[number :: pool.size] for number in range(pool.size)]
    limits = Limits(wall_s=120, cpu_s=120)
    futures = [
        pool.submit(
            Job(id="floor", language="bash", code=f"exec python3 -I {_FLOOR} tests.json", limits=limits,
                files={_FLOOR: program, "tests.json": json.dumps(share)})
        )
        for share in shares
    ]  # fmt: skip
    a_second = processor_s = 0.0
    for share, future in zip(shares, futures, strict=True):
        result = future.result()
        if result.outcome != "pass":
            raise RuntimeError(f"the bare forks came out as {result.outcome}: {result.message}")
        told = json.loads(result.stdout)
        a_second += len(share) / told["seconds"]
        processor_s += told["processor_s"]
    return Rate(a_second, processor_s * 1000 / len(cases))


def through(pool: Pool, place: Place, cases: Sequence[Case], mode: Mode) -> Rate:
    """Run every test through the pool. Raises `RuntimeError` for a test that did not pass."""
    jobs = (
        Job(id=str(number), language="python", code=code, tests=(TestCode("t", test),), mode=mode)
        for number, (code, test) in enumerate(cases)
    )
    before, own, start = _used(place), time.process_time(), time.perf_counter()
    outcomes = {result.outcome for result in pool.run(jobs, ahead=_AHEAD)}
    seconds, own, after = time.perf_counter() - start, time.process_time() - own, _used(place)
    if outcomes != {"pass"}:
        raise RuntimeError(f"tests that pass came out as {sorted(outcomes)}")
    # What was there before and after: a container that came or went between makes no figure.
    used = {name: after[name] - before[name] for name in after if name in before}
    whole = used and used.keys() == before.keys() == after.keys()
    return Rate(len(cases) / seconds, (sum(used.values()) + own) * 1000 / len(cases) if whole else None)


def _used(place: Place) -> dict[str, float]:
    return place.processor_s() if isinstance(place, DockerPlace) else {}


def idle(pool: Pool, cases: Sequence[Case], mode: Mode) -> float:
    """Return the median milliseconds of one test at a time."""
    times = []
    for code, test in cases:
        start = time.perf_counter()
        pool.submit(Job(id="one", language="python", code=code, tests=(TestCode("t", test),), mode=mode)).result()
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)
