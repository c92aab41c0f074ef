"""Import labels from other tools: find subjects, read existing answers, and write rows of several people."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, select
from sqlmodel import Session
from sqlmodel import select as select_rows

from annotator.model.tables.judging_tables import Assignment, BlindKey, Study
from annotator.model.tables.project_tables import Change
from annotator.model.tables.table_columns import ExpertWork
from annotator.model.tables.work_tables import Judgement, Pair
from annotator.model.vocabulary import ASPECTS
from annotator.store.core_tables import COMMENT, DECISION, LABEL, PROMPT, REVIEW, SUBJECT, SUBJECT_TEXT, VOTE, chunks
from annotator.store.history import undo_log

Slot = tuple[str, str, str]
"""Subject, person, and question: "decision", "vote:realistic", "label:domain", "review:correctness"."""


@dataclass(slots=True)
class TaskMatches:
    """The ids of matching subjects by requested name and text; several if a match is ambiguous."""

    by_name: dict[str, set[str]] = field(default_factory=dict)
    by_text: dict[str, set[str]] = field(default_factory=dict)


def plain_text(text: str) -> str:
    """Return a text with all whitespace collapsed to single spaces."""
    return " ".join(text.split())


def find_tasks(db: Session, names: Collection[str], texts: Collection[str]) -> TaskMatches:
    """Return the subjects with some names (id, key, or the part of the key after a colon) or texts (`plain_text`).

    A text is the original prompt or its paraphrase. All subjects are read once, regardless of the number of names.
    """
    matches = TaskMatches()
    requested_names, requested_texts = set(names), set(texts)
    paraphrase = PROMPT.alias("paraphrase")
    query = (
        select(SUBJECT.c.id, SUBJECT.c.key, SUBJECT_TEXT.c.prompt, paraphrase.c.text)
        .join_from(SUBJECT, SUBJECT_TEXT, SUBJECT_TEXT.c.subject_id == SUBJECT.c.id)
        .outerjoin(paraphrase, paraphrase.c.id == SUBJECT.c.prompt_id)
        .where(SUBJECT.c.active)
    )
    for subject, key, prompt, paraphrase_text in db.connection().execute(query):
        for name in {subject, key, key.partition(":")[2]} & requested_names:
            matches.by_name.setdefault(name, set()).add(subject)
        for text in {plain_text(prompt or ""), plain_text(paraphrase_text or "")} & requested_texts:
            matches.by_text.setdefault(text, set()).add(subject)
    return matches


def active_answers(db: Session, subject_ids: Collection[str]) -> dict[Slot, list[tuple[str, str]]]:
    """Return slot -> (value, time) of all active answers about some subjects, oldest first."""
    answers: dict[Slot, list[tuple[str, str]]] = {}
    sources: tuple[tuple[Any, ColumnElement[str] | None, str, str], ...] = (
        (DECISION, None, "decision", "verdict"),
        (VOTE, VOTE.c.question, "vote:", "choice"),
        (LABEL, LABEL.c.name, "label:", "value"),
        (COMMENT, None, "comment", "text"),
        *((REVIEW, None, f"review:{name}", name) for name in ASPECTS),
    )
    for work, question, prefix, value in sources:
        columns = [work.c.subject_id, work.c.annotator_id, work.c[value], work.c.created_at]
        columns += [question] if question is not None else []
        for part in chunks(sorted(subject_ids)):
            query = select(*columns).where(work.c.active, work.c.subject_id.in_(part))
            for row in db.connection().execute(query.order_by(work.c.created_at, work.c.id)):
                if row[2] is not None:
                    name = prefix + (row[4] if question is not None else "")
                    answers.setdefault((row[0], row[1], name), []).append((str(row[2]), row[3]))
    return answers


def sourced_labels(db: Session, subject_ids: Collection[str], names: Iterable[str]) -> dict[tuple[str, str], str]:
    """Return (subject, label) -> the imported value, which is the one before any person's first label."""
    labels: dict[tuple[str, str], str] = {}
    for part in chunks(sorted(subject_ids)):
        current = select(SUBJECT.c.id, *(SUBJECT.c[name] for name in names)).where(SUBJECT.c.id.in_(part))
        for row in db.connection().execute(current).mappings():
            labels.update({(row["id"], name): row[name] for name in names})
        labels_query = select(LABEL.c.subject_id, LABEL.c.name, LABEL.c.before).where(LABEL.c.subject_id.in_(part))
        newest_first = labels_query.order_by(LABEL.c.created_at.desc(), LABEL.c.id.desc())
        labels.update({(subject, name): before for subject, name, before in db.connection().execute(newest_first)})
    return labels


def find_study_by_name(db: Session, name: str) -> Study | None:
    """Return the active study with a name, None if there is none."""
    return db.exec(select_rows(Study).where(Study.active, Study.name == name)).first()


def judgements_of(db: Session, study_id: str) -> dict[tuple[str, str], str]:
    """Return (subject, rater) -> verdict of every active judgement of a study."""
    query = (
        select(Pair.subject_id, Judgement.annotator_id, Judgement.verdict)  # type: ignore[call-overload]
        .join(Pair, Pair.id == Judgement.pair_id)
        .where(Pair.study_id == study_id, Judgement.active)
    )
    return {(subject, rater): verdict for subject, rater, verdict in db.connection().execute(query)}


@dataclass(slots=True, kw_only=True)
class NewStudyRows:
    """A study whose pairs were judged in another tool, with all its rows."""

    study: Study
    key: BlindKey
    pairs: Sequence[Pair]
    servings: Sequence[Assignment]
    judgements: Sequence[tuple[Judgement, str]]
    """Each judgement with the id of its rater."""


def write_for_people(
    db: Session,
    change: Change,
    rows: Sequence[tuple[ExpertWork, str]],
    subject_ids: Collection[str],
    nouns: Collection[str],
    studies: Sequence[NewStudyRows] = (),
) -> None:
    """Add rows of several people (each with the person's id) under one act of the importing person."""
    for new_study in studies:
        new_study.study.annotator_id, new_study.study.change_id = change.annotator_id, change.id
        db.add(new_study.study)
        db.flush()
        db.add_all(new_study.pairs)
        db.flush()
        db.add_all([new_study.key, *new_study.servings])
        rows = [*rows, *new_study.judgements]
    for row, person in rows:
        row.annotator_id, row.change_id = person, change.id
    db.add_all([row for row, _ in rows])
    nouns_before = {noun for noun in change.nouns if not noun.startswith("{")}
    change.nouns = undo_log.encode_nouns(nouns_before | set(nouns), undo_log.label_of(change))
    db.add(change)
    db.flush()
    undo_log.refresh_subjects(db.connection(), subject_ids)


def change_of(db: Session, change_id: str) -> Change:
    """Return an entry of the log that this transaction has opened."""
    return db.exec(select_rows(Change).where(Change.id == change_id)).one()
