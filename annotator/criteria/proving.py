"""Prove a criterion: the reference passes, impostors fail, verdicts do not flake, time limits fit, tests run the code.

A proof says what was tried and what came of it. It holds for one content; whoever keeps it must key it by that content.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from annotator.criteria.document import CriterionDocument, UnitTest
from annotator.criteria.extraction import OTHER_TIMEOUT, TIMEOUTS, extract
from annotator.criteria.impostors import Impostor, Question, impostors
from annotator.criteria.results import Scored
from annotator.criteria.scoring import score_many
from annotator.criteria.unit_tests import PendingTests, Runner, program_of, start

if TYPE_CHECKING:
    from annotator.sandbox import JobResult

Outcome = Literal["pass", "fail", "open", "machinery"]
"""``open`` is a question to a person: something is missing that only a person can give."""

IMPOSTOR_SHARE = 0.5
"""An impostor that earns more than this share of the full score counts as passing."""
REPETITIONS = 8
ANSWER_LIMIT = 4000
_SLACK = 2.0
_CALIBRATION = 10.0
_NAMES = {
    "reference": "The reference passes",
    "impostors": "Impostors fail",
    "mutants": "Changed code fails",
    "flakes": "Verdicts do not change",
    "time_limit": "The time limit fits",
    "coverage": "The tests run the reference's code",
}


@dataclass(frozen=True, slots=True)
class Trial:
    """One answer that was tried: what was expected of it, and what it got."""

    label: str
    kind: str
    expected: Literal["pass", "fail"]
    score: float | None
    ok: bool | None
    detail: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """One part of a proof; without a pass of every ``required`` one the criterion is not proven."""

    name: str
    title: str
    outcome: Outcome
    required: bool
    summary: str
    trials: tuple[Trial, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ProofReport:
    """All checks, in the order in which they are read."""

    checks: tuple[Check, ...]

    @property
    def proven(self) -> bool:
        """Whether every required check passed."""
        return all(check.outcome == "pass" for check in self.checks if check.required)


def prove(
    document: CriterionDocument,
    question: Question,
    sandbox: Runner | None = None,
    mutants: Sequence[Impostor] = (),
    report: Callable[[str], object] = lambda _: None,
) -> ProofReport:
    """Try a criterion on what it must accept and what it must refuse; ``report`` is told what is being tried.

    ``mutants`` are small changes of the reference that its tests should notice; survivors are listed, as some may do
    the same as the reference.
    """
    report("reference")
    right = right_answers(document, question)
    checks = [_reference(document, right, sandbox)]
    report("impostors")
    checks.append(_impostors(document, impostors(document, question), sandbox))
    if mutants and document.tests:
        report("changed code")
        checks.append(_mutants(document, mutants, sandbox))
    if document.tests and right and sandbox is not None and checks[0].outcome == "pass":
        report("repetitions")
        checks += _repeated(document, [text for _, text in right], sandbox)
        report("coverage")
        checks.append(_coverage(document, right[0][1], sandbox))
    return ProofReport(tuple(check for check in checks if check is not None))


def right_answers(document: CriterionDocument, question: Question) -> list[tuple[str, str]]:
    """Return (label, answer) of everything that must pass: the reference, and the document's own examples.

    A reference that is only a function's body follows its prompt; code for tests stands in a fence, as models write it.
    """
    found = []
    if question.reference.strip():
        text = question.reference
        name = question.entry_point
        # A body calls its own function where it is recursive, so the name alone tells nothing; its indentation does.
        is_body = text.lstrip("\n")[:1].isspace() or name not in text
        if name and is_body and name in question.prompt:
            text = f"{question.prompt}{text}"
        if document.tests and "```" not in text:
            text = f"```{document.tests[0].language}\n{text.rstrip()}\n```"
        found.append(("the reference", text))
    found += [(f"the example in line {item.line}", item.answer) for item in document.examples if item.passes]
    return found


def _check(name: str, outcome: Outcome, summary: str, trials: Sequence[Trial] = (), **facts: Any) -> Check:
    required = name in ("reference", "impostors", "flakes", "time_limit")
    return Check(name, _NAMES[name], outcome, required, summary, tuple(trials), facts)


def _reference(document: CriterionDocument, right: Sequence[tuple[str, str]], sandbox: Runner | None) -> Check:
    if not right:
        return _check(
            "reference", "open", "There is no answer known to be right. Add one to examples, with expect: pass."
        )
    results = score_many(document, [text for _, text in right], sandbox=sandbox)
    trials = []
    for (label, text), result in zip(right, results, strict=True):
        ok = None if result.score is None else result.score >= document.full_score
        trials.append(Trial(label, "reference", "pass", result.score, ok, _why(result, wanted=True), _cut(text)))
    return _judged("reference", trials, "earns the full score", "does not earn the full score")


def _impostors(document: CriterionDocument, cheats: Sequence[Impostor], sandbox: Runner | None) -> Check:
    results = score_many(document, [cheat.text for cheat in cheats], sandbox=sandbox)
    limit = IMPOSTOR_SHARE * document.full_score
    trials = []
    # Words can always be strung together: a document of nothing but words cannot refuse that, so it is only said.
    only_words = document.metrics <= {"keywords", "similarity"}
    for cheat, result in zip(cheats, results, strict=True):
        ok = None if result.score is None else result.score <= limit
        if ok is False and cheat.kind == "stuffing" and only_words:
            note = "passes, as it must where only words are looked for"
            trials.append(Trial(cheat.label, "stuffing", "fail", result.score, True, note, _cut(cheat.text)))
            continue
        why = _why(result, wanted=False)
        trials.append(Trial(cheat.label, cheat.kind, "fail", result.score, ok, why, _cut(cheat.text)))
    return _judged("impostors", trials, "fails", "passes")


def _mutants(document: CriterionDocument, mutants: Sequence[Impostor], sandbox: Runner | None) -> Check:
    results = score_many(document, [mutant.text for mutant in mutants], sandbox=sandbox)
    trials = []
    for mutant, result in zip(mutants, results, strict=True):
        ok = None if result.score is None else result.score < document.full_score
        why = _why(result, wanted=False)
        trials.append(Trial(mutant.label, "mutant", "fail", result.score, ok, why, _cut(mutant.text)))
    judged = [trial for trial in trials if trial.ok is not None]
    killed = sum(trial.ok is True for trial in judged)
    outcome: Outcome = "machinery" if not judged else "pass" if killed == len(judged) else "fail"
    summary = f"{killed} of {len(judged)} changes are noticed"
    return _check("mutants", outcome, summary, trials, killed=killed, tried=len(judged))


def _judged(name: str, trials: Sequence[Trial], good: str, bad: str) -> Check:
    wrong = [trial for trial in trials if trial.ok is False]
    unknown = [trial for trial in trials if trial.ok is None]
    if wrong:
        more = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        return _check(name, "fail", f"{wrong[0].label} {bad}{more}", trials)
    if unknown:
        return _check(name, "machinery", f"{unknown[0].label} could not be tried: {unknown[0].detail}", trials)
    count = len(trials)
    summary = f"{trials[0].label} {good}" if count == 1 else f"each of {count} {good}"
    return _check(name, "pass", summary, trials)


def _cut(text: str) -> str:
    """Return as much of an answer as a proof keeps."""
    return text if len(text) <= ANSWER_LIMIT else f"{text[:ANSWER_LIMIT]}\n…"


def _why(result: Scored, *, wanted: bool) -> str:
    """Return what explains a score that is not as expected: the rules that differ."""
    if result.status != "scored":
        return result.reason
    rules = [rule for rule in result.rules if rule.matched is not None and rule.matched is not wanted]
    return "; ".join(f"{rule.label}: {rule.detail}" for rule in rules[:3])[:500]


# -- code that is run several times ------------------------------------------------------------------------------------


def _repeated(document: CriterionDocument, texts: Sequence[str], sandbox: Runner) -> list[Check]:
    """Run the right answers many times at once, in shuffled order, beside an answer that fails."""
    tries = [text for text in [*texts, "```\n```\nnothing"] for _ in range(REPETITIONS)]
    random.Random(len(tries)).shuffle(tries)
    pending = [(text, start(document.tests, text, sandbox)) for text in tries]
    outcomes: dict[tuple[str, str], set[str]] = {}
    slowest: dict[str, float] = {}
    for text, waiting in pending:
        for test, result in _results(waiting):
            outcomes.setdefault((text, test.label), set()).add(result.outcome if result else "no_code")
            if result is not None and text in texts:
                slowest[test.label] = max(slowest.get(test.label, 0.0), result.wall_s)
    failed = sorted({label for (_, label), seen in outcomes.items() if "machinery" in seen})
    unsteady = sorted({label for (_, label), seen in outcomes.items() if len(seen) > 1})
    if failed:
        flakes = _check("flakes", "machinery", f"the sandbox failed on {failed[0]}")
    elif unsteady:
        summary = f"{unsteady[0]} gives different verdicts on the same answer"
        flakes = _check("flakes", "fail", summary, unsteady=unsteady)
    else:
        runs = f"{REPETITIONS} runs of each, all at once, gave the same verdicts"
        flakes = _check("flakes", "pass", runs, repetitions=REPETITIONS)
    return [flakes, _time_limit(document.tests, slowest)]


def _results(pending: PendingTests) -> list[tuple[UnitTest, JobResult | None]]:
    return [(test, None if future is None else future.result()) for test, future in pending]


def _time_limit(tests: Sequence[UnitTest], slowest: Mapping[str, float]) -> Check:
    """Compare each test's limit with the slowest run of a right answer under load."""
    limits = {test.label: test.timeout or TIMEOUTS.get(test.language, OTHER_TIMEOUT) for test in tests}
    tight = [label for label, seconds in slowest.items() if seconds * _SLACK > limits[label]]
    longest = max(slowest.values(), default=0.0)
    calibrated = max(1, math.ceil(longest * _CALIBRATION))
    facts: dict[str, Any] = {"slowest_s": longest, "calibrated_s": calibrated, "limits_s": limits}
    if tight:
        said = f"{tight[0]} took {slowest[tight[0]]:.2f} s of {limits[tight[0]]:g} s allowed; set timeout: {calibrated}"
        return _check("time_limit", "fail", said, **facts)
    said = f"slowest {longest:.2f} s of {max(limits.values()):g} s allowed; {calibrated} s would do"
    return _check("time_limit", "pass", said, **facts)


def _coverage(document: CriterionDocument, text: str, sandbox: Runner) -> Check:
    """Measure which lines and branches of the reference's code the tests run."""
    from annotator.sandbox.coverage import union

    found = [result for _, result in _results(start(document.tests, text, sandbox, coverage=True)) if result]
    whole = union([result.coverage for result in found if result.coverage])
    if whole is None:
        return _check("coverage", "open", "coverage is not measured for this language")
    test = document.tests[0]
    first, last = code_lines(test, text)
    missing = [line - first + 1 for line in whole["missing"] if first <= line <= last]
    executed = [line - first + 1 for line in whole["executed"] if first <= line <= last]
    branches = [(line - first + 1, taken, total) for line, taken, total in whole["branches"] if first <= line <= last]
    partial = [line for line, taken, total in branches if taken < total]
    lines = len(executed) + len(missing)
    ways = sum(total for _, _, total in branches)
    taken = sum(count for _, count, _ in branches)
    summary = f"{len(executed)} of {lines} lines" + (f", {taken} of {ways} branches" if ways else "")
    outcome: Outcome = "pass" if not missing and not partial else "fail"
    return _check("coverage", outcome, summary, executed=executed, missing=missing, partial=partial)


def code_lines(test: UnitTest, text: str) -> tuple[int, int]:
    """Return the first and last line that an answer's own code has in the program of a test, counted from 1."""
    program = program_of(test, text)
    code = extract(f"{test.prefix}\n{text}", test.language, only_longest=test.only_longest).strip("\n")
    at = program.rfind(code.strip())
    first = program.count("\n", 0, max(0, at)) + 1
    return first, first + code.strip().count("\n")
