"""Rows of subjects, responses and scores for notebooks: whole tables, plain values, few joins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select, case, select
from sqlmodel import Session

from annotator.store.core_tables import (
    MODEL,
    RELEASE,
    RELEASE_ITEM,
    RESPONSE,
    RESPONSE_SCORE,
    RUN,
    SUBJECT,
    as_stored,
    json_text,
)

_LABEL_COLUMNS = ("key", "title", "task", "language", "domain", "area", "difficulty", "question_type", "licence")


def subject_records(db: Session) -> Sequence[Sequence[Any]]:
    """Return id, label columns, verdict, proven (0 or 1) and views of every visible subject, ordered by key."""
    columns = (SUBJECT.c.id, *(SUBJECT.c[name] for name in _LABEL_COLUMNS), SUBJECT.c.verdict)
    query = select(*columns, as_stored(SUBJECT.c.proven), SUBJECT.c.views).where(SUBJECT.c.active)
    return _fetch_rows(db, query.order_by(SUBJECT.c.key))


def item_records(db: Session, version: str) -> Sequence[Sequence[Any]]:
    """Return id, label columns, prompt and reference of every item of a release, in the order of the release."""
    fields = (*_LABEL_COLUMNS, "prompt", "reference")
    columns = (RELEASE_ITEM.c.subject_id, *(json_text(RELEASE_ITEM.c.item, name) for name in fields))
    query = select(*columns).join(RELEASE, RELEASE.c.id == RELEASE_ITEM.c.release_id)
    return _fetch_rows(db, query.where(RELEASE.c.version == version).order_by(RELEASE_ITEM.c.position))


def keys_by_subject(db: Session) -> dict[str, str]:
    """Return the key of every subject by its id."""
    return {row[0]: row[1] for row in _fetch_rows(db, select(SUBJECT.c.id, SUBJECT.c.key))}


def response_records(db: Session, version: str | None) -> Sequence[Sequence[Any]]:
    """Return every response of every run, optionally of one release, with its text and cost."""
    columns = (
        RESPONSE.c.id, RESPONSE.c.run_id, RELEASE.c.version, MODEL.c.name, RUN.c.preset, RESPONSE.c.subject_id,
        SUBJECT.c.key, RESPONSE.c.sample, RESPONSE.c.outcome, RESPONSE.c.text, RESPONSE.c.finish_reason,
        RESPONSE.c.prompt_tokens, RESPONSE.c.completion_tokens, RESPONSE.c.seconds, RESPONSE.c.cost,
    )  # fmt: skip
    query = select(*columns).join_from(RESPONSE, RUN, RUN.c.id == RESPONSE.c.run_id)
    query = query.outerjoin(SUBJECT, SUBJECT.c.id == RESPONSE.c.subject_id)
    return _fetch_rows(db, _join_release_and_model(query, version))


def score_records(db: Session, version: str | None) -> Sequence[Sequence[Any]]:
    """Return the current score of every scored response, of all releases or one."""
    columns = (
        RESPONSE_SCORE.c.response_id, RESPONSE_SCORE.c.run_id, RELEASE.c.version, MODEL.c.name, RUN.c.preset,
        RESPONSE_SCORE.c.subject_id, SUBJECT.c.key, RESPONSE_SCORE.c.sample, RESPONSE_SCORE.c.outcome,
        RESPONSE_SCORE.c.score, RESPONSE_SCORE.c.points, RESPONSE_SCORE.c.total,
    )  # fmt: skip
    query = select(*columns).join_from(RESPONSE_SCORE, RUN, RUN.c.id == RESPONSE_SCORE.c.run_id)
    query = query.outerjoin(SUBJECT, SUBJECT.c.id == RESPONSE_SCORE.c.subject_id)
    return _fetch_rows(db, _join_release_and_model(query.where(RESPONSE_SCORE.c.criterion_hash.is_not(None)), version))


def answer_records(db: Session, run_ids: Sequence[str]) -> Sequence[Sequence[Any]]:
    """Return subject, run, sample, outcome, score and text of every response of some runs, with one query.

    A response without a score keeps its own outcome, such as a refusal.
    """
    outcome = case((RESPONSE_SCORE.c.criterion_hash.is_not(None), RESPONSE_SCORE.c.outcome), else_=RESPONSE.c.outcome)
    columns = (RESPONSE.c.subject_id, RESPONSE.c.run_id, RESPONSE.c.sample, outcome, RESPONSE_SCORE.c.score,
               RESPONSE.c.text)  # fmt: skip
    query = select(*columns).join(RESPONSE_SCORE, RESPONSE_SCORE.c.response_id == RESPONSE.c.id)
    return _fetch_rows(db, query.where(RESPONSE.c.run_id.in_(run_ids)))


def _join_release_and_model(query: Select[Any], version: str | None) -> Select[Any]:
    query = query.join(RELEASE, RELEASE.c.id == RUN.c.release_id).join(MODEL, MODEL.c.id == RUN.c.model_id)
    return query.where(RELEASE.c.version == version) if version else query


def _fetch_rows(db: Session, query: Select[Any]) -> Sequence[Sequence[Any]]:
    return db.connection().execute(query).all()
