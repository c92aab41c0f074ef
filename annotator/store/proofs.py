"""Proofs of how subjects are judged: each holds for one criterion (or the subject's own tests) and one prompt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlmodel import Session, col, select

from annotator.model.rows import ProofRow
from annotator.model.subject import Subject
from annotator.model.work import Criterion, Proof
from annotator.store import changes

CRITERION, TESTS = "criterion", "tests"


def add(
    db: Session,
    subject: Subject,
    criterion_hash: str | None,
    prompt_id: str | None,
    outcome: str,
    checks: Sequence[dict[str, Any]],
) -> None:
    """Write what came of proving a criterion (None: the subject's own tests) with a prompt (None: the original)."""
    db.add(
        Proof(
            subject_id=subject.id,
            content_hash=criterion_hash or subject.content_hash,
            prompt_id=prompt_id,
            kind=CRITERION if criterion_hash else TESTS,
            outcome=outcome,
            detail={"checks": list(checks)},
        )
    )
    db.flush()
    changes.refresh_subjects(db.connection(), [subject.id])


def newest(db: Session, subject: Subject) -> ProofRow | None:
    """Return the newest proof for what a subject has now, else the newest of all; None if there was none."""
    found = db.exec(
        select(Proof)
        .where(Proof.subject_id == subject.id, col(Proof.kind).in_((CRITERION, TESTS)))
        .order_by(col(Proof.created_at).desc(), col(Proof.id).desc())
    ).all()
    if not found:
        return None
    criterion = db.get(Criterion, subject.criterion_id) if subject.criterion_id else None
    digest = criterion.content_hash if criterion else subject.content_hash
    holding = [proof for proof in found if proof.content_hash == digest and proof.prompt_id == subject.prompt_id]
    proof = (holding or found)[0]
    return ProofRow(proof.id, proof.outcome, bool(holding), proof.created_at, tuple(proof.detail.get("checks", ())))
