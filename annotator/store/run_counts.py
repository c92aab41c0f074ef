"""A run's responses counted by outcome, cause, token and cost: kept once the run rests, counted while it does not."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field

from sqlalchemy import text as sql
from sqlmodel import Session

_TOTALS = sql(
    "SELECT count(*), coalesce(sum(CASE WHEN cached = 1 THEN 0 ELSE prompt_tokens END), 0), "
    "coalesce(sum(CASE WHEN cached = 1 THEN 0 ELSE completion_tokens END), 0), coalesce(sum(cached), 0), "
    "coalesce(sum(cost), 0.0) FROM response WHERE run_id = :run"
)
_OUTCOMES = sql("SELECT outcome, count(*) FROM current_score WHERE run_id = :run GROUP BY outcome")
_CAUSES = sql("SELECT cause, count(*) FROM failure WHERE run_id = :run GROUP BY cause")


@dataclass(frozen=True, slots=True)
class Counts:
    """Responses and failures of a run; ``outcomes`` are by the scores that count, tokens are what was paid for."""

    answered: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached: int = 0
    cost: float = 0.0
    outcomes: dict[str, int] = field(default_factory=dict)
    failures: dict[str, int] = field(default_factory=dict)


def kept(db: Session) -> dict[str, Counts]:
    """Return the counts that are kept, by run id."""
    rows = db.connection().exec_driver_sql("SELECT run_id, content FROM run_counts")
    return {run_id: Counts(**json.loads(content)) for run_id, content in rows}


def count(db: Session, run_id: str) -> Counts:
    """Count a run's responses."""
    connection, run = db.connection(), {"run": run_id}
    answered, prompt, completion, cached, cost = connection.execute(_TOTALS, run).one()
    return Counts(
        int(answered),
        int(prompt),
        int(completion),
        int(cached),
        float(cost),
        {name: int(number) for name, number in connection.execute(_OUTCOMES, run)},
        {name: int(number) for name, number in connection.execute(_CAUSES, run)},
    )


def keep(db: Session, run_ids: Iterable[str]) -> None:
    """Count runs and keep that until one of their rows changes."""
    for run_id in run_ids:
        db.connection().exec_driver_sql(
            "INSERT INTO run_counts (run_id, content) VALUES (?, ?) "
            "ON CONFLICT (run_id) DO UPDATE SET content = excluded.content",
            (run_id, json.dumps(asdict(count(db, run_id)))),
        )
