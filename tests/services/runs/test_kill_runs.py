"""The real command, killed three times in the middle and resumed: every response exactly once."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from annotator.services.project import projects
from annotator.services.runs import run_list
from tests.forked_commands import ForkedCommand
from tests.llm.server import Server, in_turn, running
from tests.processes import ROOT
from tests.services.runs.conftest import build_project, resume_only_run

ITEMS, SAMPLES, CONCURRENCY = 80, 5, 16
ALL = ITEMS * SAMPLES
JOBS = 4
FAULTS = ("429", "429:1", "500", "503", "slow:0.5", "broken", "malformed", "html", "reset")


def stored(path: Path) -> set[str]:
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        return {row[0] for row in db.execute("SELECT request_hash FROM response WHERE run_id IS NOT NULL")}


@pytest.mark.slow
def test_three_kills_and_resumes(tmp_path: Path) -> None:
    path = tmp_path / "p.annotator"
    build_project(path, ITEMS)
    # Faults, a share of them at each request's first attempt, and a few stalls of 30 s that the client must notice.
    faults = in_turn(FAULTS, 25)
    server = Server(
        lambda key, attempt: "stall:30" if attempt == 1 and key.startswith("ab") else faults(key, attempt), delay_s=0.02
    )
    with running(server):
        start = [
            "start", str(path), "--model", "m", "--base-url", server.url, "--samples", str(SAMPLES), "--jobs",
            str(CONCURRENCY), "--timeout", "5",
        ]  # fmt: skip
        for kill in range(1, 4):
            with ForkedCommand("run", *start) as command:
                command.wait_until(lambda least=kill * ALL // 5: len(stored(path)) >= least)
                command.kill()
            # What was on the wire still comes to the server.
            time.sleep(0.5)
            before = {digest: server.counts.attempts[digest] for digest in stored(path)}
            start = ["resume", str(path), "--json"]
        row = resume_only_run(path)
        # What was on disk at the last kill was not asked again.
        assert all(server.counts.attempts[digest] == number for digest, number in before.items())
    assert (row.state, row.answered, row.done, row.failures) == ("done", ALL, ALL, {})
    with sqlite3.connect(path) as db:
        each = (
            "SELECT count(*), count(DISTINCT subject_id || '/' || sample), count(DISTINCT request_hash) FROM response"
        )
        assert db.execute(each).fetchone() == (ALL, ALL, ALL)
        assert db.execute("SELECT count(*) FROM score").fetchone() == (ALL,)
        # Every text is the one the server gave to that very request.
        query = (
            "SELECT r.text, r.request_hash, q.body FROM response r JOIN question q ON q.content_hash = r.question_hash"
        )
        for text, digest, body in db.execute(query):
            asked = json.loads(body)["messages"][-1]["content"]
            assert text == f"answer to {asked[:40]} [{digest[:8]}]"
    twice = [digest for digest, number in server.counts.answered.items() if number > 1]
    print(f"answered twice after three kills: {len(twice)} of {ALL}")
    assert len(server.counts.attempts) == ALL
    assert len(twice) <= 3 * CONCURRENCY, "only what was on the wire when the process was killed"


@pytest.mark.slow
def test_an_interrupted_run_ends_with_5_and_keeps_what_was_on_the_wire(tmp_path: Path) -> None:
    path = tmp_path / "p.annotator"
    build_project(path, 100)
    server = Server(delay_s=0.05)
    with running(server):
        argv = [sys.executable, "-m", "annotator", "run"]
        start = ["start", str(path), "--model", "m", "--base-url", server.url, "--samples", "20", "--jobs", str(JOBS)]
        for stop in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen(
                [*argv, *start], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
            )
            had = len(stored(path))
            while len(stored(path)) < had + 50:
                assert process.poll() is None
                time.sleep(0.01)
            process.send_signal(stop)
            _, said = process.communicate(timeout=300)
            assert process.returncode == 5, said
            assert "'annotator run resume' continues" in said
            # Everything the server answered is on disk: nothing was paid for and lost. A machine that does much else
            # may not bring in what is on the wire before it is cut off.
            lost = len(server.counts.answered) - len(stored(path))
            assert 0 <= lost <= (0 if os.environ.get("ANNOTATOR_QUIET") else JOBS)
            start = ["resume", str(path)]
    store = projects.open_project(path)
    [row] = run_list.list_runs(store)
    store.close()
    assert row.state == "stopped" and row.reason.startswith("Interrupted")
    twice = sum(number > 1 for number in server.counts.answered.values())
    assert twice <= (0 if os.environ.get("ANNOTATOR_QUIET") else JOBS), "only what was cut off is asked again"
