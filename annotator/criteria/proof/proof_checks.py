"""Prove that an item is judged well: right answers pass, impostors fail, verdicts are stable, time limits fit.

A proof lists the trials and their outcomes. It holds for one content only, so it must be stored under that content's
hash. The judge is a parameter: a criterion document here, tests without one elsewhere.
"""

from __future__ import annotations

import math
import random
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any, Literal, Protocol

from annotator.base.messages import Message, mark_word
from annotator.criteria.document.criterion_document import CriterionDocument, UnitTest
from annotator.criteria.metrics.document_scoring import score_all_by_criterion
from annotator.criteria.metrics.extraction import extract_code
from annotator.criteria.metrics.rule_results import CriterionScore
from annotator.criteria.metrics.unit_tests import unit_test_job, unit_test_program
from annotator.criteria.proof.changed_answers import ChangedAnswer, changed_answers
from annotator.criteria.proof.impostors import Impostor, JudgedQuestion
from annotator.sandbox import Job, JobResult, Runner, find_language
from annotator.sandbox.coverage import union
from annotator.sandbox.modes import ItemMode, without_controls
from annotator.text.code_spans import fence_code
from annotator.text.completions import complete_reference

Outcome = Literal["pass", "fail", "open", "machinery"]
"""``open`` means that something is missing that only a person can supply."""

STRENGTH = ("mutants", "words", "inputs", "tests", "forbidden")
"""Checks that only advise, because a person must decide whether a change matters."""
IMPOSTOR_SHARE = 0.5
"""An impostor that earns more than this share of the full score counts as passing."""
REPETITIONS = 8
"""How often each test is run."""
COMPILED_REPETITIONS = 4
"""How often each test is run in a compiled language, where each run compiles it again."""
_MAX_TESTS_REPEATED_FULLY = 8
"""With more tests than this, each is run less often, down to `_MIN_REPETITIONS`."""
_MIN_REPETITIONS = 3
ANSWER_LIMIT = 4000
"""Characters of an answer that a proof stores."""
_FAILING_ANSWER = "```\npass\n```"
_FAILING_REPETITIONS = 2
_MAX_FAILING_TESTS = 2
_MIN_LIMIT_FACTOR = 2.0
"""A time limit must be at least this many times the slowest run."""
_SUGGESTED_LIMIT_FACTOR = 10.0
"""The suggested time limit is this many times the slowest run."""
# Sums of weights such as 0.1 are inexact.
_ROUNDING_ERROR = 1e-9
_MAX_SHOWN = 3
_MAX_NAMES_LENGTH = 160
_MAX_CODE_LENGTH = 60
_FORBIDDEN_NAMES = re.compile(
    r"\b(?:(?:do|does|must|may|should|can)\s*(?:not|n't)|cannot|never|without|avoid)\s+(?:(?:the|any)\s+)?"
    r"(?:us(?:e|ing)|call(?:ing)?|import(?:ing)?|rely(?:ing)? on)?\s*(?:the\s+|any\s+)?"
    r"`(?P<one>[^`\n]+)`(?:\s*(?:,|or|nor|and)\s*`(?P<two>[^`\n]+)`)?",
    re.IGNORECASE,
)
_WAY = (
    r"recurs(?:ion|ively|ive)|loops?|regular expressions?|regexe?s?|comprehensions?|lambdas?"
    r"|generators?|iterators?|heaps?|deques?|stacks?|queues?"
    r"|decorators?|context managers?|data ?class(?:es)?|globals?|temporary tables?|sub-?quer(?:y|ies)|cursors?"
    r"|joins?|window functions?|common table expressions?|CTEs?|streams?|templates?|bit(?:wise)? operat(?:ors?|ions?)"
    r"|list slicing|one[- ]liners?|if statements?|ternar(?:y|ies)|promises?|async(?: functions?)?|mutex(?:es)?|locks?"
)
_REQUESTED_WAY = re.compile(
    r"\b(?:(?:do|does|must|may|should|can)\s*(?:not|n't)|never|without|avoid|us(?:e|ing)|with(?=\s+an?\s))\b"
    r"(?:\s+(?:us(?:e|ing)|writ(?:e|ing)|import(?:ing)?|any|the|an?|own|for|while|list|dict|set|explicit|extra|single)){0,4}"
    rf"\s+(?:{_WAY})\b",
    re.IGNORECASE,
)
_PART_MESSAGES = {
    "prose": (Message("the answer without its code passes"), Message("without its code")),
    "start": (
        Message("the answer cut off after the first line of its code passes"),
        Message("cut off after the first line of its code"),
    ),
    "question": (
        Message("the answer with the code of the question passes"),
        Message("with the code of the question"),
    ),
    "third": (Message("the first third of the reference passes"), Message("the first third")),
}
_CHECK_TITLES = {
    "reference": Message("The reference passes"),
    "impostors": Message("Impostors fail"),
    "mutants": Message("Changed code fails"),
    "words": Message("Changed answers fail"),
    "inputs": Message("The tests try enough inputs"),
    "tests": Message("Every test counts"),
    "forbidden": Message("Required and forbidden constructs are checked"),
    "flakes": Message("Verdicts do not change"),
    "time_limit": Message("The time limit fits"),
    "coverage": Message("The tests run the reference's code"),
    "mode": Message("Where the tests run"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One answer that was tried, with its expected and actual outcome.

    ``test`` or ``keyword`` is a test or word that would detect it if the criterion had it.
    """

    label: str
    kind: str
    expected: Literal["pass", "fail"]
    score: float | None
    ok: bool | None
    detail: str
    answer: str = ""
    test: str = ""
    keyword: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofCheck:
    """One part of a proof; the item is proven if every ``required`` check passes."""

    name: str
    title: str
    outcome: Outcome
    required: bool
    summary: str
    trials: tuple[Trial, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ProofReport:
    """All checks of a proof, in reading order."""

    checks: tuple[ProofCheck, ...]
    mode: ItemMode | None = None
    """The mode in which the item's tests run; None if no code is run or the mode is unknown."""

    @property
    def proven(self) -> bool:
        """Whether every required check passed."""
        return all(check.outcome == "pass" for check in self.checks if check.required)

    @property
    def weakness(self) -> str:
        """A sentence on wrong answers that pass; empty if none of the tried ones does."""
        return next((item.summary for item in self.checks if item.name in STRENGTH and item.outcome == "fail"), "")


@dataclass(frozen=True, slots=True)
class JudgeVerdict:
    """A judge's verdict on an answer; ``score`` is None if it could not be judged, ``why`` explains either."""

    score: float | None
    why: str


class Judge(Protocol):
    """Scores answers; implemented by criterion documents and by tests."""

    @property
    def full_score(self) -> float:
        """The score of a right answer."""
        ...

    @property
    def sandbox(self) -> Runner | None:
        """The sandbox, if there is one."""
        ...

    @property
    def only_words(self) -> bool:
        """Whether it only searches for words, so that stringing them together passes legitimately."""
        ...

    def verdicts(self, answers: Sequence[str], *, expected: bool) -> list[JudgeVerdict]:
        """Judge answers; ``expected`` says whether they should pass, and deviations from it are explained."""
        ...

    def jobs(self, answer: str) -> list[Job]:
        """Return the sandbox jobs for an answer, one per test; none if no code is run."""
        ...

    def code_lines(self, answer: str) -> tuple[int, int]:
        """Return the first and last line of the answer's own code in those jobs, counted from 1."""
        ...


def cut_lines(code: str, lines: tuple[int, int]) -> str:
    """Return the lines of a program in an inclusive range, counted from 1, with a final newline."""
    first, last = lines
    return "\n".join(code.split("\n")[first - 1 : last]) + "\n"


def prove_judge(
    judge: Judge,
    right: Sequence[tuple[str, str]],
    impostors: Sequence[Impostor],
    report: Callable[[str], object] = lambda _: None,
) -> ProofReport:
    """Try a judge on (label, answer) pairs that must pass and on impostors; ``report`` is called with each step."""
    report("reference")
    checks = [_check_reference(judge, right)]
    report("impostors")
    checks.append(_check_impostors(judge, impostors))
    if right and judge.sandbox is not None and checks[0].outcome == "pass" and judge.jobs(right[0][1]):
        report("repetitions")
        checks += _check_stability(judge, judge.sandbox, [text for _, text in right])
        report("coverage")
        checks.append(_measure_coverage(judge, judge.sandbox, right[0][1]))
    return ProofReport(tuple(checks))


def _make_check(
    name: str, outcome: Outcome, summary: Message, trials: Sequence[Trial] = (), **facts: Any
) -> ProofCheck:
    required = name in ("reference", "impostors", "flakes", "time_limit")
    return ProofCheck(
        name=name,
        title=_CHECK_TITLES[name],
        outcome=outcome,
        required=required,
        summary=summary,
        trials=tuple(trials),
        facts=facts,
    )


def _make_trial(
    label: str, kind: str, expected: Literal["pass", "fail"], answer: str, verdict: JudgeVerdict,
    ok: Callable[[float], bool],
) -> Trial:  # fmt: skip
    """Return a trial of an answer; ``ok`` tells whether a score is the expected one."""
    return Trial(
        label=label,
        kind=kind,
        expected=expected,
        score=verdict.score,
        ok=ok(verdict.score) if verdict.score is not None else None,
        detail=verdict.why,
        answer=_cut_answer(answer),
    )


def _check_reference(judge: Judge, right: Sequence[tuple[str, str]]) -> ProofCheck:
    if not right:
        summary = Message("No answer is known to be right. Add one to examples, with expect: pass.")
        return _make_check("reference", "open", summary)
    verdicts = judge.verdicts([text for _, text in right], expected=True)
    trials = [
        _make_trial(label, "reference", "pass", text, verdict, lambda score: score >= judge.full_score)
        for (label, text), verdict in zip(right, verdicts, strict=True)
    ]
    return _check_of_trials(
        "reference", trials, Message("earns the full score"), Message("does not earn the full score")
    )


def _check_impostors(judge: Judge, impostors: Sequence[Impostor]) -> ProofCheck:
    limit = IMPOSTOR_SHARE * judge.full_score
    trials = []
    for impostor, verdict in zip(
        impostors, judge.verdicts([item.text for item in impostors], expected=False), strict=True
    ):
        trial = _make_trial(impostor.label, impostor.kind, "fail", impostor.text, verdict, lambda score: score <= limit)
        if trial.ok is False and impostor.kind == "stuffing" and judge.only_words:
            trial = replace(trial, ok=True, detail="passes, as it must if the criterion only searches for words")
        trials.append(trial)
    return _check_of_trials("impostors", trials, Message("fails"), Message("passes"))


def mutants_check(killed: int, survivors: Sequence[Trial]) -> ProofCheck:
    """Return the check of small changes of the reference: the number of detected ones and the survivors.

    A survivor whose ``ok`` is None may be equivalent to the reference and does not count.
    """
    missed_count = sum(trial.ok is False for trial in survivors)
    tried_count = killed + missed_count
    summary = (
        Message("{killed} of {tried} changes are noticed", killed=killed, tried=tried_count)
        if tried_count
        else Message("no change alters the behaviour")
    )
    if missed_count:
        names = ", ".join(trial.label for trial in survivors if trial.ok is False)
        summary = Message(
            "{summary}; not noticed: {names}", summary=summary, names=textwrap.shorten(names, _MAX_NAMES_LENGTH)
        )
    unchanged_count = len(survivors) - missed_count
    if unchanged_count:
        summary = Message("{summary}; {same} more may not change the behaviour", summary=summary, same=unchanged_count)
    outcome: Outcome = "fail" if missed_count else "pass"
    return _make_check("mutants", outcome, summary, survivors, killed=killed, tried=tried_count)


def inputs_check(partial: Sequence[int], single_call_trial: Trial | None) -> ProofCheck:
    """Return the check of whether the tests try enough inputs.

    ``partial`` are lines with a branch that no test takes; ``single_call_trial`` is a passing answer that works for one
    call only.
    """
    if single_call_trial is not None:
        summary = Message("the tests call it only once: an answer hard-coded for that input passes")
        return _make_check("inputs", "fail", summary, [single_call_trial], partial=list(partial))
    if partial:
        lines = ", ".join(map(str, partial[:_MAX_SHOWN]))
        summary = (
            Message("no test takes one of the branches at line {line}", line=lines)
            if len(partial) == 1
            else Message("no test takes one of the branches at the lines {lines}", lines=lines)
        )
        if len(partial) > _MAX_SHOWN:
            summary = Message("{summary}, and {count} more", summary=summary, count=len(partial) - _MAX_SHOWN)
        return _make_check("inputs", "fail", summary, partial=list(partial))
    return _make_check("inputs", "pass", Message("no gap found"), partial=[])


def words_check(judge: Judge, document: CriterionDocument, prompt: str, right: Sequence[str]) -> ProofCheck | None:
    """Change a right answer one word at a time and check that it fails; None if there is nothing to change."""
    if right:
        right = [_without_afterthought(judge, right[0]), *right[1:]]
    changed = changed_answers(document, prompt, right)
    if not changed:
        return None
    verdicts = judge.verdicts([change.text for change in changed], expected=False)
    tried = list(zip(changed, verdicts, strict=True))
    trials = [_changed_trial(change, verdict, judge.full_score) for change, verdict in tried]
    passing = [change for change, verdict in tried if verdict.score is not None and verdict.score >= judge.full_score]
    if not passing:
        return _make_check("words", "pass", Message("each of {count} is noticed", count=len(trials)), trials)
    summary = _describe_passing(passing[0])
    for change in passing[1:_MAX_SHOWN]:
        summary = Message("{summary}; {more}", summary=summary, more=_describe_passing(change))
    if len(passing) > _MAX_SHOWN:
        summary = Message("{summary}, and {count} more", summary=summary, count=len(passing) - _MAX_SHOWN)
    return _make_check("words", "fail", summary, trials)


def _without_afterthought(judge: Judge, answer: str) -> str:
    """Return an answer without the text after its code, which often shows another solution, if it then still passes."""
    head, sign, _ = answer.rpartition("\n```")
    shorter = f"{head}{sign}"
    if answer.count("\n```") + answer.startswith("```") != 2 or len(shorter) == len(answer):
        return answer
    [verdict] = judge.verdicts([shorter], expected=True)
    return shorter if verdict.score is not None and verdict.score >= judge.full_score else answer


def every_test_check(document: CriterionDocument) -> ProofCheck | None:
    """Return a failed check if an answer can fail a test and still earn the full score, because of max_score."""
    spare_points = document.total - document.max_score if document.max_score else 0.0
    idle_tests = [test.label for test in document.tests if 0 < test.weight <= spare_points + _ROUNDING_ERROR]
    if not idle_tests:
        return None
    summary = Message(
        "an answer that fails {test} can earn the full score: max_score requires less", test=idle_tests[0]
    )
    return _make_check("tests", "fail", summary, idle=idle_tests)


def forbidden_check(document: CriterionDocument, prompt: str) -> ProofCheck | None:
    """Check that the criterion mentions every name that the prompt forbids; None if it forbids none.

    With tests alone, it also fails for a way of writing that the prompt demands, which tests cannot see.
    """
    names = _forbidden_names(prompt)
    ways = _requested_ways(prompt) if document.metrics == {"unit_test"} else ()
    if ways:
        summary = Message("the prompt says “{words}”, which tests cannot check: add a rule for it", words=ways[0])
        return _make_check("forbidden", "fail", summary, missing=[*ways, *names])
    if not names:
        return None
    criterion_text = "\n".join([document.source, *(test.code for test in document.tests)]).lower()
    missing = [name for name in names if name.lower() not in criterion_text]
    if not missing:
        return _make_check("forbidden", "pass", Message("a rule or a test covers each"))
    summary = Message("an answer with {name} passes, which the prompt forbids: add a rule with neg", name=missing[0])
    return _make_check("forbidden", "fail", summary, missing=missing)


def _describe_passing(change: ChangedAnswer) -> Message:
    if change.part:
        return _PART_MESSAGES[change.part][0]
    if change.alone:
        return Message("the answer {word} alone passes", word=_shorten_code(change.word))
    if change.instead:
        return Message(
            "an answer with {other} instead of {word} passes",
            other=_shorten_code(change.instead),
            word=_shorten_code(change.word),
        )
    return Message("an answer without {word} passes", word=_shorten_code(change.word))


def _shorten_code(code: str) -> str:
    """Shorten a word or a line to fit into a sentence."""
    return code if len(code) <= _MAX_CODE_LENGTH else f"{code[: _MAX_CODE_LENGTH - 1]}…"


def _changed_trial(change: ChangedAnswer, verdict: JudgeVerdict, full: float) -> Trial:
    label: str = f"{change.word} → {change.instead}" if change.instead else change.word
    if change.part:
        label = _PART_MESSAGES[change.part][1]
    if change.alone:
        label = Message("{word} alone", word=change.word)
    trial = _make_trial(label, "word", "fail", change.text, verdict, lambda score: score < full)
    if trial.ok is not False:
        return trial
    is_word_missing = not (change.part or change.alone or change.blank)
    return replace(trial, detail=_advise(change), keyword=change.word if is_word_missing else "")


def _advise(change: ChangedAnswer) -> Message:
    """Return advice on a changed answer that passes."""
    if change.part:
        return Message("passes: require something from the rest, or mark this answer as one that must pass")
    if change.alone:
        return Message("passes alone: require more, or mark this answer as one that must pass")
    if change.blank:
        return Message("also fills the blank: let the blank accept whole words only, and list the right ones")
    return Message(
        "passes without {word}: add it as a keyword, or mark this answer as one that must pass", word=change.word
    )


def mode_check(mode: ItemMode) -> ProofCheck:
    """Return where the tests of an item run, as a part of its proof."""
    summary = (
        Message("judged: in a separate process from the answer")
        if mode.name == "judged"
        else Message("shared: in the same process as the answer ({reason})", reason=mode.reason)
    )
    return _make_check("mode", "pass", summary, mode=mode.name, reason=mode.reason)


def _check_of_trials(name: str, trials: Sequence[Trial], pass_text: Message, fail_text: Message) -> ProofCheck:
    failed_trials = [trial for trial in trials if trial.ok is False]
    untried_trials = [trial for trial in trials if trial.ok is None]
    if failed_trials:
        summary = Message("{name} {what}", name=mark_word(failed_trials[0].label), what=fail_text)
        if len(failed_trials) > 1:
            summary = Message("{summary}, and {count} more", summary=summary, count=len(failed_trials) - 1)
        return _make_check(name, "fail", summary, trials)
    if untried_trials:
        summary = Message(
            "{name} could not be tried: {detail}",
            name=mark_word(untried_trials[0].label),
            detail=untried_trials[0].detail,
        )
        return _make_check(name, "machinery", summary, trials)
    count = len(trials)
    summary = (
        Message("{name} {what}", name=mark_word(trials[0].label), what=pass_text)
        if count == 1
        else Message("each of {count} {what}", count=count, what=pass_text)
    )
    return _make_check(name, "pass", summary, trials)


def _cut_answer(text: str) -> str:
    """Cut an answer to the length that a proof stores."""
    return text if len(text) <= ANSWER_LIMIT else f"{text[:ANSWER_LIMIT]}\n…"


# -- code that is run several times ------------------------------------------------------------------------------------


def _check_stability(judge: Judge, sandbox: Runner, texts: Sequence[str]) -> list[ProofCheck]:
    """Run the right answers many times in shuffled order, together with a failing answer."""
    # The control runs are skipped: they were made when the reference was judged.
    jobs = [(text, without_controls(job)) for text in texts for job in judge.jobs(text)]
    is_compiled = any(find_language(job.language).compiled for _, job in jobs)
    max_repetitions = COMPILED_REPETITIONS if is_compiled else REPETITIONS
    repetitions = max(
        _MIN_REPETITIONS, min(max_repetitions, max_repetitions * _MAX_TESTS_REPEATED_FULLY // max(1, len(jobs)))
    )
    failing = judge.jobs(_FAILING_ANSWER)[:_MAX_FAILING_TESTS]
    test_runs = jobs * repetitions + [(_FAILING_ANSWER, job) for job in failing] * _FAILING_REPETITIONS
    random.Random(len(test_runs)).shuffle(test_runs)
    pending: list[tuple[str, Job, Future[JobResult]]] = [(text, job, sandbox.submit(job)) for text, job in test_runs]
    outcomes: dict[tuple[str, str], set[str]] = {}
    slowest_runs: dict[str, tuple[float, Job]] = {}
    for text, job, future in pending:
        result = future.result()
        outcomes.setdefault((text, job.id), set()).add(result.outcome)
        if text in texts:
            seconds, slowest = slowest_runs.get(job.id, (0.0, job))
            slowest_runs[job.id] = max((seconds, slowest), (result.wall_s, job), key=itemgetter(0))
    failed_tests = sorted({name for (_, name), kinds in outcomes.items() if "machinery" in kinds})
    flaky_tests = sorted({name for (_, name), kinds in outcomes.items() if len(kinds) > 1})
    if failed_tests:
        flakes = _make_check("flakes", "machinery", Message("the sandbox failed on {test}", test=failed_tests[0]))
    elif flaky_tests:
        kinds = next(kinds for (_, name), kinds in outcomes.items() if name == flaky_tests[0] and len(kinds) > 1)
        first, second, *_ = map(mark_word, sorted(kinds))
        summary = Message(
            "{test} gives different verdicts on the same answer: {one} and {other}",
            test=flaky_tests[0],
            one=first,
            other=second,
        )
        flakes = _make_check("flakes", "fail", summary, unsteady=flaky_tests)
    else:
        runs = Message("{number} parallel runs of each gave the same verdicts", number=repetitions)
        flakes = _make_check("flakes", "pass", runs, repetitions=repetitions)
    limits = {job.id: job.limits.wall_s for _, job in test_runs}
    return [
        flakes,
        _check_time_limit(limits, {name: _undisturbed_seconds(sandbox, *slow) for name, slow in slowest_runs.items()}),
    ]


def _undisturbed_seconds(sandbox: Runner, seconds: float, job: Job) -> float:
    """Return the seconds of the slowest run. It is repeated alone near its limit: other jobs may have slowed it."""
    if seconds * _MIN_LIMIT_FACTOR <= job.limits.wall_s:
        return seconds
    solo_result = sandbox.submit(job).result()
    return min(seconds, solo_result.wall_s) if solo_result.outcome == "pass" else seconds


def _check_time_limit(limits: Mapping[str, float], slowest: Mapping[str, float]) -> ProofCheck:
    """Compare each test's limit with the slowest run of a right answer."""
    tight_tests = [label for label, seconds in slowest.items() if seconds * _MIN_LIMIT_FACTOR > limits[label]]
    longest = max(slowest.values(), default=0.0)
    calibrated = max(1, math.ceil(longest * _SUGGESTED_LIMIT_FACTOR))
    facts: dict[str, Any] = {"slowest_s": longest, "calibrated_s": calibrated, "limits_s": dict(limits)}
    if tight_tests:
        summary = Message(
            "{test} took {seconds} s of {most} s allowed; set timeout: {calibrated}",
            test=tight_tests[0],
            seconds=f"{slowest[tight_tests[0]]:.2f}",
            most=f"{limits[tight_tests[0]]:g}",
            calibrated=calibrated,
        )
        return _make_check("time_limit", "fail", summary, **facts)
    summary = Message(
        "slowest test: {longest} s of {most} s allowed; {calibrated} s would be enough",
        longest=f"{longest:.2f}",
        most=f"{max(limits.values()):g}",
        calibrated=calibrated,
    )
    return _make_check("time_limit", "pass", summary, **facts)


def _measure_coverage(judge: Judge, sandbox: Runner, text: str) -> ProofCheck:
    """Measure which lines and branches of the reference's code the tests run."""

    futures = [sandbox.submit(replace(without_controls(job), coverage=True)) for job in judge.jobs(text)]
    reports = [report for report in (future.result().coverage for future in futures) if report]
    merged_report = union(reports)
    if merged_report is None:
        return _make_check("coverage", "open", Message("coverage is not measured for this language"))
    first, last = judge.code_lines(text)
    missing = [line - first + 1 for line in merged_report["missing"] if first <= line <= last]
    executed = [line - first + 1 for line in merged_report["executed"] if first <= line <= last]
    branches = [
        (line - first + 1, taken_count, total)
        for line, taken_count, total in merged_report["branches"]
        if first <= line <= last
    ]
    partial = [line for line, taken_count, total in branches if taken_count < total]
    lines = len(executed) + len(missing)
    branch_total = sum(total for _, _, total in branches)
    taken_count = sum(count for _, count, _ in branches)
    line_counts = {"count": len(executed), "lines": lines}
    summary = (
        Message(
            "{count} of {lines} lines, {taken} of {ways} branches", **line_counts, taken=taken_count, ways=branch_total
        )
        if branch_total
        else Message("{count} of {lines} lines", **line_counts)
    )
    outcome: Outcome = "pass" if not missing and not partial else "fail"
    return _make_check("coverage", outcome, summary, executed=executed, missing=missing, partial=partial)


# -- a criterion document as the judge ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class DocumentJudge:
    """Judges answers by a criterion document."""

    document: CriterionDocument
    sandbox: Runner | None = None

    @property
    def full_score(self) -> float:
        """The document's full score."""
        return self.document.full_score

    @property
    def only_words(self) -> bool:
        """Whether the document only searches for words."""
        return self.document.metrics <= {"keywords", "similarity", "equals", "number", "json"}

    def verdicts(self, answers: Sequence[str], *, expected: bool) -> list[JudgeVerdict]:
        """Score answers."""
        results = score_all_by_criterion(self.document, answers, sandbox=self.sandbox)
        return [JudgeVerdict(result.score, _explain_deviation(result, expected=expected)) for result in results]

    def jobs(self, answer: str) -> list[Job]:
        """Return the jobs of the document's unit tests."""
        jobs = [unit_test_job(test, answer) for test in self.document.tests]
        return [job for job in jobs if job.code.strip()]

    def code_lines(self, answer: str) -> tuple[int, int]:
        """Return the lines of the answer's code in its first test's program."""
        return lines_of_answer(self.document.tests[0], answer)


def right_answers(document: CriterionDocument, question: JudgedQuestion) -> list[tuple[str, str]]:
    """Return (label, answer) of every answer that must pass: the reference and the document's passing examples.

    A reference that is only a function's body is put after its prompt; code for tests is fenced, as models write it.
    """
    answers = []
    if question.reference.strip():
        text = question.reference
        name = question.entry_point
        # A recursive body contains the function's name too, so look at the indentation first.
        is_body = text.lstrip("\n")[:1].isspace() or name not in text
        if name and is_body and name in question.prompt:
            text = complete_reference(question.prompt, text, name)
        if document.tests and "```" not in text:
            text = fence_code(text, document.tests[0].language)
        answers.append(("the reference", text))
    answers += [(f"the example in line {item.line}", item.answer) for item in document.examples if item.passes]
    return answers


def _explain_deviation(result: CriterionScore, *, expected: bool) -> str:
    """Return an explanation of an unexpected score: the first rules that did not match as expected."""
    if result.status != "scored":
        return result.reason
    rules = [
        rule for rule in result.rules if rule.unsettled or (rule.matched is not None and rule.matched is not expected)
    ]
    return "; ".join(f"{rule.label}: {rule.detail}" for rule in rules[:3])[:500]


def lines_of_answer(test: UnitTest, text: str) -> tuple[int, int]:
    """Return the first and last line of an answer's own code in the program of a test, counted from 1."""
    program = unit_test_program(test, text)
    code = extract_code(f"{test.prefix}\n{text}", test.language, only_longest=test.only_longest).strip("\n")
    position = program.rfind(code.strip())
    first = program.count("\n", 0, max(0, position)) + 1
    return first, first + code.strip().count("\n")


def _forbidden_names(prompt: str) -> tuple[str, ...]:
    """Return the names in backticks that a prompt forbids, each once and without parentheses."""
    names = (name.strip("().") for match in _FORBIDDEN_NAMES.finditer(prompt) for name in match.groups() if name)
    return tuple(dict.fromkeys(filter(None, names)))


def _requested_ways(prompt: str) -> tuple[str, ...]:
    """Return the phrases of a prompt on how to write the answer, such as "use a heap", each once."""
    return tuple(dict.fromkeys(re.sub(r"\s+", " ", match[0]) for match in _REQUESTED_WAY.finditer(prompt)))
