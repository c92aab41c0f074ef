"""What a run writes while it goes on, and what it must know to go on: answers, failures, scores."""

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

from annotator.base.clock import now, now_text, parse
from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash, stable_id
from annotator.model.rows.runs import AnswerLength, History
from annotator.model.tables.run import Run
from annotator.model.token_usage import TokenUsage, add_up, completion_tokens, prompt_tokens
from annotator.model.vocabulary import RunState
from annotator.store.tables import (
    FAILURE,
    QUESTION,
    RESPONSE,
    RUN,
    SCORE,
    SCORE_SET_ITEM,
    SUBJECT,
    chunks,
    is_file,
    raw,
    upsert,
)

# How long answers of other models are, their newest runs say; all answers of a large project would take seconds.
_NEWEST_RUNS = 10
Place = tuple[str, int]
"""(subject id, sample): what tells the responses of a run apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAnswer:
    """An answer as the store takes and gives it. ``request`` is the whole body that was sent."""

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
    """A score of one response; ``score`` is None where the machinery failed."""

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


_QUESTION = ("messages", "prompt", "suffix")
_RESPONSE = (
    "id", "created_at", "run_id", "model_id", "subject_id", "sample", "text", "outcome", "finish_reason",
    "content_hash", "request_hash", "usage", "seconds", "question_hash", "request", "served_model", "template",
    "label", "retries", "seed", "prompt_tokens", "completion_tokens", "cached", "cost",
)  # fmt: skip
# Statements are kept by their text, so there are at most so many of each kind.
_AT_ONCE = 40


def add_answers(db: Session, run_id: str, model_id: str, answers: Iterable[StoredAnswer]) -> None:
    """Write answers of a run. One that is there already stays as it is, so that nothing is ever doubled."""
    rows, questions = _response_rows(run_id, model_id, answers)
    if not rows:
        return
    connection = db.connection()
    if questions:
        asked = upsert(connection, raw("question")).on_conflict_do_nothing()
        connection.execute(
            asked,
            [
                {"content_hash": digest, "body": json.dumps(body), "characters": _characters(body)}
                for digest, body in questions.items()
            ],
        )
    mark = _mark(connection)
    row = f"({', '.join([mark] * len(_RESPONSE))})"
    _insert(connection, f"INSERT INTO response ({', '.join(_RESPONSE)})", row, "ON CONFLICT DO NOTHING", rows)
    if connection.execute(select(FAILURE.c.run_id).where(FAILURE.c.run_id == run_id).limit(1)).first() is not None:
        is_answered = and_(FAILURE.c.subject_id == bindparam("subject"), FAILURE.c.sample == bindparam("place"))
        connection.execute(
            delete(FAILURE).where(FAILURE.c.run_id == run_id, is_answered),
            [
                {"subject": item[_RESPONSE.index("subject_id")], "place": item[_RESPONSE.index("sample")]}
                for item in rows
            ],
        )


def _response_rows(
    run_id: str, model_id: str, answers: Iterable[StoredAnswer]
) -> tuple[list[tuple[Any, ...]], dict[str, Mapping[str, Any]]]:
    """Return rows of `_RESPONSE`, and what was asked by its hash."""
    moment = now_text()
    rows: list[tuple[Any, ...]] = []
    questions: dict[str, Mapping[str, Any]] = {}
    # The samples of an item come close together and ask the same.
    asked: dict[str, tuple[Mapping[str, Any], str]] = {}
    settings: tuple[Mapping[str, Any], str] = ({}, "{}")
    for item in answers:
        body = {name: item.request[name] for name in _QUESTION if name in item.request}
        known, digest = asked.get(item.subject_id, ({}, ""))
        if known != body:
            digest = content_hash(body)
            asked[item.subject_id] = body, digest
            questions[digest] = body
        rest = {name: value for name, value in item.request.items() if name not in body}
        if rest != settings[0]:
            settings = rest, json.dumps(rest)
        rows.append(
            (
                stable_id(run_id, item.subject_id, str(item.sample)),
                moment,
                run_id,
                model_id,
                item.subject_id,
                item.sample,
                item.text,
                item.outcome,
                item.finish_reason,
                content_hash(item.text),
                item.request_hash,
                json.dumps(dict(item.usage)),
                item.seconds,
                digest,
                settings[1],
                item.served_model,
                item.template,
                item.label,
                item.retries,
                item.seed,
                prompt_tokens(item.usage),
                completion_tokens(item.usage),
                item.cached,
                item.cost,
            )
        )
    return rows, questions


def _mark(connection: Connection) -> str:
    """Return the driver's mark for a value."""
    return "?" if is_file(connection) else "%s"


def _insert(connection: Connection, into: str, row: str, end: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows, many with one statement, as text.

    SQLite lets the other threads of the interpreter go on while it works, and waits for its turn after each
    statement: with sixty threads beside it that costs more than the row. SQLAlchemy would put together a statement of
    a thousand values each time anew.
    """
    for start in range(0, len(rows), _AT_ONCE):
        part = rows[start : start + _AT_ONCE]
        values = tuple(value for item in part for value in item)
        connection.exec_driver_sql(f"{into} VALUES {', '.join([row] * len(part))} {end}", values)


def _characters(body: Mapping[str, Any]) -> int:
    messages = body.get("messages") or ()
    return sum(len(item["content"]) for item in messages) + len(body.get("prompt", "")) + len(body.get("suffix", ""))


def add_failures(db: Session, run_id: str, failures: Iterable[StoredFailure]) -> None:
    """Note requests that have no answer; a later note on the same one takes its place."""
    rows = [{"run_id": run_id, **asdict(item), "created_at": now_text()} for item in failures]
    if rows:
        into = upsert(db.connection(), FAILURE)
        later = {name: into.excluded[name] for name in ("cause", "reason", "created_at")}
        attempts = FAILURE.c.attempts + into.excluded.attempts
        noted = into.on_conflict_do_update(
            index_elements=["run_id", "subject_id", "sample"], set_={**later, "attempts": attempts}
        )
        db.connection().execute(noted, rows)


def add_scores(db: Session, run_id: str, scores: Iterable[StoredScore]) -> None:
    """Write scores of a run's responses. What the machinery could not score may be scored again, nothing else."""
    moment = now_text()
    rows = [
        (
            run_id,
            item.subject_id,
            item.sample,
            item.criterion_hash,
            item.points,
            item.total,
            item.score,
            item.outcome,
            json.dumps(dict(item.detail)),
            moment,
        )
        for item in scores
    ]
    if rows:
        connection = db.connection()
        mark = _mark(connection)
        response = f"SELECT id FROM response WHERE run_id = {mark} AND subject_id = {mark} AND sample = {mark}"
        _insert(
            connection,
            "INSERT INTO score (response_id, criterion_hash, points, total, score, outcome, detail, created_at)",
            f"(({response}), {', '.join([mark] * 7)})",
            "ON CONFLICT (response_id, criterion_hash) DO UPDATE SET points = excluded.points, "
            "total = excluded.total, score = excluded.score, outcome = excluded.outcome, "
            "detail = excluded.detail, created_at = excluded.created_at WHERE score.outcome = 'machinery'",
            rows,
        )


def stored_places(db: Session, run_id: str) -> set[tuple[str, int, str]]:
    """Return (subject id, sample, request hash) of every response of a run."""
    query = select(RESPONSE.c.subject_id, RESPONSE.c.sample, RESPONSE.c.request_hash)
    rows = db.connection().execute(query.where(RESPONSE.c.run_id == run_id))
    return {(row.subject_id, row.sample, row.request_hash) for row in rows}


def failed_places(db: Session, run_id: str) -> dict[Place, str]:
    """Return the cause of every request of a run that has no answer."""
    query = select(FAILURE.c.subject_id, FAILURE.c.sample, FAILURE.c.cause).where(FAILURE.c.run_id == run_id)
    return {(row.subject_id, row.sample): row.cause for row in db.connection().execute(query)}


def known_hashes(db: Session, model_id: str) -> set[str]:
    """Return the hashes of all requests to a model that have an answer."""
    query = select(RESPONSE.c.request_hash).where(RESPONSE.c.model_id == model_id, RESPONSE.c.request_hash != "")
    return set(db.connection().scalars(query.distinct()))


_PLAIN = (
    "subject_id", "sample", "text", "outcome", "finish_reason", "request_hash", "usage", "seconds", "served_model",
    "retries", "seed", "template", "label", "cached", "cost",
)  # fmt: skip
_ANSWER = select(*(RESPONSE.c[name] for name in _PLAIN), RESPONSE.c.request, QUESTION.c.body).join_from(
    RESPONSE, QUESTION, QUESTION.c.content_hash == RESPONSE.c.question_hash, isouter=True
)


def _answer(row: Row[*tuple[Any, ...]]) -> StoredAnswer:
    values = {name: getattr(row, name) for name in _PLAIN}
    return StoredAnswer(**values, request={**row.request, **(row.body or {})})


def cached_answer(db: Session, request_hash: str) -> StoredAnswer | None:
    """Return the answer to a request, whatever run it was asked in; None if it was never answered."""
    query = _ANSWER.where(RESPONSE.c.request_hash == request_hash)
    row = db.connection().execute(query.order_by(RESPONSE.c.cached, RESPONSE.c.created_at).limit(1)).first()
    return _answer(row) if row is not None else None


def answered(db: Session, hashes: Sequence[str]) -> set[str]:
    """Return which requests have an answer."""
    query = select(RESPONSE.c.request_hash).where(RESPONSE.c.request_hash.in_(hashes))
    return set(db.connection().scalars(query.distinct()))


def answers_at(db: Session, run_id: str, places: Sequence[Place]) -> list[StoredAnswer]:
    """Return a run's answers at some places, in that order."""
    query, connection = _ANSWER.where(RESPONSE.c.run_id == run_id), db.connection()
    return [
        _answer(row)
        for subject, sample in places
        for row in connection.execute(query.where(RESPONSE.c.subject_id == subject, RESPONSE.c.sample == sample))
    ]


def unscored_places(db: Session, run_id: str, set_id: str, *, machinery: bool = False) -> list[Place]:
    """Return the responses without a score of a set, by item; with ``machinery`` also those that could not be scored.

    Verdicts that came without a text (outcome unknown) cannot be scored and are left out.
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


_KEY = ("subject_id", "text_hash", "finish", "criterion")


@cache
def _twin_query(count: int) -> Select[*tuple[Any, ...]]:
    """Return the query for the scores of so many keys, with one bind parameter for each part of a key.

    Built once per count and, unlike `values()`, cached by SQLAlchemy: compiling takes 20 times as long as running.
    """
    asked = union_all(
        *(select(*(bindparam(f"{name}_{at}", type_=String).label(name) for name in _KEY)) for at in range(count))
    ).cte("w")
    same, scored = RESPONSE.alias("i"), SCORE.alias("t")
    twin = (
        select(same.c.id)
        .select_from(same.join(scored, scored.c.response_id == same.c.id))
        .where(
            scored.c.criterion_hash == asked.c.criterion,
            same.c.subject_id == asked.c.subject_id,
            same.c.content_hash == asked.c.text_hash,
            same.c.finish_reason == asked.c.finish,
            scored.c.outcome != "machinery",
        )
        .limit(1)
        .correlate(asked)
        .scalar_subquery()
    )
    is_score = and_(SCORE.c.response_id == RESPONSE.c.id, SCORE.c.criterion_hash == asked.c.criterion)
    given = (SCORE.c[name] for name in ("outcome", "points", "total", "score", "detail"))
    return select(*asked.c, RESPONSE.c.sample, *given).select_from(
        asked.join(RESPONSE, RESPONSE.c.id == twin).join(SCORE, is_score)
    )


def known_scores(
    db: Session, wanted: Sequence[tuple[str, str, str, str]]
) -> dict[tuple[str, str, str, str], StoredScore]:
    """Return the scores that identical responses to an item have under the same criterion, in any run.

    Wanted and found by (subject id, hash of the text, finish reason, criterion hash).
    """
    found = {}
    for part in chunks(wanted, _AT_ONCE):
        parameters = {
            f"{name}_{at}": value for at, key in enumerate(part) for name, value in zip(_KEY, key, strict=True)
        }
        for row in db.connection().execute(_twin_query(len(part)), parameters):
            found[row.subject_id, row.text_hash, row.finish, row.criterion] = StoredScore(
                subject_id=row.subject_id,
                sample=row.sample,
                criterion_hash=row.criterion,
                outcome=row.outcome,
                points=row.points,
                total=row.total,
                score=row.score,
                detail=row.detail,
            )
    return found


def answer_history(db: Session, model_id: str | None) -> History:
    """Return what a model's paid answers were like, and how long those of other models in their newest runs."""
    is_started = RUN.c.state != RunState.PLANNED
    newest = select(RUN.c.id).where(is_started).order_by(RUN.c.created_at.desc(), RUN.c.id.desc()).limit(_NEWEST_RUNS)
    if model_id is None:
        return History(others=_mean_lengths(db, RESPONSE.c.run_id.in_(newest)))
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
    return History(
        prompt_tokens_per_character=prompt / characters if prompt and characters else None,
        seconds_per_token=seconds / completion if seconds and completion else None,
        own=_mean_lengths(db, is_own),
        others=_mean_lengths(db, RESPONSE.c.run_id.in_(newest.where(RUN.c.model_id != model_id))),
    )


def _mean_lengths(db: Session, chosen: ColumnElement[bool]) -> dict[str, AnswerLength]:
    """Return the mean length of chosen answers to each family of task; with several models, each weighs the same."""
    query = (
        select(SUBJECT.c.task, func.count(), func.sum(RESPONSE.c.completion_tokens))
        .join_from(RESPONSE, SUBJECT, SUBJECT.c.id == RESPONSE.c.subject_id)
        .where(chosen, ~RESPONSE.c.cached, RESPONSE.c.completion_tokens.is_not(None))
        .group_by(SUBJECT.c.task, RESPONSE.c.model_id)
    )
    models: dict[str, list[tuple[int, float]]] = {}
    for task, answers, tokens in db.connection().execute(query):
        models.setdefault(task, []).append((answers, tokens / answers))
    return {
        task: AnswerLength(answers=sum(answers for answers, _ in found), mean_tokens=fmean(mean for _, mean in found))
        for task, found in models.items()
    }


def token_usage(db: Session, run_id: str) -> TokenUsage:
    """Return the tokens of a run's answers that were paid for."""
    query = select(RESPONSE.c.usage).where(RESPONSE.c.run_id == run_id, ~RESPONSE.c.cached)
    return add_up(db.connection().scalars(query))


def spent(db: Session, run_id: str) -> float:
    """Return what a run has cost so far."""
    query = select(func.coalesce(func.sum(RESPONSE.c.cost), 0.0)).where(RESPONSE.c.run_id == run_id)
    return float(db.connection().execute(query).scalar_one())


def newest_preset(db: Session) -> str:
    """Return the preset of the newest run, empty if there is none; recorded answers have one of their own."""
    query = select(RUN.c.preset).order_by(RUN.c.created_at.desc(), RUN.c.id.desc()).limit(1)
    return str(db.connection().execute(query).scalar() or "")


def find(db: Session, run_id: str) -> Run:
    """Return a run by its id or a beginning of it. Raises `BadInputError` if none or several fit."""
    exact = db.exec(select_rows(Run).where(Run.id == run_id)).first()
    if exact is not None:
        return exact
    fits = [run for run in db.exec(select_rows(Run)) if run_id and run.id.startswith(run_id)]
    if len(fits) != 1:
        raise BadInputError(
            f"Several runs begin with {run_id}; give more of its id." if fits else f"There is no run {run_id} here."
        )
    return fits[0]


def claim(db: Session, run_id: str, owner: str) -> None:
    """Note that a process works on a run."""
    run = find(db, run_id)
    run.owner, run.beat_at, run.state, run.reason, run.finished_at = owner, now_text(), RunState.RUNNING, "", None
    db.add(run)


def beat(db: Session, run_id: str, owner: str, state: RunState) -> None:
    """Note that the process still works on the run, or waits."""
    beating = update(RUN).where(RUN.c.id == run_id, RUN.c.owner == owner)
    db.connection().execute(beating.values(beat_at=now_text(), state=state.value))


def release_claim(
    db: Session, run_id: str, state: RunState, reason: str, seconds: float, lost: tuple[int, float] = (0, 0.0)
) -> None:
    """Write how work on a run ended; ``lost`` are the answers paid for that nobody can read, and their cost."""
    run = find(db, run_id)
    run.owner, run.state, run.reason = "", state, reason
    if lost[0]:
        count, cost = lost_answers(run)
        run.settings = {**run.settings, "lost": {"count": count + lost[0], "cost": cost + lost[1]}}
    run.seconds += seconds
    run.finished_at = now_text() if state in (RunState.DONE, RunState.STOPPED) else None
    db.add(run)


def lost_answers(run: Run) -> tuple[int, float]:
    """Return how many answers of a run were paid for and cannot be read, and the most they may have cost."""
    lost = run.settings.get("lost") or {}
    return int(lost.get("count", 0)), float(lost.get("cost", 0.0))


BEAT_S = 5.0
"""How often a process that works on a run says so."""
_SILENT_S = 60.0


def owner_here() -> str:
    """Return the mark of this process: host and process number."""
    return f"{socket.gethostname()}:{os.getpid()}"


def is_live(owner: str, beat_at: str | None) -> bool:
    """Tell whether the process of that mark still works: it spoke of late and, if it is on this host, exists."""
    if not owner or beat_at is None or (now() - parse(beat_at)).total_seconds() > _SILENT_S:
        return False
    host, _, number = owner.rpartition(":")
    if host != socket.gethostname() or os.name != "posix" or not number.isdigit():
        return True
    try:
        os.kill(int(number), 0)  # signal 0 asks only whether there is such a process
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
