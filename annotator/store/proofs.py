"""Proofs of criteria: each holds for one criterion and one prompt of a subject."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlmodel import Session, col, select

from annotator.base.errors import BadInputError
from annotator.model.rows import ProofRow
from annotator.model.subject import Subject
from annotator.model.work import Criterion, Proof
from annotator.store import changes

KIND = "criterion"


def add(
    db: Session,
    subject_id: str,
    criterion_id: str,
    prompt_id: str | None,
    outcome: str,
    checks: Sequence[dict[str, Any]],
) -> None:
    """Write what came of proving a criterion together with a prompt (None: the original one)."""
    criterion = db.get(Criterion, criterion_id)
    if criterion is None:
        raise BadInputError("The criterion that was proven is not in this project.")
    db.add(
        Proof(
            subject_id=subject_id,
            content_hash=criterion.content_hash,
            prompt_id=prompt_id,
            kind=KIND,
            outcome=outcome,
            detail={"checks": list(checks)},
        )
    )
    db.flush()
    changes.refresh_subjects(db.connection(), [subject_id])


def newest(db: Session, subject: Subject) -> ProofRow | None:
    """Return the newest proof for what a subject has now, else the newest of all; None if there was none."""
    found = db.exec(
        select(Proof)
        .where(Proof.subject_id == subject.id, Proof.kind == KIND)
        .order_by(col(Proof.created_at).desc(), col(Proof.id).desc())
    ).all()
    if not found:
        return None
    criterion = db.get(Criterion, subject.criterion_id) if subject.criterion_id else None
    digest = criterion.content_hash if criterion else None
    holding = [proof for proof in found if proof.content_hash == digest and proof.prompt_id == subject.prompt_id]
    proof = (holding or found)[0]
    return ProofRow(proof.id, proof.outcome, bool(holding), proof.created_at, tuple(proof.detail.get("checks", ())))
