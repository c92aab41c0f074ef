"""How strong the tests of an item are, as a part of its proof: small changes of the reference that they do not notice,
and for each the test that would."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from annotator.construction.bugs.logic import logic_bugs, variable_bugs
from annotator.construction.bugs.mutation_survivors import Survivor, strength
from annotator.construction.bugs.proofs import Baseline, check_reference
from annotator.construction.edits import Proposal
from annotator.construction.material import PYTHON, ConstructionError, Material
from annotator.construction.test_splitting import split_tests
from annotator.construction.understanding.captured_calls import CaptureLimits, capture
from annotator.criteria.proof.checks import Check, Judge, Trial, mutants_check
from annotator.sandbox import Runner, TestCode
from annotator.text.python_tree import UNREADABLE, read_tree

CHANGES = 40
"""So many changes of one reference are tried; more tell little more."""


def strength_check(
    judge: Judge,
    answer: str,
    entry_point: str,
    report: Callable[[str], object] = lambda _: None,
) -> Check | None:
    """Try changes of a right answer's code on the tests that judge it (specification, task construction, 2.4).

    None where there is nothing to try: no sandbox, no tests, another language than Python, or tests that do not allow
    it (they fail when each is run alone).
    """
    runner = judge.sandbox
    material = None if runner is None else _material(judge, answer, entry_point)
    if runner is None or material is None:
        return None
    report("changed code")
    baseline, lines = _baseline(material, judge.code_lines(answer), runner)
    proposals = _changes(baseline.material.code, lines) if baseline is not None else ()
    if baseline is None or not proposals:
        return None
    found = strength(baseline, proposals, runner)
    trials = [
        Trial(
            f"line {_line(item.proposal, lines)}: {item.proposal.explanation}",
            "mutant",
            "fail",
            None,
            None if item.probably_equivalent else False,
            _seen(item),
            _own(item.proposal, lines),
            item.test.code if item.test else "",
        )
        for item in sorted(found.survivors, key=lambda item: item.probably_equivalent)
    ]
    return mutants_check(found.killed, trials)


def _seen(item: Survivor) -> str:
    if item.probably_equivalent:
        return "may do the same as the reference: no input was found that tells them apart"
    return f"this test would notice it: {item.test.code.strip()}" if item.test else "no test notices it"


def _material(judge: Judge, answer: str, entry_point: str) -> Material | None:
    """Return the program that the tests run with its tests, one assertion each; None unless it is one in Python."""
    jobs = judge.jobs(answer)
    if not jobs or {job.language for job in jobs} != {PYTHON} or len({job.code for job in jobs}) != 1:
        return None
    parts = [
        part for job in jobs for test in job.tests or () if test.code for part in split_tests(test.code, entry_point)
    ]
    tests = tuple(TestCode(f"test {number}", part.code) for number, part in enumerate(parts, start=1))
    return Material("the item", PYTHON, jobs[0].code, tests, entry_point) if tests else None


def _baseline(material: Material, lines: tuple[int, int], runner: Runner) -> tuple[Baseline | None, tuple[int, int]]:
    """Return the program that is changed, and where the answer's own code stands in it.

    That is the answer's code alone if its tests pass with that: what a criterion puts before it makes every run slow.
    """
    first, last = lines
    alone = "\n".join(material.code.split("\n")[first - 1 : last]) + "\n"
    for code, place in ((alone, (1, last - first + 1)), (material.code, lines)):
        try:
            read_tree(code)
            tried = replace(material, code=code)
            return check_reference(tried, runner, _calls(tried, runner)), place
        except (*UNREADABLE, ConstructionError):
            continue
    return None, lines


def _calls(material: Material, runner: Runner) -> list[list[object]]:
    """Return the arguments that the tests call with; inputs that kill are made like them."""
    if not material.entry_point:
        return []
    try:
        found = capture(material, runner, CaptureLimits(fewest_lines=1))
    except ConstructionError:
        return []
    return [item.values for item in found.instances]


def _changes(code: str, lines: tuple[int, int]) -> Sequence[Proposal]:
    """Return changes of logic in the answer's own lines, evenly thinned to `CHANGES`."""
    first, last = lines
    found = [
        item
        for item in (*logic_bugs(code), *variable_bugs(code))
        if all(first <= hunk.old_lines[0] and hunk.old_lines[1] <= last for hunk in item.hunks)
    ]
    step = max(1.0, len(found) / CHANGES)
    return [found[int(number * step)] for number in range(min(len(found), CHANGES))]


def _line(proposal: Proposal, lines: tuple[int, int]) -> int:
    """Return the changed line as counted in the answer's own code."""
    return proposal.hunks[0].old_lines[0] - lines[0] + 1 if proposal.hunks else 0


def _own(proposal: Proposal, lines: tuple[int, int]) -> str:
    """Return the changed code without what the program holds around the answer's."""
    changed = proposal.code.split("\n")
    longer = len(changed) - len(proposal.reference.split("\n"))
    return "\n".join(changed[lines[0] - 1 : lines[1] + longer])
