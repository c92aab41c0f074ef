"""Models, runs, responses and scores: each on disk the moment it exists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import column
from sqlalchemy import table as table_of
from sqlalchemy import text as sql
from sqlmodel import Session, col, select

from annotator.base.clock import now_text
from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash, new_id
from annotator.model.release import Release, ReleaseItem
from annotator.model.rows import RunRow
from annotator.model.run import ModelUnderTest, Response, Run, Score
from annotator.model.words import RunState
from annotator.store import run_counts
from annotator.store.owners import is_live

# The view that says which score of a response counts.
_CURRENT = table_of("current_score", column("response_id"), column("criterion_hash"))


@dataclass(frozen=True, slots=True)
class ScoredSample:
    """A response with its score, read together for results."""

    response: Response
    score: Score | None


def model_named(db: Session, name: str) -> ModelUnderTest:
    """Return the model of that name, made if it is new."""
    found = find_model(db, name)
    if found is None:
        found = ModelUnderTest(name=name)
        db.add(found)
        db.flush()
    return found


def find_model(db: Session, name: str) -> ModelUnderTest | None:
    """Return the model of that name, None if there is none."""
    return db.exec(select(ModelUnderTest).where(ModelUnderTest.name == name)).first()


def model_of(db: Session, run: Run) -> ModelUnderTest:
    """Return the model of a run."""
    return db.exec(select(ModelUnderTest).where(ModelUnderTest.id == run.model_id)).one()


def start(
    db: Session,
    annotator_id: str,
    release_id: str,
    model: str,
    preset: str,
    samples: int,
    settings: dict[str, Any],
    state: RunState = RunState.RUNNING,
) -> Run:
    """Write a run, in state running unless it is only planned."""
    run = Run(
        release_id=release_id,
        model_id=model_named(db, model).id,
        preset=preset,
        samples=samples,
        settings=settings,
        state=state,
        annotator_id=annotator_id,
    )
    db.add(run)
    db.flush()
    return run


def end(db: Session, run_id: str, state: RunState, reason: str = "") -> None:
    """Write how a run ended."""
    run = db.exec(select(Run).where(Run.id == run_id)).one()
    run.state, run.reason = state, reason
    run.finished_at = now_text() if state in (RunState.DONE, RunState.STOPPED) else None
    db.add(run)


def settings_of(db: Session, release_id: str) -> list[dict[str, Any]]:
    """Return the settings of every run on a release."""
    return [run.settings for run in db.exec(select(Run).where(Run.release_id == release_id))]


def settings_of_model(db: Session, model_id: str) -> list[dict[str, Any]]:
    """Return the settings of every run of a model."""
    return [run.settings for run in db.exec(select(Run).where(Run.model_id == model_id))]


def new_response(
    subject_id: str, model_id: str, sample: int, text: str, *, run_id: str | None, outcome: str, finish_reason: str
) -> Response:
    """Return an unsaved response with its content hash."""
    return Response(
        run_id=run_id,
        subject_id=subject_id,
        model_id=model_id,
        sample=sample,
        text=text,
        outcome=outcome,
        finish_reason=finish_reason,
        content_hash=content_hash(text),
    )


def new_score(response_id: str, criterion_hash: str, outcome: str, result: dict[str, Any]) -> Score:
    """Return an unsaved score; ``result`` holds points, total, score and detail."""
    return Score(
        response_id=response_id, criterion_hash=criterion_hash, outcome=outcome, created_at=now_text(), **result
    )


def store_samples(db: Session, samples: Iterable[tuple[str, str, int, str]]) -> int:
    """Keep sample responses (subject id, model, sample, text) to try criteria on; returns how many were new."""
    added = 0
    models: dict[str, str] = {}
    for subject_id, model, sample, text in samples:
        model_id = models.get(model) or models.setdefault(model, model_named(db, model).id)
        row = {
            "id": new_id(),
            "created_at": now_text(),
            "subject_id": subject_id,
            "model_id": model_id,
            "sample": sample,
            "text": text,
            "digest": content_hash(text),
        }
        added += (
            db.connection()
            .execute(
                sql(
                    "INSERT INTO response (id, created_at, run_id, subject_id, model_id, sample, text, "
                    "outcome, finish_reason, content_hash, request_hash, usage) "
                    "VALUES (:id, :created_at, NULL, :subject_id, :model_id, :sample, "
                    ":text, 'answer', 'stop', :digest, '', '{}') ON CONFLICT DO NOTHING"
                ),
                row,
            )
            .rowcount
        )
    return added


def listing(db: Session) -> tuple[RunRow, ...]:
    """Return all runs, newest first, with their responses counted by outcome (by the scores that count)."""
    kept = run_counts.kept(db)
    query = (
        select(Run, Release.version, Release.item_count, ModelUnderTest.name)
        .join(Release, col(Release.id) == Run.release_id)
        .join(ModelUnderTest, col(ModelUnderTest.id) == Run.model_id)
        .order_by(col(Run.created_at).desc())
    )
    rows = []
    for run, version, items, model in db.exec(query):
        counts = kept.get(run.id) or run_counts.count(db, run.id)
        rows.append(
            RunRow(
                id=run.id,
                version=version,
                model=model,
                preset=run.preset,
                samples=run.samples,
                state=run.state,
                reason=run.reason,
                created_at=run.created_at,
                finished_at=run.finished_at,
                outcomes=counts.outcomes,
                done=sum(counts.outcomes.values()),
                expected=items * run.samples,
                answered=counts.answered,
                failures=counts.failures,
                prompt_tokens=counts.prompt_tokens,
                completion_tokens=counts.completion_tokens,
                cached=counts.cached,
                cost=counts.cost,
                currency=(run.settings.get("price") or {}).get("currency", ""),
                seconds=run.seconds,
                live=is_live(run.owner, run.beat_at),
                settings=run.settings,
            )
        )
    return tuple(rows)


def uncounted(db: Session) -> list[str]:
    """Return the runs whose counts could be kept and are not: those nobody works on."""
    kept = run_counts.kept(db)
    return [run.id for run in db.exec(select(Run)) if run.id not in kept and not is_live(run.owner, run.beat_at)]


def scored_samples(db: Session, run_id: str, subject_id: str = "") -> Sequence[ScoredSample]:
    """Return a run's responses (to one subject) with the scores that count, by subject and sample."""
    query = (
        select(Response, Score)
        .outerjoin(_CURRENT, _CURRENT.c.response_id == Response.id)
        .outerjoin(
            Score,
            (col(Score.response_id) == _CURRENT.c.response_id)
            & (col(Score.criterion_hash) == _CURRENT.c.criterion_hash),
        )
        .where(Response.run_id == run_id)
        .order_by(Response.subject_id, col(Response.sample))
    )
    if subject_id:
        query = query.where(Response.subject_id == subject_id)
    return tuple(ScoredSample(found, score) for found, score in db.exec(query))


def response(db: Session, response_id: str) -> tuple[Response, Score | None, ModelUnderTest, dict[str, Any]]:
    """Return one response of a run, the score that counts, its model and the released item it answers.

    Raises `BadInputError` if there is none.
    """
    found = db.exec(select(Response).where(Response.id == response_id)).first()
    if found is None or found.run_id is None:
        raise BadInputError("There is no such response in this project.")
    run = db.exec(select(Run).where(Run.id == found.run_id)).one()
    model = db.exec(select(ModelUnderTest).where(ModelUnderTest.id == found.model_id)).one()
    item = db.exec(
        select(ReleaseItem).where(ReleaseItem.release_id == run.release_id, ReleaseItem.subject_id == found.subject_id)
    ).one()
    scores = select(Score).join(
        _CURRENT,
        (_CURRENT.c.response_id == Score.response_id) & (_CURRENT.c.criterion_hash == Score.criterion_hash),
    )
    return found, db.exec(scores.where(Score.response_id == response_id)).first(), model, item.item


@dataclass(frozen=True, slots=True)
class RecordedResponse:
    """One response to a subject in a run, with the score that counts (None: the machinery failed)."""

    run_id: str
    sample: int
    text: str
    finish_reason: str
    score: float | None


@dataclass(frozen=True, slots=True)
class ModelTotal:
    """A model's run: the sum of its item means, over how many items, and its mean on the subject asked for."""

    run_id: str
    name: str
    total: float
    items: int
    item_mean: float


@dataclass(frozen=True, slots=True)
class Recorded:
    """What the runs of one release recorded for a subject."""

    version: str
    responses: tuple[RecordedResponse, ...]
    models: tuple[ModelTotal, ...]


def recorded(db: Session, subject_id: str) -> Recorded | None:
    """Return what the newest release with runs on a subject has: each model's newest finished run counts."""
    newest: dict[str, RunRow] = {}
    version = ""
    for run in listing(db):
        if run.state != RunState.DONE or (version and run.version != version):
            continue
        if not version and not _answers(db, run.id, subject_id):
            continue
        version = run.version
        newest.setdefault(run.model, run)
    if not version:
        return None
    responses: list[RecordedResponse] = []
    models: list[ModelTotal] = []
    for model, run in newest.items():
        own = scored_samples(db, run.id, subject_id)
        responses += [
            RecordedResponse(
                run.id,
                item.response.sample,
                item.response.text,
                item.response.finish_reason,
                item.score.score if item.score else None,
            )
            for item in own
        ]
        scores = [item.score.score for item in own if item.score is not None and item.score.score is not None]
        total, items = _totals(db, run.id)
        models.append(ModelTotal(run.id, model, total, items, sum(scores) / len(scores) if scores else 0.0))
    return Recorded(version, tuple(responses), tuple(models))


def _answers(db: Session, run_id: str, subject_id: str) -> bool:
    found = select(Response.id).where(Response.run_id == run_id, Response.subject_id == subject_id)
    return db.exec(found.limit(1)).first() is not None


def _totals(db: Session, run_id: str) -> tuple[float, int]:
    """Return the sum of a run's item means and how many items have one, by the scores that count."""
    query = sql(
        "SELECT coalesce(sum(mean), 0.0), count(*) FROM (SELECT avg(score) AS mean FROM current_score "
        "WHERE run_id = :run AND score IS NOT NULL GROUP BY subject_id) AS means"
    )
    total, items = db.connection().execute(query, {"run": run_id}).one()
    return float(total), int(items)
