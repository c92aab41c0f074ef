"""Turns at a channel, without an engine; and what a job's process has loaded before it begins."""

from __future__ import annotations

import importlib
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import pytest

from annotator.base.resources import resource_path

SUPERVISOR = resource_path("sandbox", "supervisor")


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(SUPERVISOR))
    yield importlib.import_module("turns")
    del sys.modules["turns"]


def test_threads_hand_a_thing_on_as_with_a_condition(turns: ModuleType) -> None:
    turn, given, seen = turns.Turns(), [0], []

    def take(number: int) -> None:
        with turn:
            while given[0] != number:
                turn.wait()
            seen.append(number)
            given[0] += 1
            turn.notify_all()

    with ThreadPoolExecutor(8) as pool:
        for future in [pool.submit(take, number) for number in reversed(range(8))]:
            future.result(timeout=30)
    assert seen == list(range(8))


def test_one_that_waits_gives_the_lock_back(turns: ModuleType) -> None:
    turn, began, done = turns.Turns(), threading.Event(), threading.Event()

    def wait() -> None:
        with turn:
            began.set()
            turn.wait()
        done.set()

    threading.Thread(target=wait, daemon=True).start()
    assert began.wait(30)
    with turn:
        assert not done.is_set()
        turn.notify_all()
        assert not done.wait(0.05)
    assert done.wait(30)


def test_the_process_jobs_are_forked_from_has_no_threads_module_loaded() -> None:
    code = "import sys; sys.path.insert(0, sys.argv[1]); import supervisor; print('threading' in sys.modules)"
    found = subprocess.run(
        [sys.executable, "-I", "-c", code, str(SUPERVISOR)], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "False"
