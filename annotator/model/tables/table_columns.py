"""Pieces shared by all tables: identifiers, times, JSON columns and the mark of expert work."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import JSON, text
from sqlmodel import Field, SQLModel

from annotator.base.clock import now_text
from annotator.base.ids import new_id

WORDS = "words"
"""The key of a column's ``info`` for its allowed values, see `words_field`."""


def json_field(default: type[dict[str, Any]] | type[list[Any]], *, came_later: bool = False) -> Any:
    """Return a column that holds a JSON object or array; ``default`` is ``dict`` or ``list``.

    ``came_later`` is explained at `later_field`.
    """
    stored = {"server_default": "[]" if default is list else "{}"} if came_later else {}
    return Field(default_factory=default, sa_type=JSON, sa_column_kwargs=stored)


def later_field(default: str | float) -> Any:
    """Return a column added after the first version of the schema; its default is also set in the database.

    Existing rows get that default, and so do rows in packets written by an older program.
    """
    stored = default if isinstance(default, str) else text(f"{default:g}")
    return Field(default=default, sa_column_kwargs={"server_default": stored})


def words_field(words: Iterable[str | int], **options: Any) -> Any:
    """Return a column that holds one of a list of words or small numbers; ``options`` are those of the field.

    The database accepts any value, so that a newer program may add words; `value_checks` reads the list from here.
    """
    column = {**options.pop("sa_column_kwargs", {}), "info": {WORDS: frozenset(words)}}
    return Field(sa_column_kwargs=column, **options)


def rows_where(condition: str) -> dict[str, Any]:
    """Return the options of an index that holds only the rows that meet a condition."""
    # The server's schema reads the condition from here: "postgresql_where" would load that dialect with the tables.
    return {"sqlite_where": text(condition)}


def unindexed_key(parent: str) -> Any:
    """Return a reference to a person or change without an index, for tables of expert work with few rows."""
    return Field(default="", foreign_key=parent)


class StoredRow(SQLModel):
    """A row of a table. Rows are never validated, so Pydantic builds its validators only on demand."""

    model_config = {"defer_build": True}


class Identified(StoredRow):
    """A row with its own UUID and its creation time (UTC, ISO 8601)."""

    id: str = Field(default_factory=new_id, primary_key=True)
    created_at: str = Field(default_factory=now_text)


class ExpertWork(Identified):
    """An append-only row by one person at one time.

    Rows are never edited or deleted. ``active`` is a cache of the change log: False while the change that wrote
    the row is undone. `write_work` fills in the author and the change.
    """

    annotator_id: str = Field(default="", foreign_key="annotator.id", index=True)
    change_id: str = Field(default="", foreign_key="change.id", index=True)
    active: bool = True


class SubjectWork(ExpertWork):
    """Expert work on one subject."""

    subject_id: str = Field(default="", foreign_key="subject.id", index=True)
