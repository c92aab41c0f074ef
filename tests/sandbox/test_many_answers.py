"""A run over many answers, one in ten of them an attack: it ends by itself, each with its outcome."""

from __future__ import annotations

import pytest

from annotator.sandbox import Job, Limits, Pool, TestCode
from annotator.sandbox.sandbox_jobs import MACHINERY
from tests.sandbox.answer_pairs import load_answers
from tests.sandbox.attacks import ADD, ATTACKS, HONEST

LIMITS = Limits(wall_s=5.0, cpu_s=5.0, memory_mb=256, output_kb=256)

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]


def _hostile(count: int) -> list[tuple[str, str]]:
    """Return the code and test of ``count`` attacks: those on the engine and those that lie."""
    found = [(item.code, item.test) for item in ATTACKS if item.language == "python"] + list(
        load_answers("cheating").values()
    )
    step = max(1, len(found) // count)
    chosen = found[::step][:count]
    return chosen + found[: count - len(chosen)]


@pytest.mark.parametrize(("answers", "attacked"), [(60, 6), (500, 50)])
def test_every_answer_of_a_run_gets_its_outcome(pool: Pool, answers: int, attacked: int) -> None:
    hostile, every = _hostile(attacked), answers // attacked
    jobs, wanted = [], []
    for at in range(answers):
        attacks = at % every == every - 1
        code, test = hostile[at // every] if attacks else (HONEST, ADD)
        jobs.append(Job(id=str(at), language="python", code=code, tests=(TestCode("t", test),), limits=LIMITS))
        wanted.append(attacks)
    results = list(pool.run(jobs))
    assert [result.id for result in results] == [job.id for job in jobs]
    honest = [result.outcome for result, attacks in zip(results, wanted, strict=True) if not attacks]
    assert honest == ["pass"] * (answers - attacked)
    suspects = [result for result, attacks in zip(results, wanted, strict=True) if attacks]
    assert [item for item in suspects if item.outcome in ("pass", MACHINERY)] == []
