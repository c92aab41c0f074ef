"""The window is killed while somebody types in it: at most the last second of what was typed is lost."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from annotator.services.project import draft_journal, projects
from tests.processes import ROOT, private_environment

PLACES = ("prompt", "yaml", "form")
LONG_ROUNDS = 100
LOST_S = 1.0

pytest.importorskip("PySide6", reason="the victim is a window")


def _typed_until_killed(project: Path, place: str, seconds: float, home: Path) -> tuple[list[tuple[float, str]], float]:
    """Let somebody type in a process that is killed after a while; returns what was in the field when, and the end."""
    environment = private_environment(home, QT_QPA_PLATFORM="offscreen")
    command = [sys.executable, "-m", "tests.faults.typist", str(project), place]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline()]
        time.sleep(seconds)
        killed_at = time.time()
        process.send_signal(signal.SIGKILL)
        lines += process.stdout.read().splitlines()
    assert process.returncode == -signal.SIGKILL
    found = [json.loads(line) for line in lines if line.strip().endswith("]")]
    return [(float(when), str(text)) for when, text in found], killed_at


def _in_one_line(text: str) -> str:
    """YAML breaks a long line of the form where it likes."""
    return " ".join(text.split())


@pytest.mark.parametrize("number", range(len(PLACES)))
def test_a_killed_window_loses_at_most_the_last_second(
    sample_file: Path, tmp_path: Path, number: int, record_property: Callable[[str, object], None]
) -> None:
    _check_kill(sample_file, tmp_path, number, record_property)


@pytest.mark.parametrize("number", range(len(PLACES), LONG_ROUNDS))
def test_a_window_killed_at_many_moments_loses_at_most_the_last_second(
    sample_file: Path, tmp_path: Path, number: int, record_property: Callable[[str, object], None]
) -> None:
    _check_kill(sample_file, tmp_path, number, record_property)


def _check_kill(sample_file: Path, tmp_path: Path, number: int, record_property: Callable[[str, object], None]) -> None:
    project = tmp_path / "starter.annotator"
    shutil.copy(sample_file, project)
    place = PLACES[number % len(PLACES)]
    seconds = random.Random(number).uniform(0.8, 3.0)
    typed, killed_at = _typed_until_killed(project, place, seconds, tmp_path)
    with closing(projects.open_project(project)) as store:
        drafts = draft_journal.load_drafts(store)
    kept = _in_one_line("\n".join(draft.text for draft in drafts))
    last = max(
        (when for when, text in typed if _in_one_line(text) in kept), default=typed[0][0] if typed else killed_at
    )
    record_property("place", place)
    record_property("keys", len(typed))
    record_property("lost_s", round(max(0.0, killed_at - last), 3))
    safe = [text for when, text in typed if when <= killed_at - LOST_S]
    assert len(drafts) <= 1
    assert not safe or _in_one_line(safe[-1]) in kept
