"""Tables of expert work: append-only rows, each by one person at one time."""

from __future__ import annotations

from typing import Any

from sqlalchemy import text
from sqlmodel import Field, Index

from annotator.model.tables.table_columns import (
    ExpertWork,
    Identified,
    SubjectWork,
    json_field,
    later_field,
    unindexed_key,
    words_field,
)
from annotator.model.vocabulary import CHOICES, PAIR_KINDS, SIDE_ORDERS, Verdict


class Decision(SubjectWork, table=True):
    """Accept, reject, skip or flag a candidate."""

    __table_args__ = (Index("ix_decision_created_at", "created_at"),)

    verdict: str = words_field((*Verdict, "open"))
    reason: str = ""


class Prompt(SubjectWork, table=True):
    """One revision of the paraphrase that models are asked; ``origin`` is ``human`` or a model's name."""

    text: str
    note: str = ""
    origin: str = "human"


class Criterion(SubjectWork, table=True):
    """One revision of the criterion document (YAML source); proofs refer to its ``content_hash``."""

    source: str
    content_hash: str = Field(index=True)
    note: str = ""


class Proof(Identified, table=True):
    """The outcome of running some content, valid only while that content is current.

    For a criterion, ``content_hash`` is that of the criterion and ``prompt_id`` the paraphrase it was proven with
    (None: the original). ``edits`` names the edits of reference and tests at that time; older programs stored None.
    """

    __table_args__ = (Index("ix_proof_subject_hash", "subject_id", "content_hash"),)

    subject_id: str = Field(foreign_key="subject.id", index=True)
    content_hash: str = Field(index=True)
    prompt_id: str | None = None
    kind: str = words_field(("criterion", "tests", "bug", "bugs tried", "rewrite", "artefacts"))
    outcome: str = words_field(("pass", "fail", "open", "machinery"))
    detail: dict[str, Any] = json_field(dict)
    edits: str | None = None


class Bug(SubjectWork, table=True):
    """A proposed implanted bug: who made it (an operator, a model, a person) and the changed code.

    An edit is a new row that ``replaces`` the first. Proofs refer to ``content_hash`` (reference, tests, code and
    kind), so an edit has none until it is proven again. ``state`` is the origin of the row, proposed or edited; its
    current state follows from proofs and reviews. ``parts`` are the ids of the single bugs of a combined one.
    """

    family: str = words_field(("logic", "performance", "security", "syntax", "naming", "several"))
    kind: str = Field(sa_column_kwargs={"server_default": ""})
    operator: str
    origin: str = later_field("operator")
    code: str
    workload: str = later_field("")
    explanation: str = ""
    lines: list[int] = json_field(list)
    reference_hash: str = Field(sa_column_kwargs={"server_default": ""})
    content_hash: str = Field(index=True)
    replaces: str | None = Field(default=None, index=True)
    state: str = words_field(("proposed", "edited"), default="proposed")
    parts: list[str] = json_field(list, came_later=True)


class BugReview(SubjectWork, table=True):
    """One reviewer's verdict on a bug; each of the four aspects is True if it holds, None if not judged.

    ``labels`` are further error types that the reviewer accepts besides the bug's own.
    """

    __tablename__ = "bug_review"

    bug_id: str = Field(foreign_key="bug.id", index=True)
    verdict: str = words_field(("accept", "reject"))
    reason: str = ""
    correctness: bool | None = None
    difficulty: bool | None = None
    applicability: bool | None = None
    readability: bool | None = None
    labels: list[str] = json_field(list, came_later=True)


class Pair(Identified, table=True):
    """Two candidates to be judged blind, on random sides; the study's `BlindKey` records which is which.

    ``left`` and ``right`` hold the ``text`` as shown; ``commitment`` is the hash of this pair's part of the A/B map.
    """

    study_id: str | None = Field(default=None, foreign_key="study.id", index=True)
    subject_id: str = Field(foreign_key="subject.id", index=True)
    kind: str = words_field(PAIR_KINDS)
    left: dict[str, Any] = json_field(dict)
    right: dict[str, Any] = json_field(dict)
    commitment: str = ""


class Judgement(ExpertWork, table=True):
    """A rater's choice: "1", "2", "tie" or "both_bad" as on screen; ``order`` says which side was 1.

    ``serving`` 2 is the judgement of a repeated pair, with its sides swapped.
    """

    pair_id: str = Field(foreign_key="pair.id", index=True)
    verdict: str = words_field(CHOICES)
    order: str = words_field(SIDE_ORDERS, default="left-right")
    serving: int = words_field((1, 2), default=1, sa_column_kwargs={"server_default": text("1")})
    rationale: str = ""
    seconds: float | None = None


class Review(SubjectWork, table=True):
    """Four aspects of an item, each 1 to 5, None if not judged; ``proof_id`` supports the correctness mark."""

    correctness: int | None = words_field(range(1, 6), default=None)
    difficulty: int | None = words_field(range(1, 6), default=None)
    applicability: int | None = words_field(range(1, 6), default=None)
    readability: int | None = words_field(range(1, 6), default=None)
    note: str = ""
    content_hash: str = ""
    proof_id: str | None = None


class Vote(SubjectWork, table=True):
    """One panel member's answer to one question."""

    question: str
    choice: str = words_field(("yes", "no", "abstain"))


class Comment(SubjectWork, table=True):
    """A remark on a subject; ``reply_to`` is another comment's id."""

    text: str
    reply_to: str | None = None


class QuotaPlan(ExpertWork, table=True):
    """The project's quotas as a list of objects; the newest active plan applies."""

    annotator_id: str = unindexed_key("annotator.id")
    change_id: str = unindexed_key("change.id")
    quotas: list[Any] = json_field(list)


class Label(SubjectWork, table=True):
    """A value that a person set for a subject: its difficulty, question type, domain, area or licence.

    ``before`` is the previous value, so that undoing every label restores the imported one.
    ``origin`` is ``human``, or the model that suggested it.
    """

    annotator_id: str = unindexed_key("annotator.id")
    name: str = words_field(("difficulty", "question_type", "domain", "area", "licence"))
    value: str
    before: str = ""
    origin: str = later_field("human")


class Rewriting(SubjectWork, table=True):
    """One revision of a rewrite with its test table and references; proofs and notes refer to its ``content_hash``."""

    annotator_id: str = unindexed_key("annotator.id")
    change_id: str = unindexed_key("change.id")
    document: dict[str, Any] = json_field(dict)
    content_hash: str


class CoverageNote(SubjectWork, table=True):
    """The reason why a reference may stay below full coverage, or (with ``exception_id``) a confirmation of one."""

    annotator_id: str = unindexed_key("annotator.id")
    change_id: str = unindexed_key("change.id")
    content_hash: str
    language: str
    reason: str = ""
    exception_id: str | None = None


class Allotment(SubjectWork, table=True):
    """The assignment of a candidate to a person; without ``person_id`` it is assigned to nobody."""

    annotator_id: str = unindexed_key("annotator.id")
    person_id: str | None = Field(default=None, foreign_key="annotator.id")


class Suggestion(Identified, table=True):
    """A model's suggestion for a subject: text, the template with its version, and the prompt as it was sent."""

    subject_id: str = Field(foreign_key="subject.id", index=True)
    kind: str
    text: str
    model: str
    template: str
    prompt: list[dict[str, Any]] = json_field(list)
    usage: dict[str, Any] = json_field(dict)
    complete: bool = True


class SuggestionVerdict(SubjectWork, table=True):
    """A person's acceptance (perhaps edited) or rejection of a suggestion; without one it is open."""

    __tablename__ = "suggestion_verdict"

    suggestion_id: str = Field(foreign_key="suggestion.id", index=True)
    verdict: str = words_field(("accepted", "rejected"))
