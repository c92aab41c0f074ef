"""Rows of judging and consensus; importable without SQLModel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

ASPECTS = ("correctness", "difficulty", "applicability", "readability")
"""The aspects of a review, each marked from 1 to 5."""
MARKS_APART = 2
"""The difference of review marks from which on they count as a disagreement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyRow:
    """A study as one rater sees it: ``mine`` servings of which ``done`` are judged; ``total`` and ``judged`` of all.

    ``names`` are what A and B are, None before the study was unblinded by this person; ``unblinded`` is whether anybody
    has. ``identical`` counts the pairs whose two sides are the same: ties that nobody judges. ``skipped`` of mine are
    not judged. ``raters_done`` counts the raters who have judged or skipped all of their pairs.
    """

    id: str
    name: str
    kind: str
    guidelines: str
    commitment: str
    created_at: str
    annotator: str
    pairs: int
    raters: tuple[str, ...]
    mine: int
    done: int
    total: int
    judged: int
    sealed: bool
    names: tuple[str, str] | None
    identical: int = 0
    raters_done: int = 0
    unblinded: bool = False
    skipped: int = 0

    @property
    def ended(self) -> bool:
        """Whether this person can judge nothing more in it."""
        return self.sealed or self.unblinded

    @property
    def may_judge(self) -> bool:
        """Whether this person can still give, change or take back verdicts in it; its results would sway them."""
        return self.mine > 0 and not self.ended


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterBatch:
    """One rater's batch of a study: pairs served, judged and skipped, and whether the batch is sealed."""

    rater: str
    served: int
    judged: int
    sealed: bool
    skipped: int = 0

    @property
    def is_done(self) -> bool:
        """Whether no pair is left to judge."""
        return self.judged + self.skipped == self.served


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedPair:
    """A pair that a rater skipped, with the reason; ``position`` is its place in the rater's order, from 0."""

    assignment_id: str
    rater: str
    position: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoverRow:
    """An act that gave pairs drawn for one rater to another; ``rater`` is empty if nobody judges them now."""

    annotator: str
    drawn_for: str
    rater: str
    pairs: int
    created_at: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnblindingRow:
    """A look at a study's key: by whom, when and why."""

    annotator: str
    created_at: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PairView:
    """A pair as it is shown to a rater: ``first`` and ``second`` in the rater's own order, without names."""

    assignment_id: str
    study_id: str
    pair_id: str
    subject_id: str
    kind: str
    language: str
    question: str
    first: str
    second: str
    position: int
    total: int
    done: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgementRow:
    """One judgement as it was made; ``a_first`` is whether candidate A stood in position 1.

    ``late`` is set if the study was unblinded before it was made: it does not count.
    """

    id: str
    pair_id: str
    subject_id: str
    rater: str
    choice: str
    order: str
    serving: int
    a_first: bool
    rationale: str
    seconds: float | None
    created_at: str
    length_a: int
    length_b: int
    late: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnVerdict:
    """A verdict of the person who looks, on a pair as they saw it; ``again`` says that it was shown a second time."""

    pair: PairView
    title: str
    choice: str
    rationale: str
    seconds: float | None
    created_at: str
    again: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidatePair:
    """Two texts for the same subject, to become a pair; facts may hold model, response, seconds and cost."""

    subject_id: str
    text_a: str
    text_b: str
    facts_a: dict[str, Any]
    facts_b: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Opinion:
    """One side of a disagreement: who, what they said, and why."""

    annotator: str
    said: str
    why: str
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A disagreement between people. ``about`` identifies it ("decision", "pair:<id>", "vote:realistic").

    ``outcome`` is how it was settled, None while it is open; ``majority`` is what most said, None for a draw.
    """

    subject_id: str
    key: str
    title: str
    about: str
    what: str
    opinions: tuple[Opinion, ...]
    majority: str | None
    outcome: str | None
    method: str
    rationale: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentRow:
    """A remark with the people it mentions."""

    id: str
    subject_id: str
    key: str
    title: str
    annotator: str
    text: str
    mentions: tuple[str, ...]
    reply_to: str | None
    created_at: str


_OF_THE_ACT = ("id", "created_at", "annotator_id", "change_id", "content_hash", "before")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictRow:
    """Two contents under one row id, or two independent statements on one matter.

    Of two statements, ``ours`` is the older. ``people`` are their authors, ``key`` is the subject's, empty if none.
    """

    id: str
    table: str
    row_id: str
    ours: dict[str, Any]
    theirs: dict[str, Any]
    key: str = ""
    people: tuple[str, str] = ("", "")

    @property
    def is_one_row(self) -> bool:
        """Whether both have the same row id; only ours is then in the project."""
        return self.ours.get("id") == self.theirs.get("id")

    @property
    def differing(self) -> tuple[str, ...]:
        """The content columns that differ, without author and time."""
        names = [name for name in self.ours if self.ours[name] != self.theirs.get(name)]
        return tuple(names if self.is_one_row else [name for name in names if name not in _OF_THE_ACT])


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRow:
    """Four aspects, each 1 to 5 or None; ``stale`` says that the subject's content has changed since."""

    annotator: str
    correctness: int | None
    difficulty: int | None
    applicability: int | None
    readability: int | None
    note: str
    run: str
    stale: bool
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtefactRow:
    """A subject's solution or tests: the current content, and the progress of the three experts.

    ``revision`` is the id of the edit whose content it is, empty for what the subject came with.
    """

    artefact: str
    content: str
    content_hash: str
    state: str
    edited_by: str | None
    confirmed_by: tuple[str, ...]
    missing: int
    may_confirm: bool
    run: str
    revision: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteState:
    """A panel's votes on a subject as one person may see them.

    ``mine`` is question -> choice. ``tally`` is question -> choice -> count, and ``approvals`` and ``kept`` are known,
    only once the votes are no longer ``sealed``; ``cast`` and ``voters`` always are. ``people`` is how many the project
    has.
    """

    mine: dict[str, str]
    cast: int
    voters: int
    needed: int
    may_vote: bool
    tally: dict[str, dict[str, int]] | None
    approvals: int | None
    kept: bool | None
    sealed: bool = False
    people: int = 0

    @property
    def lacks_people(self) -> bool:
        """Whether the votes are sealed but the project has fewer people than the panel has seats."""
        return self.sealed and 0 < self.people < self.voters


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelRow:
    """An accepted subject with how many of the panel have voted; ``mine``: the person who looks has.

    ``approvals`` and ``kept`` are None while the votes are sealed.
    """

    id: str
    key: str
    title: str
    language: str
    cast: int
    voters: int
    mine: bool
    approvals: int | None
    kept: bool | None
