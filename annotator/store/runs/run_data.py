"""The data that a run writes and needs to resume: answers, failures and scores."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from statistics import fmean
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    String,
    and_,
    bindparam,
    case,
    delete,
    func,
    or_,
    select,
    union_all,
    update,
)
from sqlmodel import Session
from sqlmodel import select as select_rows

from annotator.base.clock import now_text
from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash, stable_id
from annotator.base.records import record_from
from annotator.model.rows.run_rows import AnswerHistory, AnswerLength
from annotator.model.tables.run_tables import Run
from annotator.model.token_usage import TokenUsage, add_up, completion_tokens, prompt_tokens
from annotator.model.vocabulary import RunState
from annotator.store.core_tables import (
    FAILURE,
    QUESTION,
    RESPONSE,
    RUN,
    SCORE,
    SCORE_SET_ITEM,
    SUBJECT,
    chunks,
    is_file,
    raw_table,
    upsert,
)

# Answer lengths of other models are read from the newest runs; reading all of a large project would take seconds.
_NEWEST_RUNS = 10
Place = tuple[str, int]
"""(subject id, sample): identifies a response within a run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAnswer:
    """An answer as stored in a run. ``request`` is the whole body that was sent."""

    subject_id: str
    sample: int
    text: str
    outcome: str
    finish_reason: str
    request_hash: str
    request: Mapping[str, Any]
    usage: Mapping[str, Any]
    seconds: float | None
    served_model: str
    retries: int = 0
    seed: int | None = None
    template: str = ""
    label: str = ""
    cached: bool = False
    cost: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredScore:
    """A score of one response; ``score`` is None if scoring failed on our side (outcome ``machinery``)."""

    subject_id: str
    sample: int
    criterion_hash: str
    outcome: str
    points: float | None
    total: float | None
    score: float | None
    detail: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFailure:
    """A request without an answer."""

    subject_id: str
    sample: int
    cause: str
    reason: str
    attempts: int


_QUESTION_FIELDS = ("messages", "prompt", "suffix")
_RESPONSE_COLUMNS = (
    "id", "created_at", "run_id", "model_id", "subject_id", "sample", "text", "outcome", "finish_reason",
    "content_hash", "request_hash", "usage", "seconds", "question_hash", "request", "served_model", "template",
    "label", "retries", "seed", "prompt_tokens", "completion_tokens", "cached", "cost",
)  # fmt: skip
# Compiled statements are cached by their text, so this also limits the number of statements of each kind.
_ROWS_PER_STATEMENT = 40


def add_answers(db: Session, run_id: str, model_id: str, answers: Iterable[StoredAnswer]) -> None:
    """Write answers of a run. Existing ones stay unchanged, so repeating this is safe."""
    rows, questions = _response_rows(run_id, model_id, answers)
    if not rows:
        return
    connection = db.connection()
    if questions:
        insertion = upsert(connection, raw_table("question")).on_conflict_do_nothing()
        connection.execute(
            insertion,
            [
                {"content_hash": digest, "body": json.dumps(body), "characters": _count_characters(body)}
                for digest, body in questions.items()
            ],
        )
    placeholder = _placeholder(connection)
    values = f"({', '.join([placeholder] * len(_RESPONSE_COLUMNS))})"
    _insert(
        connection, f"INSERT INTO response ({', '.join(_RESPONSE_COLUMNS)})", values, "ON CONFLICT DO NOTHING", rows
    )
    if connection.execute(select(FAILURE.c.run_id).where(FAILURE.c.run_id == run_id).limit(1)).first() is not None:
        is_answered = and_(FAILURE.c.subject_id == bindparam("subject"), FAILURE.c.sample == bindparam("place"))
        connection.execute(
            delete(FAILURE).where(FAILURE.c.run_id == run_id, is_answered),
            [
                {
                    "subject": row[_RESPONSE_COLUMNS.index("subject_id")],
                    "place": row[_RESPONSE_COLUMNS.index("sample")],
                }
                for row in rows
            ],
        )


def _response_rows(
    run_id: str, model_id: str, answers: Iterable[StoredAnswer]
) -> tuple[list[tuple[Any, ...]], dict[str, Mapping[str, Any]]]:
    """Return rows with the columns in `_RESPONSE_COLUMNS`, and the questions by their hash."""
    moment = now_text()
    rows: list[tuple[Any, ...]] = []
    questions: dict[str, Mapping[str, Any]] = {}
    # The samples of an item arrive close together and have the same question.
    questions_by_subject: dict[str, tuple[Mapping[str, Any], str]] = {}
    encoded_settings: tuple[Mapping[str, Any], str] = ({}, "{}")
    for answer in answers:
        body = {name: answer.request[name] for name in _QUESTION_FIELDS if name in answer.request}
        subject_body, digest = questions_by_subject.get(answer.subject_id, ({}, ""))
        if subject_body != body:
            digest = content_hash(body)
            questions_by_subject[answer.subject_id] = body, digest
            questions[digest] = body
        settings = {name: value for name, value in answer.request.items() if name not in body}
        if settings != encoded_settings[0]:
            encoded_settings = settings, json.dumps(settings)
        rows.append(
            (
                stable_id(run_id, answer.subject_id, str(answer.sample)),
                moment,
                run_id,
                model_id,
                answer.subject_id,
                answer.sample,
                answer.text,
                answer.outcome,
                answer.finish_reason,
                content_hash(answer.text),
                answer.request_hash,
                json.dumps(dict(answer.usage)),
                answer.seconds,
                digest,
                encoded_settings[1],
                answer.served_model,
                answer.template,
                answer.label,
                answer.retries,
                answer.seed,
                prompt_tokens(answer.usage),
                completion_tokens(answer.usage),
                answer.cached,
                answer.cost,
            )
        )
    return rows, questions


def _placeholder(connection: Connection) -> str:
    """Return the driver's placeholder for a value."""
    return "?" if is_file(connection) else "%s"


def _insert(connection: Connection, head: str, values_clause: str, tail: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows with multi-row statements, given as text.

    sqlite3 releases the interpreter lock for each statement and then waits for it, which with sixty other threads takes
    longer than inserting a row. SQLAlchemy would rebuild a statement of a thousand values every time.
    """
    for start in range(0, len(rows), _ROWS_PER_STATEMENT):
        part = rows[start : start + _ROWS_PER_STATEMENT]
        values = tuple(value for row in part for value in row)
        connection.exec_driver_sql(f"{head} VALUES {', '.join([values_clause] * len(part))} {tail}", values)


def _count_characters(body: Mapping[str, Any]) -> int:
    messages = body.get("messages") or ()
    return (
        sum(len(message["content"]) for message in messages) + len(body.get("prompt", "")) + len(body.get("suffix", ""))
    )


def add_failures(db: Session, run_id: str, failures: Iterable[StoredFailure]) -> None:
    """Record requests without an answer; a later failure of the same request replaces the earlier one."""
    rows = [{"run_id": run_id, **asdict(failure), "created_at": now_text()} for failure in failures]
    if rows:
        upsert_statement = upsert(db.connection(), FAILURE)
        replaced = {name: upsert_statement.excluded[name] for name in ("cause", "reason", "created_at")}
        attempts = FAILURE.c.attempts + upsert_statement.excluded.attempts
        insertion = upsert_statement.on_conflict_do_update(
            index_elements=["run_id", "subject_id", "sample"], set_={**replaced, "attempts": attempts}
        )
        db.connection().execute(insertion, rows)


def add_scores(db: Session, run_id: str, scores: Iterable[StoredScore]) -> None:
    """Write scores of a run's responses. Only scores with outcome ``machinery`` are overwritten."""
    moment = now_text()
    rows = [
        (
            run_id,
            score.subject_id,
            score.sample,
            score.criterion_hash,
            score.points,
            score.total,
            score.score,
            score.outcome,
            json.dumps(dict(score.detail)),
            moment,
        )
        for score in scores
    ]
    if rows:
        connection = db.connection()
        placeholder = _placeholder(connection)
        is_same_place = " AND ".join(f"{name} = {placeholder}" for name in ("run_id", "subject_id", "sample"))
        response = f"SELECT id FROM response WHERE {is_same_place}"
        _insert(
            connection,
            "INSERT INTO score (response_id, criterion_hash, points, total, score, outcome, detail, created_at)",
            f"(({response}), {', '.join([placeholder] * 7)})",
            "ON CONFLICT (response_id, criterion_hash) DO UPDATE SET points = excluded.points, "
            "total = excluded.total, score = excluded.score, outcome = excluded.outcome, "
            "detail = excluded.detail, created_at = excluded.created_at WHERE score.outcome = 'machinery'",
            rows,
        )


def fetch_stored_places(db: Session, run_id: str) -> set[tuple[str, int, str]]:
    """Return (subject id, sample, request hash) of every response of a run."""
    query = select(RESPONSE.c.subject_id, RESPONSE.c.sample, RESPONSE.c.request_hash)
    rows = db.connection().execute(query.where(RESPONSE.c.run_id == run_id))
    return {(row.subject_id, row.sample, row.request_hash) for row in rows}


def fetch_failed_places(db: Session, run_id: str) -> dict[Place, str]:
    """Return (subject id, sample) -> cause for every request of a run without an answer."""
    query = select(FAILURE.c.subject_id, FAILURE.c.sample, FAILURE.c.cause).where(FAILURE.c.run_id == run_id)
    return {(row.subject_id, row.sample): row.cause for row in db.connection().execute(query)}


def known_hashes(db: Session, model_id: str) -> set[str]:
    """Return the hashes of all answered requests to a model."""
    query = select(RESPONSE.c.request_hash).where(RESPONSE.c.model_id == model_id, RESPONSE.c.request_hash != "")
    return set(db.connection().scalars(query.distinct()))


_ANSWER_COLUMNS = (
    "subject_id", "sample", "text", "outcome", "finish_reason", "request_hash", "usage", "seconds", "served_model",
    "retries", "seed", "template", "label", "cached", "cost",
)  # fmt: skip
_ANSWER = select(*(RESPONSE.c[name] for name in _ANSWER_COLUMNS), RESPONSE.c.request, QUESTION.c.body).join_from(
    RESPONSE, QUESTION, QUESTION.c.content_hash == RESPONSE.c.question_hash, isouter=True
)


def _build_answer(row: Row[*tuple[Any, ...]]) -> StoredAnswer:
    values = {name: getattr(row, name) for name in _ANSWER_COLUMNS}
    return StoredAnswer(**values, request={**row.request, **(row.body or {})})


def cached_answer(db: Session, request_hash: str) -> StoredAnswer | None:
    """Return the answer to a request from any run; None if it was never answered."""
    query = _ANSWER.where(RESPONSE.c.request_hash == request_hash)
    row = db.connection().execute(query.order_by(RESPONSE.c.cached, RESPONSE.c.created_at).limit(1)).first()
    return _build_answer(row) if row is not None else None


def answered_hashes(db: Session, hashes: Sequence[str]) -> set[str]:
    """Return the request hashes that have an answer."""
    query = select(RESPONSE.c.request_hash).where(RESPONSE.c.request_hash.in_(hashes))
    return set(db.connection().scalars(query.distinct()))


def answers_at(db: Session, run_id: str, places: Sequence[Place]) -> list[StoredAnswer]:
    """Return a run's answers to some samples, in the order of ``places``."""
    query = _ANSWER.where(RESPONSE.c.run_id == run_id)
    connection = db.connection()
    return [
        _build_answer(row)
        for subject, sample in places
        for row in connection.execute(query.where(RESPONSE.c.subject_id == subject, RESPONSE.c.sample == sample))
    ]


def find_unscored_places(db: Session, run_id: str, set_id: str, *, machinery: bool) -> list[Place]:
    """Return the responses without a score in a set, by item; with ``machinery`` also those whose scoring failed.

    Recorded verdicts without a text (outcome ``unknown``) cannot be scored, so they are left out.
    """
    is_unscored = SCORE.c.response_id.is_(None)
    is_item = and_(SCORE_SET_ITEM.c.set_id == set_id, SCORE_SET_ITEM.c.subject_id == RESPONSE.c.subject_id)
    is_score = and_(SCORE.c.response_id == RESPONSE.c.id, SCORE.c.criterion_hash == SCORE_SET_ITEM.c.criterion_hash)
    query = (
        select(RESPONSE.c.subject_id, RESPONSE.c.sample)
        .select_from(RESPONSE.join(SCORE_SET_ITEM, is_item).outerjoin(SCORE, is_score))
        .where(
            RESPONSE.c.run_id == run_id,
            RESPONSE.c.outcome != "unknown",
            or_(is_unscored, SCORE.c.outcome == "machinery") if machinery else is_unscored,
        )
        .order_by(RESPONSE.c.subject_id, RESPONSE.c.sample)
    )
    return [(row.subject_id, row.sample) for row in db.connection().execute(query)]


_SCORE_KEY = ("subject_id", "text_hash", "finish", "criterion")


@cache
def _twin_query(count: int) -> Select[*tuple[Any, ...]]:
    """Return the query for the scores of ``count`` keys, with one bind parameter for each part of a key.

    Built once per count and, unlike `values()`, cached by SQLAlchemy: compiling takes 20 times as long as running.
    """
    keys = union_all(
        *(
            select(*(bindparam(f"{name}_{number}", type_=String).label(name) for name in _SCORE_KEY))
            for number in range(count)
        )
    ).cte("w")
    response, twin_score = RESPONSE.alias("i"), SCORE.alias("t")
    twin = (
        select(response.c.id)
        .select_from(response.join(twin_score, twin_score.c.response_id == response.c.id))
        .where(
            twin_score.c.criterion_hash == keys.c.criterion,
            response.c.subject_id == keys.c.subject_id,
            response.c.content_hash == keys.c.text_hash,
            response.c.finish_reason == keys.c.finish,
            twin_score.c.outcome != "machinery",
        )
        .limit(1)
        .correlate(keys)
        .scalar_subquery()
    )
    is_score = and_(SCORE.c.response_id == RESPONSE.c.id, SCORE.c.criterion_hash == keys.c.criterion)
    score_columns = (SCORE.c[name] for name in ("outcome", "points", "total", "score", "detail"))
    return select(*keys.c, RESPONSE.c.sample, *score_columns).select_from(
        keys.join(RESPONSE, RESPONSE.c.id == twin).join(SCORE, is_score)
    )


def find_known_scores(
    db: Session, keys: Sequence[tuple[str, str, str, str]]
) -> dict[tuple[str, str, str, str], StoredScore]:
    """Return the scores of identical responses to an item under the same criterion, from any run.

    Keys are (subject id, hash of the text, finish reason, criterion hash).
    """
    scores = {}
    for part in chunks(keys, _ROWS_PER_STATEMENT):
        parameters = {
            f"{name}_{number}": value
            for number, key in enumerate(part)
            for name, value in zip(_SCORE_KEY, key, strict=True)
        }
        for row in db.connection().execute(_twin_query(len(part)), parameters):
            key = (row.subject_id, row.text_hash, row.finish, row.criterion)
            scores[key] = record_from(StoredScore, row, criterion_hash=row.criterion)
    return scores


def load_answer_history(db: Session, model_id: str | None) -> AnswerHistory:
    """Return statistics of a model's paid answers, and the lengths of other models' answers in the newest runs."""
    is_started = RUN.c.state != RunState.PLANNED
    newest = select(RUN.c.id).where(is_started).order_by(RUN.c.created_at.desc(), RUN.c.id.desc()).limit(_NEWEST_RUNS)
    if model_id is None:
        return AnswerHistory(others=_mean_lengths(db, RESPONSE.c.run_id.in_(newest)))
    is_own = RESPONSE.c.model_id == model_id
    is_counted, is_timed = RESPONSE.c.prompt_tokens.is_not(None), RESPONSE.c.seconds.is_not(None)
    query = (
        select(
            func.sum(case((is_counted, QUESTION.c.characters))),
            func.sum(RESPONSE.c.prompt_tokens),
            func.sum(case((is_timed, RESPONSE.c.completion_tokens))),
            func.sum(RESPONSE.c.seconds),
        )
        .join_from(RESPONSE, QUESTION, QUESTION.c.content_hash == RESPONSE.c.question_hash)
        .where(is_own, ~RESPONSE.c.cached)
    )
    characters, prompt, completion, seconds = db.connection().execute(query).one()
    return AnswerHistory(
        prompt_tokens_per_character=prompt / characters if prompt and characters else None,
        seconds_per_token=seconds / completion if seconds and completion else None,
        own=_mean_lengths(db, is_own),
        others=_mean_lengths(db, RESPONSE.c.run_id.in_(newest.where(RUN.c.model_id != model_id))),
    )


def _mean_lengths(db: Session, is_selected: ColumnElement[bool]) -> dict[str, AnswerLength]:
    """Return the mean length of the selected answers by task family; every model has the same weight."""
    query = (
        select(SUBJECT.c.task, func.count(), func.sum(RESPONSE.c.completion_tokens))
        .join_from(RESPONSE, SUBJECT, SUBJECT.c.id == RESPONSE.c.subject_id)
        .where(is_selected, ~RESPONSE.c.cached, RESPONSE.c.completion_tokens.is_not(None))
        .group_by(SUBJECT.c.task, RESPONSE.c.model_id)
    )
    models_by_task: dict[str, list[tuple[int, float]]] = {}
    for task, answers, tokens in db.connection().execute(query):
        models_by_task.setdefault(task, []).append((answers, tokens / answers))
    return {
        task: AnswerLength(
            answers=sum(answers for answers, _ in task_models), mean_tokens=fmean(mean for _, mean in task_models)
        )
        for task, task_models in models_by_task.items()
    }


def token_usage(db: Session, run_id: str) -> TokenUsage:
    """Return the tokens of a run's paid answers."""
    query = select(RESPONSE.c.usage).where(RESPONSE.c.run_id == run_id, ~RESPONSE.c.cached)
    return add_up(db.connection().scalars(query))


def run_cost(db: Session, run_id: str) -> float:
    """Return a run's cost so far."""
    query = select(func.coalesce(func.sum(RESPONSE.c.cost), 0.0)).where(RESPONSE.c.run_id == run_id)
    return float(db.connection().execute(query).scalar_one())


def find_newest_preset(db: Session) -> str:
    """Return the preset of the newest run, empty if there is none."""
    query = select(RUN.c.preset).order_by(RUN.c.created_at.desc(), RUN.c.id.desc()).limit(1)
    return str(db.connection().execute(query).scalar() or "")


def fetch_run(db: Session, run_id: str) -> Run:
    """Return a run by its id or a prefix. Raises `BadInputError` unless exactly one matches."""
    exact = db.exec(select_rows(Run).where(Run.id == run_id)).first()
    if exact is not None:
        return exact
    matches = [run for run in db.exec(select_rows(Run)) if run_id and run.id.startswith(run_id)]
    if len(matches) != 1:
        raise BadInputError(
            f"Several runs begin with {run_id}; give more of its id." if matches else f"There is no run {run_id} here."
        )
    return matches[0]


def claim_run(db: Session, run_id: str, owner: str) -> None:
    """Record that a process works on a run."""
    run = fetch_run(db, run_id)
    run.owner = owner
    run.beat_at = now_text()
    run.state = RunState.RUNNING
    run.reason = ""
    run.finished_at = None
    db.add(run)


def beat_run(db: Session, run_id: str, owner: str, state: RunState) -> None:
    """Record a heartbeat of the process that works on the run, and the run's state."""
    heartbeat = update(RUN).where(RUN.c.id == run_id, RUN.c.owner == owner)
    db.connection().execute(heartbeat.values(beat_at=now_text(), state=state.value))


def release_claim(
    db: Session, run_id: str, state: RunState, reason: str, seconds: float, lost: tuple[int, float] = (0, 0.0)
) -> None:
    """Record the end of work on a run; ``lost`` is the number of paid but unreadable answers, and their cost."""
    run = fetch_run(db, run_id)
    run.owner = ""
    run.state = state
    run.reason = reason
    if lost[0]:
        count, cost = lost_answers(run)
        run.settings = {**run.settings, "lost": {"count": count + lost[0], "cost": cost + lost[1]}}
    run.seconds += seconds
    run.finished_at = now_text() if state in (RunState.DONE, RunState.STOPPED) else None
    db.add(run)


def lost_answers(run: Run) -> tuple[int, float]:
    """Return the number of a run's paid but unreadable answers, and their maximum cost."""
    lost = run.settings.get("lost") or {}
    return int(lost.get("count", 0)), float(lost.get("cost", 0.0))


BEAT_S = 5.0
"""The interval between heartbeats of a process that works on a run."""


def owner_here() -> str:
    """Return the owner name of this process: host and process id."""
    return f"{socket.gethostname()}:{os.getpid()}"
