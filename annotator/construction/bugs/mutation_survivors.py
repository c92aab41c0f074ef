"""How strong tests are: which mutants of a reference survive them, and the input that would kill each
(specification, task construction, 2.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotator.construction import canonical
from annotator.construction.bugs.proofs import Baseline, Start, first_difference
from annotator.construction.canonical import Form
from annotator.construction.edits import Proposal
from annotator.construction.languages import calls as foreign
from annotator.construction.languages.values import expression
from annotator.construction.material import PYTHON, ConstructionError, Material
from annotator.construction.sandbox_probe import LIMIT_FACTOR, Run, fingerprints, is_collected, start_calls, start_tests
from annotator.sandbox import Runner, TestCode

RANDOM_INPUTS = 1000
FOREIGN_INPUTS = 100
"""So many in other languages, where every call is written into a program that is compiled or read again."""
_FOREIGN_LIMIT_S = 0.1
_TOGETHER = 4
"""So many tests that are collected are run before the changes that they notice are left out."""
_LEAST_S = 0.5
"""A test has at least so much processor time with a change; one that does not end is noticed all the same."""


@dataclass(frozen=True, slots=True)
class Survivor:
    """A mutant that no test fails. ``killing`` are arguments that tell it from the reference, None if none was found;
    ``test`` is the test that they would make. Inputs were ``searched`` only where calls of the tests are known."""

    proposal: Proposal
    killing: tuple[Form, ...] | None
    test: TestCode | None
    searched: bool = True

    @property
    def probably_equivalent(self) -> bool:
        """Whether inputs were searched, and none was found that tells it from the reference."""
        return self.searched and self.killing is None


@dataclass(frozen=True, slots=True)
class Strength:
    """What the tests see of the mutants: killed ones, survivors that some input would kill, and the rest."""

    killed: int
    survivors: tuple[Survivor, ...]

    @property
    def gaps(self) -> tuple[Survivor, ...]:
        """Survivors that are not probably equivalent: what the tests do not see."""
        return tuple(item for item in self.survivors if not item.probably_equivalent)

    @property
    def score(self) -> float | None:
        """The share of the mutants killed, of those that are not probably equivalent; None without any."""
        count = self.killed + len(self.gaps)
        return self.killed / count if count else None


def strength(baseline: Baseline, proposals: Sequence[Proposal], runner: Runner) -> Strength:
    """Judge the tests by changes of the reference: one that fails a test, or does not load, is killed.

    Changes that are the same program as the reference, or as an earlier change, do not count. Each survivor gets a
    thousand random inputs like the captured ones, a hundred in other languages than Python.
    """
    if not proposals:
        return Strength(0, ())
    run = Run(limit_s=max(_LEAST_S, LIMIT_FACTOR * baseline.slowest_s), first_failure=True)
    distinct = alive = _distinct(baseline, proposals, runner)
    for material in _in_parts(baseline.material):
        started = [start_tests(material, item.code, run, runner) for item in alive]
        alive = [item for item, read in zip(alive, started, strict=True) if read().whole]
    codes = [item.code for item in alive]
    if baseline.material.language == PYTHON:
        inputs = first_difference(baseline, codes, runner, count=RANDOM_INPUTS)
    else:
        inputs = first_difference(baseline, codes, runner, count=FOREIGN_INPUTS, start=_starting(baseline, runner))
    found = []
    for proposal, killing in zip(alive, inputs, strict=True):
        test = None if killing is None else killing_test(baseline, killing, runner)
        arguments = None if killing is None else tuple(killing)
        found.append(Survivor(proposal, arguments, test, bool(baseline.calls)))
    return Strength(len(distinct) - len(alive), tuple(found))


def _in_parts(material: Material) -> Iterator[Material]:
    """Yield the material with some of its tests after the others: of those that are collected each costs a process."""
    step = _TOGETHER if is_collected(material) else len(material.tests)
    for start in range(0, len(material.tests), step):
        yield replace(material, tests=material.tests[start : start + step])


def _distinct(baseline: Baseline, proposals: Sequence[Proposal], runner: Runner) -> list[Proposal]:
    codes = [baseline.material.code, *(item.code for item in proposals)]
    marks = fingerprints(codes, runner) if baseline.material.language == PYTHON else codes
    first = {mark: number for number, mark in reversed(list(enumerate(marks)))}
    return [item for n, item in enumerate(proposals, start=1) if marks[n] is not None and first[marks[n]] == n]


def _starting(baseline: Baseline, runner: Runner) -> Start:
    """Return what starts calls in another language than Python; a program that cannot be called gives no answers."""

    def start(
        code: str, calls: Sequence[list[Form]], _limit_s: float, _patience: int
    ) -> Callable[[], list[dict[str, Any]]]:
        changed = replace(baseline.material, code=code)
        try:
            return foreign.start_calls(changed, foreign.signature_of(changed), calls, _FOREIGN_LIMIT_S, runner)
        except ConstructionError:
            return list

    return start


def killing_test(baseline: Baseline, arguments: Sequence[Form], runner: Runner) -> TestCode | None:
    """Return the test that an input makes: the reference's own answer is what is expected.

    None where the reference gives no plain value, or no test can be written (Java, C++).
    """
    material = baseline.material
    if material.language in foreign.SCRIPTS:
        return _script_test(material, arguments, _starting(baseline, runner))
    if material.language != PYTHON:
        return None
    answers = start_calls(material.code, material.entry_point, [(list(arguments), {})], runner)()
    if not answers or "output" not in answers[0]:
        return None
    given = ", ".join(canonical.show(form) for form in arguments)
    call, expected = f"{material.entry_point}({given})", canonical.show(answers[0]["output"])
    return TestCode(f"gap {call}"[:80], f"{_needed(given + expected)}assert {call} == {expected}\n")


def _script_test(material: Material, arguments: Sequence[Form], start: Start) -> TestCode | None:
    answers = start(material.code, [list(arguments)], _FOREIGN_LIMIT_S, 1)()
    if not answers or "output" not in answers[0]:
        return None
    parts = [expression(form, "", material.language) for form in (*arguments, answers[0]["output"])]
    if None in parts:
        return None
    *given, expected = [str(part) for part in parts]
    call = f"{material.entry_point}({', '.join(given)})"
    return TestCode(f"gap {call}"[:80], f"require('node:assert').deepStrictEqual({call}, {expected});\n")


def _needed(text: str) -> str:
    """Return the imports that values as they are shown need."""
    lines = {"np.": "import numpy as np\n", "deque(": "from collections import deque\n"}
    lines["fromisoformat("] = "from datetime import date, datetime, time\n"
    lines["timedelta("] = "from datetime import timedelta\n"
    return "".join(line for mark, line in lines.items() if mark in text)
