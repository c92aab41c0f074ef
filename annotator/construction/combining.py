"""Several proven bugs in one program, each provable alone (specification, task construction, 2.3)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from annotator.base.ids import stable_id
from annotator.construction.edits import hunks, merge
from annotator.construction.items import BugItem, Issue, span_of
from annotator.construction.material import ConstructionError, Matrix
from annotator.construction.probing import Run, start_tests
from annotator.construction.proofs import Baseline

if TYPE_CHECKING:
    from annotator.sandbox import Runner

FEWEST, MOST = 2, 4


def combine(items: Sequence[BugItem]) -> BugItem | None:
    """Return the item with the bugs of two to four items of one reference; None if their lines touch.

    Raises `ConstructionError` for another number, or for items of different references.
    """
    if not FEWEST <= len(items) <= MOST:
        raise ConstructionError(f"Two to four bugs can be combined, not {len(items)}.")
    material = items[0].material
    if any(item.material.code != material.code for item in items):
        raise ConstructionError("Only bugs of the same reference can be combined.")
    code = merge(material.code, [item.code for item in items])
    if code is None:
        return None
    issues = []
    for issue in (issue for item in items for issue in item.issues):
        placed = _placed(issue, material.code, code)
        if placed is None:
            return None
        issues.append(placed)
    ordered = tuple(sorted(issues, key=_first_line))
    if any(right.lines[0] <= left.lines[1] for left, right in itertools.pairwise(ordered)):
        return None
    return BugItem(stable_id("bug item", material.key, code), material, code, ordered, "hard")


def _first_line(issue: Issue) -> tuple[int, int]:
    return issue.lines


def _placed(issue: Issue, reference: str, code: str) -> Issue | None:
    """Return the issue with its lines in the combined program."""
    old = {hunk.old_lines for hunk in hunks(reference, issue.alone)}
    places = [hunk for hunk in hunks(reference, code) if hunk.old_lines in old]
    if len(places) != len(old):
        return None
    first, last = span_of(places)
    return replace(issue, lines=(first, max(first, last)))


def prove_combined(baseline: Baseline, item: BugItem, runner: Runner) -> str:
    """Return why a combined item is no good, or nothing: each bug of logic must still fail a test that it fails alone,
    and what must not fail does not without one."""
    if any(issue.kind == "syntax.parse" for issue in item.issues):
        return ""
    read = start_tests(baseline.material, item.code, Run(seed=0, limit_s=baseline.limit_s), runner)
    without = [_alone(baseline, issue, runner) for issue in item.issues]
    together: Matrix = read()
    expected = {name for issue in item.issues for name in issue.proof.failing}
    if together.load_error:
        return "does not load"
    if expected and not together.failed:
        return "the bugs cancel out"
    if expected and not together.passed:
        return "fails every test"
    return next((reason for reason in without if reason), "")


def _alone(baseline: Baseline, issue: Issue, runner: Runner) -> str:
    """Say if a bug is hidden once all others are corrected."""
    if not issue.proof.failing:
        return ""
    matrix = start_tests(baseline.material, issue.alone, Run(seed=1, limit_s=baseline.limit_s), runner)()
    same = set(matrix.failed) == set(issue.proof.failing)
    return "" if same else f"{issue.kind} is not provable alone any more"


def combinations(items: Sequence[BugItem], *, count: int = 2, most: int = 3) -> tuple[BugItem, ...]:
    """Return at most ``most`` combined items of single ones, each with as many labels as bugs: a review answer has room
    for one fix per label."""
    found: list[BugItem] = []
    for group in itertools.islice(itertools.combinations(items, count), 2000):
        if len({label for item in group for label in item.labels}) < count:
            continue
        made = combine(group)
        if made is not None:
            found.append(made)
        if len(found) == most:
            break
    return tuple(found)
