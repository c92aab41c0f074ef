"""A run over many answers, one in ten of them an attack: it ends by itself, each with its outcome."""

from __future__ import annotations

import os

import pytest

from annotator.sandbox import Job, Limits, Pool, TestCode
from annotator.sandbox.work import MACHINERY
from tests.sandbox.answer_pairs import load_answers
from tests.sandbox.attacks import ADD, ATTACKS, HONEST

WHOLE = bool(os.environ.get("ANNOTATOR_LONG"))
ANSWERS, HOSTILE = (500, 50) if WHOLE else (60, 6)
LIMITS = Limits(wall_s=5.0, cpu_s=5.0, memory_mb=256, output_kb=256)

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]


def _hostile() -> list[tuple[str, str]]:
    """Return code and test of as many attacks as are wanted, ours on the engine and those that lie."""
    found = [(item.code, item.test) for item in ATTACKS if item.language == "python"] + list(
        load_answers("cheating").values()
    )
    step = max(1, len(found) // HOSTILE)
    chosen = found[::step][:HOSTILE]
    return chosen + found[: HOSTILE - len(chosen)]


def test_every_answer_of_a_run_gets_its_outcome(pool: Pool) -> None:
    hostile, every = _hostile(), ANSWERS // HOSTILE
    jobs, wanted = [], []
    for at in range(ANSWERS):
        attacks = at % every == every - 1
        code, test = hostile[at // every] if attacks else (HONEST, ADD)
        jobs.append(Job(str(at), "python", code, (TestCode("t", test),), limits=LIMITS))
        wanted.append(attacks)
    results = list(pool.run(jobs))
    assert [result.id for result in results] == [job.id for job in jobs]
    honest = [result.outcome for result, attacks in zip(results, wanted, strict=True) if not attacks]
    assert honest == ["pass"] * (ANSWERS - HOSTILE)
    attacked = [result for result, attacks in zip(results, wanted, strict=True) if attacks]
    assert [item for item in attacked if item.outcome in ("pass", MACHINERY)] == []
