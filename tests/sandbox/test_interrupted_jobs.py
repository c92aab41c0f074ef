"""`annotator sandbox exec` ends soon after it is told to, and has answered what was done."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import pytest

from annotator.sandbox.sandbox_places import DockerPlace
from tests.sandbox.endless import BODY, is_endless_running

ENDLESS, ONE = f"def f():\n{BODY}", "def f(): return 1"
SECONDS = 30.0
"""Two on a machine of its own; tests share theirs."""

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_command_and_what_is_done_is_kept(place: DockerPlace, number: signal.Signals) -> None:
    jobs = [
        {"id": str(at), "language": "python", "code": ONE if at < 4 else ENDLESS,
         "tests": [{"name": "t", "code": "assert f() == 1"}], "limits": {"wall_s": 60}}
        for at in range(12)
    ]  # fmt: skip
    command = [sys.executable, "-m", "annotator", "sandbox", "exec", "--jobs", "1"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write("\n".join(map(json.dumps, jobs)) + "\n")
        process.stdin.close()
        deadline = time.monotonic() + 120
        while not is_endless_running(place):
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.1)
        started = time.monotonic()
        process.send_signal(number)
        rows = [json.loads(line) for line in process.stdout]
        process.wait(timeout=60)
        took = time.monotonic() - started
    assert (process.returncode, [row["outcome"] for row in rows]) == (5, ["pass"] * 4)
    assert took < SECONDS
