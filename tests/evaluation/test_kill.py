"""Killed in the middle and resumed, and again: nothing lost, nothing doubled, nothing on disk asked again."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import pytest

from tests.evaluation import kill_run
from tests.llm.server import Server, in_turn, running
from tests.processes import kill_at

ITEMS, SAMPLES, CONCURRENCY = 80, 5, 16
ALL = ITEMS * SAMPLES
FAULTS = ("429", "503", "reset", "malformed", "broken")


def stored(path: Path) -> dict[str, tuple[str, int]]:
    if not path.exists():
        return {}
    with sqlite3.connect(path) as db:
        try:
            return {
                digest: (item, sample) for item, sample, digest in db.execute("SELECT item, sample, hash FROM response")
            }
        except sqlite3.OperationalError:
            return {}


@pytest.mark.slow
@pytest.mark.parametrize("kills", [2, 3])
def test_kills_and_resumes(tmp_path: Path, capsys: pytest.CaptureFixture[str], kills: int) -> None:
    path = tmp_path / "run.db"
    server = Server(in_turn(FAULTS, 10), delay_s=0.02)
    with running(server):
        argv = [sys.executable, "-m", "tests.evaluation.kill_run", server.url, str(path), str(ITEMS), str(SAMPLES)]
        for kill in range(1, kills + 1):
            kill_at(argv, lambda: len(stored(path)), kill * ALL // 5)
            # What is on disk now must never be asked again: remember how often each was asked so far.
            before = {digest: server.counts.attempts[digest] for digest in stored(path)}
            check(server, before)
            remembered = before
        kill_run.main(server.url, str(path), ITEMS, SAMPLES)
        check(server, remembered)
    assert capsys.readouterr().out.startswith("done")
    with sqlite3.connect(path) as db:
        for table in ("response", "score"):
            assert db.execute(f"SELECT count(*), count(DISTINCT item || '/' || sample) FROM {table}").fetchone() == (
                ALL,
                ALL,
            )
    counts = server.counts
    assert len(counts.attempts) == ALL
    twice = [digest for digest, number in counts.answered.items() if number > 1]
    print(f"answered twice after {kills} kills: {len(twice)} of {ALL}")
    assert len(twice) <= kills * CONCURRENCY, "only what was on the wire when the process was killed"


def check(server: Server, before: dict[str, int]) -> None:
    assert all(server.counts.attempts[digest] == number for digest, number in before.items())
