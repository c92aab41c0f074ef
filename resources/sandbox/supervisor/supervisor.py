"""Process 1 of a sandbox: takes one piece of work after the other from its input, runs each as another user, reports.

Standard library only. The container it runs in has no network and nothing to write to but temporary folders.

What a job writes never comes into this process's memory, which later jobs are forked from: the kernel moves it from
pipes to files in memory, and from there to whoever asked. A forked child leaves this module's stack before it begins.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import importlib.machinery
import importlib.util
import json
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import clean
import confine
import measured
import patience
import program_unit
import python_unit
import testing
from wire import EndOfStreamError, read_frame, write_frame

_ROOT = "/tmp"
_COMMON = ("typing", "math", "re", "collections", "itertools", "functools", "heapq", "string", "random", "copy",
           "datetime", "bisect", "operator", "statistics", "hashlib", "dataclasses", "enum", "unittest")  # fmt: skip
_READ = 1 << 16
_RESULT_LIMIT = 4 * 1024 * 1024
_OUTPUT = 1
_TOLD = ("limits", "sizes", "coverage", "data_limit", "libraries")
"""What of a unit's head its candidate is told."""
_CHANNELS = ("stdout", "stderr", "result")
_JUDGE = "-judge"
_DESCRIPTORS = 256
_UNREAD_SECONDS = 0.02
_GRACE_SECONDS, _COVERAGE_SECONDS = 0.2, 10.0


class ForkedError(BaseException):
    """Raised in a forked child, to leave the stack of this process behind; ``work`` is what the child is for."""

    def __init__(self, work: Callable[[], int], *, ours: bool) -> None:
        super().__init__()
        self.work, self.ours = work, ours


class Supervisor:
    """Runs work for as long as its input is open."""

    def __init__(self, setup: dict[str, Any], out: int) -> None:
        self.setup = setup
        self.out = out
        self.isolation = setup["isolation"]
        self._own = self.isolation != "local"
        self._count = 0
        self.folder = f"{_ROOT if self._own else setup['root']}/job"
        self._loaded: set[str] = set()
        self._has_pytest = importlib.util.find_spec("pytest") is not None
        self.kept = {name: os.memfd_create(name) for name in (*_CHANNELS, "coverage")}
        self.nowhere = os.open(os.devnull, os.O_WRONLY)
        self._memory_fd = _memory_counter()
        self._events = self._memory_events()

    def prepare(self) -> dict[str, Any]:
        """Refuse system calls, load what forked children would load each time, and say what is here."""
        problem = confine.refuse_system_calls()
        if not self._own:
            confine.become_reaper()
        python_unit.surroundings(self.folder)
        for name in (*_COMMON, *self.setup.get("preload", ())):
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
                self._loaded.add(name)
        if "pytest" in self._loaded:
            testing.load_pytest()
        python_unit.streams()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        sys.set_int_max_str_digits(100_000)
        self.snapshot = python_unit.snapshot(sys.modules.get("pytest"))
        gc.collect()
        gc.disable()
        gc.freeze()
        confine.give_back_memory()
        return {"ready": True, "filter": problem, "loaded": sorted(self._loaded), "python": sys.version.split()[0]}

    def uid(self) -> int | None:
        """Return a user nobody has been in this container, or None where there is only one."""
        if self.isolation != "container":
            return None
        self._count += 1
        return int(self.setup["uid_base"]) + self._count % int(self.setup["uid_count"])

    def run(self, head: dict[str, Any]) -> dict[str, Any]:
        """Run one unit of work and clean up after it."""
        run = _Run(self, head)
        try:
            result = run.go()
        except ForkedError:
            raise
        except BaseException:
            run.close()
            raise
        run.close()
        # Asked here, where no job can pretend; a set of libraries stands on an image, which has it.
        result["lacks"] = "pytest" if head.get("style") == "pytest" and not self._has_pytest else ""
        result["absent"] = [name for name in head.get("named", ()) if not self._has(name, head.get("libraries"))]
        result["unclean"] = self._clean(head)
        return result

    def _has(self, name: str, libraries: str | None) -> bool:
        """Tell whether there is a module for jobs, without loading it."""
        if name in sys.modules:
            return True
        places = [libraries, *sys.path] if libraries else sys.path
        return importlib.machinery.PathFinder.find_spec(name, places) is not None

    def send(self, result: dict[str, Any]) -> None:
        """Send a result and, behind it, what the job wrote."""
        sizes = [os.fstat(fd).st_size for fd in self.kept.values()]
        write_frame(self.out, {**result, "sizes": sizes})
        for fd, size in zip(self.kept.values(), sizes, strict=True):
            sent = 0
            while sent < size:
                sent += os.sendfile(self.out, fd, sent, size - sent)
            os.ftruncate(fd, 0)
            os.lseek(fd, 0, os.SEEK_SET)

    def _clean(self, head: dict[str, Any]) -> str:
        try:
            clean.end_everything(self._own)
            if head.get("coverage") and head["kind"] != "program":
                self._measure(head["coverage"], head["lines"])
            places = clean.PLACES if self._own else (self.setup["root"],)
            for folder in (self.folder, self.folder + _JUDGE):
                # Most jobs leave nothing in their folder.
                with contextlib.suppress(OSError):
                    os.rmdir(folder)
            for place in places:
                clean.empty(place)
        except (clean.UncleanError, OSError) as error:
            return str(error)
        # What ran out of memory while it was ended is not the next job's fault.
        self._events = self._memory_events()
        return ""

    def _measure(self, name: str, lines: int) -> None:
        """Let a child read the report in the job's folder: the job may have written it."""
        path, coverage_fd = os.path.join(self.folder, f"{name}.json"), self.kept["coverage"]

        def work() -> int:
            report: object = None
            # The job may have written something else in its place.
            with contextlib.suppress(KeyError, TypeError, ValueError, AttributeError, IndexError):
                report = measured.python(path, lines)
            os.write(coverage_fd, json.dumps(report).encode("ascii"))
            return 0

        pid = os.fork()
        if not pid:
            raise ForkedError(work, ours=True)
        os.waitpid(pid, 0)

    def ran_out_of_memory(self) -> bool:
        """Tell whether the kernel ended something for want of memory since the last call."""
        now = self._memory_events()
        before, self._events = self._events, now
        return now > before

    def _memory_events(self) -> int:
        """Return how often the kernel ended a process of this container for want of memory."""
        if self._memory_fd < 0:
            return 0
        for line in os.pread(self._memory_fd, 4096, 0).splitlines():
            if line.startswith(b"oom_kill "):
                return int(line.split()[1])
        return 0


class _Run:
    """One unit of work while it runs."""

    def __init__(self, owner: Supervisor, head: dict[str, Any]) -> None:
        self._owner, self._head, self._folder = owner, head, owner.folder
        self._limits = head["limits"]
        self._open: list[int] = []
        output_bytes = self._limits["kept_kb"] * 1024
        self._room = {"stdout": output_bytes, "stderr": output_bytes, "result": _RESULT_LIMIT}
        self._seen = 0
        self._late = self._flooded = False

    def close(self) -> None:
        """Close every descriptor of the unit."""
        for fd in self._open:
            with contextlib.suppress(OSError):
                os.close(fd)
        self._open.clear()

    def go(self) -> dict[str, Any]:
        """Start the processes, watch them, and say what came of it."""
        started = time.monotonic()
        kind = self._head["kind"]
        self._pipes = {name: self._pipe() for name in (*_CHANNELS, "ready")}
        watched, other = self._judged() if kind == "judged" else (self._single(kind), None)
        for _, write in self._pipes.values():
            self._shut(write)
        self._watch(watched)
        wall = time.monotonic() - started
        exits = [self._reap(pid) for pid in (watched, other) if pid is not None]
        if other is not None and exits[0][0] == python_unit.OUT_OF_STEP:
            raise EndOfStreamError
        cpu = sum(usage.ru_utime + usage.ru_stime for _, usage in exits)
        return {
            "status": exits[0][0],
            "candidate_status": exits[-1][0],
            "timeout": self._late or -signal.SIGXCPU in [status for status, _ in exits],
            "flooded": self._flooded,
            "memory": self._owner.ran_out_of_memory(),
            "wall_s": wall,
            "cpu_s": cpu,
            "judge_cpu_s": exits[0][1].ru_utime + exits[0][1].ru_stime if other is not None else 0.0,
            "peak_kb": max(usage.ru_maxrss for _, usage in exits),
        }

    # -- starting -------------------------------------------------------------------------------------------------

    def _pipe(self) -> tuple[int, int]:
        ends = os.pipe()
        self._open.extend(ends)
        return ends

    def _shut(self, fd: int) -> None:
        self._open.remove(fd)
        os.close(fd)

    def _single(self, kind: str) -> int:
        uid, folder, ready, result = self._owner.uid(), self._folder, self._pipes["ready"][1], self._pipes["result"][1]

        if kind == "together":
            work = partial(python_unit.together, self._head, uid, folder, ready, result, self._owner.snapshot)
        else:
            part = python_unit.alone if kind == "alone" else program_unit.program
            work = partial(part, self._head, uid, folder, ready, result)
        pid = self._fork(work, keep=(ready, result))
        self._await_ready()
        return pid

    def _judged(self) -> tuple[int, int]:
        ours, theirs = socket.socketpair()
        judge_fd, candidate_fd = ours.detach(), theirs.detach()
        self._open += [judge_fd, candidate_fd]
        candidate_uid, judge_uid = self._owner.uid(), self._owner.uid()
        candidate_ready, ready = self._pipes["ready"]
        result = self._pipes["result"][1]

        # What a child is for holds nothing of this object: the candidate could reach it.
        candidate_head = {name: self._head[name] for name in _TOLD if name in self._head}
        candidate = partial(python_unit.candidate, candidate_head, candidate_uid, self._folder, ready, candidate_fd)
        judge = partial(
            python_unit.judge, self._head, judge_uid, self._folder + _JUDGE, judge_fd, result, candidate_ready
        )

        # The candidate is made before the tests are read: they are not even in the memory it is made from. The judge
        # reads them, once the candidate has read its own part. To make both at once saves the second fork the pages
        # that this process writes to in between.
        candidate_pid = self._fork(candidate, keep=(ready, candidate_fd))
        judge_pid = self._fork(judge, keep=(candidate_ready, judge_fd, result), ours=True)
        self._shut(candidate_fd)
        self._shut(judge_fd)
        return judge_pid, candidate_pid

    def _fork(self, work: Callable[[], int], keep: tuple[int, ...], *, ours: bool = False) -> int:
        pid = os.fork()
        if pid:
            return pid
        os.dup2(self._pipes["stdout"][1], 1)
        os.dup2(self._pipes["stderr"][1], 2)
        _close_others(keep)
        raise ForkedError(work, ours=ours)

    def _await_ready(self) -> None:
        """Wait until the child has read its part of the input; without that, the input is out of step: give up."""
        self._shut(self._pipes["ready"][1])
        ready = self._pipes["ready"][0]
        if not python_unit.is_read(ready):
            raise EndOfStreamError
        self._pipes["ready"] = (ready, self._null())

    def _null(self) -> int:
        fd = os.open("/dev/null", os.O_RDONLY)
        self._open.append(fd)
        return fd

    # -- watching -------------------------------------------------------------------------------------------------

    def _watch(self, pid: int) -> None:
        """Read what is written until the watched process ends, the time is up or the output is too much."""
        names = {self._pipes[name][0]: name for name in _CHANNELS}
        result = self._pipes["result"][0]
        handle = os.pidfd_open(pid)
        poll = select.poll()
        for fd in (*names, handle):
            if fd != result:
                poll.register(fd, select.POLLIN)
        alone = self._owner.isolation == "container"
        clock = patience.Clock(self._limits["total_s"], self._limits["longest"], alone=alone)
        reading = False
        while seconds_left := clock.left():
            seconds_left = min(seconds_left, patience.LOOK_SECONDS if reading else _UNREAD_SECONDS)
            events = poll.poll(int(seconds_left * 1000) + 1)
            if not reading and clock.elapsed() >= _UNREAD_SECONDS:
                # Most tests are over by now. Until here, reports wait in their pipe: to wake up for each costs more.
                reading = True
                poll.register(result, select.POLLIN)
            for fd, _ in events:
                if fd in names and not self._take(names[fd], fd):
                    poll.unregister(fd)
            if self._flooded:
                break
            if any(fd == handle for fd, _ in events):
                break
        else:
            self._late = True
        os.close(handle)
        if self._late or self._flooded:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for fd, name in names.items():
            self._drain(name, fd)

    def _take(self, name: str, fd: int) -> bool:
        room = self._room[name]
        moved = os.splice(fd, self._owner.kept[name] if room else self._owner.nowhere, min(room, _READ) or _READ)
        self._room[name] -= min(room, moved)
        if name != "result":
            self._seen += moved
            self._flooded = self._flooded or self._seen > self._limits["output_kb"] * 1024
        return bool(moved)

    def _drain(self, name: str, fd: int) -> None:
        """Take what is already in the pipe; a process left behind may hold it open, so no waiting for its end."""
        os.set_blocking(fd, False)
        with contextlib.suppress(BlockingIOError):
            for _ in range(64):
                if not self._take(name, fd):
                    return

    def _reap(self, pid: int) -> tuple[int, Any]:
        """Give a process a moment to end by itself, then end it.

        One that only stayed when all was done, as threads of its own or a busy machine make it, ended well.
        """
        ended_pid, raw, usage = os.wait4(pid, os.WNOHANG)
        stayed = False
        if not ended_pid:
            grace = _COVERAGE_SECONDS if self._head.get("coverage") else _GRACE_SECONDS
            cut = self._late or self._flooded
            stayed = not cut and not _ends_within(pid, grace)
            if cut or stayed:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            _, raw, usage = os.wait4(pid, 0)
        status = os.waitstatus_to_exitcode(raw)
        return 0 if stayed and status == -signal.SIGKILL else status, usage


def _close_others(keep: tuple[int, ...]) -> None:
    """Close every descriptor but the standard ones and these."""
    first = 3
    for fd in sorted(keep):
        os.closerange(first, fd)
        first = fd + 1
    os.closerange(first, _DESCRIPTORS)


def _ends_within(pid: int, seconds: float) -> bool:
    """Wait for a child's end, so long at most; returns whether it came."""
    handle = os.pidfd_open(pid)
    try:
        return bool(select.select([handle], [], [], seconds)[0])
    finally:
        os.close(handle)


def _memory_counter() -> int:
    """Open where the kernel counts what it ended in this container for want of memory, -1 where it does not."""
    for path in ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"):
        with contextlib.suppress(OSError):
            return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    return -1


def serve(setup: dict[str, Any]) -> Callable[[], None] | None:
    """Answer units of work until the input ends; in a forked child, return what it is for."""
    # Frames leave on a descriptor of our own; descriptor 1 is whatever a child makes of it.
    out = os.dup(_OUTPUT)
    os.dup2(2, _OUTPUT)
    supervisor = Supervisor(setup, out)
    write_frame(out, supervisor.prepare())
    while True:
        try:
            head = read_frame(0)
            result = supervisor.run(head)
        except EndOfStreamError:
            return None
        except ForkedError as child:
            return partial(_work, child.work, ours=child.ours)
        result["unit"] = head["unit"]
        supervisor.send(result)
        if result["unclean"]:
            return None


def _work(work: Callable[[], int], *, ours: bool) -> None:
    """Do a child's work and end it."""
    status = 70
    try:
        status = work()
    except BaseException as error:
        # What the candidate throws at the machinery ends its process like any uncaught error.
        with contextlib.suppress(BaseException):
            os.write(2, f"{type(error).__name__}: {error}\n".encode("utf-8", "replace")[:2000])
        status = 70 if ours else 1
    finally:
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
        with contextlib.suppress(BaseException):
            sys.stderr.flush()
        os._exit(status)
