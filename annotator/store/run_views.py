"""What screens and commands ask about one run; texts are read one request at a time."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import text as sql
from sqlmodel import Session

from annotator.model.run import Failure
from annotator.model.run_rows import CauseRow, RequestRow


@dataclass(slots=True)
class ItemCounts:
    """One item's responses in a run; ``score`` is the mean of those that have one."""

    answered: int = 0
    failed: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    score: float | None = None


def by_item(db: Session, run_id: str) -> dict[str, ItemCounts]:
    """Count a run's responses by item."""
    counts: dict[str, ItemCounts] = {}
    connection, run = db.connection(), {"run": run_id}
    for subject, number in connection.execute(
        sql("SELECT subject_id, count(*) FROM response WHERE run_id = :run GROUP BY subject_id"), run
    ):
        counts.setdefault(subject, ItemCounts()).answered = int(number)
    for subject, number in connection.execute(
        sql("SELECT subject_id, count(*) FROM failure WHERE run_id = :run GROUP BY subject_id"), run
    ):
        counts.setdefault(subject, ItemCounts()).failed = int(number)
    totals: dict[str, tuple[float, int]] = {}
    for subject, outcome, number, total, scored in connection.execute(
        sql(
            "SELECT subject_id, outcome, count(*), coalesce(sum(score), 0.0), count(score) FROM current_score "
            "WHERE run_id = :run GROUP BY subject_id, outcome"
        ),
        run,
    ):
        counts.setdefault(subject, ItemCounts()).outcomes[outcome] = int(number)
        before = totals.get(subject, (0.0, 0))
        totals[subject] = before[0] + float(total), before[1] + int(scored)
    for subject, (total, scored) in totals.items():
        counts[subject].score = total / scored if scored else None
    return counts


def requests(db: Session, run_id: str, subject_id: str, outcome: str, limit: int) -> tuple[RequestRow, ...]:
    """Return a run's requests (of one item, of one outcome), failures first, then the newest first."""
    query = sql(
        "SELECT * FROM (SELECT f.subject_id, i.item ->> '$.key' AS name, f.sample, 'failed' AS outcome, f.cause, "
        "NULL AS seconds, NULL AS tokens, f.attempts - 1 AS retries, 0 AS cached, f.created_at, 0 AS place "
        "FROM failure f JOIN run u ON u.id = f.run_id "
        "JOIN releaseitem i ON i.release_id = u.release_id AND i.subject_id = f.subject_id WHERE f.run_id = :run "
        "UNION ALL SELECT r.subject_id, i.item ->> '$.key', r.sample, coalesce(c.outcome, r.outcome), '', r.seconds, "
        "coalesce(r.prompt_tokens, 0) + coalesce(r.completion_tokens, 0), r.retries, r.cached, r.created_at, 1 "
        "FROM response r JOIN run u ON u.id = r.run_id "
        "JOIN releaseitem i ON i.release_id = u.release_id AND i.subject_id = r.subject_id "
        "LEFT JOIN current_score c ON c.response_id = r.id WHERE r.run_id = :run) AS requests "
        "WHERE (:subject = '' OR subject_id = :subject) AND (:outcome = '' OR outcome = :outcome) "
        "ORDER BY place, created_at DESC, name, sample LIMIT :limit"
    )
    values = {"run": run_id, "subject": subject_id, "outcome": outcome, "limit": limit}
    return tuple(
        RequestRow(subject, key, sample, word, cause, seconds, tokens or None, int(retries), bool(cached), moment)
        for subject, key, sample, word, cause, seconds, tokens, retries, cached, moment, _ in db.connection().execute(
            query, values
        )
    )


def causes(db: Session, run_id: str) -> tuple[CauseRow, ...]:
    """Return a run's machinery failures by cause, most first."""
    query = sql(
        "SELECT 'no answer', cause, count(*) AS number, max(reason), max(created_at) FROM failure WHERE run_id = :run "
        "GROUP BY cause UNION ALL SELECT 'no score', coalesce(s.detail ->> '$.reason', ''), count(*), "
        "max(coalesce(s.detail ->> '$.reason', '')), max(s.created_at) FROM current_score c JOIN score s "
        "ON s.response_id = c.response_id AND s.criterion_hash = c.criterion_hash "
        "WHERE c.run_id = :run AND c.outcome = 'machinery' GROUP BY 2 ORDER BY number DESC, 2"
    )
    rows = db.connection().execute(query, {"run": run_id})
    return tuple(CauseRow(kind, cause, int(count), example, last) for kind, cause, count, example, last in rows)


def failure_at(db: Session, run_id: str, subject_id: str, sample: int) -> Failure | None:
    """Return why a request has no answer, None if it has one or was not made."""
    return db.get(Failure, (run_id, subject_id, sample))


def score_at(db: Session, run_id: str, subject_id: str, sample: int) -> tuple[str, float | None, str] | None:
    """Return (outcome, score, reason) of a response by the score that counts."""
    query = sql(
        "SELECT c.outcome, c.score, s.detail FROM current_score c JOIN score s ON s.response_id = c.response_id "
        "AND s.criterion_hash = c.criterion_hash "
        "WHERE c.run_id = :run AND c.subject_id = :subject AND c.sample = :sample"
    )
    row = db.connection().execute(query, {"run": run_id, "subject": subject_id, "sample": sample}).first()
    if row is None:
        return None
    detail: dict[str, Any] = json.loads(row[2])
    return str(row[0]), row[1], str(detail.get("reason") or detail.get("message") or "")
