"""Lists and counts, read with the standard library alone: what must be on screen at once.

Lists never touch the wide tables; paging is by the subject's ``row`` (keyset), so any place costs the same.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Sequence
from typing import Any

from annotator.model.rows import SORTS, Facets, QueueFilter, QueuePage, SourceRow, StageCounts, SubjectRow

COUNT_CAP = 10_000
_COLUMNS = (
    "s.row, s.id, s.key, s.title, s.task, s.language, s.domain, s.area, s.difficulty, s.verdict, "
    "s.prompt_id IS NOT NULL, s.criterion_id IS NOT NULL, s.views, s.proven"
)
_MISSING = {"prompt": "s.prompt_id IS NULL", "criterion": "s.criterion_id IS NULL", "proof": "s.proven = 0"}
_FACETS = ("language", "task", "domain", "area", "difficulty", "verdict")
_ORDERS = {name: f"s.{name}" for name in SORTS} | {"views": "s.views DESC", "title": "s.title COLLATE NOCASE"}


def search_expression(text: str) -> str:
    """Return the full-text expression for what a person typed: every word must start some word of the subject."""
    words = re.findall(r"\w+", text, flags=re.UNICODE)
    return " ".join(f'"{word}"*' for word in words)


def _where(wanted: QueueFilter, leave_out: str = "") -> tuple[str, list[object]]:
    clauses, values = ["s.active = 1"], list[object]()
    for column, chosen in (
        ("language", wanted.languages),
        ("task", wanted.tasks),
        ("domain", wanted.domains),
        ("area", wanted.areas),
        ("difficulty", wanted.difficulties),
    ):
        if chosen and column != leave_out:
            clauses.append(f"s.{column} IN ({', '.join('?' * len(chosen))})")
            values.extend(chosen)
    if wanted.verdicts and leave_out != "verdict":
        named = [verdict for verdict in wanted.verdicts if verdict != "open"]
        parts = [f"s.verdict IN ({', '.join('?' * len(named))})"] if named else []
        parts += ["s.verdict IS NULL"] if "open" in wanted.verdicts else []
        clauses.append(f"({' OR '.join(parts)})")
        values.extend(named)
    for missing in wanted.missing:
        clauses.append(_MISSING[missing])
    expression = search_expression(wanted.text)
    if expression:
        clauses.append("s.row IN (SELECT rowid FROM subject_search WHERE subject_search MATCH ?)")
        values.append(expression)
    elif wanted.text.strip():
        clauses.append("0")
    return " AND ".join(clauses), values


def _subject_row(record: tuple[Any, ...]) -> SubjectRow:
    values = (*record[:10], bool(record[10]), bool(record[11]), record[12], bool(record[13]))
    return SubjectRow(*values)


def ids(connection: sqlite3.Connection, wanted: QueueFilter) -> tuple[int, ...]:
    """Return the rows of all subjects a filter lets through, in queue order."""
    where, values = _where(wanted)
    order = f"{_ORDERS[wanted.sort]}, s.row" if wanted.sort in _ORDERS else "s.row"
    found = connection.execute(f"SELECT s.row FROM subject s WHERE {where} ORDER BY {order}", values)
    return tuple(record[0] for record in found)


def rows_at(connection: sqlite3.Connection, rows: Sequence[int]) -> tuple[SubjectRow, ...]:
    """Return the subjects at some rows, in the order asked for; rows that are gone are left out."""
    found: dict[int, SubjectRow] = {}
    for start in range(0, len(rows), 500):
        part = rows[start : start + 500]
        marks = ", ".join("?" * len(part))
        for record in connection.execute(f"SELECT {_COLUMNS} FROM subject s WHERE s.row IN ({marks})", part):
            found[record[0]] = _subject_row(record)
    return tuple(found[row] for row in rows if row in found)


def page(connection: sqlite3.Connection, wanted: QueueFilter, after: int | None, limit: int) -> QueuePage:
    """Return up to ``limit`` subjects after the keyset position, and how many there are (capped)."""
    where, values = _where(wanted)
    records = connection.execute(
        f"SELECT {_COLUMNS} FROM subject s WHERE {where} AND s.row > ? ORDER BY s.row LIMIT ?",
        [*values, -1 if after is None else after, limit],
    )
    rows = tuple(_subject_row(record) for record in records)
    counted = connection.execute(
        f"SELECT count(*) FROM (SELECT 1 FROM subject s WHERE {where} LIMIT {COUNT_CAP + 1})", values
    ).fetchone()[0]
    return QueuePage(rows, min(counted, COUNT_CAP), counted > COUNT_CAP)


def facets(connection: sqlite3.Connection, wanted: QueueFilter) -> Facets:
    """Count the values of each filter among what the other filters let through, most first."""
    counts = {}
    for name in _FACETS:
        where, values = _where(wanted, leave_out=name)
        found = connection.execute(
            f"SELECT coalesce(s.{name}, 'open'), count(*) FROM subject s WHERE {where} GROUP BY 1 ORDER BY 2 DESC, 1",
            values,
        )
        counts[name] = tuple((str(value), int(count)) for value, count in found if value)
    return Facets(counts)


def project_setting(connection: sqlite3.Connection, key: str) -> Any:
    """Return one of the project's own settings, None if it was never set."""
    record = connection.execute("SELECT settings FROM project").fetchone()
    return json.loads(record[0]).get(key)


def quota_plan(connection: sqlite3.Connection) -> list[Any]:
    """Return the quotas in force as they are stored; none were set: an empty list."""
    record = connection.execute(
        "SELECT quotas FROM quotaplan WHERE active = 1 ORDER BY created_at DESC, id DESC LIMIT 1"
    ).fetchone()
    found = json.loads(record[0]) if record else []
    return found if isinstance(found, list) else []


def group_counts(connection: sqlite3.Connection, columns: Sequence[str]) -> list[tuple[tuple[str, ...], int, int]]:
    """Count accepted and open subjects of every combination of values: (values, accepted, open).

    ``columns`` are of area, language, task, domain and difficulty; open are the undecided, skipped and flagged ones.
    """
    names = [name for name in ("area", "language", "task", "domain", "difficulty") if name in columns]
    listed = ", ".join(f"s.{name}" for name in names)
    found = connection.execute(
        f"SELECT {listed}{', ' if names else ''}coalesce(sum(s.verdict = 'accept'), 0), "
        "coalesce(sum(s.verdict IS NULL OR s.verdict IN ('skip', 'flag')), 0) "
        f"FROM subject s WHERE s.active = 1{' GROUP BY ' + listed if names else ''}"
    )
    return [(tuple(str(value) for value in record[:-2]), record[-2], record[-1]) for record in found]


def stage_counts(connection: sqlite3.Connection) -> StageCounts:
    """Count what waits at each stage of the work."""
    by_stage = connection.execute(
        "SELECT verdict, prompt_id IS NULL, criterion_id IS NULL, proven, count(*) FROM subject "
        "WHERE active = 1 GROUP BY 1, 2, 3, 4"
    ).fetchall()

    def total(verdict: str | None) -> int:
        return sum(count for value, *_, count in by_stage if value == verdict)

    accepted = [counted[1:] for counted in by_stage if counted[0] == "accept"]
    return StageCounts(
        subjects=sum(count for *_, count in by_stage),
        open=total(None),
        accepted=total("accept"),
        rejected=total("reject"),
        skipped=total("skip"),
        flagged=total("flag"),
        without_prompt=sum(n for no_prompt, _, _, n in accepted if no_prompt),
        without_criterion=sum(n for _, no_criterion, _, n in accepted if no_criterion),
        proven=sum(n for _, _, proven, n in accepted if proven),
        ready=sum(n for _, no_criterion, _, n in accepted if not no_criterion),
        releases=_one(connection, "SELECT count(*) FROM release"),
        runs=_one(connection, "SELECT count(*) FROM run"),
        running=_one(connection, "SELECT count(*) FROM run WHERE state = 'running'"),
        decisions=_one(connection, "SELECT count(*) FROM decision WHERE active = 1"),
    )


def to_judge(connection: sqlite3.Connection, annotator_id: str) -> int:
    """Count the pairs that a rater has still to judge."""
    found = connection.execute(
        "SELECT count(*) FROM assignment a JOIN study s ON s.id = a.study_id AND s.active = 1 WHERE a.annotator_id = ? "
        "AND NOT EXISTS (SELECT 1 FROM judgement j WHERE j.pair_id = a.pair_id AND j.annotator_id = a.annotator_id "
        "AND j.serving = a.serving AND j.active = 1)",
        (annotator_id,),
    )
    return int(found.fetchone()[0])


def last_saved(connection: sqlite3.Connection) -> str | None:
    """Return when the last change was saved, None for a project nobody has changed."""
    record = connection.execute("SELECT created_at FROM change ORDER BY seq DESC LIMIT 1").fetchone()
    return None if record is None else str(record[0])


def acts_since(connection: sqlite3.Connection, moment: str) -> int:
    """Count the acts, undos and redos after a moment."""
    found = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM change WHERE created_at > ? LIMIT 10000)", (moment,)
    )
    return int(found.fetchone()[0])


def sources(connection: sqlite3.Connection) -> tuple[SourceRow, ...]:
    """Return what was read into the project, newest first."""
    found = connection.execute(
        "SELECT o.id, o.kind, o.name, o.created_at, a.name, o.counts "
        "FROM source o JOIN annotator a ON a.id = o.annotator_id WHERE o.active = 1 ORDER BY o.created_at DESC"
    )
    return tuple(SourceRow(*values) for values in ((*record[:5], json.loads(record[5])) for record in found))


def _one(connection: sqlite3.Connection, query: str) -> int:
    return int(connection.execute(query).fetchone()[0])
