"""What a run writes while it goes on, and what it must know to go on: answers, failures, scores."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection
from sqlalchemy import text as sql
from sqlmodel import Session, select

from annotator.base.clock import now_text
from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash, stable_id
from annotator.model.run import Run
from annotator.model.words import RunState

Place = tuple[str, int]
"""(subject id, sample): what tells the responses of a run apart."""


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class StoredFailure:
    """A request without an answer."""

    subject_id: str
    sample: int
    cause: str
    reason: str
    attempts: int


@dataclass(frozen=True, slots=True)
class AnswerMeans:
    """What a model's earlier answers were like: sums over ``answers`` that were paid for."""

    answers: int
    characters: int
    prompt_tokens: int
    prompted: int
    completion_tokens: int
    completed: int
    seconds: float
    timed: int


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
    # Straight to the driver: this runs for every answer, beside the threads that ask.
    connection = db.connection()
    if questions:
        connection.exec_driver_sql(
            "INSERT INTO question (content_hash, body, characters) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            [(digest, json.dumps(body), _characters(body)) for digest, body in questions.items()],
        )
    _insert(
        connection, f"INSERT INTO response ({', '.join(_RESPONSE)})", _marks(_RESPONSE), "ON CONFLICT DO NOTHING", rows
    )
    failed = "SELECT 1 FROM failure WHERE run_id = ? LIMIT 1"
    if connection.exec_driver_sql(failed, (run_id,)).first() is not None:
        connection.exec_driver_sql(
            "DELETE FROM failure WHERE run_id = ? AND subject_id = ? AND sample = ?",
            [(run_id, item[_RESPONSE.index("subject_id")], item[_RESPONSE.index("sample")]) for item in rows],
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
                item.usage.get("prompt_tokens"),
                item.usage.get("completion_tokens"),
                item.cached,
                item.cost,
            )
        )
    return rows, questions


def _marks(names: Sequence[str]) -> str:
    return f"({', '.join('?' * len(names))})"


def _insert(connection: Connection, into: str, row: str, end: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows, many with one statement.

    SQLite lets the other threads of the interpreter go on while it works, and waits for its turn after each
    statement: with sixty threads beside it that costs more than the row.
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
    rows = [
        {"run": run_id, "subject": item.subject_id, "sample": item.sample, "cause": item.cause,
         "reason": item.reason, "attempts": item.attempts, "moment": now_text()}
        for item in failures
    ]  # fmt: skip
    if rows:
        db.connection().execute(
            sql("INSERT INTO failure (run_id, subject_id, sample, cause, reason, attempts, created_at) VALUES "
                "(:run, :subject, :sample, :cause, :reason, :attempts, :moment) ON CONFLICT (run_id, subject_id, "
                "sample) DO UPDATE SET cause = excluded.cause, reason = excluded.reason, "
                "attempts = failure.attempts + excluded.attempts, created_at = excluded.created_at"),
            rows,
        )  # fmt: skip


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
        _insert(
            db.connection(),
            "INSERT INTO score (response_id, criterion_hash, points, total, score, outcome, detail, created_at)",
            "((SELECT id FROM response WHERE run_id = ? AND subject_id = ? AND sample = ?), ?, ?, ?, ?, ?, ?, ?)",
            "ON CONFLICT (response_id, criterion_hash) DO UPDATE SET points = excluded.points, "
            "total = excluded.total, score = excluded.score, outcome = excluded.outcome, "
            "detail = excluded.detail, created_at = excluded.created_at WHERE score.outcome = 'machinery'",
            rows,
        )


def stored_places(db: Session, run_id: str) -> set[tuple[str, int, str]]:
    """Return (subject id, sample, request hash) of every response of a run."""
    query = sql("SELECT subject_id, sample, request_hash FROM response WHERE run_id = :run")
    return {(row[0], int(row[1]), row[2]) for row in db.connection().execute(query, {"run": run_id})}


def known_hashes(db: Session, model_id: str) -> set[str]:
    """Return the hashes of all requests to a model that have an answer."""
    query = sql("SELECT DISTINCT request_hash FROM response WHERE model_id = :model AND request_hash <> ''")
    return {row[0] for row in db.connection().execute(query, {"model": model_id})}


_ANSWER = (
    "SELECT r.subject_id, r.sample, r.text, r.outcome, r.finish_reason, r.request_hash, r.request, r.usage, r.seconds, "
    "r.served_model, r.retries, r.seed, r.template, r.label, r.cached, r.cost, q.body FROM response r "
    "LEFT JOIN question q ON q.content_hash = r.question_hash "
)


def _answer(row: Sequence[Any]) -> StoredAnswer:
    subject_id, sample, text, outcome, finish_reason, request_hash, request, usage, *rest, question = row
    seconds, served_model, retries, seed, template, label, cached, cost = rest
    return StoredAnswer(
        subject_id=subject_id,
        sample=sample,
        text=text,
        outcome=outcome,
        finish_reason=finish_reason,
        request_hash=request_hash,
        request={**json.loads(request), **(json.loads(question) if question else {})},
        usage=json.loads(usage),
        seconds=seconds,
        served_model=served_model,
        retries=retries,
        seed=seed,
        template=template,
        label=label,
        cached=bool(cached),
        cost=cost,
    )


def cached_answer(db: Session, request_hash: str) -> StoredAnswer | None:
    """Return the answer to a request, whatever run it was asked in; None if it was never answered."""
    query = sql(f"{_ANSWER} WHERE r.request_hash = :hash ORDER BY r.cached, r.created_at LIMIT 1")
    row = db.connection().execute(query, {"hash": request_hash}).first()
    return _answer(row) if row is not None else None


def answered(connection: sqlite3.Connection, hashes: Sequence[str]) -> set[str]:
    """Return which requests have an answer; asked before every request, so it takes the short way."""
    query = f"SELECT DISTINCT request_hash FROM response WHERE request_hash IN {_marks(hashes)}"
    return {row[0] for row in connection.execute(query, tuple(hashes))}


def answers_at(db: Session, run_id: str, places: Sequence[Place]) -> list[StoredAnswer]:
    """Return a run's answers at some places, in that order."""
    query = sql(f"{_ANSWER} WHERE r.run_id = :run AND r.subject_id = :subject AND r.sample = :sample")
    connection = db.connection()
    found = (connection.execute(query, {"run": run_id, "subject": place[0], "sample": place[1]}) for place in places)
    return [_answer(row) for result in found for row in result]


def unscored_places(db: Session, run_id: str, set_id: str, *, machinery: bool = False) -> list[Place]:
    """Return the responses without a score of a set, by item; with ``machinery`` also those that could not be scored.

    Verdicts that came without a text (outcome unknown) cannot be scored and are left out.
    """
    failed = "OR s.outcome = 'machinery'" if machinery else ""
    query = sql(
        "SELECT r.subject_id, r.sample FROM response r "
        "JOIN score_set_item i ON i.set_id = :set AND i.subject_id = r.subject_id "
        "LEFT JOIN score s ON s.response_id = r.id AND s.criterion_hash = i.criterion_hash "
        f"WHERE r.run_id = :run AND r.outcome <> 'unknown' AND (s.response_id IS NULL {failed}) "
        "ORDER BY r.subject_id, r.sample"
    )
    return [(row[0], int(row[1])) for row in db.connection().execute(query, {"run": run_id, "set": set_id})]


def known_scores(
    connection: sqlite3.Connection, wanted: Sequence[tuple[str, str, str, str]]
) -> dict[tuple[str, str, str, str], StoredScore]:
    """Return the scores that identical responses to an item have under the same criterion, in any run.

    Wanted and found by (subject id, hash of the text, finish reason, criterion hash). Asked before responses are
    scored, so it takes the short way.
    """
    found = {}
    for start in range(0, len(wanted), _AT_ONCE):
        part = wanted[start : start + _AT_ONCE]
        query = (
            f"WITH w(subject_id, text_hash, finish, criterion) AS (VALUES {', '.join(['(?, ?, ?, ?)'] * len(part))}) "
            "SELECT w.subject_id, w.text_hash, w.finish, w.criterion, r.sample, s.outcome, s.points, s.total, s.score, "
            "s.detail FROM w CROSS JOIN response r ON r.id = (SELECT i.id FROM response i JOIN score t ON "
            "t.response_id = i.id AND t.criterion_hash = w.criterion WHERE i.subject_id = w.subject_id AND "
            "i.content_hash = w.text_hash AND i.finish_reason = w.finish AND t.outcome <> 'machinery' LIMIT 1) "
            "CROSS JOIN score s ON s.response_id = r.id AND s.criterion_hash = w.criterion"
        )
        for row in connection.execute(query, tuple(value for item in part for value in item)):
            subject, text_hash, finish, digest, sample, outcome, points, total, score, detail = row
            place = subject, text_hash, finish, digest
            found[place] = StoredScore(subject, sample, digest, outcome, points, total, score, json.loads(detail))
    return found


def means(db: Session, model_id: str) -> AnswerMeans:
    """Sum up the answers of a model that were paid for."""
    query = sql(
        "SELECT count(*), coalesce(sum(CASE WHEN r.prompt_tokens IS NOT NULL THEN q.characters END), 0), "
        "coalesce(sum(r.prompt_tokens), 0), count(r.prompt_tokens), coalesce(sum(r.completion_tokens), 0), "
        "count(r.completion_tokens), coalesce(sum(r.seconds), 0.0), count(r.seconds) FROM response r "
        "JOIN question q ON q.content_hash = r.question_hash WHERE r.model_id = :model AND r.cached = 0"
    )
    return AnswerMeans(*db.connection().execute(query, {"model": model_id}).one())


def spent(db: Session, run_id: str) -> float:
    """Return what a run has cost so far."""
    query = sql("SELECT coalesce(sum(cost), 0.0) FROM response WHERE run_id = :run")
    return float(db.connection().execute(query, {"run": run_id}).scalar_one())


def find(db: Session, run_id: str) -> Run:
    """Return a run by its id or a beginning of it. Raises `BadInputError` if none or several fit."""
    exact = db.exec(select(Run).where(Run.id == run_id)).first()
    if exact is not None:
        return exact
    fits = [run for run in db.exec(select(Run)) if run_id and run.id.startswith(run_id)]
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
    query = sql("UPDATE run SET beat_at = :moment, state = :state WHERE id = :run AND owner = :owner")
    db.connection().execute(query, {"moment": now_text(), "state": state.value, "run": run_id, "owner": owner})


def release_claim(db: Session, run_id: str, state: RunState, reason: str, seconds: float) -> None:
    """Write how work on a run ended."""
    run = find(db, run_id)
    run.owner, run.state, run.reason = "", state, reason
    run.seconds += seconds
    run.finished_at = now_text() if state in (RunState.DONE, RunState.STOPPED) else None
    db.add(run)
