"""300 candidates triaged on a screen of their own by a scripted person who has a keyboard and nothing else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = ("Xvfb", "openbox", "xdotool")


@pytest.fixture
def screen() -> Iterator[str]:
    """A screen in memory with a window manager; its display name."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1400x900x24", "-nolisten", "tcp"],
        pass_fds=[write], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(write)
    with os.fdopen(read) as stream:
        number = stream.readline().strip()
    if not number:
        server.wait(10)
        pytest.skip("Xvfb does not start here")
    display = f":{number}"
    manager = subprocess.Popen(
        ["openbox"], env={**os.environ, "DISPLAY": display}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield display
    finally:
        for process in (manager, server):
            process.terminate()
            process.wait(10)


@pytest.mark.slow
def test_no_mouse_and_no_dropped_key(screen: str) -> None:
    environment = {**os.environ, "DISPLAY": screen, "QT_QPA_PLATFORM": "xcb"}
    environment.pop("WAYLAND_DISPLAY", None)
    done = subprocess.run(
        [sys.executable, "-m", "annotator.bench.triage", "--x11"],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    if "no Qt platform plugin" in done.stderr or "xcb-cursor" in done.stderr:
        pytest.skip("Qt's X11 libraries are not installed")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    print(f"key to next candidate: p50 {found['p50']} ms, p95 {found['p95']} ms, worst {found['worst']} ms")
    assert (found["right"], found["reasons"], found["pointer_events"]) == (300, 6, 0)
