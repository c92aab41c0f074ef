"""One piece of Python work: the code alone, the code with tests judged from outside, or both in one process."""

from __future__ import annotations

import builtins
import contextlib
import gc
import json
import os
import select
import sys
import types
import unittest
from collections.abc import Callable
from functools import partial
from typing import Any

import confine
import testing
from judge import Candidate, CandidateEndedError, Judge
from solution import FILE, describe, load, names_of
from wire import read_exactly, write_all

OUT_OF_STEP = 71
"""The judge's exit status when the candidate did not read its part of the input."""
_READY = b"r"
_READ_SECONDS = 30


def read_parts(sizes: list[int]) -> list[str]:
    """Read the job's texts straight from the supervisor's input: they are never in its memory."""
    data, texts, start = read_exactly(0, sum(sizes)), [], 0
    for size in sizes:
        texts.append(data[start : start + size].decode("utf-8", "surrogatepass"))
        start += size
    return texts


def is_read(ready: int) -> bool:
    """Wait until another process says on ``ready`` that it has read its parts; returns whether it did."""
    return bool(select.select([ready], [], [], _READ_SECONDS)[0]) and os.read(ready, 1) == _READY


def surroundings(folder: str) -> None:
    """Make this process's environment what jobs see, with ``folder`` as home."""
    path = os.environ.get("PATH", "/usr/local/bin:/usr/bin:/bin")
    os.environ.clear()
    os.environ.update(PATH=path, LANG="C.UTF-8", LC_ALL="C.UTF-8", PYTHONDONTWRITEBYTECODE="1", OMP_NUM_THREADS="1",
                      OPENBLAS_NUM_THREADS="1", MPLBACKEND="Agg")  # fmt: skip
    _at_home(folder)


def _at_home(folder: str) -> None:
    for name in ("HOME", "TMPDIR", "MPLCONFIGDIR"):
        os.environ[name] = folder


def streams() -> None:
    """Open Python's standard streams as a job has them: input from nowhere, output to pipes.

    A forked child only puts its own ends in these places. Opening them there would cost more than the fork.
    """
    originals = [os.dup(fd) for fd in range(3)]
    null, (read, write) = os.open(os.devnull, os.O_RDONLY), os.pipe()
    for fd, replacement in enumerate((null, write, write)):
        os.dup2(replacement, fd)
    _open_input()
    sys.stdout = open(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
    for fd, before in enumerate(originals):
        os.dup2(before, fd)
    for fd in (*originals, null, read, write):
        os.close(fd)


def _open_input() -> None:
    sys.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)


def settle(head: dict[str, Any], uid: int | None, folder: str, ready: int) -> tuple[str, dict[str, Any]]:
    """Become the job's user in its folder with its limits; returns the job's code and the rest of its own part.

    The parts are read first, and ``ready`` gets a byte then: from there on the supervisor may read its input again.
    """
    code, more = read_parts(head["sizes"][:2])
    return code, _settled(head, uid, folder, ready, more)


def _settled(head: dict[str, Any], uid: int | None, folder: str, ready: int, more: str) -> dict[str, Any]:
    write_all(ready, _READY)
    os.close(ready)
    enter(head["limits"], uid, folder, data=head.get("data_limit", True))
    part: dict[str, Any] = json.loads(more) if more else {}
    if part.get("files"):
        write_files(part["files"])
    feed(part.get("stdin") or "")
    return part


def enter(limits: dict[str, Any], uid: int | None, folder: str, *, data: bool) -> None:
    """Confine this process: session, limits, user, folder."""
    os.setsid()
    confine.become(uid)
    os.umask(0o077)
    os.mkdir(folder, 0o700)
    os.chdir(folder)
    confine.limit(limits, data=data)


def write_files(files: dict[str, str]) -> None:
    """Write the job's files below the current folder; a name that leaves it is not written."""
    for name, text in files.items():
        path = os.path.normpath(name)
        if os.path.isabs(path) or path.startswith(".."):
            continue
        if os.path.dirname(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", errors="surrogatepass", newline="") as stream:
            stream.write(text)


def feed(text: str) -> None:
    """Make descriptor 0 a file with this text, or the null device."""
    if text:
        fd = os.memfd_create("stdin")
        write_all(fd, text.encode("utf-8", "surrogatepass"))
        os.lseek(fd, 0, os.SEEK_SET)
    else:
        fd = os.open("/dev/null", os.O_RDONLY)
    os.dup2(fd, 0)
    os.close(fd)
    if text:
        _open_input()


def _reach(head: dict[str, Any]) -> None:
    """Put the unit's own libraries before those of the image, and behind Python's own modules.

    A Python that the program starts itself, as a pool of processes does, finds them too.
    """
    libraries = head.get("libraries")
    if libraries:
        os.environ["PYTHONUSERBASE"] = os.path.dirname(libraries)
        places = [number for number, path in enumerate(sys.path) if path.endswith(("dist-packages", "site-packages"))]
        sys.path.insert(min(places, default=len(sys.path)), libraries)


def _awake() -> None:
    gc.unfreeze()
    gc.enable()
    sys.setrecursionlimit(1000)
    sys.dont_write_bytecode = True


def alone(head: dict[str, Any], uid: int | None, folder: str, ready: int, result: int) -> int:
    """Run the code as a program; returns the exit status, as ``python main.py`` would have it."""
    code, part = settle(head, uid, folder, ready)
    os.close(result)
    _awake()
    sys.argv = ["main.py", *(part.get("arguments") or [])]
    _reach(head)
    sys.path.insert(0, folder)
    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    try:
        load(code, "__main__", FILE)
    except SystemExit as error:
        if error.code is None or isinstance(error.code, int):
            return int(error.code or 0) & 0xFF
        sys.stderr.write(f"{error.code}\n")
        return 1
    except BaseException as error:
        _print(error)
        if isinstance(error, MemoryError):
            return 77
        return 78 if isinstance(error, SyntaxError) and error.filename == FILE else 1
    return 0


def _print(error: BaseException) -> None:
    import traceback

    try:
        lines = traceback.format_exception(type(error), error, error.__traceback__)
        sys.stderr.write("".join(line for line in lines if not line.startswith("  File") or FILE in line))
    except BaseException:
        sys.stderr.write(type(error).__name__ + "\n")


def candidate(head: dict[str, Any], uid: int | None, folder: str, ready: int, channel: int) -> int:
    """Load the code and answer the judge's calls."""
    code, _ = settle(head, uid, folder, ready)
    _awake()
    sys.argv = ["solution.py"]
    _reach(head)
    sys.path.insert(0, folder)
    os.set_inheritable(channel, False)
    measured = _measured(head, code)
    Candidate(channel).serve(code)
    measured()
    return 0


def _measured(head: dict[str, Any], code: str) -> Callable[[], None]:
    """Start measuring coverage if asked; returns what ends it and writes it down.

    Its file has a name that the code does not know: another file is none of ours.
    """
    if not head.get("coverage"):
        return _nothing
    import coverage

    own = os.path.abspath(FILE)
    _write_over(own, code)
    measure = coverage.Coverage(branch=True, data_file=None, include=[own], config_file=False)
    measure.start()

    def end() -> None:
        measure.stop()
        # The code may have left its folder, or written over what is read here.
        with contextlib.suppress(Exception):
            _write_over(own, code)
            measure.json_report(outfile=os.path.join(os.path.dirname(own), f"{head['coverage']}.json"))

    return end


def _write_over(path: str, text: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)
    with open(path, "x", encoding="utf-8") as stream:
        stream.write(text)


def _nothing() -> None:
    return None


def judge(head: dict[str, Any], uid: int | None, folder: str, channel: int, result: int, candidate_ready: int) -> int:
    """Run the tests against proxies; every test is reported on ``result``, then how many there were.

    The tests are read when ``given`` says that the candidate has read its own part, which comes before them.
    """
    if not is_read(candidate_ready):
        return OUT_OF_STEP
    os.close(candidate_ready)
    (text,) = read_parts(head["sizes"][2:3])
    confine.hide()
    enter({**head["limits"], "processes": 16}, uid, folder, data=False)
    confine.hide()
    _at_home(folder)
    feed("")
    _awake()
    _reach(head)
    sys.path.insert(0, folder)
    referee = Judge(channel, tuple(head.get("shadowed", ())))
    reporter = Reporter(result, "", referee.touched)
    try:
        names = referee.names()
    except BaseException as error:
        reporter.load_failed(error, head["name"])
        return 0
    referee.read(text)
    testing.run(head["style"], head["name"], text, names, reporter.report, folder)
    reporter.finish(memory=referee.memory)
    return 0


class Reporter:
    """Writes what became of the tests, a line of JSON each; every line carries the nonce."""

    def __init__(self, fd: int, nonce: str, touched: set[str] | None = None) -> None:
        self._write = os.write
        self._quote = json.encoder.encode_basestring_ascii
        self._fd, self._nonce, self._count = fd, nonce, 0
        self._touched = set() if touched is None else touched

    def report(self, name: str, outcome: str, message: str) -> None:
        """Write one test down."""
        self._count += 1
        record: dict[str, str | int] = {"test": name, "outcome": outcome, "message": message[:2000]}
        if self._touched:
            record["touched"] = ",".join(sorted(self._touched))
            self._touched.clear()
        self._line(record)

    def load_failed(self, error: BaseException, name: str) -> None:
        """Say that the code itself did not load."""
        kind = "compile" if isinstance(error, SyntaxError) else "memory" if isinstance(error, MemoryError) else "load"
        message = str(error) if isinstance(error, CandidateEndedError) else describe(error)
        self._line({"test": name, "outcome": "fail", "message": message[:2000], "load": kind})

    def finish(self, *, memory: bool = False, problem: str = "") -> None:
        """Say that the tests have come to their end."""
        self._line({"done": self._count, "memory": memory, "problem": problem})

    def _line(self, record: dict[str, str | int]) -> None:
        # As json.dumps has it for texts, whole numbers and truth values, at a fraction of its cost in a fresh process.
        record["nonce"] = self._nonce
        quote = self._quote
        parts = [f"{quote(key)}:{quote(value) if isinstance(value, str) else str(value).lower()}"
                 for key, value in record.items()]  # fmt: skip
        data = f"{{{','.join(parts)}}}\n".encode("ascii")
        while data:
            data = data[self._write(self._fd, data) :]


_WATCHED: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (
        unittest.TestCase,
        (
            *(name for name in vars(unittest.TestCase) if name.startswith("assert")),
            *("run", "fail", "subTest", "_baseAssertEqual"),
        ),
    ),
    (unittest.TestResult, ("addFailure", "addError", "addSuccess")),
    (type(unittest.TestCase().assertRaises(ValueError)), ("__enter__", "__exit__")),
    (testing, ("run", "_one", "_collected")),
    (json, ("dumps",)),
    (os, ("write",)),
)


Snapshot = tuple[dict[str, int], list[int]]


def snapshot(pytest: Any = None) -> Snapshot:
    """Return which objects the builtins and the test functions are, to see later whether they still are.

    ``pytest`` is given where it was loaded before the solution.
    """
    own = vars(builtins)
    builtin_ids = dict(zip(own, map(id, own.values()), strict=True))
    watched = _WATCHED
    if pytest is not None:
        watched += ((pytest, ("raises", "approx", "fail", "main", "warns")),
                    (type(pytest.raises(ValueError)), ("__enter__", "__exit__")))  # fmt: skip
    return builtin_ids, [id(vars(owner).get(name)) for owner, names in watched for name in names]


def is_replaced(before: Snapshot, now: Snapshot) -> bool:
    """Tell whether a builtin or a test function is another one. A name added is none: pybind11 keeps its types so."""
    return before[1] != now[1] or any(now[0].get(name) != identity for name, identity in before[0].items())


def together(head: dict[str, Any], uid: int | None, folder: str, ready: int, result: int, before: Snapshot) -> int:
    """Run code and tests in one process: faster, weaker than the judge; ``before`` is the supervisor's snapshot."""
    code, more, tests, nonce = read_parts(head["sizes"])
    _settled(head, uid, folder, ready, more)
    os.set_inheritable(result, False)
    _awake()
    sys.argv = ["solution.py"]
    _reach(head)
    sys.path.insert(0, folder)
    reporter = Reporter(result, nonce)
    finish, again = reporter.finish, partial(snapshot, sys.modules.get("pytest"))
    run, report = testing.run, reporter.report
    memory = _Memory(report)
    measured = _measured(head, code)
    try:
        module = load(code)
    except BaseException as error:
        reporter.load_failed(error, head["name"])
        return 0
    names = names_of(module)
    run(head["style"], head["name"], tests, names, memory.report, folder, module)
    measured()
    changed = is_replaced(before, again())
    finish(memory=memory.seen, problem="builtins or test functions were replaced" if changed else "")
    return 0


class _Memory:
    """Notes a test that failed for want of memory."""

    def __init__(self, report: testing.Report) -> None:
        self._report, self.seen = report, False

    def report(self, name: str, outcome: str, message: str) -> None:
        """Pass a report on."""
        self.seen = self.seen or message.startswith("MemoryError")
        self._report(name, outcome, message)
