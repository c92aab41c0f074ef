"""Code in the sandbox: unit tests beside bare forks of them, other languages beside their plain tool chains."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from annotator.sandbox import Job
from annotator.services.program import sandbox
from tests.benchmarks import languages, unit_tests
from tests.benchmarks.figures import Figure, at_most, reaching
from tests.benchmarks.unit_tests import Case, Rates

TESTS = 600
_INTERPRETERS, _IDLE = 60, 60
_CORES = os.cpu_count() or 1
_BARE = "bare forks"


def measure(_folder: Path, _subjects: int) -> list[Figure]:
    """Measure on made tests, in the sandbox this machine has. Raises `MissingEnvironmentError` without one."""
    cases = made_cases(TESTS)
    with sandbox.open_sandbox() as (pool, place):
        start = time.perf_counter()
        pool.submit(Job(id="first", language="python", code="x = 1")).result()
        first = (time.perf_counter() - start) * 1000
        rates = unit_tests.rates(pool, place, cases)
        one = unit_tests.idle(pool, cases[:_IDLE], "fast")
        others = languages.figures(pool, place)
    floor = (rates.floor.a_second, _BARE)
    return [
        reaching("sandbox", "tests, fast mode", rates.fast.a_second, "1/s", 0.5, floor),
        reaching("sandbox", "tests, judged", rates.judged.a_second, "1/s", 0.3, floor),
        *processor(rates, "sandbox"),
        at_most("sandbox", "one test alone, fast mode", one, "ms", 5),
        at_most("sandbox", "container ready", first, "ms", 300),
        Figure("sandbox", "a fresh interpreter per test", _interpreters(cases[:_INTERPRETERS]), "1/s", floor=floor[0],
               floor_name=_BARE),
        *others,
    ]  # fmt: skip


def processor(rates: Rates, row: str) -> list[Figure]:
    """Return what a test costs of the processors: unlike rates, this tells the same on a busy machine."""
    return [
        Figure(row, f"processor for a test, {name}", rate.processor_ms, "ms", floor=rates.floor.processor_ms,
               floor_name=_BARE)
        for name, rate in (("fast mode", rates.fast), ("judged", rates.judged))
        if rate.processor_ms is not None
    ]  # fmt: skip


def made_cases(many: int) -> list[Case]:
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


def _interpreters(cases: Sequence[Case]) -> float:
    def run(case: Case) -> None:
        subprocess.run([sys.executable, "-I", "-c", "\n".join(case)], check=True, capture_output=True)

    start = time.perf_counter()
    with ThreadPoolExecutor(_CORES) as executor:
        list(executor.map(run, cases))
    return len(cases) / (time.perf_counter() - start)
