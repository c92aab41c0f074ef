"""What is measured in the window is measured right: late events are counted, and models paint the same queue."""

from __future__ import annotations

import json
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("PySide6")

from annotator.model.rows.queue_rows import QueueFilter
from annotator.services.project import projects
from annotator.services.release import release_list
from annotator.services.select import triage
from tests.benchmarks import making, queue_window, under_load


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"ITEMS": 6, "ANSWERS": 12, "IMPORTED": 30, "FILES": 2, "LONG_FILE": 3}.items():
        monkeypatch.setattr(under_load, name, value)


def test_what_is_prepared_can_be_scored_mined_and_imported(tmp_path: Path, small: None) -> None:
    path = making.project(tmp_path / "p.annotator", 40)
    under_load.prepare(path, tmp_path / "load")
    store = projects.open_project(path)
    assert [release.item_count for release in release_list.list_releases(store)] == [6]
    assert len(triage.queue_ids(store, QueueFilter())) == 46
    store.close()
    answers = [json.loads(line) for line in (tmp_path / "load" / "answers.jsonl").read_text("utf-8").splitlines()]
    assert len(answers) == 12 and {row["subject"] for row in answers} == {f"load:{number}" for number in range(6)}
    assert len((tmp_path / "load" / "more.jsonl").read_text("utf-8").splitlines()) == 30
    compile((tmp_path / "load" / "repository" / "made" / "long.py").read_text("utf-8"), "long.py", "exec")


def test_every_event_that_a_stop_kept_waiting_is_counted(qapp: Any) -> None:
    from PySide6.QtCore import QTimer

    stop = QTimer(singleShot=True, interval=100)
    stop.timeout.connect(_stop_for_a_while)
    stop.start()
    late = under_load.Lateness().until(bool, 0.6)
    # Of the 0.3 s it stood still, all events due in it were late: some sixty, the first by almost all of it.
    assert max(late) >= 250
    assert sum(value >= 50 for value in late) >= 45


def _stop_for_a_while() -> None:
    time.sleep(0.3)


def test_figures_are_held_against_the_idle_control(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = {"mining": {"busy": [27.0, 80.0], "idle": [3.0, 20.0]}}
    monkeypatch.setattr(under_load.subprocess, "run", lambda *_a, **_k: SimpleNamespace(stdout=json.dumps(told)))
    p99, longest = under_load.figures(tmp_path / "p", tmp_path / "f")
    assert (p99.met, p99.goal, longest.met, longest.goal) == (True, "≤ 28 ms", False, "≤ 70 ms")


def test_loading_objects_is_measured_by_some_of_them(tmp_path: Path) -> None:
    path = making.project(tmp_path / "p.annotator", 50)
    assert queue_window.loaded(path, 50) > 0
