"""Subjects, and the sources they were imported from."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Identity
from sqlmodel import Field, Index

from annotator.base.clock import now_text
from annotator.base.ids import new_id
from annotator.model.tables.table_columns import Identified, StoredRow, json_field, later_field, rows_where, words_field
from annotator.model.vocabulary import Verdict


class Source(Identified, table=True):
    """A file or folder that was read: ``name`` is its last path part, ``sha256`` its content's."""

    kind: str
    name: str
    sha256: str = Field(index=True)
    counts: dict[str, int] = json_field(dict)
    annotator_id: str = Field(foreign_key="annotator.id")
    change_id: str = Field(foreign_key="change.id")
    active: bool = True


class Subject(StoredRow, table=True):
    """A subject, called a candidate until it is accepted: the columns by which lists show, filter and sort.

    ``row`` is the keyset position; ``id`` is stable across machines (made from ``key`` and content); ``key`` names
    the subject within its origin ("humaneval:HumanEval/0"). ``verdict``, ``prompt_id``, ``criterion_id``,
    ``proven`` and ``holder_id`` (the person assigned to it) cache the current expert work and are updated in the
    same transaction.
    """

    # Two more indexes are in the schema of each database, whose SQL for the orders of titles and views differs.
    __table_args__ = (
        *(
            Index(f"ix_subject_{name}", name, **rows_where("active = 1"))
            for name in ("verdict", "language", "area", "domain", "difficulty")
        ),
        Index("ix_subject_holder_id", "holder_id", **rows_where("active = 1 AND holder_id IS NOT NULL")),
        Index("ix_subject_gone", "row", **rows_where("active = 0")),
    )

    row: int | None = Field(default=None, primary_key=True, sa_column_args=(Identity(),))
    id: str = Field(default_factory=new_id, unique=True)
    key: str = Field(unique=True)
    title: str
    task: str
    language: str = ""
    domain: str = ""
    area: str = ""
    difficulty: str = ""
    question_type: str = ""
    views: int | None = None
    licence: str = ""
    content_hash: str
    source_id: str = Field(foreign_key="source.id", index=True)
    change_id: str = Field(foreign_key="change.id", index=True)
    active: bool = True
    verdict: str | None = words_field(Verdict, default=None)
    prompt_id: str | None = None
    criterion_id: str | None = None
    proven: bool = later_field(False)
    created_at: str = Field(default_factory=now_text)
    holder_id: str | None = None


class SubjectCount(StoredRow, table=True):
    """The number of active subjects with these values, updated by triggers; "" means no verdict or no holder."""

    __tablename__ = "subject_count"
    __table_args__ = {"sqlite_with_rowid": False}

    task: str = Field(primary_key=True)
    language: str = Field(primary_key=True)
    domain: str = Field(primary_key=True)
    area: str = Field(primary_key=True)
    difficulty: str = Field(primary_key=True)
    verdict: str = Field(primary_key=True)
    holder_id: str = Field(primary_key=True)
    has_prompt: bool = Field(primary_key=True)
    has_criterion: bool = Field(primary_key=True)
    proven: bool = Field(primary_key=True)
    subjects: int


class SearchGap(StoredRow, table=True):
    """A range of subject rows not indexed for search yet: the index is built after a long import."""

    __tablename__ = "search_gap"

    first_row: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    last_row: int


class Arrival(StoredRow, table=True):
    """An import whose subjects are still becoming visible."""

    change_id: str = Field(foreign_key="change.id", primary_key=True)


class SubjectText(StoredRow, table=True):
    """The long texts of a subject, read one subject at a time."""

    subject_id: str = Field(foreign_key="subject.id", primary_key=True)
    prompt: str = ""
    reference: str = ""
    context: str = ""
    entry_point: str = ""
    dependencies: dict[str, Any] = json_field(dict)
    provenance: dict[str, Any] = json_field(dict)
    extra: dict[str, Any] = json_field(dict)


class TestCase(Identified, table=True):
    """One test of a subject: code, or inputs with the expected output."""

    __test__ = False

    subject_id: str = Field(foreign_key="subject.id", index=True)
    position: int = 0
    name: str
    language: str = ""
    code: str = ""
    inputs: dict[str, Any] = json_field(dict)
    expected: str = ""
    weight: float = 1.0
    timeout: float | None = None
