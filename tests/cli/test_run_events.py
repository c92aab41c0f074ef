"""The JSON lines of a run that goes on: throttled, but never without what holds it up."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from annotator.cli.commands.runs import start
from annotator.services.runs.execution import RunLive


def _live(**changes: Any) -> RunLive:
    counts = dict.fromkeys(("to_score", "answered", "cached", "failed", "prompt_tokens", "completion_tokens"), 0)
    return RunLive(**{"run_id": "r", "total": 4, "scored": 0, "cost": 0.0, "seconds": 0.0, **counts, **changes})


def test_what_holds_a_run_up_is_written_at_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(start.run_list, "find_run", lambda *_: SimpleNamespace(model="m"))
    clock = iter([0.0, 0.0, 0.1, 0.1, 0.2, 0.2, 0.3, 0.3])
    monkeypatch.setattr(start.time, "monotonic", lambda: next(clock))
    store: Any = None
    write = start.RunReports(display=store, as_json=True).watch(store)
    assert write is not None
    for live in (
        _live(),
        _live(scored=1),
        _live(scored=2, obstacle="no worker"),
        _live(scored=3, obstacle="no worker"),
    ):
        write(live)
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    told = [(event.get("scored"), event.get("obstacle")) for event in events if "scored" in event]
    assert told == [(0, ""), (2, "no worker")]
