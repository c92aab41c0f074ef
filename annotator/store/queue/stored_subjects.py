"""Load one subject with everything that a page shows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from annotator.base.errors import BadInputError
from annotator.model.rows.queue_rows import SubjectRow
from annotator.model.rows.view_rows import CriterionRow, DecisionRow, PromptRow, ResponseRow, SubjectView, TestRow
from annotator.model.tables.project_tables import Annotator
from annotator.model.tables.run_tables import ModelUnderTest, Response
from annotator.model.tables.subject_tables import Subject, SubjectText
from annotator.model.tables.work_tables import Criterion, Decision, Prompt
from annotator.store.core_tables import SUBJECT, SUBJECT_TEXT, as_stored, is_chosen
from annotator.store.queue import bulk_acts
from annotator.store.work import artefacts, stored_proofs


def find_subject(db: Session, id_or_key: str) -> Subject:
    """Return a subject by its id, its key, the part of its key after a colon, or its mined function's name.

    Raises `BadInputError` if there is none, or if a short form is ambiguous.
    """
    exact = db.exec(select(Subject).where((Subject.id == id_or_key) | (Subject.key == id_or_key))).first()
    if exact is not None:
        return exact
    escaped = id_or_key.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    # Keys of mined code end in "#FUNCTION@LINE", behind which items made from it have a slash.
    key = col(Subject.key)
    mined = key.like(f"%#{escaped}@%", escape="\\") & ~key.like(f"%#{escaped}@%/%", escape="\\")
    matches = db.exec(select(Subject).where(key.like(f"%:{escaped}", escape="\\") | mined).limit(3)).all()
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise BadInputError(
            f"Several subjects fit {id_or_key}, such as {matches[0].key} and {matches[1].key}. Give the whole key."
        )
    raise BadInputError(f"There is no subject {id_or_key} in this project. Nothing was changed.")


def keys_in_order(db: Session) -> tuple[str, ...]:
    """Return the keys of all subjects in the order of import."""
    return tuple(db.exec(select(Subject.key).where(col(Subject.active)).order_by(col(Subject.row))))


def choose_subjects(db: Session, rows: Sequence[int]) -> tuple[int, str]:
    """Choose the subjects at some rows of the queue for a bulk act; missing rows are left out.

    Returns their number, and the title if there is only one.
    """
    connection = db.connection()
    many = bulk_acts.choose_rows(connection, rows)
    title = select_columns(SUBJECT.c.title).where(is_chosen(SUBJECT.c.row))
    return many, connection.execute(title).scalar_one() if many == 1 else ""


def criterion_files(db: Session, subject_id: str) -> dict[str, str]:
    """Return the files that a subject's criterion may refer to, by name."""
    texts = db.get(SubjectText, subject_id)
    return dict(texts.extra.get("files", {})) if texts else {}


def fetch_extras(db: Session, name: str) -> list[Any]:
    """Return the values of one name in the subjects' ``extra`` documents; the name must consist of letters only."""
    # LIKE finds the documents and Python reads them: imported JSON may be anything, which a server's JSON type refuses.
    extra_column = as_stored(SUBJECT_TEXT.c.extra)
    texts = db.connection().scalars(select_columns(extra_column).where(extra_column.like(f'%"{name}"%')))
    documents = (json.loads(text) for text in texts)
    return [extra[name] for extra in documents if isinstance(extra, dict) and extra.get(name) is not None]


def dependency_counts(db: Session) -> list[tuple[str, str, int]]:
    """Return (key, domain, number of dependencies) of the subjects with known dependencies, without rejected ones."""
    query = (
        select(Subject.key, Subject.domain, SubjectText.dependencies)
        .join(SubjectText, col(SubjectText.subject_id) == Subject.id)
        .where(col(Subject.active), col(Subject.verdict).is_distinct_from("reject"))
        .order_by(col(Subject.row))
    )
    return [
        (key, domain, sum(len(names) for names in dependencies.values() if isinstance(names, list)))
        for key, domain, dependencies in db.exec(query)
        if dependencies
    ]


def origin_of(db: Session, subject_id: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a subject's provenance, and its extra document (for constructed items, their sources)."""
    query = select(SubjectText.provenance, SubjectText.extra).where(SubjectText.subject_id == subject_id)
    provenance, extra = db.exec(query).one()
    return dict(provenance), dict(extra)


def as_row(subject: Subject) -> SubjectRow:
    """Return the list form of a subject."""
    return SubjectRow(
        row=subject.row or 0,
        id=subject.id,
        key=subject.key,
        title=subject.title,
        task=subject.task,
        language=subject.language,
        domain=subject.domain,
        area=subject.area,
        difficulty=subject.difficulty,
        verdict=subject.verdict,
        has_prompt=subject.prompt_id is not None,
        has_criterion=subject.criterion_id is not None,
        views=subject.views,
        proven=subject.proven,
    )


def load_subject_view(db: Session, id_or_key: str) -> SubjectView:
    """Return a subject with its texts, tests, current work and stored sample responses."""
    return view_of(db, find_subject(db, id_or_key))


def view_of(db: Session, subject: Subject) -> SubjectView:
    """Return a loaded subject with its texts, tests, current work and stored sample responses."""
    texts = db.get(SubjectText, subject.id) or SubjectText(subject_id=subject.id)
    names = {person.id: person.name for person in db.exec(select(Annotator))}
    return SubjectView(
        row=as_row(subject),
        prompt=texts.prompt,
        reference=artefacts.current_solution(db, subject.id, texts.reference),
        context=texts.context,
        entry_point=texts.entry_point,
        licence=subject.licence,
        question_type=subject.question_type,
        provenance=texts.provenance,
        dependencies=texts.dependencies,
        files=criterion_files(db, subject.id),
        extra={name: value for name, value in texts.extra.items() if name != "files"},
        tests=tuple(
            TestRow(
                name=test["name"],
                language=test["language"],
                code=test["code"],
                inputs=test["inputs"],
                expected=test["expected"],
                timeout=test["timeout"],
            )
            for test in artefacts.current_tests(db, subject.id)
        ),
        paraphrase=_prompt(db, subject.prompt_id, names),
        criterion=_criterion(db, subject.criterion_id, names),
        edits=artefacts.current_edits(db, subject.id),
        proof=stored_proofs.newest_proof_row(db, subject),
        decisions=_decisions(db, subject.id, names),
        responses=stored_responses(db, subject.id),
        holder=names.get(subject.holder_id or "", ""),
    )


def _prompt(db: Session, prompt_id: str | None, names: dict[str, str]) -> PromptRow | None:
    prompt = db.get(Prompt, prompt_id) if prompt_id else None
    if prompt is None:
        return None
    return PromptRow(
        id=prompt.id,
        text=prompt.text,
        note=prompt.note,
        annotator=names[prompt.annotator_id],
        created_at=prompt.created_at,
        origin=prompt.origin,
    )


def _criterion(db: Session, criterion_id: str | None, names: dict[str, str]) -> CriterionRow | None:
    criterion = db.get(Criterion, criterion_id) if criterion_id else None
    if criterion is None:
        return None
    return CriterionRow(
        id=criterion.id,
        source=criterion.source,
        content_hash=criterion.content_hash,
        annotator=names[criterion.annotator_id],
        created_at=criterion.created_at,
    )


def _decisions(db: Session, subject_id: str, names: dict[str, str]) -> tuple[DecisionRow, ...]:
    query = select(Decision).where(Decision.subject_id == subject_id, col(Decision.active))
    rows = db.exec(query.order_by(col(Decision.created_at).desc(), col(Decision.id).desc()))
    return tuple(
        DecisionRow(
            verdict=item.verdict,
            reason=item.reason,
            annotator=names[item.annotator_id],
            created_at=item.created_at,
            id=item.id,
        )
        for item in rows
    )


def stored_responses(db: Session, subject_id: str) -> tuple[ResponseRow, ...]:
    """Return the sample responses kept to try criteria on, by model and sample."""
    query = (
        select(Response, ModelUnderTest.name)
        .join(ModelUnderTest, col(ModelUnderTest.id) == Response.model_id)
        .where(Response.subject_id == subject_id, col(Response.run_id).is_(None))
        .order_by(ModelUnderTest.name, col(Response.sample))
    )
    return tuple(ResponseRow(item.id, name, item.sample, item.text) for item, name in db.exec(query))
