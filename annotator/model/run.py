"""Models, runs over a release, their responses and scores."""

from __future__ import annotations

from typing import Any

from sqlmodel import Field, SQLModel, UniqueConstraint

from annotator.model.tables import ExpertWork, Identified, json_field


class ModelUnderTest(Identified, table=True):
    """A model as it is named in results; ``settings`` never hold a key."""

    __tablename__ = "model_under_test"

    name: str = Field(unique=True)
    settings: dict[str, Any] = json_field(dict)


class Run(Identified, table=True):
    """One release, one model, one protocol, n samples."""

    release_id: str = Field(foreign_key="release.id", index=True)
    model_id: str = Field(foreign_key="model_under_test.id", index=True)
    preset: str = "replay"
    samples: int = 1
    settings: dict[str, Any] = json_field(dict)
    state: str = "planned"
    reason: str = ""
    annotator_id: str = Field(foreign_key="annotator.id")
    finished_at: str | None = None


class Response(Identified, table=True):
    """One answer of one model. Without ``run_id`` it is a stored sample, kept to try criteria on."""

    __table_args__ = (UniqueConstraint("run_id", "subject_id", "sample"),)

    run_id: str | None = Field(default=None, foreign_key="run.id", index=True)
    subject_id: str = Field(foreign_key="subject.id", index=True)
    model_id: str = Field(foreign_key="model_under_test.id", index=True)
    sample: int = 0
    text: str = ""
    outcome: str = "answer"
    finish_reason: str = ""
    content_hash: str
    request_hash: str = ""
    usage: dict[str, Any] = json_field(dict)
    seconds: float | None = None


class Score(SQLModel, table=True):
    """What one criterion gave one response: keyed by both contents, so an edit makes a new score beside the old."""

    response_id: str = Field(foreign_key="response.id", primary_key=True)
    criterion_hash: str = Field(primary_key=True)
    points: float | None = None
    total: float | None = None
    score: float | None = None
    outcome: str
    detail: dict[str, Any] = json_field(dict)
    created_at: str


class ErrorLabel(ExpertWork, table=True):
    """Why a response failed, in an expert's words from a short list."""

    __tablename__ = "error_label"

    response_id: str = Field(foreign_key="response.id", index=True)
    label: str
    note: str = ""


class RunScores(SQLModel, table=True):
    """The newest scores of a run side by side, kept to read many runs at once; dropped when one of them changes.

    ``positions`` (place in the release, uint32), ``outcomes`` (uint8, see `annotator.store.results.CODES`) and
    ``scores`` (float64, NaN where the machinery failed) are little-endian columns, by item and sample.
    """

    __tablename__ = "run_scores"

    run_id: str = Field(foreign_key="run.id", primary_key=True)
    positions: bytes
    outcomes: bytes
    scores: bytes
    totals: dict[str, Any] = json_field(dict)


class PublishedTable(ExpertWork, table=True):
    """A table of numbers that others published; ``content`` is what `annotator.formats.published` reads."""

    __tablename__ = "published_table"

    name: str
    content_hash: str
    content: dict[str, Any] = json_field(dict)
