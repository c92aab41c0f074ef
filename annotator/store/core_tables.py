"""The tables and views of a project for SQLAlchemy Core statements, and helpers to build these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from sqlalchemy import (
    BigInteger,
    ClauseElement,
    ColumnElement,
    Connection,
    Dialect,
    Float,
    FromClause,
    Integer,
    MetaData,
    ScalarSelect,
    Select,
    String,
    Table,
    TableClause,
    and_,
    column,
    select,
    table,
    type_coerce,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable
from sqlalchemy.types import NullType
from sqlmodel import SQLModel

import annotator.model.tables.judging_tables
import annotator.model.tables.project_tables
import annotator.model.tables.release_tables
import annotator.model.tables.run_tables
import annotator.model.tables.subject_tables
import annotator.model.tables.work_tables  # noqa: F401 - every table must be known here

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql

    Upsert: TypeAlias = sqlite.Insert | postgresql.Insert

Value = TypeVar("Value")
_CHUNK = 500


def find_table(name: str) -> Table:
    """Return a table by its name."""
    return SQLModel.metadata.tables[name]


def create_statements(metadata: MetaData, dialect: type[Dialect]) -> Iterator[str]:
    """Yield the statements that create the tables of the models, parents first, each followed by its indexes."""
    database = dialect()
    for model_table in metadata.sorted_tables:
        yield str(CreateTable(model_table).compile(dialect=database))
        for index in sorted(model_table.indexes, key=lambda index: str(index.name)):
            yield str(CreateIndex(index).compile(dialect=database))


def select_named(**columns: ColumnElement[Any]) -> Select[Any]:
    """Return a query of columns under the given names, sorted by name, so that queries of equal names make a union."""
    return select(*(expression.label(name) for name, expression in sorted(columns.items())))


def as_stored(column: ColumnElement[Any]) -> ColumnElement[Any]:
    """Return a column whose values are read as stored: JSON as text, booleans as 0 and 1."""
    return type_coerce(column, NullType())


def raw_table(name: str, schema: str | None = None) -> TableClause:
    """Return a table whose values are read and written as stored, see `as_stored`."""
    return table(name, *(column(model_column.name) for model_column in find_table(name).columns), schema=schema)


ANNOTATOR = find_table("annotator")
ARRIVAL = find_table("arrival")
ASSIGNMENT = find_table("assignment")
AUDIT_ANSWER = find_table("audit_answer")
CHANGE = find_table("change")
COMMENT = find_table("comment")
CRITERION = find_table("criterion")
DECISION = find_table("decision")
ERROR_LABEL = find_table("error_label")
FAILURE = find_table("failure")
JUDGEMENT = find_table("judgement")
LABEL = find_table("label")
LEASE = find_table("lease")
LOCK = find_table("lock")
MODEL = find_table("model_under_test")
ORIGIN = find_table("origin")
PAIR = find_table("pair")
PROMPT = find_table("prompt")
PROOF = find_table("proof")
QUESTION = find_table("question")
RELEASE = find_table("release")
RELEASE_ITEM = find_table("releaseitem")
REVIEW = find_table("review")
REVISION = find_table("revision")
RESOLUTION = find_table("resolution")
RESPONSE = find_table("response")
RUN = find_table("run")
RUN_COUNTS = find_table("run_counts")
RUN_SCORES = find_table("run_scores")
SCORE = find_table("score")
SCORE_SET = find_table("score_set")
SCORE_SET_ITEM = find_table("score_set_item")
SEAL = find_table("seal")
SEARCH_GAP = find_table("search_gap")
SETTLEMENT = find_table("settlement")
SOURCE = find_table("source")
STUDY = find_table("study")
SUBJECT = find_table("subject")
SUBJECT_COUNT = find_table("subject_count")
SUBJECT_TEXT = find_table("subjecttext")
TEST_CASE = find_table("testcase")
UNBLINDING = find_table("unblinding")
VOTE = find_table("vote")

CURRENT_SCORE = table(
    "current_score",
    *(column(name, String) for name in ("response_id", "criterion_hash", "outcome", "run_id", "subject_id")),
    *(column(name, Float) for name in ("score", "points", "total")),
    column("sample", Integer),
)
"""A view of every scored response, with its current score."""
RESPONSE_SCORE = table(
    "response_score",
    *(column(name, String) for name in ("response_id", "criterion_hash", "outcome", "run_id", "subject_id")),
    *(column(name, Float) for name in ("score", "points", "total")),
    column("release_id", String),
    column("told", String),
    column("sample", Integer),
)
"""A view of every response of a run, with its current score, or NULL in the score's columns.

``told`` is the outcome before a person settled it.
"""
CHOSEN = table("chosen", column("row", BigInteger))
"""The rows of the subjects of a bulk act, in a temporary table of the connection."""


def is_chosen(row: ColumnElement[int | None]) -> ColumnElement[bool]:
    """Return the condition that the subject at ``row`` is one of those chosen for a bulk act."""
    return row.in_(CHOSEN.select())


def is_file(connection: Connection) -> bool:
    """Return whether the project is in a file, not on a server."""
    return connection.dialect.name == "sqlite"


def chunks(values: Iterable[Value], size: int = _CHUNK) -> Iterator[Sequence[Value]]:
    """Split values into parts small enough to be bound one by one in a statement."""
    ordered = list(values)
    for start in range(0, len(ordered), size):
        yield ordered[start : start + size]


def upsert(connection: Connection, into: TableClause) -> Upsert:
    """Return an INSERT of the database's own dialect, which supports ON CONFLICT."""
    if is_file(connection):
        return sqlite.insert(into)
    from sqlalchemy.dialects import postgresql

    return postgresql.insert(into)


def insert_rows(connection: Connection, into: TableClause, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert at least two rows with the same columns; their values must be as stored, see `raw_table`.

    The driver gets the rows directly, because SQLAlchemy's work for each row takes a third of an import's time.
    """
    names = list(rows[0])
    quote = connection.dialect.identifier_preparer.quote
    placeholder = "?" if is_file(connection) else "%s"
    columns = ", ".join(map(quote, names))
    placeholders = ", ".join(placeholder for _ in names)
    row_values = itemgetter(*names)
    text = f"INSERT INTO {quote(into.name)} ({columns}) VALUES ({placeholders})"
    connection.exec_driver_sql(text, [row_values(row) for row in rows])


def newest_work(
    work: FromClause, value: ColumnElement[Any], is_about: ColumnElement[bool], outer: FromClause
) -> ScalarSelect[Any]:
    """Return the query of a value of the newest active row of work that refers to a row of ``outer``."""
    return (
        select(value)
        .where(is_about, work.c.active)
        .order_by(work.c.created_at.desc(), work.c.id.desc())
        .limit(1)
        .correlate(outer)
        .scalar_subquery()
    )


def json_text(document: ColumnElement[Any], path: str) -> ColumnElement[str]:
    """Return the part of a JSON column at a dotted path as text, NULL if it is missing."""
    return as_stored(document).op("->>", return_type=String())(f"$.{path}")


def json_part(document: ColumnElement[Any], path: str) -> ColumnElement[str]:
    """Return the part of a JSON column at a dotted path as JSON, NULL if it is missing."""
    return as_stored(document).op("->", return_type=String())(f"$.{path}")


def is_current_score() -> ColumnElement[bool]:
    """Return the condition that joins a row of `SCORE` to the one of `CURRENT_SCORE`."""
    return and_(
        SCORE.c.response_id == CURRENT_SCORE.c.response_id, SCORE.c.criterion_hash == CURRENT_SCORE.c.criterion_hash
    )


def statement_text(statement: ClauseElement) -> str:
    """Return a statement as text with its values inlined. The values must never come from a user."""
    return str(statement.compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True}))
