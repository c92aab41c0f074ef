"""Tables of judging and consensus: studies, assignments, edits, confirmations, resolutions, locks, conflicts."""

from __future__ import annotations

from typing import Any

from sqlmodel import Field, Index

from annotator.model.tables.table_columns import ExpertWork, Identified, StoredRow, SubjectWork, json_field, words_field
from annotator.model.vocabulary import ARTEFACTS, PAIR_KINDS, SIDE_ORDERS


class Study(ExpertWork, table=True):
    """A set of pairs judged together. ``commitment`` is the hash of its `BlindKey`, made before the first judgement.

    ``plan`` holds how pairs were shared out: plan, raters (ids), overlap, repeats.
    """

    name: str
    kind: str = words_field(PAIR_KINDS)
    guidelines: str = ""
    commitment: str
    plan: dict[str, Any] = json_field(dict)


class BlindKey(Identified, table=True):
    """The secrets of a blind study: which side of every pair is candidate A, and the names of A and B.

    ``sides`` is pair id -> "left" or "right" (the side of A); ``facts`` is pair id -> {"a": ..., "b": ...}, such as a
    response's id, its seconds and its cost. Never in a packet for a rater.
    """

    __tablename__ = "blind_key"

    study_id: str = Field(foreign_key="study.id", index=True)
    secret: str
    name_a: str
    name_b: str
    sides: dict[str, str] = json_field(dict)
    facts: dict[str, Any] = json_field(dict)


class Assignment(Identified, table=True):
    """One pair served to one rater: its position, and which side is shown first. ``serving`` 2 is the repeat."""

    __table_args__ = (Index("ix_assignment_served", "study_id", "annotator_id", "pair_id", "serving", unique=True),)

    study_id: str = Field(foreign_key="study.id", index=True)
    pair_id: str = Field(foreign_key="pair.id", index=True)
    annotator_id: str = Field(foreign_key="annotator.id", index=True)
    position: int
    order: str = words_field(SIDE_ORDERS)
    serving: int = words_field((1, 2), default=1)


class Seal(ExpertWork, table=True):
    """A rater's statement that a batch is finished; its judgements can no longer be undone."""

    study_id: str = Field(foreign_key="study.id", index=True)


class Unblinding(ExpertWork, table=True):
    """The unblinding of a study; it cannot be undone, because the person has seen the names."""

    study_id: str = Field(foreign_key="study.id", index=True)
    reason: str = ""


class Revision(SubjectWork, table=True):
    """An expert's edit of a subject's solution or tests; ``content`` of tests is a JSON array."""

    artefact: str = words_field(ARTEFACTS)
    content: str
    content_hash: str = Field(index=True)
    note: str = ""


class Confirmation(SubjectWork, table=True):
    """An expert's verdict on an artefact with this ``content_hash``; ``proof_id`` is the proof it is based on."""

    artefact: str = words_field(ARTEFACTS)
    content_hash: str = Field(index=True)
    verdict: str = words_field(("confirm", "reject"))
    note: str = ""
    proof_id: str | None = None


PAIR = "pair:"
"""The prefix of ``about`` in a resolution for a pair of a study."""


class Resolution(SubjectWork, table=True):
    """The settlement of a disagreement. ``about`` names its topic ("decision", "pair:<id>", "vote:realistic").

    It also records a skipped pair ("skip:<assignment id>") or a new rater of a pair ("rater:<assignment id>").
    """

    about: str
    method: str
    outcome: str
    rationale: str = ""


class Lock(SubjectWork, table=True):
    """The locking or unlocking of a subject; the newest row applies."""

    locked: bool
    reason: str = ""


class Origin(StoredRow, table=True):
    """One import of a subject. A subject in two files has two, and is active while one of them is not undone."""

    subject_id: str = Field(foreign_key="subject.id", primary_key=True)
    change_id: str = Field(foreign_key="change.id", primary_key=True)
    source_id: str = Field(foreign_key="source.id")
    created_at: str


class Conflict(Identified, table=True):
    """Two contents of one row, or two statements about the same topic, found by a merge."""

    table_name: str
    row_id: str
    ours: dict[str, Any] = json_field(dict)
    theirs: dict[str, Any] = json_field(dict)
