"""Check that acts and their rows belong together, and that every identifier refers to a row."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import ColumnElement, Connection, and_, delete, exists, or_, select, union, update

from annotator.store.core_tables import CHANGE, ORIGIN, SUBJECT, find_table
from annotator.store.history import undo_log

REFERENCES: tuple[tuple[str, str, str, str], ...] = (
    ("change", "target_id", "change", "id"),
    ("proof", "prompt_id", "prompt", "id"),
    ("review", "proof_id", "proof", "id"),
    ("confirmation", "proof_id", "proof", "id"),
    ("bug", "replaces", "bug", "id"),
    ("comment", "reply_to", "comment", "id"),
    ("coveragenote", "exception_id", "coveragenote", "id"),
    ("run", "score_set_id", "score_set", "id"),
    ("response", "question_hash", "question", "content_hash"),
)
"""References without a foreign key, since a packet's rows may come in any order: (table, column, table, column)."""


_SHARED = ("subject_id", "study_id", "run_id", "model_id")
"""Columns with the topic of a row; a row and the row to which it refers have the same values."""


def _check_project(connection: Connection) -> Iterator[str]:
    project, annotator = find_table("project"), find_table("annotator")
    rows = connection.execute(select(project.c.name, project.c.settings)).all()
    if len(rows) != 1:
        yield f"project: there are {len(rows)} rows instead of one"
    people = set(connection.scalars(select(annotator.c.id)))
    for _, settings in rows:
        person = settings.get("annotator")
        if person is not None and person not in people:
            yield "project: its settings name a person who does not exist"


def _check_references(connection: Connection) -> Iterator[str]:
    for table, column, parent, key in REFERENCES:
        referring, referred = find_table(table).alias("o"), find_table(parent).alias("p")
        has_value = referring.c[column].is_not(None) & (referring.c[column] != "")
        query = (
            select(referring.c[column])
            .where(has_value, ~exists().where(referred.c[key] == referring.c[column]))
            .distinct()
        )
        for (value,) in connection.execute(query):
            yield f"{table}: {column} {value} names no {parent}"
    for (row_id,) in connection.execute(select(find_table("proof").c.id).where(_has_no_content())):
        yield f"proof {row_id}: no content has the hash that it proves"


def _check_topics(connection: Connection) -> Iterator[str]:
    """Yield a sentence for each row that refers to a row about another subject, study, run or model."""
    keys = (
        (table.name, key.parent.name, key.column.table.name, key.column.name)
        for table in SUBJECT.metadata.sorted_tables
        for key in table.foreign_keys
    )
    for table, column, parent, key in sorted((*keys, *REFERENCES)):
        referring, referred = find_table(table), find_table(parent)
        row_id = next(iter(referring.primary_key)).name
        for name in sorted({*_SHARED} & {*referring.columns.keys()} & {*referred.columns.keys()} - {column, key}):
            # Written as text, because compiling a statement for each pair of tables takes longer than running it.
            records = connection.exec_driver_sql(
                f'SELECT o."{row_id}" FROM "{table}" o JOIN "{parent}" p ON p."{key}" = o."{column}" '
                f'WHERE p."{name}" <> o."{name}"'
            )
            for (value,) in records:
                yield f"{table} {value}: its {name} is not that of its {parent}"
    run, score_set = find_table("run"), find_table("score_set")
    is_other = (score_set.c.id == run.c.score_set_id) & (score_set.c.run_id != run.c.id)
    for (run_id,) in connection.execute(select(run.c.id).where(exists().where(is_other))):
        yield f"run {run_id}: its scores are those of another run"


def _has_no_content() -> ColumnElement[bool]:
    proof, criterion, subject = find_table("proof"), find_table("criterion"), find_table("subject")
    has_criterion = exists().where(
        criterion.c.subject_id == proof.c.subject_id, criterion.c.content_hash == proof.c.content_hash
    )
    has_tests = exists().where(subject.c.id == proof.c.subject_id, subject.c.content_hash == proof.c.content_hash)
    return or_((proof.c.kind == "criterion") & ~has_criterion, (proof.c.kind == "tests") & ~has_tests)


def _check_acts(connection: Connection) -> Iterator[str]:
    step = CHANGE.alias("e")
    was_undone = exists().where(step.c.target_id == CHANGE.c.id, step.c.kind == "undo")
    is_step = CHANGE.c.kind != "do"
    is_inconsistent = or_(
        is_step & ((CHANGE.c.state != "event") | CHANGE.c.target_id.is_(None)),
        ~is_step & CHANGE.c.target_id.is_not(None),
        (CHANGE.c.state == "undone") & ~was_undone,
    )
    for (row_id,) in connection.execute(select(CHANGE.c.id).where(is_inconsistent)):
        yield f"change {row_id}: its state does not match the history"
    last_step = (
        select(step.c.kind).where(step.c.target_id == CHANGE.c.id).correlate(CHANGE)
        .order_by(step.c.created_at.desc(), step.c.id.desc()).limit(1).scalar_subquery()
    )  # fmt: skip
    is_in_force = undo_log.is_change_in_force(CHANGE)
    is_inconsistent = or_(
        (last_step == "undo") & (CHANGE.c.state == "done"), (last_step == "redo") & (is_in_force == 0)
    )
    for (row_id,) in connection.execute(select(CHANGE.c.id).where(is_inconsistent)):
        yield f"change {row_id}: its state does not match its last undo or redo"
    query = select(CHANGE.c.id, CHANGE.c.label).where(_has_no_rows())
    for row_id, label in connection.execute(query):
        yield f"change {row_id} ({label}): the rows that it wrote are missing"


def _has_no_rows() -> ColumnElement[bool]:
    """Return the condition that an undoable act has no rows."""
    changes_with_rows = union(
        *(select(find_table(name).c.change_id) for name in undo_log.UNDOABLE), select(ORIGIN.c.change_id)
    )
    return and_(CHANGE.c.kind == "do", CHANGE.c.state.in_(("done", "undone")), CHANGE.c.id.not_in(changes_with_rows))


def clear_lost_references(connection: Connection) -> list[str]:
    """Clear references to lost rows; returns a sentence for each kind of loss.

    Acts whose work is lost can no longer be undone, and proofs of lost content are deleted.
    """
    notes = []
    act_count = connection.execute(update(CHANGE).where(_has_no_rows()).values(state="event")).rowcount
    if act_count:
        notes.append(f"the work of {act_count} acts could not be read; the acts stay in the history")
    proof = find_table("proof")
    proof_count = connection.execute(delete(proof).where(_has_no_content())).rowcount
    if proof_count:
        notes.append(f"{proof_count} proofs of unreadable content were left out")
    for table, column, parent, key in REFERENCES:
        referring, referred = find_table(table), find_table(parent).alias("p")
        is_dangling = (referring.c[column] != "") & ~exists().where(referred.c[key] == referring.c[column])
        empty = None if referring.c[column].nullable else ""
        cleared_count = connection.execute(update(referring).where(is_dangling).values({column: empty})).rowcount
        if cleared_count:
            notes.append(f"{cleared_count} rows of {table} named a {parent} that could not be read")
    return notes


RULES = (
    ("project", _check_project),
    ("references", _check_references),
    ("rows about others", _check_topics),
    ("history", _check_acts),
)
