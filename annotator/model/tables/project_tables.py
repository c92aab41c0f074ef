"""The project, its people, the undo log, and leases of subjects."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Identity
from sqlmodel import Field

from annotator.base.clock import now_text
from annotator.base.ids import new_id
from annotator.model.tables.table_columns import Identified, StoredRow, json_field, words_field
from annotator.model.vocabulary import ChangeKind, ChangeState


class Project(Identified, table=True):
    """The one row that describes the project; ``settings`` never hold those of a machine."""

    name: str
    settings: dict[str, Any] = json_field(dict)


class Annotator(Identified, table=True):
    """A person who works in the project. ``role`` is free text shown next to the name."""

    name: str = Field(unique=True)
    role: str = "expert"


class Change(StoredRow, table=True):
    """One act in the undo log; ``target_id`` names the change that an undo or redo reverts or repeats."""

    seq: int | None = Field(default=None, primary_key=True, sa_column_args=(Identity(),))
    id: str = Field(default_factory=new_id, unique=True)
    kind: str = words_field(ChangeKind, default="do")
    label: str = ""
    state: str = words_field(ChangeState, default="done")
    target_id: str | None = None
    annotator_id: str = Field(foreign_key="annotator.id")
    created_at: str = Field(default_factory=now_text)
    nouns: list[str] = json_field(list)


class BlockDigest(StoredRow, table=True):
    """The digest of a block of a table's rows in a file; an empty ``table_name`` marks that none is missing."""

    __tablename__ = "block_digest"

    table_name: str = Field(primary_key=True)
    block: int = Field(primary_key=True)
    last_row: int
    digest: str


class Lease(StoredRow, table=True):
    """A subject that somebody works on; the lease expires if its client does not renew it for a while.

    ``taken_at`` and ``until`` are seconds since 1970 by the clock of the project's database. Leases are not copied to
    other project files.
    """

    subject_id: str = Field(foreign_key="subject.id", primary_key=True)
    annotator_id: str = Field(foreign_key="annotator.id")
    client: str = Field(index=True)
    taken_at: float
    until: float
