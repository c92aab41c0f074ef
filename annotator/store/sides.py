"""What can stand on one side of a pair: a subject's own texts, its paraphrases, and what models answered."""

from __future__ import annotations

from typing import Any

from sqlmodel import Session, col, select

from annotator.model.project import Annotator
from annotator.model.run import ModelUnderTest, Response
from annotator.model.subject import Subject, SubjectText
from annotator.model.work import Prompt
from annotator.store import artefacts

SIDES = ("original", "paraphrase", "human", "llm", "reference", "label")
Found = tuple[str, dict[str, Any]]


def text_of(db: Session, subject: Subject, side: str, kind: str) -> Found | None:
    """Return a side's text with its facts, None if the subject has none; the names are those of `SIDES`.

    ``model:NAME`` is that model's newest first answer. ``label`` is the subject's own domain or question type.
    """
    if side.startswith("model:"):
        return _response(db, subject.id, side.partition(":")[2])
    if side in ("paraphrase", "human", "llm"):
        return _paraphrase(db, subject.id, side)
    if side == "label":
        value = subject.question_type if kind == "question_type" else subject.domain
        return (value, {}) if value else None
    texts = db.get(SubjectText, subject.id)
    if texts is None:
        return None
    value = artefacts.solution(db, subject.id, texts.reference) if side == "reference" else texts.prompt
    return (value, {}) if value.strip() else None


def _paraphrase(db: Session, subject_id: str, side: str) -> Found | None:
    query = select(Prompt).where(Prompt.subject_id == subject_id, col(Prompt.active))
    if side == "human":
        query = query.where(Prompt.origin == "human")
    elif side == "llm":
        query = query.where(Prompt.origin != "human")
    found = db.exec(query.order_by(col(Prompt.created_at).desc(), col(Prompt.id).desc())).first()
    return (found.text, {"prompt": found.id, "origin": found.origin}) if found else None


def _response(db: Session, subject_id: str, model: str) -> Found | None:
    query = (
        select(Response)
        .join(ModelUnderTest, col(ModelUnderTest.id) == Response.model_id)
        .where(Response.subject_id == subject_id, ModelUnderTest.name == model, Response.sample == 0)
        .order_by(col(Response.created_at).desc(), col(Response.id).desc())
    )
    found = db.exec(query).first()
    if found is None or not found.text.strip():
        return None
    facts: dict[str, Any] = {"response": found.id, "model": model}
    if found.seconds is not None:
        facts["seconds"] = found.seconds
    if isinstance(found.usage.get("cost"), (int, float)):
        facts["cost"] = found.usage["cost"]
    return found.text, facts


def identifying(db: Session) -> tuple[list[str], list[str]]:
    """Return the names that must not be seen by blind raters: of models, and of people."""
    return list(db.exec(select(ModelUnderTest.name))), list(db.exec(select(Annotator.name)))
