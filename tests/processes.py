"""Other processes that tests start: commands of the program, and runs that are killed in the middle."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]


def private_environment(home: Path, **variables: str) -> dict[str, str]:
    """Return the environment of a process whose settings, data and state are in a folder of the test's own."""
    folders = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")
    return {**os.environ, **dict.fromkeys(folders, str(home)), "PYTHONPATH": str(ROOT), **variables}


def run_command(*words: str, environment: Mapping[str, str] | None = None) -> str:
    """Run a command of the program in a process of its own, which must succeed; returns what it prints."""
    argv = [sys.executable, "-m", "annotator", *words]
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def kill_at(argv: Sequence[str], count: Callable[[], int], least: int) -> None:
    """Start a process in the project's folder, and kill it once it has made so many; before that it must not end."""
    process = subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 300
    while count() < least:
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    # What was on the wire still comes to the server.
    time.sleep(0.5)
