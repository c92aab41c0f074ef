"""Grade review answers: labels, place, and whether the fix holds (specification, task construction, 2.7)."""

from __future__ import annotations

import json
import math
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from annotator.answers.found import NoAnswer
from annotator.answers.review import ReviewAnswer, changed_lines, find_review
from annotator.construction.bugs.bug_items import BugItem, Issue, review_example
from annotator.construction.bugs.static_rules import NAMING, SECURITY, matches, rule_hits
from annotator.construction.bugs.taxonomy import FOUR_KEYS
from annotator.construction.bugs.timing_curve import measure
from annotator.construction.material import PYTHON
from annotator.construction.program_grades import Graded, Status, find_program, start_answer, start_program
from annotator.sandbox import Runner

SIMILAR, RELATED = 0.8, 0.4
LABELS_WEIGHT, FIXES_WEIGHT, FALSE_LABEL_COST = 0.5, 0.5, 0.25
_TOKENS = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """The grade of one review answer. ``graded`` is 0 to 1, ``binary`` counts in the leaderboard.

    ``fixed`` and ``localised`` are by key of the item's labels.
    """

    binary: float
    graded: float
    status: Status
    predicted: frozenset[str]
    gold: frozenset[str]
    precision: float
    recall: float
    f1: float
    jaccard: float
    exact: bool
    localised: Mapping[str, bool]
    fixed: Mapping[str, bool]
    unknown: tuple[str, ...] = ()
    detail: str = ""
    how: str = ""
    outcome: NoAnswer = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelScores:
    """How well labels were found over many answers: ``by_label`` counts true and false positives and negatives.

    ``total`` are the first three over all labels.
    """

    micro_f1: float
    macro_f1: float
    exact: float
    by_label: Mapping[str, tuple[int, int, int, int]]
    total: tuple[int, int, int]


def label_scores(pairs: Sequence[tuple[frozenset[str], frozenset[str]]], keys: Sequence[str]) -> LabelScores:
    """Return micro and macro F1 and the confusion of each label over (predicted, gold) pairs."""
    counts = {
        key: (
            sum(key in found and key in gold for found, gold in pairs),
            sum(key in found and key not in gold for found, gold in pairs),
            sum(key not in found and key in gold for found, gold in pairs),
            sum(key not in found and key not in gold for found, gold in pairs),
        )
        for key in keys
    }
    hit, false, missed = (sum(row[at] for row in counts.values()) for at in range(3))
    occurring = [row for row in counts.values() if row[0] + row[1] + row[2]]
    macro = [2 * row[0] / (2 * row[0] + row[1] + row[2]) for row in occurring]
    return LabelScores(
        micro_f1=2 * hit / (2 * hit + false + missed) if hit + false + missed else 1.0,
        macro_f1=sum(macro) / len(macro) if macro else 1.0,
        exact=sum(found == gold for found, gold in pairs) / len(pairs) if pairs else 0.0,
        by_label=counts,
        total=(hit, false, missed),
    )


def start_review(
    item: BugItem,
    response: str,
    runner: Runner,
    *,
    keys: tuple[str, ...] = FOUR_KEYS,
    finish_reason: str = "stop",
) -> Callable[[], Reviewed]:
    """Start the grading of a review answer; call what is returned for the grade."""
    answer = find_review(response, keys, code=item.code, example=review_example(keys), finish_reason=finish_reason)
    predicted = frozenset(answer.values)
    # What a reviewer accepts beside the labels neither counts for nor against an answer.
    counted = predicted - (frozenset(item.accepted_labels) - item.labels)
    checks = {key: _start_fix(item, key, answer, runner) for key in sorted(counted & item.labels)}
    whole = _start_total(item, answer, counted, runner)
    return lambda: _reviewed(item, answer, counted, {k: read() for k, read in checks.items()}, whole())


def _reviewed(
    item: BugItem,
    answer: ReviewAnswer,
    predicted: frozenset[str],
    fixes: Mapping[str, str],
    whole: str,
) -> Reviewed:
    gold = item.labels
    common = len(predicted & gold)
    precision = common / len(predicted) if predicted else float(not gold)
    recall = common / len(gold) if gold else float(not predicted)
    f1 = 2 * common / (len(predicted) + len(gold)) if predicted or gold else 1.0
    union = len(predicted | gold)
    fixed = {key: fixes.get(key, "the label is missing") == "" for key in sorted(gold)}
    localised = {key: key in answer.values and _localised(item, key, answer) for key in sorted(gold)}
    exact = predicted == gold
    right = exact and all(fixed.values()) and not whole
    share = sum(fixed.values()) / len(gold) if gold else 1.0
    points = LABELS_WEIGHT * f1 + FIXES_WEIGHT * share - FALSE_LABEL_COST * len(predicted - gold)
    graded = max(0.0, points) if answer.is_found else 0.0
    status: Status = "no_answer" if not answer.is_found else "pass" if right else "partial" if graded > 0 else "fail"
    reasons = [f"{key}: {why}" for key, why in fixes.items() if why] + ([whole] if whole and exact else [])
    return Reviewed(
        binary=float(right and answer.is_found),
        graded=graded,
        status=status,
        predicted=predicted,
        gold=gold,
        precision=precision,
        recall=recall,
        f1=f1,
        jaccard=common / union if union else 1.0,
        exact=exact,
        localised=localised,
        fixed=fixed,
        unknown=answer.unknown,
        detail="; ".join(reasons)[:500] if answer.is_found else answer.how,
        how=answer.how,
        outcome=answer.outcome,
    )


# -- place -------------------------------------------------------------------------------------------------------


def similarity(left: str, right: str) -> float:
    """Return how alike two pieces of code are by their tokens, 0 to 1 (twice the common ones by all)."""
    a, b = Counter(_TOKENS.findall(left)), Counter(_TOKENS.findall(right))
    count = a.total() + b.total()
    return 2 * (a & b).total() / count if count else 1.0


def _localised(item: BugItem, key: str, answer: ReviewAnswer) -> bool:
    """Tell whether the value is about a line of the bug: alike to what stands there, or to what is right there."""
    lines = [line for line in answer.values[key].splitlines() if line.strip()]
    wanted = [
        line
        for issue in item.issues
        if issue.key == key
        for line in (*issue.original.splitlines(), *issue.fixed.splitlines())
        if line.strip()
    ]
    return any(similarity(line, other) >= SIMILAR for line in lines for other in wanted)


# -- fix ---------------------------------------------------------------------------------------------------------


def replaced(code: str, issue: Issue, value: str) -> str:
    """Return the code with the lines of an issue replaced by a value, indented as the lines were."""
    lines = code.splitlines()
    first, last = issue.lines
    # Where the bug only removed lines, the fix goes in before the line that follows.
    start, end = first - 1, last if issue.original else first - 1
    given = value.strip("\n").splitlines()
    if 0 < len(given) < end - start and _is_scattered(issue):
        scattered = _placed(lines[start:end], given)
        if scattered:
            return "\n".join([*lines[:start], *scattered, *lines[end:]]) + "\n"
    fresh = _indented(given, issue)
    return "\n".join([*lines[:start], *fresh, *lines[end:]]) + "\n"


def _is_scattered(issue: Issue) -> bool:
    """Tell whether lines that the bug did not change stand between those that it did."""
    right = issue.fixed.splitlines()
    return any(line.strip() and line in right for line in issue.original.splitlines())


def _placed(lines: list[str], given: list[str]) -> list[str]:
    """Return lines of the code with those in their place that an answer gives in the same order, each for the line
    that it is most alike; empty where one is like none.

    An answer need not repeat the lines between those that a bug has changed.
    """
    # The best sum of likenesses of the first lines that are given, with the places that make it.
    best: list[tuple[float, tuple[int, ...]] | None] = [(0.0, ()), *[None] * len(given)]
    for place, line in enumerate(lines):
        for count in range(len(given), 0, -1):
            before, like = best[count - 1], similarity(line, given[count - 1])
            if before is None or like < RELATED:
                continue
            now = best[count]
            if now is None or before[0] + like > now[0]:
                best[count] = before[0] + like, (*before[1], place)
    found = best[-1]
    if found is None:
        return []
    placed = list(lines)
    for place, line in zip(found[1], given, strict=True):
        placed[place] = lines[place][: _indent(lines[place])] + line.strip()
    return placed


def _indented(value: list[str], issue: Issue) -> list[str]:
    """Return the lines of a value, indented as the lines of the reference are."""
    right = [line for line in (issue.fixed or issue.original).splitlines() if line.strip()]
    filled = [line for line in value if line.strip()]
    if not right or not filled:
        return value
    if _indent(filled[0]) and textwrap.dedent(issue.fixed) == textwrap.dedent(issue.original):
        # The indentation is the bug: where the answer shows one, it is meant.
        return value
    later = min((_indent(line) for line in right[1:]), default=-1)
    if not _indent(filled[0]) and later == min((_indent(line) for line in filled[1:]), default=-2):
        # Only the first line has lost its indentation.
        return [" " * _indent(right[0]) + line if line is filled[0] else line for line in value]
    least, own = min(_indent(line) for line in right), min(_indent(line) for line in filled)
    before = next(line for line in right if _indent(line) == least)[:least]
    return [before + line[own:] if line.strip() else "" for line in value]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def apply_fixes(item: BugItem, values: Mapping[str, str], *, rest: str = "reference") -> str:
    """Return the item's code with fixes for some keys; the other issues get the reference's lines, or stay
    (``rest="keep"``). A value for several issues of one key is taken for the first, the others stay."""
    code = item.code
    used: set[str] = set()
    for issue in item.issues:
        repeated = changed_lines(values[issue.key], item.code) if issue.key in values else None
        if repeated is not None and len(item.issues) == 1:
            first, last, text = repeated
            lines = code.splitlines()
            return "\n".join([*lines[: first - 1], text, *lines[last:]]) + "\n"
    plans: list[tuple[Issue, str]] = []
    for issue in item.issues:
        if issue.key in values and issue.key not in used:
            used.add(issue.key)
            plans.append((issue, values[issue.key]))
        elif rest == "reference" and issue.key not in values:
            plans.append((issue, issue.fixed))
    # From the last line upwards, so that lines above keep their numbers.
    for issue, value in sorted(plans, key=lambda plan: -plan[0].lines[0]):
        code = replaced(code, issue, value)
    return code


def _start_fix(item: BugItem, key: str, answer: ReviewAnswer, runner: Runner) -> Callable[[], str]:
    """Start the check of one label's fix, with the reference's fix for the other bugs; returns why it fails."""
    code = answer.corrected_code or apply_fixes(item, {key: answer.values[key]})
    return _start_check(item, [issue for issue in item.issues if issue.key == key], code, runner)


def _start_total(item: BugItem, answer: ReviewAnswer, predicted: frozenset[str], runner: Runner) -> Callable[[], str]:
    """Start the check of all fixes together; returns why they fail. With one bug it is the same as the label's."""
    if predicted != item.labels or len(item.issues) == 1:
        return lambda: ""
    code = answer.corrected_code or apply_fixes(item, answer.values, rest="keep")
    return _start_check(item, item.issues, code, runner)


def _start_check(item: BugItem, issues: Sequence[Issue], code: str, runner: Runner) -> Callable[[], str]:
    tests = start_program(item.material, code, runner)

    def read() -> str:
        graded: Graded = tests()
        if graded.score < 1:
            return graded.detail
        return next((why for why in (_quality(item, issue, code, runner) for issue in issues) if why), "")

    return read


def start_modification(
    item: BugItem, response: str, runner: Runner, finish_reason: str = "stop"
) -> Callable[[], Graded]:
    """Start the grading of a corrected program: 1 if all tests pass and no proven bug is left that tests do not see
    (a rule that fires, a time that grows); call what is returned for the grade."""
    answer = find_program(item.material, item.code, response, finish_reason)
    tests = start_answer(item.material, answer, runner)

    def read() -> Graded:
        graded: Graded = tests()
        if graded.score < 1:
            return graded
        left = next((why for why in (_quality(item, issue, answer.text, runner) for issue in item.issues) if why), "")
        return Graded(score=0.0, status="fail", detail=left, flags=graded.flags, how=graded.how) if left else graded

    return read


def _quality(item: BugItem, issue: Issue, code: str, runner: Runner) -> str:
    """Return why a fix that passes the tests is none: the rule still fires, a new one does, or it is still slow."""
    family = issue.kind.partition(".")[0]
    if family in ("security", "naming") and item.material.language == PYTHON:
        prefixes = SECURITY if family == "security" else NAMING
        before, after = (_count_hits(code_, prefixes) for code_ in (item.reference, code))
        worse = sorted(rule for rule, count in after.items() if count > before[rule])
        return f"the rule {worse[0]} fires" if worse else ""
    if family != "performance" or not issue.workload or issue.proof.timing is None:
        return ""
    timing = measure(item.reference, code, item.material.entry_point, issue.workload, runner,
                     base=issue.proof.timing.sizes[0], full=True)  # fmt: skip
    if timing is None or not timing.equal:
        return "results differ on large inputs"
    proven = issue.proof.timing
    # The middle, by ratio, between the reference's time and the bug's.
    bound = math.sqrt(proven.ratio)
    return "" if timing.ratio <= bound else f"still {timing.ratio:.1f} times slower than the reference"


def _count_hits(code: str, prefixes: Sequence[str]) -> Counter[str]:
    (hits,) = rule_hits([code])
    return Counter(hit.rule for hit in hits if matches(hit.rule, prefixes))


# -- controls ----------------------------------------------------------------------------------------------------


def reference_answer(item: BugItem) -> str:
    """Return the answer that is right: each label with the reference's lines."""
    return json.dumps({issue.key: issue.fixed or "pass" for issue in item.issues})


def unchanged_answer(item: BugItem) -> str:
    """Return the answer that names the right labels and changes nothing."""
    return json.dumps({issue.key: issue.original or "pass" for issue in item.issues})
