"""Items with implanted bugs to correct (modification) or to find (review), with their prompts and exported forms
(specification, task construction, 2.6)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotator.base.ids import stable_id
from annotator.construction.bugs.bug_proofs import Baseline, BugEvidence, ProposalVerdict, difficulty_of
from annotator.construction.bugs.taxonomy import FIVE_REVIEW_KEYS, FOUR_REVIEW_KEYS, family_of, review_key
from annotator.construction.edits import Hunk, Proposal, diff_hunks, merge_changes
from annotator.construction.python_facts import Difficulty
from annotator.construction.sandbox_probe import RunOptions, start_tests
from annotator.construction.task_material import ConstructionError, Material, Matrix
from annotator.sandbox import Runner

_MODIFICATION_PROMPT = (
    "Correct the following code according to the description.\n\nDescription:\n{description}\n\n"
    "Code:\n```{language}\n{code}\n```\n\nAnswer with the whole corrected code in one block of code."
)
_REVIEW_PROMPT = (
    "Find what is wrong in the following code, judged by the description, and correct it.\n\n"
    "Description:\n{description}\n\nCode:\n```{language}\n{code}\n```\n\n"
    "There are {count} types of errors: {keys}. Answer with one JSON object with exactly these keys. The value of a "
    "type that occurs is the corrected line or lines; leave the value of the others empty. For example:\n{example}"
)
_FAMILY_HINTS = {
    "performance": "For large input it takes much longer than it has to.",
    "naming": "A name is misleading, or not written as names are in this language.",
}
"""Hints for bugs that do not change what the code does."""
_EXAMPLES = {
    "performance_issues": "names = set(names)",
    "security_issues": "value = ast.literal_eval(text)",
    "syntax_errors": "for name in names:",
    "logical_errors": "if count >= limit:",
    "naming_violations": "line_count = 0",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """One proven bug of an item: its kind and origin, its lines in the item's code, and the correct lines."""

    kind: str
    operator: str
    origin: str
    lines: tuple[int, int]
    original: str
    fixed: str
    proof: BugEvidence
    alone: str
    """The reference with only this bug, for which the bug was proven."""
    workload: str = ""

    @property
    def key(self) -> str:
        """Its key in review items."""
        return review_key(self.kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class BugItem:
    """A program with one to four proven bugs. ``accepted_labels`` are further keys that count as correct."""

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
        hints = dict.fromkeys(self._find_hint(issue) for issue in self.issues)
        if any(hints):
            fields["description"] += f"\n\nWhat is wrong: {' '.join(filter(None, hints))}"
        return _MODIFICATION_PROMPT.format(**fields)

    def _find_hint(self, issue: Issue) -> str:
        """Return a hint at a bug that the description cannot reveal, or a call that shows the bug."""
        family = family_of(issue.kind)
        if family in _FAMILY_HINTS:
            return _FAMILY_HINTS[family]
        # Among several bugs, the effect that one logic bug has alone may not be visible.
        return issue.proof.behaviour if len(self.issues) == 1 or family == "security" else ""

    def review_prompt(self, keys: Sequence[str] = FIVE_REVIEW_KEYS) -> str:
        """Return the prompt to find and correct the bugs, with five keys (the default) or the paper's four."""
        words = {4: "four", 5: "five"}
        key_list = f"{', '.join(keys[:-1])} and {keys[-1]}"
        return _REVIEW_PROMPT.format(
            **self._prompt_fields(),
            count=words.get(len(keys), str(len(keys))),
            keys=key_list,
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
            **self._common_fields("modification"),
            "prompt": self.modification_prompt,
            "reference": self.reference,
            "bugs": [
                {"type": issue.kind, "by": issue.operator, "origin": issue.origin, "lines": list(issue.lines),
                 "workload": issue.workload, "proof": issue.proof.as_json()}
                for issue in self.issues
            ],
        }  # fmt: skip

    def as_review(self, keys: Sequence[str] = FOUR_REVIEW_KEYS, *, full: bool = False) -> dict[str, Any]:
        """Return the review item as a JSON object; ``full`` adds the corrected program.

        Raises `ConstructionError` if a bug's key is not among the keys (naming needs the five-key form).
        """
        missing = sorted(self.labels - set(keys))
        if missing:
            raise ConstructionError(f"{missing[0]} is not a key of this form; use the form with five keys.")
        row = {
            **self._common_fields("review"),
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

    def _common_fields(self, task: str) -> dict[str, Any]:
        return {
            "id": stable_id(task, self.id), "key": self.material.key, "task": task,
            "language": self.material.language, "description": self.material.description, "code": self.code,
            "entry_point": self.material.entry_point, "difficulty": self.difficulty,
            "tests": [{"name": test.name, "code": test.code} for test in self.material.tests],
        }  # fmt: skip


def review_example(keys: Sequence[str]) -> str:
    """Return the example of an answer that review prompts show."""
    return "{\n" + ",\n".join(f'    "{key}": "{_EXAMPLES[key]}"' for key in keys) + "\n}"


def make_bug_item(material: Material, verdict: ProposalVerdict) -> BugItem:
    """Return the item of one proven bug. Raises `ConstructionError` if the bug is not proven."""
    if verdict.proof is None:
        raise ConstructionError(f"The bug is not proven: {verdict.reason}")
    issue = _make_issue(verdict.proposal, verdict.proof, diff_hunks(material.code, verdict.proposal.code))
    identity = stable_id("bug item", material.key, verdict.proposal.code)
    return BugItem(
        id=identity,
        material=material,
        code=verdict.proposal.code,
        issues=(issue,),
        difficulty=difficulty_of(verdict.proof),
    )


def _make_issue(proposal: Proposal, proof: BugEvidence, changed_hunks: Sequence[Hunk]) -> Issue:
    first, last = changed_span(changed_hunks)
    reference_lines = proposal.reference.splitlines()
    old_first = min(hunk.old_lines[0] for hunk in changed_hunks)
    old_last = max(hunk.old_lines[1] for hunk in changed_hunks)
    code_lines = proposal.code.splitlines()
    return Issue(
        kind=proposal.kind,
        operator=proposal.operator,
        origin=proposal.origin,
        lines=(first, max(first, last)),
        original="\n".join(code_lines[first - 1 : last]),
        fixed="\n".join(reference_lines[old_first - 1 : old_last]),
        proof=proof,
        alone=proposal.code,
        workload=proposal.workload,
    )


def changed_span(changed_hunks: Sequence[Hunk]) -> tuple[int, int]:
    """Return the first and last changed line; if lines were only removed, the last one is before the first."""
    return min(hunk.lines[0] for hunk in changed_hunks), max(hunk.lines[1] for hunk in changed_hunks)


REVIEW_KEYS = FIVE_REVIEW_KEYS
"""The keys of all review items; a key shown by only some items would give their answer away."""


MIN_COMBINED_BUGS = 2
MAX_COMBINED_BUGS = 4


def combine_items(items: Sequence[BugItem]) -> BugItem | None:
    """Return one item with the bugs of two to four items of the same reference; None if their lines touch.

    Raises `ConstructionError` for another number of items, or for different references.
    """
    if not MIN_COMBINED_BUGS <= len(items) <= MAX_COMBINED_BUGS:
        raise ConstructionError(f"Two to four bugs can be combined, not {len(items)}.")
    material = items[0].material
    if any(item.material.code != material.code for item in items):
        raise ConstructionError("Only bugs of the same reference can be combined.")
    code = merge_changes(material.code, [item.code for item in items])
    if code is None:
        return None
    issues = []
    for issue in (issue for item in items for issue in item.issues):
        relocated = _relocate_issue(issue, material.code, code)
        if relocated is None:
            return None
        issues.append(relocated)
    sorted_issues = tuple(sorted(issues, key=lambda issue: issue.lines))
    if any(right.lines[0] <= left.lines[1] for left, right in itertools.pairwise(sorted_issues)):
        return None
    return BugItem(
        id=stable_id("bug item", material.key, code),
        material=material,
        code=code,
        issues=sorted_issues,
        difficulty="hard",
    )


def _relocate_issue(issue: Issue, reference: str, code: str) -> Issue | None:
    """Return the issue with its lines in the combined program."""
    old_ranges = {hunk.old_lines for hunk in diff_hunks(reference, issue.alone)}
    new_hunks = [hunk for hunk in diff_hunks(reference, code) if hunk.old_lines in old_ranges]
    if len(new_hunks) != len(old_ranges):
        return None
    first, last = changed_span(new_hunks)
    return replace(issue, lines=(first, max(first, last)))


def find_combined_problem(baseline: Baseline, item: BugItem, runner: Runner) -> str:
    """Return why a combined item is unusable, or "".

    It must load, fail some tests and pass others if any of its bugs does, and each bug must still be provable alone.
    """
    if any(issue.kind == "syntax.parse" for issue in item.issues):
        return ""
    read_matrix = start_tests(baseline.material, item.code, RunOptions(seed=0, limit_s=baseline.limit_s), runner)
    reasons_alone = [_reason_not_provable(baseline, issue, runner) for issue in item.issues]
    combined_matrix: Matrix = read_matrix()
    expected = {name for issue in item.issues for name in issue.proof.failing}
    if combined_matrix.load_error:
        return "does not load"
    if expected and not combined_matrix.failed:
        return "the bugs cancel out"
    if expected and not combined_matrix.passed:
        return "fails every test"
    return next((reason for reason in reasons_alone if reason), "")


def _reason_not_provable(baseline: Baseline, issue: Issue, runner: Runner) -> str:
    """Return why a bug can no longer be proven without the others, or ""."""
    if not issue.proof.failing:
        return ""
    matrix = start_tests(baseline.material, issue.alone, RunOptions(seed=1, limit_s=baseline.limit_s), runner)()
    fails_same_tests = set(matrix.failed) == set(issue.proof.failing)
    return "" if fails_same_tests else f"{issue.kind} is not provable alone any more"


def make_combined_items(items: Sequence[BugItem], *, count: int = 2, most: int = 3) -> tuple[BugItem, ...]:
    """Return at most ``most`` items that combine ``count`` single ones.

    The bugs of each have different labels, since a review answer has room for one fix per label.
    """
    combined_items: list[BugItem] = []
    for group in itertools.islice(itertools.combinations(items, count), 2000):
        if len({label for item in group for label in item.labels}) < count:
            continue
        combined = combine_items(group)
        if combined is not None:
            combined_items.append(combined)
        if len(combined_items) == most:
            break
    return tuple(combined_items)
