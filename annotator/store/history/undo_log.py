"""The undo log, with one stored sequence of acts per annotator, and the caches derived from it.

Expert work is append-only. Undoing an act marks its rows inactive and writes an event row; nothing is deleted.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Table,
    Update,
    and_,
    bindparam,
    case,
    delete,
    exists,
    func,
    literal,
    or_,
    select,
    union,
    update,
)
from sqlmodel import Session, col
from sqlmodel import select as select_rows
from sqlmodel.sql.expression import SelectOfScalar

from annotator.base.clock import time_text
from annotator.base.errors import BadInputError
from annotator.base.messages import Message, encode_message, message_from_document
from annotator.base.records import record_from
from annotator.model.changes import Changes
from annotator.model.rows.history_rows import ActRow
from annotator.model.tables.project_tables import Annotator, Change
from annotator.model.tables.table_columns import ExpertWork, SubjectWork
from annotator.model.vocabulary import ARTEFACTS, SKIP, ChangeKind, ChangeState
from annotator.store.core_tables import (
    ANNOTATOR,
    ARRIVAL,
    ASSIGNMENT,
    CHANGE,
    CRITERION,
    JUDGEMENT,
    LABEL,
    ORIGIN,
    PAIR,
    PROMPT,
    PROOF,
    RESOLUTION,
    REVISION,
    SEAL,
    STUDY,
    SUBJECT,
    UNBLINDING,
    VOTE,
    as_stored,
    chunks,
    find_table,
    is_chosen,
    newest_work,
)
from annotator.store.file.client_acts import BEGAN, OWN_ACTS
from annotator.store.queue import bulk_acts

SUBJECT_WORK = (
    "decision", "prompt", "criterion", "bug", "review", "vote", "comment", "label", "rewriting",
    "coveragenote", "suggestion_verdict", "revision", "confirmation", "resolution", "lock", "bug_review", "allotment",
)  # fmt: skip
UNDOABLE = (
    *SUBJECT_WORK, "subject", "source", "judgement", "error_label", "settlement", "setup", "published_table",
    "quotaplan", "study", "seal", "unblinding", "audit_answer",
)  # fmt: skip
OPEN = "open"
"""The verdict of a decision that reopens a subject."""
LABELS = ("difficulty", "question_type", "domain", "area", "licence")
"""The fields of a subject that people may change, in addition to its texts."""
_MIN_ID_LENGTH = 8
CACHED = ("decision", "prompt", "criterion", "allotment")
"""Tables whose newest active row is cached in the subject."""
Assignments = dict[str, ColumnElement[Any]]


def is_change_in_force(change: FromClause) -> ColumnElement[int]:
    """Return 1 if the work of a change is in force, else 0."""
    return case((change.c.state.in_(("done", "event")), 1), else_=0)


def record_change(db: Session, annotator_id: str, label: str, nouns: Iterable[str]) -> Change:
    """Add an entry to the log. Undone acts can then no longer be redone, unless a job writes the entry."""
    if BEGAN not in db.info:
        undone = update(CHANGE).where(CHANGE.c.state == ChangeState.UNDONE, CHANGE.c.annotator_id == annotator_id)
        db.connection().execute(undone.values(state=ChangeState.SUPERSEDED))
    change = Change(label=label, annotator_id=annotator_id, nouns=encode_nouns(nouns, label))
    db.add(change)
    db.flush()
    db.info.setdefault(OWN_ACTS, []).append(change.id)
    return change


def record_event(db: Session, annotator_id: str, label: str, nouns: Iterable[str]) -> Change:
    """Record an act that cannot be undone (a release, a run)."""
    stored_nouns = encode_nouns(nouns, label)
    change = Change(label=label, annotator_id=annotator_id, nouns=stored_nouns, state=ChangeState.EVENT)
    db.add(change)
    db.flush()
    return change


def write_work(db: Session, change: Change, *rows: ExpertWork) -> None:
    """Add rows of work to an entry of the log; they get its annotator and change, and are dated as the newest."""
    rows_by_table: dict[str, dict[str, list[SubjectWork]]] = {}
    for row in rows:
        row.annotator_id, row.change_id = change.annotator_id, change.id
        if isinstance(row, SubjectWork):
            rows_by_table.setdefault(str(row.__tablename__), {}).setdefault(row.subject_id, []).append(row)
    for name, by_subject in rows_by_table.items():
        _date_after_others(db.connection(), find_table(name), by_subject)
    db.add_all(rows)
    db.flush()


def _date_after_others(connection: Connection, work: Table, rows: Mapping[str, Sequence[SubjectWork]]) -> None:
    """Date rows of work, by subject, just after existing rows on their subjects that have later dates.

    The newest row counts, so an existing row from a machine whose clock is ahead must not be dated later.
    """
    earliest = min(row.created_at for subject_rows in rows.values() for row in subject_rows)
    for part_ids in chunks(rows):
        query = select(work.c.subject_id, func.max(work.c.created_at)).group_by(work.c.subject_id)
        is_later = and_(work.c.subject_id.in_(part_ids), work.c.created_at >= earliest)
        for subject, newest in connection.execute(query.where(is_later)):
            for row in rows[subject]:
                row.created_at = time_after(row.created_at, newest)


def time_after(moment: str, newest: str | None) -> str:
    """Return a moment, or the time just after ``newest`` if the moment is not later than that."""
    if newest is None or newest < moment:
        return moment
    try:
        # Other programs may write times in other formats, and the last one of all.
        return time_text(datetime.fromisoformat(newest) + timedelta(microseconds=1))
    except (OverflowError, ValueError):
        return moment


def write_act(
    db: Session,
    annotator_id: str,
    label: str,
    nouns: Iterable[str],
    rows: Iterable[ExpertWork],
    subject_ids: Iterable[str] = (),
) -> Changes:
    """Write rows of work as one act that can be undone; ``subject_ids`` are the changed subjects (none: any)."""
    noun_set = frozenset(nouns)
    change = record_change(db, annotator_id, label, noun_set)
    write_work(db, change, *rows)
    return Changes(noun_set, frozenset(subject_ids), label, change.id)


def make_sealed_final(connection: Connection) -> None:
    """Turn judgements and skips of sealed batches and unblinded studies, and these studies, into events.

    Events cannot be undone.
    """

    def has_ended(study: ColumnElement[Any], rater: ColumnElement[Any]) -> ColumnElement[bool]:
        is_sealed = exists().where(SEAL.c.study_id == study, SEAL.c.annotator_id == rater, SEAL.c.active)
        return or_(is_sealed, exists().where(UNBLINDING.c.study_id == study))

    sealed = (
        select(JUDGEMENT.c.change_id)
        .select_from(JUDGEMENT.join(PAIR, PAIR.c.id == JUDGEMENT.c.pair_id))
        .where(JUDGEMENT.c.active, has_ended(PAIR.c.study_id, JUDGEMENT.c.annotator_id))
    )
    is_skipped = RESOLUTION.c.about == literal(SKIP).concat(ASSIGNMENT.c.id)
    skipped = (
        select(RESOLUTION.c.change_id)
        .select_from(RESOLUTION.join(ASSIGNMENT, is_skipped))
        .where(RESOLUTION.c.active, has_ended(ASSIGNMENT.c.study_id, ASSIGNMENT.c.annotator_id))
    )
    ended = select(STUDY.c.change_id).where(
        exists().where(SEAL.c.study_id == STUDY.c.id, SEAL.c.active)
        | exists().where(UNBLINDING.c.study_id == STUDY.c.id)
    )
    revocable = update(CHANGE).where(
        CHANGE.c.state != ChangeState.EVENT, CHANGE.c.id.in_(union(sealed, skipped, ended))
    )
    connection.execute(revocable.values(state=ChangeState.EVENT))


def make_votes_final(connection: Connection) -> None:
    """Turn opened votes into events, which cannot be undone here or in any merged copy."""
    is_open = and_(RESOLUTION.c.subject_id == VOTE.c.subject_id, RESOLUTION.c.about == "panel", RESOLUTION.c.active)
    opened = select(VOTE.c.change_id).select_from(VOTE.join(RESOLUTION, is_open)).where(VOTE.c.active)
    revocable = update(CHANGE).where(CHANGE.c.state != ChangeState.EVENT, CHANGE.c.id.in_(opened))
    connection.execute(revocable.values(state=ChangeState.EVENT))


def refresh_origins(connection: Connection, subject_ids: Iterable[str]) -> None:
    """Keep subjects with several imports active while one import is, and take their change and source from it."""
    names = ("change_id", "source_id", "created_at")
    is_in_force = is_change_in_force(CHANGE)
    query = (
        select(ORIGIN.c.subject_id, *(ORIGIN.c[name] for name in names), is_in_force)
        .join_from(ORIGIN, CHANGE, CHANGE.c.id == ORIGIN.c.change_id)
        .order_by(is_in_force, ORIGIN.c.created_at.desc(), ORIGIN.c.change_id.desc())
    )
    for part in chunks(sorted(subject_ids)):
        # The rows are ordered so that a subject's best origin comes last and wins in the dict.
        origins = {row[0]: row[1:] for row in connection.execute(query.where(ORIGIN.c.subject_id.in_(part)))}
        if origins:
            connection.execute(
                update(SUBJECT).where(SUBJECT.c.id == bindparam("subject")),
                [
                    {"subject": subject, **dict(zip((*names, "active"), values, strict=True))}
                    for subject, values in origins.items()
                ],
            )


def find_last_begun(db: Session, annotator_id: str, begun: Mapping[str, int]) -> Change | None:
    """Return the act to undo: the annotator's act in force that began last.

    ``begun`` contains the log positions at which jobs began, by act id; other acts begin at their own position.
    """
    newest = find_next_act(db, annotator_id, ChangeKind.UNDO)
    if newest is None or newest.id not in begun:
        return newest
    newest_other = db.exec(_next_acts(annotator_id, ChangeKind.UNDO).where(col(Change.id).not_in(list(begun)))).first()
    return newest_other if newest_other is not None and (newest_other.seq or 0) > begun[newest.id] else newest


def find_next_act(db: Session, annotator_id: str, kind: ChangeKind) -> Change | None:
    """Return the act to undo (the annotator's last in force) or to redo (the last undone)."""
    return db.exec(_next_acts(annotator_id, kind)).first()


def _next_acts(annotator_id: str, kind: ChangeKind) -> SelectOfScalar[Change]:
    state, order = (
        (ChangeState.DONE, col(Change.seq).desc()) if kind == ChangeKind.UNDO else (ChangeState.UNDONE, col(Change.seq))
    )
    query = select_rows(Change).where(
        Change.annotator_id == annotator_id, Change.kind == ChangeKind.DO, Change.state == state
    )
    return query.order_by(order).limit(1)


def find_act(db: Session, act_id: str) -> Change:
    """Return an entry of the log by its id or a prefix. Raises `BadInputError` unless exactly one matches."""
    prefix = act_id.strip().lower()
    acts = db.exec(select_rows(Change).where(col(Change.id).startswith(prefix, autoescape=True)).limit(2)).all()
    if len(prefix) < _MIN_ID_LENGTH or not acts:
        raise BadInputError(f"There is no change {act_id} in the history. annotator history list shows their ids.")
    if len(acts) > 1:
        raise BadInputError(f"Several changes have ids that start with {act_id}. Give more characters.")
    return acts[0]


def apply_change(db: Session, change: Change, kind: ChangeKind) -> Changes:
    """Undo or redo an act; returns the resulting changes."""
    with bulk_acts.enlarge_cache(db.connection()):
        return _apply_change(db, change, kind)


def _apply_change(db: Session, change: Change, kind: ChangeKind) -> Changes:
    is_redo = kind == ChangeKind.REDO
    connection = db.connection()
    changed_tables, count = bulk_acts.choose_touched(connection, change.id, (*SUBJECT_WORK, "subject"))
    subject_ids = bulk_acts.chosen_ids(connection)
    origins = connection.scalars(select(ORIGIN.c.subject_id).where(ORIGIN.c.change_id == change.id)).all()
    change.state = ChangeState.DONE if is_redo else ChangeState.UNDONE
    db.add(change)
    original_label = label_of(change)
    label = (
        Message("Redo: {label}", label=original_label) if is_redo else Message("Undo: {label}", label=original_label)
    )
    nouns = frozenset(noun for noun in change.nouns if not _is_label(noun))
    event = Change(
        kind=kind,
        state=ChangeState.EVENT,
        target_id=change.id,
        annotator_id=change.annotator_id,
        label=label,
        nouns=encode_nouns(nouns, label),
    )
    db.add(event)
    db.flush()
    # Subjects of an import that are still invisible become visible with this redo, or stay so with the undo.
    connection.execute(delete(ARRIVAL).where(ARRIVAL.c.change_id == change.id))
    with bulk_acts.recount_chosen(connection, count):
        for table in UNDOABLE:
            work = find_table(table)
            connection.execute(update(work).where(work.c.change_id == change.id).values(active=is_redo))
        refresh_chosen(connection, changed_tables)
    if origins:
        refresh_origins(connection, origins)
    return Changes(nouns | {"subject"}, subject_ids, label, change.id)


def assign_current_work(tables: Collection[str] = CACHED, subject: FromClause = SUBJECT) -> Assignments:
    """Return the assignments that refresh a subject's cached work of some tables; empty if none is cached.

    Restoring a state before the first decision or text writes "open" or an empty text, which are cached as NULL.
    """
    decision, prompt, criterion, allotment = (find_table(name).alias("w") for name in CACHED)
    cached = {
        "decision": ("verdict", decision, func.nullif(decision.c.verdict, OPEN)),
        "prompt": ("prompt_id", prompt, case((prompt.c.text != "", prompt.c.id))),
        "criterion": ("criterion_id", criterion, case((criterion.c.source != "", criterion.c.id))),
        "allotment": ("holder_id", allotment, allotment.c.person_id),
    }
    requested = (cached[table] for table in CACHED if table in tables)
    return {
        column: newest_work(work, value, work.c.subject_id == subject.c.id, subject)
        for column, work, value in requested
    }


def assign_proven(subject: FromClause = SUBJECT) -> Assignments:
    """Return the assignment of a subject's ``proven`` column; it reads columns that `assign_current_work` sets."""
    proof = PROOF.alias("p")
    newest = (
        select(case((proof.c.outcome == "pass", 1), else_=0))
        .where(proof_holds(proof, subject))
        .order_by(proof.c.created_at.desc(), proof.c.id.desc())
        .limit(1)
    )
    return {"proven": func.coalesce(newest.correlate(subject).scalar_subquery(), 0)}


def proof_holds(proof: FromClause, subject: FromClause = SUBJECT) -> ColumnElement[bool]:
    """Return the condition that a proof applies to a subject's current prompt, criterion, reference and tests.

    Without a criterion, the proof is that of the subject's own tests, which are part of its content. A proof stores the
    edits of reference and tests with which it was made (`current_edits`). Older programs did not store them: such a
    proof applies if there was no later edit and no earlier edit was undone.
    """
    criterion, edit = CRITERION.alias("c"), REVISION.alias("e")
    criterion_hash = select(criterion.c.content_hash).where(criterion.c.id == subject.c.criterion_id)
    digest = func.coalesce(criterion_hash.correlate(subject).scalar_subquery(), subject.c.content_hash)
    edited_since = exists().where(
        edit.c.subject_id == subject.c.id,
        or_(
            and_(edit.c.active, edit.c.created_at > proof.c.created_at),
            and_(~edit.c.active, edit.c.created_at <= proof.c.created_at),
        ),
    )
    return and_(
        proof.c.subject_id == subject.c.id,
        func.coalesce(proof.c.prompt_id, "") == func.coalesce(subject.c.prompt_id, ""),
        proof.c.content_hash == digest,
        or_(
            proof.c.edits == current_edits(subject),
            and_(proof.c.edits.is_(None), ~edited_since.correlate(subject, proof)),
        ),
    )


def current_edits(subject: FromClause = SUBJECT) -> ColumnElement[str]:
    """Return the hashes of the current edits of a subject's reference and tests, as one text."""
    newest = (_newest_edit(subject, artefact) for artefact in ARTEFACTS)
    solution, tests = (func.coalesce(digest, "") for digest in newest)
    return solution + literal(":") + tests


def _newest_edit(subject: FromClause, artefact: str) -> ColumnElement[Any]:
    edit = REVISION.alias("r")
    is_about = and_(edit.c.subject_id == subject.c.id, edit.c.artefact == artefact)
    return newest_work(edit, edit.c.content_hash, is_about, subject)


def assign_current_labels(subject: FromClause = SUBJECT, every_label: FromClause | None = None) -> Assignments:
    """Return the assignments that give a subject its newest active label, or the value before its first label.

    The first label is read from ``every_label``, by default the table of labels.
    """
    label, first = LABEL.alias("w"), (LABEL if every_label is None else every_label).alias("f")
    assignments: Assignments = {}
    for name in LABELS:
        original = (
            select(first.c.before)
            .where(first.c.subject_id == subject.c.id, first.c.name == name)
            .order_by(first.c.created_at, first.c.id)
            .limit(1)
        )
        is_about = and_(label.c.subject_id == subject.c.id, label.c.name == name)
        assignments[name] = func.coalesce(
            newest_work(label, label.c.value, is_about, subject),
            original.correlate(subject).scalar_subquery(),
            subject.c[name],
        )
    return assignments


def _list_subjects(connection: Connection, change_id: str) -> list[str]:
    works = [find_table(table) for table in SUBJECT_WORK]
    queries = [select(work.c.subject_id).where(work.c.change_id == change_id) for work in works]
    imported = select(SUBJECT.c.id).where(SUBJECT.c.change_id == change_id)
    return list(connection.scalars(union(*queries, imported)))


def load_act_facts(connection: Connection, change_id: str) -> dict[str, tuple[str, str, dict[str, str]]]:
    """Return id -> (key, title, current work for display) of a change's subjects."""
    return load_subject_facts(connection, _list_subjects(connection, change_id))


def load_subject_facts(
    connection: Connection, subject_ids: Sequence[str]
) -> dict[str, tuple[str, str, dict[str, str]]]:
    """Return id -> (key, title, current work for display) of some subjects."""
    facts = {}
    names = ("in the project", "verdict", "paraphrase", "criterion", *LABELS)
    prompt, criterion = PROMPT.alias("p"), CRITERION.alias("c")
    query = select(
        SUBJECT.c.id,
        SUBJECT.c.key,
        SUBJECT.c.title,
        case((as_stored(SUBJECT.c.active) == 1, "yes"), else_="no"),
        func.coalesce(SUBJECT.c.verdict, "open"),
        func.coalesce(prompt.c.text, ""),
        func.coalesce(criterion.c.source, ""),
        *(SUBJECT.c[name] for name in LABELS),
    ).select_from(
        SUBJECT.outerjoin(prompt, prompt.c.id == SUBJECT.c.prompt_id).outerjoin(
            criterion, criterion.c.id == SUBJECT.c.criterion_id
        )
    )
    for part in chunks(subject_ids):
        for record in connection.execute(query.where(SUBJECT.c.id.in_(part))):
            facts[record[0]] = (record[1], record[2], dict(zip(names, record[3:], strict=True)))
    return facts


def refresh_subjects(connection: Connection, subject_ids: Iterable[str]) -> None:
    """Refresh the cached work of some subjects from their active rows."""
    with bulk_acts.recount_chosen(connection, bulk_acts.choose_ids(connection, subject_ids)):
        refresh_chosen(connection, (*CACHED, "label", "proof"))


def refresh_chosen(connection: Connection, tables: Collection[str]) -> None:
    """Refresh the chosen subjects' cached work of some tables from the active rows."""
    for statement in _refresh_statements(frozenset(tables)):
        connection.execute(statement)


@cache
def _refresh_statements(tables: frozenset[str]) -> tuple[Update, ...]:
    """Return the statements of `refresh_chosen`. Cached, since building them takes longer than running them."""
    update_chosen = update(SUBJECT).where(is_chosen(SUBJECT.c.row))
    statements = []
    work = assign_current_work(tables)
    if work:
        statements.append(update_chosen.values(work))
    if {"prompt", "criterion", "proof", "revision", "subject"} & tables:
        statements.append(update_chosen.values(assign_proven()))
    if "label" in tables:
        labelled = exists().where(LABEL.c.subject_id == SUBJECT.c.id)
        statements.append(update_chosen.where(labelled).values(assign_current_labels()))
    return tuple(statements)


def find_last_with_label(db: Session, label: str) -> tuple[str, str]:
    """Return the person and the time of the newest act with a label, empty texts if there is none."""
    query = select_rows(Annotator.name, Change.created_at).join(Change, col(Change.annotator_id) == Annotator.id)
    row = db.exec(query.where(Change.label == label).order_by(col(Change.seq).desc()).limit(1)).first()
    return (row[0], row[1]) if row else ("", "")


def load_history_page(
    db: Session, annotator_id: str, text: str, limit: int, before: int | None = None
) -> tuple[list[ActRow], int]:
    """Return up to ``limit`` acts before log position ``before``, newest first, and the number of all matches.

    Every word of ``text`` must be in the label, the person's name or the date.
    """
    searched_text = func.lower(CHANGE.c.label + " " + ANNOTATOR.c.name + " " + CHANGE.c.created_at)
    # Undo and redo show in the state of their target; separate rows for them would crowd out the acts.
    conditions = [
        CHANGE.c.kind == ChangeKind.DO,
        *(searched_text.contains(word, autoescape=True) for word in text.casefold().split()),
    ]
    query = (
        select(CHANGE, ANNOTATOR.c.name)
        .join_from(CHANGE, ANNOTATOR, ANNOTATOR.c.id == CHANGE.c.annotator_id)
        .where(*conditions)
    )
    total = db.connection().scalar(select(func.count()).select_from(query.subquery()))
    page_query = query if before is None else query.where(CHANGE.c.seq < before)
    rows = db.connection().execute(page_query.order_by(CHANGE.c.seq.desc()).limit(limit)).all()
    counts = count_act_items(db.connection(), [row.id for row in rows])
    return [
        record_from(
            ActRow,
            row,
            label=label_from(row.label, row.nouns),
            annotator=row.name,
            items=counts.get(row.id, 0),
            mine=row.annotator_id == annotator_id,
        )
        for row in rows
    ], int(total or 0)


def count_act_items(connection: Connection, change_ids: Sequence[str]) -> dict[str, int]:
    """Return the number of rows that each act wrote; for an import, the number of its subjects."""
    counts: dict[str, int] = {}
    imported: dict[str, int] = {}
    for part in chunks(change_ids):
        for table in UNDOABLE:
            work = find_table(table)
            query = select(work.c.change_id, func.count()).where(work.c.change_id.in_(part)).group_by(work.c.change_id)
            for change_id, count in connection.execute(query):
                if table == "subject":
                    imported[change_id] = count
                elif table != "source":
                    counts[change_id] = counts.get(change_id, 0) + count
    return {**counts, **imported}


def encode_nouns(nouns: Iterable[str], label: str) -> list[str]:
    """Return the stored nouns of an act: its nouns, and its label if that is a message."""
    encoded = encode_message(label)
    return [*sorted(nouns), *([encoded] if encoded else [])]


def label_of(change: Change) -> str:
    """Return the label of an entry of the log, as a message if it was stored as one."""
    return label_from(change.label, change.nouns)


def label_from(text: str, nouns: Iterable[str]) -> str:
    """Return a label from its English text and its stored nouns."""
    for noun in nouns:
        if _is_label(noun):
            try:
                return message_from_document(text, json.loads(noun))
            except ValueError:
                return text
    return text


def _is_label(noun: str) -> bool:
    return noun.startswith("{")
