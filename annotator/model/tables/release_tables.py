"""Published releases of the benchmark, and the statements of the release audit."""

from __future__ import annotations

from typing import Any

from sqlmodel import Field, UniqueConstraint

from annotator.model.tables.table_columns import ExpertWork, Identified, StoredRow, json_field, words_field


class Release(Identified, table=True):
    """A published release; ``content_hash`` covers all its items."""

    version: str = Field(unique=True)
    notes: str = ""
    annotator_id: str = Field(foreign_key="annotator.id")
    content_hash: str
    item_count: int
    manifest: dict[str, Any] = json_field(dict)


class ReleaseItem(StoredRow, table=True):
    """One subject as released: the whole item as JSON, and its hash."""

    __table_args__ = (UniqueConstraint("release_id", "position"),)

    release_id: str = Field(foreign_key="release.id", primary_key=True)
    subject_id: str = Field(foreign_key="subject.id", primary_key=True)
    position: int
    content_hash: str
    item: dict[str, Any] = json_field(dict)


class AuditAnswer(ExpertWork, table=True):
    """A person's statement on a point of the release audit: ``state`` is met, not met, not applicable or open."""

    __tablename__ = "audit_answer"

    point: str
    state: str = words_field(("met", "not met", "open", "not applicable"))
    statement: str
