"""Programs with the lines and arms that their language's own tools count, and answers that fake coverage reports.

The numbers were taken from coverage.py, c8 (of TypeScript through esbuild's source map), JaCoCo's agent and gcov, each
run by hand on the code as a file of its own with every test a process of its own. Arms that gcov marks as ``throw`` are
left out, and so are those of blocks that only an error reaches and none did, and the functions that esbuild adds to
hand exports out: they are nobody's code.
"""

from __future__ import annotations

from dataclasses import dataclass

from annotator.sandbox import Job, Limits, TestCode
from tests.samples import load_samples

LIMITS = Limits(wall_s=20.0, cpu_s=20.0)


@dataclass(frozen=True, slots=True)
class Sample:
    """A program, its tests, the lines that none of them ran, and the lines with arms: those taken and all."""

    name: str
    language: str
    code: str
    tests: tuple[str, ...]
    lines: int
    missing: tuple[int, ...]
    arms: tuple[tuple[int, int, int], ...]


_TABLES = load_samples(__file__)
SAMPLES = tuple(
    Sample(
        **{
            **row,
            "tests": tuple(row["tests"]),
            "missing": tuple(row["missing"]),
            "arms": tuple(tuple(arm) for arm in row["arms"]),
        }
    )
    for row in _TABLES["samples"]
)
FORGERIES = tuple(
    Job(
        id=row["name"],
        language=row["language"],
        code=row["code"],
        tests=(TestCode("t", row["test"]),),
        limits=LIMITS,
        coverage=True,
    )
    for row in _TABLES["forgeries"]
)
