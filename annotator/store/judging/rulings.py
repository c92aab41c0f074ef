"""Rulings on served pairs and on paraphrases.

A rater skips a pair with a reason, or an unjudged pair is given to another rater. A revision of a paraphrase passes its
checks with a reason. All are resolutions, so they are undone, merged and shown as conflicts like others. The drawn
assignments do not change. The new rater of a pair gets another assignment, whose id is derived from the drawn one and
the person, so that all copies of the project agree on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from sqlalchemy import func, select
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from annotator.base.ids import stable_id
from annotator.base.messages import Message
from annotator.model.changes import Changes
from annotator.model.rows.judging_rows import HandoverRow, SkippedPair
from annotator.model.rows.release_rows import PromptOverride
from annotator.model.tables.judging_tables import RATER, SKIP, Assignment, Resolution, Study
from annotator.model.tables.project_tables import Annotator
from annotator.model.tables.subject_tables import Subject
from annotator.store.core_tables import ASSIGNMENT, PAIR, chunks
from annotator.store.history import undo_log

SKIPPED, TAKEN_UP, NOBODY = "skipped", "taken up", ""
METHODS = ("skip", "hand over")
OVERRIDE, ORIGINAL_PROMPT = "paraphrase:", "original"
"""The prefix of ``about`` in an override, and what follows it in place of a revision's id."""
OVERRIDE_METHOD, KEEP = "override", "keep"
_NOUNS = frozenset({"judgement", "resolution", "study"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Rulings:
    """The current rulings on assignments.

    ``closed`` are the assignments whose pairs were given to somebody else, and ``skipped`` those that their rater
    skipped; ``drawn`` maps an assignment to the drawn one that it was taken over from.
    """

    closed: frozenset[str]
    skipped: frozenset[str]
    drawn: Mapping[str, str]


def taken_over_id(drawn_id: str, rater_id: str) -> str:
    """Return the id of the assignment with which a rater takes over a drawn one."""
    return stable_id("assignment", drawn_id, rater_id)


def fetch_rulings(db: Session) -> Rulings:
    """Return the rulings on all assignments; of several on one assignment, the newest counts."""
    rows = _rows(db)
    drawn_raters = _raters_of(db, [_assignment_of(row) for row in rows if row.about.startswith(RATER)])
    closed, drawn, newest = set[str](), dict[str, str](), dict[str, Resolution]()
    for row in rows:
        if row.about.startswith(RATER) and row.outcome not in (NOBODY, drawn_raters.get(_assignment_of(row))):
            drawn[taken_over_id(_assignment_of(row), row.outcome)] = _assignment_of(row)
        if row.active:
            newest[row.about] = row
    current = {_assignment_of(row): row.outcome for row in newest.values() if row.about.startswith(RATER)}
    closed |= {drawn_id for drawn_id, rater in current.items() if rater != drawn_raters.get(drawn_id)}
    closed |= {
        assignment_id
        for assignment_id, drawn_id in drawn.items()
        if assignment_id != taken_over_id(drawn_id, current.get(drawn_id, NOBODY))
    }
    skipped = {_assignment_of(row) for row in newest.values() if row.about.startswith(SKIP) and row.outcome == SKIPPED}
    return Rulings(closed=frozenset(closed), skipped=frozenset(skipped), drawn=drawn)


def _rows(db: Session) -> Sequence[Resolution]:
    """Return all rulings, undone ones included, oldest first."""
    is_ruling = col(Resolution.about).startswith(SKIP) | col(Resolution.about).startswith(RATER)
    return db.exec(
        select_rows(Resolution).where(is_ruling).order_by(col(Resolution.created_at), col(Resolution.id))
    ).all()


def _assignment_of(row: Resolution) -> str:
    return row.about.partition(":")[2]


def _raters_of(db: Session, assignment_ids: Sequence[str]) -> dict[str, str]:
    query = select(ASSIGNMENT.c.id, ASSIGNMENT.c.annotator_id)
    return {
        assignment: rater
        for part in chunks(sorted(set(assignment_ids)))
        for assignment, rater in db.connection().execute(query.where(ASSIGNMENT.c.id.in_(part)))
    }


def _subjects_of(db: Session, assignments: Sequence[Assignment]) -> dict[str, str]:
    """Return pair -> subject."""
    query = select(PAIR.c.id, PAIR.c.subject_id)
    return {
        pair: subject
        for part in chunks(sorted({item.pair_id for item in assignments}))
        for pair, subject in db.connection().execute(query.where(PAIR.c.id.in_(part)))
    }


def add_skips(
    db: Session, annotator_id: str, assignments: Sequence[Assignment], outcome: str, reason: str, label: Message
) -> Changes:
    """Skip pairs, or take them up again, as one act."""
    subjects = _subjects_of(db, assignments)
    rows = [
        Resolution(
            subject_id=subjects[item.pair_id],
            about=f"{SKIP}{item.id}",
            method=METHODS[0],
            outcome=outcome,
            rationale=reason,
        )
        for item in assignments
    ]
    return undo_log.write_act(db, annotator_id, label, _NOUNS, rows, subjects.values())


def hand_over(
    db: Session, annotator_id: str, study: Study, assignments: Mapping[str, tuple[Assignment, str]], reason: str,
    label: Message,
) -> Changes:  # fmt: skip
    """Give assignments to other raters as one act; ``assignments`` is drawn id -> (the assignment, its new rater).

    A pair keeps the order of sides that was drawn for it. `NOBODY` as the rater closes an assignment.
    """
    subjects = _subjects_of(db, [item for item, _ in assignments.values()])
    places = {rater: count(_next_position(db, study.id, rater)) for _, rater in assignments.values() if rater}
    drawn_raters = _raters_of(db, list(assignments))
    for drawn_id, (item, rater) in assignments.items():
        assignment_id = taken_over_id(drawn_id, rater)
        if rater and rater != drawn_raters.get(drawn_id) and db.get(Assignment, assignment_id) is None:
            db.add(
                Assignment(
                    id=assignment_id,
                    study_id=item.study_id,
                    pair_id=item.pair_id,
                    annotator_id=rater,
                    position=next(places[rater]),
                    order=item.order,
                    serving=item.serving,
                )
            )
    rows = [
        Resolution(
            subject_id=subjects[item.pair_id],
            about=f"{RATER}{drawn_id}",
            method=METHODS[1],
            outcome=rater,
            rationale=reason,
        )
        for drawn_id, (item, rater) in assignments.items()
    ]
    return undo_log.write_act(db, annotator_id, label, _NOUNS, rows, subjects.values())


def _next_position(db: Session, study_id: str, rater_id: str) -> int:
    highest = select(func.max(ASSIGNMENT.c.position)).where(
        ASSIGNMENT.c.study_id == study_id, ASSIGNMENT.c.annotator_id == rater_id
    )
    position = db.connection().scalar(highest)
    return 0 if position is None else int(position) + 1


def fetch_skipped_pairs(db: Session, study_id: str, judged: frozenset[tuple[str, str, int]]) -> tuple[SkippedPair, ...]:
    """Return a study's skipped pairs with their reasons, by rater and place; ``judged`` are (pair, rater, serving)."""
    names = {person.id: person.name for person in db.exec(select_rows(Annotator))}
    rulings = fetch_rulings(db)
    reasons = {_assignment_of(row): row.rationale for row in _rows(db) if row.active and row.outcome == SKIPPED}
    rows = [
        SkippedPair(assignment_id=item.id, rater=names[item.annotator_id], position=item.position,
                    reason=reasons.get(item.id, ""))
        for item in db.exec(select_rows(Assignment).where(Assignment.study_id == study_id))
        if item.id in rulings.skipped - rulings.closed and (item.pair_id, item.annotator_id, item.serving) not in judged
    ]  # fmt: skip
    return tuple(sorted(rows, key=lambda row: (row.rater, row.position)))


def fetch_handovers(db: Session, study_id: str) -> tuple[HandoverRow, ...]:
    """Return the handovers of a study's pairs, oldest first, one for each rater for whom the pairs were drawn."""
    names = {person.id: person.name for person in db.exec(select_rows(Annotator))}
    drawn = {item.id: item for item in db.exec(select_rows(Assignment).where(Assignment.study_id == study_id))}
    acts: dict[tuple[str, str, str], list[Resolution]] = {}
    for row in _rows(db):
        if row.active and row.about.startswith(RATER) and _assignment_of(row) in drawn:
            drawn_for = drawn[_assignment_of(row)].annotator_id
            acts.setdefault((row.change_id, row.outcome, drawn_for), []).append(row)
    return tuple(
        HandoverRow(
            annotator=names[rows[0].annotator_id],
            drawn_for=names[drawn_for],
            rater=names.get(rater, ""),
            pairs=len(rows),
            created_at=rows[0].created_at,
            reason=rows[0].rationale,
        )
        for (_, rater, drawn_for), rows in acts.items()
    )


def override_row(prompt_id: str | None, reason: str) -> Resolution:
    """Return a resolution that lets one revision of a paraphrase pass."""
    return Resolution(
        about=f"{OVERRIDE}{prompt_id or ORIGINAL_PROMPT}", method=OVERRIDE_METHOD, outcome=KEEP, rationale=reason
    )


def prompt_overrides(db: Session, subject_ids: Sequence[str] = ()) -> dict[str, PromptOverride]:
    """Return the newest override of each subject's current paraphrase, for some subjects or all."""
    query = (
        select_rows(Resolution, Subject.prompt_id, Annotator.name)
        .join(Subject, col(Subject.id) == Resolution.subject_id)
        .join(Annotator, col(Annotator.id) == Resolution.annotator_id)
        .where(col(Resolution.active), col(Resolution.about).startswith(OVERRIDE))
        .order_by(col(Resolution.created_at), col(Resolution.id))
    )
    if subject_ids:
        query = query.where(col(Resolution.subject_id).in_(subject_ids))
    return {
        row.subject_id: PromptOverride(row.rationale, name, row.created_at)
        for row, prompt_id, name in db.exec(query)
        if row.about == f"{OVERRIDE}{prompt_id or ORIGINAL_PROMPT}"
    }
