"""The current solution and tests of a subject: the newest active edit, or else the original."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from sqlalchemy import bindparam
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from annotator.model.contents import hash_artefact
from annotator.model.tables.judging_tables import Revision
from annotator.model.tables.subject_tables import Subject, SubjectText, TestCase
from annotator.store.history import undo_log

SOLUTION, TESTS = "solution", "tests"
ARTEFACTS = (SOLUTION, TESTS)
TEST_FIELDS = ("name", "language", "code", "inputs", "expected", "weight", "timeout")
"""The fields of a test in the order of its JSON."""


def newest_edit(db: Session, subject_id: str, artefact: str) -> Revision | None:
    """Return the newest active edit of an artefact, None if nobody has edited it."""
    query = select(Revision).where(
        Revision.subject_id == subject_id, Revision.artefact == artefact, col(Revision.active)
    )
    return db.exec(query.order_by(col(Revision.created_at).desc(), col(Revision.id).desc())).first()


def current_solution(db: Session, subject_id: str, original: str) -> str:
    """Return a subject's current reference solution."""
    edit = newest_edit(db, subject_id, SOLUTION)
    return edit.content if edit else original


def original_solution(db: Session, subject_id: str) -> str:
    """Return a subject's original reference solution."""
    texts = db.get(SubjectText, subject_id)
    return texts.reference if texts else ""


def current_tests(db: Session, subject_id: str) -> list[dict[str, Any]]:
    """Return a subject's current tests as JSON objects, in order."""
    edit = newest_edit(db, subject_id, TESTS)
    return list(json.loads(edit.content)) if edit is not None else original_tests(db, subject_id)


def original_tests(db: Session, subject_id: str) -> list[dict[str, Any]]:
    """Return a subject's original tests as JSON objects, in order."""
    query = select(TestCase).where(TestCase.subject_id == subject_id).order_by(col(TestCase.position))
    return [as_object(test) for test in db.exec(query)]


def original_digests(db: Session, subject_id: str) -> dict[str, str]:
    """Return the hashes of a subject's original solution and tests, by artefact."""
    rows = json.dumps(original_tests(db, subject_id), ensure_ascii=False, indent=2)
    return {SOLUTION: artefact_digest(SOLUTION, original_solution(db, subject_id)), TESTS: artefact_digest(TESTS, rows)}


def all_solutions(db: Session) -> dict[str, str]:
    """Return the edited solutions by subject; subjects without an edit are left out."""
    return {subject: revision.content for subject, revision in _all_newest(db, SOLUTION).items()}


def all_tests(db: Session) -> dict[str, list[dict[str, Any]]]:
    """Return the current tests of all subjects, by subject."""
    tests_by_subject: dict[str, list[dict[str, Any]]] = {}
    for test in db.exec(select(TestCase).order_by(col(TestCase.subject_id), col(TestCase.position))):
        tests_by_subject.setdefault(test.subject_id, []).append(as_object(test))
    tests_by_subject.update(
        {subject: json.loads(revision.content) for subject, revision in _all_newest(db, TESTS).items()}
    )
    return tests_by_subject


def _all_newest(db: Session, artefact: str) -> dict[str, Revision]:
    query = select(Revision).where(Revision.artefact == artefact, col(Revision.active))
    return {
        revision.subject_id: revision
        for revision in db.exec(query.order_by(col(Revision.created_at), col(Revision.id)))
    }


def as_object(test: TestCase) -> dict[str, Any]:
    """Return a test as a JSON object."""
    return {name: getattr(test, name) for name in TEST_FIELDS}


def current_edits(db: Session, subject_id: str) -> str:
    """Return the hashes of the current edits of a subject's reference and tests, as one text."""
    return db.exec(_current_edits_query(), params={"subject_id": subject_id}).one()


@cache
def _current_edits_query() -> SelectOfScalar[str]:
    """Return the query of `current_edits`. Cached, because it runs for every subject that is shown."""
    return select(undo_log.current_edits()).where(col(Subject.id) == bindparam("subject_id"))


def artefact_digest(artefact: str, content: str) -> str:
    """Return the hash that confirmations refer to."""
    return hash_artefact(artefact, content)
