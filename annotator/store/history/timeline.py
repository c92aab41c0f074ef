"""The audit trail of a subject: who did what and when, including undone acts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlmodel import Session, SQLModel, col, select

from annotator.base.messages import Message, mark_word, message_for_count
from annotator.model.rows.view_rows import HistoryRow
from annotator.model.tables.judging_tables import (
    Confirmation,
    Lock,
    Resolution,
    Revision,
    Study,
    Unblinding,
)
from annotator.model.tables.project_tables import Annotator, Change
from annotator.model.tables.work_tables import (
    Allotment,
    Bug,
    Comment,
    Criterion,
    Decision,
    Judgement,
    Label,
    Pair,
    Prompt,
    Review,
    Vote,
)
from annotator.model.vocabulary import ASPECTS, RATER, SKIP
from annotator.store.history.undo_log import label_of
from annotator.store.judging import rulings
from annotator.store.queue.stored_subjects import find_subject

ActText = tuple[str, str]
"""The act and its details, as shown in a row of the history."""


def _describe_review(row: Any) -> ActText:
    ratings = [f"{name} {getattr(row, name)}" for name in ASPECTS if getattr(row, name) is not None]
    return "review", ", ".join(ratings) + (f": {row.note}" if row.note else "")


def _describe_resolution(row: Any) -> ActText:
    why = f" ({row.rationale})" if row.rationale else ""
    if row.about.startswith(SKIP):
        act = Message("skipped") if row.outcome == rulings.SKIPPED else Message("taken up")
        return Message("pair to judge"), Message("{what}: {reason}", what=act, reason=row.rationale) if why else act
    if row.about.startswith(RATER):
        return Message("pair to judge"), f"{row.method}{why}"
    if row.method == rulings.OVERRIDE_METHOD:
        return "override", Message("the checks of the paraphrase{why}", why=why)
    return "resolution", f"{row.about}: {row.outcome} by {row.method}{why}"


def _describe_length(text: str) -> Message:
    return message_for_count("{count} word", "{count} words", len(text.split()))


def _describe_note(row: Any) -> str:
    return row.note or Message("revision {hash}", hash=row.content_hash[:8])


def _describe_bug(row: Any) -> str:
    rule = mark_word(row.operator.replace("_", " "))
    return Message("{what} ({state})", what=rule, state=mark_word(row.state))


# A vote's choice and a judgement's verdict are left out: the trail must not reveal what other pages hide.
_DESCRIPTIONS: tuple[tuple[type[SQLModel], Callable[[Any], ActText]], ...] = (
    (Decision, lambda row: (row.verdict, row.reason)),
    (Prompt, lambda row: ("paraphrase", row.note or _describe_length(row.text))),
    (Criterion, lambda row: ("criterion", _describe_note(row))),
    (Bug, lambda row: (Message("bug"), _describe_bug(row))),
    (Review, _describe_review),
    (Vote, lambda row: (Message("vote"), Message("on {question}", question=row.question))),
    (Comment, lambda row: ("comment", row.text)),
    (Revision, lambda row: (Message("edit of the {artefact}", artefact=mark_word(row.artefact)), _describe_note(row))),
    (Confirmation, lambda row: (f"{row.verdict} the {row.artefact}", _describe_note(row))),
    (Resolution, _describe_resolution),
    (Lock, lambda row: ("lock" if row.locked else "unlock", row.reason)),
    (Label, lambda row: ("label", f"{row.name.replace('_', ' ')}: {row.before or 'none'} → {row.value or 'none'}")),
)


def load_subject_history(db: Session, subject_id: str) -> tuple[HistoryRow, ...]:
    """Return every act on a subject, including undone ones, newest first."""
    names = {person.id: person.name for person in db.exec(select(Annotator))}
    subject = find_subject(db, subject_id)

    def row_of(work: Any, text: ActText, *, is_active: bool) -> HistoryRow:
        act, detail = text
        return HistoryRow(
            created_at=work.created_at,
            annotator=names[work.annotator_id],
            act=act,
            detail=detail,
            active=is_active,
        )

    rows = []
    import_change = db.exec(select(Change).where(Change.id == subject.change_id)).first()
    if import_change is not None:
        rows.append(row_of(import_change, (Message("import"), label_of(import_change)), is_active=subject.active))
    for model, describe in _DESCRIPTIONS:
        work_rows: Any = db.exec(select(model).where(model.subject_id == subject.id))  # type: ignore[attr-defined]  # all are SubjectWork
        rows += [row_of(row, describe(row), is_active=row.active) for row in work_rows]
    for row in db.exec(select(Allotment).where(Allotment.subject_id == subject.id)):
        holder = names[row.person_id] if row.person_id else Message("nobody")
        rows.append(row_of(row, ("allotment", Message("assigned to {holder}", holder=holder)), is_active=row.active))
    judged = select(Judgement).join(Pair, col(Pair.id) == Judgement.pair_id).where(Pair.subject_id == subject.id)
    rows += [row_of(row, ("judgement", ""), is_active=row.active) for row in db.exec(judged)]
    unblindings = (
        select(Unblinding, Study.name)
        .join(Study, col(Study.id) == Unblinding.study_id)
        .where(col(Unblinding.study_id).in_(select(Pair.study_id).where(Pair.subject_id == subject.id)))
    )
    rows += [
        row_of(unblinding, ("unblinding", f"{study}: {unblinding.reason}"), is_active=True)
        for unblinding, study in db.exec(unblindings)
    ]
    return tuple(sorted(rows, key=lambda row: row.created_at, reverse=True))
