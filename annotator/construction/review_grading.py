"""Grade review answers: labels, location, and whether the fix works (specification, task construction, 2.7)."""

from __future__ import annotations

import json
import math
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from annotator.answers.outcome import NoAnswer
from annotator.answers.review import ReviewAnswer, find_review
from annotator.construction.bugs.bug_items import BugItem, Issue, review_example
from annotator.construction.bugs.static_rules import NAMING_RULES, SECURITY_RULES, matches_rule, rule_hits
from annotator.construction.bugs.taxonomy import FOUR_REVIEW_KEYS
from annotator.construction.bugs.timing_curve import measure_timing
from annotator.construction.program_grades import Graded, Status, find_program, start_answer_grade, start_program_grade
from annotator.construction.task_material import PYTHON
from annotator.sandbox import Runner

# The similarity and the weights are those of the specification (2.7), except for placing lines.
MIN_LOCALISED_SIMILARITY = 0.8
MIN_PLACED_SIMILARITY = 0.4
LABELS_WEIGHT = 0.5
FIXES_WEIGHT = 0.5
FALSE_LABEL_COST = 0.25
_TOKENS = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewGrade:
    """The grade of one review answer. ``graded`` is 0 to 1; ``binary`` counts in the leaderboard.

    ``fixed`` and ``localised`` map each of the item's labels.
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
    """Label scores over many answers.

    ``by_label`` counts true positives, false positives, false negatives and true negatives; ``total`` sums the first
    three over all labels.
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
            sum(key in predicted and key in gold for predicted, gold in pairs),
            sum(key in predicted and key not in gold for predicted, gold in pairs),
            sum(key not in predicted and key in gold for predicted, gold in pairs),
            sum(key not in predicted and key not in gold for predicted, gold in pairs),
        )
        for key in keys
    }
    hits, false_labels, misses = (sum(row[column] for row in counts.values()) for column in range(3))
    occurring = [row for row in counts.values() if row[0] + row[1] + row[2]]
    f1_by_label = [2 * row[0] / (2 * row[0] + row[1] + row[2]) for row in occurring]
    return LabelScores(
        micro_f1=2 * hits / (2 * hits + false_labels + misses) if hits + false_labels + misses else 1.0,
        macro_f1=sum(f1_by_label) / len(f1_by_label) if f1_by_label else 1.0,
        exact=sum(predicted == gold for predicted, gold in pairs) / len(pairs) if pairs else 0.0,
        by_label=counts,
        total=(hits, false_labels, misses),
    )


def start_review(
    item: BugItem,
    response: str,
    runner: Runner,
    *,
    keys: tuple[str, ...] = FOUR_REVIEW_KEYS,
    finish_reason: str = "stop",
) -> Callable[[], ReviewGrade]:
    """Start grading a review answer and return a function that waits for the grade."""
    answer = find_review(response, keys, code=item.code, example=review_example(keys), finish_reason=finish_reason)
    predicted = frozenset(answer.values)
    # Labels that a reviewer accepts as well count neither for nor against an answer.
    scored_labels = predicted - (frozenset(item.accepted_labels) - item.labels)
    checks = {key: _start_fix(item, key, answer, runner) for key in sorted(scored_labels & item.labels)}
    combined_check = _start_combined_check(item, answer, scored_labels, runner)
    return lambda: _grade_review(
        item,
        answer,
        scored_labels,
        fixes={key: read_problem() for key, read_problem in checks.items()},
        combined_problem=combined_check(),
    )


def _grade_review(
    item: BugItem,
    answer: ReviewAnswer,
    predicted: frozenset[str],
    fixes: Mapping[str, str],
    combined_problem: str,
) -> ReviewGrade:
    gold = item.labels
    common = len(predicted & gold)
    precision = common / len(predicted) if predicted else float(not gold)
    recall = common / len(gold) if gold else float(not predicted)
    f1 = 2 * common / (len(predicted) + len(gold)) if predicted or gold else 1.0
    union = len(predicted | gold)
    fixed = {key: fixes.get(key, "the label is missing") == "" for key in sorted(gold)}
    localised = {key: key in answer.values and _is_localised(item, key, answer) for key in sorted(gold)}
    exact = predicted == gold
    is_right = exact and all(fixed.values()) and not combined_problem
    share = sum(fixed.values()) / len(gold) if gold else 1.0
    points = LABELS_WEIGHT * f1 + FIXES_WEIGHT * share - FALSE_LABEL_COST * len(predicted - gold)
    graded = max(0.0, points) if answer.is_found else 0.0
    status: Status = "partial" if graded > 0 else "fail"
    if not answer.is_found:
        status = "no_answer"
    elif is_right:
        status = "pass"
    reasons = [f"{key}: {problem}" for key, problem in fixes.items() if problem]
    if combined_problem and exact:
        reasons.append(combined_problem)
    return ReviewGrade(
        binary=float(is_right and answer.is_found),
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


# -- location ----------------------------------------------------------------------------------------------------


def token_similarity(left: str, right: str) -> float:
    """Return the token similarity of two pieces of code, 0 to 1: twice the common tokens divided by all (Dice)."""
    left_tokens = Counter(_TOKENS.findall(left))
    right_tokens = Counter(_TOKENS.findall(right))
    count = left_tokens.total() + right_tokens.total()
    return 2 * (left_tokens & right_tokens).total() / count if count else 1.0


def _is_localised(item: BugItem, key: str, answer: ReviewAnswer) -> bool:
    """Return whether the answer is about the bug's lines: similar to the wrong line or to the correct one."""
    lines = [line for line in answer.values[key].splitlines() if line.strip()]
    issue_lines = [
        line
        for issue in item.issues
        if issue.key == key
        for line in (*issue.original.splitlines(), *issue.fixed.splitlines())
        if line.strip()
    ]
    return any(token_similarity(line, other) >= MIN_LOCALISED_SIMILARITY for line in lines for other in issue_lines)


# -- fix ---------------------------------------------------------------------------------------------------------


def replace_issue(code: str, issue: Issue, value: str) -> str:
    """Return the code with an issue's lines replaced by an answer's lines, reindented to fit."""
    lines = code.splitlines()
    first, last = issue.lines
    # If the bug only removed lines, the fix is inserted before the following line.
    start = first - 1
    end = last if issue.original else first - 1
    value_lines = value.strip("\n").splitlines()
    if 0 < len(value_lines) < end - start and _is_scattered(issue):
        placed_lines = _place_lines(lines[start:end], value_lines)
        if placed_lines:
            return "\n".join([*lines[:start], *placed_lines, *lines[end:]]) + "\n"
    return "\n".join([*lines[:start], *_reindent_answer(value_lines, issue), *lines[end:]]) + "\n"


def _is_scattered(issue: Issue) -> bool:
    """Return whether the issue's lines include some that the bug did not change."""
    fixed_lines = issue.fixed.splitlines()
    return any(line.strip() and line in fixed_lines for line in issue.original.splitlines())


def _place_lines(lines: list[str], answer_lines: list[str]) -> list[str]:
    """Return the code's lines with each of the answer's lines in place of the most similar one, in the same order.

    An answer need not repeat the unchanged lines between those that a bug has changed. Empty if some line of the answer
    is not similar to any.
    """
    # best[n] is the best sum of similarities for the first n lines of the answer, with their places.
    best: list[tuple[float, tuple[int, ...]] | None] = [(0.0, ()), *[None] * len(answer_lines)]
    for index, line in enumerate(lines):
        for count in range(len(answer_lines), 0, -1):
            previous = best[count - 1]
            similarity = token_similarity(line, answer_lines[count - 1])
            if previous is None or similarity < MIN_PLACED_SIMILARITY:
                continue
            current = best[count]
            if current is None or previous[0] + similarity > current[0]:
                best[count] = previous[0] + similarity, (*previous[1], index)
    best_match = best[-1]
    if best_match is None:
        return []
    placed = list(lines)
    for index, line in zip(best_match[1], answer_lines, strict=True):
        placed[index] = lines[index][: _indent(lines[index])] + line.strip()
    return placed


def _reindent_answer(value: list[str], issue: Issue) -> list[str]:
    """Return an answer's lines, indented like the lines of the reference."""
    reference_lines = [line for line in (issue.fixed or issue.original).splitlines() if line.strip()]
    filled_lines = [line for line in value if line.strip()]
    if not reference_lines or not filled_lines:
        return value
    if _indent(filled_lines[0]) and textwrap.dedent(issue.fixed) == textwrap.dedent(issue.original):
        # The indentation is the bug, so the answer's own indentation counts.
        return value
    later_indent = min((_indent(line) for line in reference_lines[1:]), default=-1)
    if not _indent(filled_lines[0]) and later_indent == min((_indent(line) for line in filled_lines[1:]), default=-2):
        # Only the first line has lost its indentation.
        return [" " * _indent(reference_lines[0]) + line if line is filled_lines[0] else line for line in value]
    reference_indent = min(_indent(line) for line in reference_lines)
    own_indent = min(_indent(line) for line in filled_lines)
    margin = next(line for line in reference_lines if _indent(line) == reference_indent)[:reference_indent]
    return [margin + line[own_indent:] if line.strip() else "" for line in value]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def apply_fixes(item: BugItem, values: Mapping[str, str], *, rest: str = "reference") -> str:
    """Return the item's code with an answer's fixes for some keys.

    The other issues get the reference's lines, or stay with ``rest="keep"``. If several issues have the same key, the
    fix replaces the first and the others stay.
    """
    code = item.code
    used_keys: set[str] = set()
    for issue in item.issues:
        replacement = changed_lines(values[issue.key], item.code) if issue.key in values else None
        if replacement is not None and len(item.issues) == 1:
            first, last, text = replacement
            lines = code.splitlines()
            return "\n".join([*lines[: first - 1], text, *lines[last:]]) + "\n"
    plans: list[tuple[Issue, str]] = []
    for issue in item.issues:
        if issue.key in values and issue.key not in used_keys:
            used_keys.add(issue.key)
            plans.append((issue, values[issue.key]))
        elif rest == "reference" and issue.key not in values:
            plans.append((issue, issue.fixed))
    # From the last issue upwards, so that the lines above keep their numbers.
    for issue, value in sorted(plans, key=lambda plan: -plan[0].lines[0]):
        code = replace_issue(code, issue, value)
    return code


def _start_fix(item: BugItem, key: str, answer: ReviewAnswer, runner: Runner) -> Callable[[], str]:
    """Start checking one label's fix, with the reference's fix for the other bugs.

    The returned function waits for the reason why it fails, or "".
    """
    code = answer.corrected_code or apply_fixes(item, {key: answer.values[key]})
    return _start_check(item, [issue for issue in item.issues if issue.key == key], code, runner)


def _start_combined_check(
    item: BugItem, answer: ReviewAnswer, predicted: frozenset[str], runner: Runner
) -> Callable[[], str]:
    """Start checking all fixes together, unless a single bug makes this the same as the label's check.

    The returned function waits for the reason why they fail, or "".
    """
    if predicted != item.labels or len(item.issues) == 1:
        return lambda: ""
    code = answer.corrected_code or apply_fixes(item, answer.values, rest="keep")
    return _start_check(item, item.issues, code, runner)


def _start_check(item: BugItem, issues: Sequence[Issue], code: str, runner: Runner) -> Callable[[], str]:
    tests = start_program_grade(item.material, code, runner)

    def read_problem() -> str:
        graded: Graded = tests()
        if graded.score < 1:
            return graded.detail
        return _first_remaining_problem(item, issues, code, runner)

    return read_problem


def start_modification(
    item: BugItem, response: str, runner: Runner, finish_reason: str = "stop"
) -> Callable[[], Graded]:
    """Start grading a corrected program and return a function that waits for the grade.

    It is 1 if all tests pass and none of the proven bugs remains that tests cannot detect (a static rule that still
    fires, a time that still grows).
    """
    answer = find_program(item.material, item.code, response, finish_reason)
    tests = start_answer_grade(item.material, answer, runner)

    def read_grade() -> Graded:
        graded: Graded = tests()
        if graded.score < 1:
            return graded
        problem = _first_remaining_problem(item, item.issues, answer.text, runner)
        if not problem:
            return graded
        return Graded(score=0.0, status="fail", detail=problem, flags=graded.flags, how=graded.how)

    return read_grade


def _first_remaining_problem(item: BugItem, issues: Sequence[Issue], code: str, runner: Runner) -> str:
    problems = (_remaining_problem(item, issue, code, runner) for issue in issues)
    return next(filter(None, problems), "")


def _remaining_problem(item: BugItem, issue: Issue, code: str, runner: Runner) -> str:
    """Return why a fix that passes the tests is still wrong, or "": a static rule fires, or the program is slow."""
    family = issue.kind.partition(".")[0]
    if family in ("security", "naming") and item.material.language == PYTHON:
        prefixes = SECURITY_RULES if family == "security" else NAMING_RULES
        reference_hits = _count_hits(item.reference, prefixes)
        hits = _count_hits(code, prefixes)
        new_rules = sorted(rule for rule, count in hits.items() if count > reference_hits[rule])
        return f"the rule {new_rules[0]} fires" if new_rules else ""
    if family != "performance" or not issue.workload or issue.proof.timing is None:
        return ""
    timing = measure_timing(item.reference, code, item.material.entry_point, issue.workload, runner,
                     base=issue.proof.timing.sizes[0], full=True)  # fmt: skip
    if timing is None or not timing.equal:
        return "results differ on large inputs"
    proven = issue.proof.timing
    # The geometric mean of the reference's time and the bug's.
    max_ratio = math.sqrt(proven.ratio)
    return "" if timing.ratio <= max_ratio else f"still {timing.ratio:.1f} times slower than the reference"


def _count_hits(code: str, prefixes: Sequence[str]) -> Counter[str]:
    (hits,) = rule_hits([code])
    return Counter(hit.rule for hit in hits if matches_rule(hit.rule, prefixes))


# -- controls ----------------------------------------------------------------------------------------------------


def reference_answer(item: BugItem) -> str:
    """Return the correct answer: each label with the reference's lines."""
    return json.dumps({issue.key: issue.fixed or "pass" for issue in item.issues})


def unchanged_answer(item: BugItem) -> str:
    """Return an answer with the right labels that changes nothing."""
    return json.dumps({issue.key: issue.original or "pass" for issue in item.issues})


def changed_lines(value: str, code: str) -> tuple[int, int, str] | None:
    """Return the first and last line of the code that a value replaces, and the new text.

    Lines count from 1, both included. None if the value does not begin and end with lines of the code.
    """
    new_lines = value.strip("\n").split("\n")
    old_lines = code.rstrip("\n").split("\n")
    new_texts = [line.strip() for line in new_lines]
    old_texts = [line.strip() for line in old_lines]
    if sum(map(bool, new_texts)) < 2:
        return None
    first = next((number for number, text in enumerate(old_texts) if text and text == new_texts[0]), None)
    ends = [number for number, text in enumerate(old_texts) if text and text == new_texts[-1]]
    if first is None or not ends or ends[-1] < first or ends[-1] - first + 1 < len(new_lines) // 2:
        return None
    shift = _indent(old_lines[first]) - _indent(new_lines[0])
    return first + 1, ends[-1] + 1, "\n".join(_shift_line(line, shift) for line in new_lines)


def _shift_line(line: str, shift: int) -> str:
    """Return a line indented by more spaces, or by fewer characters if ``shift`` is negative."""
    if shift < 0:
        return line[-shift:]
    return " " * shift + line if line.strip() else line
