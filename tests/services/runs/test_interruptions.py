"""Ctrl+C, SIGTERM and SIGKILL end a run, whatever it is doing, and a resume asks nothing twice."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import pytest

from annotator.sandbox.sandbox_places import DockerPlace
from annotator.services.project import projects
from annotator.services.runs import run_list
from tests.forked_commands import ForkedCommand
from tests.llm.batch_desk import BatchDesk
from tests.llm.server import Server, in_turn, no_faults, running
from tests.processes import ROOT
from tests.sandbox.endless import BODY, is_endless_running
from tests.services.runs.conftest import build_project, resume_only_run

ITEMS = 30
ENDLESS = f"```python\ndef f():\n{BODY}\n```"
TESTED = "grading:\n  unit_test:\n    tests:\n      - {content: 'assert f() == 1', timeout: 60}\n    lang: python\n"


def limit_s() -> float:
    """Two seconds on a machine that does nothing else; without limits it would be minutes."""
    return 2.0 if os.environ.get("ANNOTATOR_QUIET") else 60.0


@dataclass(frozen=True)
class Moment:
    """What the endpoint does, how it is asked, and when the run is there."""

    fault: str = ""
    probe_fault: str = ""
    options: tuple[str, ...] = ()
    batch: bool = False
    reached: Callable[[Server], bool] = lambda server: server.counts.requests >= 4 or bool(server.counts.faults)


def _polls(server: Server) -> bool:
    return server.batches is not None and sum(server.batches.looked.values()) >= 2


MOMENTS = {
    "waits for an answer": Moment("stall"),
    "waits for a slot": Moment("stall", options=("--jobs", "1"), reached=lambda server: server.counts.open >= 1),
    "reads headers without end": Moment("drip-headers"),
    "reads interim answers without end": Moment("continue"),
    "reads a stream without end": Moment("trickle", options=("--stream",)),
    "reads an answer that drips": Moment("slow:600"),
    "waits to ask again": Moment("503"),
    "waits as it was told": Moment("429:600"),
    "tests the endpoint": Moment(probe_fault="stall", reached=lambda server: server.counts.probes >= 1),
    "polls a batch": Moment(batch=True, options=("--batch",), reached=_polls),
}


def interrupt(words: list[str], reached: Callable[[], bool], sent: signal.Signals) -> tuple[float, str]:
    """Start a run, interrupt it once it is there, and return the seconds until its end and what it wrote."""
    with ForkedCommand(*words) as command:
        command.wait_until(reached)
        time.sleep(0.1)
        command.send(sent)
        started = time.monotonic()
        status = command.wait()
        took = time.monotonic() - started
        assert status == 5, command.err
        assert "'annotator run resume" in command.err, command.err
        print(f"{took:.2f} s")
        return took, command.out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("moment", "sent"), list(zip(MOMENTS.values(), cycle([signal.SIGINT, signal.SIGTERM]), strict=False)), ids=MOMENTS
)
def test_an_interruption_takes_two_seconds_at_most(tmp_path: Path, moment: Moment, sent: signal.Signals) -> None:
    path = tmp_path / "p.annotator"
    build_project(path, ITEMS)
    server = Server(lambda key, attempt: moment.fault)
    server.probe_faults = lambda key, attempt: moment.probe_fault
    server.batches = desk = BatchDesk(looks=10**9) if moment.batch else None
    with running(server):
        words = ["run", "start", str(path), "--model", "m", "--base-url", server.url, "--json", *moment.options]
        took, out = interrupt(words, lambda: moment.reached(server), sent)
        events = [json.loads(line) for line in out.splitlines()]
        assert events[-1]["event"] == "end" and events[-1]["runs"][0]["state"] == "stopped"
        assert took < limit_s(), took
        server.faults = server.probe_faults = no_faults
        if desk is not None:
            desk.looks = 1
        row = resume_only_run(path)
    assert (row.state, row.answered) == ("done", ITEMS)
    once = desk.asked if desk is not None else server.counts.answered
    assert set(once.values()) == {1} and len(once) == ITEMS


@pytest.mark.sandbox
@pytest.mark.slow
@pytest.mark.parametrize(
    ("replayed", "sent"), [(False, signal.SIGTERM), (True, signal.SIGINT)], ids=["asked", "replayed"]
)
def test_an_interruption_while_answers_run_takes_two_seconds_at_most(
    tmp_path: Path, place: DockerPlace, replayed: bool, sent: signal.Signals
) -> None:
    path = tmp_path / "p.annotator"
    build_project(path, 6, TESTED)
    server = Server(reply=lambda body, key: ENDLESS)
    rows = [{"subject": f"q{at:04d}", "model": "m", "sample": 0, "response": ENDLESS} for at in range(6)]
    recorded = tmp_path / "recorded.jsonl"
    recorded.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with running(server):
        how = ["--replay", str(recorded)] if replayed else ["--model", "m", "--base-url", server.url]
        took, out = interrupt(
            ["run", "start", str(path), "--json", *how],
            lambda: (replayed or server.counts.requests == 6) and is_endless_running(place),
            sent,
        )
    end = json.loads(out.splitlines()[-1])
    assert end["event"] == "end" and end["runs"][0]["answered"] == 6, "what was answered is kept"
    assert end["runs"][0]["done"] < 6 and took < limit_s(), took


# The real command, killed three times in the middle and resumed: every response exactly once.
KILL_ITEMS, SAMPLES, CONCURRENCY = 80, 5, 16
ALL = KILL_ITEMS * SAMPLES
JOBS = 4
FAULTS = ("429", "429:1", "500", "503", "slow:0.5", "broken", "malformed", "html", "reset")


def stored(path: Path) -> set[str]:
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        return {row[0] for row in db.execute("SELECT request_hash FROM response WHERE run_id IS NOT NULL")}


@pytest.mark.slow
def test_three_kills_and_resumes(tmp_path: Path) -> None:
    path = tmp_path / "p.annotator"
    build_project(path, KILL_ITEMS)
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
