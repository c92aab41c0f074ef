"""The solution and the tests of a subject as experts left them: the newest edit that stands, else the original."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlmodel import Session, col, select

from annotator.base.ids import content_hash
from annotator.model.judging import Revision
from annotator.model.subject import TestCase

SOLUTION, TESTS = "solution", "tests"
ARTEFACTS = (SOLUTION, TESTS)


def newest(db: Session, subject_id: str, artefact: str) -> Revision | None:
    """Return the newest edit of an artefact that stands, None if nobody has edited it."""
    query = select(Revision).where(
        Revision.subject_id == subject_id, Revision.artefact == artefact, col(Revision.active)
    )
    return db.exec(query.order_by(col(Revision.created_at).desc(), col(Revision.id).desc())).first()


def solution(db: Session, subject_id: str, original: str) -> str:
    """Return a subject's reference solution as it stands now."""
    found = newest(db, subject_id, SOLUTION)
    return found.content if found else original


def tests(db: Session, subject_id: str) -> list[dict[str, Any]]:
    """Return a subject's tests as they stand now, as JSON objects in their order."""
    found = newest(db, subject_id, TESTS)
    if found is not None:
        return list(json.loads(found.content))
    query = select(TestCase).where(TestCase.subject_id == subject_id).order_by(col(TestCase.position))
    return [as_object(test) for test in db.exec(query)]


def as_object(test: TestCase) -> dict[str, Any]:
    """Return a test as a JSON object."""
    return {
        "name": test.name,
        "language": test.language,
        "code": test.code,
        "inputs": test.inputs,
        "expected": test.expected,
        "weight": test.weight,
        "timeout": test.timeout,
    }


def digest(artefact: str, content: str | Sequence[dict[str, Any]]) -> str:
    """Return the hash that confirmations hang on."""
    return content_hash({artefact: content})
