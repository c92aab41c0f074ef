"""Write and read reviews, votes, comments, confirmed edits, settlements and locks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import Connection, and_, func, select
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from annotator.base.errors import BadInputError
from annotator.base.records import record_from
from annotator.model.changes import Changes
from annotator.model.rows.judging_rows import ConflictRow
from annotator.model.tables.judging_tables import Confirmation, Conflict, Lock, Resolution, Revision
from annotator.model.tables.project_tables import Annotator
from annotator.model.tables.subject_tables import Subject
from annotator.model.tables.table_columns import SubjectWork
from annotator.model.tables.work_tables import Comment, Proof, Review, Vote
from annotator.model.vocabulary import RATER, SKIP
from annotator.store.core_tables import CHOSEN, CRITERION, DECISION, LOCK, PROMPT, SUBJECT, chunks, newest_work
from annotator.store.history import undo_log

Work = TypeVar("Work", bound=SubjectWork)
PANEL = "panel"
"""The value of ``about`` in a resolution that opens a panel's votes."""
SEATS_SETTING = "panel_voters"
"""The project setting for the panel's number of seats."""
DEFAULT_SEATS = 13
CHAIR_SETTING = "panel_chair"
"""The project setting for the id of the panel's chair; without it, the person who joined first is the chair."""
_NO_DISAGREEMENT = (PANEL, SKIP, RATER)
_DIGITS = 10


def add_subject_work(
    db: Session, annotator_id: str, subject_id: str, rows: Sequence[SubjectWork], label: str
) -> Changes:
    """Write rows on one subject as one act; sets their annotator, change and subject."""
    nouns = sorted({type(row).__name__.lower() for row in rows})
    change = undo_log.record_change(db, annotator_id, label, nouns)
    for row in rows:
        row.subject_id = subject_id
    undo_log.write_work(db, change, *rows)
    undo_log.refresh_subjects(db.connection(), [subject_id])
    return Changes(frozenset({*nouns, "subject"}), frozenset({subject_id}), label, change.id)


def fetch_annotator_names(db: Session) -> dict[str, str]:
    """Return the people's names by id."""
    return {person.id: person.name for person in db.exec(select_rows(Annotator))}


def _active_rows(db: Session, model: type[Work], subject_id: str | None) -> list[Work]:
    query = select_rows(model).where(model.active)
    if subject_id is not None:
        query = query.where(model.subject_id == subject_id)
    return list(db.exec(query.order_by(col(model.created_at), col(model.id))))


def newest_reviews(db: Session, subject_id: str | None = None) -> list[Review]:
    """Return the newest review of every person on a subject (or on all), oldest first."""
    newest_by_person = {(row.subject_id, row.annotator_id): row for row in _active_rows(db, Review, subject_id)}
    return list(newest_by_person.values())


def fetch_newest_votes(db: Session, subject_id: str | None) -> dict[str, dict[str, dict[str, str]]]:
    """Return subject -> voter -> question -> newest choice, in the order of first votes."""
    choices: dict[str, dict[str, dict[str, str]]] = {}
    for row in _active_rows(db, Vote, subject_id):
        choices.setdefault(row.subject_id, {}).setdefault(row.annotator_id, {})[row.question] = row.choice
    return choices


@dataclass(frozen=True, slots=True)
class OpenedVote:
    """The reason why the votes on a subject are open, and the panel's rule: ``needed`` of ``voters`` approvals.

    Both numbers are None for votes opened by programs that did not store them.
    """

    why: str
    needed: int | None
    voters: int | None


def open_votes(db: Session, annotator_id: str, subject_id: str, opened: OpenedVote, reason: str, label: str) -> Changes:
    """Open the votes on a subject; they become final and can no longer be undone."""
    change = undo_log.record_event(db, annotator_id, label, ["resolution", "vote"])
    outcome = f"open {opened.needed} {opened.voters}"
    row = Resolution(subject_id=subject_id, about=PANEL, method=opened.why, outcome=outcome, rationale=reason)
    undo_log.write_work(db, change, row)
    undo_log.make_votes_final(db.connection())
    return Changes(frozenset({"resolution", "vote"}), frozenset({subject_id}), label, change.id)


def fetch_opened_votes(db: Session) -> dict[str, OpenedVote]:
    """Return the first opening of each subject whose votes are open; later openings in merged copies are ignored."""
    query = select_rows(Resolution).where(col(Resolution.active), Resolution.about == PANEL)
    openings: dict[str, OpenedVote] = {}
    for row in db.exec(query.order_by(col(Resolution.created_at), col(Resolution.id))):
        openings.setdefault(row.subject_id, read_opening(row.method, row.outcome))
    return openings


def read_opening(method: str, outcome: str) -> OpenedVote:
    """Return the opened votes that a stored resolution records."""
    numbers = [int(word) for word in outcome.split() if word.isdecimal() and len(word) < _DIGITS]
    needed, voters = numbers if len(numbers) == 2 else (None, None)
    return OpenedVote(method, needed, voters)


def fetch_comments(db: Session, subject_id: str | None = None) -> list[Comment]:
    """Return the active comments, oldest first."""
    return _active_rows(db, Comment, subject_id)


def find_comment(db: Session, comment_id: str) -> Comment | None:
    """Return a comment by its id."""
    return db.get(Comment, comment_id)


def fetch_artefact_rows(
    db: Session, subject_id: str | None = None
) -> dict[tuple[str, str], list[Revision | Confirmation]]:
    """Return the edits and confirmations of one subject or all, by (subject, artefact), oldest first."""
    rows: list[Revision | Confirmation] = [
        *_active_rows(db, Revision, subject_id), *_active_rows(db, Confirmation, subject_id),
    ]  # fmt: skip
    by_artefact: dict[tuple[str, str], list[Revision | Confirmation]] = {}
    for row in sorted(rows, key=lambda row: (row.created_at, row.id)):
        by_artefact.setdefault((row.subject_id, row.artefact), []).append(row)
    return by_artefact


def fetch_experts(db: Session, subject_id: str | None = None) -> dict[str, set[str]]:
    """Return subject -> ids of the people who edited, confirmed or rejected its artefacts, for one subject or all."""
    experts_by_subject: dict[str, set[str]] = {}
    for (subject, _), rows in fetch_artefact_rows(db, subject_id).items():
        experts_by_subject.setdefault(subject, set()).update(row.annotator_id for row in rows)
    return experts_by_subject


def fetch_authors(db: Session) -> dict[str, set[str]]:
    """Return subject -> ids of the authors of its current paraphrase, criterion, solution and tests."""
    authors: dict[str, set[str]] = {}
    for work, current in ((PROMPT, SUBJECT.c.prompt_id), (CRITERION, SUBJECT.c.criterion_id)):
        for subject, person in db.connection().execute(
            select(SUBJECT.c.id, work.c.annotator_id).join_from(SUBJECT, work, work.c.id == current)
        ):
            authors.setdefault(subject, set()).add(person)
    for (subject, _), rows in fetch_artefact_rows(db).items():
        edits = [row.annotator_id for row in rows if isinstance(row, Revision)]
        authors.setdefault(subject, set()).update(edits[-1:])
    return authors


def fetch_accepted_subjects(db: Session) -> list[Subject]:
    """Return the accepted subjects in queue order."""
    query = select_rows(Subject).where(col(Subject.active), Subject.verdict == "accept").order_by(col(Subject.row))
    return list(db.exec(query))


def fetch_newest_resolutions(db: Session) -> dict[tuple[str, str], Resolution]:
    """Return the newest settlement of every disagreement, by (subject, about)."""
    rows = (row for row in _active_rows(db, Resolution, None) if not row.about.startswith(_NO_DISAGREEMENT))
    return {(row.subject_id, row.about): row for row in rows}


def in_force(settlement: Resolution | None, said_at: Iterable[str]) -> Resolution | None:
    """Return a settlement, or None if a statement after it (``said_at``) reopened the disagreement."""
    return None if settlement is None or any(time > settlement.created_at for time in said_at) else settlement


def is_locked(db: Session, subject_id: str) -> bool:
    """Return whether a subject is locked now."""
    rows = _active_rows(db, Lock, subject_id)
    return bool(rows) and rows[-1].locked


def find_proof_outcome(db: Session, proof_id: str | None) -> str:
    """Return a proof's outcome; empty if there is no proof."""
    proof = db.get(Proof, proof_id) if proof_id else None
    return proof.outcome if proof else ""


def subject_keys(db: Session, subject_ids: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return id -> (key, title) of those subjects that are in the project."""
    id_set = set(subject_ids)
    rows = db.exec(select_rows(Subject.id, Subject.key, Subject.title).where(Subject.active))
    return {row[0]: (row[1], row[2]) for row in rows if row[0] in id_set}


def fetch_differing_decisions(db: Session) -> list[tuple[str, str, str, str, str]]:
    """Return (subject, annotator, verdict, reason, time) of each person's newest decision on disputed subjects.

    A subject is disputed if some accept and others reject it.
    """
    newer = DECISION.alias("e")
    is_same = and_(newer.c.subject_id == DECISION.c.subject_id, newer.c.annotator_id == DECISION.c.annotator_id)
    newest_id = newest_work(newer, newer.c.id, is_same, DECISION)
    names = ("subject_id", "annotator_id", "verdict", "reason", "created_at")
    newest = (
        select(*(DECISION.c[name] for name in names))
        .join(SUBJECT, and_(SUBJECT.c.id == DECISION.c.subject_id, SUBJECT.c.active))
        .where(DECISION.c.active, DECISION.c.id == newest_id, DECISION.c.verdict.in_(("accept", "reject")))
        .cte("newest")
    )
    several = select(newest.c.subject_id).group_by(newest.c.subject_id)
    differing = several.having(func.count(newest.c.verdict.distinct()) > 1)
    query = select(newest).where(newest.c.subject_id.in_(differing))
    rows = db.connection().execute(query.order_by(newest.c.subject_id, newest.c.created_at))
    return [(row[0], row[1], row[2], row[3], row[4]) for row in rows]


def fetch_conflicts(db: Session) -> tuple[ConflictRow, ...]:
    """Return the merge conflicts with both sides, newest first."""
    rows = db.exec(select_rows(Conflict).order_by(col(Conflict.created_at).desc(), Conflict.id)).all()
    people = fetch_annotator_names(db)
    titles = subject_keys(db, {str(row.ours.get("subject_id", "")) for row in rows})
    return tuple(
        record_from(
            ConflictRow,
            row,
            table=row.table_name,
            key=titles.get(str(row.ours.get("subject_id", "")), ("", ""))[0],
            people=(_person(people, row.ours), _person(people, row.theirs)),
        )
        for row in rows
    )


def _person(people: Mapping[str, str], content: Mapping[str, Any]) -> str:
    return people.get(str(content.get("annotator_id", "")), "")


def _locked_subjects(connection: Connection) -> list[tuple[int, str, str]]:
    """Return (row, id, key) of every locked subject, in queue order; a project has few."""
    newest = LOCK.alias("w")
    newest_id = newest_work(newest, newest.c.id, newest.c.subject_id == LOCK.c.subject_id, LOCK)
    query = (
        select(SUBJECT.c.row, SUBJECT.c.id, SUBJECT.c.key)
        .join_from(LOCK, SUBJECT, SUBJECT.c.id == LOCK.c.subject_id)
        .where(LOCK.c.locked, LOCK.c.id == newest_id)
        .order_by(SUBJECT.c.row)
    )
    return [(row, subject, key) for row, subject, key in connection.execute(query)]


def find_locked_keys(db: Session, subject_ids: Collection[str]) -> dict[str, str]:
    """Return id -> key of those subjects that are locked."""
    id_set = frozenset(subject_ids)
    return {subject: key for _, subject, key in _locked_subjects(db.connection()) if subject in id_set}


def refuse_locked(db: Session, subject_ids: Sequence[str]) -> None:
    """Raise `BadInputError` if one of the subjects is locked."""
    _refuse_keys(list(find_locked_keys(db, subject_ids).values()))


def refuse_locked_chosen(db: Session) -> None:
    """Raise `BadInputError` if one of the subjects chosen for a bulk act is locked."""
    connection = db.connection()
    keys = {row: key for row, _, key in _locked_subjects(connection)}
    queries = (CHOSEN.select().where(CHOSEN.c.row.in_(part)) for part in chunks(keys))
    _refuse_keys([keys[row] for query in queries for row in connection.scalars(query.order_by(CHOSEN.c.row))])


def _refuse_keys(keys: Sequence[str]) -> None:
    if keys:
        others = f" and {len(keys) - 1} more" if len(keys) > 1 else ""
        raise BadInputError(
            f"{keys[0]}{others} is locked, so nothing was changed. Unlock it on the Consensus page first."
        )
