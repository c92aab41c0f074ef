"""Expert work: append-only rows by a person at a time."""

from __future__ import annotations

from typing import Any

from sqlmodel import Field

from annotator.model.tables import ExpertWork, Identified, SubjectWork, json_field


class Decision(SubjectWork, table=True):
    """Accept, reject, skip or flag a candidate."""

    verdict: str
    reason: str = ""


class Prompt(SubjectWork, table=True):
    """One revision of the paraphrase that models will be asked; ``origin`` is ``human`` or a model's name."""

    text: str
    note: str = ""
    origin: str = "human"


class Criterion(SubjectWork, table=True):
    """One revision of the criterion document (YAML source); proofs hang on ``content_hash``."""

    source: str
    content_hash: str = Field(index=True)
    note: str = ""


class Proof(Identified, table=True):
    """What was run on which content, and what came of it; it counts only while that content is the current one.

    The content is a criterion (``content_hash`` is its) and the paraphrase it was proven with (None: the original).
    """

    subject_id: str = Field(foreign_key="subject.id", index=True)
    content_hash: str = Field(index=True)
    prompt_id: str | None = None
    kind: str
    outcome: str
    detail: dict[str, Any] = json_field(dict)


class Bug(SubjectWork, table=True):
    """A proposed implanted bug: the operator or model that made it, the changed code, its state of review."""

    family: str
    operator: str
    code: str
    explanation: str = ""
    lines: list[int] = json_field(list)
    content_hash: str = Field(index=True)
    state: str = "proposed"


class Pair(Identified, table=True):
    """Two candidates to be judged blind, on sides drawn by chance; what they are stands in the study's `BlindKey`.

    ``left`` and ``right`` hold the ``text`` as shown; ``commitment`` is the hash of this pair's part of the A/B map.
    """

    study_id: str | None = Field(default=None, foreign_key="study.id", index=True)
    subject_id: str = Field(foreign_key="subject.id", index=True)
    kind: str
    left: dict[str, Any] = json_field(dict)
    right: dict[str, Any] = json_field(dict)
    commitment: str = ""


class Judgement(ExpertWork, table=True):
    """What a rater chose: "1", "2", "tie" or "both_bad" as on screen; ``order`` says which side was 1.

    ``serving`` 2 is the judgement of a pair served once more, with its sides swapped.
    """

    pair_id: str = Field(foreign_key="pair.id", index=True)
    verdict: str
    order: str = "left-right"
    serving: int = 1
    rationale: str = ""
    seconds: float | None = None


class Review(SubjectWork, table=True):
    """Four aspects of an item, each 1 to 5, None where not judged; ``proof_id`` is the run correctness rests on."""

    correctness: int | None = None
    difficulty: int | None = None
    applicability: int | None = None
    readability: int | None = None
    note: str = ""
    content_hash: str = ""
    proof_id: str | None = None


class Vote(SubjectWork, table=True):
    """One panel member's answer to one question."""

    question: str
    choice: str


class Comment(SubjectWork, table=True):
    """A remark on a subject; ``reply_to`` is another comment's id."""

    text: str
    reply_to: str | None = None
