"""Killed three times in the middle and resumed: nothing lost, nothing doubled, nothing on disk asked again."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.llm.server import Server, in_turn, running

ROOT = Path(__file__).parents[2]
ITEMS, SAMPLES, CONCURRENCY = 500, 5, 16
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
def test_three_kills_and_resumes(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    server = Server(in_turn(FAULTS, 25), delay_s=0.02)
    with running(server):
        argv = [sys.executable, "-m", "tests.evaluation.kill_run", server.url, str(path), str(ITEMS), str(SAMPLES)]
        for kill in range(1, 4):
            process = subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.DEVNULL)
            deadline = time.monotonic() + 60
            while len(stored(path)) < kill * 500:
                assert process.poll() is None and time.monotonic() < deadline
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            process.wait()
            time.sleep(0.3)
            # What is on disk now must never be asked again: remember how often each was asked so far.
            before = {digest: server.counts.attempts[digest] for digest in stored(path)}
            check(server, before)
            remembered = before
        done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=True, timeout=120)
        check(server, remembered)
    assert done.stdout.startswith("done")
    with sqlite3.connect(path) as db:
        for table in ("response", "score"):
            assert db.execute(f"SELECT count(*), count(DISTINCT item || '/' || sample) FROM {table}").fetchone() == (
                2500,
                2500,
            )
    counts = server.counts
    assert len(counts.attempts) == 2500
    twice = [digest for digest, number in counts.answered.items() if number > 1]
    print(f"answered twice after three kills: {len(twice)} of 2500")
    assert len(twice) <= 3 * CONCURRENCY, "only what was on the wire when the process was killed"


def check(server: Server, before: dict[str, int]) -> None:
    assert all(server.counts.attempts[digest] == number for digest, number in before.items())
