"""Read the answers of runs with their scores, usage and texts, and the tables that others published."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Float, Select, and_, case, func, select
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from annotator.base.ids import content_hash
from annotator.base.messages import Message
from annotator.model.changes import Changes
from annotator.model.rows.result_rows import Usage
from annotator.model.tables.run_tables import PublishedTable
from annotator.model.vocabulary import RunState
from annotator.store.core_tables import (
    CURRENT_SCORE,
    MODEL,
    RELEASE,
    RELEASE_ITEM,
    RESPONSE,
    RESPONSE_SCORE,
    RUN,
    RUN_SCORES,
    SCORE,
    SUBJECT,
    as_stored,
    chunks,
    is_current_score,
    json_part,
    json_text,
    upsert,
)
from annotator.store.history import undo_log
from annotator.store.runs.score_columns import CODES, RunColumns

_LABEL_COLUMNS = ("key", "title", "task", "language", "domain", "area", "difficulty", "question_type", "licence")
_MAX_BOUND_IDS = 500


def version_of(db: Session, run_id: str) -> str | None:
    """Return the release version of a finished run, None for an unknown or unfinished run."""
    query = select(RELEASE.c.version).join(RUN, RUN.c.release_id == RELEASE.c.id)
    return db.connection().scalar(query.where(RUN.c.id == run_id, RUN.c.state == RunState.DONE))


def gather_columns(db: Session, run_id: str) -> RunColumns:
    """Read a run's columns from its responses and current scores."""
    codes = {name: number for number, name in enumerate(CODES)}
    is_item = and_(
        RELEASE_ITEM.c.release_id == RESPONSE_SCORE.c.release_id,
        RELEASE_ITEM.c.subject_id == RESPONSE_SCORE.c.subject_id,
    )
    query = (
        select(RELEASE_ITEM.c.position, RESPONSE_SCORE.c.outcome, RESPONSE_SCORE.c.score)
        .join_from(RESPONSE_SCORE, RELEASE_ITEM, is_item)
        .where(RESPONSE_SCORE.c.run_id == run_id)
        .order_by(RELEASE_ITEM.c.position, RESPONSE_SCORE.c.sample)
    )
    rows = db.connection().execute(query).all()
    positions = np.fromiter((row[0] for row in rows), dtype="<u4", count=len(rows))
    outcomes = np.fromiter((codes.get(row[1], codes["machinery"]) for row in rows), dtype="<u1", count=len(rows))
    values = (float("nan") if row[2] is None else row[2] for row in rows)
    scores = np.fromiter(values, dtype="<f8", count=len(rows))
    return RunColumns(positions, outcomes, scores, _sum_usage(db, run_id))


def _usage_columns() -> tuple[ColumnElement[Any], ...]:
    """Return the expressions for an answer's prompt tokens, completion tokens, cost and seconds."""

    def read_usage(name: str) -> ColumnElement[float]:
        return func.json_extract(as_stored(RESPONSE.c.usage), f"$.{name}", type_=Float())

    # Endpoints name their counts differently; these are the usual names.
    return (
        func.coalesce(RESPONSE.c.prompt_tokens, read_usage("prompt_tokens"), read_usage("input_tokens")),
        func.coalesce(RESPONSE.c.completion_tokens, read_usage("completion_tokens"), read_usage("output_tokens")),
        func.coalesce(func.nullif(RESPONSE.c.cost, 0), read_usage("cost")),
        RESPONSE.c.seconds,
    )


def _sum_usage(db: Session, run_id: str) -> dict[str, Any]:
    query = select(func.count(), *map(func.sum, _usage_columns())).where(RESPONSE.c.run_id == run_id)
    count, prompt, completion, cost, seconds = db.connection().execute(query).one()
    return {
        "responses": count, "prompt_tokens": _as_int(prompt), "completion_tokens": _as_int(completion), "cost": cost,
        "seconds": seconds,
    }  # fmt: skip


def _as_int(count: float | None) -> float | None:
    """Return a whole sum as an int; PostgreSQL sums JSON numbers as floats."""
    return int(count) if count is not None and float(count).is_integer() else count


def gather_and_cache(db: Session, run_id: str) -> RunColumns:
    """Gather and cache a run's columns in one transaction, so that no score is added in between."""
    columns = gather_columns(db, run_id)
    values = {
        "positions": columns.positions.tobytes(),
        "outcomes": columns.outcomes.tobytes(),
        "scores": columns.scores.tobytes(),
        "totals": columns.totals,
    }
    insertion = upsert(db.connection(), RUN_SCORES).values(run_id=run_id, **values)
    db.connection().execute(insertion.on_conflict_do_update(index_elements=["run_id"], set_=values))
    return columns


def fetch_usages(db: Session, response_ids: Sequence[str]) -> dict[str, Usage]:
    """Return response id -> usage."""
    query = select(RESPONSE.c.id, *_usage_columns())
    usage_by_response = {}
    for part in chunks(response_ids):
        for response, prompt, completion, cost, seconds in db.connection().execute(
            query.where(RESPONSE.c.id.in_(part))
        ):
            prompt, completion = (None if count is None else int(count) for count in (prompt, completion))
            usage_by_response[response] = Usage(prompt, completion, cost, seconds)
    return usage_by_response


def texts_and_details(db: Session, response_ids: Sequence[str]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield (response id, text, detail of the current score) of answers."""
    query = select(RESPONSE.c.id, RESPONSE.c.text, SCORE.c.detail).select_from(
        RESPONSE.outerjoin(CURRENT_SCORE, CURRENT_SCORE.c.response_id == RESPONSE.c.id).outerjoin(
            SCORE, is_current_score()
        )
    )
    for part in chunks(response_ids):
        for response, text, detail in db.connection().execute(query.where(RESPONSE.c.id.in_(part))):
            yield response, text, detail or {}


def responses_at(
    db: Session, run_ids: Sequence[str], subject_ids: Sequence[str] = ()
) -> list[tuple[str, str, int, str, float | None, str]]:
    """Return (run, subject, sample, outcome, score, response id) of runs, only for the given subjects if there are any.

    Sorted by run, subject and sample; the outcome of a response without a score is ``machinery``.
    """
    row = RESPONSE_SCORE.c
    outcome = func.coalesce(row.outcome, "machinery")
    query = select(row.run_id, row.subject_id, row.sample, outcome, row.score, row.response_id)
    query = query.order_by(row.subject_id, row.sample)
    if 0 < len(subject_ids) <= _MAX_BOUND_IDS:
        query = query.where(row.subject_id.in_(subject_ids))
    id_set = frozenset(subject_ids)
    return [
        (run, subject, *values)
        for run_id in run_ids
        for run, subject, *values in db.connection().execute(query.where(row.run_id == run_id))
        if not id_set or subject in id_set
    ]


def responses_named(db: Session, prefix: str) -> list[str]:
    """Return at most two ids of responses in runs that begin with ``prefix``."""
    query = select(RESPONSE.c.id).where(
        RESPONSE.c.run_id.is_not(None), RESPONSE.c.id.startswith(prefix, autoescape=True)
    )
    return [row.id for row in db.connection().execute(query.limit(2))] if prefix else []


def texts_of(db: Session, run_id: str, subject_ids: Sequence[str] | None = None) -> list[tuple[str, int, str]]:
    """Return (subject, sample, text) of a run's answers, only for the given subjects if not None."""
    query = select(RESPONSE.c.subject_id, RESPONSE.c.sample, RESPONSE.c.text).where(RESPONSE.c.run_id == run_id)
    id_set = None if subject_ids is None else frozenset(subject_ids)
    return [
        (subject, sample, text)
        for subject, sample, text in db.connection().execute(query.order_by(RESPONSE.c.subject_id, RESPONSE.c.sample))
        if id_set is None or subject in id_set
    ]


def texts_with_questions(db: Session, run_id: str) -> list[tuple[str, int, str, str]]:
    """Return (subject, sample, question hash, text) of a run's answers; the hash is "" if unknown."""
    query = select(RESPONSE.c.subject_id, RESPONSE.c.sample, RESPONSE.c.question_hash, RESPONSE.c.text)
    query = query.where(RESPONSE.c.run_id == run_id).order_by(RESPONSE.c.subject_id, RESPONSE.c.sample)
    return [(subject, sample, question, text) for subject, sample, question, text in db.connection().execute(query)]


def item_locations(db: Session, release_id: str) -> list[dict[str, Any]]:
    """Return the fields that locate each item's function and the dependencies of its reference."""
    fields = (
        "dependencies", "provenance", "entry_point", "reference", "context", "extra.qualified_name",
        "extra.context_above",
    )  # fmt: skip
    parts = (json_part(RELEASE_ITEM.c.item, name) for name in fields)
    query = select(RELEASE_ITEM.c.subject_id, *parts).where(RELEASE_ITEM.c.release_id == release_id)
    return [
        {
            "id": subject,
            **{
                name.rpartition(".")[2]: None if value is None else json.loads(value)
                for name, value in zip(fields, values, strict=True)
            },
        }
        for subject, *values in db.connection().execute(query)
    ]


def rule_points(db: Session, run_id: str) -> list[tuple[str, int, float | None, dict[str, Any]]]:
    """Return (subject, sample, score, detail) of a run's current scores."""
    score = CURRENT_SCORE.c
    query = (
        select(score.subject_id, score.sample, score.score, SCORE.c.detail)
        .join_from(CURRENT_SCORE, SCORE, is_current_score())
        .where(score.run_id == run_id)
        .order_by(score.subject_id, score.sample)
    )
    return [(row[0], row[1], row[2], row[3]) for row in db.connection().execute(query)]


# Published tables -----------------------------------------------------------------------------------------------------


def add_published(db: Session, annotator_id: str, tables: Sequence[dict[str, Any]]) -> tuple[int, Changes]:
    """Store new published tables as one act; a newer table replaces an older one of the same name."""
    active = {row.name: row.content_hash for row in _published_rows(db)}
    new_tables = [table for table in tables if active.get(table["name"]) != content_hash(table)]
    if not new_tables:
        return 0, Changes()
    label = Message("Import {count} published tables", count=len(new_tables))
    rows = [PublishedTable(name=table["name"], content_hash=content_hash(table), content=table) for table in new_tables]
    return len(new_tables), undo_log.write_act(db, annotator_id, label, ["published"], rows)


def fetch_published_tables(db: Session) -> dict[str, dict[str, Any]]:
    """Return the newest published table of each name."""
    return {row.name: row.content for row in _published_rows(db)}


def _published_rows(db: Session) -> Sequence[PublishedTable]:
    query = select_rows(PublishedTable).where(col(PublishedTable.active))
    return db.exec(query.order_by(col(PublishedTable.created_at), col(PublishedTable.id))).all()


# Whole tables for notebooks -------------------------------------------------------------------------------------------


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
