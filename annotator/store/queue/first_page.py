"""Lists and counts for the first screen and for commands that list, read with only the standard library.

Lists never read the tables of long texts; paging is by the subject's ``row`` (keyset), so every page costs the same.
"""

from __future__ import annotations

import json
import os
import re
import socket
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from annotator.base.clock import now, parse_time
from annotator.base.records import record_from
from annotator.model.rows.gate_numbers import BUG_REVIEWERS, SETTING
from annotator.model.rows.project_rows import ReleaseRow, override_sentences
from annotator.model.rows.queue_rows import (
    SORTS,
    Facets,
    QueueFilter,
    QueuePage,
    QueueRows,
    RunRow,
    SourceRow,
    StageCounts,
    SubjectRow,
)
from annotator.model.vocabulary import ASPECTS, MARKS_APART
from annotator.store.file.connection import error_name

COUNT_CAP = 10_000
"""Maximum number of hits that a search lists and counts."""
SEARCH_SECONDS = 0.15
"""The time after which a search for the window stops."""
SHORT_LIST = 5_000
"""Maximum length of a list that is read at once; of a longer one, the first `FIRST_ROWS` subjects are read first."""
FIRST_ROWS = 256
_STEPS = 4000
"""Number of steps of SQLite's virtual machine between two looks at the clock."""
_MAX_SILENCE_S = 60.0
"""The age of a heartbeat from which the process that works on a run is taken for dead."""
_PLAIN_COLUMNS = (
    "row",
    "id",
    "key",
    "task",
    "language",
    "domain",
    "area",
    "difficulty",
    "verdict",
    "views",
    "proven",
)
_LONGEST_TITLE = 1_000
"""Maximum number of characters of a title in lists; a longer one ends with "…"."""
_COLUMNS = (
    ", ".join(f"s.{name} AS {name}" for name in _PLAIN_COLUMNS)
    + f", CASE WHEN length(s.title) <= {_LONGEST_TITLE} THEN s.title "
    + f"ELSE substr(s.title, 1, {_LONGEST_TITLE}) || '…' END AS title"
    + ", s.prompt_id IS NOT NULL AS has_prompt, s.criterion_id IS NOT NULL AS has_criterion"
)
_MISSING = {"prompt": "s.prompt_id IS NULL", "criterion": "s.criterion_id IS NULL", "proof": "s.proven = 0"}
# The same conditions on the counts of subjects, where no column is NULL.
_MISSING_COUNTED = {"prompt": "s.has_prompt = 0", "criterion": "s.has_criterion = 0", "proof": "s.proven = 0"}
_FACETS = ("language", "task", "domain", "area", "difficulty", "verdict")
# Number of subjects on a page, times the cost of a step along the index, over the cost of sorting one subject. Steps
# are cheaper in the orders whose own index covers the filter.
_WALK_FACTOR = 27
_COVERED_WALK_FACTORS = {"title": 9, "views": 9}


@dataclass(frozen=True, slots=True)
class _Dialect:
    """The parts of queries that differ between the two databases."""

    placeholder: str
    """A named placeholder for a value."""
    title: str
    """The expression for titles in case-insensitive order."""
    matches: str
    """The condition that a row of the search index matches an expression."""


_SQLITE = _Dialect(":{}", "s.title COLLATE NOCASE", "subject_search MATCH {}")
_POSTGRESQL = _Dialect("%({})s", "lower(s.title)", "words @@ search_query({})")


class Query:
    """The parts of one statement in the SQL of its database, and the values of its placeholders."""

    def __init__(self, dialect: _Dialect) -> None:
        self.dialect = dialect
        self.values: dict[str, object] = {}

    def bind(self, value: object) -> str:
        """Add a value and return its placeholder."""
        name = f"v{len(self.values)}"
        self.values[name] = value
        return self.dialect.placeholder.format(name)

    def one_of(self, column: str, values: Iterable[object]) -> str:
        """Return the condition that a column has one of some values."""
        return f"{column} IN ({', '.join([self.bind(value) for value in values])})"

    def order(self, sort: str) -> str:
        """Return the first expression of a queue's ORDER BY; the row follows."""
        if sort == "title":
            return self.dialect.title
        return "s.views DESC NULLS LAST" if sort == "views" else f"s.{sort}"

    def hits(self, expression: str) -> str:
        """Return the statement that selects the rows of a search."""
        return f"SELECT rowid FROM subject_search WHERE {self.dialect.matches.format(self.bind(expression))}"

    def conditions(
        self,
        queue_filter: QueueFilter,
        leave_out: str = "",
        *,
        on_counts: bool = False,
        walked_column: str | None = None,
    ) -> str:
        """Return the conditions of a filter without its text, on subjects or (``on_counts``) on the counts of subjects.

        If SQLite should walk along the index of ``walked_column``, a plus before the names of other columns keeps it
        from using their indexes.
        """
        clauses = ["s.subjects > 0" if on_counts else "s.active = 1"]
        for column, selected, none_word in (
            ("language", queue_filter.languages, None),
            ("task", queue_filter.tasks, None),
            ("domain", queue_filter.domains, None),
            ("area", queue_filter.areas, None),
            ("difficulty", queue_filter.difficulties, None),
            ("verdict", queue_filter.verdicts, "open"),
            ("holder_id", queue_filter.holders, "nobody"),
        ):
            if not selected or column == leave_out:
                continue
            name = f"+s.{column}" if walked_column is not None and column != walked_column else f"s.{column}"
            real_values = [value for value in selected if value != none_word]
            parts = [self.one_of(name, real_values)] if real_values else []
            if none_word in selected:
                parts.append(f"{name} = ''" if on_counts else f"{name} IS NULL")
            clauses.append(f"({' OR '.join(parts)})")
        clauses += [(_MISSING_COUNTED if on_counts else _MISSING)[missing] for missing in queue_filter.missing]
        return " AND ".join(clauses)

    def all_conditions(self, queue_filter: QueueFilter, *, walked_column: str | None = None) -> str:
        """Return the conditions of a whole filter on subjects."""
        where = self.conditions(queue_filter, walked_column=walked_column)
        expression = build_search_expression(queue_filter.text)
        if expression:
            return f"{where} AND s.row IN ({self.hits(expression)})"
        return f"{where} AND 1 = 0" if queue_filter.text.strip() else where


def start_query(connection: sqlite3.Connection) -> Query:
    """Return an empty query in the SQL of a connection's database."""
    return Query(_SQLITE if _is_file(connection) else _POSTGRESQL)


def build_filter_condition(queue_filter: QueueFilter, *, on_file: bool) -> tuple[str, dict[str, object]]:
    """Return a filter as SQL on a subject ``s``, with the values of its placeholders (``:name``)."""
    query = Query(_SQLITE if on_file else replace(_POSTGRESQL, placeholder=_SQLITE.placeholder))
    return query.all_conditions(queue_filter), query.values


def read_records(
    connection: sqlite3.Connection, statement: str, values: Mapping[str, object]
) -> Iterator[dict[str, Any]]:
    """Return the records of a query as dicts by column name."""
    cursor = connection.execute(statement, values)
    names = [column[0] for column in cursor.description]
    return (dict(zip(names, record, strict=True)) for record in cursor)


def _subject_row(record: dict[str, Any]) -> SubjectRow:
    booleans = {name: bool(record[name]) for name in ("has_prompt", "has_criterion", "proven")}
    return SubjectRow(**record | booleans)


def list_queue_rows(connection: sqlite3.Connection, queue_filter: QueueFilter, limit: int = -1) -> Sequence[int]:
    """Return the rows of all matching subjects (or the first ``limit``) in queue order."""
    if queue_filter == QueueFilter(sort="") and limit < 0:
        # Without a filter the rows in order of import are a range, unless an import was undone.
        ends = "SELECT (SELECT min(row) FROM subject), (SELECT max(row) FROM subject)"
        first, last = connection.execute(ends).fetchone()
        if first is not None and count_queue(connection, queue_filter) == last - first + 1:
            return range(first, last + 1)
    query = start_query(connection)
    # For SQLite a negative limit means none; PostgreSQL rejects it.
    is_limited = limit >= 0 or _is_file(connection)
    is_walked = limit >= 0 and _is_file(connection) and should_walk_index(connection, queue_filter)
    where = query.all_conditions(queue_filter, walked_column=(queue_filter.sort or "row") if is_walked else None)
    order = f"{query.order(queue_filter.sort)}, s.row" if queue_filter.sort in SORTS else "s.row"
    end = f" LIMIT {query.bind(limit)}" if is_limited else ""
    rows = connection.execute(f"SELECT s.row FROM subject s WHERE {where} ORDER BY {order}{end}", query.values)
    return tuple(record[0] for record in rows)


def should_walk_index(connection: sqlite3.Connection, queue_filter: QueueFilter) -> bool:
    """Return whether walking along the index of a queue's order finds its first page faster than sorting all matches.

    With k matches among N subjects, the walk reads N / k times the subjects of a page, and sorting reads k.
    """
    query = start_query(connection)
    where = query.conditions(queue_filter, on_counts=True)
    matches, all_subjects = connection.execute(
        f"SELECT coalesce(sum(subjects) FILTER (WHERE {where}), 0), coalesce(sum(subjects), 0) FROM subject_count s",
        query.values,
    ).fetchone()
    return bool(matches * matches > _COVERED_WALK_FACTORS.get(queue_filter.sort, _WALK_FACTOR) * all_subjects)


def load_queue_rows(connection: sqlite3.Connection, queue_filter: QueueFilter) -> QueueRows:
    """Return the rows that a window shows. A search is limited to `COUNT_CAP` hits and `SEARCH_SECONDS`.

    Hits are taken in the order of import, then sorted as requested.
    """
    expression = build_search_expression(queue_filter.text)
    if not expression:
        return QueueRows(list_queue_rows(connection, queue_filter))
    query = start_query(connection)
    matches = query.dialect.matches.format(query.bind(expression))
    where = query.conditions(queue_filter)
    is_stopped = False
    if not _is_file(connection):
        sql = f"SELECT s.row FROM subject_search f JOIN subject s ON s.row = f.rowid WHERE f.{matches} AND {where}"
    elif queue_filter == QueueFilter(text=queue_filter.text, sort=queue_filter.sort):
        sql = (
            f"SELECT f.rowid FROM subject_search f WHERE f.{matches} "
            "AND f.rowid NOT IN (SELECT row FROM subject WHERE active = 0)"
        )
    else:
        # CROSS JOIN makes the hits the outer loop: SQLite cannot estimate how few they are.
        sql = (
            f"SELECT s.row FROM subject_search f CROSS JOIN subject s ON s.row = f.rowid WHERE f.{matches} AND {where}"
        )
    # One hit more than the cap shows that there are more.
    sql = f"{sql} ORDER BY f.rowid LIMIT {COUNT_CAP + 1}"
    if _is_file(connection):
        rows, is_stopped = _fetch_in_time(connection, sql, query.values)
    else:
        rows = [record[0] for record in connection.execute(sql, query.values)]
    sorted_rows = _sort_rows(connection, rows[:COUNT_CAP], queue_filter.sort)
    return QueueRows(sorted_rows, is_stopped or len(rows) > COUNT_CAP, count_unsearchable(connection))


def _fetch_in_time(connection: sqlite3.Connection, query: str, values: dict[str, object]) -> tuple[list[int], bool]:
    """Return the rows that a file's query finds within `SEARCH_SECONDS`, and whether it was stopped."""
    rows: list[int] = []
    end = time.monotonic() + SEARCH_SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
    stopped = False
    try:
        for record in connection.execute(query, values):
            rows.append(record[0])
    except sqlite3.OperationalError as error:
        if error_name(error) != "SQLITE_INTERRUPT":
            raise
        stopped = True
    finally:
        connection.set_progress_handler(None, 0)
    return rows, stopped


def _is_file(connection: sqlite3.Connection) -> bool:
    """Return whether this is a connection to a file; one to a server is passed under the same type."""
    return isinstance(connection, sqlite3.Connection)


def read_newest_act_number(connection: sqlite3.Connection) -> int:
    """Return the number of the newest act in the undo log."""
    return _read_number(connection, "SELECT coalesce(max(seq), 0) FROM change", {})


def load_first_rows(connection: sqlite3.Connection, queue_filter: QueueFilter) -> QueueRows | None:
    """Return the first rows of a long list, to show before the rest is read; None for a short list or a search."""
    if (
        queue_filter.text.strip()
        or queue_filter == QueueFilter()
        or count_queue(connection, queue_filter) <= SHORT_LIST
    ):
        return None
    return QueueRows(list_queue_rows(connection, queue_filter, FIRST_ROWS), capped=True)


def _sort_rows(connection: sqlite3.Connection, rows: list[int], sort: str) -> tuple[int, ...]:
    if sort not in SORTS:
        return tuple(rows)
    query = start_query(connection)
    if _is_file(connection):
        source = f"json_each({query.bind(json.dumps(rows))}) j CROSS JOIN subject s ON s.row = j.value"
    else:
        source = f"subject s WHERE s.row = ANY({query.bind(rows)})"
    records = connection.execute(f"SELECT s.row FROM {source} ORDER BY {query.order(sort)}, s.row", query.values)
    return tuple(record[0] for record in records)


def count_queue(connection: sqlite3.Connection, queue_filter: QueueFilter) -> int:
    """Return the number of subjects that match a filter without a text."""
    query = start_query(connection)
    where = query.conditions(queue_filter, on_counts=True)
    return _read_number(
        connection, f"SELECT coalesce(sum(s.subjects), 0) FROM subject_count s WHERE {where}", query.values
    )


def load_subject_rows(connection: sqlite3.Connection, rows: Sequence[int]) -> tuple[SubjectRow, ...]:
    """Return the subjects at some rows, in the order of ``rows``; missing rows are left out."""
    by_row: dict[int, SubjectRow] = {}
    for start in range(0, len(rows), 500):
        query = start_query(connection)
        where = query.one_of("s.row", rows[start : start + 500])
        for record in read_records(connection, f"SELECT {_COLUMNS} FROM subject s WHERE {where}", query.values):
            by_row[record["row"]] = _subject_row(record)
    return tuple(by_row[row] for row in rows if row in by_row)


def load_queue_page(
    connection: sqlite3.Connection, queue_filter: QueueFilter, after: int | None, limit: int
) -> QueuePage:
    """Return up to ``limit`` subjects after the keyset position, and the number of all matches (capped)."""
    query = start_query(connection)
    where = f"{query.all_conditions(queue_filter)} AND s.row > {query.bind(-1 if after is None else after)}"
    statement = f"SELECT {_COLUMNS} FROM subject s WHERE {where} ORDER BY s.row LIMIT {query.bind(limit)}"
    records = read_records(connection, statement, query.values)
    rows = tuple(_subject_row(record) for record in records)
    if not queue_filter.text.strip():
        return QueuePage(rows, count_queue(connection, queue_filter))
    query = start_query(connection)
    hit_count = _read_number(
        connection,
        f"SELECT count(*) FROM (SELECT 1 FROM subject s WHERE {query.all_conditions(queue_filter)} "
        f"LIMIT {COUNT_CAP + 1}) AS hits",
        query.values,
    )
    return QueuePage(rows, min(hit_count, COUNT_CAP), hit_count > COUNT_CAP, count_unsearchable(connection))


def count_facets(connection: sqlite3.Connection, queue_filter: QueueFilter) -> Facets:
    """Count the values of each facet among the subjects that match the other facets, most frequent first.

    In a search, only the first `COUNT_CAP` hits are counted.
    """
    query = start_query(connection)
    expression = build_search_expression(queue_filter.text)
    if queue_filter.text.strip() and not expression:
        return Facets(dict.fromkeys(_FACETS, ()))
    source = "subject_count"
    with_clause = ""
    is_capped = False
    if queue_filter.text.strip():
        source = "hits"
        with_clause = (
            "WITH hits AS MATERIALIZED (SELECT task, language, domain, area, difficulty, "
            "coalesce(verdict, '') AS verdict, coalesce(holder_id, '') AS holder_id, "
            "CASE WHEN prompt_id IS NULL THEN 0 ELSE 1 END AS has_prompt, "
            "CASE WHEN criterion_id IS NULL THEN 0 ELSE 1 END AS has_criterion, proven, "
            "count(*) AS subjects FROM subject "
            f"WHERE active = 1 AND row IN ({query.hits(expression)} ORDER BY rowid LIMIT {COUNT_CAP}) "
            "GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10) "
        )
        hits = start_query(connection)
        count_query = f"SELECT count(*) FROM ({hits.hits(expression)} LIMIT {COUNT_CAP + 1}) AS hits"
        is_capped = _read_number(connection, count_query, hits.values) > COUNT_CAP
    parts = []
    for name in _FACETS:
        where = query.conditions(queue_filter, leave_out=name, on_counts=True)
        parts.append(f"SELECT '{name}', s.{name}, sum(s.subjects) FROM {source} s WHERE {where} GROUP BY s.{name}")
    counts: dict[str, list[tuple[str, int]]] = {name: [] for name in _FACETS}
    for name, value, count in connection.execute(with_clause + " UNION ALL ".join(parts), query.values):
        label = value or ("open" if name == "verdict" else "")
        if label:
            counts[name].append((label, int(count)))
    return Facets(
        {name: tuple(sorted(pairs, key=lambda pair: (-pair[1], pair[0]))) for name, pairs in counts.items()}, is_capped
    )


def count_unsearchable(connection: sqlite3.Connection) -> int:
    """Return the number of subjects that are not indexed for search yet, because a long import is indexed later."""
    return _read_number(connection, "SELECT coalesce(sum(last_row - first_row + 1), 0) FROM search_gap")


def list_arriving_changes(connection: sqlite3.Connection) -> list[str]:
    """Return the act ids of the imports whose subjects are not all visible yet."""
    return [str(record[0]) for record in connection.execute("SELECT change_id FROM arrival").fetchall()]


def read_project_setting(connection: sqlite3.Connection, key: str) -> Any:
    """Return one of the project's own settings, None if it was never set."""
    record = connection.execute("SELECT settings FROM project").fetchone()
    return json.loads(record[0]).get(key)


def quota_plan(connection: sqlite3.Connection) -> list[Any]:
    """Return the current quotas as stored; empty if none were set."""
    record = connection.execute(
        "SELECT quotas FROM quotaplan WHERE active = 1 ORDER BY created_at DESC, id DESC LIMIT 1"
    ).fetchone()
    quotas = json.loads(record[0]) if record else []
    return quotas if isinstance(quotas, list) else []


def count_by_group(connection: sqlite3.Connection, columns: Sequence[str]) -> list[tuple[tuple[str, ...], int, int]]:
    """Count accepted and open subjects of every combination of values: (values, accepted, open).

    ``columns`` are some of area, language, task, domain and difficulty; undecided, skipped and flagged count as open.
    """
    names = [name for name in ("area", "language", "task", "domain", "difficulty") if name in columns]
    column_list = ", ".join(f"s.{name}" for name in names)
    cursor = connection.execute(
        f"SELECT {column_list}{', ' if names else ''}"
        "coalesce(sum(CASE WHEN s.verdict = 'accept' THEN s.subjects END), 0), "
        "coalesce(sum(CASE WHEN s.verdict IN ('', 'skip', 'flag') THEN s.subjects END), 0) "
        f"FROM subject_count s WHERE s.subjects > 0{' GROUP BY ' + column_list if names else ''}"
    )
    return [(tuple(str(value) for value in record[:-2]), record[-2], record[-1]) for record in cursor]


def count_by_holder(connection: sqlite3.Connection) -> list[tuple[str, tuple[int, int, int]]]:
    """Count (open, decided, skipped or flagged) candidates by the person assigned to them; "" (nobody) is last."""
    cursor = connection.execute(
        "SELECT a.name, "
        "coalesce(sum(CASE WHEN s.verdict = '' THEN s.subjects END), 0), "
        "coalesce(sum(CASE WHEN s.verdict IN ('accept', 'reject') THEN s.subjects END), 0), "
        "coalesce(sum(CASE WHEN s.verdict IN ('skip', 'flag') THEN s.subjects END), 0) "
        "FROM (SELECT id, name, created_at FROM annotator UNION ALL SELECT '', '', 'z') a "
        "LEFT JOIN subject_count s ON s.holder_id = a.id GROUP BY a.id, a.name, a.created_at "
        "ORDER BY a.created_at, a.id"
    )
    return [(str(record[0]), (record[1], record[2], record[3])) for record in cursor]


def stage_counts(connection: sqlite3.Connection) -> StageCounts:
    """Count the subjects, releases and runs at each stage of the work."""
    # Two queries: grouping all subjects by stage takes twice as long, and only accepted ones have stages.
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
        without_prompt=sum(count for no_prompt, _, _, count in accepted if no_prompt),
        without_criterion=sum(count for _, no_criterion, _, count in accepted if no_criterion),
        proven=sum(count for _, _, proven, count in accepted if proven),
        ready=sum(count for _, no_criterion, _, count in accepted if not no_criterion),
        releases=_read_number(connection, "SELECT count(*) FROM release"),
        runs=_read_number(connection, "SELECT count(*) FROM run"),
        running=_read_number(connection, "SELECT count(*) FROM run WHERE state = 'running'"),
        decisions=count_decisions(connection),
    )


def count_decisions(connection: sqlite3.Connection) -> int:
    """Count the decisions in force."""
    return _read_number(connection, "SELECT count(*) FROM decision WHERE active = 1")


def last_saved(connection: sqlite3.Connection) -> str | None:
    """Return the time of the last change, None for an unchanged project."""
    record = connection.execute("SELECT created_at FROM change ORDER BY seq DESC LIMIT 1").fetchone()
    return None if record is None else str(record[0])


def count_acts_since(connection: sqlite3.Connection, moment: str) -> int:
    """Count the acts, undos and redos after a moment."""
    query = start_query(connection)
    newer_acts = f"SELECT 1 FROM change WHERE created_at > {query.bind(moment)} LIMIT 10000"
    return _read_number(connection, f"SELECT count(*) FROM ({newer_acts}) AS acts", query.values)


def fetch_source_rows(connection: sqlite3.Connection) -> tuple[SourceRow, ...]:
    """Return the imported sources, newest first."""
    statement = (
        "SELECT o.id AS id, o.kind AS kind, o.name AS name, o.created_at AS created_at, a.name AS annotator, "
        "o.counts AS counts "
        "FROM source o JOIN annotator a ON a.id = o.annotator_id WHERE o.active = 1 ORDER BY o.created_at DESC"
    )
    records = read_records(connection, statement, {})
    return tuple(SourceRow(**record | {"counts": json.loads(record["counts"])}) for record in records)


def fetch_release_rows(connection: sqlite3.Connection) -> tuple[ReleaseRow, ...]:
    """Return all releases, newest first."""
    columns = ", ".join(f"r.{name} AS {name}" for name in ("id", "version", "notes", "created_at", "item_count"))
    statement = (
        f"SELECT {columns}, r.content_hash AS content_hash, r.manifest AS overrides, a.name AS annotator "
        "FROM release r JOIN annotator a ON a.id = r.annotator_id ORDER BY r.created_at DESC"
    )
    rows = read_records(connection, statement, {})
    return tuple(ReleaseRow(**row | {"overrides": override_sentences(json.loads(row["overrides"]))}) for row in rows)


def fetch_counted_runs(connection: sqlite3.Connection) -> tuple[RunRow, ...] | None:
    """Return all runs, newest first; None if the counts of one are not cached."""
    statement = (
        "SELECT r.*, v.version, v.item_count, m.name AS model, c.content AS counts FROM run r "
        "JOIN release v ON v.id = r.release_id JOIN model_under_test m ON m.id = r.model_id "
        "LEFT JOIN run_counts c ON c.run_id = r.id ORDER BY r.created_at DESC"
    )
    records = list(read_records(connection, statement, {}))
    if any(record["counts"] is None for record in records):
        return None
    return tuple(map(_run_row, records))


def _run_row(record: dict[str, Any]) -> RunRow:
    counts = json.loads(record["counts"])
    settings = json.loads(record["settings"])
    return record_from(
        RunRow,
        record | counts,
        settings=settings,
        done=sum(counts["outcomes"].values()),
        expected=record["item_count"] * record["samples"],
        currency=(settings.get("price") or {}).get("currency", ""),
        live=is_live(record["owner"], record["beat_at"]),
    )


def is_live(owner: str, beat_at: str | None) -> bool:
    """Return whether an owner is alive: its heartbeat is recent and, on this host, its process exists."""
    if not owner or beat_at is None or (now() - parse_time(beat_at)).total_seconds() > _MAX_SILENCE_S:
        return False
    host, _, number = owner.rpartition(":")
    if host != socket.gethostname() or os.name != "posix" or not number.isdigit():
        # A process on another host cannot be looked up, so its heartbeat decides.
        return True
    try:
        os.kill(int(number), 0)  # signal 0 only checks that the process exists
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def count_to_review(connection: sqlite3.Connection, annotator_id: str) -> int:
    """Count the bugs that a reviewer has not judged and that are not yet accepted or rejected by agreeing reviewers."""
    query = start_query(connection)
    reviewers = BUG_REVIEWERS.read(read_project_setting(connection, SETTING))
    newest = (
        "(SELECT r.bug_id, r.annotator_id, r.verdict FROM bug_review r WHERE r.active = 1 AND NOT EXISTS "
        "(SELECT 1 FROM bug_review n WHERE n.bug_id = r.bug_id AND n.annotator_id = r.annotator_id AND n.active = 1 "
        "AND (n.created_at > r.created_at OR (n.created_at = r.created_at AND n.id > r.id))))"
    )
    tallies = (
        "SELECT bug_id, sum(CASE WHEN verdict = 'accept' THEN 1 ELSE 0 END) AS accepts, "
        "sum(CASE WHEN verdict = 'accept' THEN 0 ELSE 1 END) AS rejects, "
        f"sum(CASE WHEN annotator_id = {query.bind(annotator_id)} THEN 1 ELSE 0 END) AS mine FROM {newest} v "
        "GROUP BY bug_id"
    )
    return _read_number(
        connection,
        f"SELECT count(*) FROM bug b LEFT JOIN ({tallies}) s ON s.bug_id = b.id WHERE b.active = 1 "
        "AND NOT EXISTS (SELECT 1 FROM bug e WHERE e.replaces = b.id AND e.active = 1) AND coalesce(s.mine, 0) = 0 "
        f"AND NOT (coalesce(s.accepts, 0) >= {reviewers} AND s.accepts > s.rejects) "
        f"AND NOT (coalesce(s.rejects, 0) >= {reviewers} AND s.rejects > s.accepts)",
        query.values,
    )


def count_to_release(connection: sqlite3.Connection, proven: int) -> int:
    """Count the accepted, proven subjects that the newest release lacks or has in an outdated form.

    ``proven`` is the number of all accepted, proven subjects, which is the result before the first release.
    """
    newest = connection.execute(
        "SELECT id, created_at FROM release ORDER BY created_at DESC, id DESC LIMIT 1"
    ).fetchone()
    if newest is None or not proven:
        return proven
    query = start_query(connection)
    release, moment = query.bind(newest[0]), query.bind(newest[1])
    return _read_number(
        connection,
        "SELECT count(*) FROM subject s WHERE s.active = 1 AND s.verdict = 'accept' AND s.proven = 1 AND ("
        f"NOT EXISTS (SELECT 1 FROM releaseitem i WHERE i.release_id = {release} AND i.subject_id = s.id) "
        f"OR EXISTS (SELECT 1 FROM prompt p WHERE p.id = s.prompt_id AND p.created_at > {moment}) "
        f"OR EXISTS (SELECT 1 FROM criterion c WHERE c.id = s.criterion_id AND c.created_at > {moment}))",
        query.values,
    )


def count_to_settle(connection: sqlite3.Connection) -> int:
    """Count the unsettled disagreements between people, in decisions and in review marks."""
    if _read_number(connection, "SELECT count(*) FROM annotator") < 2:
        return 0
    unsettled = _unsettled_query("decision", "decision", "verdict", "min(o.said) <> max(o.said)", ("accept", "reject"))
    marks_differ = f"max(o.said) - min(o.said) >= {MARKS_APART}"
    parts = [unsettled, *(_unsettled_query("review", f"review:{aspect}", aspect, marks_differ) for aspect in ASPECTS)]
    return _read_number(connection, f"SELECT count(*) FROM ({' UNION ALL '.join(parts)}) AS matters")


def _unsettled_query(
    table: str, about: str, column: str, differ_condition: str, counted_words: Sequence[str] = ()
) -> str:
    """Return the query of subjects on which people's newest rows differ without a later settlement."""
    words = ", ".join(f"'{word}'" for word in counted_words)
    is_counted = f"w.{column} IN ({words})" if counted_words else f"w.{column} IS NOT NULL"
    seen_by_several = (
        f"SELECT subject_id FROM {table} WHERE active = 1 GROUP BY subject_id "
        "HAVING min(annotator_id) <> max(annotator_id)"
    )
    newest = (
        f"SELECT w.subject_id, w.{column} AS said, w.created_at FROM {table} w "
        f"JOIN subject s ON s.id = w.subject_id AND s.active = 1 WHERE w.active = 1 AND {is_counted} "
        f"AND w.subject_id IN ({seen_by_several}) AND NOT EXISTS (SELECT 1 FROM {table} n "
        "WHERE n.subject_id = w.subject_id AND n.annotator_id = w.annotator_id AND n.active = 1 "
        "AND (n.created_at > w.created_at OR (n.created_at = w.created_at AND n.id > w.id)))"
    )
    return (
        "SELECT d.subject_id FROM (SELECT o.subject_id, max(o.created_at) AS last_said "
        f"FROM ({newest}) o GROUP BY o.subject_id HAVING {differ_condition}) d "
        "WHERE NOT EXISTS (SELECT 1 FROM resolution r "
        f"WHERE r.subject_id = d.subject_id AND r.active = 1 AND r.about = '{about}' AND r.created_at >= d.last_said)"
    )


def _read_number(connection: sqlite3.Connection, query: str, values: dict[str, object] | None = None) -> int:
    return int(connection.execute(query, values or {}).fetchone()[0])


TOKENIZER = "unicode61 tokenchars '_'"
WORD = re.compile(r"\w+")
"""A word of a search, and of a server's index."""


def build_search_expression(text: str) -> str:
    """Return the full-text expression for typed text: each of its words must be a prefix of a word of the subject."""
    return " ".join(f'"{_indexed_part(word)}"*' for word in WORD.findall(text))


def _indexed_part(word: str) -> str:
    """Return a word, or its first part if SQLite's tokenizer splits it.

    A few characters are letters to Python but separators to SQLite, such as the vowels of New Tai Lue. The index has no
    positions, so adjacent parts cannot be searched as a phrase; the first part alone finds all matches, and more.
    """
    if word.isascii():
        return word
    tokens = _split_word(word)
    return tokens[0] if len(tokens) > 1 else word


@lru_cache(maxsize=1024)
def _split_word(word: str) -> tuple[str, ...]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f'CREATE VIRTUAL TABLE words USING fts5(word, tokenize="{TOKENIZER}")')
        connection.execute("CREATE VIRTUAL TABLE parts USING fts5vocab(words, 'instance')")
        connection.execute("INSERT INTO words VALUES (?)", (word,))
        return tuple(term for (term,) in connection.execute("SELECT term FROM parts ORDER BY offset"))
