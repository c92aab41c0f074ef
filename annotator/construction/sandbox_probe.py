"""Run tasks of the probe (resources/construction/probe.py) in the sandbox, one job each.

The probe makes and proves items. It trusts the code that it runs. Models' answers are graded by judged jobs instead,
which do not trust the code (program_grades.py).
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any

from annotator.base.errors import MissingEnvironmentError
from annotator.base.resources import resource_path
from annotator.construction.task_material import PYTHON, ConstructionError, Material, Matrix, TestOutcome
from annotator.sandbox import LIBRARY_MISSING, Job, JobResult, Limits, Runner, TestResult
from annotator.sandbox.python_tests import inspect_tests
from annotator.sandbox.sandbox_jobs import Mode

BASE_LIMIT_S = 2.0
LIMIT_FACTOR = 10.0
_TEST_TIMEOUT_LIMIT = 2
"""Number of timeouts after which all remaining tests count as timed out."""
CALL_PATIENCE = 8
"""Number of timeouts after which all remaining calls count as timed out."""
_PROBE_MODULES = ("probe", "common", "programs", "values")
_WALL_S = 60.0
MEMORY_MB = 1024
"""The same as for scored answers, because a proof alternates between both and a supervisor has a single limit."""
_RUN_PROBE = "import annotator_probe\nannotator_probe.main()\n"
_RUN_PROBE_FRESH = (
    "import os, sys\nos.environ['PYTHONHASHSEED'] = {seed!r}\n"
    "os.execv(sys.executable, [sys.executable, '-B', 'annotator_probe.py'])\n"
)


@dataclass(frozen=True, slots=True)
class PendingProbe:
    """A probe task in progress."""

    future: Future[JobResult]
    nonce: str

    def answer(self) -> dict[str, Any]:
        """Wait for the probe's answer; ``load`` says why there is none.

        Raises `MissingEnvironmentError` if the sandbox itself failed.
        """
        job_result = self.future.result()
        if job_result.outcome == "machinery":
            raise MissingEnvironmentError(f"The sandbox failed: {job_result.message} No item was created; try again.")
        for line in job_result.stdout.splitlines():
            if line.startswith(self.nonce):
                reply: dict[str, Any] = json.loads(line.removeprefix(self.nonce))
                return reply
        return {"load": f"{job_result.outcome}: {job_result.message}", "outcome": job_result.outcome}


def start_probe(
    runner: Runner,
    task: Mapping[str, Any],
    *,
    seed: int | None = None,
    wall_s: float = _WALL_S,
    memory_mb: int = MEMORY_MB,
) -> PendingProbe:
    """Start a task of the probe. With a seed it runs in a fresh interpreter with that hash seed."""
    nonce = secrets.token_hex(12)
    code = _RUN_PROBE if seed is None else _RUN_PROBE_FRESH.format(seed=str(seed))
    folder = resource_path("construction")
    files = {f"annotator_{name}.py": (folder / f"{name}.py").read_text(encoding="utf-8") for name in _PROBE_MODULES}
    limits = Limits(wall_s=wall_s, cpu_s=wall_s, kept_kb=8192, output_kb=16384, memory_mb=memory_mb)
    job = Job(
        id="probe", language=PYTHON, code=code, stdin=json.dumps({**task, "nonce": nonce}), files=files, limits=limits
    )
    return PendingProbe(runner.submit(job), nonce)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """How to run tests: with a hash seed (None: the sandbox's own), in an order (0: unchanged), with seconds per test.

    ``record_lines`` returns the executed lines; ``stop_at_failure`` stops at the first failure. In languages other than
    Python, ``controlled`` repeats a passing test with different expected values, which must fail. There every test also
    runs ``runs`` times; its outcome is of the kind `FLAKY` if these differ.
    """

    seed: int | None = None
    order: int = 0
    limit_s: float = BASE_LIMIT_S
    record_lines: bool = False
    stop_at_failure: bool = False
    controlled: bool = False
    runs: int = 1


def start_tests(material: Material, code: str, options: RunOptions, runner: Runner) -> Callable[[], Matrix]:
    """Start all tests of the material on a program and return a function that waits for the outcomes."""
    if material.language != PYTHON or is_collected(material):
        return _start_judged(material, code, options, runner)
    task = {
        "command": "tests",
        "code": code,
        "tests": [test.code for test in material.tests],
        "order": options.order,
        "limit_s": options.limit_s,
        "patience": _TEST_TIMEOUT_LIMIT,
        "lines": options.record_lines,
        "first_failure": options.stop_at_failure,
    }
    wall_s = min(600.0, 10.0 + options.limit_s * 4 * (_TEST_TIMEOUT_LIMIT + 1))
    pending = start_probe(runner, task, seed=options.seed, wall_s=wall_s)

    def read_matrix() -> Matrix:
        answer = pending.answer()
        if answer["load"]:
            return Matrix(load_error=answer["load"])
        tests = {
            test.name: TestOutcome(kind, message, seconds, line)
            for test, (kind, message, seconds, line) in zip(material.tests, answer["tests"], strict=True)
        }
        return Matrix(tests, lines=frozenset(answer["lines"]))

    return read_matrix


def is_collected(material: Material) -> bool:
    """Return whether Python tests are test functions or classes, which the sandbox must collect and call."""
    return material.language == PYTHON and any(inspect_tests(test.code).style != "snippet" for test in material.tests)


def _start_judged(material: Material, code: str, options: RunOptions, runner: Runner) -> Callable[[], Matrix]:
    """Start tests in other languages, and collected tests, each in a run of its own with the program.

    With ``stop_at_failure`` the others wait until the first test has passed, since each is compiled separately.
    """
    seconds = max(options.limit_s, 10.0)
    limits = Limits(wall_s=seconds, cpu_s=seconds, memory_mb=MEMORY_MB)
    tests = material.tests[::-1] if options.order % 2 else material.tests
    other_mode: Mode = "judged" if options.controlled else "fast"
    mode: Mode = "shared" if material.language == PYTHON else other_mode
    job = Job(
        id=material.key,
        language=material.language,
        code=code,
        tests=tests,
        limits=limits,
        mode=mode,
        libraries=material.libraries,
        runs=options.runs,
    )
    first_tests, remaining_tests = (tests[:1], tests[1:]) if options.stop_at_failure else (tests, ())
    future = runner.submit(replace(job, tests=first_tests))

    def read_matrix() -> Matrix:
        matrix = _to_matrix(material, future.result())
        if not remaining_tests or not matrix.all_passed:
            return matrix
        remaining_matrix = _to_matrix(material, runner.submit(replace(job, tests=remaining_tests)).result())
        return replace(remaining_matrix, tests={**matrix.tests, **remaining_matrix.tests})

    return read_matrix


def _to_matrix(material: Material, job_result: JobResult) -> Matrix:
    """Return a job's test outcomes in the material's order, so that runs in different orders can be compared."""
    if job_result.outcome == "machinery" and job_result.message.startswith(LIBRARY_MISSING):
        # Only this material is unusable, so the caller can go on with others.
        raise ConstructionError(f"{material.key} cannot be run: {job_result.message}.")
    if job_result.outcome == "machinery":
        raise MissingEnvironmentError(f"The sandbox failed: {job_result.message} No item was created; try again.")
    if job_result.outcome in ("compile_error", "no_code"):
        return Matrix(load_error=f"{job_result.outcome}: {job_result.message}")
    outcomes = {test.name: _find_outcome(test.name, job_result.tests) for test in material.tests}
    return Matrix({name: outcome for name, outcome in outcomes.items() if outcome is not None})


def _find_outcome(name: str, results: Sequence[TestResult]) -> TestOutcome | None:
    """Return a test's outcome; that of a collected test is the outcome of its first failing part."""
    parts = [item for item in results if item.name == name or item.name.startswith(f"{name}::")]
    if not parts:
        return None
    decisive = next((item for item in parts if item.outcome != "pass"), parts[0])
    return TestOutcome(_failure_kind(decisive.outcome, decisive.message), decisive.message)


def _failure_kind(outcome: str, message: str) -> str:
    if outcome != "fail":
        return outcome
    return "assert" if "assert" in message.lower() else "exception"


def code_fingerprints(codes: Sequence[str], runner: Runner) -> list[str | None]:
    """Return a fingerprint of each Python program's compiled code, None if it does not compile (specification 2.4).

    Equal fingerprints mean the same program.
    """
    answer = start_probe(runner, {"command": "fingerprints", "codes": list(codes)}).answer()
    return [None] * len(codes) if answer["load"] else list(answer["marks"])


def start_python_calls(
    code: str,
    entry: str,
    calls: Sequence[tuple[Sequence[Any], Mapping[str, Any]]],
    runner: Runner,
    *,
    seed: int | None = None,
    frozen: bool = False,
    limit_s: float = BASE_LIMIT_S,
    patience: int = CALL_PATIENCE,
    exhaust: bool = False,
) -> Callable[[], list[dict[str, Any]]]:
    """Start calls with arguments in canonical form, and return a function that waits for the answers.

    The answers are ``{"output": form}``, or ``raises``, ``timeout`` or ``unsupported``; the list is empty if the code
    did not load. Each call may take ``limit_s``. With ``exhaust`` the output of a returned iterator is the list of its
    items.
    """
    task = {
        "command": "calls",
        "code": code,
        "entry": entry,
        "calls": [[list(arguments), list(keywords.items())] for arguments, keywords in calls],
        "frozen": frozen,
        "limit_s": limit_s,
        "patience": patience,
        "drawn": exhaust,
    }
    wall_s = min(600.0, 20.0 + limit_s * 4 * patience)
    pending = start_probe(runner, task, seed=seed, wall_s=wall_s)

    def read_answers() -> list[dict[str, Any]]:
        answer = pending.answer()
        return [] if answer["load"] else list(answer["results"])

    return read_answers


def judged_job(name: str, material: Material, code: str, limit_s: float) -> Job:
    """Return the job that grades an untrusted program by the material's tests, judged from another process."""
    return Job(
        id=name,
        language=material.language,
        code=code,
        tests=material.tests,
        limits=Limits(wall_s=limit_s, cpu_s=limit_s, memory_mb=MEMORY_MB),
    )
