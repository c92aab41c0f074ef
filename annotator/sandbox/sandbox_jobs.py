"""The sandbox's input and output: jobs and their results."""

from __future__ import annotations

import re
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, ClassVar, Literal, Protocol

from annotator.base.errors import BadInputError

Mode = Literal["judged", "shared", "fast"]
"""How a Python test runs: *judged* in its own process if its text allows that, *shared* in the code's process, *fast*
like *shared* but without control runs, which must fail with altered expected values."""
MODES: tuple[Mode, ...] = ("judged", "shared", "fast")
TEXT_LIMIT = 32 * 1024 * 1024
MAX_RUNS = 100

PASS, FAIL, COMPILE_ERROR, TIMEOUT = "pass", "fail", "compile_error", "timeout"
MEMORY, OUTPUT_LIMIT, CRASH, NO_CODE, MACHINERY = "memory", "output_limit", "crash", "no_code", "machinery"
DISPUTED, FLAKY, TAMPERED = "disputed", "flaky", "tampered"
"""Doubtful outcomes: the answer passes only in one process, not in every run, or whatever the tests expect."""
UNSETTLED = (DISPUTED, FLAKY, TAMPERED)
LIBRARY_MISSING = "the tests need a library"
"""Prefix of the message if tests fail only because a library is missing, whatever the answer."""
_NOT_IN_SANDBOX = " is not in this sandbox"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of one test of a job, in seconds, megabytes and kilobytes as the names say."""

    wall_s: float = 10.0
    cpu_s: float = 10.0
    compile_s: float = 60.0
    memory_mb: int = 512
    processes: int = 64
    file_mb: int = 64
    output_kb: int = 8192
    kept_kb: int = 64


@dataclass(frozen=True, slots=True)
class TestCode:
    """One test: code that is run with the job's code; ``seconds`` is a limit of its own."""

    __test__: ClassVar[bool] = False  # otherwise pytest would collect this class because of its name
    name: str
    code: str
    seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Code to run: alone (``tests`` is None), or with tests, each on its own.

    ``libraries`` is the digest of a set of libraries that Python code needs (`sandbox.libraries`). In other languages
    each test is compiled once and run ``runs`` times; a test that passes only in some of these runs is flaky.
    """

    id: str
    language: str
    code: str
    tests: tuple[TestCode, ...] | None = None
    stdin: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    mode: Mode = "judged"
    coverage: bool = False
    libraries: str = ""
    runs: int = 1

    def limits_of(self, test: TestCode | None) -> Limits:
        """Return the limits of a test: those of the job, with the test's own time limit if it has one."""
        if test is None or test.seconds is None:
            return self.limits
        return replace(self.limits, wall_s=test.seconds, cpu_s=test.seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult:
    """The result of one test; ``ran`` is the number of its framework's tests that it covers.

    ``touched`` lists actions of the test whose result may differ between one process and two: ``proxy`` (it used
    an object that stayed with the answer), ``comparison`` (it used one that could not be compared with the tests' own
    values), ``given`` (it passed the answer a function, class or object that stayed with the tests).
    """

    __test__: ClassVar[bool] = False
    name: str
    outcome: str
    message: str = ""
    ran: int = 1
    touched: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JobResult:
    """The result of a job.

    ``weaker`` says why tests shared a process with the answer and why a pass has no control run, with the reasons of
    several tests separated by semicolons; ``attempts`` counts the containers that were needed. ``wall_s`` and ``cpu_s``
    are summed over the tests, ``peak_mb`` is the largest.
    """

    id: str
    outcome: str
    tests: tuple[TestResult, ...] = ()
    message: str = ""
    stdout: str = ""
    stderr: str = ""
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_mb: float = 0.0
    weaker: str = ""
    attempts: int = 1
    coverage: Mapping[str, Any] | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the result as a JSON object, in the order of the fields."""
        row = asdict(self)
        row.update(wall_s=round(self.wall_s, 6), cpu_s=round(self.cpu_s, 6), peak_mb=round(self.peak_mb, 3))
        return row


def missing_library(message: str) -> str:
    """Return the library that tests need and the sandbox lacks, as a message names it; empty for another failure."""
    _, mark, rest = message.partition(f"{LIBRARY_MISSING}: ")
    return rest.partition(_NOT_IN_SANDBOX)[0].strip() if mark else ""


class Runner(Protocol):
    """Runs jobs: the sandbox's pool, or a wrapper of it."""

    def submit(self, job: Job) -> Future[JobResult]:
        """Start a job."""
        ...


def parse_job(row: Any, number: int = 0) -> Job:
    """Read a job from a JSON object. Raises `BadInputError` naming the invalid field."""
    where = f"Job {number}" if number else "The job"
    if not isinstance(row, dict):
        raise BadInputError(f"{where} is not an object with id, language and code.")
    field_names = {item.name for item in fields(Job)}
    for name in row:
        if name not in field_names:
            raise BadInputError(f"{where} has the field {name}; there are: {', '.join(sorted(field_names))}.")
    identity = row.get("id", str(number))
    if isinstance(identity, bool) or not isinstance(identity, (str, int)):
        raise BadInputError(f"{where}: the id must be a text or a whole number.")
    for name in ("language", "code"):
        if not isinstance(row.get(name), str):
            raise BadInputError(f"{where}: there is no text in {name}.")
    mode = row.get("mode", "judged")
    if mode not in MODES:
        raise BadInputError(f"{where}: the mode must be one of {', '.join(MODES)}.")
    libraries = row.get("libraries") or ""
    if not isinstance(libraries, str) or not re.fullmatch(r"[0-9a-f]{0,64}", libraries):
        raise BadInputError(f"{where}: libraries must be the digest of a set of libraries.")
    stdin = row.get("stdin") or ""
    files = row.get("files") or {}
    if not isinstance(stdin, str) or len(row["code"]) + len(stdin) > TEXT_LIMIT:
        raise BadInputError(f"{where}: stdin must be text, and with the code under {TEXT_LIMIT // 1024**2} MB.")
    if not isinstance(files, dict) or not all(isinstance(text, str) for text in files.values()):
        raise BadInputError(f"{where}: files must map names to texts.")
    for name in files:
        if name.startswith("/") or "\x00" in name or ".." in name.split("/"):
            raise BadInputError(f"{where}: the file name {name!r} leaves the job's folder.")
    runs = row.get("runs", 1)
    if isinstance(runs, bool) or not isinstance(runs, int) or not 1 <= runs <= MAX_RUNS:
        raise BadInputError(f"{where}: runs must be a whole number from 1 to {MAX_RUNS}.")
    return Job(
        id=str(identity),
        language=row["language"],
        code=row["code"],
        tests=_parse_tests(row.get("tests"), where),
        stdin=stdin,
        files=files,
        limits=_parse_limits(row.get("limits"), where),
        mode=mode,
        coverage=bool(row.get("coverage", False)),
        libraries=libraries,
        runs=runs,
    )


def _parse_tests(value: Any, where: str) -> tuple[TestCode, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list):
        raise BadInputError(f"{where}: tests must be a list of objects with name and code, or null.")
    tests = []
    for number, item in enumerate(value, start=1):
        if not isinstance(item, dict) or not isinstance(item.get("code"), str):
            raise BadInputError(f"{where}: test {number} must be an object with name and code.")
        tests.append(TestCode(str(item.get("name") or f"test {number}"), item["code"]))
    return tuple(tests)


def _parse_limits(value: Any, where: str) -> Limits:
    if value is None:
        return Limits()
    if not isinstance(value, dict):
        raise BadInputError(f"{where}: limits must be an object.")
    defaults = {item.name: item.default for item in fields(Limits)}
    limits: dict[str, Any] = {}
    for name, number in value.items():
        if name not in defaults:
            raise BadInputError(f"{where}: there is no limit {name}; there are: {', '.join(defaults)}.")
        if isinstance(number, bool) or not isinstance(number, (int, float)) or not 0 < number <= 1_000_000:
            raise BadInputError(f"{where}: the limit {name} must be a number above 0.")
        limits[name] = float(number) if isinstance(defaults[name], float) else int(number)
    if "wall_s" in limits and "cpu_s" not in limits:
        limits["cpu_s"] = limits["wall_s"]
    return Limits(**limits)
