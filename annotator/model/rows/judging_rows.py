"""Rows of judging and consensus; importable without SQLModel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


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
    """A pair that a rater skipped, with the reason; ``position`` is its index in the rater's order."""

    assignment_id: str
    rater: str
    position: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoverRow:
    """A transfer of pairs to another rater; ``rater`` is empty if nobody judges them now."""

    annotator: str
    drawn_for: str
    rater: str
    pairs: int
    created_at: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnblindingRow:
    """The unblinding of a study: by whom, when and why."""

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
    """One judgement as it was made; ``a_first`` is True if candidate A was in position 1.

    ``late`` is True if the study was already unblinded, so the judgement does not count.
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
    """The current user's verdict on a pair as they saw it; ``again`` is True for the repetition of a pair."""

    pair: PairView
    title: str
    choice: str
    rationale: str
    seconds: float | None
    created_at: str
    again: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidatePair:
    """Two texts for the same subject, to be judged as a pair; facts may hold model, response, seconds and cost."""

    subject_id: str
    text_a: str
    text_b: str
    facts_a: dict[str, Any]
    facts_b: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Opinion:
    """One person's statement in a disagreement: ``said`` is their choice, ``why`` their reason."""

    annotator: str
    said: str
    why: str
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A disagreement between people. ``about`` identifies its topic ("decision", "pair:<id>", "vote:realistic").

    ``outcome`` is the settled choice, None while it is open; ``majority`` is the most frequent choice, None for a draw.
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


_ACT_COLUMNS = ("id", "created_at", "annotator_id", "change_id", "content_hash", "before")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictRow:
    """Two contents under one row id, or two independent statements about the same topic.

    Of two statements, ``ours`` is the older. ``people`` are their authors; ``key`` is the subject's key, if any.
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
        """Whether both have the same row id, so that only ``ours`` is in the project."""
        return self.ours.get("id") == self.theirs.get("id")

    @property
    def differing(self) -> tuple[str, ...]:
        """The content columns that differ, without author and time."""
        names = [name for name in self.ours if self.ours[name] != self.theirs.get(name)]
        return tuple(names if self.is_one_row else [name for name in names if name not in _ACT_COLUMNS])


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRow:
    """A review: four aspects, each 1 to 5 or None; ``stale`` is True if the subject has changed since."""

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
    """A subject's solution or tests: the current content, and its confirmation by three experts.

    ``revision`` is the id of the edit with this content, empty for the imported content.
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

    ``mine`` maps question to choice; ``tally`` maps question to choice to count. ``tally``, ``approvals`` and ``kept``
    are None while the votes are ``sealed``; ``cast`` and ``voters`` are always known. ``people`` is the number of
    people in the project. ``may_close`` is True for the panel's chair while there are sealed votes.
    """

    mine: dict[str, str]
    cast: int
    voters: int
    needed: int
    may_vote: bool
    may_close: bool
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
    """An accepted subject with the number of votes cast; ``mine`` is True if the current user has voted.

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
