"""One piece of work in any other language: write the files, compile, run, ask the guard whether it got through."""

from __future__ import annotations

import contextlib
import io
import json
import os
import select
import signal
from typing import Any

import clean
import confine
import measured
import patience
from python_unit import feed, settle
from wire import write_all

_NONCE, _DONE = 3, 4
_FOUND_MISSING = 127
_SAID, _MEASURED = 256, 16 * 1024 * 1024
"""How much of what a guard says is read, without coverage and with it."""


def program(head: dict[str, Any], uid: int | None, folder: str, ready: int, result: int) -> int:
    """Run the steps in order; every step is reported on ``result`` as a line of JSON.

    What is run several times finds the same each time: the folder as compiled, and nothing that a run left. This
    process takes over what a run left running, since only its parent can wait for a process's end.
    """
    limits = dict(head["limits"])
    _, part = settle({**head, "limits": {**limits, "cpu_s": 3600}}, uid, folder, ready)
    confine.hide()
    confine.become_reaper()
    for name in part.get("executable") or []:
        os.chmod(name, 0o700)
    coverage: dict[str, Any] = part.get("coverage") or {}
    compiler_notes: dict[str, bytes] = {}
    counts = compiled = b""
    is_repeated = sum(step["kind"] == "run" for step in part["steps"]) > 1
    for step in part["steps"]:
        compiling = step["kind"] != "run"
        missing = _missing(step)
        if missing:
            nothing = {"step": step["kind"], "missing": missing, "wall_s": 0.0, "cpu_s": 0.0, "peak_kb": 0}
            write_all(result, json.dumps(nothing).encode("ascii", "replace") + b"\n")
            break
        if compiled:
            _restore(compiled, uid, folder)
        elif not compiling:
            _remove(part.get("secrets") or [])
            compiler_notes = measured.notes() if coverage else {}
            compiled = _pack() if is_repeated else b""
        seconds = limits["compile_s"] if compiling else limits["wall_s"]
        clock = patience.Clock(seconds, limits["longest"], alone=uid is not None)
        outcome, counts = _step(step, part, clock, {**limits, "cpu_s": seconds + 1}, compiling)
        # What the tests need and is not here, the guard says before the program runs.
        outcome["step"] = "library" if outcome.pop("lacks") else step["kind"]
        write_all(result, json.dumps(outcome).encode("ascii", "replace") + b"\n")
        # What is run several times is run so often whatever comes of it.
        if compiling and (outcome["status"] != 0 or outcome["timeout"]):
            break
    if coverage and counts:
        # What the program left behind could change what is measured.
        clean.end_everything(uid is not None)
        coverage_report = measured.program(coverage["kind"], counts, coverage["lines"], compiler_notes)
        write_all(result, json.dumps({"coverage": coverage_report}).encode("ascii") + b"\n")
    return 0


def _missing(step: dict[str, Any]) -> str:
    """Return a tool of a step that is not here, empty if all are: asked here, where no program can pretend."""
    folders = os.environ["PATH"].split(":")
    for tool in (step["argv"][0], *(step.get("needs") or ())):
        if "/" not in tool and not any(os.access(os.path.join(folder, tool), os.X_OK) for folder in folders):
            return str(tool)
    return ""


def _remove(names: list[str]) -> None:
    """Remove what the guards were compiled from before the program runs."""
    for name in names:
        with contextlib.suppress(OSError):
            os.unlink(name)


def _pack() -> bytes:
    """Return what is in the current folder."""
    import tarfile  # Only programs that are run several times need it.

    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        archive.add(".")
    return packed.getvalue()


def _restore(packed: bytes, uid: int | None, folder: str) -> None:
    """End what a run started, remove what it wrote, and bring the folder back as it was packed."""
    import tarfile

    clean.end_everything(uid is not None)
    for place in clean.PLACES if uid is not None else (folder,):
        clean.empty(place)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    os.chdir(folder)
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall()


def _step(
    step: dict[str, Any], part: dict[str, Any], clock: patience.Clock, limits: dict[str, Any], compiling: bool
) -> tuple[dict[str, Any], bytes]:
    """Run a step; returns how it ended, and what its guard told of its coverage."""
    nonce = "" if compiling else str(part.get("nonce") or "")
    nonce_read, nonce_write = os.pipe()
    done_read, done_write = os.pipe()
    if not part.get("compiled_nonce"):
        write_all(nonce_write, nonce.encode())
    os.close(nonce_write)
    pid = os.fork()
    if pid == 0:
        _become(step, part, nonce_read, done_write, limits, compiling)
    os.close(nonce_read)
    os.close(done_write)
    status, usage, late, guard_output = _wait(pid, done_read, clock, _MEASURED if part.get("coverage") else _SAID)
    os.close(done_read)
    first, _, counts = guard_output.partition(b"\n")
    report = _report(nonce, first)
    outcome = {
        "status": status,
        "timeout": late or status == -signal.SIGXCPU,
        **report,
        "wall_s": clock.elapsed(),
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "peak_kb": usage.ru_maxrss,
    }
    return outcome, counts if report["finished"] else b""


def _report(nonce: str, guard_line: bytes) -> dict[str, Any]:
    """Return whether the guard gave the nonce back, how many tests it counted (None if it does not count), and
    whether it said that something is not here."""
    first, _, more = guard_line.decode("ascii", "replace").strip().partition(" ")
    is_nonce = bool(nonce) and first == nonce
    lacks = is_nonce and more == "lacks"
    return {
        "finished": is_nonce and not lacks,
        "ran": int(more) if is_nonce and more.isdigit() else None,
        "lacks": lacks,
    }


def _become(
    step: dict[str, Any], part: dict[str, Any], nonce: int, done: int, limits: dict[str, Any], compiling: bool
) -> None:
    try:
        os.setpgid(0, 0)
        feed("" if compiling else part.get("stdin") or "")
        # Both ends go out of the way first: one may already have the other's number.
        copies = [os.dup(nonce), os.dup(done)]
        copies = [_above(fd) for fd in copies]
        os.dup2(copies[0], _NONCE)
        os.dup2(copies[1], _DONE)
        os.closerange(_DONE + 1, 256)
        if compiling:
            os.dup2(1, _NONCE)
            os.closerange(_NONCE, 256)
        confine.limit(limits, data=False)
        os.environ.update({str(key): str(value) for key, value in (step.get("env") or {}).items()})
        os.execvpe(step["argv"][0], step["argv"], os.environ)
    except FileNotFoundError:
        os.write(2, f"{step['argv'][0]} is not in this sandbox\n".encode())
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}\n".encode("utf-8", "replace"))
    os._exit(_FOUND_MISSING)


def _above(fd: int) -> int:
    while fd <= _DONE:
        fd = os.dup(fd)
    return fd


def _wait(pid: int, done: int, clock: patience.Clock, most: int) -> tuple[int, Any, bool, bytes]:
    """Wait for the step, kill its group when the time is up; returns status, usage, whether late, what it said."""
    handle = os.pidfd_open(pid)
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    poll.register(done, select.POLLIN)
    guard_output, late = b"", False
    while True:
        seconds_left = clock.left()
        if not seconds_left:
            late = True
            os.killpg(pid, signal.SIGKILL)
            seconds_left = patience.LOOK_SECONDS
        events = dict(poll.poll(max(1, int(min(seconds_left, patience.LOOK_SECONDS) * 1000))))
        if done in events:
            piece = os.read(done, 1 << 16)
            guard_output = (guard_output + piece)[:most]
            if not piece:
                poll.unregister(done)
        if handle in events:
            break
    os.close(handle)
    _, raw, usage = os.wait4(pid, 0)
    while select.select([done], [], [], 0)[0] and len(guard_output) < most:
        piece = os.read(done, 1 << 16)
        if not piece:
            break
        guard_output += piece
    return os.waitstatus_to_exitcode(raw), usage, late, guard_output
