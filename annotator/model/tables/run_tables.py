"""Models, runs over a release, their responses and scores."""

from __future__ import annotations

from typing import Any

from sqlmodel import Field, Index, UniqueConstraint

from annotator.model.tables.table_columns import (
    ExpertWork,
    Identified,
    StoredRow,
    json_field,
    later_field,
    rows_where,
    words_field,
)
from annotator.model.vocabulary import NO_ANSWER, SETUP_KINDS, Outcome, RunState


class ModelUnderTest(Identified, table=True):
    """A model as it is named in results; ``settings`` never hold an API key."""

    __tablename__ = "model_under_test"

    name: str = Field(unique=True)
    settings: dict[str, Any] = json_field(dict)


class Run(Identified, table=True):
    """One release, one model, one protocol, n samples.

    ``settings`` hold protocol, endpoint, price and cap as they were at the start, never an API key. ``score_set_id``
    names the scores that count. ``owner`` and ``beat_at`` (its last heartbeat) show whether the process that works on
    the run is alive; ``seconds`` is the total working time.
    """

    release_id: str = Field(foreign_key="release.id", index=True)
    model_id: str = Field(foreign_key="model_under_test.id", index=True)
    preset: str = "replay"
    samples: int = 1
    settings: dict[str, Any] = json_field(dict)
    state: str = words_field(RunState, default="planned")
    reason: str = ""
    annotator_id: str = Field(foreign_key="annotator.id")
    finished_at: str | None = None
    score_set_id: str | None = None
    owner: str = later_field("")
    beat_at: str | None = None
    seconds: float = later_field(0.0)


class Response(Identified, table=True):
    """One answer of one model. Without ``run_id`` it is a stored sample, kept to try criteria on.

    ``request_hash`` is the key of the cache. The request as sent is the body of the `Question` with ``question_hash``
    (the same for all samples), updated with ``request`` (decoding options and seed).
    """

    __table_args__ = (
        UniqueConstraint("run_id", "subject_id", "sample"),
        Index("ix_response_content", "subject_id", "content_hash"),
        Index("ix_response_stored", "subject_id", "model_id", "sample", unique=True, **rows_where("run_id IS NULL")),
    )

    run_id: str | None = Field(default=None, foreign_key="run.id", index=True)
    subject_id: str = Field(foreign_key="subject.id", index=True)
    model_id: str = Field(foreign_key="model_under_test.id", index=True)
    sample: int = 0
    text: str = ""
    outcome: str = words_field(("answer", "unknown", *NO_ANSWER), default="answer")
    finish_reason: str = ""
    content_hash: str
    request_hash: str = Field(default="", index=True)
    usage: dict[str, Any] = json_field(dict)
    seconds: float | None = None
    question_hash: str = later_field("")
    request: dict[str, Any] = json_field(dict, came_later=True)
    served_model: str = later_field("")
    template: str = later_field("")
    label: str = later_field("")
    retries: int = later_field(0)
    seed: int | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached: bool = later_field(False)
    cost: float = later_field(0.0)


class Question(StoredRow, table=True):
    """A request's question without decoding options, stored once for all samples. ``characters`` is its length."""

    content_hash: str = Field(primary_key=True)
    body: dict[str, Any] = json_field(dict)
    characters: int = 0


class Failure(StoredRow, table=True):
    """A request of a run without an answer, and why; deleted once it has one."""

    run_id: str = Field(foreign_key="run.id", primary_key=True)
    subject_id: str = Field(foreign_key="subject.id", primary_key=True)
    sample: int = Field(primary_key=True)
    cause: str
    reason: str = ""
    attempts: int = 1
    created_at: str


class Score(StoredRow, table=True):
    """One criterion's score of one response, keyed by both, so an edited criterion adds a new score beside the old."""

    response_id: str = Field(foreign_key="response.id", primary_key=True)
    criterion_hash: str = Field(primary_key=True)
    points: float | None = None
    total: float | None = None
    score: float | None = None
    outcome: str = words_field(Outcome)
    detail: dict[str, Any] = json_field(dict)
    created_at: str


class ScoreSet(Identified, table=True):
    """A run scored once with one set of criteria; ``source`` is "release", "project" or "release V"."""

    __tablename__ = "score_set"

    run_id: str = Field(foreign_key="run.id", index=True)
    source: str
    annotator_id: str = Field(foreign_key="annotator.id")


class ScoreSetItem(StoredRow, table=True):
    """The criterion whose scores of an item's responses belong to a set."""

    __tablename__ = "score_set_item"

    set_id: str = Field(foreign_key="score_set.id", primary_key=True)
    subject_id: str = Field(foreign_key="subject.id", primary_key=True)
    criterion_hash: str


class Setup(ExpertWork, table=True):
    """A revision of an endpoint, price, template or protocol (``kind``); it never holds an API key."""

    kind: str = words_field(SETUP_KINDS, index=True)
    name: str
    version: int = 1
    content: dict[str, Any] = json_field(dict)
    removed: bool = False


class ErrorLabel(ExpertWork, table=True):
    """Why a response failed, in an expert's words from a short list."""

    __tablename__ = "error_label"

    response_id: str = Field(foreign_key="response.id", index=True)
    label: str
    note: str = ""


class Settlement(ExpertWork, table=True):
    """A person's verdict, pass or fail, on an answer with a doubtful outcome; ``answer_hash`` is the hash of its text.

    It applies to this answer to this item in every run, whichever model gave it.
    """

    subject_id: str = Field(foreign_key="subject.id", index=True)
    answer_hash: str
    verdict: str = words_field(("pass", "fail"))
    reason: str


class RunScores(StoredRow, table=True):
    """A cache of a run's current scores as columns, to read many runs at once; deleted when one of them changes.

    ``positions`` (place in the release, uint32), ``outcomes`` (uint8, see `annotator.store.runs.score_columns.CODES`)
    and ``scores`` (float64, NaN if scoring failed on our side) are little-endian columns, by item and sample.
    """

    __tablename__ = "run_scores"

    run_id: str = Field(foreign_key="run.id", primary_key=True)
    positions: bytes
    outcomes: bytes
    scores: bytes
    totals: dict[str, Any] = json_field(dict)


class RunCounts(StoredRow, table=True):
    """A cache of a run's counts for the list of runs; deleted when one of its rows changes."""

    __tablename__ = "run_counts"

    run_id: str = Field(foreign_key="run.id", primary_key=True)
    content: dict[str, Any] = json_field(dict)


class PublishedTable(ExpertWork, table=True):
    """A table of published numbers; `annotator.formats.read.published_table_files` reads its ``content``."""

    __tablename__ = "published_table"

    name: str
    content_hash: str
    content: dict[str, Any] = json_field(dict)
