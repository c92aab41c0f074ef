"""Prove that a bug is real, or say why not (specification, task construction, 2.4)."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from annotator.construction import canonical
from annotator.construction.bugs.exploits import describe_exploit, make_exploit
from annotator.construction.bugs.static_rules import (
    NAMING_RULES,
    SECURITY_RULES,
    UNDEFINED_NAME_RULES,
    RuleHit,
    new_hits,
    rule_hits,
)
from annotator.construction.bugs.timing_curve import Timing, make_workloads, measure_timing
from annotator.construction.canonical import Form
from annotator.construction.edits import Proposal, changed_lines, diff_hunks
from annotator.construction.python_facts import Difficulty
from annotator.construction.sandbox_probe import (
    BASE_LIMIT_S,
    CALL_PATIENCE,
    LIMIT_FACTOR,
    RunOptions,
    code_fingerprints,
    start_python_calls,
    start_tests,
)
from annotator.construction.task_material import PYTHON, ConstructionError, Material, Matrix
from annotator.construction.understanding.random_inputs import random_calls
from annotator.sandbox import Runner
from annotator.sandbox.language_imports import undefined_name
from annotator.text.highlight import highlight_spans
from annotator.text.python_tree import UNREADABLE, read_tree

_TELLTALE_WORD = re.compile(
    r"\b(?:bugs?|buggy|errors?|issues?|wrong(?:ly)?|fix(?:e[sd])?|todo|fixme|xxx|hack|vulnerab\w*|insecure|mistakes?|"
    r"incorrect(?:ly)?|flaw(?:ed)?|inject(?:ed|ion)|mutants?|mutat(?:ed|ion)|start|end)\b",
    re.IGNORECASE,
)


def find_telltale_words(proposal: Proposal, language: str) -> tuple[str, ...]:
    """Return the telltale words in comments and strings on changed lines.

    In comments every such word counts, and every word and number that the change removed from the code; in strings only
    words that the reference does not have on these lines.
    """
    telltales = []
    parts = _comment_and_string_lines(proposal.code, language, ("comment", "string"))
    lines = proposal.code.split("\n")
    for hunk in proposal.hunks:
        removed_words = _count_words(hunk.original) - _count_words("\n".join(lines[hunk.lines[0] - 1 : hunk.lines[1]]))
        for line, kind, text in parts:
            if hunk.lines[0] <= line <= hunk.lines[1]:
                words = {match[0] for match in _TELLTALE_WORD.finditer(text)}
                if kind == "string":
                    words = {word for word in words if word not in hunk.original}
                else:
                    words |= (removed_words & _count_words(text)).keys()
                telltales += sorted(words)
    return tuple(dict.fromkeys(telltales))


def _count_words(text: str) -> Counter[str]:
    """Count the words and numbers of a text, without single letters."""
    words = "".join(sign if sign.isalnum() else " " for sign in text).split()
    return Counter(word for word in words if len(word) > 1 or word.isdigit())


def without_new_comments(reference: str, code: str, language: str) -> str:
    """Return the code without the comments on changed lines that are new."""
    changed = {line for hunk in diff_hunks(reference, code) for line in range(hunk.lines[0], hunk.lines[1] + 1)}
    lines = code.splitlines(keepends=True)
    emptied_lines = set()
    for line, _, text in _comment_and_string_lines(code, language, ("comment",)):
        if line in changed and text.strip() and text.strip() not in reference:
            ending = "\n" if lines[line - 1].endswith("\n") else ""
            code_part = lines[line - 1].replace(text.rstrip("\n"), "", 1).rstrip()
            lines[line - 1] = code_part + ending
            if not code_part:
                emptied_lines.add(line)
    return "".join(text for number, text in enumerate(lines, start=1) if number not in emptied_lines)


def _comment_and_string_lines(code: str, language: str, kinds: tuple[str, ...]) -> list[tuple[int, str, str]]:
    """Return line number, kind and text of the comments and strings, split into lines."""
    parts = []
    for span in highlight_spans(code, language):
        if span.kind in kinds:
            line = code.count("\n", 0, span.start) + 1
            for number, text in enumerate(code[span.start : span.end].split("\n")):
                parts.append((line + number, span.kind, text))
    return parts


SEEDS = (0, 1, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """A reference that passes all its tests, with its slowest test's time, the lines the tests run and captured calls.

    ``lines`` is empty if the lines are not known.
    """

    material: Material
    slowest_s: float
    lines: frozenset[int]
    calls: tuple[tuple[Form, ...], ...] = ()

    @property
    def limit_s(self) -> float:
        """The time limit of a test on a changed program, in seconds."""
        return max(BASE_LIMIT_S, LIMIT_FACTOR * self.slowest_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class BugEvidence:
    """The evidence that a bug is real. ``failing`` maps each failing test to the kind of its failure.

    ``behaviour`` is a sentence with one call, its result with the bug, and the correct result.
    """

    steps: tuple[str, ...]
    failing: Mapping[str, str] = field(default_factory=dict)
    passing: tuple[str, ...] = ()
    rules: tuple[RuleHit, ...] = ()
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
        """Return the proof as it is stored with the item."""
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
class ProposalVerdict:
    """The outcome for a proposal: its proof, or the reason why it was rejected."""

    proposal: Proposal
    proof: BugEvidence | None = None
    reason: str = ""

    @property
    def proven(self) -> bool:
        """Whether the bug is real."""
        return self.proof is not None


def check_reference(material: Material, runner: Runner, calls: Sequence[Sequence[Form]] = ()) -> Baseline:
    """Run the reference in three fresh processes with different hash seeds and orders (P0).

    Raises `ConstructionError` if a test fails or passes only sometimes.
    """
    if not material.tests:
        raise ConstructionError(f"{material.key} has no tests, so nothing can be proven with it.")
    options = RunOptions(limit_s=BASE_LIMIT_S * 5, record_lines=True, controlled=True)
    runs = _start_runs(material, material.code, options, runner, SEEDS)()
    for run in runs:
        if run.load_error:
            raise ConstructionError(f"The reference of {material.key} does not load: {run.load_error}")
    failed = sorted({name for run in runs for name in run.failed})
    if failed:
        is_repeatable = len({run.failed for run in runs}) == 1 and not any(run.flaky for run in runs)
        verb_phrase = "fails" if is_repeatable else "passes only sometimes"
        message = next((item.message for run in runs for item in run.tests.values() if item.kind != "pass"), "")
        explanation = f" ({message[:200]})" if message else ""
        if name := undefined_name(message):
            explanation += f". Neither the tests nor the code define {name}: add it to the tests, or import it there."
        raise ConstructionError(f"The reference of {material.key} {verb_phrase}: {', '.join(failed[:5])}{explanation}")
    slowest = max(run.seconds for run in runs)
    return Baseline(
        material=material, slowest_s=slowest, lines=runs[0].lines, calls=tuple(tuple(call) for call in calls)
    )


def run_reference(material: Material, runner: Runner, calls: Sequence[Sequence[Form]] = ()) -> Baseline:
    """Run the reference once and return it without covered lines, if its tests are already known to be repeatable.

    Raises `ConstructionError` if it fails.
    """
    run = start_tests(material, material.code, RunOptions(limit_s=BASE_LIMIT_S * 5), runner)()
    if not run.all_passed:
        failure = run.load_error or ", ".join(run.failed[:5])
        raise ConstructionError(f"The reference of {material.key} fails: {failure}")
    return Baseline(
        material=material, slowest_s=run.seconds, lines=frozenset(), calls=tuple(tuple(call) for call in calls)
    )


def uncovered_lines(baseline: Baseline, proposal: Proposal) -> list[int]:
    """Return the changed lines of the reference whose statement no test runs.

    The list is empty if coverage is unknown: in languages other than Python, and for collected tests.
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
    innermost: dict[int, frozenset[int]] = {}
    for node in ast.walk(read_tree(code)):
        if not isinstance(node, ast.stmt):
            continue
        body: Any = getattr(node, "body", None)
        last = body[0].lineno - 1 if isinstance(body, list) and body else (node.end_lineno or node.lineno)
        node_lines = frozenset(range(node.lineno, max(node.lineno, last) + 1))
        for line in node_lines:
            if line not in innermost or len(node_lines) < len(innermost[line]):
                innermost[line] = node_lines
    return innermost


# -- logic -------------------------------------------------------------------------------------------------------


def prove_logic(baseline: Baseline, proposals: Sequence[Proposal], runner: Runner) -> list[ProposalVerdict]:
    """Prove logic bugs: each fails some tests and passes others (P1).

    `recheck_verdicts` later checks the selected ones in more fresh processes.
    """
    verdicts, open_numbers = reject_proposals(baseline, proposals)
    _reject_equivalents(baseline, proposals, open_numbers, verdicts, runner)
    open_numbers = [number for number in open_numbers if number not in verdicts]
    options = RunOptions(seed=SEEDS[0], order=SEEDS[0], limit_s=baseline.limit_s)
    pending = {
        number: start_tests(baseline.material, proposals[number].code, options, runner) for number in open_numbers
    }
    first_matrices = {number: read_matrix() for number, read_matrix in pending.items()}
    for number, matrix in first_matrices.items():
        reason = _rejection_reason(matrix)
        proof = None if reason else _test_proof(proposals[number], matrix, "P0", "P1", "P6")
        verdicts[number] = ProposalVerdict(proposals[number], proof, reason)
    return [verdicts[number] for number in range(len(proposals))]


def recheck_verdicts(baseline: Baseline, verdicts: Sequence[ProposalVerdict], runner: Runner) -> list[ProposalVerdict]:
    """Check proven logic bugs in two more fresh processes; those that fail different tests there lose their proof."""
    pending = [start_fresh_runs(baseline, verdict.proposal.code, runner, SEEDS[1:]) for verdict in verdicts]
    return [_repeat_verdict(verdict, read_matrices()) for verdict, read_matrices in zip(verdicts, pending, strict=True)]


def _repeat_verdict(verdict: ProposalVerdict, runs: Sequence[Matrix]) -> ProposalVerdict:
    if verdict.proof is not None and all(
        set(run.failed) == set(verdict.proof.failing) and not run.flaky for run in runs
    ):
        return verdict
    return ProposalVerdict(verdict.proposal, reason="fails different tests each time")


def reject_proposals(baseline: Baseline, proposals: Sequence[Proposal]) -> tuple[dict[int, ProposalVerdict], list[int]]:
    """Reject proposals that reveal the bug by telltale words (P6) or are not covered by the tests.

    Returns the verdicts of these, by number, and the numbers of the others.
    """
    verdicts: dict[int, ProposalVerdict] = {}
    for number, proposal in enumerate(proposals):
        telltales = find_telltale_words(proposal, baseline.material.language)
        missing = uncovered_lines(baseline, proposal)
        if telltales:
            verdicts[number] = ProposalVerdict(proposal, reason=f"the changed lines say {', '.join(telltales)}")
        elif missing:
            verdicts[number] = ProposalVerdict(proposal, reason=f"no test runs line {missing[0]}")
    return verdicts, [number for number in range(len(proposals)) if number not in verdicts]


def _reject_equivalents(
    baseline: Baseline,
    proposals: Sequence[Proposal],
    numbers: Sequence[int],
    verdicts: dict[int, ProposalVerdict],
    runner: Runner,
) -> None:
    """Reject proposals that compile to the same code as the reference or an earlier proposal."""
    if baseline.material.language == PYTHON and numbers:
        codes = [baseline.material.code, *(proposals[number].code for number in numbers)]
        fingerprints = code_fingerprints(codes, runner)
    else:
        fingerprints = [
            " ".join(code.split()) for code in (baseline.material.code, *(proposals[n].code for n in numbers))
        ]
    first_numbers: dict[str | None, int] = {}
    for number, fingerprint in zip(numbers, fingerprints[1:], strict=True):
        if fingerprint is None:
            verdicts[number] = ProposalVerdict(proposals[number], reason="does not compile")
        elif fingerprint == fingerprints[0]:
            verdicts[number] = ProposalVerdict(proposals[number], reason="equivalent")
        elif fingerprint in first_numbers:
            verdicts[number] = ProposalVerdict(proposals[number], reason="duplicate")
        first_numbers.setdefault(fingerprint, number)


def _rejection_reason(matrix: Matrix) -> str:
    if matrix.load_error:
        return "does not load" if not matrix.load_error.startswith("compile_error") else "does not compile"
    if not matrix.failed:
        return "survives"
    if sum(outcome.kind == "timeout" for outcome in matrix.tests.values()) > 1:
        return "does not end"
    if all(matrix.tests[name].kind == "timeout" for name in matrix.failed):
        # With more time these tests would pass, so it is not a logic bug.
        return "only too slow"
    return "" if matrix.passed else "fails every test"


def start_fresh_runs(
    baseline: Baseline, code: str, runner: Runner, seeds: Sequence[int] = SEEDS
) -> Callable[[], list[Matrix]]:
    """Start the tests in fresh processes with different hash seeds and orders."""
    return _start_runs(baseline.material, code, RunOptions(limit_s=baseline.limit_s), runner, seeds)


def _start_runs(
    material: Material, code: str, options: RunOptions, runner: Runner, seeds: Sequence[int]
) -> Callable[[], list[Matrix]]:
    """Start a run of the tests for each seed, which is also the order.

    Seed and order have no effect in languages other than Python, so there each test is compiled once for all runs.
    """
    if material.language != PYTHON:
        read_runs = start_tests(material, code, replace(options, runs=len(seeds)), runner)
        return lambda: [read_runs()]
    # The lines that the tests run are the same for every seed, so the first run measures them.
    pending = [
        start_tests(
            material,
            code,
            replace(options, seed=seed, order=seed, record_lines=options.record_lines and not number),
            runner,
        )
        for number, seed in enumerate(seeds)
    ]
    return lambda: [read_matrix() for read_matrix in pending]


def _test_proof(proposal: Proposal, matrix: Matrix, *steps: str, rules: tuple[RuleHit, ...] = ()) -> BugEvidence:
    failing = {name: matrix.tests[name].kind for name in matrix.failed}
    first = matrix.tests[matrix.failed[0]] if matrix.failed else None
    changed_line_numbers = {line for hunk in proposal.hunks for line in range(hunk.lines[0], hunk.lines[1] + 1)}
    fails_at_change = bool(matrix.failed) and all(
        matrix.tests[name].line in changed_line_numbers for name in matrix.failed
    )
    return BugEvidence(
        steps=steps,
        failing=failing,
        passing=matrix.passed,
        rules=rules,
        message=first.message if first else "",
        known_line=fails_at_change,
    )


# -- syntax ------------------------------------------------------------------------------------------------------


def prove_syntax(baseline: Baseline, proposals: Sequence[Proposal], runner: Runner) -> list[ProposalVerdict]:
    """Prove syntax bugs (P2).

    The parser or compiler reports an error within one line of the change, or a test fails on an undefined name that a
    static rule reports too.
    """
    if baseline.material.language != PYTHON:
        return _prove_compiled(baseline, proposals, runner)
    verdicts, numbers = reject_proposals(baseline, proposals)
    runtime_numbers = []
    for number in numbers:
        proposal = proposals[number]
        if proposal.kind == "syntax.parse":
            verdicts[number] = _parse_verdict(proposal)
        else:
            runtime_numbers.append(number)
    pending = {number: start_fresh_runs(baseline, proposals[number].code, runner) for number in runtime_numbers}
    hits = rule_hits([baseline.material.code, *(proposals[number].code for number in runtime_numbers)])
    for index, (number, read_matrices) in enumerate(pending.items(), start=1):
        runs = read_matrices()
        rules = new_hits(hits[0], hits[index], UNDEFINED_NAME_RULES)
        has_name_error = any(_has_name_error(run) for run in runs)
        fails_same_tests = len({run.failed for run in runs}) == 1
        if rules and has_name_error and fails_same_tests:
            proof = _test_proof(proposals[number], runs[0], "P0", "P2", "P6", rules=rules)
            verdicts[number] = ProposalVerdict(proposals[number], proof)
        else:
            reason = "no test reaches the name" if rules else "no rule knows the name"
            verdicts[number] = ProposalVerdict(proposals[number], reason=reason)
    return [verdicts[number] for number in range(len(proposals))]


def _has_name_error(run: Matrix) -> bool:
    messages = (outcome.message for outcome in run.tests.values())
    return "NameError" in run.load_error or any(message.startswith("NameError") for message in messages)


def _parse_verdict(proposal: Proposal) -> ProposalVerdict:
    try:
        read_tree(proposal.code)
    except UNREADABLE as error:
        line = getattr(error, "lineno", 0) or 0
        if _is_near(proposal, line):
            return ProposalVerdict(proposal, BugEvidence(steps=("P0", "P2", "P6"), message=str(error)))
        return ProposalVerdict(proposal, reason="the parser stops at another line")
    return ProposalVerdict(proposal, reason="parses")


def _is_near(proposal: Proposal, line: int) -> bool:
    return any(min(hunk.lines) - 1 <= line <= max(hunk.lines) + 1 for hunk in proposal.hunks)


_ERROR_LINE = re.compile(r"main\.\w+:(\d+)|\((\d+),\d+\)")


def _prove_compiled(baseline: Baseline, proposals: Sequence[Proposal], runner: Runner) -> list[ProposalVerdict]:
    """Prove syntax bugs in other languages: the compiler must refuse the change, which a single test shows."""
    verdicts, numbers = reject_proposals(baseline, proposals)
    single_test_material = replace(baseline.material, tests=baseline.material.tests[:1])
    pending = {
        number: start_tests(single_test_material, proposals[number].code, RunOptions(limit_s=baseline.limit_s), runner)
        for number in numbers
    }
    verdicts |= {
        number: _compile_verdict(proposals[number], read_matrix().load_error) for number, read_matrix in pending.items()
    }
    return [verdicts[number] for number in range(len(proposals))]


def _compile_verdict(proposal: Proposal, error: str) -> ProposalVerdict:
    """Return the verdict for a compiler's error. If it names a line, that must be the changed one."""
    if not error.startswith("compile_error"):
        return ProposalVerdict(proposal, reason="compiles")
    match = _ERROR_LINE.search(error)
    if match is not None and not _is_near(proposal, int(match[1] or match[2])):
        return ProposalVerdict(proposal, reason="the compiler stops at another line")
    return ProposalVerdict(proposal, BugEvidence(steps=("P0", "P2", "P6"), message=error))


def difficulty_of(proof: BugEvidence) -> Difficulty:
    """Return the initial difficulty (specification 2.5): hard for few failing tests, easy for many.

    If no test fails, a parser or a rule reports the line, which is easy; nothing reports the line of a slow program.
    """
    share = proof.share_failing
    if proof.timing is not None or (proof.failing and share < 0.2):
        return "hard"
    if share > 0.6 or proof.known_line or not proof.failing:
        return "easy"
    return "medium"


GENERATED_CALLS = 100
"""Generated inputs on which a slower program must give the reference's results."""
# These rules fire on any use of a module or assert and say nothing about the changed call.
_IGNORED_RULES = ("S101", "S403", "S404", "S405", "S603", "S607")


def prove_security(
    baseline: Baseline,
    proposals: Sequence[Proposal],
    runner: Runner,
    *,
    exploits: Mapping[str, Material] | None = None,
) -> list[ProposalVerdict]:
    """Prove security bugs (P3): all tests pass on both programs, and an exploit works on the changed program but
    not on the reference.

    ``exploits`` maps a proposal's id to material whose tests exploit it; without one the exploit is made from the
    captured calls. The proof lists the rules that newly fire on a changed line.
    """
    if baseline.material.language != PYTHON:
        return [ProposalVerdict(proposal, reason="there are no rules for this language") for proposal in proposals]
    verdicts, numbers = reject_proposals(baseline, proposals)
    hits = rule_hits([baseline.material.code, *(proposals[number].code for number in numbers)])
    pending = {number: start_fresh_runs(baseline, proposals[number].code, runner) for number in numbers}
    for index, number in enumerate(numbers, start=1):
        proposal = proposals[number]
        runs = pending[number]()
        reason = _find_behaviour_change(runs)
        rules = _on_changed_lines(proposal, new_hits(hits[0], hits[index], SECURITY_RULES))
        exploit = (exploits or {}).get(proposal.id) or make_exploit(baseline.material, proposal, baseline.calls)
        if not reason and exploit is None:
            reason = "no exploit is known" if rules else "no rule fires"
        if not reason and exploit is not None:
            reason = _check_exploit(exploit, proposal, runner)
        proof = None if reason else _rule_proof(runs[0], ("P0", "P3", "P6"), rules)
        if proof is not None:
            proof = replace(proof, behaviour=_describe_exploited_entry(baseline.material, proposal))
        verdicts[number] = ProposalVerdict(proposal, proof, reason)
    return [verdicts[number] for number in range(len(proposals))]


def _rule_proof(matrix: Matrix, steps: tuple[str, ...], rules: tuple[RuleHit, ...]) -> BugEvidence:
    failing = {name: matrix.tests[name].kind for name in matrix.failed}
    return BugEvidence(
        steps=steps, failing=failing, passing=matrix.passed, rules=rules, message=rules[0].message if rules else ""
    )


def _find_behaviour_change(runs: Sequence[Matrix]) -> str:
    if any(run.load_error for run in runs):
        return "does not load"
    return "a test fails" if any(run.failed for run in runs) else ""


def _on_changed_lines(proposal: Proposal, hits: Sequence[RuleHit]) -> tuple[RuleHit, ...]:
    ranges = [hunk.lines for hunk in proposal.hunks]
    return tuple(
        hit
        for hit in hits
        if hit.rule not in _IGNORED_RULES and any(first <= hit.end_line and hit.line <= last for first, last in ranges)
    )


def _describe_exploited_entry(material: Material, proposal: Proposal) -> str:
    effect = describe_exploit(proposal)
    return f"{material.entry_point} {effect}." if effect else ""


def _check_exploit(exploit: Material, proposal: Proposal, runner: Runner) -> str:
    on_bug = start_tests(exploit, proposal.code, RunOptions(seed=0), runner)
    on_reference = start_tests(exploit, proposal.reference, RunOptions(seed=0), runner)
    exploits_of_bug = set(on_bug().passed)
    exploits_of_reference = set(on_reference().passed)
    if not exploits_of_bug:
        return "the exploit fails on the changed program"
    return "" if exploits_of_bug - exploits_of_reference else "the exploit works on the reference too"


# -- performance -------------------------------------------------------------------------------------------------


def prove_performance(baseline: Baseline, proposals: Sequence[Proposal], runner: Runner) -> list[ProposalVerdict]:
    """Prove performance bugs (P4): equal results on the tests and on generated inputs, and a time that grows faster.

    A proposal without a workload is tried on those made from the captured calls and keeps the one that proves it.
    """
    if baseline.material.language != PYTHON:
        return [ProposalVerdict(proposal, reason="there is no timing for this language") for proposal in proposals]
    verdicts, numbers = reject_proposals(baseline, proposals)
    pending = {number: start_fresh_runs(baseline, proposals[number].code, runner) for number in numbers}
    for number in numbers:
        proposal = proposals[number]
        runs = pending[number]()
        reason = _find_behaviour_change(runs) or describe_difference(baseline, proposal.code, runner)
        if reason:
            verdicts[number] = ProposalVerdict(proposal, reason=reason)
            continue
        timed_proposal, timing = _time_workloads(baseline, proposal, runner)
        if timing is None or not timing.accepted:
            if timing is None:
                rejection = "no workload runs"
            else:
                rejection = f"only {timing.ratio:.1f} times slower" if timing.equal else "results differ"
            verdicts[number] = ProposalVerdict(proposal, reason=rejection)
        else:
            proof = BugEvidence(steps=("P0", "P4", "P6"), failing={}, passing=runs[0].passed, timing=timing)
            verdicts[number] = ProposalVerdict(timed_proposal, proof)
    return [verdicts[number] for number in range(len(proposals))]


def _time_workloads(baseline: Baseline, proposal: Proposal, runner: Runner) -> tuple[Proposal, Timing | None]:
    """Return the proposal with the first workload that proves it, or with the last one that ran."""
    last_timing: Timing | None = None
    for workload in (proposal.workload,) if proposal.workload else make_workloads(baseline.calls):
        timing = measure_timing(proposal.reference, proposal.code, baseline.material.entry_point, workload, runner)
        if timing is not None:
            last_timing = timing
            if timing.accepted:
                return replace(proposal, workload=workload), timing
    return proposal, last_timing


def describe_difference(baseline: Baseline, code: str, runner: Runner) -> str:
    """Return how a program differs from the reference on generated inputs, or ""."""
    arguments = find_differences(baseline, [code], runner, count=GENERATED_CALLS)[0]
    return f"differs for {canonical.form_text(arguments)[:200]}" if arguments is not None else ""


StartCalls = Callable[[str, Sequence[list[Form]], float, int], Callable[[], list[dict[str, Any]]]]
"""A function that starts calls of a program's entry point and returns another one that waits for the answers.

Its last arguments are the time limit per call in seconds, and the number of calls that may time out.
"""


def find_differences(
    baseline: Baseline, codes: Sequence[str], runner: Runner, *, count: int, start: StartCalls | None = None
) -> list[list[Form] | None]:
    """Return for each program the first generated arguments for which it differs from the reference, or None.

    Only arguments for which the reference returns a plain value count. Without captured calls there are none.
    Languages other than Python need ``start``.
    """
    start = start or _call_starter(baseline, runner)
    calls = random_calls(baseline.calls, count, seed=1)
    if not calls:
        return [None] * len(codes)
    reference_answers = start(baseline.material.code, calls, 0.3, CALL_PATIENCE)()
    # Only calls that the reference answers can show a difference.
    answered_numbers = [number for number, answer in enumerate(reference_answers) if "output" in answer]
    # A call that does not end is a difference, so the patience is one.
    pending = [start(code, [calls[number] for number in answered_numbers], 1.0, 1) for code in codes]
    differences: list[list[Form] | None] = []
    for read_answers in pending:
        answers = read_answers()
        differing_numbers = (
            number
            for number, answer in zip(answered_numbers, answers, strict=False)
            if "output" not in answer
            or not canonical.forms_equal(answer["output"], reference_answers[number]["output"], "strict")
        )
        index = next(differing_numbers, None)
        differences.append(None if index is None else calls[index])
    return differences


def _call_starter(baseline: Baseline, runner: Runner) -> StartCalls:
    entry = baseline.material.entry_point

    def start(
        code: str, calls: Sequence[list[Form]], limit_s: float, patience: int
    ) -> Callable[[], list[dict[str, Any]]]:
        arguments: list[tuple[list[Form], dict[str, Form]]] = [(call, {}) for call in calls]
        return start_python_calls(code, entry, arguments, runner, limit_s=limit_s, patience=patience, exhaust=True)

    return start


# -- naming ------------------------------------------------------------------------------------------------------


def prove_naming(baseline: Baseline, proposals: Sequence[Proposal], runner: Runner) -> list[ProposalVerdict]:
    """Prove naming bugs (P5): a naming rule newly fires, and the tests still pass."""
    if baseline.material.language != PYTHON:
        return [ProposalVerdict(proposal, reason="there are no rules for this language") for proposal in proposals]
    verdicts, numbers = reject_proposals(baseline, proposals)
    hits = rule_hits([baseline.material.code, *(proposals[number].code for number in numbers)])
    pending: dict[int, tuple[tuple[RuleHit, ...], Callable[[], list[Matrix]]]] = {}
    for index, number in enumerate(numbers, start=1):
        rules = new_hits(hits[0], hits[index], NAMING_RULES)
        if rules:
            pending[number] = rules, start_fresh_runs(baseline, proposals[number].code, runner)
        else:
            verdicts[number] = ProposalVerdict(proposals[number], reason="no rule fires")
    for number, (rules, read_matrices) in pending.items():
        runs = read_matrices()
        reason = _find_behaviour_change(runs)
        proof = None if reason else _rule_proof(runs[0], ("P0", "P5", "P6"), rules)
        verdicts[number] = ProposalVerdict(proposals[number], proof, reason)
    return [verdicts[number] for number in range(len(proposals))]
