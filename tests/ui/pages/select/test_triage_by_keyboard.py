"""Candidates triaged on a screen of their own by a scripted person who has a keyboard and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.screen import screen

ROOT = Path(__file__).parents[4]
# More than two windows of the queue, and every fiftieth with a reason.
COUNT = 130


@pytest.mark.slow
def test_no_mouse_and_no_dropped_key() -> None:
    with screen(1400, 900) as environment:
        done = subprocess.run(
            [sys.executable, "-m", "tests.benchmarks.triage", "--x11", "--count", str(COUNT)],
            cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
    if "no Qt platform plugin" in done.stderr or "xcb-cursor" in done.stderr:
        pytest.skip("Qt's X11 libraries are not installed")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    print(f"key to next candidate: p50 {found['p50']} ms, p95 {found['p95']} ms, worst {found['worst']} ms")
    assert (found["right"], found["reasons"], found["pointer_events"]) == (COUNT, COUNT // 50, 0)
