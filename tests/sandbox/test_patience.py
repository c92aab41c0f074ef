"""A job's time on a machine that is busy with other things: waiting for a processor is not the answer's fault."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from annotator.base.resources import resource_path
from annotator.sandbox import Job, Limits, Pool, TestCode
from annotator.sandbox.sandbox_places import LocalPlace

WORKING = "import time\ndef f():\n    while time.process_time() < {}:\n        pass\n    return 1\n"
PROGRAM = "function f() {{ for (;;) {{ const t = process.cpuUsage(); if (t.user + t.system > {}e6) return 1 }} }}\n"


SLEEPS = {"slow": 20, "quick": 0, "last": 0}


@pytest.fixture
def patience() -> Iterator[Any]:
    folder = str(resource_path("sandbox", "supervisor"))
    sys.path.insert(0, folder)
    yield importlib.import_module("patience")
    sys.path.remove(folder)
    del sys.modules["patience"]


@contextmanager
def _busy_machine() -> Iterator[None]:
    # Each in a session of its own: systems share processors among sessions first.
    busy = [sys.executable, "-c", "while True: pass"]
    hogs = [subprocess.Popen(busy, start_new_session=True) for _ in range(2 * (os.cpu_count() or 1))]
    try:
        yield
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()


@pytest.mark.parametrize(
    ("elapsed", "ran", "waited", "left"),
    [
        (9, 0, 9, 1),  # not yet
        (10, 10, 0, 0),  # it ran all the time
        (10, 0, 0, 0),  # it slept
        (10, 3, 7, 7),
        (25, 10, 15, 0),
        (30, 5, 24, 4),
        (10, 20, 200, 0),  # its own processes wait for each other
        (39, 1, 38, 1),
        (40, 0, 40, 0),  # four times the limit
    ],
)
def test_waiting_for_a_processor_is_not_a_jobs_time(
    patience: Any, monkeypatch: pytest.MonkeyPatch, elapsed: float, ran: float, waited: float, left: float
) -> None:
    clock = patience.Clock(10, 4, alone=True)
    monkeypatch.setattr(clock, "elapsed", lambda: elapsed)
    monkeypatch.setattr(patience, "processor_seconds", lambda processes: (ran, waited))
    assert clock.left() == pytest.approx(left)


def test_what_processes_that_ended_had_waited_is_not_forgotten(patience: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = patience.Clock(10, 4, alone=True)
    # A compiler, then a linker: the first is gone when the time is up, and so is what it waited.
    for elapsed, seen in ((1, (0.2, 0.8)), (8, (1, 7)), (8.1, None), (9, (0.1, 0.8)), (9.9, (0.2, 1.6))):
        monkeypatch.setattr(clock, "elapsed", lambda now=elapsed: now)
        monkeypatch.setattr(patience, "processor_seconds", lambda _, now=seen: now)
        assert clock.left() == pytest.approx(10 - elapsed)
    monkeypatch.setattr(clock, "elapsed", lambda: 10)
    monkeypatch.setattr(patience, "processor_seconds", lambda _: (0.2, 1.7))
    # Of the linker's 1.7 seconds, the .8 until the look that missed the compiler count as the job's.
    assert clock.left() == pytest.approx(7 + 1.7 - 0.8)
    monkeypatch.setattr(clock, "elapsed", lambda: 30)
    monkeypatch.setattr(patience, "processor_seconds", lambda _: (0.3, 1.7))
    assert not clock.left()


def test_without_a_container_of_its_own_a_job_has_its_limit(patience: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = patience.Clock(10, 4, alone=False)
    monkeypatch.setattr(clock, "elapsed", lambda: 10)
    monkeypatch.setattr(patience, "processor_seconds", lambda processes: (0.0, 10.0))
    assert clock.left() == 0


def test_the_kernel_tells_how_long_processes_ran(patience: Any) -> None:
    if not os.path.exists("/proc/self/schedstat"):
        pytest.skip("this kernel does not tell how long a process ran")
    before, _ = patience.processor_seconds([str(os.getpid())])
    until = time.process_time() + 0.3
    while time.process_time() < until:
        pass
    after, waited = patience.processor_seconds([str(os.getpid())])
    assert after - before > 0.25
    assert waited >= 0


@pytest.mark.sandbox
@pytest.mark.slow
def test_a_right_answer_passes_on_a_busy_machine_and_an_endless_one_ends(pool: Pool) -> None:
    if os.getloadavg()[0] > 2 * (os.cpu_count() or 1):
        pytest.skip("this machine is so busy already that a job may wait longer than it is given")
    limits = Limits(wall_s=2.0, cpu_s=4.0)
    python, script = (TestCode("t", "assert f() == 1"),), (TestCode("t", "if (f() !== 1) throw new Error()"),)
    jobs = [
        Job(id="python", language="python", code=WORKING.format(1.3), tests=python, limits=limits),
        Job(id="javascript", language="javascript", code=PROGRAM.format(0.9), tests=script, limits=limits),
        Job(id="endless", language="python", code=WORKING.format(99), tests=python, limits=limits),
        Job(
            id="asleep",
            language="python",
            code="import time\ndef f():\n    time.sleep(99)\n",
            tests=python,
            limits=limits,
        ),
    ]
    with _busy_machine():
        found = {result.id: result for result in pool.run(jobs)}
    outcomes = {name: result.outcome for name, result in found.items()}
    assert outcomes == {"python": "pass", "javascript": "pass", "endless": "timeout", "asleep": "timeout"}
    assert found["python"].wall_s > limits.wall_s
    # When exactly they end is told above: here the supervisor waits for a processor too, and nobody knows how long.
    assert found["endless"].cpu_s < limits.cpu_s
    assert found["asleep"].cpu_s < limits.wall_s / 2


@pytest.mark.sandbox
@pytest.mark.parametrize(("last", "outcome"), [("assert False, 'wrong'", "fail"), ("assert True", "pass")])
def test_a_process_that_is_slow_to_leave_has_not_crashed(pool: Pool, last: str, outcome: str) -> None:
    answer = """
import os, signal, threading
def f():
    threading.Timer(1, os.kill, (os.getpid(), signal.SIGSTOP)).start()
    return 1
"""
    test = f"assert f() == 1\nimport time\ntime.sleep(2)\n{last}\n"
    (result,) = pool.run([Job(id="x", language="python", code=answer, tests=(TestCode("t", test),))])
    assert (result.outcome, result.tests[0].outcome) == (outcome, outcome), result.message


def test_nothing_waits_behind_a_job_that_may_take_long() -> None:
    limits = Limits(wall_s=200, cpu_s=200)
    jobs = [
        Job(id=name, language="python", code=f"import time\ntime.sleep({seconds})", limits=limits)
        for name, seconds in SLEEPS.items()
    ]
    with Pool(LocalPlace(), 2) as pool:
        slow, quick, last = (pool.submit(job) for job in jobs)
        assert (quick.result().outcome, last.result().outcome) == ("pass", "pass")
        assert not slow.done()


def test_an_alarm_that_cannot_end_a_function_of_the_tests_is_disputed(local: Pool) -> None:
    code = """
import signal
class Late(Exception): pass
def guarded(work, seconds):
    def ring(*_): raise Late()
    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try: return work()
    finally: signal.setitimer(signal.ITIMER_REAL, 0)
"""
    test = """
import time
def forever():
    while True: time.sleep(0.01)
try: guarded(forever, 0.1)
except Late: pass
else: raise AssertionError
assert guarded(lambda: 5, 1) == 5
"""
    limits = Limits(wall_s=3, cpu_s=3)
    job = Job(id="x", language="python", code=code, tests=(TestCode("t", test),), limits=limits)
    assert local.submit(job).result(60).outcome == "disputed"
    never = replace(job, code=code.replace("raise Late()", "pass"))
    assert local.submit(never).result(60).outcome == "timeout"
