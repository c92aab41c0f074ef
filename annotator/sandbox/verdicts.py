"""Turn a supervisor's answers into outcomes: one per unit, and a result from all units of a job."""

from __future__ import annotations

import re
import signal
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotator.sandbox.coverage import read_report, union
from annotator.sandbox.language_imports import reports_missing
from annotator.sandbox.languages import PYTHON
from annotator.sandbox.sandbox_jobs import (
    COMPILE_ERROR,
    CRASH,
    DISPUTED,
    FAIL,
    FLAKY,
    LIBRARY_MISSING,
    MACHINERY,
    MEMORY,
    OUTPUT_LIMIT,
    PASS,
    TAMPERED,
    TIMEOUT,
    Job,
    JobResult,
    TestResult,
)
from annotator.sandbox.units import NO_KNOWN_TESTS, NOTHING_RAN, Unit
from annotator.text.syntax_trees import parse_code

_MEMORY_STATUS, _SYNTAX_STATUS = 77, 78
_MACHINERY_STATUS, _MISSING_STATUS = 70, 127
_GRAVEST_FIRST = (
    MACHINERY, COMPILE_ERROR, TIMEOUT, MEMORY, OUTPUT_LIMIT, CRASH, FAIL, TAMPERED, FLAKY, DISPUTED, PASS,
)  # fmt: skip
_MAX_MESSAGE_CHARS = 2000
_MAX_JUDGE_SHARE = 0.2
_ALARMS = ("setitimer", "signal.alarm", "import alarm")
_PANIC = re.compile(r"(panicked at \S+:\d+:\d+):\n")
"""Rust's position of a panic; its message is on the next line."""
_ERROR = re.compile(
    r"(?:Exception in thread|Caused by:|(?:[A-Za-z_$][\w.$]*)?(?:Error|Exception)\b|panic:|thread '|Error in "
    r"|(?:PHP )?Fatal error:|.*\(\w*Error\)$)"
)
"""Beginning (in Ruby the end) of the line with the reason why a program ended; a stack or a version may follow it."""
_COMPILER_CRASHES = (
    "internal compiler error",
    "exception has occurred in the compiler",
    "compiler unexpectedly panicked",
)
"""Messages of compilers about internal errors, in lower case."""
_ASSERTION = re.compile(r"^.*Assertion .* failed.*$", re.MULTILINE)

Verdict = tuple[str, tuple[TestResult, ...], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitResult:
    """The result of one unit."""

    outcome: str
    tests: tuple[TestResult, ...]
    message: str
    stdout: str = ""
    stderr: str = ""
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_mb: float = 0.0
    weaker: str = ""
    coverage: Any = None
    slowed: bool = False
    """Whether the judge used much of the test's time, or an alarm of the answer could not interrupt it."""


def sandbox_failure(unit: Unit, reason: str) -> UnitResult:
    """Return the result of a unit that could not be run through no fault of the answer."""
    return UnitResult(
        outcome=MACHINERY,
        tests=(TestResult(name=unit.name, outcome=MACHINERY, message=reason),) if unit.name else (),
        message=reason,
    )


def read_result(unit: Unit, raw: dict[str, Any]) -> UnitResult:
    """Turn a supervisor's answer into an outcome."""
    verdict_functions = {
        "program": _verdict_of_program,
        "alone": _verdict_without_tests,
        "judged": _verdict_with_tests,
        "together": _verdict_with_tests,
    }
    outcome, tests, message = _doubt_compiler(unit, raw, verdict_functions[unit.head["kind"]](unit, raw))
    steps = [record for record in _records(raw) if "step" in record] if unit.head["kind"] == "program" else []
    run = steps[-1] if steps else raw
    return UnitResult(
        outcome=outcome,
        tests=tuple(
            replace(test, name=_encodable_text(test.name), message=_encodable_text(test.message)[:_MAX_MESSAGE_CHARS])
            for test in tests
        ),
        message=_encodable_text(message)[:_MAX_MESSAGE_CHARS],
        stdout=_encodable_text(raw["stdout"]),
        stderr=_encodable_text(raw["stderr"]),
        wall_s=float(run["wall_s"]),
        cpu_s=float(run["cpu_s"]),
        peak_mb=float(run["peak_kb"]) / 1024,
        weaker=unit.weaker if unit.name else "",
        coverage=_read_coverage(unit, raw),
        slowed=_is_slowed(unit, raw),
    )


def _doubt_compiler(unit: Unit, raw: dict[str, Any], verdict: Verdict) -> Verdict:
    """Return the verdict, or disputed if the compiler crashed, or may be too old for code that a new grammar reads."""
    outcome, _, message = verdict
    if outcome != COMPILE_ERROR or unit.head["kind"] != "program":
        return verdict
    output = f"{raw['stderr']}\n{raw['stdout']}".lower()
    if any(mark in output for mark in _COMPILER_CRASHES):
        return _unit_verdict(unit, DISPUTED, f"the compiler itself broke: {message}")
    if any(mark in output for mark in unit.language.unread_marks):
        # A test may close what the code leaves open.
        readings = ((unit.code, unit.test), (f"{unit.code}\n{unit.test}",))
        if any(all(_is_readable(unit.language.name, text) for text in texts) for texts in readings):
            return _unit_verdict(unit, DISPUTED, f"the compiler of this sandbox may be too old for it: {message}")
    return verdict


def _is_readable(language: str, text: str) -> bool:
    tree = parse_code(text, language)
    return tree is None or not tree.has_error


def _is_slowed(unit: Unit, raw: dict[str, Any]) -> bool:
    used = float(raw.get("judge_cpu_s", 0.0)) > _MAX_JUDGE_SHARE * float(unit.head["limits"]["wall_s"])
    # Callbacks from the tests run in the judge's process, where the answer's own alarms do not arrive.
    return unit.head["kind"] == "judged" and (used or any(name in unit.code for name in _ALARMS))


def _encodable_text(text: str) -> str:
    """Return text that any output can encode: lone surrogates are escaped."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _records(raw: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the reports; anything else on their channel was written by the answer."""
    return [record for record in raw["records"] if isinstance(record, dict)]


def _read_coverage(unit: Unit, raw: dict[str, Any]) -> dict[str, Any] | None:
    if unit.head["kind"] != "program":
        return read_report(raw.get("coverage"))
    # Programs cannot write to the channel of the records, so its coverage can be trusted.
    return read_report(next((item["coverage"] for item in _records(raw) if "coverage" in item), None))


def _unit_verdict(unit: Unit, outcome: str, message: str) -> Verdict:
    """Return one verdict on the unit as a whole."""
    return (
        outcome,
        (TestResult(name=unit.name, outcome=outcome, message=message[:_MAX_MESSAGE_CHARS]),) if unit.name else (),
        message,
    )


def _read_touched(record: dict[str, Any]) -> tuple[str, ...]:
    touched = record.get("touched")
    return tuple(touched.split(",")) if isinstance(touched, str) and touched else ()


def _signal_name(status: int) -> str:
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"


def _exceeded_limit(unit: Unit, raw: dict[str, Any], status: int) -> tuple[str, str] | None:
    """Return the outcome and message of a unit that exceeded a limit; None if it did not."""
    limits = unit.head["limits"]
    if raw["flooded"]:
        return OUTPUT_LIMIT, f"more than {limits['output_kb']} KB of output"
    if raw["timeout"]:
        return TIMEOUT, f"not finished after {limits['wall_s']:g} s"
    marks = unit.language.memory_marks
    tail = raw["stderr"][-20_000:]
    if raw["memory"] or status == _MEMORY_STATUS or (status != 0 and any(mark in tail for mark in marks)):
        return MEMORY, f"more than {limits['memory_mb']} MB of memory"
    return None


def _verdict_of_end(unit: Unit, raw: dict[str, Any], status: int) -> Verdict:
    """Return the verdict on a program that ended by itself."""
    failed = _ASSERTION.search(raw["stderr"])
    if status == -signal.SIGABRT and failed is not None:
        return _unit_verdict(unit, FAIL, failed[0].strip())
    if status < 0:
        return _unit_verdict(unit, CRASH, f"ended by {_signal_name(status)}")
    error_lines, output_lines = (_nonblank_lines(_PANIC.sub(r"\1: ", raw[name])) for name in ("stderr", "stdout"))
    # Rust's test harness reports failures on stdout.
    messages = (
        [line for line in error_lines if _ERROR.match(line)]
        or error_lines
        or [line for line in output_lines if _ERROR.match(line)]
    )
    return _unit_verdict(unit, FAIL, messages[-1] if messages else f"exit status {status}")


def _nonblank_lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


# -- Python ------------------------------------------------------------------------------------------------------


def _verdict_without_tests(unit: Unit, raw: dict[str, Any]) -> Verdict:
    status = raw["status"]
    limited = _exceeded_limit(unit, raw, status)
    if limited is not None:
        return _unit_verdict(unit, *limited)
    if status == 0:
        return _unit_verdict(unit, PASS, "")
    if status == _SYNTAX_STATUS and "SyntaxError" in raw["stderr"]:
        return _unit_verdict(unit, COMPILE_ERROR, _verdict_of_end(unit, raw, status)[2])
    return _verdict_of_end(unit, raw, status)


def _verdict_with_tests(unit: Unit, raw: dict[str, Any]) -> Verdict:
    if raw.get("lacks"):
        return _unit_verdict(unit, MACHINERY, f"{raw['lacks']} is not in this sandbox")
    records = [record for record in _records(raw) if record.get("nonce") == unit.nonce]
    tests = tuple(
        TestResult(
            name=str(record["test"]),
            outcome=str(record.get("outcome")),
            message=str(record.get("message"))[:_MAX_MESSAGE_CHARS],
            touched=_read_touched(record),
        )
        for record in records
        if "test" in record and "load" not in record
    )
    return _blame_missing_library(unit, raw, _verdict_of_records(unit, raw, records, tests))


def _blame_missing_library(unit: Unit, raw: dict[str, Any], verdict: Verdict) -> Verdict:
    """Return the verdict, or machinery if the tests failed because they import a library that the sandbox lacks.

    An answer can print that a library is missing, but it cannot make the tests import it.
    """
    outcome, tests, message = verdict
    if outcome != FAIL:
        return verdict
    messages = "\n".join((message, *(test.message for test in tests)))
    missing = next((name for name in raw.get("absent") or () if reports_missing(PYTHON, name, messages)), None)
    return (
        verdict
        if missing is None
        else _unit_verdict(unit, MACHINERY, f"{LIBRARY_MISSING}: {missing} is not in this sandbox")
    )


def _verdict_of_records(
    unit: Unit, raw: dict[str, Any], records: list[dict[str, Any]], tests: tuple[TestResult, ...]
) -> Verdict:
    limited = _exceeded_limit(unit, raw, raw["candidate_status"] or raw["status"])
    if limited is not None:
        # The last reported failure may only be a consequence of the exceeded limit, which says more.
        reported = tests[:-1] if tests and limited[0] == MEMORY and tests[-1].outcome == FAIL else tests
        outcome, message = limited
        return outcome, (*reported, TestResult(name=unit.name, outcome=outcome, message=message)), message
    crashed = raw["candidate_status"] < 0
    loading = next((record for record in records if "load" in record), None)
    if loading is not None:
        kind = {"compile": COMPILE_ERROR, "memory": MEMORY}.get(str(loading["load"]), CRASH if crashed else FAIL)
        return _unit_verdict(
            unit,
            kind,
            f"ended by {_signal_name(raw['candidate_status'])}" if kind == CRASH else str(loading.get("message")),
        )
    done = next((record for record in records if "done" in record), None)
    if done is None:
        return _verdict_of_unfinished(unit, raw, tests)
    if done.get("memory"):
        return MEMORY, tests, f"more than {unit.head['limits']['memory_mb']} MB of memory"
    if crashed and any(test.outcome == FAIL for test in tests):
        return CRASH, tests, f"ended by {_signal_name(raw['candidate_status'])}"
    return _verdict_of_tests(unit, tests, done)


def _verdict_of_unfinished(unit: Unit, raw: dict[str, Any], tests: tuple[TestResult, ...]) -> Verdict:
    """Return the verdict on tests that did not finish: a crash, an exit, or a failure of our judge."""
    if unit.head["kind"] == "judged":
        reason = f"the judge ended with status {raw['status']}: {raw['stderr'][-300:]}"
        return MACHINERY, (*tests, TestResult(name=unit.name, outcome=MACHINERY, message=reason)), reason
    if raw["status"] < 0:
        message = f"ended by {_signal_name(raw['status'])}"
        return CRASH, (*tests, TestResult(name=unit.name, outcome=CRASH, message=message)), message
    message = f"the program left with exit status {raw['status']} before the tests were done"
    return FAIL, (*tests, TestResult(name=unit.name, outcome=FAIL, message=message)), message


def _verdict_of_tests(unit: Unit, tests: tuple[TestResult, ...], done: dict[str, Any]) -> Verdict:
    broken = next((test for test in tests if test.outcome not in (PASS, FAIL)), None)
    if broken is not None and unit.head["kind"] == "judged":
        return MACHINERY, tests, broken.message
    problem = str(done.get("problem") or "")
    if problem or broken is not None:
        # In one process the answer could have written the report, so this is its failure and not the sandbox's.
        problem = problem or "the reports of the tests cannot be read"
        readable = tuple(test for test in tests if test is not broken)
        return FAIL, (*readable, TestResult(name=unit.name, outcome=FAIL, message=problem)), problem
    if done["done"] != len(tests) or not tests:
        return _unit_verdict(unit, FAIL, "the reports of the tests are not complete")
    failed = next((test for test in tests if test.outcome != PASS), None)
    if failed is not None:
        return FAIL, tests, failed.message
    return _unit_verdict(unit, FAIL, NOTHING_RAN) if unit.runs_nothing else (PASS, tests, "")


# -- programs ----------------------------------------------------------------------------------------------------


def _verdict_of_program(unit: Unit, raw: dict[str, Any]) -> Verdict:
    """Return the verdict on all runs of a program: that of the first failed run, or flaky if other runs passed."""
    steps = [record for record in _records(raw) if "step" in record]
    if steps and "missing" in steps[-1]:
        return _unit_verdict(unit, MACHINERY, f"{steps[-1]['missing']} is not in this sandbox")
    runs = [step for step in steps if step["step"] == "run"]
    if not steps or 0 < len(runs) < unit.runs:
        limited = _exceeded_limit(unit, raw, raw["status"])
        if limited is not None:
            return _unit_verdict(unit, *limited)
        return _unit_verdict(unit, MACHINERY, f"no step was reported: {raw['stderr'][-300:]}")
    verdicts = [_verdict_of_step(unit, raw, step) for step in runs or steps[-1:]]
    verdict = next((verdict for verdict in verdicts if verdict[0] != PASS), verdicts[-1])
    if verdict[0] != MACHINERY and any((other[0] == PASS) != (verdict[0] == PASS) for other in verdicts):
        return _unit_verdict(unit, FLAKY, f"not in every run: {verdict[2]}")
    return verdict


def _verdict_of_step(unit: Unit, raw: dict[str, Any], last: dict[str, Any]) -> Verdict:
    """Return the verdict on a program by the last of its steps."""
    status = last["status"]
    # Read as an error of the sandbox only in steps before the answer runs, because the answer could print the same.
    error_lines = raw["stderr"].strip().splitlines() or [f"exit status {status}"]
    if last["step"] == "library" and status != 0:
        return _unit_verdict(unit, MACHINERY, f"{LIBRARY_MISSING}: {error_lines[-1]}")
    if last["step"] == "compile" and status == _MISSING_STATUS:
        # Libraries are named by a path, tools by a word.
        is_library = any(sign in error_lines[-1] for sign in "./")
        return _unit_verdict(
            unit, MACHINERY, f"{LIBRARY_MISSING}: {error_lines[-1]}" if is_library else error_lines[-1]
        )
    if last["step"] == "compile" and last["timeout"]:
        return _unit_verdict(unit, TIMEOUT, f"not compiled after {unit.head['limits']['compile_s']:g} s")
    # A shell reports a signal as 128 plus its number.
    ended = 128 - status if unit.language.name in ("rust", "bash") and 128 < status < 160 else status
    # SIGXCPU: the program used up its processor time before its wall time.
    late = raw["timeout"] or last["timeout"] or ended == -signal.SIGXCPU
    limited = _exceeded_limit(unit, {**raw, "timeout": late}, status)
    if limited is not None:
        return _unit_verdict(unit, *limited)
    if last["step"] == "compile":
        lines = _nonblank_lines(raw["stderr"])
        error_line = next((line for line in lines if "error" in line.lower()), lines[0] if lines else "")
        return _unit_verdict(unit, COMPILE_ERROR, error_line or f"the compiler left with exit status {status}")
    if status != 0:
        mark = unit.language.syntax_mark
        if mark and re.search(mark, raw["stderr"]):
            return _unit_verdict(unit, COMPILE_ERROR, _verdict_of_end(unit, raw, abs(status))[2])
        return _verdict_of_end(unit, raw, ended)
    if unit.nonce and not last["finished"]:
        return _unit_verdict(unit, FAIL, "the program left before the last check")
    ran = unit.tests if last["ran"] is None else last["ran"]
    if unit.nonce and unit.runs_nothing:
        return _unit_verdict(unit, MACHINERY, NO_KNOWN_TESTS)
    if unit.nonce and not ran:
        return _unit_verdict(unit, FAIL, NOTHING_RAN)
    return PASS, (TestResult(name=unit.name, outcome=PASS, message="", ran=ran),) if unit.name else (), ""


# -- jobs --------------------------------------------------------------------------------------------------------


def merge_unit_results(job: Job, results: Sequence[UnitResult], attempts: int) -> JobResult:
    """Return the job's result: the gravest outcome of its tests, with the output of the first such test."""
    first = min(results, key=lambda result: _GRAVEST_FIRST.index(result.outcome))
    return JobResult(
        id=job.id,
        outcome=first.outcome,
        tests=tuple(test for result in results for test in result.tests),
        message=first.message,
        stdout=first.stdout,
        stderr=first.stderr,
        wall_s=sum(result.wall_s for result in results),
        cpu_s=sum(result.cpu_s for result in results),
        peak_mb=max(result.peak_mb for result in results),
        weaker="; ".join(dict.fromkeys(result.weaker for result in results if result.weaker)),
        attempts=attempts,
        coverage=union([result.coverage for result in results if result.coverage]),
    )
