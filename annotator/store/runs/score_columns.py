"""Read results by column, without ORM objects, texts or details, so that millions of scores load quickly."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Float, and_, case, func, select
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from annotator.base.ids import content_hash
from annotator.base.messages import Message
from annotator.model.changes import Changes
from annotator.model.rows.release_rows import overrides_of
from annotator.model.rows.result_rows import ItemRow, ResultRun, Usage
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
    SCORE_SET,
    as_stored,
    chunks,
    is_current_score,
    json_part,
    json_text,
    select_named,
    upsert,
)
from annotator.store.history import undo_log

# The order is stored: add at the end only.
CODES = (
    "pass", "partial", "fail", "refusal", "empty", "truncated", "machinery", "filtered", "disputed",
    "flaky", "tampered",
)  # fmt: skip
_MACHINERY = CODES.index("machinery")
_FIELDS = ("key", "title", "language", "domain", "area", "question_type", "difficulty", "task", "provenance.repository",
           "extra.direction", "provenance.mining_rules")  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class RunColumns:
    """A run's scores by item and sample; ``positions`` are the items' in the release, a NaN score is our failure."""

    positions: NDArray[np.uint32]
    outcomes: NDArray[np.uint8]
    scores: NDArray[np.float64]
    totals: dict[str, Any]


def finished_runs(db: Session, version: str | None) -> tuple[str, str, tuple[ResultRun, ...]] | None:
    """Return a release's id, version and finished runs, newest first; None if there is no such release.

    Without a version it is the newest release with a finished run, else the newest.
    """
    query = select(RELEASE.c.id, RELEASE.c.version)
    if version is None:
        is_finished = (RUN.c.release_id == RELEASE.c.id, RUN.c.state == RunState.DONE)
        newest = select(func.max(RUN.c.created_at)).where(*is_finished).scalar_subquery()
        query = query.order_by(newest.desc().nulls_last(), RELEASE.c.created_at.desc()).limit(1)
    else:
        query = query.where(RELEASE.c.version == version)
    release = db.connection().execute(query).first()
    if release is None:
        return None
    runs = (
        select_named(
            id=RUN.c.id,
            model=MODEL.c.name,
            protocol=RUN.c.preset,
            samples=RUN.c.samples,
            created_at=RUN.c.created_at,
            settings=RUN.c.settings,
            about=MODEL.c.settings,
            criteria=func.coalesce(SCORE_SET.c.source, "release"),
        )
        .join_from(RUN, MODEL, MODEL.c.id == RUN.c.model_id)
        .outerjoin(SCORE_SET, SCORE_SET.c.id == RUN.c.score_set_id)
        .where(RUN.c.release_id == release.id, RUN.c.state == RunState.DONE)
        .order_by(RUN.c.created_at.desc(), RUN.c.id.desc())
    )
    return release.id, release.version, tuple(ResultRun(**row) for row in db.connection().execute(runs).mappings())


def release_overrides(db: Session, release_id: str) -> tuple[str, ...]:
    """Return a sentence for each check that was overridden when a release was made."""
    return overrides_of(db.connection().scalar(select(RELEASE.c.manifest).where(RELEASE.c.id == release_id)) or {})


def version_of(db: Session, run_id: str) -> str | None:
    """Return the release version of a finished run, None for an unknown or unfinished run."""
    query = select(RELEASE.c.version).join(RUN, RUN.c.release_id == RELEASE.c.id)
    return db.connection().scalar(query.where(RUN.c.id == run_id, RUN.c.state == RunState.DONE))


def load_item_rows(db: Session, release_id: str) -> tuple[ItemRow, ...]:
    """Return a release's items in frozen order, without texts; ``length`` is the characters of prompt and context."""
    length = func.length(json_text(RELEASE_ITEM.c.item, "prompt")) + func.coalesce(
        func.length(json_text(RELEASE_ITEM.c.item, "context")), 0
    )
    fields = (json_text(RELEASE_ITEM.c.item, name) for name in _FIELDS)
    mode = func.coalesce(json_text(RELEASE_ITEM.c.item, "mode.name"), _own_mode())
    query = select(RELEASE_ITEM.c.position, RELEASE_ITEM.c.subject_id, length, mode, *fields)
    query = query.where(RELEASE_ITEM.c.release_id == release_id).order_by(RELEASE_ITEM.c.position)
    return tuple(
        ItemRow(position=position, subject_id=subject, **_fields(values), length=length or 0, mode=mode)
        for position, subject, length, mode, *values in db.connection().execute(query)
    )


def _own_mode() -> ColumnElement[str]:
    """Return the expression for an item's own sandbox mode, used if no proof has recorded one."""
    own_mode = json_text(RELEASE_ITEM.c.item, "extra.sandbox_mode")
    return case((own_mode.in_(("shared", "fast")), "shared"), else_="")


def _fields(values: Sequence[Any]) -> dict[str, str]:
    names = (name.rpartition(".")[2] for name in _FIELDS)
    return {name: str(value or "") for name, value in zip(names, values, strict=True)}


def cached_columns(db: Session, run_ids: Sequence[str]) -> dict[str, RunColumns]:
    """Return the cached columns of runs; runs without a cache are left out."""
    columns_by_run = {}
    for part in chunks(run_ids):
        for row in db.connection().execute(select(RUN_SCORES).where(RUN_SCORES.c.run_id.in_(part))):
            positions = np.frombuffer(row.positions, dtype="<u4")
            outcomes = np.frombuffer(row.outcomes, dtype="<u1")
            columns_by_run[row.run_id] = RunColumns(
                positions, outcomes, np.frombuffer(row.scores, dtype="<f8"), row.totals
            )
    return columns_by_run


def gather_columns(db: Session, run_id: str) -> RunColumns:
    """Read a run's columns from its responses and current scores."""
    code = {name: number for number, name in enumerate(CODES)}
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
    outcomes = np.fromiter((code.get(row[1], _MACHINERY) for row in rows), dtype="<u1", count=len(rows))
    values = (float("nan") if row[2] is None else row[2] for row in rows)
    scores = np.fromiter(values, dtype="<f8", count=len(rows))
    return RunColumns(positions, outcomes, scores, _totals(db, run_id))


def _usage_columns() -> tuple[ColumnElement[Any], ...]:
    """Return the expressions for an answer's prompt tokens, completion tokens, cost and seconds."""

    def of_usage(name: str) -> ColumnElement[float]:
        return func.json_extract(as_stored(RESPONSE.c.usage), f"$.{name}", type_=Float())

    # Endpoints name their counts differently; these are the usual names.
    return (
        func.coalesce(RESPONSE.c.prompt_tokens, of_usage("prompt_tokens"), of_usage("input_tokens")),
        func.coalesce(RESPONSE.c.completion_tokens, of_usage("completion_tokens"), of_usage("output_tokens")),
        func.coalesce(func.nullif(RESPONSE.c.cost, 0), of_usage("cost")),
        RESPONSE.c.seconds,
    )


def _totals(db: Session, run_id: str) -> dict[str, Any]:
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
    """Gather and cache a run's columns in one transaction, so that no score can come between."""
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
    """Return (run, subject, sample, outcome, score, response id) of runs, limited to some subjects if any are given.

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
        (run, subject, *rest)
        for run_id in run_ids
        for run, subject, *rest in db.connection().execute(query.where(row.run_id == run_id))
        if not id_set or subject in id_set
    ]


_MAX_BOUND_IDS = 500


def responses_named(db: Session, start: str) -> list[str]:
    """Return at most two ids of runs' responses that begin with ``start``."""
    query = select(RESPONSE.c.id).where(
        RESPONSE.c.run_id.is_not(None), RESPONSE.c.id.startswith(start, autoescape=True)
    )
    return [row.id for row in db.connection().execute(query.limit(2))] if start else []


def texts_of(db: Session, run_id: str, subject_ids: Sequence[str] | None = None) -> list[tuple[str, int, str]]:
    """Return (subject, sample, text) of a run's answers, limited to some subjects if given."""
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
    """Return the fields that locate each item's function and its reference's dependencies."""
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
