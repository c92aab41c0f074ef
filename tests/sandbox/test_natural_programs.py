"""Programs and tests as chat models write them, a file a language: each gets the verdict on its first line.

Those marked ``long`` are compiled slowly, and their tests are written like those of others in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from annotator.sandbox import Job, Limits, Pool, TestCode, find_language

PROGRAMS = Path(__file__).parent / "natural"
LIMITS = Limits(wall_s=30.0, cpu_s=30.0)
OUTCOMES = {
    "pass": ("pass",),
    "not failed": ("pass", "disputed"),
    "fail": ("fail", "compile_error", "crash", "timeout"),
    "held": ("fail", "crash", "disputed", "tampered"),
    "machinery": ("machinery",),
    "tampered": ("tampered",),
}


def _cases(path: Path, *, is_long: bool) -> Iterator[tuple[str, Job]]:
    """Yield each program of a file that is marked so, with its verdict."""
    for part in re.split(r"^#### ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        head, _, body = part.partition("\n")
        name, _, verdict = head.rpartition(" | ")
        verdict, _, mark = verdict.partition(", ")
        if (mark == "long") != is_long:
            continue
        code, test = re.split(r"^---- test\n", body, flags=re.MULTILINE)
        yield (
            verdict,
            Job(
                id=name, language=find_language(path.stem).name, code=code, tests=(TestCode("t", test),), limits=LIMITS
            ),
        )


def _check(languages: Pool, cases: Sequence[tuple[str, Job]]) -> None:
    results = list(languages.run([job for _, job in cases]))
    wrong = {
        job.id: (verdict, result.outcome, result.message, result.stderr[-1000:])
        for (verdict, job), result in zip(cases, results, strict=True)
        if result.outcome not in OUTCOMES[verdict]
    }
    assert wrong == {}


@pytest.mark.sandbox
@pytest.mark.parametrize("path", sorted(PROGRAMS.glob("*.txt")), ids=lambda path: path.stem)
def test_programs_of_chat_models_get_their_verdicts(languages: Pool, path: Path) -> None:
    _check(languages, list(_cases(path, is_long=False)))


@pytest.mark.sandbox
@pytest.mark.parametrize("name", ["cpp", "csharp", "go", "java", "r", "rust"])
def test_more_programs_get_their_verdicts(languages: Pool, name: str) -> None:
    _check(languages, list(_cases(PROGRAMS / f"{name}.txt", is_long=True)))
