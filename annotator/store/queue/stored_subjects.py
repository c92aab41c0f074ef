"""Find subjects, and load one with everything that a page shows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from annotator.base.errors import BadInputError
from annotator.base.records import record_from
from annotator.model.rows.queue_rows import SubjectRow
from annotator.model.rows.view_rows import CriterionRow, DecisionRow, PromptRow, ResponseRow, SubjectView, TestRow
from annotator.model.tables.project_tables import Annotator
from annotator.model.tables.run_tables import ModelUnderTest, Response
from annotator.model.tables.subject_tables import Subject, SubjectText
from annotator.model.tables.table_columns import SubjectWork
from annotator.model.tables.work_tables import Criterion, Decision, Prompt
from annotator.store.core_tables import SUBJECT, SUBJECT_TEXT, as_stored, is_chosen
from annotator.store.queue import bulk_acts
from annotator.store.work import artefacts, stored_proofs

_NAMES_IN_QUERY = 10_000
"""Each is a parameter twice; PostgreSQL takes at most 65,535, SQLite 32,766."""
WorkRow = TypeVar("WorkRow", PromptRow, CriterionRow)


def find_subject(db: Session, id_or_key: str) -> Subject:
    """Return a subject by its id, its key, the part of its key after a colon, or its mined function's name.

    A method is also found without its class, unless a function has that name. Raises `BadInputError` if there is none,
    or if a short form is ambiguous.
    """
    exact = db.exec(select(Subject).where((Subject.id == id_or_key) | (Subject.key == id_or_key))).first()
    if exact is not None:
        return exact
    escaped = id_or_key.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    # Keys of mined code end in "#FUNCTION@LINE" or "#CLASS.METHOD@LINE"; a slash follows in those of items.
    key = col(Subject.key)
    is_mined = ~key.like("%#%@%/%")
    is_function = key.like(f"%:{escaped}", escape="\\") | (key.like(f"%#{escaped}@%", escape="\\") & is_mined)
    is_method = key.like(f"%#%.{escaped}@%", escape="\\") & is_mined
    for condition in (is_function, is_method):
        matches = db.exec(select(Subject).where(condition).limit(2)).all()
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise BadInputError(
                f"Several subjects fit {id_or_key}, such as {matches[0].key} and {matches[1].key}. Give the whole key."
            )
    raise BadInputError(f"There is no subject {id_or_key} in this project. Nothing was changed.")


def find_subjects(db: Session, ids_or_keys: Iterable[str]) -> list[Subject]:
    """Return subjects in the given order, each by any name that `find_subject` accepts, with few queries."""
    names = list(ids_or_keys)
    exact: dict[str, Subject] = {}
    for start in range(0, len(names), _NAMES_IN_QUERY):
        batch = names[start : start + _NAMES_IN_QUERY]
        for subject in db.exec(select(Subject).where(col(Subject.id).in_(batch) | col(Subject.key).in_(batch))):
            exact[subject.id] = exact[subject.key] = subject
    return [exact.get(name) or find_subject(db, name) for name in names]


def list_keys(db: Session) -> tuple[str, ...]:
    """Return the keys of all subjects in the order of import."""
    return tuple(db.exec(select(Subject.key).where(col(Subject.active)).order_by(col(Subject.row))))


def choose_subjects(db: Session, rows: Sequence[int]) -> tuple[int, str]:
    """Choose the subjects at some rows of the queue for a bulk act; missing rows are left out.

    Returns their number, and the title if there is only one.
    """
    connection = db.connection()
    count = bulk_acts.choose_rows(connection, rows)
    title = select_columns(SUBJECT.c.title).where(is_chosen(SUBJECT.c.row))
    return count, connection.execute(title).scalar_one() if count == 1 else ""


def load_criterion_files(db: Session, subject_id: str) -> dict[str, str]:
    """Return the files that a subject's criterion may refer to, by name."""
    texts = db.get(SubjectText, subject_id)
    return dict(texts.extra.get("files", {})) if texts else {}


def fetch_extras(db: Session, name: str) -> list[Any]:
    """Return the values under a name in the subjects' ``extra`` documents; the name may contain only letters."""
    # LIKE finds the documents and Python reads them, because imported JSON may be invalid for a server's JSON type.
    extra_column = as_stored(SUBJECT_TEXT.c.extra)
    texts = db.connection().scalars(select_columns(extra_column).where(extra_column.like(f'%"{name}"%')))
    documents = (json.loads(text) for text in texts)
    return [extra[name] for extra in documents if isinstance(extra, dict) and extra.get(name) is not None]


def count_dependencies(db: Session) -> list[tuple[str, str, int]]:
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


def load_origin(db: Session, subject_id: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a subject's provenance, and its extra document (for constructed items, their sources)."""
    query = select(SubjectText.provenance, SubjectText.extra).where(SubjectText.subject_id == subject_id)
    provenance, extra = db.exec(query).one()
    return dict(provenance), dict(extra)


def as_row(subject: Subject) -> SubjectRow:
    """Return a subject as a row of a list."""
    has_work = {"has_prompt": subject.prompt_id is not None, "has_criterion": subject.criterion_id is not None}
    return record_from(SubjectRow, subject, **has_work)


def load_subject_view(db: Session, id_or_key: str) -> SubjectView:
    """Return a subject with its texts, tests, current work and stored sample responses."""
    return view_of(db, find_subject(db, id_or_key))


def view_of(db: Session, subject: Subject) -> SubjectView:
    """Return a loaded subject with its texts, tests, current work and stored sample responses."""
    texts = db.get(SubjectText, subject.id) or SubjectText(subject_id=subject.id)
    names = {person.id: person.name for person in db.exec(select(Annotator))}
    return record_from(
        SubjectView,
        texts,
        row=as_row(subject),
        reference=artefacts.current_solution(db, subject.id, texts.reference),
        licence=subject.licence,
        question_type=subject.question_type,
        files=load_criterion_files(db, subject.id),
        extra={name: value for name, value in texts.extra.items() if name != "files"},
        tests=tuple(record_from(TestRow, test) for test in artefacts.current_tests(db, subject.id)),
        paraphrase=_current_work(db, Prompt, subject.prompt_id, PromptRow, names),
        criterion=_current_work(db, Criterion, subject.criterion_id, CriterionRow, names),
        edits=artefacts.current_edits(db, subject.id),
        proof=stored_proofs.newest_proof_row(db, subject),
        decisions=_fetch_decisions(db, subject.id, names),
        responses=fetch_sample_responses(db, subject.id),
        holder=names.get(subject.holder_id or "", ""),
        blind_study="",
    )


def _current_work(
    db: Session, model: type[SubjectWork], row_id: str | None, row_type: type[WorkRow], names: dict[str, str]
) -> WorkRow | None:
    """Return the row that shows a revision, None without a revision."""
    work = db.get(model, row_id) if row_id else None
    return None if work is None else record_from(row_type, work, annotator=names[work.annotator_id])


def _fetch_decisions(db: Session, subject_id: str, names: dict[str, str]) -> tuple[DecisionRow, ...]:
    query = select(Decision).where(Decision.subject_id == subject_id, col(Decision.active))
    rows = db.exec(query.order_by(col(Decision.created_at).desc(), col(Decision.id).desc()))
    return tuple(record_from(DecisionRow, decision, annotator=names[decision.annotator_id]) for decision in rows)


def fetch_sample_responses(db: Session, subject_id: str) -> tuple[ResponseRow, ...]:
    """Return the sample responses kept to try criteria on, by model and sample."""
    query = (
        select(Response, ModelUnderTest.name)
        .join(ModelUnderTest, col(ModelUnderTest.id) == Response.model_id)
        .where(Response.subject_id == subject_id, col(Response.run_id).is_(None))
        .order_by(ModelUnderTest.name, col(Response.sample))
    )
    return tuple(ResponseRow(response.id, name, response.sample, response.text) for response, name in db.exec(query))
