"""Reading results by column: no ORM objects, no answers, no details, so that millions of scores are there at once."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlmodel import Session, col, select

from annotator.base.clock import now_text
from annotator.base.ids import content_hash
from annotator.model.results import ItemRow, ResultRun
from annotator.model.rows import Changes
from annotator.model.run import PublishedTable
from annotator.store import changes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The order is stored: add at the end only.
CODES = ("pass", "partial", "fail", "refusal", "empty", "truncated", "machinery")
_MACHINERY = CODES.index("machinery")
Execute = Callable[[str, tuple[object, ...]], Any]

_SCORES = (
    "SELECT i.position, s.sample, s.outcome, s.score FROM response_score s "
    "JOIN releaseitem i ON i.release_id = s.release_id AND i.subject_id = s.subject_id "
    "WHERE s.run_id = ? ORDER BY i.position, s.sample"
)
# Servers name their counts as they like; these are the usual ones.
_TOTALS = (
    "SELECT count(*), sum(coalesce(prompt_tokens, json_extract(usage, '$.prompt_tokens'), "
    "json_extract(usage, '$.input_tokens'))), sum(coalesce(completion_tokens, "
    "json_extract(usage, '$.completion_tokens'), json_extract(usage, '$.output_tokens'))), "
    "sum(coalesce(nullif(cost, 0), json_extract(usage, '$.cost'))), sum(seconds) FROM response WHERE run_id = ?"
)
_FIELDS = ("key", "title", "language", "domain", "area", "question_type", "difficulty", "task", "provenance.repository")


@dataclass(frozen=True, slots=True, eq=False)
class RunColumns:
    """A run's scores by item and sample; ``positions`` are places in the release, NaN a failure of the machinery."""

    positions: NDArray[np.uint32]
    outcomes: NDArray[np.uint8]
    scores: NDArray[np.float64]
    totals: dict[str, Any]


def finished(connection: sqlite3.Connection, version: str | None) -> tuple[str, str, tuple[ResultRun, ...]] | None:
    """Return a release's id, version and finished runs, newest first; None if there is no such release.

    Without a version it is the newest release with a finished run, else the newest.
    """
    if version is None:
        query = (
            "SELECT e.id, e.version FROM release e ORDER BY (SELECT max(u.created_at) FROM run u "
            "WHERE u.release_id = e.id AND u.state = 'done') DESC NULLS LAST, e.created_at DESC LIMIT 1"
        )
        found = connection.execute(query).fetchone()
    else:
        found = connection.execute("SELECT id, version FROM release WHERE version = ?", (version,)).fetchone()
    if found is None:
        return None
    query = (
        "SELECT u.id, m.name, u.preset, u.samples, u.created_at, u.settings, m.settings FROM run u "
        "JOIN model_under_test m ON m.id = u.model_id WHERE u.release_id = ? AND u.state = 'done' "
        "ORDER BY u.created_at DESC, u.id DESC"
    )
    runs = tuple(
        ResultRun(run, model, protocol, samples, moment, json.loads(settings), json.loads(about))
        for run, model, protocol, samples, moment, settings, about in connection.execute(query, (found[0],))
    )
    return str(found[0]), str(found[1]), runs


def version_of(connection: sqlite3.Connection, run_id: str) -> str | None:
    """Return the version of the release a finished run is on, None for an unknown or unfinished run."""
    query = "SELECT e.version FROM run u JOIN release e ON e.id = u.release_id WHERE u.id = ? AND u.state = 'done'"
    found = connection.execute(query, (run_id,)).fetchone()
    return None if found is None else str(found[0])


def items(connection: sqlite3.Connection, release_id: str) -> tuple[ItemRow, ...]:
    """Return a release's items in their frozen order, narrow; ``length`` counts characters of prompt and context."""
    fields = ", ".join(f"item ->> '$.{name}'" for name in _FIELDS)
    query = (
        "SELECT position, subject_id, length(item ->> '$.prompt') + coalesce(length(item ->> '$.context'), 0), "
        f"{fields} FROM releaseitem WHERE release_id = ? ORDER BY position"
    )
    return tuple(
        ItemRow(position, subject, **_fields(values), length=length or 0)
        for position, subject, length, *values in connection.execute(query, (release_id,))
    )


def _fields(values: Sequence[Any]) -> dict[str, str]:
    names = (name.rpartition(".")[2] for name in _FIELDS)
    return {name: str(value or "") for name, value in zip(names, values, strict=True)}


def columns(connection: sqlite3.Connection, run_ids: Sequence[str]) -> dict[str, RunColumns]:
    """Return the kept columns of runs, those that have any."""
    import numpy as np

    found = {}
    for run_id in run_ids:
        query = "SELECT positions, outcomes, scores, totals FROM run_scores WHERE run_id = ?"
        record = connection.execute(query, (run_id,)).fetchone()
        if record is not None:
            positions, outcomes, scores = (
                np.frombuffer(part, dtype=kind) for part, kind in zip(record[:3], ("<u4", "<u1", "<f8"), strict=True)
            )
            found[run_id] = RunColumns(positions, outcomes, scores, json.loads(record[3]))
    return found


def gather(execute: Execute, run_id: str) -> RunColumns:
    """Read a run's columns from its responses and the scores that count."""
    import numpy as np

    code = {name: number for number, name in enumerate(CODES)}
    found = list(execute(_SCORES, (run_id,)))
    positions = np.fromiter((row[0] for row in found), dtype="<u4", count=len(found))
    outcomes = np.fromiter((code.get(row[2], _MACHINERY) for row in found), dtype="<u1", count=len(found))
    values = (float("nan") if row[3] is None else row[3] for row in found)
    scores = np.fromiter(values, dtype="<f8", count=len(found))
    count, prompt, completion, cost, seconds = execute(_TOTALS, (run_id,)).fetchone()
    totals = {
        "responses": count, "prompt_tokens": _whole(prompt), "completion_tokens": _whole(completion), "cost": cost,
        "seconds": seconds,
    }  # fmt: skip
    return RunColumns(positions, outcomes, scores, totals)


def _whole(count: float | None) -> float | None:
    """Return a sum as the whole number it is; a server adds up what JSON holds as fractions."""
    return int(count) if count is not None and float(count).is_integer() else count


def keep(db: Session, run_id: str) -> RunColumns:
    """Gather a run's columns and keep them, in one transaction: no score can come between."""
    execute = db.connection().exec_driver_sql
    found = gather(execute, run_id)
    execute(
        "INSERT INTO run_scores (run_id, positions, outcomes, scores, totals) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (run_id) DO UPDATE SET positions = excluded.positions, outcomes = excluded.outcomes, "
        "scores = excluded.scores, totals = excluded.totals",
        (
            run_id,
            found.positions.tobytes(),
            found.outcomes.tobytes(),
            found.scores.tobytes(),
            json.dumps(found.totals),
        ),
    )
    return found


def responses_at(
    connection: sqlite3.Connection, run_ids: Sequence[str], subject_ids: Sequence[str] = ()
) -> list[tuple[str, str, int, str, float | None, str]]:
    """Return (run, subject, sample, outcome, score, response id) of runs, of some subjects if any are named.

    They come by run, subject and sample; a response without a score is ``machinery``.
    """
    found: list[tuple[str, str, int, str, float | None, str]] = []
    where = f" AND subject_id IN ({', '.join('?' * len(subject_ids))})" if 0 < len(subject_ids) <= _NAMED else ""
    for run_id in run_ids:
        query = (
            "SELECT run_id, subject_id, sample, coalesce(outcome, 'machinery'), score, response_id "
            f"FROM response_score WHERE run_id = ?{where} ORDER BY subject_id, sample"
        )
        found += connection.execute(query, (run_id, *(subject_ids if where else ())))
    if subject_ids and not where:
        wanted = frozenset(subject_ids)
        return [record for record in found if record[1] in wanted]
    return found


_NAMED = 500


def texts_of(
    connection: sqlite3.Connection, run_id: str, subject_ids: Sequence[str] | None = None
) -> list[tuple[str, int, str]]:
    """Return (subject, sample, text) of a run's answers by subject and sample; of some subjects if given."""
    query = "SELECT subject_id, sample, text FROM response WHERE run_id = ? ORDER BY subject_id, sample"
    wanted = None if subject_ids is None else frozenset(subject_ids)
    return [record for record in connection.execute(query, (run_id,)) if wanted is None or record[0] in wanted]


def references(connection: sqlite3.Connection, release_id: str) -> dict[str, str]:
    """Return subject -> reference of a release's items that have one."""
    query = "SELECT subject_id, item ->> '$.reference' FROM releaseitem WHERE release_id = ?"
    return {subject: text for subject, text in connection.execute(query, (release_id,)) if text}


def places(connection: sqlite3.Connection, release_id: str) -> list[dict[str, Any]]:
    """Return what says where each item's function stands and what its reference uses, without the wide texts' rest."""
    fields = ("dependencies", "provenance", "entry_point", "context", "extra.qualified_name", "extra.context_above")
    parts = ", ".join(f"item -> '$.{name}'" for name in fields)
    query = f"SELECT subject_id, {parts} FROM releaseitem WHERE release_id = ?"
    return [
        {
            "id": subject,
            **{
                name.rpartition(".")[2]: None if value is None else json.loads(value)
                for name, value in zip(fields, values, strict=True)
            },
        }
        for subject, *values in connection.execute(query, (release_id,))
    ]


def rule_points(connection: sqlite3.Connection, run_id: str) -> list[tuple[str, int, float | None, str]]:
    """Return (subject, sample, score, detail as JSON) of a run's scores that count."""
    query = (
        "SELECT c.subject_id, c.sample, c.score, s.detail FROM current_score c "
        "JOIN score s ON s.response_id = c.response_id AND s.criterion_hash = c.criterion_hash "
        "WHERE c.run_id = ? ORDER BY c.subject_id, c.sample"
    )
    return connection.execute(query, (run_id,)).fetchall()


# Published tables -----------------------------------------------------------------------------------------------------


def add_published(db: Session, annotator_id: str, tables: Sequence[dict[str, Any]]) -> tuple[int, Changes]:
    """Keep tables that are not here yet, as one act; a newer table of a name takes the older one's place."""
    active = {row.name: row.content_hash for row in _published_rows(db)}
    fresh = [table for table in tables if active.get(table["name"]) != content_hash(table)]
    if not fresh:
        return 0, Changes()
    label = f"Import {len(fresh)} published tables"
    change = changes.record(db, annotator_id, label, ["published"])
    for table in fresh:
        db.add(
            PublishedTable(
                annotator_id=annotator_id,
                change_id=change.id,
                name=table["name"],
                content_hash=content_hash(table),
                content=table,
                created_at=now_text(),
            )
        )
    db.flush()
    return len(fresh), Changes(frozenset({"published"}), frozenset(), label, change.id)


def published(db: Session) -> dict[str, dict[str, Any]]:
    """Return the published tables of a project by name; the newest of a name counts."""
    return {row.name: row.content for row in _published_rows(db)}


def _published_rows(db: Session) -> Sequence[PublishedTable]:
    query = select(PublishedTable).where(col(PublishedTable.active))
    return db.exec(query.order_by(col(PublishedTable.created_at), col(PublishedTable.id))).all()
