"""Measure how strong tests are: which mutants of the reference survive, and an input that would kill each
(specification, task construction, 2.4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotator.base.resources import resource_path
from annotator.construction import canonical
from annotator.construction.bugs.bug_proofs import Baseline, StartCalls, find_differences
from annotator.construction.canonical import Form
from annotator.construction.edits import Proposal
from annotator.construction.languages import language_calls as foreign
from annotator.construction.languages.language_calls import SCRIPTS
from annotator.construction.languages.language_values import foreign_expression
from annotator.construction.sandbox_probe import (
    LIMIT_FACTOR,
    RunOptions,
    code_fingerprints,
    is_collected,
    start_python_calls,
    start_tests,
)
from annotator.construction.task_material import PYTHON, ConstructionError, Material
from annotator.sandbox import Runner, TestCode

_WRAPPER_FILES = {PYTHON: "changed_results.py", **dict.fromkeys(SCRIPTS, "changed_results.js")}


@dataclass(frozen=True, slots=True)
class ResultChange:
    """One way to change results. If ``prompt_pattern`` is set, the change only counts for prompts that match it."""

    kind: str
    explanation: str
    prompt_pattern: re.Pattern[str] | None = None


CHANGES = (
    ResultChange("shorter", "the last part of the result is missing"),
    ResultChange("empty_end", "an empty last part of the result is missing"),
    ResultChange("longer", "the last part of the result is repeated"),
    ResultChange("number", "the number returned is too large"),
    ResultChange("case", "the text returned has its letters in the other case"),
    ResultChange(
        "order",
        "the result is in the opposite order",
        re.compile(r"\b(?:sort|order|ascend|descend|first|last|stable|earliest|latest|ranked|oldest|newest)", re.I),
    ),
    ResultChange(
        "error", "another exception is raised", re.compile(r"\b(?:[A-Z]\w*(?:Error|Exception)|StopIteration)\b")
    ),
    ResultChange(
        "arguments",
        "the function changes its arguments",
        re.compile(
            r"mutat|modif|unchanged|untouched|intact|in[- ]place|side[- ]effect|\bnew (?:list|dict|set|arr|obj)", re.I
        ),
    ),
)


def result_changes(language: str, prompt: str) -> tuple[ResultChange, ...]:
    """Return the changes that apply to the results of a function a prompt asks for; none in most languages."""
    if language not in _WRAPPER_FILES:
        return ()
    return tuple(change for change in CHANGES if change.prompt_pattern is None or change.prompt_pattern.search(prompt))


def with_changed_results(
    code: str, language: str, names: Sequence[str], kind: str, *, should_exit: bool = False
) -> str:
    """Return a program that changes the results of the named functions.

    With ``should_exit`` the program ends instead at the first result it would change, which shows whether there is one.
    """
    if language in SCRIPTS:
        for name in names:
            code = re.sub(rf"^((?:export\s+)?)const(?=\s+{re.escape(name)}\s*[=:])", r"\1let", code, flags=re.MULTILINE)
    wrapper = (resource_path("construction") / _WRAPPER_FILES[language]).read_text(encoding="utf-8")
    # These lines are valid in all supported languages.
    calls = "".join(f"{name} = annotator_changed({name}, '{kind}', {int(should_exit)});\n" for name in names)
    return f"{code.rstrip()}\n\n\n{wrapper}\n\n{calls}"


_RESERVES_CAPACITY = re.compile(
    r"(?:\b(?:with_capacity|reserve|ensureCapacity|EnsureCapacity|[mc]alloc|realloc)\s*\("
    r"|\bnew\s+(?:\w+\.)*\w*(?:Map|Set|List|Builder|Buffer|Queue|Deque|Vector|Dictionary|Stack)(?:<[^()]*>)?\s*\("
    # The third argument of Go's make is the capacity, the second the length.
    r"|\bmake\s*\([^()]*,[^()]*,)[^()]*$"
)


def changes_capacity(proposal: Proposal) -> bool:
    """Return whether a change affects the capacity that a call reserves."""
    pairs = zip(proposal.reference, proposal.code, strict=False)
    index = next((index for index, (old, new) in enumerate(pairs) if old != new), len(proposal.reference))
    before = proposal.reference[:index]
    # A boolean argument there is an option and not a capacity.
    return proposal.operator != "bool_flip" and _RESERVES_CAPACITY.search(before[before.rfind("\n") + 1 :]) is not None


RANDOM_INPUTS = 1000
FOREIGN_INPUTS = 100
"""Fewer in other languages, where every call is part of a program that must be compiled or parsed again."""
_FOREIGN_LIMIT_S = 0.1
"""The time limit of one call in other languages, in seconds."""
_TESTS_PER_PART = 4
"""Number of collected tests to run before killed mutants are dropped."""
_MIN_LIMIT_S = 0.5
"""Minimum processor time limit of a test on a mutant; endless loops still exceed it."""


@dataclass(frozen=True, slots=True)
class Survivor:
    """A mutant that fails no test.

    ``killing`` are arguments for which it differs from the reference, None if none were found; ``test`` is a test with
    them. Inputs are ``searched`` only if calls of the tests are known.
    """

    proposal: Proposal
    killing: tuple[Form, ...] | None
    test: TestCode | None
    searched: bool = True

    @property
    def probably_equivalent(self) -> bool:
        """Whether a search found no input for which it differs from the reference."""
        return self.searched and self.killing is None


@dataclass(frozen=True, slots=True)
class SuiteStrength:
    """The result of running the tests on mutants: the number killed, and the survivors."""

    killed: int
    survivors: tuple[Survivor, ...]

    @property
    def gaps(self) -> tuple[Survivor, ...]:
        """Survivors that are not probably equivalent: the gaps in the tests."""
        return tuple(item for item in self.survivors if not item.probably_equivalent)

    @property
    def score(self) -> float | None:
        """The share of killed mutants among those that are not probably equivalent; None if there are none."""
        count = self.killed + len(self.gaps)
        return self.killed / count if count else None


def measure_strength(baseline: Baseline, proposals: Sequence[Proposal], runner: Runner) -> SuiteStrength:
    """Measure the tests by mutants of the reference; a mutant that fails a test, or does not load, is killed.

    Mutants equal to the reference or to an earlier mutant do not count. Each survivor is tried on a thousand random
    inputs similar to the captured ones, on a hundred in languages other than Python.
    """
    if not proposals:
        return SuiteStrength(0, ())
    options = RunOptions(limit_s=max(_MIN_LIMIT_S, LIMIT_FACTOR * baseline.slowest_s), stop_at_failure=True)
    distinct = alive = _distinct_proposals(baseline, proposals, runner)
    for material in _in_parts(baseline.material):
        pending = [start_tests(material, mutant.code, options, runner) for mutant in alive]
        alive = [mutant for mutant, read_matrix in zip(alive, pending, strict=True) if read_matrix().all_passed]
    codes = [mutant.code for mutant in alive]
    if baseline.material.language == PYTHON:
        inputs = find_differences(baseline, codes, runner, count=RANDOM_INPUTS)
    else:
        inputs = find_differences(baseline, codes, runner, count=FOREIGN_INPUTS, start=_call_starter(baseline, runner))
    survivors = []
    for proposal, killing in zip(alive, inputs, strict=True):
        test = None if killing is None else killing_test(baseline, killing, runner)
        arguments = None if killing is None else tuple(killing)
        survivors.append(Survivor(proposal, arguments, test, bool(baseline.calls)))
    return SuiteStrength(len(distinct) - len(alive), tuple(survivors))


def _in_parts(material: Material) -> Iterator[Material]:
    """Yield the material with one part of its tests at a time; each collected test costs a process."""
    step = _TESTS_PER_PART if is_collected(material) else len(material.tests)
    for start in range(0, len(material.tests), step):
        yield replace(material, tests=material.tests[start : start + step])


def _distinct_proposals(baseline: Baseline, proposals: Sequence[Proposal], runner: Runner) -> list[Proposal]:
    codes = [baseline.material.code, *(item.code for item in proposals)]
    fingerprints = code_fingerprints(codes, runner) if baseline.material.language == PYTHON else codes
    first_numbers = {fingerprint: number for number, fingerprint in reversed(list(enumerate(fingerprints)))}
    return [
        item
        for number, item in enumerate(proposals, start=1)
        if fingerprints[number] is not None and first_numbers[fingerprints[number]] == number
    ]


def _call_starter(baseline: Baseline, runner: Runner) -> StartCalls:
    """Return a function that starts calls in languages other than Python.

    A program that cannot be called gives no answers.
    """

    def start(
        code: str, calls: Sequence[list[Form]], _limit_s: float, _patience: int
    ) -> Callable[[], list[dict[str, Any]]]:
        changed = replace(baseline.material, code=code)
        try:
            return foreign.start_foreign_calls(
                changed, foreign.read_foreign_signature(changed), calls, _FOREIGN_LIMIT_S, runner
            )
        except ConstructionError:
            return list

    return start


def killing_test(baseline: Baseline, arguments: Sequence[Form], runner: Runner) -> TestCode | None:
    """Return a test that expects the reference's answer for an input.

    None if the reference returns no plain value, or no test can be written (Java, C++).
    """
    material = baseline.material
    if material.language in foreign.SCRIPTS:
        return _script_test(material, arguments, _call_starter(baseline, runner))
    if material.language != PYTHON:
        return None
    answers = start_python_calls(material.code, material.entry_point, [(list(arguments), {})], runner)()
    if not answers or "output" not in answers[0]:
        return None
    argument_text = ", ".join(canonical.form_text(form) for form in arguments)
    call = f"{material.entry_point}({argument_text})"
    expected = canonical.form_text(answers[0]["output"])
    return TestCode(f"gap {call}"[:80], f"{_needed_imports(argument_text + expected)}assert {call} == {expected}\n")


def _script_test(material: Material, arguments: Sequence[Form], start: StartCalls) -> TestCode | None:
    answers = start(material.code, [list(arguments)], _FOREIGN_LIMIT_S, 1)()
    if not answers or "output" not in answers[0]:
        return None
    parts = [foreign_expression(form, "", material.language) for form in (*arguments, answers[0]["output"])]
    if None in parts:
        return None
    *argument_texts, expected = [str(part) for part in parts]
    call = f"{material.entry_point}({', '.join(argument_texts)})"
    return TestCode(f"gap {call}"[:80], f"require('node:assert').deepStrictEqual({call}, {expected});\n")


def _needed_imports(text: str) -> str:
    """Return the imports that displayed values need."""
    lines = {"np.": "import numpy as np\n", "deque(": "from collections import deque\n"}
    lines["fromisoformat("] = "from datetime import date, datetime, time\n"
    lines["timedelta("] = "from datetime import timedelta\n"
    return "".join(line for marker, line in lines.items() if marker in text)
