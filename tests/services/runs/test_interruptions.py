"""Ctrl+C and SIGTERM end a run soon, whatever it is doing, and a resume asks nothing twice."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import pytest

from annotator.sandbox.sandbox_places import DockerPlace
from tests.forked_commands import ForkedCommand
from tests.llm.batch_desk import BatchDesk
from tests.llm.server import Server, no_faults, running
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
