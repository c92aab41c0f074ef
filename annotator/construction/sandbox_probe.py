"""Ask the sandbox: one job per question, answered by the probe (resources/construction/probe.py).

The probe serves the making and the proof of items, on code that has no reason to deceive. Answers of models are graded
by judged jobs, which do not trust the code (grading.py).
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any

from annotator.base.errors import MissingEnvironmentError
from annotator.base.resources import resource
from annotator.construction.material import PYTHON, ConstructionError, Material, Matrix, TestOutcome
from annotator.sandbox import LIBRARY_MISSING, Job, JobResult, Limits, Runner, TestResult
from annotator.sandbox.python_tests import look
from annotator.sandbox.work import Mode

BASE_LIMIT_S = 2.0
LIMIT_FACTOR = 10.0
_PATIENCE = 2
PATIENCE = 8
"""So many calls that do not end are waited for; what is called after them counts as one of them."""
_PARTS = ("probe", "common", "programs", "values")
_WALL_S = 60.0
MEMORY_MB = 1024
"""As answers that are scored: a proof does both in turn, and supervisors serve one limit."""
_HERE = "import annotator_probe\nannotator_probe.main()\n"
_FRESH = (
    "import os, sys\nos.environ['PYTHONHASHSEED'] = {seed!r}\n"
    "os.execv(sys.executable, [sys.executable, '-B', 'annotator_probe.py'])\n"
)


@dataclass(frozen=True, slots=True)
class Pending:
    """An answer on its way."""

    future: Future[JobResult]
    nonce: str

    def answer(self) -> dict[str, Any]:
        """Return the probe's answer; ``load`` says why there is none.

        Raises `MissingEnvironmentError` where the sandbox itself failed.
        """
        done = self.future.result()
        if done.outcome == "machinery":
            raise MissingEnvironmentError(f"The sandbox failed: {done.message} Nothing was made; try again.")
        for line in done.stdout.splitlines():
            if line.startswith(self.nonce):
                found: dict[str, Any] = json.loads(line.removeprefix(self.nonce))
                return found
        return {"load": f"{done.outcome}: {done.message}", "outcome": done.outcome}


def ask(
    runner: Runner,
    task: Mapping[str, Any],
    *,
    seed: int | None = None,
    wall_s: float = _WALL_S,
    memory_mb: int = MEMORY_MB,
) -> Pending:
    """Start a task of the probe. With a seed it runs in a fresh interpreter with that hash seed."""

    nonce = secrets.token_hex(12)
    code = _HERE if seed is None else _FRESH.format(seed=str(seed))
    folder = resource("construction")
    files = {f"annotator_{name}.py": (folder / f"{name}.py").read_text(encoding="utf-8") for name in _PARTS}
    limits = Limits(wall_s=wall_s, cpu_s=wall_s, kept_kb=8192, output_kb=16384, memory_mb=memory_mb)
    job = Job(
        id="probe", language=PYTHON, code=code, stdin=json.dumps({**task, "nonce": nonce}), files=files, limits=limits
    )
    return Pending(runner.submit(job), nonce)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """How tests are run: hash seed (None: the sandbox's own), order (0: as given), seconds per test, lines wanted, and
    whether the first failure is enough.

    In other languages than Python, a ``controlled`` test that passes is run once more expecting other values.
    """

    seed: int | None = None
    order: int = 0
    limit_s: float = BASE_LIMIT_S
    lines: bool = False
    first_failure: bool = False
    controlled: bool = False


def start_tests(material: Material, code: str, run: Run, runner: Runner) -> Callable[[], Matrix]:
    """Start all tests of the material on a program; call what is returned for the matrix."""
    if material.language != PYTHON or is_collected(material):
        return _start_judged(material, code, run, runner)
    task = {
        "command": "tests",
        "code": code,
        "tests": [test.code for test in material.tests],
        "order": run.order,
        "limit_s": run.limit_s,
        "patience": _PATIENCE,
        "lines": run.lines,
        "first_failure": run.first_failure,
    }
    wall = min(600.0, 10.0 + run.limit_s * 4 * (_PATIENCE + 1))
    pending = ask(runner, task, seed=run.seed, wall_s=wall)

    def read() -> Matrix:
        answer = pending.answer()
        if answer["load"]:
            return Matrix(load_error=answer["load"])
        tests = {
            test.name: TestOutcome(kind, message, seconds, line)
            for test, (kind, message, seconds, line) in zip(material.tests, answer["tests"], strict=True)
        }
        return Matrix(tests, lines=frozenset(answer["lines"]))

    return read


def is_collected(material: Material) -> bool:
    """Tell whether tests of Python are test functions or classes that somebody must find and call: the sandbox does."""
    return material.language == PYTHON and any(look(test.code).style != "snippet" for test in material.tests)


def _start_judged(material: Material, code: str, run: Run, runner: Runner) -> Callable[[], Matrix]:
    """Other languages, and tests that are collected: each is run with the program on its own.

    Where only the first failure is asked for, the others wait until the first test has passed: each is compiled anew.
    """
    seconds = max(run.limit_s, 10.0)
    limits = Limits(wall_s=seconds, cpu_s=seconds, memory_mb=MEMORY_MB)
    tests = material.tests[::-1] if run.order % 2 else material.tests
    other: Mode = "judged" if run.controlled else "fast"
    mode: Mode = "shared" if material.language == PYTHON else other
    job = Job(
        id=material.key,
        language=material.language,
        code=code,
        tests=tests,
        limits=limits,
        mode=mode,
        libraries=material.libraries,
    )
    first, rest = (tests[:1], tests[1:]) if run.first_failure else (tests, ())
    future = runner.submit(replace(job, tests=first))

    def read() -> Matrix:
        matrix = _matrix_of(material, future.result())
        if not rest or not matrix.whole:
            return matrix
        others = _matrix_of(material, runner.submit(replace(job, tests=rest)).result())
        return replace(others, tests={**matrix.tests, **others.tests})

    return read


def _matrix_of(material: Material, done: JobResult) -> Matrix:
    """Return what a job says of the tests it ran, in the material's order: runs in other orders are compared."""
    if done.outcome == "machinery" and done.message.startswith(LIBRARY_MISSING):
        # Only this material cannot be used: the work on others goes on.
        raise ConstructionError(f"{material.key} cannot be run: {done.message}.")
    if done.outcome == "machinery":
        raise MissingEnvironmentError(f"The sandbox failed: {done.message} Nothing was made; try again.")
    if done.outcome in ("compile_error", "no_code"):
        return Matrix(load_error=f"{done.outcome}: {done.message}")
    told = {test.name: _outcome_of(test.name, done.tests) for test in material.tests}
    return Matrix({name: outcome for name, outcome in told.items() if outcome is not None})


def _outcome_of(name: str, results: Sequence[TestResult]) -> TestOutcome | None:
    """Return what came of a test: of one that is collected, its first part that failed."""
    parts = [item for item in results if item.name == name or item.name.startswith(f"{name}::")]
    if not parts:
        return None
    chosen = next((item for item in parts if item.outcome != "pass"), parts[0])
    return TestOutcome(_kind(chosen.outcome, chosen.message), chosen.message)


def _kind(outcome: str, message: str) -> str:
    if outcome != "fail":
        return outcome
    return "assert" if "assert" in message.lower() else "exception"


def fingerprints(codes: Sequence[str], runner: Runner) -> list[str | None]:
    """Return a mark of each Python program's compiled code (equal marks: the same program), None if it does not
    compile (specification 2.4)."""
    answer = ask(runner, {"command": "fingerprints", "codes": list(codes)}).answer()
    return [None] * len(codes) if answer["load"] else list(answer["marks"])


def start_calls(
    code: str,
    entry: str,
    calls: Sequence[tuple[Sequence[Any], Mapping[str, Any]]],
    runner: Runner,
    *,
    seed: int | None = None,
    frozen: bool = False,
    limit_s: float = BASE_LIMIT_S,
    patience: int = PATIENCE,
    drawn: bool = False,
) -> Callable[[], list[dict[str, Any]]]:
    """Start calls with canonical arguments, ``limit_s`` for each. The answers are ``{"output": form}``, or ``raises``,
    ``timeout`` or ``unsupported``; an empty list says that the code did not load. Of an iterator the output is what
    it yields, as a list, if it is to be ``drawn``."""
    task = {
        "command": "calls",
        "code": code,
        "entry": entry,
        "calls": [[list(arguments), list(keywords.items())] for arguments, keywords in calls],
        "frozen": frozen,
        "limit_s": limit_s,
        "patience": patience,
        "drawn": drawn,
    }
    wall = min(600.0, 20.0 + limit_s * 4 * patience)
    pending = ask(runner, task, seed=seed, wall_s=wall)

    def read() -> list[dict[str, Any]]:
        answer = pending.answer()
        return [] if answer["load"] else list(answer["results"])

    return read


def judged_job(name: str, material: Material, code: str, limit_s: float) -> Job:
    """Return the job that grades somebody's program by the material's tests, judged from another process."""

    return Job(
        id=name,
        language=material.language,
        code=code,
        tests=material.tests,
        limits=Limits(wall_s=limit_s, cpu_s=limit_s, memory_mb=MEMORY_MB),
    )
