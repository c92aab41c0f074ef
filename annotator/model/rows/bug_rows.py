"""Rows of implanted bugs for lists and screens; importable without SQLModel."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from annotator.model.rows.gate_numbers import BUG_REVIEWERS

BugState = Literal["unproven", "proven", "in_review", "disputed", "accepted", "rejected"]
BUG_STATES: tuple[BugState, ...] = ("unproven", "proven", "in_review", "disputed", "accepted", "rejected")
ASPECTS = ("correctness", "difficulty", "applicability", "readability")
"""The questions to a reviewer besides the verdict."""
REASONS = ("unrealistic", "ambiguous", "changes the specification", "leak", "duplicate", "too easy")
"""Usual reasons to reject a bug; others are free text."""
LABELS = ("performance_issues", "security_issues", "syntax_errors", "logical_errors", "naming_violations")
"""The error types that answers to review items may name; a reviewer may accept some besides a bug's own."""
KINDS = (
    "logic.condition", "logic.operation", "logic.offbyone", "logic.control", "logic.missing", "logic.variable",
    "logic.index", "performance.complexity", "performance.invariant", "performance.datastructure", "performance.memo",
    "performance.io", "security.injection", "security.deserialisation", "security.crypto", "security.secrets",
    "security.transport", "security.filesystem", "security.config", "syntax.parse", "syntax.name", "naming.case",
    "naming.misleading",
)  # fmt: skip
"""The kinds of bugs that a model can be asked for."""
SEVERAL = "several"
"""The kind and family of a bug that combines several single bugs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BugReviewRow:
    """One reviewer's latest review of a bug; ``aspects`` holds only the aspects that were judged.

    ``labels`` are further error types (`LABELS`) that the reviewer accepts besides the bug's own.
    """

    annotator: str
    verdict: str
    reason: str
    aspects: dict[str, bool]
    created_at: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BugRow:
    """One row of the list of bugs. ``replaces`` is the id of the bug that this one edits, empty for a first version."""

    id: str
    subject_id: str
    key: str
    title: str
    family: str
    kind: str
    operator: str
    origin: str
    state: BugState
    accepts: int
    rejects: int
    replaces: str
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BugView:
    """One bug with everything its page shows.

    ``proof`` is the newest proof of its content as a JSON object (empty: never proven), ``matrix`` the outcomes of the
    tests as (name, before, after), and ``problem`` the reason why the bug is not proven. ``tests`` are (name, code)
    with one assertion each. ``parts`` are the ids of the single bugs that a combined bug consists of.
    """

    row: BugRow
    code: str
    reference: str
    description: str
    explanation: str
    workload: str
    lines: tuple[int, ...]
    proof: dict[str, Any]
    matrix: tuple[tuple[str, str, str], ...]
    problem: str
    reviews: tuple[BugReviewRow, ...]
    tests: tuple[tuple[str, str], ...]
    parts: tuple[str, ...] = ()
    language: str = "python"


@dataclass(frozen=True, slots=True)
class FamilyCount:
    """Number of bugs of a family that were tried, proven and kept."""

    tried: int = 0
    proven: int = 0
    kept: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedRow:
    """The result of proposing bugs in one subject: the numbers tried, proven and kept, in all and by family.

    ``reason`` says why none could be tried; ``refused`` counts the bugs that were not kept by reason.
    """

    subject_id: str
    key: str
    title: str
    tried: int
    proven: int
    kept: int
    reason: str
    refused: dict[str, int]
    families: dict[str, FamilyCount] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BugProvedRow:
    """The result of proving one bug again; ``reason`` says why it is not proven, and is empty if it is."""

    bug_id: str
    key: str
    outcome: str
    reason: str


def state_of(proven: bool, accepts: int, rejects: int, reviewers: int = BUG_REVIEWERS.default) -> BugState:
    """Return a bug's state: decided once ``reviewers`` people agree and they are the majority."""
    if rejects >= reviewers and rejects > accepts:
        return "rejected"
    if not proven:
        return "unproven"
    if accepts >= reviewers and accepts > rejects:
        return "accepted"
    if accepts and rejects:
        return "disputed"
    return "in_review" if accepts or rejects else "proven"
