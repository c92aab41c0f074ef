"""Suggestions of models and the verdicts on them; rewrites of mined code, their tests, and the items made from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlmodel import Session, col, select

from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash
from annotator.base.records import record_from
from annotator.model.changes import Changes
from annotator.model.rows.task_rows import REWRITE_KEY, is_of_rewrite
from annotator.model.rows.view_rows import SuggestionRow
from annotator.model.tables.project_tables import Annotator, Change
from annotator.model.tables.subject_tables import Subject, SubjectText
from annotator.model.tables.work_tables import CoverageNote, Label, Rewriting, Suggestion, SuggestionVerdict
from annotator.store.core_tables import chunks
from annotator.store.history import undo_log
from annotator.store.judging import stored_consensus

KIND = "rewrite"
ACCEPTED, REJECTED, OPEN = "accepted", "rejected", "open"


def add_rewrite(
    db: Session,
    annotator_id: str,
    subject_id: str,
    document: Mapping[str, Any],
    label: str,
    *,
    accepted: Suggestion | None = None,
) -> Changes:
    """Record a revision of a subject's rewrite; in the same change, accept the suggestion that it is based on."""
    row = Rewriting(subject_id=subject_id, document=dict(document), content_hash=content_hash(document))
    return _write_rewrite(db, annotator_id, row, label, accepted)


def _write_rewrite(
    db: Session,
    annotator_id: str,
    row: Rewriting | CoverageNote,
    label: str,
    accepted: Suggestion | None = None,
) -> Changes:
    nouns = ["rewrite", *(["suggestion"] if accepted is not None else [])]
    change = undo_log.record_change(db, annotator_id, label, nouns)
    if accepted is not None:
        decide_suggestion(db, change, accepted, ACCEPTED)
    undo_log.write_work(db, change, row)
    return Changes(frozenset(nouns), frozenset({row.subject_id}), label, change.id)


def find_newest_rewrite(db: Session, subject_id: str) -> Rewriting | None:
    """Return the newest active rewrite of a subject."""
    query = select(Rewriting).where(Rewriting.subject_id == subject_id, col(Rewriting.active))
    return db.exec(query.order_by(col(Rewriting.created_at).desc(), col(Rewriting.id).desc()).limit(1)).first()


def load_current_rewrite(db: Session, subject_id: str) -> tuple[dict[str, Any], str] | None:
    """Return the newest active rewrite of a subject and its content hash."""
    rewrite = find_newest_rewrite(db, subject_id)
    return (rewrite.document, rewrite.content_hash) if rewrite else None


def list_rewritten_subjects(db: Session) -> frozenset[str]:
    """Return the ids of the subjects that have a rewrite."""
    return frozenset(db.exec(select(Rewriting.subject_id).where(col(Rewriting.active)).distinct()))


def find_rewrite_authors(db: Session, subject_id: str | None = None) -> dict[str, set[str]]:
    """Return subject -> ids of the authors of its rewrite and coverage notes, for one subject or all."""
    authors_by_subject: dict[str, set[str]] = {}
    for model in (Rewriting, CoverageNote):
        query = select(model.subject_id, model.annotator_id).where(col(model.active))
        if subject_id is not None:
            query = query.where(model.subject_id == subject_id)
        for subject, person in db.exec(query):
            authors_by_subject.setdefault(subject, set()).add(person)
    return authors_by_subject


def rewrite_items_by_key(db: Session) -> dict[str, list[Subject]]:
    """Return key of a rewritten subject -> the active items made from its rewrite."""
    query = (
        select(Subject, SubjectText.provenance)
        .join(SubjectText, col(SubjectText.subject_id) == Subject.id)
        .where(col(Subject.active), col(Subject.key).startswith(REWRITE_KEY, autoescape=True))
        .order_by(col(Subject.key))
    )
    items_by_parent: dict[str, list[Subject]] = {}
    for subject, provenance in db.exec(query):
        items_by_parent.setdefault(str(provenance.get("made_from") or ""), []).append(subject)
    return items_by_parent


def find_parent(db: Session, subject: Subject) -> Subject:
    """Return the subject whose rewrite an item was made from, or the subject itself if there is none."""
    return find_parents(db, [subject])[0]


def find_parents(db: Session, subjects: Sequence[Subject]) -> list[Subject]:
    """Return the parent of each subject (see `find_parent`), in order; subjects without one are returned unchanged."""
    item_ids = [subject.id for subject in subjects if is_of_rewrite(subject.key)]
    if not item_ids:
        return list(subjects)
    keys: dict[str, str] = {}
    for part in chunks(item_ids):
        query = select(SubjectText.subject_id, SubjectText.provenance).where(col(SubjectText.subject_id).in_(part))
        keys.update({subject: str(provenance.get("made_from") or "") for subject, provenance in db.exec(query)})
    parents: dict[str, Subject] = {}
    for part in chunks(sorted(set(keys.values()))):
        parent_rows = db.exec(select(Subject).where(col(Subject.key).in_(part), col(Subject.active)))
        parents.update({subject.key: subject for subject in parent_rows})
    return [parents.get(keys.get(subject.id, ""), subject) for subject in subjects]


def find_panel_experts(db: Session, subject_id: str | None = None) -> dict[str, set[str]]:
    """Return subject -> ids of its experts, who may not vote on its panel, for one subject or all.

    A rewritten subject's experts include the rewrite's authors and the experts of the items made from it.
    """
    experts_by_subject = find_rewrite_authors(db, subject_id)
    for subject, experts in stored_consensus.fetch_experts(db, subject_id).items():
        experts_by_subject.setdefault(subject, set()).update(experts)
    items_by_parent = rewrite_items_by_key(db)
    if items_by_parent:
        all_experts = stored_consensus.fetch_experts(db)
        for part in chunks(items_by_parent):
            query = select(Subject.id, Subject.key).where(col(Subject.active), col(Subject.key).in_(part))
            for subject, key in db.exec(query):
                if subject_id in (None, subject):
                    experts_by_subject.setdefault(subject, set()).update(
                        *(all_experts.get(item.id, ()) for item in items_by_parent[key])
                    )
    return experts_by_subject


def refuse_voters(db: Session, annotator_id: str, subject: Subject) -> None:
    """Raise `BadInputError` if a person has voted on a subject, or on the rewrite it was made from."""
    parent = find_parent(db, subject)
    if annotator_id in stored_consensus.fetch_newest_votes(db, parent.id).get(parent.id, {}):
        raise BadInputError(
            f"You have voted on {parent.title}, so you may not edit or confirm its solution and tests. "
            "Nothing was changed."
        )


def add_exception(
    db: Session, annotator_id: str, subject_id: str, digest: str, language: str, reason: str, label: str
) -> Changes:
    """Record why a reference may stay below full coverage; this replaces an earlier reason for the same content."""
    row = CoverageNote(subject_id=subject_id, content_hash=digest, language=language, reason=reason)
    return _write_rewrite(db, annotator_id, row, label)


def confirm_exception(
    db: Session, annotator_id: str, subject_id: str, digest: str, language: str, label: str
) -> Changes:
    """Record another person's agreement with a reason. Raises `BadInputError` if it is missing or one's own."""
    exception = _find_exception(db, subject_id, digest, language)
    if exception is None:
        raise BadInputError(f"There is no reason for {language} that could be confirmed. Nothing was changed.")
    if exception.annotator_id == annotator_id:
        raise BadInputError("A reason must be confirmed by a person other than its author. Nothing was changed.")
    row = CoverageNote(subject_id=subject_id, content_hash=digest, language=language, exception_id=exception.id)
    return _write_rewrite(db, annotator_id, row, label)


def fetch_coverage_exceptions(db: Session, subject_id: str, digest: str) -> dict[str, tuple[str, str, tuple[str, ...]]]:
    """Return the current reasons for this content: language → (reason, author, confirming people)."""
    names = {person.id: person.name for person in db.exec(select(Annotator))}
    notes = db.exec(
        select(CoverageNote).where(
            CoverageNote.subject_id == subject_id, CoverageNote.content_hash == digest, col(CoverageNote.active)
        )
    ).all()
    reasons = {}
    for language in {note.language for note in notes}:
        exception = _find_exception(db, subject_id, digest, language)
        if exception is not None:
            confirming = {names[note.annotator_id] for note in notes if note.exception_id == exception.id}
            reasons[language] = (exception.reason, names[exception.annotator_id], tuple(sorted(confirming)))
    return reasons


def fetch_coverage_reasons(db: Session) -> dict[str, str]:
    """Return the current reasons for uncovered code, by the subject's key and the language."""
    query = select(CoverageNote, Subject.key).join(Subject, col(Subject.id) == CoverageNote.subject_id)
    query = query.where(col(CoverageNote.active), col(CoverageNote.exception_id).is_(None))
    rows = db.exec(query.order_by(col(CoverageNote.created_at), col(CoverageNote.id)))
    return {f"{key}, {note.language}": note.reason for note, key in rows}


def _find_exception(db: Session, subject_id: str, digest: str, language: str) -> CoverageNote | None:
    query = select(CoverageNote).where(
        CoverageNote.subject_id == subject_id,
        CoverageNote.content_hash == digest,
        CoverageNote.language == language,
        col(CoverageNote.exception_id).is_(None),
        col(CoverageNote.active),
    )
    return db.exec(query.order_by(col(CoverageNote.created_at).desc(), col(CoverageNote.id).desc()).limit(1)).first()


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
        record_from(SuggestionRow, suggestion, key=key, state=states.get(suggestion.id, OPEN), problems=())
        for suggestion, key in db.exec(query.order_by(col(Suggestion.created_at).desc(), col(Suggestion.id).desc()))
    ]
    return tuple(row for row in rows if row.state == OPEN or not only_open)


def find_suggestion(db: Session, suggestion_id: str) -> Suggestion:
    """Return a suggestion by its id or a prefix. Raises `BadInputError` if there is none, or several."""
    matches = db.exec(select(Suggestion).where(col(Suggestion.id).startswith(suggestion_id, autoescape=True))).all()
    if len(matches) != 1:
        match_count = "no suggestion" if not matches else "more than one suggestion"
        raise BadInputError(f"There is {match_count} {suggestion_id} in this project. Nothing was changed.")
    return matches[0]


def decide_suggestion(db: Session, change: Change, suggestion: Suggestion, verdict: str) -> None:
    """Record that somebody accepted or rejected a suggestion, under an entry of the log."""
    row = SuggestionVerdict(subject_id=suggestion.subject_id, suggestion_id=suggestion.id, verdict=verdict)
    undo_log.write_work(db, change, row)


def label_of(subject: Subject, field: str, value: str, origin: str) -> Label:
    """Return a row that sets a label of a subject."""
    return Label(subject_id=subject.id, name=field, value=value, before=getattr(subject, field), origin=origin)
