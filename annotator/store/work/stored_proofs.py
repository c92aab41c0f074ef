"""Proofs of criteria; each applies to one criterion (or the subject's own tests) and one prompt."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import bindparam, case, func
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import Select

from annotator.base.ids import content_hash
from annotator.base.messages import message_document, message_from_document
from annotator.base.records import record_from
from annotator.model.rows.view_rows import ProofRow
from annotator.model.tables.subject_tables import Subject
from annotator.model.tables.work_tables import Proof
from annotator.store.core_tables import (
    PROOF,
    RELEASE,
    RELEASE_ITEM,
    REVISION,
    SUBJECT,
    json_part,
    json_text,
    select_named,
)
from annotator.store.history import undo_log

CRITERION, TESTS = "criterion", "tests"


def add_proof(
    db: Session,
    subject: Subject,
    criterion_hash: str | None,
    prompt_id: str | None,
    outcome: str,
    checks: Sequence[dict[str, Any]],
    mode: Mapping[str, Any] | None = None,
    *,
    edits: str,
    material: str = "",
) -> None:
    """Write the outcome of proving a criterion (None: the subject's own tests) with a prompt (None: the original).

    ``mode`` describes the sandbox mode of the tests; None if unknown or if no code was run. ``edits`` are the current
    edits of reference and tests (`artefacts.current_edits`), ``material`` is the hash of reference, tests and files.
    """
    db.add(
        Proof(
            subject_id=subject.id,
            content_hash=criterion_hash or subject.content_hash,
            prompt_id=prompt_id,
            kind=CRITERION if criterion_hash else TESTS,
            outcome=outcome,
            edits=edits,
            detail={
                "checks": [_with_message_document(check) for check in checks],
                **({"mode": dict(mode)} if mode else {}),
                **({"material": material} if material else {}),
            },
        )
    )
    db.flush()
    undo_log.refresh_subjects(db.connection(), [subject.id])


def record_proof(db: Session, subject_id: str, kind: str, digest: str, outcome: str, detail: Mapping[str, Any]) -> str:
    """Store the outcome of running some content, identified by ``digest``; returns the proof's id."""
    proof = Proof(subject_id=subject_id, content_hash=digest, kind=kind, outcome=outcome, detail=dict(detail))
    db.add(proof)
    db.flush()
    return proof.id


def newest_of(db: Session, subject_id: str, kind: str, digest: str) -> Proof | None:
    """Return the newest proof of a kind for exactly this content, None if there is none."""
    query = select(Proof).where(Proof.subject_id == subject_id, Proof.kind == kind, Proof.content_hash == digest)
    return db.exec(query.order_by(col(Proof.created_at).desc(), col(Proof.id).desc()).limit(1)).first()


def _with_message_document(check: dict[str, Any]) -> dict[str, Any]:
    """Add the template and fields of a check's summary; its English text is kept for older programs."""
    document = message_document(check["summary"])
    return {**check, "message": document} if document else check


def _with_restored_summary(check: dict[str, Any]) -> dict[str, Any]:
    message = check.get("message")
    fields = {name: value for name, value in check.items() if name != "message"}
    return {**fields, "summary": message_from_document(check["summary"], message)} if message else fields


def newest_proof_row(db: Session, subject: Subject) -> ProofRow | None:
    """Return the newest proof that applies to a subject's current content, else the newest of all, or None."""
    newest = db.exec(_newest_proof_query(), params={"subject_id": subject.id}).first()
    if newest is None:
        return None
    proof, is_current = newest
    mode = proof.detail.get("mode") or {}
    return record_from(
        ProofRow,
        proof,
        holds=bool(is_current),
        checks=tuple(map(_with_restored_summary, proof.detail.get("checks", ()))),
        mode=str(mode.get("name", "")),
        mode_reason=str(mode.get("reason", "")),
        material=str(proof.detail.get("material", "")),
    )


@cache
def _newest_proof_query() -> Select[Proof, int]:
    """Return the query of `newest_proof_row`. Cached, because it runs for every subject that is shown."""
    holds = case((undo_log.proof_holds(PROOF), 1), else_=0)
    return (
        select(Proof, holds)
        .join(Subject, col(Subject.id) == Proof.subject_id)
        .where(col(Subject.id) == bindparam("subject_id"), col(Proof.kind).in_((CRITERION, TESTS)))
        .order_by(holds.desc(), col(Proof.created_at).desc(), col(Proof.id).desc())
        .limit(1)
    )


def checks_of_items(db: Session) -> dict[str, tuple[dict[str, Any], ...]]:
    """Return the checks of the newest proof of each accepted subject's current content, by subject."""
    query = (
        select(Proof.subject_id, Proof.detail)
        .join(Subject, col(Subject.id) == Proof.subject_id)
        .where(
            Subject.verdict == "accept",
            col(Subject.active),
            col(Proof.kind).in_((CRITERION, TESTS)),
            undo_log.proof_holds(PROOF),
        )
        .order_by(col(Proof.created_at), col(Proof.id))
    )
    return {subject: tuple(map(_with_restored_summary, detail.get("checks", ()))) for subject, detail in db.exec(query)}


def count_mutants(db: Session, release_id: str) -> dict[str, tuple[int, int]]:
    """Return (detected, tried) mutants of released items' references, by subject, from the newest proof.

    Only proofs of the released criterion (or of the item's own tests) count. Subjects whose reference or tests were
    edited after the proof or the release are left out.
    """
    newest = select_columns(REVISION.c.subject_id, func.max(REVISION.c.created_at)).where(REVISION.c.active)
    revised = {row[0]: row[1] for row in db.connection().execute(newest.group_by(REVISION.c.subject_id))}
    query = (
        select_named(
            subject_id=PROOF.c.subject_id,
            proven_at=PROOF.c.created_at,
            proven_hash=PROOF.c.content_hash,
            own_hash=SUBJECT.c.content_hash,
            released_at=RELEASE.c.created_at,
            criterion=json_text(RELEASE_ITEM.c.item, "criterion"),
            checks=json_part(PROOF.c.detail, "checks"),
        )
        .join_from(PROOF, RELEASE_ITEM, RELEASE_ITEM.c.subject_id == PROOF.c.subject_id)
        .join(RELEASE, RELEASE.c.id == RELEASE_ITEM.c.release_id)
        .join(SUBJECT, SUBJECT.c.id == PROOF.c.subject_id)
        .where(RELEASE.c.id == release_id, PROOF.c.kind.in_((CRITERION, TESTS)))
        .order_by(PROOF.c.created_at, PROOF.c.id)
    )
    mutant_counts: dict[str, tuple[int, int]] = {}
    for row in db.connection().execute(query):
        if row.proven_hash != (content_hash(row.criterion) if row.criterion else row.own_hash):
            continue
        if revised.get(row.subject_id, "") > min(row.proven_at, row.released_at):
            continue
        for check in json.loads(row.checks or "[]"):
            if check.get("name") == "mutants":
                facts = check.get("facts", {})
                mutant_counts[row.subject_id] = (int(facts.get("killed", 0)), int(facts.get("tried", 0)))
    return mutant_counts


def proven_modes(db: Session) -> dict[tuple[str, str, str | None], dict[str, Any]]:
    """Return the sandbox mode in which the tests of proven contents ran, by subject, content hash and prompt.

    The newest proof with a mode counts.
    """
    mode = json_part(PROOF.c.detail, "mode")
    query = (
        select_columns(PROOF.c.subject_id, PROOF.c.content_hash, PROOF.c.prompt_id, mode)
        .where(PROOF.c.kind.in_((CRITERION, TESTS)), mode.is_not(None))
        .order_by(PROOF.c.created_at, PROOF.c.id)
    )
    rows = db.connection().execute(query)
    return {(subject, digest, prompt): json.loads(mode_json) for subject, digest, prompt, mode_json in rows}
