"""The undo log: durable, one line of acts per annotator, and the caches that follow from it.

Expert work is append-only. Undoing an act marks its rows inactive and writes an event row; nothing is deleted.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Update,
    and_,
    bindparam,
    case,
    delete,
    exists,
    func,
    or_,
    select,
    union,
    update,
)
from sqlmodel import Session, col
from sqlmodel import select as select_rows
from sqlmodel.sql.expression import SelectOfScalar

from annotator.base.errors import BadInputError
from annotator.base.messages import Message, encode, from_document
from annotator.model.changes import Changes
from annotator.model.rows.history import ActRow
from annotator.model.tables.columns import ExpertWork
from annotator.model.tables.project import Annotator, Change
from annotator.model.vocabulary import ChangeKind, ChangeState
from annotator.store.file.acts_of_others import OWN_ACTS
from annotator.store.file.job_acts import BEGAN
from annotator.store.queue import bulk_acts
from annotator.store.tables import (
    ANNOTATOR,
    ARRIVAL,
    CHANGE,
    CRITERION,
    JUDGEMENT,
    LABEL,
    ORIGIN,
    PAIR,
    PROMPT,
    PROOF,
    RESOLUTION,
    SEAL,
    STUDY,
    SUBJECT,
    UNBLINDING,
    VOTE,
    as_stored,
    chunks,
    is_chosen,
    named,
)

SUBJECT_WORK = (
    "decision", "prompt", "criterion", "bug", "review", "vote", "comment", "label", "rewriting",
    "coveragenote", "suggestion_verdict", "revision", "confirmation", "resolution", "lock", "bug_review", "allotment",
)  # fmt: skip
UNDOABLE = (
    *SUBJECT_WORK, "subject", "source", "judgement", "error_label", "settlement", "setup", "published_table",
    "quotaplan", "study", "seal", "unblinding", "audit_answer",
)  # fmt: skip
OPEN = "open"
"""The verdict of a decision that lets a subject wait for a decision again."""
LABELS = ("difficulty", "question_type", "domain", "area", "licence")
"""What people may change of a subject beside its texts."""
_SHORTEST_ID = 8
_COUNTED = {"decision": "verdict", "allotment": "holder_id"}
CACHED = ("decision", "prompt", "criterion", "allotment")
"""Work whose newest standing row a subject caches."""
Assignments = dict[str, ColumnElement[Any]]


def stands(change: FromClause) -> ColumnElement[int]:
    """Return whether the work of a change stands, as 1 or 0."""
    return case((change.c.state.in_(("done", "event")), 1), else_=0)


def record(db: Session, annotator_id: str, label: str, nouns: Iterable[str]) -> Change:
    """Open an entry in the log; what was undone before can then no longer be redone, unless a job writes this."""
    if BEGAN not in db.info:
        undone = update(CHANGE).where(CHANGE.c.state == ChangeState.UNDONE, CHANGE.c.annotator_id == annotator_id)
        db.connection().execute(undone.values(state=ChangeState.SUPERSEDED))
    change = Change(label=label, annotator_id=annotator_id, nouns=encode_nouns(nouns, label))
    db.add(change)
    db.flush()
    db.info.setdefault(OWN_ACTS, []).append(change.id)
    return change


def record_event(db: Session, annotator_id: str, label: str, nouns: Iterable[str]) -> Change:
    """Note an act that cannot be undone (a release, a run) in the history."""
    kept = encode_nouns(nouns, label)
    change = Change(label=label, annotator_id=annotator_id, nouns=kept, state=ChangeState.EVENT)
    db.add(change)
    db.flush()
    return change


def write(db: Session, change: Change, *rows: ExpertWork) -> None:
    """Add rows of work under an entry of the log that is open: they are of its annotator and its act."""
    for row in rows:
        row.annotator_id, row.change_id = change.annotator_id, change.id
    db.add_all(rows)
    db.flush()


def fix_sealed(connection: Connection) -> None:
    """Make the judgements of sealed batches and unblinded studies, and these studies, events: undo passes over them."""
    is_sealed = exists().where(
        SEAL.c.study_id == PAIR.c.study_id, SEAL.c.annotator_id == JUDGEMENT.c.annotator_id, SEAL.c.active
    )
    is_unblinded = exists().where(UNBLINDING.c.study_id == PAIR.c.study_id)
    sealed = (
        select(JUDGEMENT.c.change_id)
        .select_from(JUDGEMENT.join(PAIR, PAIR.c.id == JUDGEMENT.c.pair_id))
        .where(JUDGEMENT.c.active, or_(is_sealed, is_unblinded))
    )
    ended = select(STUDY.c.change_id).where(
        exists().where(SEAL.c.study_id == STUDY.c.id, SEAL.c.active)
        | exists().where(UNBLINDING.c.study_id == STUDY.c.id)
    )
    open_ones = update(CHANGE).where(CHANGE.c.state != ChangeState.EVENT, CHANGE.c.id.in_(union(sealed, ended)))
    connection.execute(open_ones.values(state=ChangeState.EVENT))


def fix_votes(connection: Connection) -> None:
    """Make votes that are open events: undo passes over them, here and in every merged copy."""
    is_open = and_(RESOLUTION.c.subject_id == VOTE.c.subject_id, RESOLUTION.c.about == "panel", RESOLUTION.c.active)
    final = select(VOTE.c.change_id).select_from(VOTE.join(RESOLUTION, is_open)).where(VOTE.c.active)
    open_ones = update(CHANGE).where(CHANGE.c.state != ChangeState.EVENT, CHANGE.c.id.in_(final))
    connection.execute(open_ones.values(state=ChangeState.EVENT))


def refresh_origins(connection: Connection, subject_ids: Iterable[str]) -> None:
    """Let subjects that several imports brought live while one of those stands; it names their change and source."""
    names = ("change_id", "source_id", "created_at")
    standing = stands(CHANGE)
    query = (
        select(ORIGIN.c.subject_id, *(ORIGIN.c[name] for name in names), standing)
        .join_from(ORIGIN, CHANGE, CHANGE.c.id == ORIGIN.c.change_id)
        .order_by(standing, ORIGIN.c.created_at.desc(), ORIGIN.c.change_id.desc())
    )
    for part in chunks(sorted(subject_ids)):
        # The best of a subject comes last.
        found = {row[0]: row[1:] for row in connection.execute(query.where(ORIGIN.c.subject_id.in_(part)))}
        if found:
            connection.execute(
                update(SUBJECT).where(SUBJECT.c.id == bindparam("subject")),
                [
                    {"subject": subject, **dict(zip((*names, "active"), values, strict=True))}
                    for subject, values in found.items()
                ],
            )


def last_begun(db: Session, annotator_id: str, begun: Mapping[str, int]) -> Change | None:
    """Return the act that undo takes back: of those of the annotator that stand, the one that was begun last.

    ``begun`` has the places of the log at which jobs began, by their acts; others begin where they are.
    """
    newest = next_act(db, annotator_id, ChangeKind.UNDO)
    if newest is None or newest.id not in begun:
        return newest
    by_hand = db.exec(_next_acts(annotator_id, ChangeKind.UNDO).where(col(Change.id).not_in(list(begun)))).first()
    return by_hand if by_hand is not None and (by_hand.seq or 0) > begun[newest.id] else newest


def next_act(db: Session, annotator_id: str, kind: ChangeKind) -> Change | None:
    """Return the act that undo takes back (the annotator's last that stands) or redo does again (the last undone)."""
    return db.exec(_next_acts(annotator_id, kind)).first()


def _next_acts(annotator_id: str, kind: ChangeKind) -> SelectOfScalar[Change]:
    state, place = (
        (ChangeState.DONE, col(Change.seq).desc()) if kind == ChangeKind.UNDO else (ChangeState.UNDONE, col(Change.seq))
    )
    query = select_rows(Change).where(
        Change.annotator_id == annotator_id, Change.kind == ChangeKind.DO, Change.state == state
    )
    return query.order_by(place).limit(1)


def find(db: Session, act_id: str) -> Change:
    """Return an entry of the log by its id, or how that begins; raises `BadInputError` if there is not just one."""
    escaped = act_id.strip().lower()
    found = db.exec(select_rows(Change).where(col(Change.id).startswith(escaped, autoescape=True)).limit(2)).all()
    if len(escaped) < _SHORTEST_ID or not found:
        raise BadInputError(f"There is no act {act_id} in the history. annotator history list names them.")
    if len(found) > 1:
        raise BadInputError(f"Several acts begin with {act_id}. Give more of the id.")
    return found[0]


def apply(db: Session, change: Change, kind: ChangeKind) -> Changes:
    """Take a change back or do it again; returns what that changed."""
    with bulk_acts.roomy(db.connection()):
        return _apply(db, change, kind)


def _apply(db: Session, change: Change, kind: ChangeKind) -> Changes:
    active = kind == ChangeKind.REDO
    connection = db.connection()
    touched, many = bulk_acts.choose_touched(connection, change.id, (*SUBJECT_WORK, "subject"))
    subject_ids = bulk_acts.chosen_ids(connection)
    origins = connection.scalars(select(ORIGIN.c.subject_id).where(ORIGIN.c.change_id == change.id)).all()
    change.state = ChangeState.DONE if active else ChangeState.UNDONE
    db.add(change)
    done = label_of(change)
    label = Message("Redo: {label}", label=done) if active else Message("Undo: {label}", label=done)
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
    # An import's subjects that are not visible yet become so here, or not at all.
    connection.execute(delete(ARRIVAL).where(ARRIVAL.c.change_id == change.id))
    # Work that changes one counted column each; other work changes several, or what is counted at all.
    changing = [_COUNTED[table] for table in touched if table in _COUNTED]
    with bulk_acts.counted(connection, many, changing=changing if len(changing) == len(touched) else ()):
        for table in UNDOABLE:
            work = named(table)
            connection.execute(update(work).where(work.c.change_id == change.id).values(active=active))
        refresh_chosen(connection, touched)
    if origins:
        refresh_origins(connection, origins)
    return Changes(nouns | {"subject"}, subject_ids, label, change.id)


def _newest(work: FromClause, subject: FromClause, value: ColumnElement[Any]) -> ColumnElement[Any]:
    """Return a value of a subject's newest row of work that stands."""
    return (
        select(value)
        .where(work.c.subject_id == subject.c.id, work.c.active)
        .order_by(work.c.created_at.desc(), work.c.id.desc())
        .limit(1)
        .correlate(subject)
        .scalar_subquery()
    )


def current_work(tables: Collection[str] = CACHED, subject: FromClause = SUBJECT) -> Assignments:
    """Return the assignments that give a subject its current work of some tables; nothing if it caches none of them.

    "open" and empty texts are what going back to a time before the first decision or text writes.
    """
    decision, prompt, criterion, allotment = (named(name).alias("w") for name in CACHED)
    cached = {
        "decision": ("verdict", decision, func.nullif(decision.c.verdict, OPEN)),
        "prompt": ("prompt_id", prompt, case((prompt.c.text != "", prompt.c.id))),
        "criterion": ("criterion_id", criterion, case((criterion.c.source != "", criterion.c.id))),
        "allotment": ("holder_id", allotment, allotment.c.person_id),
    }
    chosen = (cached[table] for table in CACHED if table in tables)
    return {column: _newest(work, subject, value) for column, work, value in chosen}


def proven(subject: FromClause = SUBJECT) -> Assignments:
    """Return the assignment that says whether a subject's work is proven; it reads what `current_work` writes.

    What judges is the criterion; without one the subject's own tests, which are part of its content.
    """
    proof, criterion = PROOF.alias("p"), CRITERION.alias("c")
    judged_by = select(criterion.c.content_hash).where(criterion.c.id == subject.c.criterion_id)
    newest = (
        select(case((proof.c.outcome == "pass", 1), else_=0))
        .where(
            proof.c.subject_id == subject.c.id,
            func.coalesce(proof.c.prompt_id, "") == func.coalesce(subject.c.prompt_id, ""),
            proof.c.content_hash
            == func.coalesce(judged_by.correlate(subject).scalar_subquery(), subject.c.content_hash),
        )
        .order_by(proof.c.created_at.desc(), proof.c.id.desc())
        .limit(1)
    )
    return {"proven": func.coalesce(newest.correlate(subject).scalar_subquery(), 0)}


def current_labels(subject: FromClause = SUBJECT, every_label: FromClause | None = None) -> Assignments:
    """Return the assignments that give a subject the newest label that stands, else what stood before the first.

    The first is looked for in ``every_label``, which is the table of labels unless told otherwise.
    """
    label, first = LABEL.alias("w"), (LABEL if every_label is None else every_label).alias("f")
    found: Assignments = {}
    for name in LABELS:
        before = (
            select(first.c.before)
            .where(first.c.subject_id == subject.c.id, first.c.name == name)
            .order_by(first.c.created_at, first.c.id)
            .limit(1)
        )
        value = (
            select(label.c.value)
            .where(label.c.subject_id == subject.c.id, label.c.name == name, label.c.active)
            .order_by(label.c.created_at.desc(), label.c.id.desc())
            .limit(1)
        )
        found[name] = func.coalesce(
            value.correlate(subject).scalar_subquery(), before.correlate(subject).scalar_subquery(), subject.c[name]
        )
    return found


def _subjects_of(connection: Connection, change_id: str) -> list[str]:
    works = [named(table) for table in SUBJECT_WORK]
    queries = [select(work.c.subject_id).where(work.c.change_id == change_id) for work in works]
    imported = select(SUBJECT.c.id).where(SUBJECT.c.change_id == change_id)
    return list(connection.scalars(union(*queries, imported)))


def facts_of(connection: Connection, change_id: str) -> dict[str, tuple[str, str, dict[str, str]]]:
    """Return id -> (key, title, current work in words) of the subjects that a change is about."""
    return facts_of_subjects(connection, _subjects_of(connection, change_id))


def facts_of_subjects(connection: Connection, subject_ids: Sequence[str]) -> dict[str, tuple[str, str, dict[str, str]]]:
    """Return id -> (key, title, current work in words) of some subjects."""
    found = {}
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
            found[record[0]] = (record[1], record[2], dict(zip(names, record[3:], strict=True)))
    return found


def refresh_subjects(connection: Connection, subject_ids: Iterable[str]) -> None:
    """Bring the cached current work of some subjects in step with their active rows."""
    with bulk_acts.counted(connection, bulk_acts.choose_ids(connection, subject_ids)):
        refresh_chosen(connection, (*CACHED, "label", "proof"))


def refresh_chosen(connection: Connection, tables: Collection[str]) -> None:
    """Bring what the chosen subjects cache of some tables in step with the rows that stand there."""
    for statement in _refreshing(frozenset(tables)):
        connection.execute(statement)


@cache
def _refreshing(tables: frozenset[str]) -> tuple[Update, ...]:
    """Return the statements of `refresh_chosen`. Every act runs them, and building them takes longer than that."""
    chosen = update(SUBJECT).where(is_chosen(SUBJECT.c.row))
    statements = []
    work = current_work(tables)
    if work:
        statements.append(chosen.values(work))
    if {"prompt", "criterion", "proof", "subject"} & tables:
        statements.append(chosen.values(proven()))
    if "label" in tables:
        labelled = exists().where(LABEL.c.subject_id == SUBJECT.c.id)
        statements.append(chosen.where(labelled).values(current_labels()))
    return tuple(statements)


def last_with_label(db: Session, label: str) -> tuple[str, str]:
    """Return the person and the time of the newest act with a label, empty texts if there is none."""
    query = select_rows(Annotator.name, Change.created_at).join(Change, col(Change.annotator_id) == Annotator.id)
    found = db.exec(query.where(Change.label == label).order_by(col(Change.seq).desc()).limit(1)).first()
    return (found[0], found[1]) if found else ("", "")


def page(db: Session, annotator_id: str, text: str, limit: int, before: int | None = None) -> tuple[list[ActRow], int]:
    """Return up to ``limit`` acts older than the log's place ``before``, newest first, and how many fit in all.

    Every word of ``text`` must be in the label, the person's name or the date.
    """
    shown = func.lower(CHANGE.c.label + " " + ANNOTATOR.c.name + " " + CHANGE.c.created_at)
    # Undo and redo are seen in the state of what they are about; as lines of their own they would hide the acts.
    wanted = [
        CHANGE.c.kind == ChangeKind.DO,
        *(shown.contains(word, autoescape=True) for word in text.casefold().split()),
    ]
    found = (
        select(CHANGE, ANNOTATOR.c.name)
        .join_from(CHANGE, ANNOTATOR, ANNOTATOR.c.id == CHANGE.c.annotator_id)
        .where(*wanted)
    )
    total = db.connection().scalar(select(func.count()).select_from(found.subquery()))
    older = found if before is None else found.where(CHANGE.c.seq < before)
    rows = db.connection().execute(older.order_by(CHANGE.c.seq.desc()).limit(limit)).all()
    counts = items(db.connection(), [row.id for row in rows])
    return [
        ActRow(
            seq=row.seq,
            id=row.id,
            label=label_from(row.label, row.nouns),
            kind=row.kind,
            state=row.state,
            annotator=row.name,
            created_at=row.created_at,
            items=counts.get(row.id, 0),
            mine=row.annotator_id == annotator_id,
        )
        for row in rows
    ], int(total or 0)


def items(connection: Connection, change_ids: Sequence[str]) -> dict[str, int]:
    """Return how many rows of work each act wrote; for an import the number of its subjects."""
    counts: dict[str, int] = {}
    imported: dict[str, int] = {}
    for part in chunks(change_ids):
        for table in UNDOABLE:
            work = named(table)
            query = select(work.c.change_id, func.count()).where(work.c.change_id.in_(part)).group_by(work.c.change_id)
            for change_id, count in connection.execute(query):
                if table == "subject":
                    imported[change_id] = count
                elif table != "source":
                    counts[change_id] = counts.get(change_id, 0) + count
    return {**counts, **imported}


def encode_nouns(nouns: Iterable[str], label: str) -> list[str]:
    """Return what the log keeps as the nouns of an act."""
    encoded = encode(label)
    return [*sorted(nouns), *([encoded] if encoded else [])]


def label_of(change: Change) -> str:
    """Return the label of an entry of the log, as a message where it was kept as one."""
    return label_from(change.label, change.nouns)


def label_from(text: str, nouns: Iterable[str]) -> str:
    """Return a label by its English text and what the log keeps as nouns."""
    for noun in nouns:
        if _is_label(noun):
            try:
                return from_document(text, json.loads(noun))
            except ValueError:
                return text
    return text


def _is_label(noun: str) -> bool:
    return noun.startswith("{")
