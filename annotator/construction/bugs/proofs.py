"""Prove that a bug is real, or say why not (specification, task construction, 2.4). Everything is recorded."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from annotator.construction import canonical
from annotator.construction.bugs.exploits import exploit_of, told_of
from annotator.construction.bugs.location_leaks import leaks
from annotator.construction.bugs.static_rules import NAMING, SECURITY, UNDEFINED, Hit, new_hits, rule_hits
from annotator.construction.bugs.timing_curve import Timing, measure, workloads
from annotator.construction.canonical import Form
from annotator.construction.edits import Proposal, changed_lines
from annotator.construction.material import PYTHON, ConstructionError, Material, Matrix
from annotator.construction.python_facts import Difficulty
from annotator.construction.sandbox_probe import (
    BASE_LIMIT_S,
    LIMIT_FACTOR,
    PATIENCE,
    Run,
    fingerprints,
    start_calls,
    start_tests,
)
from annotator.construction.understanding.random_inputs import random_calls
from annotator.sandbox import Runner
from annotator.sandbox.undefined_names import undefined_name
from annotator.text.python_tree import UNREADABLE, read_tree

SEEDS = (0, 1, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """A reference that passes all its tests in three fresh processes, and what is known of it: among that, how long
    its slowest test took."""

    material: Material
    slowest_s: float
    lines: frozenset[int]
    hits: tuple[Hit, ...] = ()
    calls: tuple[tuple[Form, ...], ...] = ()

    @property
    def limit_s(self) -> float:
        """How long a test may take with a change of the reference."""
        return max(BASE_LIMIT_S, LIMIT_FACTOR * self.slowest_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What showed that a bug is real. ``failing`` maps each failing test to the kind of its failure.

    ``behaviour`` says of one call what the bug makes of it, and what it should be.
    """

    steps: tuple[str, ...]
    failing: Mapping[str, str] = field(default_factory=dict)
    passing: tuple[str, ...] = ()
    rules: tuple[Hit, ...] = ()
    timing: Timing | None = None
    message: str = ""
    known_line: bool = False
    behaviour: str = ""

    @property
    def share_failing(self) -> float:
        """The share of the tests that fail."""
        count = len(self.failing) + len(self.passing)
        return len(self.failing) / count if count else 0.0

    def as_json(self) -> dict[str, Any]:
        """Return the proof as it is kept with the item."""
        row: dict[str, Any] = {
            "steps": list(self.steps),
            "fail_to_pass": dict(self.failing),
            "pass_to_pass": list(self.passing),
            "rules": [{"rule": hit.rule, "line": hit.line, "severity": hit.severity} for hit in self.rules],
            "message": self.message,
        }
        if self.behaviour:
            row["behaviour"] = self.behaviour
        if self.timing is not None:
            row["timing"] = {
                "sizes": list(self.timing.sizes), "reference_s": list(self.timing.reference),
                "changed_s": list(self.timing.changed), "ratio": round(self.timing.ratio, 2),
                "slope_difference": round(self.timing.slope_difference, 3),
            }  # fmt: skip
        return row


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a proposal: proven (then with its proof), or refused with a reason. ``gap`` says that no test sees
    the change though some input does."""

    proposal: Proposal
    proof: Proof | None = None
    reason: str = ""

    @property
    def proven(self) -> bool:
        """Whether the bug is real."""
        return self.proof is not None


def check_reference(material: Material, runner: Runner, calls: Sequence[Sequence[Form]] = ()) -> Baseline:
    """Run the reference in three fresh processes with other hash seeds and orders (P0).

    Raises `ConstructionError` if a test fails or passes only sometimes: such an item is refused.
    """
    if not material.tests:
        raise ConstructionError(f"{material.key} has no tests, so nothing can be proven with it.")
    controlled = Run(seed=0, order=0, limit_s=BASE_LIMIT_S * 5, lines=True, controlled=True)
    first = start_tests(material, material.code, controlled, runner)
    rest = [
        start_tests(material, material.code, Run(seed=seed, order=seed, limit_s=BASE_LIMIT_S * 5), runner)
        for seed in SEEDS[1:]
    ]
    runs = [first(), *(read() for read in rest)]
    for run in runs:
        if run.load_error:
            raise ConstructionError(f"The reference of {material.key} does not load: {run.load_error}")
    failed = sorted({name for run in runs for name in run.failed})
    if failed:
        steady = len({run.failed for run in runs}) == 1
        how = "fails" if steady else "passes only sometimes"
        said = next((item.message for run in runs for item in run.tests.values() if item.kind != "pass"), "")
        why = f" ({said[:200]})" if said else ""
        if name := undefined_name(said):
            why += f". Neither the tests nor the code define {name}: add it to the tests, or import it there."
        raise ConstructionError(f"The reference of {material.key} {how}: {', '.join(failed[:5])}{why}")
    slowest = max(run.seconds for run in runs)
    return Baseline(
        material=material, slowest_s=slowest, lines=runs[0].lines, hits=(), calls=tuple(tuple(call) for call in calls)
    )


def passing_reference(material: Material, runner: Runner, calls: Sequence[Sequence[Form]] = ()) -> Baseline:
    """Run the reference once, where it is known already whether its tests repeat; which lines they run stays unknown.

    Raises `ConstructionError` if it fails.
    """
    run = start_tests(material, material.code, Run(limit_s=BASE_LIMIT_S * 5), runner)()
    if not run.whole:
        said = run.load_error or ", ".join(run.failed[:5])
        raise ConstructionError(f"The reference of {material.key} fails: {said}")
    return Baseline(
        material=material, slowest_s=run.seconds, lines=frozenset(), hits=(), calls=tuple(tuple(call) for call in calls)
    )


def uncovered(baseline: Baseline, proposal: Proposal) -> list[int]:
    """Return the changed lines of the reference whose statement no test runs.

    None where the lines that run are not known: in other languages than Python, and where tests are collected.
    """
    if baseline.material.language != PYTHON or not baseline.lines:
        return []
    statements = _statement_lines(baseline.material.code)
    missing = []
    for line in sorted(changed_lines(proposal.reference, proposal.code)):
        lines = statements.get(line)
        if lines is not None and not lines & baseline.lines:
            missing.append(line)
    return missing


def _statement_lines(code: str) -> dict[int, frozenset[int]]:
    """Map each line to the lines of the innermost statement (or head of one) it belongs to."""
    found: dict[int, frozenset[int]] = {}
    for node in ast.walk(read_tree(code)):
        if not isinstance(node, ast.stmt):
            continue
        body: Any = getattr(node, "body", None)
        last = body[0].lineno - 1 if isinstance(body, list) and body else (node.end_lineno or node.lineno)
        own = frozenset(range(node.lineno, max(node.lineno, last) + 1))
        for line in own:
            if line not in found or len(own) < len(found[line]):
                found[line] = own
    return found


# -- logic -------------------------------------------------------------------------------------------------------


def prove_logic(baseline: Baseline, proposals: Sequence[Proposal], runner: Runner) -> list[Verdict]:
    """Prove bugs of logic: each fails some tests and passes others (P1).

    That it does so in three fresh processes is shown by `repeats`, for those that are chosen.
    """
    verdicts, open_numbers = refusals(baseline, proposals)
    _drop_equivalents(baseline, proposals, open_numbers, verdicts, runner)
    open_numbers = [number for number in open_numbers if number not in verdicts]
    quick = Run(seed=SEEDS[0], order=SEEDS[0], limit_s=baseline.limit_s)
    started = {n: start_tests(baseline.material, proposals[n].code, quick, runner) for n in open_numbers}
    screened = {number: read() for number, read in started.items()}
    for number, matrix in screened.items():
        reason = _unfit(matrix)
        proof = None if reason else _test_proof(proposals[number], matrix, "P0", "P1", "P6")
        verdicts[number] = Verdict(proposals[number], proof, reason)
    return [verdicts[number] for number in range(len(proposals))]


def repeats(baseline: Baseline, verdicts: Sequence[Verdict], runner: Runner) -> list[Verdict]:
    """Return proven bugs of logic again; those that fail other tests in two more fresh processes lose their proof."""
    started = [start_fresh_runs(baseline, verdict.proposal.code, runner, SEEDS[1:]) for verdict in verdicts]
    return [_repeated(verdict, read()) for verdict, read in zip(verdicts, started, strict=True)]


def _repeated(verdict: Verdict, runs: Sequence[Matrix]) -> Verdict:
    if verdict.proof is not None and all(set(run.failed) == set(verdict.proof.failing) for run in runs):
        return verdict
    return Verdict(verdict.proposal, reason="fails other tests each time")


def refusals(baseline: Baseline, proposals: Sequence[Proposal]) -> tuple[dict[int, Verdict], list[int]]:
    """Refuse what tells of itself (P6) or is not covered by the tests; returns these verdicts and the other numbers."""
    verdicts: dict[int, Verdict] = {}
    for number, proposal in enumerate(proposals):
        telling = leaks(proposal, baseline.material.language)
        missing = uncovered(baseline, proposal)
        if telling:
            verdicts[number] = Verdict(proposal, reason=f"the changed lines say {', '.join(telling)}")
        elif missing:
            verdicts[number] = Verdict(proposal, reason=f"no test runs line {missing[0]}")
    return verdicts, [number for number in range(len(proposals)) if number not in verdicts]


def _drop_equivalents(
    baseline: Baseline,
    proposals: Sequence[Proposal],
    numbers: Sequence[int],
    verdicts: dict[int, Verdict],
    runner: Runner,
) -> None:
    """Drop what compiles to the reference, or to an earlier proposal."""
    if baseline.material.language == PYTHON and numbers:
        codes = [baseline.material.code, *(proposals[number].code for number in numbers)]
        marks = fingerprints(codes, runner)
    else:
        marks = [" ".join(code.split()) for code in (baseline.material.code, *(proposals[n].code for n in numbers))]
    seen: dict[str | None, int] = {}
    for number, mark in zip(numbers, marks[1:], strict=True):
        if mark is None:
            verdicts[number] = Verdict(proposals[number], reason="does not compile")
        elif mark == marks[0]:
            verdicts[number] = Verdict(proposals[number], reason="equivalent")
        elif mark in seen:
            verdicts[number] = Verdict(proposals[number], reason="duplicate")
        seen.setdefault(mark, number)


def _unfit(matrix: Matrix) -> str:
    if matrix.load_error:
        return "does not load" if not matrix.load_error.startswith("compile_error") else "does not compile"
    if not matrix.failed:
        return "survives"
    if sum(outcome.kind == "timeout" for outcome in matrix.tests.values()) > 1:
        return "does not end"
    if all(matrix.tests[name].kind == "timeout" for name in matrix.failed):
        # With more patience these tests would pass: that is no bug of logic.
        return "only too slow"
    return "" if matrix.passed else "fails every test"


def start_fresh_runs(
    baseline: Baseline, code: str, runner: Runner, seeds: Sequence[int] = SEEDS
) -> Callable[[], list[Matrix]]:
    """Start the tests in fresh processes with other hash seeds and orders."""
    runs = [
        start_tests(baseline.material, code, Run(seed=seed, order=seed, limit_s=baseline.limit_s), runner)
        for seed in seeds
    ]
    return lambda: [read() for read in runs]


def _test_proof(proposal: Proposal, matrix: Matrix, *steps: str, rules: tuple[Hit, ...] = ()) -> Proof:
    failing = {name: matrix.tests[name].kind for name in matrix.failed}
    first = matrix.tests[matrix.failed[0]] if matrix.failed else None
    places = {line for hunk in proposal.hunks for line in range(hunk.lines[0], hunk.lines[1] + 1)}
    known = bool(matrix.failed) and all(matrix.tests[name].line in places for name in matrix.failed)
    return Proof(
        steps=steps,
        failing=failing,
        passing=matrix.passed,
        rules=rules,
        message=first.message if first else "",
        known_line=known,
    )


# -- syntax ------------------------------------------------------------------------------------------------------


def prove_syntax(baseline: Baseline, proposals: Sequence[Proposal], runner: Runner) -> list[Verdict]:
    """Prove bugs of syntax (P2): the parser or compiler refuses the change at its line, give or take one, or a test
    meets a name that is not defined, and a rule knows it."""

    if baseline.material.language != PYTHON:
        return _prove_compiled(baseline, proposals, runner)
    verdicts, numbers = refusals(baseline, proposals)
    named = []
    for number in numbers:
        proposal = proposals[number]
        if proposal.kind == "syntax.parse":
            verdicts[number] = _parsed(proposal)
        else:
            named.append(number)
    started = {n: start_fresh_runs(baseline, proposals[n].code, runner) for n in named}
    hits = rule_hits([baseline.material.code, *(proposals[n].code for n in named)])
    for place, (number, read) in enumerate(started.items(), start=1):
        runs = read()
        rules = new_hits(hits[0], hits[place], UNDEFINED)
        undefined = any(_meets_name(run) for run in runs)
        same = len({run.failed for run in runs}) == 1
        if rules and undefined and same:
            proof = _test_proof(proposals[number], runs[0], "P0", "P2", "P6", rules=rules)
            verdicts[number] = Verdict(proposals[number], proof)
        else:
            reason = "no test meets the name" if rules else "no rule knows the name"
            verdicts[number] = Verdict(proposals[number], reason=reason)
    return [verdicts[number] for number in range(len(proposals))]


def _meets_name(run: Matrix) -> bool:
    messages = (outcome.message for outcome in run.tests.values())
    return "NameError" in run.load_error or any(message.startswith("NameError") for message in messages)


def _parsed(proposal: Proposal) -> Verdict:
    try:
        read_tree(proposal.code)
    except UNREADABLE as error:
        line = getattr(error, "lineno", 0) or 0
        if _near(proposal, line):
            return Verdict(proposal, Proof(steps=("P0", "P2", "P6"), message=str(error)))
        return Verdict(proposal, reason="the parser stops at another line")
    return Verdict(proposal, reason="parses")


def _near(proposal: Proposal, line: int) -> bool:
    return any(min(hunk.lines) - 1 <= line <= max(hunk.lines) + 1 for hunk in proposal.hunks)


_LINE = re.compile(r"main\.\w+:(\d+)|\((\d+),\d+\)")


def _prove_compiled(baseline: Baseline, proposals: Sequence[Proposal], runner: Runner) -> list[Verdict]:
    """Other languages: the compiler refuses the change, which one test with it tells."""
    verdicts, numbers = refusals(baseline, proposals)
    single = replace(baseline.material, tests=baseline.material.tests[:1])
    started = {n: start_tests(single, proposals[n].code, Run(limit_s=baseline.limit_s), runner) for n in numbers}
    verdicts |= {number: _compiled(proposals[number], read().load_error) for number, read in started.items()}
    return [verdicts[number] for number in range(len(proposals))]


def _compiled(proposal: Proposal, error: str) -> Verdict:
    """Where the compiler names a line, that must be the changed one."""
    if not error.startswith("compile_error"):
        return Verdict(proposal, reason="compiles")
    match = _LINE.search(error)
    if match is not None and not _near(proposal, int(match[1] or match[2])):
        return Verdict(proposal, reason="the compiler stops at another line")
    return Verdict(proposal, Proof(steps=("P0", "P2", "P6"), message=error))


def difficulty_of(proof: Proof) -> Difficulty:
    """Return the start value (specification 2.5): hard for few failing tests, easy for many.

    Where no test fails, a parser or a rule points at the line; at one that is only slow, nothing does.
    """
    share = proof.share_failing
    if proof.timing is not None or (proof.failing and share < 0.2):
        return "hard"
    if share > 0.6 or proof.known_line or not proof.failing:
        return "easy"
    return "medium"


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
    """Prove bugs of security (P3): all tests pass on both (only ``security_tests`` may fail), and an exploit works on
    the changed program and not on the reference. ``exploits`` maps a proposal's id to material whose tests exploit it;
    without one it is made from the captured calls. Rules that fire newly on a changed line are noted."""
    if baseline.material.language != PYTHON:
        return [Verdict(proposal, reason="there are no rules for this language") for proposal in proposals]
    verdicts, numbers = refusals(baseline, proposals)
    hits = rule_hits([baseline.material.code, *(proposals[number].code for number in numbers)])
    started = {number: start_fresh_runs(baseline, proposals[number].code, runner) for number in numbers}
    for place, number in enumerate(numbers, start=1):
        proposal, runs = proposals[number], started[number]()
        reason = _behaves(runs, security_tests)
        rules = _on_changed_lines(proposal, new_hits(hits[0], hits[place], SECURITY))
        exploit = (exploits or {}).get(proposal.id) or exploit_of(baseline.material, proposal, baseline.calls)
        if not reason and exploit is None:
            reason = "no exploit is known" if rules else "no rule fires"
        if not reason and exploit is not None:
            reason = _check_exploit(exploit, proposal, runner)
        proof = None if reason else _proof(runs[0], ("P0", "P3", "P6"), rules)
        if proof is not None:
            proof = replace(proof, behaviour=_told(baseline.material, proposal))
        verdicts[number] = Verdict(proposal, proof, reason)
    return [verdicts[number] for number in range(len(proposals))]


def _proof(matrix: Matrix, steps: tuple[str, ...], rules: tuple[Hit, ...]) -> Proof:
    failing = {name: matrix.tests[name].kind for name in matrix.failed}
    return Proof(
        steps=steps, failing=failing, passing=matrix.passed, rules=rules, message=rules[0].message if rules else ""
    )


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


def _told(material: Material, proposal: Proposal) -> str:
    what = told_of(proposal)
    return f"{material.entry_point} {what}." if what else ""


def _check_exploit(exploit: Material, proposal: Proposal, runner: Runner) -> str:
    on_bug = start_tests(exploit, proposal.code, Run(seed=0), runner)
    on_reference = start_tests(exploit, proposal.reference, Run(seed=0), runner)
    working, harmless = set(on_bug().passed), set(on_reference().passed)
    if not working:
        return "the exploit fails on the changed program"
    return "" if working - harmless else "the exploit works on the reference too"


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
            proof = Proof(steps=("P0", "P4", "P6"), failing={}, passing=runs[0].passed, timing=timing)
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


Start = Callable[[str, Sequence[list[Form]], float, int], Callable[[], list[dict[str, Any]]]]
"""Starts calls of a program's entry point, with seconds for each and how many are waited for that do not end; what it
returns is called for the answers."""


def first_difference(
    baseline: Baseline, codes: Sequence[str], runner: Runner, *, count: int, start: Start | None = None
) -> list[list[Form] | None]:
    """Return for each program the first generated arguments for which it gives something else than the reference.

    Only arguments with which the reference returns a plain value count. Without captured calls there are none.
    ``start`` is for other languages than Python.
    """
    start = start or _starting(baseline, runner)
    calls = random_calls(baseline.calls, count, seed=1)
    if not calls:
        return [None] * len(codes)
    right = start(baseline.material.code, calls, 0.3, PATIENCE)()
    # Calls that the reference answers, so that a changed program is not asked in vain.
    kept = [number for number, answer in enumerate(right) if "output" in answer]
    # One of those that does not end is a difference.
    started = [start(code, [calls[number] for number in kept], 1.0, 1) for code in codes]
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


def _starting(baseline: Baseline, runner: Runner) -> Start:
    entry = baseline.material.entry_point

    def start(
        code: str, calls: Sequence[list[Form]], limit_s: float, patience: int
    ) -> Callable[[], list[dict[str, Any]]]:
        given: list[tuple[list[Form], dict[str, Form]]] = [(call, {}) for call in calls]
        return start_calls(code, entry, given, runner, limit_s=limit_s, patience=patience, drawn=True)

    return start


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
