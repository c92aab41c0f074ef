"""The input and output of building a program: from code and tests to files to write and commands to run."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from functools import lru_cache

from annotator.base.resources import resource_path

_KEY = "ANNOTATOR_KEY"


@dataclass(frozen=True, slots=True)
class ProgramStep:
    """One command of a program: ``kind`` is library (it checks for one that the test needs), compile or run.

    ``needs`` are the tools it starts in addition to its own first word.
    """

    kind: str
    argv: tuple[str, ...]
    env: tuple[tuple[str, str], ...] = ()
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxProgram:
    """Files to write and commands to run, in order.

    ``guards`` maps the names of guards in the folder of tools to their text. Each job brings its own guards, so that
    changing one needs no new image. ``secrets`` are the files to remove before the program runs.
    ``coverage`` is the way to measure coverage (v8, gcov or jacoco) and the number of lines before the code.
    ``tests`` is the number of tests it runs, None if only its guard knows. With ``compiled_nonce`` the nonce is
    compiled into the guard, which does not receive it at run time.
    """

    files: dict[str, str]
    steps: tuple[ProgramStep, ...]
    coverage: tuple[str, int] | None = None
    guards: dict[str, str] = field(default_factory=dict)
    secrets: tuple[str, ...] = ()
    tests: int | None = 1
    compiled_nonce: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramRequest:
    """The parts to build a program from; ``test`` is None to run the code alone.

    ``tools`` is the folder of the image's guards. ``key`` is part of the names that only the tests may call: the code
    cannot guess it. ``nonce`` must be returned by a guard; programs that compile it in do not get it at run time.
    """

    code: str
    test: str | None
    memory_mb: int
    tools: str
    coverage: bool = False
    key: str = "0" * 16
    nonce: str = "0" * 32


def run_step(*argv: str, env: tuple[tuple[str, str], ...] = (), needs: tuple[str, ...] = ()) -> ProgramStep:
    """Return a step that runs the program."""
    return ProgramStep("run", argv, env, needs)


def compile_step(*argv: str, env: tuple[tuple[str, str], ...] = ()) -> ProgramStep:
    """Return a step that compiles the program."""
    return ProgramStep("compile", argv, env)


def check_tool(tool: str) -> str:
    """Return the shell command that reports a missing tool, in the same words as the supervisor."""
    return f"command -v {tool} >/dev/null || {{ echo '{tool} is not in this sandbox' >&2; exit 127; }}; "


@lru_cache(maxsize=32)
def _read(folder: str, name: str) -> str:
    return resource_path("sandbox", folder, name).read_text(encoding="utf-8")


def start_file(name: str) -> str:
    """Return a start-up script of a runtime. It is written beside the program, so images need no copy."""
    return _read("starts", name)


def guard_file(name: str, key: str) -> str:
    """Return a guard with its key."""
    return _read("guards", name).replace(_KEY, key)


def hide_nonce(nonce: str) -> str:
    """Return two lists of numbers in braces whose XOR is the nonce, so that a search for its text finds nothing."""
    pad = secrets.token_bytes(len(nonce))
    hidden = bytes(one ^ other for one, other in zip(nonce.encode("ascii"), pad, strict=True))
    return ", ".join("{" + ", ".join(str(item) for item in part) + "}" for part in (pad, hidden))
