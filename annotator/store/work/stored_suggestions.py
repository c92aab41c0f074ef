"""Suggestions of models, and people's verdicts on them."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session, col, select

from annotator.base.errors import BadInputError
from annotator.base.records import record_from
from annotator.model.rows.view_rows import SuggestionRow
from annotator.model.tables.project_tables import Change
from annotator.model.tables.subject_tables import Subject
from annotator.model.tables.work_tables import Label, Suggestion, SuggestionVerdict
from annotator.store.history import undo_log

ACCEPTED, REJECTED, OPEN = "accepted", "rejected", "open"


def fetch_suggestions(
    db: Session, subject_id: str | None = None, kinds: Sequence[str] = (), *, only_open: bool = False
) -> tuple[SuggestionRow, ...]:
    """Return suggestions, newest first."""
    query = select(Suggestion, Subject.key).join(Subject, col(Subject.id) == Suggestion.subject_id)
    if subject_id:
        query = query.where(Suggestion.subject_id == subject_id)
    if kinds:
        query = query.where(col(Suggestion.kind).in_(kinds))
    verdicts = select(SuggestionVerdict).where(col(SuggestionVerdict.active))
    states: dict[str, str] = {}
    for verdict in db.exec(verdicts.order_by(col(SuggestionVerdict.created_at), col(SuggestionVerdict.id))):
        states[verdict.suggestion_id] = verdict.verdict
    rows = [
        record_from(SuggestionRow, item, key=key, state=states.get(item.id, OPEN), problems=())
        for item, key in db.exec(query.order_by(col(Suggestion.created_at).desc(), col(Suggestion.id).desc()))
    ]
    return tuple(row for row in rows if row.state == OPEN or not only_open)


def find_suggestion(db: Session, suggestion_id: str) -> Suggestion:
    """Return a suggestion by its id or a prefix. Raises `BadInputError` if there is none, or several."""
    matches = db.exec(select(Suggestion).where(col(Suggestion.id).startswith(suggestion_id, autoescape=True))).all()
    if len(matches) != 1:
        what = "no suggestion" if not matches else "more than one suggestion"
        raise BadInputError(f"There is {what} {suggestion_id} in this project. Nothing was changed.")
    return matches[0]


def decide_suggestion(db: Session, change: Change, suggestion: Suggestion, verdict: str) -> None:
    """Record that somebody accepted or rejected a suggestion, under an entry of the log."""
    row = SuggestionVerdict(subject_id=suggestion.subject_id, suggestion_id=suggestion.id, verdict=verdict)
    undo_log.write_work(db, change, row)


def label_of(subject: Subject, field: str, value: str, origin: str) -> Label:
    """Return a row that sets a label of a subject."""
    return Label(subject_id=subject.id, name=field, value=value, before=getattr(subject, field), origin=origin)
