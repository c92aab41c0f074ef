"""Check every cache against its sources: a subject's current work, counts, cached scores, the search index."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from sqlalchemy import Connection, and_, case, exists, or_, select, text
from sqlmodel import Session

from annotator.store.core_tables import (
    ARRIVAL,
    CHANGE,
    LABEL,
    ORIGIN,
    RUN_COUNTS,
    RUN_SCORES,
    SEARCH_GAP,
    SUBJECT,
    SUBJECT_COUNT,
    as_stored,
    find_table,
    is_file,
)
from annotator.store.history import undo_log
from annotator.store.queue import bulk_acts
from annotator.store.runs import run_views, stored_answers

_SEARCH_TABLES = """
CREATE VIRTUAL TABLE temp.expected USING fts5(
    title, key, prompt, content='', detail=none, tokenize="unicode61 tokenchars '_'"
);
CREATE VIRTUAL TABLE temp.expected_words USING fts5vocab(temp, expected, row);
CREATE VIRTUAL TABLE temp.indexed_words USING fts5vocab(main, subject_search, row);
"""
_COMPARISONS = (
    ("term, doc", "temp.expected_words", "temp.indexed_words"),
    ("term, doc", "temp.indexed_words", "temp.expected_words"),
    ("id, sz", "temp.expected_docsize", "main.subject_search_docsize"),
)
"""Columns whose rows in the first table must be in the second one too. ``sz`` has the number of words of each text."""
_FILL_EXPECTED = """
INSERT INTO temp.expected (rowid, title, key, prompt)
SELECT s.row, s.title, s.key, t.prompt FROM subject s JOIN subjecttext t ON t.subject_id = s.id
WHERE NOT EXISTS (SELECT 1 FROM search_gap g WHERE s.row BETWEEN g.first_row AND g.last_row)
"""


def refresh_lost_caches(connection: Connection) -> None:
    """Recompute every subject's current work after rows were lost."""
    undo_log.refresh_subjects(connection, connection.scalars(select(SUBJECT.c.id)).all())


def _check_current_work(connection: Connection) -> Iterator[str]:
    expected = {**undo_log.assign_current_work(), **undo_log.assign_proven()}
    for name, value in expected.items():
        differs = as_stored(SUBJECT.c[name]).is_distinct_from(value)
        for (key,) in connection.execute(select(SUBJECT.c.key).where(differs).order_by(SUBJECT.c.row)):
            yield f"subject {key}: its {name} is not that of its newest work"
    has_label = exists().where(LABEL.c.subject_id == SUBJECT.c.id)
    for name, value in undo_log.assign_current_labels().items():
        query = select(SUBJECT.c.key).where(has_label, SUBJECT.c[name].is_distinct_from(value)).order_by(SUBJECT.c.row)
        for (key,) in connection.execute(query):
            yield f"subject {key}: its {name} is not that of its newest label"


def _check_active_work(connection: Connection) -> Iterator[str]:
    """Compare ``active`` with the log: work with its act, and subjects with their imports."""
    for name in undo_log.UNDOABLE:
        if name == "subject":
            continue
        work = find_table(name)
        is_in_force = case(
            (CHANGE.c.id.in_(select(ARRIVAL.c.change_id)), as_stored(work.c.active)),
            else_=undo_log.is_change_in_force(CHANGE),
        )
        query = select(work.c.id).join_from(work, CHANGE, CHANGE.c.id == work.c.change_id)
        for (row_id,) in connection.execute(query.where(as_stored(work.c.active) != is_in_force)):
            yield f"{name} {row_id}: whether it is active does not match the history"
    is_arriving = exists().where(ARRIVAL.c.change_id == SUBJECT.c.change_id)
    has_own_act = exists().where(CHANGE.c.id == SUBJECT.c.change_id, undo_log.is_change_in_force(CHANGE) == 1)
    is_imported = exists().where(
        ORIGIN.c.subject_id == SUBJECT.c.id, CHANGE.c.id == ORIGIN.c.change_id, undo_log.is_change_in_force(CHANGE) == 1
    )
    has_origin = exists().where(ORIGIN.c.subject_id == SUBJECT.c.id)
    is_active = case((or_(and_(has_origin, is_imported), and_(~has_origin, has_own_act)), 1), else_=0)
    query = select(SUBJECT.c.key).where(~is_arriving, as_stored(SUBJECT.c.active) != is_active)
    for (key,) in connection.execute(query.order_by(SUBJECT.c.row)):
        yield f"subject {key}: whether it is part of the project does not match the history"


def _check_counts(connection: Connection) -> Iterator[str]:
    names = bulk_acts.COUNTED
    stored = {
        tuple(row[:-1]): row[-1]
        for row in connection.execute(
            select(*(as_stored(SUBJECT_COUNT.c[name]) for name in names), SUBJECT_COUNT.c.subjects)
        )
        if row[-1]
    }
    recomputed = {
        tuple(row[:-1]): row[-1]
        for row in connection.execute(bulk_acts.subject_count_query(SUBJECT, as_stored(SUBJECT.c.active) == 1))
    }
    if stored != recomputed:
        yield f"subject_count: {len(stored.items() ^ recomputed.items())} counts are not those of the subjects"


def _check_cached_scores(connection: Connection) -> Iterator[str]:
    with Session(connection) as db:
        for run_id, *stored in connection.execute(
            select(RUN_SCORES.c.run_id, RUN_SCORES.c.positions, RUN_SCORES.c.outcomes, RUN_SCORES.c.scores)
        ).all():
            recomputed = stored_answers.gather_columns(db, run_id)
            if [bytes(column) for column in stored] != [
                column.tobytes() for column in (recomputed.positions, recomputed.outcomes, recomputed.scores)
            ]:
                yield f"run {run_id}: its cached scores are not those of its answers"
        for run_id, content in connection.execute(select(RUN_COUNTS.c.run_id, RUN_COUNTS.c.content)).all():
            recomputed_counts = asdict(run_views.count_run(db, run_id))
            # Costs are sums of floats, which depend on the order of the rows.
            if {**content, "cost": 0.0} != {**recomputed_counts, "cost": 0.0} or abs(
                content["cost"] - recomputed_counts["cost"]
            ) > 1e-6:
                yield f"run {run_id}: its cached counts are not those of its answers"


def _check_search(connection: Connection) -> Iterator[str]:
    in_gap = exists().where(SUBJECT.c.row.between(SEARCH_GAP.c.first_row, SEARCH_GAP.c.last_row))
    index_table = "subject_search_docsize" if is_file(connection) else "subject_search"
    row_column = "id" if is_file(connection) else "rowid"
    indexed = set(connection.scalars(text(f"SELECT {row_column} FROM {index_table}")))
    expected = set(connection.scalars(select(SUBJECT.c.row).where(~in_gap)))
    if indexed != expected:
        yield f"search: {len(indexed ^ expected)} subjects are missing in the index, or only in the index"
    elif is_file(connection):
        yield from _check_index_words(connection)


def _check_index_words(connection: Connection) -> Iterator[str]:
    """Compare the words of the index with those of the texts, each with its number of subjects, and their lengths."""
    for statement in _SEARCH_TABLES.strip().removesuffix(";").split(";\n"):
        connection.exec_driver_sql(statement)
    try:
        connection.exec_driver_sql(_FILL_EXPECTED)
        has_difference = any(
            connection.exec_driver_sql(
                f"SELECT {columns} FROM {first_table} EXCEPT SELECT {columns} FROM {second_table}"
            ).first()
            for columns, first_table, second_table in _COMPARISONS
        )
    finally:
        for table in ("indexed_words", "expected_words", "expected"):
            connection.exec_driver_sql(f"DROP TABLE temp.{table}")
    if has_difference:
        yield "search: the words of its index are not those of the subjects"


RULES = (
    ("current work", _check_current_work),
    ("acts", _check_active_work),
    ("counts", _check_counts),
    ("cached scores", _check_cached_scores),
    ("search", _check_search),
)
