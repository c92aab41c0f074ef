"""Changed code of right Python answers fails in the mode of its tests where it fails in one process with them.

Run as ``python -m tests.benchmarks.mutants`` with the verdict data beside the project; needs the sandbox's image.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from annotator.construction.bugs.logic import logic_bugs, variable_bugs
from annotator.sandbox import Job, Pool, TestCode
from annotator.sandbox.places import DockerPlace

DATA = Path(__file__).parents[3] / "shared" / "data" / "verdicts-dev" / "python.jsonl"
WANTED, TRIED = 2, 6


def mutants() -> Iterator[Job]:
    """Yield changed code of each right answer with its tests; the id is the answer's and the change's number."""
    with open(DATA, encoding="utf-8") as stream:
        rows = [row for row in map(json.loads, stream) if row["expect"] == "pass" and row.get("tests")]
    for row in rows:
        proposals = [*logic_bugs(row["code"]), *variable_bugs(row["code"])]
        tests = tuple(TestCode(test["name"], test["code"]) for test in row["tests"])
        for number, proposal in enumerate(proposals[:TRIED]):
            yield Job(f"{row['id']}#{number}", "python", proposal.code, tests)


def main() -> int:
    """Run them all; return 1 if one passes that must not."""
    jobs = list(mutants())
    place = DockerPlace()
    with Pool(place) as pool:
        plain = list(pool.run([replace(job, mode="fast") for job in jobs]))
        failing: dict[str, list[Job]] = {}
        for job, result in zip(jobs, plain, strict=True):
            if result.outcome != "pass":
                failing.setdefault(job.id.rpartition("#")[0], []).append(job)
        chosen = [job for found in failing.values() for job in found[:WANTED]]
        judged = list(pool.run(chosen))
    place.close()
    wrong = [(job.id, result.outcome) for job, result in zip(chosen, judged, strict=True) if result.outcome == "pass"]
    answers = sum(len(found) >= WANTED for found in failing.values())
    print(f"{len(jobs)} changes, {len(chosen)} that fail, {answers} answers with two: passed {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
