"""Unit tests in the sandbox, beside the same tests forked bare by one process per processor."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

from annotator.base.resources import resource
from annotator.bench.figures import Figure, at_most, reaching
from annotator.sandbox import Job, Pool, TestCode
from annotator.services import executing

TESTS = 600
_ROUNDS, _INTERPRETERS, _IDLE = 3, 60, 60
_CORES = os.cpu_count() or 1
Case = tuple[str, str]


def measure(folder: Path, _subjects: int) -> list[Figure]:
    """Measure on made tests, in the sandbox this machine has. Raises `MissingEnvironmentError` without one."""
    cases = _cases(TESTS)
    listed = folder / "tests.json"
    listed.write_text(json.dumps(cases), encoding="utf-8")
    floors, fast, judged = list[float](), list[float](), list[float]()
    with executing.sandbox() as (pool, _place):
        start = time.perf_counter()
        pool.submit(Job("first", "python", "x = 1")).result()
        first = (time.perf_counter() - start) * 1000
        _through(pool, cases, "fast")
        for _ in range(_ROUNDS):
            floors.append(_floor(listed))
            fast.append(_through(pool, cases, "fast"))
            judged.append(_through(pool, cases, "judged"))
        one = statistics.median(_alone(pool, case) for case in cases[:_IDLE])
    floor = (statistics.median(floors), "bare forks")
    return [
        reaching("sandbox", "tests, fast mode", statistics.median(fast), "1/s", 0.5, floor),
        reaching("sandbox", "tests, judged", statistics.median(judged), "1/s", 0.3, floor),
        at_most("sandbox", "one test alone, fast mode", one, "ms", 5),
        at_most("sandbox", "container ready", first, "ms", 300),
        Figure("sandbox", "a fresh interpreter per test", _interpreters(cases[:_INTERPRETERS]), "1/s", floor=floor[0],
               floor_name=floor[1]),
    ]  # fmt: skip


def _cases(many: int) -> list[Case]:
    """Return programs with their tests: small functions over lists and texts, as benchmarks have them."""
    found = []
    for number in range(many):
        code = (
            f"def f(values):\n    seen = {{}}\n    for place, value in enumerate(values):\n"
            f"        seen.setdefault(value % {number % 7 + 2}, []).append(place + {number})\n"
            "    return sorted(sum(part) for part in seen.values())\n"
        )
        test = "\n".join(f"assert f(list(range({size}))) == sorted(f(list(range({size}))))" for size in (0, 1, 9, 60))
        found.append((code, f"{test}\n"))
    return found


def _floor(listed: Path) -> float:
    program = resource("bench", "fork_floor.py")
    words = [sys.executable, "-I", str(program), str(listed)]
    return float(subprocess.run(words, check=True, capture_output=True, text=True).stdout)  # noqa: S603


def _through(pool: Pool, cases: Sequence[Case], mode: Literal["fast", "judged"]) -> float:
    """Run every test; returns how many a second. Raises `RuntimeError` for a test that did not pass."""
    jobs = (
        Job(str(number), "python", code, (TestCode("t", test),), mode=mode) for number, (code, test) in enumerate(cases)
    )
    start = time.perf_counter()
    outcomes = {result.outcome for result in pool.run(jobs, ahead=256)}
    seconds = time.perf_counter() - start
    if outcomes != {"pass"}:
        raise RuntimeError(f"tests that pass came out as {sorted(outcomes)}")
    return len(cases) / seconds


def _alone(pool: Pool, case: Case) -> float:
    start = time.perf_counter()
    pool.submit(Job("one", "python", case[0], (TestCode("t", case[1]),), mode="fast")).result()
    return (time.perf_counter() - start) * 1000


def _interpreters(cases: Sequence[Case]) -> float:
    def run(case: Case) -> None:
        subprocess.run([sys.executable, "-I", "-c", "\n".join(case)], check=True, capture_output=True)  # noqa: S603

    start = time.perf_counter()
    with ThreadPoolExecutor(_CORES) as executor:
        list(executor.map(run, cases))
    return len(cases) / (time.perf_counter() - start)
