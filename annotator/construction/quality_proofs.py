"""Prove bugs that tests do not see: security, performance and naming (specification, task construction, 2.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from annotator.construction import canonical
from annotator.construction.canonical import Form
from annotator.construction.edits import Proposal
from annotator.construction.inputs import random_calls
from annotator.construction.material import PYTHON, Material, Matrix
from annotator.construction.probing import Run, start_calls, start_tests
from annotator.construction.proofs import Baseline, Proof, Verdict, refusals, start_fresh_runs
from annotator.construction.rules import NAMING, SECURITY, Hit, new_hits, rule_hits
from annotator.construction.timing import Timing, measure, workloads

if TYPE_CHECKING:
    from annotator.sandbox import Runner

GENERATED = 100
# Rules that fire on any use of a module or of asserts say nothing of the changed call.
_IDLE = ("S101", "S403", "S404", "S405", "S603", "S607")


def prove_security(
    baseline: Baseline,
    proposals: Sequence[Proposal],
    runner: Runner,
    *,
    exploits: Mapping[str, Material] | None = None,
    security_tests: frozenset[str] = frozenset(),
) -> list[Verdict]:
    """Prove bugs of security (P3): all tests pass on both (only ``security_tests`` may fail), and a rule fires newly on
    a changed line. ``exploits`` maps a proposal's id to material whose tests exploit it: they must pass on the changed
    program and fail on the reference, and stand in for a rule."""
    if baseline.material.language != PYTHON:
        return [Verdict(proposal, reason="there are no rules for this language") for proposal in proposals]
    verdicts, numbers = refusals(baseline, proposals)
    hits = rule_hits([baseline.material.code, *(proposals[number].code for number in numbers)])
    started = {number: start_fresh_runs(baseline, proposals[number].code, runner) for number in numbers}
    for place, number in enumerate(numbers, start=1):
        proposal, runs = proposals[number], started[number]()
        reason = _behaves(runs, security_tests)
        rules = _on_changed_lines(proposal, new_hits(hits[0], hits[place], SECURITY))
        exploit = (exploits or {}).get(proposal.id)
        if not reason and not rules:
            reason = "no rule fires" if exploit is None else _exploited(exploit, proposal, runner)
        if reason:
            verdicts[number] = Verdict(proposal, reason=reason)
        else:
            verdicts[number] = Verdict(proposal, _proof(runs[0], ("P0", "P3", "P6"), rules))
    return [verdicts[number] for number in range(len(proposals))]


def _proof(matrix: Matrix, steps: tuple[str, ...], rules: tuple[Hit, ...]) -> Proof:
    failing = {name: matrix.tests[name].kind for name in matrix.failed}
    return Proof(steps, failing, matrix.passed, rules, message=rules[0].message if rules else "")


def _behaves(runs: Sequence[Matrix], allowed: frozenset[str] = frozenset()) -> str:
    if any(run.load_error for run in runs):
        return "does not load"
    if any(set(run.failed) - allowed for run in runs):
        return "a test fails"
    return "" if len({run.failed for run in runs}) == 1 else "fails other tests each time"


def _on_changed_lines(proposal: Proposal, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    ranges = [hunk.lines for hunk in proposal.hunks]
    return tuple(
        hit
        for hit in hits
        if hit.rule not in _IDLE and any(first <= hit.end_line and hit.line <= last for first, last in ranges)
    )


def _exploited(exploit: Material, proposal: Proposal, runner: Runner) -> str:
    on_bug = start_tests(exploit, proposal.code, Run(seed=0), runner)
    on_reference = start_tests(exploit, proposal.reference, Run(seed=0), runner)
    if not on_bug().whole:
        return "the exploit fails on the changed program"
    return "the exploit works on the reference too" if on_reference().passed else ""


# -- performance -------------------------------------------------------------------------------------------------


def prove_performance(baseline: Baseline, proposals: Sequence[Proposal], runner: Runner) -> list[Verdict]:
    """Prove bugs of performance (P4): equal results on the tests and on generated inputs, and a time that grows faster.

    A proposal without a workload gets those made from the captured calls; the one that proves it is kept with it.
    """
    if baseline.material.language != PYTHON:
        return [Verdict(proposal, reason="there is no timing for this language") for proposal in proposals]
    verdicts, numbers = refusals(baseline, proposals)
    started = {number: start_fresh_runs(baseline, proposals[number].code, runner) for number in numbers}
    for number in numbers:
        proposal, runs = proposals[number], started[number]()
        reason = _behaves(runs) or differs(baseline, proposal.code, runner)
        if reason:
            verdicts[number] = Verdict(proposal, reason=reason)
            continue
        found, timing = _slower(baseline, proposal, runner)
        if timing is None or not timing.accepted:
            how = "no workload runs" if timing is None else f"only {timing.ratio:.1f} times slower"
            verdicts[number] = Verdict(proposal, reason=how if timing is None or timing.equal else "results differ")
        else:
            proof = Proof(("P0", "P4", "P6"), {}, runs[0].passed, timing=timing)
            verdicts[number] = Verdict(found, proof)
    return [verdicts[number] for number in range(len(proposals))]


def _slower(baseline: Baseline, proposal: Proposal, runner: Runner) -> tuple[Proposal, Timing | None]:
    """Return the proposal with the first workload that proves it, or with the last one that ran."""
    best: Timing | None = None
    for workload in (proposal.workload,) if proposal.workload else workloads(baseline.calls):
        timing = measure(proposal.reference, proposal.code, baseline.material.entry_point, workload, runner)
        if timing is not None:
            best = timing
            if timing.accepted:
                return replace(proposal, workload=workload), timing
    return proposal, best


def differs(baseline: Baseline, code: str, runner: Runner) -> str:
    """Return why a program is not equal to the reference on generated inputs, or nothing."""
    found = first_difference(baseline, [code], runner, count=GENERATED)[0]
    return f"differs for {canonical.show(found)[:200]}" if found is not None else ""


def first_difference(
    baseline: Baseline, codes: Sequence[str], runner: Runner, *, count: int, seed: int = 1
) -> list[list[Form] | None]:
    """Return for each program the first generated arguments for which it gives something else than the reference.

    Only arguments with which the reference returns a plain value count. Without captured calls there are none.
    """
    calls = random_calls(baseline.calls, count, seed)
    if not calls:
        return [None] * len(codes)
    named: list[tuple[list[Form], dict[str, Form]]] = [(call, {}) for call in calls]
    entry = baseline.material.entry_point
    right = start_calls(baseline.material.code, entry, named, runner, limit_s=0.3)()
    # Calls that the reference answers, so that a changed program is not asked in vain.
    kept = [number for number, answer in enumerate(right) if "output" in answer]
    asked = [named[number] for number in kept]
    started = [start_calls(code, entry, asked, runner, limit_s=1.0) for code in codes]
    found: list[list[Form] | None] = []
    for read in started:
        answers = read()
        different = (
            number
            for number, answer in zip(kept, answers, strict=False)
            if "output" not in answer or not canonical.equal(answer["output"], right[number]["output"], "strict")
        )
        place = next(different, None)
        found.append(None if place is None else calls[place])
    return found


# -- naming ------------------------------------------------------------------------------------------------------


def prove_naming(baseline: Baseline, proposals: Sequence[Proposal], runner: Runner) -> list[Verdict]:
    """Prove bugs of naming (P5): a rule of naming fires newly, and the tests still pass."""
    if baseline.material.language != PYTHON:
        return [Verdict(proposal, reason="there are no rules for this language") for proposal in proposals]
    verdicts, numbers = refusals(baseline, proposals)
    hits = rule_hits([baseline.material.code, *(proposals[number].code for number in numbers)])
    waiting: dict[int, tuple[tuple[Hit, ...], Callable[[], list[Matrix]]]] = {}
    for place, number in enumerate(numbers, start=1):
        rules = new_hits(hits[0], hits[place], NAMING)
        if rules:
            waiting[number] = rules, start_fresh_runs(baseline, proposals[number].code, runner)
        else:
            verdicts[number] = Verdict(proposals[number], reason="no rule fires")
    for number, (rules, read) in waiting.items():
        runs = read()
        reason = _behaves(runs)
        proof = None if reason else _proof(runs[0], ("P0", "P5", "P6"), rules)
        verdicts[number] = Verdict(proposals[number], proof, reason)
    return [verdicts[number] for number in range(len(proposals))]
