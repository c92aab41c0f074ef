"""Build the units that a supervisor runs for a job: one per test, with the test's own time limit if it has one."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from annotator.sandbox import languages, python_tests
from annotator.sandbox.altered_tests import alter_tests
from annotator.sandbox.languages import Language
from annotator.sandbox.libraries import LIBRARIES, with_libraries
from annotator.sandbox.programs.program import ProgramRequest, SandboxProgram
from annotator.sandbox.programs.test_libraries import library_check_steps
from annotator.sandbox.sandbox_jobs import FAIL, NO_CODE, Job, JobResult, Limits, Mode, TestCode

MAX_SLOWDOWN = 10.0
"""Maximum factor on a job's time limit while it waits for a processor. At a load of 25 on two cores, 4 was too low for
correct answers."""
NOTHING_RAN = "No test was run."
NO_KNOWN_TESTS = (
    "the tests hold nothing that is run here: no main, and no case of a known framework that is not skipped"
)
ONE_PROGRAM = "code and tests are one program, so the code could change what its tests see"
Look = Literal["judged", "again", "sample", "shared", "control"]
"""How a Python test is run. In a process of its own: first (*judged*), once more (*again*), with altered expected
values (*sample*). In one process with the answer: unaltered (*shared*), with altered expected values (*control*)."""
_REQUESTED_MODES = {"fast": "fast mode was asked for", "shared": "the item's tests share a process with the answer"}
_LIMITS = tuple(item.name for item in fields(Limits))


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One piece of work for a supervisor: its frame, the parts that follow, and the image it runs in.

    ``code`` and ``test`` are kept to explain a failure.
    """

    name: str
    head: dict[str, Any]
    parts: tuple[bytes, ...]
    group: str
    preload: tuple[str, ...]
    nonce: str
    weaker: str
    language: Language
    runs_nothing: bool = False
    tests: int = 1
    runs: int = 1
    code: str = ""
    test: str = ""


def units_of(job: Job, tools: str) -> tuple[Unit, ...] | JobResult:
    """Return the units of a job, or its result if nothing needs to be run. Raises `BadInputError` (language)."""
    language = languages.find_language(job.language)
    if not job.code.strip():
        return JobResult(id=job.id, outcome=NO_CODE, message="There is no code.")
    if job.tests is not None and not job.tests:
        return JobResult(id=job.id, outcome=FAIL, message=NOTHING_RAN)
    tests: Sequence[TestCode | None] = job.tests if job.tests is not None else (None,)
    if language.name == languages.PYTHON:
        return tuple(_python_unit(job, language, test) for test in tests)
    return tuple(_program_unit(job, language, test, tools) for test in tests)


def command_unit(group: str, argv: tuple[str, ...], seconds: float = 10.0) -> Unit:
    """Return a unit that runs one command in a group's image, to inspect the image; ``seconds`` is its limit."""
    language = languages.find_language("bash")
    part = {"files": {}, "stdin": "", "nonce": "", "steps": [{"kind": "run", "argv": list(argv), "env": {}}]}
    payload = _utf8(json.dumps(part))
    limits = _frame_limits(Limits(wall_s=seconds, cpu_s=seconds), replace(language, processes=96), seconds + 10)
    head = {"kind": "program", "limits": limits, "sizes": [0, len(payload)], "data_limit": False}
    return Unit(name="", head=head, parts=(payload,), group=group, preload=(), nonce="", weaker="", language=language)


def _frame_limits(allowed: Limits, language: Language, seconds: float) -> dict[str, Any]:
    limits: dict[str, Any] = {name: getattr(allowed, name) for name in _LIMITS}
    limits["processes"] = max(limits["processes"], language.processes)
    limits["total_s"] = seconds
    limits["longest"] = MAX_SLOWDOWN
    return limits


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def further_look_unit(job: Job, test: TestCode, look: Look) -> Unit:
    """Return the unit of a further run of a Python test; coverage is measured only if ``look`` is shared."""
    style = python_tests.inspect_tests(test.code)
    mode: Mode = "judged" if look in ("again", "sample") else "shared"
    repeated_job = replace(job, mode=mode, coverage=job.coverage and look == "shared")
    if look in ("sample", "control"):
        return _python_unit(
            repeated_job, languages.find_language(job.language), replace(test, code=alter_tests(test.code, style.style))
        )
    return _python_unit(repeated_job, languages.find_language(job.language), test)


def newer_python_unit(job: Job, test: TestCode) -> Unit:
    """Return the unit of a Python test in the current Python."""
    unit = _python_unit(replace(job, coverage=False), languages.find_language(job.language), test)
    return replace(unit, group=languages.NEWER_PYTHON)


def first_look(job: Job, test: TestCode) -> Look:
    """Return how a Python test of a job runs first."""
    return "judged" if job.mode == "judged" and not python_tests.inspect_tests(test.code).same_process else "shared"


def _python_unit(job: Job, language: Language, test: TestCode | None) -> Unit:
    limits = job.limits_of(test)
    preload, style, weaker, nonce = list(python_tests.preloads_of(job.code)), "", "", ""
    kind, name, test_source = "alone", "", b""
    shadowed: tuple[str, ...] = ()
    needed_libraries: list[str] = []
    if test is not None:
        look = python_tests.inspect_tests(test.code)
        name, style, test_source = test.name, look.style, _utf8(test.code)
        preload += look.preload
        shadowed = look.shadowed
        own_modules = {name.partition("/")[0].removesuffix(".py") for name in job.files}
        needed_libraries = [library for library in look.libraries if library not in own_modules]
        requested_reason = _REQUESTED_MODES.get(job.mode, "")
        weaker = look.same_process or (requested_reason and look.uncertain) or requested_reason
        kind = "together" if weaker else "judged"
    if kind == "together":
        nonce = secrets.token_hex(16)
    # Raw parts cost the job's process less than JSON; few jobs have more than code and tests.
    extra = json.dumps({"files": dict(job.files), "stdin": job.stdin}) if job.files or job.stdin else ""
    parts = (_utf8(job.code), _utf8(extra), test_source, nonce.encode("ascii"))
    head = {
        "kind": kind,
        "name": name,
        "style": style,
        "limits": _frame_limits(limits, language, limits.wall_s),
        "sizes": [len(part) for part in parts],
        "coverage": secrets.token_hex(8) if job.coverage else "",
        "lines": len(job.code.splitlines()),
        "shadowed": shadowed,
        "named": needed_libraries,
    }
    group, needed = language.group, tuple(sorted(set(preload)))
    if job.libraries:
        # Only the children load them: the supervisor must not run third-party code.
        group, needed = with_libraries(language.group, job.libraries), ()
        head["libraries"] = LIBRARIES
    nothing = test is not None and python_tests.inspect_tests(test.code).runs_nothing
    return Unit(
        name=name,
        head=head,
        parts=parts,
        group=group,
        preload=needed,
        nonce=nonce,
        weaker=weaker,
        language=language,
        runs_nothing=nothing,
        code=job.code,
        test=test.code if test else "",
    )


def _program_unit(job: Job, language: Language, test: TestCode | None, tools: str) -> Unit:
    assert language.build is not None
    limits = job.limits_of(test)
    nonce, key = "" if test is None else secrets.token_hex(16), secrets.token_hex(8)
    program = language.build(
        ProgramRequest(
            code=job.code,
            test=None if test is None else test.code,
            memory_mb=limits.memory_mb,
            tools=tools,
            coverage=job.coverage,
            key=key,
            nonce=nonce,
        )
    )
    files, program = _add_guard_files(program, tools, key)
    library_steps = () if test is None else library_check_steps(language.name, job.code, test.code)
    part: dict[str, Any] = {
        "files": {**job.files, **files},
        "stdin": job.stdin,
        "nonce": nonce,
        "compiled_nonce": program.compiled_nonce,
        "secrets": program.secrets,
        "steps": [
            {"kind": step.kind, "argv": list(step.argv), "env": dict(step.env), "needs": step.needs}
            for step in (*library_steps, *program.steps)
            for _ in range(job.runs if step.kind == "run" else 1)
        ],
    }
    if job.coverage and program.coverage is not None and test is not None:
        kind, before = program.coverage
        part["coverage"] = {"kind": kind, "before": before, "lines": len(job.code.splitlines())}
    compiles = any(step.kind == "compile" for step in program.steps)
    seconds = limits.wall_s * job.runs + (limits.compile_s if compiles else 0) + 1
    # The supervisor counts the output of all runs together.
    limits = replace(limits, output_kb=limits.output_kb * job.runs, kept_kb=limits.kept_kb * job.runs)
    payload = _utf8(json.dumps(part))
    frame_limits = _frame_limits(limits, language, seconds)
    head = {"kind": "program", "limits": frame_limits, "sizes": [0, len(payload)], "data_limit": False}
    # Of the languages of this function, only JavaScript has sets of libraries so far.
    sets = job.libraries if language.group == "javascript" else ""
    name, weaker = ("", "") if test is None else (test.name, ONE_PROGRAM)
    return Unit(
        name=name,
        head=head,
        parts=(payload,),
        group=with_libraries(language.group, sets) if sets else language.group,
        preload=(),
        nonce=nonce,
        weaker=weaker,
        language=language,
        runs_nothing=test is not None and program.tests == 0,
        tests=program.tests or 1,
        runs=job.runs,
        code=job.code,
        test=test.code if test else "",
    )


def _add_guard_files(program: SandboxProgram, tools: str, key: str) -> tuple[dict[str, str], SandboxProgram]:
    """Return the files of a program and its guards, and the program with its commands adapted to their names."""
    if not program.guards:
        return program.files, program

    def rename_tools(text: str) -> str:
        return text.replace(f"{tools}/guard", f"./.{key}")

    steps = tuple(replace(step, argv=tuple(map(rename_tools, step.argv))) for step in program.steps)
    renamed_program = replace(
        program, steps=steps, secrets=tuple(rename_tools(f"{tools}/{name}") for name in program.secrets)
    )
    return program.files | {
        rename_tools(f"{tools}/{name}"): text for name, text in program.guards.items()
    }, renamed_program
