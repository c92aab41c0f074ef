"""Models, runs, responses and scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import FromClause, and_, func, insert, select
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from annotator.base.clock import now_text
from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash, new_id
from annotator.base.messages import Message, mark_word
from annotator.base.records import record_from
from annotator.model.changes import Changes
from annotator.model.rows.queue_rows import RunRow
from annotator.model.rows.run_rows import SetupRow
from annotator.model.tables.project_tables import Annotator
from annotator.model.tables.release_tables import Release, ReleaseItem
from annotator.model.tables.run_tables import ModelUnderTest, Response, Run, Score, ScoreSet, ScoreSetItem, Setup
from annotator.model.vocabulary import SETUP_KINDS, Outcome, RunState
from annotator.store.core_tables import (
    CURRENT_SCORE,
    RESPONSE,
    SCORE,
    SCORE_SET,
    SCORE_SET_ITEM,
    is_current_score,
    upsert,
)
from annotator.store.history import undo_log
from annotator.store.queue.first_page import is_live
from annotator.store.runs.run_data import fetch_run
from annotator.store.runs.run_views import cached_run_counts, count_run


@dataclass(frozen=True, slots=True)
class ScoredSample:
    """A response with its score."""

    response: Response
    score: Score | None


def ensure_model(db: Session, name: str) -> ModelUnderTest:
    """Return the model with a name, creating it if necessary."""
    model = find_model(db, name)
    if model is None:
        model = ModelUnderTest(name=name)
        db.add(model)
        db.flush()
    return model


def find_model(db: Session, name: str) -> ModelUnderTest | None:
    """Return the model with a name, None if there is none."""
    return db.exec(select_rows(ModelUnderTest).where(ModelUnderTest.name == name)).first()


def model_of(db: Session, run: Run) -> ModelUnderTest:
    """Return the model of a run."""
    return db.exec(select_rows(ModelUnderTest).where(ModelUnderTest.id == run.model_id)).one()


def insert_run(
    db: Session,
    annotator_id: str,
    release_id: str,
    model: str,
    preset: str,
    samples: int,
    settings: dict[str, Any],
    state: RunState = RunState.RUNNING,
) -> Run:
    """Add a run, by default in state running."""
    run = Run(
        release_id=release_id,
        model_id=ensure_model(db, model).id,
        preset=preset,
        samples=samples,
        settings=settings,
        state=state,
        annotator_id=annotator_id,
    )
    db.add(run)
    db.flush()
    return run


def store_run_end(db: Session, run_id: str, state: RunState, reason: str = "") -> None:
    """Record the end of a run."""
    run = db.exec(select_rows(Run).where(Run.id == run_id)).one()
    run.state, run.reason = state, reason
    run.finished_at = now_text() if state in (RunState.DONE, RunState.STOPPED) else None
    db.add(run)


def settings_of(db: Session, *, release_id: str = "", model_id: str = "") -> list[dict[str, Any]]:
    """Return the settings of every run on a release, or of a model."""
    return [
        run.settings
        for run in db.exec(select_rows(Run).where((Run.release_id == release_id) | (Run.model_id == model_id)))
    ]


def store_verdicts(db: Session, run: Run, criterion_hash: str, verdicts: Mapping[str, Sequence[str]]) -> None:
    """Store verdicts made elsewhere, by subject id and sample, each with an empty response."""
    responses: list[dict[str, Any]] = []
    scores: list[dict[str, Any]] = []
    for subject_id, outcomes in verdicts.items():
        for sample, outcome in enumerate(outcomes):
            response = {"id": new_id(), "run_id": run.id, "subject_id": subject_id, "model_id": run.model_id}
            responses.append({**response, "sample": sample})
            value = 1.0 if outcome == Outcome.PASS else 0.0
            scores.append(
                {"response_id": response["id"], "outcome": outcome, "points": value, "total": 1.0, "score": value}
            )
    # Rows are given as mappings, because an object for each row takes ten times as long.
    empty_answer = {"outcome": "unknown", "finish_reason": "stop", "content_hash": content_hash("")}
    db.execute(insert(RESPONSE), [{**row, **empty_answer} for row in responses])
    detail = {"rules": [], "reason": "made elsewhere"}
    origin = {"criterion_hash": criterion_hash, "detail": detail, "created_at": now_text()}
    db.execute(insert(SCORE), [{**row, **origin} for row in scores])


def store_samples(db: Session, samples: Iterable[tuple[str, str, int, str]]) -> int:
    """Store sample responses (subject id, model, sample, text) to try criteria on; returns the number of new ones."""
    added = 0
    models: dict[str, str] = {}
    for subject_id, model, sample, text in samples:
        model_id = models.get(model) or models.setdefault(model, ensure_model(db, model).id)
        sample_row = upsert(db.connection(), RESPONSE).values(
            id=new_id(),
            created_at=now_text(),
            subject_id=subject_id,
            model_id=model_id,
            sample=sample,
            text=text,
            outcome="answer",
            finish_reason="stop",
            content_hash=content_hash(text),
            request_hash="",
            usage={},
        )
        insertion = sample_row.on_conflict_do_nothing().returning(RESPONSE.c.id)
        added += len(db.connection().execute(insertion).all())
    return added


def fetch_run_rows(db: Session) -> tuple[RunRow, ...]:
    """Return all runs, newest first, with their responses counted by the outcomes of the current scores."""
    cached_counts = cached_run_counts(db)
    query = (
        select_rows(Run, Release.version, Release.item_count, ModelUnderTest.name)
        .join(Release, col(Release.id) == Run.release_id)
        .join(ModelUnderTest, col(ModelUnderTest.id) == Run.model_id)
        .order_by(col(Run.created_at).desc())
    )
    rows = []
    for run, version, items, model in db.exec(query):
        counts = cached_counts.get(run.id) or count_run(db, run.id)
        rows.append(
            record_from(
                RunRow,
                run,
                version=version,
                model=model,
                done=sum(counts.outcomes.values()),
                expected=items * run.samples,
                currency=(run.settings.get("price") or {}).get("currency", ""),
                live=is_live(run.owner, run.beat_at),
                **asdict(counts),
            )
        )
    return tuple(rows)


def uncounted_runs(db: Session) -> list[str]:
    """Return the runs without cached counts that no process works on."""
    cached_counts = cached_run_counts(db)
    return [
        run.id
        for run in db.exec(select_rows(Run))
        if run.id not in cached_counts and not is_live(run.owner, run.beat_at)
    ]


def scored_samples(db: Session, run_id: str, subject_id: str = "") -> Sequence[ScoredSample]:
    """Return a run's responses, optionally to one subject, with their current scores, by subject and sample."""
    query = (
        select_rows(Response, Score)
        .outerjoin(CURRENT_SCORE, CURRENT_SCORE.c.response_id == Response.id)
        .outerjoin(Score, is_current_score())
        .where(Response.run_id == run_id)
        .order_by(Response.subject_id, col(Response.sample))
    )
    if subject_id:
        query = query.where(Response.subject_id == subject_id)
    return tuple(ScoredSample(response, score) for response, score in db.exec(query))


def fetch_response(db: Session, response_id: str) -> tuple[Response, Score | None, ModelUnderTest, dict[str, Any]]:
    """Return one response of a run, its current score, its model and the released item that it answers.

    Raises `BadInputError` if there is none.
    """
    response_row = db.exec(select_rows(Response).where(Response.id == response_id)).first()
    if response_row is None or response_row.run_id is None:
        raise BadInputError("There is no such response in this project.")
    run = db.exec(select_rows(Run).where(Run.id == response_row.run_id)).one()
    model = db.exec(select_rows(ModelUnderTest).where(ModelUnderTest.id == response_row.model_id)).one()
    item = db.exec(
        select_rows(ReleaseItem).where(
            ReleaseItem.release_id == run.release_id, ReleaseItem.subject_id == response_row.subject_id
        )
    ).one()
    scores = select_rows(Score).join(CURRENT_SCORE, is_current_score())
    return response_row, db.exec(scores.where(Score.response_id == response_id)).first(), model, item.item


def answered_item(db: Session, response_id: str) -> dict[str, Any] | None:
    """Return the released item that a run's response answers, None for other ids."""
    query = (
        select_rows(ReleaseItem.item)
        .join(Run, col(Run.release_id) == ReleaseItem.release_id)
        .join(Response, and_(col(Response.run_id) == Run.id, col(Response.subject_id) == ReleaseItem.subject_id))
    )
    item = db.exec(query.where(Response.id == response_id)).first()
    return None if item is None else dict(item)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedSample:
    """One response to a subject in a run, with its current score (None: not scored)."""

    run_id: str
    sample: int
    text: str
    finish_reason: str
    score: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTotal:
    """A model's run: the sum of its item means, the number of scored items, and its mean on the requested subject."""

    run_id: str
    name: str
    total: float
    items: int
    item_mean: float


@dataclass(frozen=True, slots=True)
class RecordedResponses:
    """The responses of one release's runs to a subject."""

    version: str
    responses: tuple[RecordedSample, ...]
    models: tuple[ModelTotal, ...]


def recorded_responses(db: Session, subject_id: str) -> RecordedResponses | None:
    """Return the responses to a subject from each model's newest run on the last release that has any."""
    newest: dict[str, RunRow] = {}
    version = ""
    for run in fetch_run_rows(db):
        if run.state != RunState.DONE or (version and run.version != version):
            continue
        if not version and not _has_answers(db, run.id, subject_id):
            continue
        version = run.version
        newest.setdefault(run.model, run)
    if not version:
        return None
    responses: list[RecordedSample] = []
    models: list[ModelTotal] = []
    for model, run in newest.items():
        samples = scored_samples(db, run.id, subject_id)
        responses += [
            record_from(
                RecordedSample, sample.response, run_id=run.id, score=sample.score.score if sample.score else None
            )
            for sample in samples
        ]
        scores = [
            sample.score.score for sample in samples if sample.score is not None and sample.score.score is not None
        ]
        total, items = _sum_item_means(db, run.id)
        models.append(
            ModelTotal(
                run_id=run.id,
                name=model,
                total=total,
                items=items,
                item_mean=sum(scores) / len(scores) if scores else 0.0,
            )
        )
    return RecordedResponses(version, tuple(responses), tuple(models))


def _has_answers(db: Session, run_id: str, subject_id: str) -> bool:
    query = select_rows(Response.id).where(Response.run_id == run_id, Response.subject_id == subject_id)
    return db.exec(query.limit(1)).first() is not None


def _sum_item_means(db: Session, run_id: str) -> tuple[float, int]:
    """Return the sum of a run's item means and the number of scored items, by the current scores."""
    score = CURRENT_SCORE.c
    means = select(func.avg(score.score).label("mean")).where(score.run_id == run_id, score.score.is_not(None))
    row = means.group_by(score.subject_id).subquery().c
    total, items = db.connection().execute(select(func.coalesce(func.sum(row.mean), 0.0), func.count(row.mean))).one()
    return float(total), int(items)


def add_score_set(db: Session, run_id: str, annotator_id: str, source: str, hashes: Mapping[str, str]) -> ScoreSet:
    """Write a score set: the hash of each item's criterion, by subject id. It is not current yet."""
    score_set = ScoreSet(run_id=run_id, source=source, annotator_id=annotator_id)
    db.add(score_set)
    db.flush()
    db.add_all(
        ScoreSetItem(set_id=score_set.id, subject_id=subject_id, criterion_hash=criterion_hash)
        for subject_id, criterion_hash in hashes.items()
    )
    db.flush()
    return score_set


def sets_of(db: Session, run_id: str) -> list[ScoreSet]:
    """Return a run's score sets, oldest first; the first is that of the release's criteria."""
    return list(
        db.exec(
            select_rows(ScoreSet).where(ScoreSet.run_id == run_id).order_by(col(ScoreSet.created_at), col(ScoreSet.id))
        )
    )


def choose_score_set(db: Session, run_id: str, set_id: str) -> None:
    """Make the scores of a set the current ones."""
    run = fetch_run(db, run_id)
    run.score_set_id = set_id
    db.add(run)


def current_score_set(db: Session, run_id: str, annotator_id: str, source: str) -> ScoreSet:
    """Write the current scores as a set, for a run of a program without score sets."""
    query = select(CURRENT_SCORE.c.subject_id, func.max(CURRENT_SCORE.c.criterion_hash))
    rows = db.connection().execute(query.where(CURRENT_SCORE.c.run_id == run_id).group_by(CURRENT_SCORE.c.subject_id))
    return add_score_set(db, run_id, annotator_id, source, {row[0]: row[1] for row in rows})


def hashes_of(db: Session, set_id: str) -> dict[str, str]:
    """Return a set's criterion hashes by subject id."""
    rows = db.exec(select_rows(ScoreSetItem).where(ScoreSetItem.set_id == set_id))
    return {row.subject_id: row.criterion_hash for row in rows}


def compare_sets(db: Session, run_id: str, before: str, after: str) -> list[tuple[str, int, Any, Any, str, str]]:
    """Return (subject id, sample, old score, new score, old outcome, new outcome) of responses scored by both sets."""
    source: FromClause = RESPONSE
    scores = []
    for set_id in (before, after):
        item, score = SCORE_SET_ITEM.alias(), SCORE.alias()
        is_item = and_(item.c.set_id == set_id, item.c.subject_id == RESPONSE.c.subject_id)
        is_score = and_(score.c.response_id == RESPONSE.c.id, score.c.criterion_hash == item.c.criterion_hash)
        source = source.join(item, is_item).join(score, is_score)
        scores.append(score)
    columns = (score.c[name] for name in ("score", "outcome") for score in scores)
    query = select(RESPONSE.c.subject_id, RESPONSE.c.sample, *columns).select_from(source)
    query = query.where(RESPONSE.c.run_id == run_id).order_by(RESPONSE.c.subject_id, RESPONSE.c.sample)
    return [(row[0], row[1], row[2], row[3], row[4], row[5]) for row in db.connection().execute(query)]


def set_totals(db: Session, run_id: str) -> dict[str, tuple[float | None, int]]:
    """Return each score set's mean item score and number of scored responses, by the set's id."""
    is_item = SCORE_SET_ITEM.c.set_id == SCORE_SET.c.id
    is_response = and_(RESPONSE.c.run_id == SCORE_SET.c.run_id, RESPONSE.c.subject_id == SCORE_SET_ITEM.c.subject_id)
    is_score = and_(SCORE.c.response_id == RESPONSE.c.id, SCORE.c.criterion_hash == SCORE_SET_ITEM.c.criterion_hash)
    items = (
        select(
            SCORE_SET_ITEM.c.set_id,
            func.avg(SCORE.c.score).label("mean"),
            func.count(SCORE.c.score).label("counted"),
        )
        .select_from(SCORE_SET.join(SCORE_SET_ITEM, is_item).join(RESPONSE, is_response).join(SCORE, is_score))
        .where(SCORE_SET.c.run_id == run_id)
        .group_by(SCORE_SET_ITEM.c.set_id, SCORE_SET_ITEM.c.subject_id)
        .subquery()
    )
    query = select(items.c.set_id, func.avg(items.c.mean), func.sum(items.c.counted)).group_by(items.c.set_id)
    return {set_id: (mean, int(responses)) for set_id, mean, responses in db.connection().execute(query)}


def setup_revisions(db: Session, kind: str, name: str | None = None) -> tuple[SetupRow, ...]:
    """Return all active revisions of a kind, optionally of one name, newest first, including removals."""
    query = select_rows(Setup, Annotator.name).join(Annotator, col(Annotator.id) == Setup.annotator_id)
    query = query.where(col(Setup.active), Setup.kind == kind)
    if name is not None:
        query = query.where(Setup.name == name)
    ordered = query.order_by(col(Setup.created_at).desc(), col(Setup.id).desc())
    return tuple(record_from(SetupRow, row, annotator=person) for row, person in db.exec(ordered))


def current_setups(db: Session, kind: str) -> dict[str, SetupRow]:
    """Return the newest revision of each name of a kind, by name; removed ones are left out."""
    newest: dict[str, SetupRow] = {}
    for row in setup_revisions(db, kind):
        newest.setdefault(row.name, row)
    return {name: row for name, row in sorted(newest.items()) if not row.removed}


def next_setup_version(db: Session, kind: str, name: str) -> int:
    """Return the next version number. Numbers of undone revisions are not reused; templates start at 2."""
    versions = db.exec(select_rows(Setup.version).where(Setup.kind == kind, Setup.name == name)).all()
    return max(versions, default=int(kind == "template")) + 1


def add_setup(
    db: Session,
    annotator_id: str,
    kind: str,
    name: str,
    version: int,
    content: dict[str, Any],
    *,
    removed: bool = False,
) -> Changes:
    """Write a revision as an act that can be undone. Raises `BadInputError` for an unknown kind."""
    if kind not in SETUP_KINDS:
        raise BadInputError(f"Unknown kind {kind}. Choose from: {', '.join(SETUP_KINDS)}.")
    word = mark_word(kind)
    label = (
        Message("Remove {kind} {name}", kind=word, name=name)
        if removed
        else Message("Save {kind} {name}", kind=word, name=name)
    )
    row = Setup(kind=kind, name=name, version=version, content=content, removed=removed)
    return undo_log.write_act(db, annotator_id, label, ["setup"], [row])
