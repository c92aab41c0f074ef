"""Settlements of doubtful verdicts, by item and hash of the answer's text, whichever model gave it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select, select
from sqlmodel import Session

from annotator.base.errors import BadInputError
from annotator.base.messages import Message, mark_word
from annotator.model.changes import Changes
from annotator.model.rows.run_rows import SettlementRow
from annotator.model.tables.run_tables import Settlement
from annotator.model.vocabulary import UNSETTLED
from annotator.store.core_tables import ANNOTATOR, RESPONSE, RESPONSE_SCORE, SETTLEMENT, SUBJECT
from annotator.store.history import undo_log


def add_settlement(db: Session, annotator_id: str, response_id: str, verdict: str, reason: str) -> Changes:
    """Write a person's verdict on an answer. Raises `BadInputError` if its verdict is not in doubt."""
    query = select(RESPONSE.c.subject_id, RESPONSE.c.content_hash, RESPONSE_SCORE.c.told)
    query = query.join_from(RESPONSE, RESPONSE_SCORE, RESPONSE_SCORE.c.response_id == RESPONSE.c.id)
    scored = db.connection().execute(query.where(RESPONSE.c.id == response_id)).first()
    if scored is None:
        raise BadInputError("There is no such response in this project. Nothing was changed.")
    subject_id, digest, scorer_outcome = scored
    if scorer_outcome not in UNSETTLED:
        raise BadInputError("The verdict of this answer is not in doubt, so there is nothing to settle.")
    text = Message("Settle an answer: {verdict}", verdict=mark_word(verdict))
    row = Settlement(subject_id=subject_id, answer_hash=digest, verdict=verdict, reason=reason)
    return undo_log.write_act(db, annotator_id, text, ["score"], [row])


def _active_settlements() -> Select[Any]:
    joined = SETTLEMENT.join(ANNOTATOR, ANNOTATOR.c.id == SETTLEMENT.c.annotator_id)
    columns = (SETTLEMENT.c[name] for name in ("subject_id", "verdict", "reason", "created_at"))
    return (
        select(*columns, ANNOTATOR.c.name.label("annotator"))
        .select_from(joined)
        .where(SETTLEMENT.c.active)
        .order_by(SETTLEMENT.c.created_at)
    )


def settlements_of_response(db: Session, response_id: str) -> tuple[SettlementRow, ...]:
    """Return the settlements of an answer; the last one counts."""
    same = (SETTLEMENT.c.subject_id == RESPONSE.c.subject_id, SETTLEMENT.c.answer_hash == RESPONSE.c.content_hash)
    query = _active_settlements().join(RESPONSE, same[0] & same[1]).where(RESPONSE.c.id == response_id)
    rows = db.connection().execute(query)
    return tuple(SettlementRow(**row) for row in rows.mappings())


def fetch_settlements(db: Session) -> tuple[tuple[str, SettlementRow], ...]:
    """Return every active settlement with the key of its item, oldest first."""
    query = _active_settlements().join(SUBJECT, SUBJECT.c.id == SETTLEMENT.c.subject_id).add_columns(SUBJECT.c.key)
    rows = [dict(row) for row in db.connection().execute(query).mappings()]
    return tuple((row.pop("key"), SettlementRow(**row)) for row in rows)


def find_doubtful_responses(db: Session, run_ids: Sequence[str]) -> frozenset[str]:
    """Return the ids of the responses of runs with a doubtful verdict, settled or not."""
    row = RESPONSE_SCORE.c
    query = select(row.response_id).where(row.run_id.in_(list(run_ids)), row.told.in_(UNSETTLED))
    return frozenset(db.connection().scalars(query))
