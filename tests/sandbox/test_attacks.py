"""Hostile code does no harm: its verdict is right, the next job is honest, nothing is left. On the real engine."""

from __future__ import annotations

import pytest

from annotator.sandbox import Job, JobResult, Limits, Pool, TestCode
from tests.sandbox.attacks import ADD, ATTACKS, HONEST, Attack

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]

PROBE = """
import os

def left():
    found = []
    for place in ("/tmp", "/dev/shm", "/dev/mqueue", "/var/tmp"):
        if os.path.isdir(place):
            found += [os.path.join(place, name) for name in os.listdir(place)]
    found = [path for path in found if not path.startswith(os.getcwd())]
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    ours = {1, os.getpid()}
    return found, len([pid for pid in pids if pid not in ours])
"""
# The judge is the one process beside the probe's own and the supervisor; its folder lies beside the probe's.
PROBE_TEST = "found, others = left()\nassert found == [], found\nassert others <= 1, others"


def _run(pool: Pool, attack: Attack, mode: str) -> JobResult:
    limits = Limits(**{"wall_s": 2.0, "cpu_s": 4.0, "memory_mb": 256, **attack.limits})  # type: ignore[arg-type]  # mixed numbers
    job = Job(
        id=attack.name,
        language=attack.language,
        code=attack.code,
        tests=(TestCode("t", attack.test),),
        limits=limits,
        mode=mode,
    )  # type: ignore[arg-type]  # a literal
    return pool.submit(job).result(timeout=120)


def _canary(pool: Pool, language: str) -> None:
    limits = Limits(memory_mb=256)
    honest = pool.submit(
        Job(id="canary", language="python", code=HONEST, tests=(TestCode("t", ADD),), limits=limits)
    ).result(timeout=60)
    assert honest.outcome == "pass", honest
    probe = pool.submit(
        Job(id="probe", language="python", code=PROBE, tests=(TestCode("t", PROBE_TEST),), limits=limits)
    ).result(timeout=60)
    assert probe.outcome == "pass", probe
    assert language


@pytest.mark.parametrize("attack", ATTACKS, ids=[item.name for item in ATTACKS])
def test_judged(pool: Pool, attack: Attack) -> None:
    result = _run(pool, attack, "judged")
    assert result.outcome in attack.outcomes, result
    _canary(pool, attack.language)


FAST = [item for item in ATTACKS if item.language == "python" and item.fast]


@pytest.mark.parametrize("attack", FAST, ids=[item.name for item in FAST])
def test_fast(pool: Pool, attack: Attack) -> None:
    result = _run(pool, attack, "fast")
    assert result.outcome != "pass", result
    assert result.weaker
    _canary(pool, attack.language)
