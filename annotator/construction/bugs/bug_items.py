"""Items with implanted bugs: to be corrected (modification) or found (review), their prompts and their export forms
(specification, task construction, 2.6)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotator.base.ids import stable_id
from annotator.construction.bugs.proofs import Baseline, Proof, Verdict, difficulty_of
from annotator.construction.bugs.taxonomy import FIVE_KEYS, FOUR_KEYS, family_of, key_of
from annotator.construction.edits import Hunk, Proposal, hunks, merge
from annotator.construction.material import ConstructionError, Material, Matrix
from annotator.construction.python_facts import Difficulty
from annotator.construction.sandbox_probe import Run, start_tests
from annotator.sandbox import Runner

_MODIFY = (
    "Correct the following code according to the description.\n\nDescription:\n{description}\n\n"
    "Code:\n```{language}\n{code}\n```\n\nAnswer with the whole corrected code in one block of code."
)
_REVIEW = (
    "Find what is wrong in the following code, judged by the description, and correct it.\n\n"
    "Description:\n{description}\n\nCode:\n```{language}\n{code}\n```\n\n"
    "There are {count} types of errors: {keys}. Answer with one JSON object with exactly these keys. The value of a "
    "type that occurs is the corrected line or lines; leave the value of the others empty. For example:\n{example}"
)
_TOLD = {
    "performance": "For large input it takes much longer than it has to.",
    "naming": "A name is misleading, or not written as names are in this language.",
}
"""What is wrong with code that does what its description says."""
_EXAMPLES = {
    "performance_issues": "names = set(names)",
    "security_issues": "value = ast.literal_eval(text)",
    "syntax_errors": "for name in names:",
    "logical_errors": "if count >= limit:",
    "naming_violations": "line_count = 0",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """One proven bug of an item: its kind, who made it, the lines of the item's code, and what is right there."""

    kind: str
    operator: str
    origin: str
    lines: tuple[int, int]
    original: str
    fixed: str
    proof: Proof
    alone: str
    """The reference with this bug only, on which it was proven."""
    workload: str = ""

    @property
    def key(self) -> str:
        """Its key in review items."""
        return key_of(self.kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class BugItem:
    """A program with one to four proven bugs. ``accepted_labels`` are keys that a reviewer lets pass as well."""

    id: str
    material: Material
    code: str
    issues: tuple[Issue, ...]
    difficulty: Difficulty
    accepted_labels: tuple[str, ...] = ()

    @property
    def labels(self) -> frozenset[str]:
        """The keys of its bugs."""
        return frozenset(issue.key for issue in self.issues)

    @property
    def reference(self) -> str:
        """The corrected program."""
        return self.material.code

    @property
    def modification_prompt(self) -> str:
        """The task of correcting the program."""
        fields = self._prompt_fields()
        told = dict.fromkeys(self._tell(issue) for issue in self.issues)
        if any(told):
            fields["description"] += f"\n\nWhat is wrong: {' '.join(filter(None, told))}"
        return _MODIFY.format(**fields)

    def _tell(self, issue: Issue) -> str:
        """Return what is wrong where the description cannot say it, or a call that shows it."""
        family = family_of(issue.kind)
        if family in _TOLD:
            return _TOLD[family]
        # Where there are several bugs, what one of logic does alone may not be seen.
        return issue.proof.behaviour if len(self.issues) == 1 or family == "security" else ""

    def review_prompt(self, keys: Sequence[str] = FIVE_KEYS) -> str:
        """Return the task of finding and correcting, with five keys (the default) or the four of the paper."""
        words = {4: "four", 5: "five"}
        listed = f"{', '.join(keys[:-1])} and {keys[-1]}"
        return _REVIEW.format(
            **self._prompt_fields(),
            count=words.get(len(keys), str(len(keys))),
            keys=listed,
            example=review_example(keys),
        )

    def _prompt_fields(self) -> dict[str, str]:
        return {
            "description": self.material.description or "(none; the code says it)",
            "language": self.material.language,
            "code": self.code.strip("\n"),
        }

    def as_modification(self) -> dict[str, Any]:
        """Return the modification item as a JSON object."""
        return {
            **self._head("modification"),
            "prompt": self.modification_prompt,
            "reference": self.reference,
            "bugs": [
                {"type": issue.kind, "by": issue.operator, "origin": issue.origin, "lines": list(issue.lines),
                 "workload": issue.workload, "proof": issue.proof.as_json()}
                for issue in self.issues
            ],
        }  # fmt: skip

    def as_review(self, keys: Sequence[str] = FOUR_KEYS, *, full: bool = False) -> dict[str, Any]:
        """Return the review item as a JSON object; ``full`` adds the corrected program.

        Raises `ConstructionError` if a bug's key is none of the keys (naming needs the five-key form).
        """
        missing = sorted(self.labels - set(keys))
        if missing:
            raise ConstructionError(f"{missing[0]} is no key of this form; use the form with five keys.")
        row = {
            **self._head("review"),
            "prompt": self.review_prompt(keys),
            "keys": list(keys),
            "issues": [
                {"key": issue.key, "subtype": issue.kind, "lines": list(issue.lines), "original": issue.original,
                 "fixed": issue.fixed, "workload": issue.workload, "proof": issue.proof.as_json()}
                for issue in self.issues
            ],
            "accepted_labels": list(self.accepted_labels),
        }  # fmt: skip
        return {**row, "corrected_code": self.reference} if full else row

    def _head(self, task: str) -> dict[str, Any]:
        return {
            "id": stable_id(task, self.id), "key": self.material.key, "task": task,
            "language": self.material.language, "description": self.material.description, "code": self.code,
            "entry_point": self.material.entry_point, "difficulty": self.difficulty,
            "tests": [{"name": test.name, "code": test.code} for test in self.material.tests],
        }  # fmt: skip


def review_example(keys: Sequence[str]) -> str:
    """Return the example of an answer that review prompts show."""
    return "{\n" + ",\n".join(f'    "{key}": "{_EXAMPLES[key]}"' for key in keys) + "\n}"


def make_item(material: Material, verdict: Verdict) -> BugItem:
    """Return the item of one proven bug. Raises `ConstructionError` for one that is not proven."""
    if verdict.proof is None:
        raise ConstructionError(f"The bug is not proven: {verdict.reason}")
    issue = _issue(verdict.proposal, verdict.proof, hunks(material.code, verdict.proposal.code))
    identity = stable_id("bug item", material.key, verdict.proposal.code)
    return BugItem(
        id=identity,
        material=material,
        code=verdict.proposal.code,
        issues=(issue,),
        difficulty=difficulty_of(verdict.proof),
    )


def _issue(proposal: Proposal, proof: Proof, places: Sequence[Hunk]) -> Issue:
    first, last = span_of(places)
    before = proposal.reference.splitlines()
    old_first = min(hunk.old_lines[0] for hunk in places)
    old_last = max(hunk.old_lines[1] for hunk in places)
    after = proposal.code.splitlines()
    return Issue(
        kind=proposal.kind,
        operator=proposal.operator,
        origin=proposal.origin,
        lines=(first, max(first, last)),
        original="\n".join(after[first - 1 : last]),
        fixed="\n".join(before[old_first - 1 : old_last]),
        proof=proof,
        alone=proposal.code,
        workload=proposal.workload,
    )


def span_of(places: Sequence[Hunk]) -> tuple[int, int]:
    """Return the first and last line of what changed; where lines were only removed, the last is before the first."""
    return min(hunk.lines[0] for hunk in places), max(hunk.lines[1] for hunk in places)


REVIEW_KEYS = FIVE_KEYS
"""The keys of all review items: a key that only some items show gives their answer away."""


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
        placed = _relocate(issue, material.code, code)
        if placed is None:
            return None
        issues.append(placed)
    ordered = tuple(sorted(issues, key=lambda issue: issue.lines))
    if any(right.lines[0] <= left.lines[1] for left, right in itertools.pairwise(ordered)):
        return None
    return BugItem(
        id=stable_id("bug item", material.key, code), material=material, code=code, issues=ordered, difficulty="hard"
    )


def _relocate(issue: Issue, reference: str, code: str) -> Issue | None:
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
