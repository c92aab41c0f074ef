"""The mode of an item's tests: in a process of their own or in the answer's.

It is determined when the item is proven and stored with it, so answers cannot affect it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, overload

from annotator.sandbox.languages import PYTHON, find_language
from annotator.sandbox.python_tests import inspect_tests
from annotator.sandbox.sandbox_jobs import FAIL, PASS, UNSETTLED, Job, JobResult, Runner
from annotator.sandbox.units import ONE_PROGRAM

ModeName = Literal["judged", "shared"]
_MODE_NAMES: tuple[ModeName, ...] = ("judged", "shared")
ONE_PROCESS_ONLY = "a right answer passes only in one process with its tests"
_SHARED_MODES = ("shared", "fast")
"""Modes that older items of repositories name themselves (``extra.sandbox_mode``), from before proofs determined it."""


@dataclass(frozen=True, slots=True)
class ItemMode:
    """*judged*: tests run in a process of their own; *shared*: in the answer's process, for the ``reason``.

    ``forced``: the text of the tests allows *judged*, but in a proof correct answers failed that way.
    """

    name: ModeName
    reason: str = ""
    forced: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the record that proofs and released items store."""
        return asdict(self)


def read_mode(record: object) -> ItemMode | None:
    """Return the mode stored in a proof or an item; None if there is none."""
    if not isinstance(record, Mapping) or record.get("name") not in _MODE_NAMES:
        return None
    name: ModeName = "shared" if record["name"] == "shared" else "judged"
    return ItemMode(name, str(record.get("reason") or ""), bool(record.get("forced")))


def is_shared(item: Mapping[str, Any]) -> bool:
    """Return whether all tests of an item run in one process with the answer, whatever their style."""
    mode, extra = read_mode(item.get("mode")), item.get("extra")
    is_requested = isinstance(extra, Mapping) and extra.get("sandbox_mode") in _SHARED_MODES
    return is_requested or (mode is not None and mode.forced)


def find_mode(jobs: Sequence[Job], runner: Runner) -> ItemMode | None:
    """Determine the mode of an item with jobs that run correct answers; None if their results do not decide it.

    If correct answers fail in *judged* mode and pass in *shared* mode, the mode is *shared* and ``forced``.
    """
    if not jobs:
        return None
    shared_reason = next((reason for reason in map(_shared_process_reason, jobs) if reason), "")
    if shared_reason:
        return ItemMode("shared", shared_reason)
    results = _run(jobs, runner)
    # Why verdicts are weaker than in judged mode.
    weaker = next((result.weaker for result in results if result.weaker), "")
    if all(result.outcome == PASS for result in results):
        return ItemMode("shared", weaker) if weaker else ItemMode("judged")
    if all(result.outcome in (PASS, FAIL, *UNSETTLED) for result in results):
        together = _run([replace(job, mode="shared") for job in jobs], runner)
        if all(result.outcome == PASS for result in together):
            return ItemMode("shared", ONE_PROCESS_ONLY, forced=True)
    return None


def without_controls(job: Job) -> Job:
    """Return a job whose passes are accepted without control runs; for programs whose first run had them.

    Python jobs are returned unchanged: their mode says which process the tests run in.
    """
    return job if find_language(job.language).name == PYTHON else replace(job, mode="fast")


def _run(jobs: Sequence[Job], runner: Runner) -> list[JobResult]:
    return [future.result() for future in [runner.submit(job) for job in jobs]]


def _shared_process_reason(job: Job) -> str:
    """Return why the text of a job's tests needs one process with the code; empty if it does not."""
    if find_language(job.language).name != PYTHON:
        return ONE_PROGRAM
    return next(
        (reason for reason in (inspect_tests(test.code).same_process for test in job.tests or ()) if reason), ""
    )


@dataclass(frozen=True)
class _SharedProcessRunner:
    """A runner whose jobs share a process with their tests."""

    runner: Runner

    def submit(self, job: Job) -> Future[JobResult]:
        return self.runner.submit(replace(job, mode="shared") if job.tests else job)


@overload
def runner_in_one_process(runner: Runner, *, shared: bool) -> Runner: ...
@overload
def runner_in_one_process(runner: Runner | None, *, shared: bool) -> Runner | None: ...
def runner_in_one_process(runner: Runner | None, *, shared: bool) -> Runner | None:
    """Return a runner whose jobs share a process with their tests if ``shared``, else the same runner."""
    return _SharedProcessRunner(runner) if runner is not None and shared else runner
