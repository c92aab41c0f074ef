"""Read results as columns with only the standard library and NumPy, so that millions of scores load quickly."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotator.base.errors import BadInputError
from annotator.model.rows.project_rows import override_sentences
from annotator.model.rows.result_rows import ItemRow, ResultRun
from annotator.store.queue.first_page import read_records, start_query

# The order is stored: add at the end only.
CODES = (
    "pass", "partial", "fail", "refusal", "empty", "truncated", "machinery", "filtered", "disputed",
    "flaky", "tampered",
)  # fmt: skip
_FIELDS = ("key", "title", "language", "domain", "area", "question_type", "difficulty", "task", "provenance.repository",
           "extra.direction", "provenance.mining_rules")  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class RunColumns:
    """A run's scores by item and sample; ``positions`` are those of the items; NaN means a failure on our side."""

    positions: NDArray[np.uint32]
    outcomes: NDArray[np.uint8]
    scores: NDArray[np.float64]
    totals: dict[str, Any]


def finished_runs(connection: sqlite3.Connection, version: str | None) -> tuple[str, str, tuple[ResultRun, ...]]:
    """Return a release's id, version and finished runs, newest first.

    Without a version, that is the release with the newest finished run, or else the newest release. Raises
    `BadInputError` if there is no such release.
    """
    query = start_query(connection)
    if version is None:
        newest = "(SELECT max(u.created_at) FROM run u WHERE u.release_id = r.id AND u.state = 'done')"
        release_clause = f"ORDER BY {newest} DESC NULLS LAST, r.created_at DESC LIMIT 1"
    else:
        release_clause = f"WHERE r.version = {query.bind(version)}"
    release = connection.execute(f"SELECT r.id, r.version FROM release r {release_clause}", query.values).fetchone()
    if release is None:
        missing = f"no release {version}" if version else "no release"
        raise BadInputError(f"There is {missing} in this project yet. Make one with annotator release create.")
    query = start_query(connection)
    statement = (
        "SELECT u.id AS id, m.name AS model, u.preset AS protocol, u.samples AS samples, u.created_at AS created_at, "
        "u.settings AS settings, m.settings AS about, coalesce(s.source, 'release') AS criteria FROM run u "
        "JOIN model_under_test m ON m.id = u.model_id LEFT JOIN score_set s ON s.id = u.score_set_id "
        f"WHERE u.release_id = {query.bind(release[0])} AND u.state = 'done' ORDER BY u.created_at DESC, u.id DESC"
    )
    runs = tuple(
        ResultRun(**row | {"settings": json.loads(row["settings"]), "about": json.loads(row["about"])})
        for row in read_records(connection, statement, query.values)
    )
    return release[0], release[1], runs


def release_overrides(connection: sqlite3.Connection, release_id: str) -> tuple[str, ...]:
    """Return a sentence for each gate or item that was overridden when a release was made."""
    query = start_query(connection)
    statement = f"SELECT manifest FROM release WHERE id = {query.bind(release_id)}"
    [manifest] = connection.execute(statement, query.values).fetchone()
    return override_sentences(json.loads(manifest))


def load_item_rows(connection: sqlite3.Connection, release_id: str) -> tuple[ItemRow, ...]:
    """Return a release's items in its order, without texts; ``length`` counts the characters of prompt and context."""
    query = start_query(connection)
    fields = ", ".join(f"i.item ->> '$.{name}' AS {name.rpartition('.')[2]}" for name in _FIELDS)
    statement = (
        f"SELECT i.position AS position, i.subject_id AS subject_id, {fields}, "
        "coalesce(length(i.item ->> '$.prompt'), 0) + coalesce(length(i.item ->> '$.context'), 0) AS length, "
        # An item's own sandbox mode counts if no proof has recorded one.
        "coalesce(i.item ->> '$.mode.name', CASE WHEN i.item ->> '$.extra.sandbox_mode' IN ('shared', 'fast') "
        "THEN 'shared' END) AS mode "
        f"FROM releaseitem i WHERE i.release_id = {query.bind(release_id)} ORDER BY i.position"
    )
    return tuple(
        ItemRow(
            position=row.pop("position"),
            length=row.pop("length"),
            **{name: str(value or "") for name, value in row.items()},
        )
        for row in read_records(connection, statement, query.values)
    )


def cached_columns(connection: sqlite3.Connection, run_ids: Sequence[str]) -> dict[str, RunColumns]:
    """Return the cached columns of runs; runs without a cache are left out."""
    columns_by_run = {}
    for run_id in run_ids:
        query = start_query(connection)
        statement = f"SELECT positions, outcomes, scores, totals FROM run_scores WHERE run_id = {query.bind(run_id)}"
        if (row := connection.execute(statement, query.values).fetchone()) is not None:
            columns_by_run[run_id] = RunColumns(
                np.frombuffer(row[0], dtype="<u4"),
                np.frombuffer(row[1], dtype="<u1"),
                np.frombuffer(row[2], dtype="<f8"),
                json.loads(row[3]),
            )
    return columns_by_run
