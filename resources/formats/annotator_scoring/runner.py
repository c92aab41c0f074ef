"""Run a program against tests in processes of its own, and tell what became of it.

Whether a program passes is said by a process that never runs it: one process runs the tests, another the program, and
they exchange calls and plain values. What the program prints, and how it exits, says nothing. Tests that look into
their own process run in one with the program; there a word that it was given says that they came to their end.

As a program: ``python3 runner.py`` reads a job as JSON and writes ``outcome`` and ``message``.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

INSIDE = Path(__file__).resolve().with_name("inside.py")
LONGEST_REPORT = 16 * 1024 * 1024
START_SECONDS = 60.0
_ENVIRONMENT = {"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
                "MPLBACKEND": "Agg"}  # fmt: skip


@dataclass(frozen=True)
class Verdict:
    """What became of a program: pass, fail, or machinery, where the tests could not be run here; and why."""

    outcome: str
    message: str = ""


def run(job: dict[str, Any]) -> Verdict:
    """Return the verdict on a program: it passes if all of its tests do."""
    weaker = ""
    for test in job["tests"]:
        found = _tested(job["code"], test, float(test["seconds"]))
        if found.outcome != "pass":
            return found
        weaker = weaker or found.message
    return Verdict("pass", weaker) if job["tests"] else Verdict("fail", "No test was run.")


def _tested(code: str, test: dict[str, Any], seconds: float) -> Verdict:
    if test["place"] == "together":
        return _together(code, test, seconds)
    found, touched = _judged(code, test, seconds)
    if found.outcome == "fail" and touched and test["place"] == "either":
        # Only a run tells of these tests whether they can be judged from outside.
        return _together(code, test, seconds)
    return found


def _judged(code: str, test: dict[str, Any], seconds: float) -> tuple[Verdict, bool]:
    """Return what the tests say that run beside the program, and whether another process may say otherwise."""
    for_judge, for_candidate = socket.socketpair()
    read, write = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, contextlib.ExitStack() as stack:
        stack.callback(os.close, read)
        try:
            for role, part, descriptors in (
                ("candidate", {"code": code}, (for_candidate.fileno(),)),
                ("judge", {"test": test}, (for_judge.fileno(), write)),
            ):
                own = Path(folder, role)
                own.mkdir()
                stack.callback(_end, _started(role, part, descriptors, str(own)))
        finally:
            os.close(write)
            for_judge.close()
            for_candidate.close()
        return _verdict_in(_report(read, seconds), "")


def _together(code: str, test: dict[str, Any], seconds: float) -> Verdict:
    word = secrets.token_hex(16)
    read, write = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, contextlib.ExitStack() as stack:
        stack.callback(os.close, read)
        try:
            part = {"code": code, "test": test, "word": word}
            stack.callback(_end, _started("together", part, (write,), folder))
        finally:
            os.close(write)
        return _verdict_in(_report(read, seconds), word)[0]


def _started(role: str, part: dict[str, Any], descriptors: tuple[int, ...], folder: str) -> subprocess.Popen[bytes]:
    """Start a process that is given its part on its standard input."""
    process = subprocess.Popen(
        [sys.executable, "-I", "-B", str(INSIDE), role, *map(str, descriptors)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env={**_ENVIRONMENT, "PATH": os.environ.get("PATH", os.defpath), "HOME": folder, "TMPDIR": folder},
        pass_fds=descriptors,
        start_new_session=True,
    )
    # A program longer than what a pipe holds is read while the other process starts.
    threading.Thread(target=_give, args=(process, json.dumps(part).encode("ascii")), daemon=True).start()
    return process


def _give(process: subprocess.Popen[bytes], data: bytes) -> None:
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.write(data)
    with contextlib.suppress(OSError):
        process.stdin.close()


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def _report(read: int, seconds: float) -> bytes | None:
    """Return what a process says after it has said that it is ready, empty if it ends before; None when the time is
    up, which begins when it is ready: how long Python takes to start says nothing of a program."""
    deadline = time.monotonic() + START_SECONDS
    found = b""
    ready = False
    while found.count(b"\n") < 2 and len(found) < LONGEST_REPORT:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([read], [], [], left)[0]:
            return None
        part = os.read(read, 1 << 16)
        if not part:
            return b""
        found += part
        if not ready and b"\n" in found:
            ready = True
            deadline = time.monotonic() + seconds
    return found.split(b"\n")[1]


def _verdict_in(report: bytes | None, word: str) -> tuple[Verdict, bool]:
    if report is None:
        return Verdict("fail", "The time was up."), False
    try:
        told = json.loads(report)
    except ValueError:
        told = {}
    if not isinstance(told, dict) or told.get("word") != word or not told.get("tests"):
        return Verdict("fail", "The program ended before its tests."), False
    bad = [test for test in told["tests"] if test["outcome"] != "pass"]
    worst = next((test for test in bad if test["outcome"] == "machinery"), bad[0] if bad else None)
    if worst is None:
        return Verdict("pass", next((test["message"] for test in told["tests"] if test["message"]), "")), False
    return Verdict(worst["outcome"], f"{worst['name']}: {worst['message']}"), bool(told.get("touched"))


if __name__ == "__main__":
    json.dump(asdict(run(json.load(sys.stdin))), sys.stdout)
