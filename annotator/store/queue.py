"""Lists and counts, read with the standard library alone: what must be on screen at once.

Lists never touch the wide tables; paging is by the subject's ``row`` (keyset), so any place costs the same.
"""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from annotator.model.rows import SORTS, QueueFilter, QueueRows, SubjectRow
from annotator.store.search_words import search_expression

if TYPE_CHECKING:
    from annotator.model.rows import Facets, QueuePage, SourceRow, StageCounts

COUNT_CAP = 10_000
SEARCH_SECONDS = 0.15
SHORT = 5_000
"""A list of up to so many subjects is read whole at once; of a longer one the first `FIRST` come first."""
FIRST = 256
_STEPS = 4000
_COLUMNS = (
    "s.row, s.id, s.key, s.title, s.task, s.language, s.domain, s.area, s.difficulty, s.verdict, "
    "s.prompt_id IS NOT NULL, s.criterion_id IS NOT NULL, s.views, s.proven"
)
_MISSING = {"prompt": "s.prompt_id IS NULL", "criterion": "s.criterion_id IS NULL", "proof": "s.proven = 0"}
# The same in the counts of subjects, where nothing is NULL.
_MISSING_COUNTED = {"prompt": "s.has_prompt = 0", "criterion": "s.has_criterion = 0", "proof": "s.proven = 0"}
_FACETS = ("language", "task", "domain", "area", "difficulty", "verdict")
_ORDERS = {name: f"s.{name}" for name in SORTS} | {
    "views": "s.views DESC NULLS LAST",
    "title": "s.title COLLATE NOCASE",
}
# A column with a plus before it is looked at, but no index of it is walked.
_NAMES = r"(?:language|task|domain|area|difficulty|verdict|holder_id)\b"
# A page's subjects times what a step of the walk costs, over what sorting one costs; a step stays within the index of
# these orders.
_WALK, _WALKS = 27, {"title": 9, "views": 9}
_ACTIVE = "s.active = 1"
_HITS = "SELECT rowid FROM subject_search WHERE subject_search MATCH ?"


def _where(wanted: QueueFilter, leave_out: str = "", *, counted: bool = False) -> tuple[str, list[object]]:
    """Return the conditions of a filter but its text, on subjects or (``counted``) on the counts of subjects."""
    clauses, values = ["s.subjects > 0" if counted else _ACTIVE], list[object]()
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
    for column, chosen, none in (("verdict", wanted.verdicts, "open"), ("holder_id", wanted.holders, "nobody")):
        if chosen and leave_out != column:
            named = [value for value in chosen if value != none]
            parts = [f"s.{column} IN ({', '.join('?' * len(named))})"] if named else []
            parts += [f"s.{column} = ''" if counted else f"s.{column} IS NULL"] if none in chosen else []
            clauses.append(f"({' OR '.join(parts)})")
            values.extend(named)
    clauses += [(_MISSING_COUNTED if counted else _MISSING)[missing] for missing in wanted.missing]
    return " AND ".join(clauses), values


def _where_text(wanted: QueueFilter) -> tuple[str, list[object]]:
    """Return the conditions of a whole filter on subjects."""
    where, values = _where(wanted)
    expression = search_expression(wanted.text)
    if expression:
        return f"{where} AND s.row IN ({_HITS})", [*values, expression]
    return f"{where} AND 1 = 0" if wanted.text.strip() else where, values


def condition(wanted: QueueFilter) -> tuple[str, list[object]]:
    """Return a filter as SQL on a subject ``s``, with its values."""
    return _where_text(wanted)


def _subject_row(record: tuple[Any, ...]) -> SubjectRow:
    values = (*record[:10], bool(record[10]), bool(record[11]), record[12], bool(record[13]))
    return SubjectRow(*values)


def ids(connection: sqlite3.Connection, wanted: QueueFilter, limit: int = -1) -> Sequence[int]:
    """Return the rows of all subjects a filter lets through (or the first ``limit``), in queue order."""
    if wanted == QueueFilter(sort="") and limit < 0:
        # All there is, in the order of import, is a range unless something was taken back.
        ends = "SELECT (SELECT min(row) FROM subject), (SELECT max(row) FROM subject)"
        first, last = connection.execute(ends).fetchone()
        if first is not None and total(connection, wanted) == last - first + 1:
            return range(first, last + 1)
    where, values = _where_text(wanted)
    some = limit >= 0 or _is_file(connection)
    order = f"{_ORDERS[wanted.sort]}, s.row" if wanted.sort in _ORDERS else "s.row"
    if limit >= 0 and _is_file(connection) and _is_walked(connection, wanted):
        where = re.sub(rf"\bs\.(?!{wanted.sort or 'row'}\b)(?={_NAMES})", "+s.", where)
    query = f"SELECT s.row FROM subject s WHERE {where} ORDER BY {order}{' LIMIT ?' if some else ''}"
    return tuple(record[0] for record in connection.execute(query, [*values, limit] if some else values))


def _is_walked(connection: sqlite3.Connection, wanted: QueueFilter) -> bool:
    """Tell whether the first of a queue are found sooner on a walk along its order than by sorting all, by the counts.

    Of N subjects with k wanted a walk for a page looks at N / k times the page's, sorting at k.
    """
    where, values = _where(wanted, counted=True)
    query = f"SELECT coalesce(sum(subjects) FILTER (WHERE {where}), 0), coalesce(sum(subjects), 0) FROM subject_count s"
    found, everything = connection.execute(query, values).fetchone()
    return bool(found * found > _WALKS.get(wanted.sort, _WALK) * everything)


def found(connection: sqlite3.Connection, wanted: QueueFilter) -> QueueRows:
    """Return the rows a window shows: of a search, the first `COUNT_CAP` hits found within `SEARCH_SECONDS`.

    Hits are taken in the order of import, then sorted as wanted.
    """
    expression = search_expression(wanted.text)
    if not expression:
        return QueueRows(ids(connection, wanted))
    where, values = _where(wanted)
    if where == _ACTIVE and _is_file(connection):
        query = (
            "SELECT f.rowid FROM subject_search f WHERE f.subject_search MATCH ? "
            "AND f.rowid NOT IN (SELECT row FROM subject WHERE active = 0)"
        )
    else:
        query = (
            "SELECT s.row FROM subject_search f CROSS JOIN subject s ON s.row = f.rowid "
            f"WHERE f.subject_search MATCH ? AND {where}"
        )
    query = f"{query} ORDER BY f.rowid LIMIT {COUNT_CAP + 1}"
    if _is_file(connection):
        rows, stopped = _in_time(connection, query, [expression, *values])
    else:
        rows, stopped = [record[0] for record in connection.execute(query, [expression, *values])], False
    shown = _sorted(connection, rows[:COUNT_CAP], wanted.sort)
    return QueueRows(shown, stopped or len(rows) > COUNT_CAP, unsearchable(connection))


def _in_time(connection: sqlite3.Connection, query: str, values: Sequence[object]) -> tuple[list[int], bool]:
    """Return the rows a file finds within `SEARCH_SECONDS`, and whether it was stopped."""
    rows: list[int] = []
    end = time.monotonic() + SEARCH_SECONDS
    connection.set_progress_handler(partial(_is_over, end), _STEPS)
    stopped = False
    try:
        for record in connection.execute(query, values):
            rows.append(record[0])
    except sqlite3.OperationalError as error:
        if error.sqlite_errorname != "SQLITE_INTERRUPT":
            raise
        stopped = True
    finally:
        connection.set_progress_handler(None, 0)
    return rows, stopped


def _is_file(connection: sqlite3.Connection) -> bool:
    """Tell a file's connection from a server's, which is asked in the same words."""
    return isinstance(connection, sqlite3.Connection)


def start(connection: sqlite3.Connection, wanted: QueueFilter) -> QueueRows | None:
    """Return the first rows of a long list, to be shown before the rest is read; None for a short list or a search."""
    if wanted.text.strip() or wanted == QueueFilter() or total(connection, wanted) <= SHORT:
        return None
    return QueueRows(ids(connection, wanted, FIRST), capped=True)


def _is_over(end: float) -> bool:
    return time.monotonic() > end


def _sorted(connection: sqlite3.Connection, rows: list[int], sort: str) -> tuple[int, ...]:
    if sort not in _ORDERS:
        return tuple(rows)
    if not _is_file(connection):
        query = f"SELECT s.row FROM subject s WHERE s.row = ANY(?) ORDER BY {_ORDERS[sort]}, s.row"
        return tuple(record[0] for record in connection.execute(query, [rows]))
    query = f"SELECT s.row FROM json_each(?) j CROSS JOIN subject s ON s.row = j.value ORDER BY {_ORDERS[sort]}, s.row"
    return tuple(record[0] for record in connection.execute(query, [json.dumps(rows)]))


def total(connection: sqlite3.Connection, wanted: QueueFilter) -> int:
    """Return how many subjects a filter without a text lets through."""
    where, values = _where(wanted, counted=True)
    return _one(connection, f"SELECT coalesce(sum(s.subjects), 0) FROM subject_count s WHERE {where}", values)


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
    from annotator.model.rows import QueuePage

    where, values = _where_text(wanted)
    records = connection.execute(
        f"SELECT {_COLUMNS} FROM subject s WHERE {where} AND s.row > ? ORDER BY s.row LIMIT ?",
        [*values, -1 if after is None else after, limit],
    )
    rows = tuple(_subject_row(record) for record in records)
    if not wanted.text.strip():
        return QueuePage(rows, total(connection, wanted))
    counted = _one(
        connection,
        f"SELECT count(*) FROM (SELECT 1 FROM subject s WHERE {where} LIMIT {COUNT_CAP + 1}) AS hits",
        values,
    )
    return QueuePage(rows, min(counted, COUNT_CAP), counted > COUNT_CAP, unsearchable(connection))


def facets(connection: sqlite3.Connection, wanted: QueueFilter) -> Facets:
    """Count the values of each filter among what the other filters let through, most first.

    Of a search the first `COUNT_CAP` hits are counted.
    """
    from annotator.model.rows import Facets

    expression, values = search_expression(wanted.text), list[object]()
    if wanted.text.strip() and not expression:
        return Facets(dict.fromkeys(_FACETS, ()))
    source, capped = "subject_count", False
    start = ""
    if wanted.text.strip():
        source = "hits"
        start = (
            "WITH hits AS MATERIALIZED (SELECT task, language, domain, area, difficulty, "
            "coalesce(verdict, '') AS verdict, coalesce(holder_id, '') AS holder_id, "
            "CASE WHEN prompt_id IS NULL THEN 0 ELSE 1 END AS has_prompt, "
            "CASE WHEN criterion_id IS NULL THEN 0 ELSE 1 END AS has_criterion, proven, "
            "count(*) AS subjects FROM subject "
            f"WHERE active = 1 AND row IN ({_HITS} ORDER BY rowid LIMIT {COUNT_CAP}) "
            "GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10) "
        )
        values.append(expression)
        query = f"SELECT count(*) FROM ({_HITS} LIMIT {COUNT_CAP + 1}) AS hits"
        capped = _one(connection, query, values) > COUNT_CAP
    parts = []
    for name in _FACETS:
        where, chosen = _where(wanted, leave_out=name, counted=True)
        parts.append(f"SELECT '{name}', s.{name}, sum(s.subjects) FROM {source} s WHERE {where} GROUP BY s.{name}")
        values += chosen
    counts: dict[str, list[tuple[str, int]]] = {name: [] for name in _FACETS}
    for name, value, count in connection.execute(start + " UNION ALL ".join(parts), values):
        shown = value or ("open" if name == "verdict" else "")
        if shown:
            counts[name].append((shown, int(count)))
    return Facets({name: tuple(sorted(found, key=_most_first)) for name, found in counts.items()}, capped)


def _most_first(counted: tuple[str, int]) -> tuple[int, str]:
    return -counted[1], counted[0]


def unsearchable(connection: sqlite3.Connection) -> int:
    """Return how many subjects search does not know yet, because its index is built behind a long import."""
    return _one(connection, "SELECT coalesce(sum(last_row - first_row + 1), 0) FROM search_gap", [])


def arriving(connection: sqlite3.Connection) -> list[str]:
    """Return the imports whose subjects are not all visible yet, as their acts' identifiers."""
    return [str(record[0]) for record in connection.execute("SELECT change_id FROM arrival").fetchall()]


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
        f"SELECT {listed}{', ' if names else ''}"
        "coalesce(sum(CASE WHEN s.verdict = 'accept' THEN s.subjects END), 0), "
        "coalesce(sum(CASE WHEN s.verdict IN ('', 'skip', 'flag') THEN s.subjects END), 0) "
        f"FROM subject_count s WHERE s.subjects > 0{' GROUP BY ' + listed if names else ''}"
    )
    return [(tuple(str(value) for value in record[:-2]), record[-2], record[-1]) for record in found]


def holder_counts(connection: sqlite3.Connection) -> list[tuple[str, tuple[int, int, int]]]:
    """Count (open, decided, skipped or flagged) candidates by whose turn they are; the last, "", are nobody's."""
    found = connection.execute(
        "SELECT a.name, "
        "coalesce(sum(CASE WHEN s.verdict = '' THEN s.subjects END), 0), "
        "coalesce(sum(CASE WHEN s.verdict IN ('accept', 'reject') THEN s.subjects END), 0), "
        "coalesce(sum(CASE WHEN s.verdict IN ('skip', 'flag') THEN s.subjects END), 0) "
        "FROM (SELECT id, name, created_at FROM annotator UNION ALL SELECT '', '', 'z') a "
        "LEFT JOIN subject_count s ON s.holder_id = a.id GROUP BY a.id, a.name, a.created_at "
        "ORDER BY a.created_at, a.id"
    )
    return [(str(record[0]), (record[1], record[2], record[3])) for record in found]


def stage_counts(connection: sqlite3.Connection) -> StageCounts:
    """Count what waits at each stage of the work."""
    from annotator.model.rows import StageCounts

    # Asked apart, as grouping all of them by stage takes twice as long, and only the accepted ones have stages.
    by_verdict = dict(
        connection.execute("SELECT verdict, sum(subjects) FROM subject_count WHERE subjects > 0 GROUP BY verdict")
    )
    accepted = connection.execute(
        "SELECT has_prompt = 0, has_criterion = 0, proven, sum(subjects) FROM subject_count "
        "WHERE verdict = 'accept' AND subjects > 0 GROUP BY 1, 2, 3"
    ).fetchall()
    return StageCounts(
        subjects=sum(by_verdict.values()),
        open=by_verdict.get("", 0),
        accepted=by_verdict.get("accept", 0),
        rejected=by_verdict.get("reject", 0),
        skipped=by_verdict.get("skip", 0),
        flagged=by_verdict.get("flag", 0),
        without_prompt=sum(n for no_prompt, _, _, n in accepted if no_prompt),
        without_criterion=sum(n for _, no_criterion, _, n in accepted if no_criterion),
        proven=sum(n for _, _, proven, n in accepted if proven),
        ready=sum(n for _, no_criterion, _, n in accepted if not no_criterion),
        releases=_one(connection, "SELECT count(*) FROM release"),
        runs=_one(connection, "SELECT count(*) FROM run"),
        running=_one(connection, "SELECT count(*) FROM run WHERE state = 'running'"),
        decisions=decisions(connection),
    )


def decisions(connection: sqlite3.Connection) -> int:
    """Count the decisions in force."""
    return _one(connection, "SELECT count(*) FROM decision WHERE active = 1")


def last_saved(connection: sqlite3.Connection) -> str | None:
    """Return when the last change was saved, None for a project nobody has changed."""
    record = connection.execute("SELECT created_at FROM change ORDER BY seq DESC LIMIT 1").fetchone()
    return None if record is None else str(record[0])


def acts_since(connection: sqlite3.Connection, moment: str) -> int:
    """Count the acts, undos and redos after a moment."""
    found = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM change WHERE created_at > ? LIMIT 10000) AS acts", (moment,)
    )
    return int(found.fetchone()[0])


def sources(connection: sqlite3.Connection) -> tuple[SourceRow, ...]:
    """Return what was read into the project, newest first."""
    from annotator.model.rows import SourceRow

    found = connection.execute(
        "SELECT o.id, o.kind, o.name, o.created_at, a.name, o.counts "
        "FROM source o JOIN annotator a ON a.id = o.annotator_id WHERE o.active = 1 ORDER BY o.created_at DESC"
    )
    return tuple(SourceRow(*values) for values in ((*record[:5], json.loads(record[5])) for record in found))


def _one(connection: sqlite3.Connection, query: str, values: Sequence[object] = ()) -> int:
    return int(connection.execute(query, values).fetchone()[0])
