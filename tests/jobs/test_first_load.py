"""The first pieces of work load libraries one after the other, and hold nobody up for long."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest

from annotator.jobs import first_load


def test_the_name_looked_for_is_the_librarys_last(monkeypatch: pytest.MonkeyPatch):
    import sqlmodel

    assert first_load.loaded()
    names = [name for name in vars(sqlmodel) if not name.startswith("_")]
    assert names.index("AutoString") > max(names.index(name) for name in ("Session", "SQLModel", "select", "col"))


def test_work_takes_turns_until_the_libraries_are_loaded(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(first_load, "loaded", lambda: False)
    inside, most = [], []

    def work() -> None:
        inside.append(1)
        most.append(len(inside))
        time.sleep(0.01)
        inside.pop()

    threads = [threading.Thread(target=first_load.in_turn, args=(work,)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 6


def test_long_work_holds_nobody_up_once_they_are_loaded_or_time_is_up(monkeypatch: pytest.MonkeyPatch):
    ready = [False]
    monkeypatch.setattr(first_load, "loaded", lambda: ready[0])
    gate, done = threading.Event(), threading.Event()
    long = threading.Thread(target=first_load.in_turn, args=(gate.wait,))
    short = threading.Thread(target=first_load.in_turn, args=(done.set,))
    long.start()
    time.sleep(0.02)
    short.start()
    assert not done.wait(0.1)
    ready[0] = True
    assert done.wait(2)
    ready[0] = False
    monkeypatch.setattr(first_load, "_LONGEST_SECONDS", 0.1)
    assert first_load.in_turn(lambda: "begun") == "begun"
    gate.set()
    long.join()
    short.join()


def test_lanes_that_load_the_database_side_by_side_get_whole_modules():
    program = (
        "import importlib, sys\nfrom functools import partial\nfrom annotator.jobs.lanes import Lanes\n"
        "sys.setswitchinterval(1e-5)\nlanes = Lanes()\n"
        "work = {'store': 'subjects', 'read': 'candidates', 'cpu': 'people', 'net': 'work'}\n"
        "asked = [lanes.submit(k, partial(importlib.import_module, 'annotator.store.' + v)) for k, v in work.items()]\n"
        "[one.result() for one in asked]\nlanes.close()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], timeout=120, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-300:]
