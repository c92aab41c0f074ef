"""Runs against an endpoint that misbehaves in every way: they end by themselves, and every item has its reason."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.llm.client import RetryPolicy
from annotator.llm.endpoint_errors import is_final_failure
from annotator.llm.requests import Endpoint
from annotator.services.runs import run_control, run_log
from annotator.services.runs.execution import RunLive
from annotator.store.file.project_file import ProjectFile
from tests.llm.server import Server, running
from tests.processes import ROOT, kill_at
from tests.services.runs.conftest import build_project, spec, start_run

KINDS = ("400", "filter", "429:1", "500", "stall", "malformed", "choices", "surrogate", "bomb")
PERMANENT = ("400", "filter", "surrogate")
Serve = Callable[[Server], Server]


def five_percent(key: str, attempt: int) -> str:
    """Each kind of fault meets five requests of a hundred: at every attempt, or at the first alone."""
    number = int(key[:8], 16) % 100
    kind = KINDS[number // 5] if number < 5 * len(KINDS) else ""
    lasts = kind in PERMANENT or int(key[8:10], 16) % 2
    return kind if attempt == 1 or lasts else ""


def places(path: Path) -> tuple[dict[str, str], dict[tuple[str, int], tuple[str, str]]]:
    """Return what is on disk: outcome by request hash, and (cause, reason) of failures by place."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        answers = dict(db.execute("SELECT request_hash, outcome FROM response WHERE run_id IS NOT NULL"))
        failures = db.execute("SELECT subject_id, sample, cause, reason FROM failure")
        return answers, {(subject, sample): (cause, reason) for subject, sample, cause, reason in failures}


def test_every_item_is_answered_or_has_its_reason(
    store: ProjectFile, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "annotator.llm.client.RetryPolicy", lambda: RetryPolicy(attempts=3, first_s=0.05, most_s=0.1, costly=2)
    )
    server = serve(Server(five_percent))
    seen: list[RunLive] = []
    # Long enough for a machine that does much else, or a good answer would be asked for twice.
    quick = Endpoint(base_url=server.url, name="test", read_s=8.0, total_s=25.0, concurrency=16)
    row, _ = start_run(store, spec(server, samples=12, endpoint=quick), watch=seen.append)
    failed = sum(row.failures.values())
    assert row.state == "done" and row.answered + failed == row.expected == 120
    assert 0 < failed < 60 and row.failures.keys() <= {
        "HTTP 400", "HTTP 429", "HTTP 500", "time-out", "malformed answer", "no choices", "answer too large",
    }  # fmt: skip
    assert all(reason for _, reason in places(store.path)[1].values())
    assert max(server.counts.answered.values()) == 1
    assert seen[-1].unreadable > 0 and row.settings["lost"]["count"] == seen[-1].unreadable
    found = {(cause.kind, cause.cause): cause for cause in run_log.failure_causes(store, row.id)}
    assert found["no answer", "HTTP 400"].example.endswith("scripted 400")
    assert found["no solution", "filtered"].example == "content_filter"
    # Once it behaves, a retry completes the run, and asks nobody who has answered.
    answered, attempts = set(places(store.path)[0]), dict(server.counts.attempts)
    server.faults = lambda key, attempt: ""
    row, _ = run_control.retry_failures(store, row.id)
    assert (row.answered, row.failures) == (120, {})
    assert all(server.counts.attempts[digest] == attempts[digest] for digest in answered)


def test_a_resume_leaves_what_was_refused_to_a_person(store: ProjectFile, serve: Serve) -> None:
    """One prompt that is too long, then a key that is withdrawn: a resume asks what is left, a retry the rest."""
    server = serve(Server())

    def faults(key: str, attempt: int) -> str:
        if server.counts.requests > 20:
            return "403"
        return "400" if int(key[:8], 16) % 4 == 0 else ""

    server.faults = faults
    row, _ = start_run(store, spec(server))
    refused = row.failures["HTTP 400"]
    assert row.state == "stopped" and refused > 0
    server.faults = lambda key, attempt: ""
    asked = server.counts.requests
    row, _ = run_control.resume_execution(store, row.id)
    assert (row.state, row.answered, row.failures) == ("done", 30 - refused, {"HTTP 400": refused})
    # The same request would be refused again, so no retry is offered.
    assert "HTTP 400: scripted 400" in row.reason and "etry" not in row.reason
    assert all(is_final_failure(cause) for cause in row.failures)
    assert server.counts.requests - asked <= 30 - refused
    row, _ = run_control.retry_failures(store, row.id)
    assert (row.answered, row.failures) == (30, {})


def test_a_failed_probe_stops_the_run_before_the_first_request(store: ProjectFile, serve: Serve) -> None:
    server = serve(Server())
    server.probe_faults = lambda key, attempt: "404"
    row, _ = start_run(store, spec(server))
    assert row.state == "stopped" and "does not know this address or model" in row.reason
    assert (server.counts.requests, row.failures) == (0, {})
    server.probe_faults = lambda key, attempt: ""
    row, _ = run_control.resume_execution(store, row.id)
    assert (row.state, row.answered) == ("done", 30)
    probes = server.counts.probes
    # Nothing is asked, so nothing is tested.
    start_run(store, spec(server))
    assert server.counts.probes == probes


def test_five_hundred_items_by_three_with_two_kills(tmp_path: Path) -> None:
    path, samples, at_once, timeout = tmp_path / "p.annotator", 3, 16, 2
    build_project(path, 500)
    server = Server(five_percent, delay_s=0.05)
    with running(server):
        base = [sys.executable, "-m", "annotator", "run"]
        argv = [*base, "start", str(path), "--model", "m", "--base-url", server.url, "--samples", str(samples)]
        argv += ["--jobs", str(at_once), "--timeout", str(timeout)]
        for kill in (1, 2):
            kill_at(argv, lambda: len(places(path)[0]), 350 * kill)
            before = {digest: server.counts.attempts[digest] for digest in places(path)[0]}
            argv = [*base, "resume", str(path), "--json"]
        done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr
    assert all(server.counts.attempts[digest] == number for digest, number in before.items())
    answers, failures = places(path)
    assert len(answers) + len(failures) == 500 * samples and all(reason for _, reason in failures.values())
    twice = [digest for digest, number in server.counts.answered.items() if number > 1]
    assert len(twice) <= 2 * at_once, "only what was on the wire when the process was killed"
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines[-1]["event"] == "end" and lines[-1]["runs"][0]["state"] == "done"
    print(f"{len(answers)} answered, {len(failures)} failed, {len(twice)} answered twice")


def test_what_is_bad_hardly_slows_down_what_is_good(tmp_path: Path) -> None:
    """Good answers a second with the bad requests among them, without the slots that hangs and repetitions took."""
    at_once, timeout, delay = 16, 2.0, 0.2
    speeds = []
    for number, faults in enumerate((lambda key, attempt: "", five_percent)):
        path = tmp_path / f"p{number}.annotator"
        build_project(path, 500)
        server = Server(faults, delay_s=delay)
        with running(server):
            argv = [sys.executable, "-m", "annotator", "run", "start", str(path), "--model", "m"]
            argv += ["--base-url", server.url, "--samples", "3", "--jobs", str(at_once), "--timeout", str(timeout)]
            subprocess.run(argv, cwd=ROOT, check=False, capture_output=True, timeout=900)
        good = {key: times for key, times in server.counts.times.items() if not five_percent(key, 1)}
        firsts = sorted(times[0] for times in good.values())
        took = firsts[-1] - firsts[0]
        stalled = server.counts.faults["stall"] * timeout / at_once
        speeds.append(len(good) / (took - stalled if number else took))
        print(f"{len(good)} good in {took:.1f} s, {stalled:.1f} s of it hung: {speeds[-1]:.1f} a second")
    all_at_once = len(server.counts.times) / len(good)
    # The bad ones take a slot too, for a moment each.
    assert speeds[1] * all_at_once >= 0.9 * speeds[0]
