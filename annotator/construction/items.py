"""Items with implanted bugs: to be corrected (modification) or found (review), their prompts and their export forms
(specification, task construction, 2.6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotator.base.ids import stable_id
from annotator.construction.code_facts import Difficulty
from annotator.construction.edits import Hunk, Proposal, hunks
from annotator.construction.material import ConstructionError, Material
from annotator.construction.proofs import Proof, Verdict, difficulty_of
from annotator.construction.taxonomy import FIVE_KEYS, FOUR_KEYS, key_of

_MODIFY = (
    "Correct the following code according to the description.\n\nDescription:\n{description}\n\n"
    "Code:\n```{language}\n{code}\n```\n\nGive only the corrected code."
)
_REVIEW = (
    "Find what is wrong in the following code, judged by the description, and correct it.\n\n"
    "Description:\n{description}\n\nCode:\n```{language}\n{code}\n```\n\n"
    "There are {count} types of errors: {keys}. Answer with a JSON object with exactly these keys. The value of a type "
    "that occurs is the corrected line or lines; leave the value of the others empty. For example:\n{example}"
)
_EXAMPLES = {
    "performance_issues": "names = set(names)",
    "security_issues": "value = ast.literal_eval(text)",
    "syntax_errors": "for name in names:",
    "logical_errors": "if count >= limit:",
    "naming_violations": "line_count = 0",
}


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
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
        return _MODIFY.format(**self._shown())

    def review_prompt(self, keys: Sequence[str] = FOUR_KEYS) -> str:
        """Return the task of finding and correcting, with four keys (the default) or five."""
        example = "{\n" + ",\n".join(f'    "{key}": "{_EXAMPLES[key]}"' for key in keys) + "\n}"
        words = {4: "four", 5: "five"}
        listed = f"{', '.join(keys[:-1])} and {keys[-1]}"
        return _REVIEW.format(**self._shown(), count=words.get(len(keys), str(len(keys))), keys=listed, example=example)

    def _shown(self) -> dict[str, str]:
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


def make_item(material: Material, verdict: Verdict) -> BugItem:
    """Return the item of one proven bug. Raises `ConstructionError` for one that is not proven."""
    if verdict.proof is None:
        raise ConstructionError(f"The bug is not proven: {verdict.reason}")
    issue = _issue(verdict.proposal, verdict.proof, hunks(material.code, verdict.proposal.code))
    identity = stable_id("bug item", material.key, verdict.proposal.code)
    return BugItem(identity, material, verdict.proposal.code, (issue,), difficulty_of(verdict.proof))


def _issue(proposal: Proposal, proof: Proof, places: Sequence[Hunk]) -> Issue:
    first, last = span_of(places)
    before = proposal.reference.splitlines()
    old_first = min(hunk.old_lines[0] for hunk in places)
    old_last = max(hunk.old_lines[1] for hunk in places)
    after = proposal.code.splitlines()
    return Issue(
        proposal.kind,
        proposal.operator,
        proposal.origin,
        (first, max(first, last)),
        "\n".join(after[first - 1 : last]),
        "\n".join(before[old_first - 1 : old_last]),
        proof,
        proposal.code,
        proposal.workload,
    )


def span_of(places: Sequence[Hunk]) -> tuple[int, int]:
    """Return the first and last line of what changed; where lines were only removed, the last is before the first."""
    return min(hunk.lines[0] for hunk in places), max(hunk.lines[1] for hunk in places)


def review_keys(item: BugItem) -> tuple[str, ...]:
    """Return the keys of the smallest form that holds the item's labels."""
    return FOUR_KEYS if item.labels <= set(FOUR_KEYS) else FIVE_KEYS
