"""The full-text index of subjects: title, key and prompt.

A few subjects are indexed when they are added. Those of a long import are indexed later: a gap is recorded with them,
and filled in steps of a few hundred subjects. After a kill at any moment, the rest of the gap is filled.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Connection,
    Text,
    bindparam,
    cast,
    column,
    delete,
    exists,
    func,
    insert,
    literal,
    select,
    table,
    update,
)

from annotator.store.core_tables import SEARCH_GAP, SUBJECT, SUBJECT_TEXT, chunks, is_file
from annotator.store.queue.first_page import WORD

_CHUNK = 500
_MAX_WORD_LENGTH = 200
_MAX_WORDS = 20_000
# Every step adds a segment to the index. SQLite's automatic merging would write each word several times, so it is
# deferred to the maximum number of segments that FTS5 allows, and they are merged once when the gaps are filled.
_MERGE_LATER = {"automerge": 0, "crisismerge": 1999}
_MERGE_AT_ONCE = {"automerge": 4, "crisismerge": 16}
_MERGE_PAGES = 64
_INDEX = table(
    "subject_search",
    *(column(name) for name in ("rowid", "title", "key", "prompt", "words", "rank", "subject_search")),
)
"""The index: of texts in a file, of words on a server. FTS5 accepts commands in the column named like the table."""
# FTS5 has a row in this table for each indexed row, which is cheaper to look up than the index itself.
_INDEXED_ROWS = table("subject_search_docsize", column("id"))
_TEXTS = select(SUBJECT.c.row, SUBJECT.c.title, SUBJECT.c.key, SUBJECT_TEXT.c.prompt).join_from(
    SUBJECT, SUBJECT_TEXT, SUBJECT_TEXT.c.subject_id == SUBJECT.c.id
)
_TEXT_COLUMNS = ("rowid", "title", "key", "prompt")


def index_words(*texts: str) -> list[str]:
    """Return the distinct words of some texts for a server's index, in lower case and without accents.

    A server's index entry is limited to a megabyte, so words are cut to 200 characters and limited to 20,000.
    """
    letters = "".join(
        letter
        for text in texts
        for letter in unicodedata.normalize("NFD", f"{text} ")
        if not unicodedata.combining(letter)
    )
    unique = dict.fromkeys(word[:_MAX_WORD_LENGTH] for word in WORD.findall(letters.lower()))
    return sorted(list(unique)[:_MAX_WORDS])


def _is_indexed(connection: Connection) -> ColumnElement[bool]:
    if is_file(connection):
        return exists().where(_INDEXED_ROWS.c.id == SUBJECT.c.row)
    return exists().where(_INDEX.c.rowid == SUBJECT.c.row)


def remove_from_index(connection: Connection, condition: ColumnElement[bool]) -> None:
    """Remove the subjects under a condition from the index, as far as they are in it."""
    if not is_file(connection):
        connection.execute(delete(_INDEX).where(_INDEX.c.rowid.in_(select(SUBJECT.c.row).where(condition))))
        return
    # A contentless FTS5 index needs the old texts to delete a row.
    deletions = _TEXTS.add_columns(literal("delete")).where(condition, _is_indexed(connection))
    connection.execute(insert(_INDEX).from_select([*_TEXT_COLUMNS, "subject_search"], deletions))


def index_subjects(connection: Connection, condition: ColumnElement[bool]) -> None:
    """Index the subjects under a condition that are not indexed yet."""
    missing = _TEXTS.where(condition, ~_is_indexed(connection))
    if is_file(connection):
        connection.execute(insert(_INDEX).from_select(_TEXT_COLUMNS, missing))
        return
    insertion = insert(_INDEX).values(
        rowid=bindparam("row"), words=func.array_to_tsvector(cast(bindparam("subject_words"), ARRAY(Text)))
    )
    for batch in chunks(connection.execute(missing), _CHUNK):
        connection.execute(insertion, [{"row": row, "subject_words": index_words(*texts)} for row, *texts in batch])


def record_search_gap(connection: Connection, first_id: str, last_id: str) -> None:
    """Record a gap: the subjects from one to another, which were added consecutively, are not indexed yet."""
    ends = select(func.min(SUBJECT.c.row), func.max(SUBJECT.c.row)).where(SUBJECT.c.id.in_((first_id, last_id)))
    first, last = connection.execute(ends).one()
    extension = update(SEARCH_GAP).where(SEARCH_GAP.c.last_row == first - 1).values(last_row=last)
    if not connection.execute(extension).rowcount:
        connection.execute(insert(SEARCH_GAP).values(first_row=first, last_row=last))


def delete_empty_gaps(connection: Connection) -> None:
    """Delete gaps whose subjects were all removed again."""
    has_subjects = exists().where(SUBJECT.c.row.between(SEARCH_GAP.c.first_row, SEARCH_GAP.c.last_row))
    connection.execute(delete(SEARCH_GAP).where(~has_subjects))


def fill_search_gap(connection: Connection, limit: int) -> int:
    """Index up to ``limit`` rows of the first gap; returns their number, 0 if there is no gap.

    Several programs may do this at once: each step claims its rows within its transaction.
    """
    gaps = select(SEARCH_GAP.c.first_row, SEARCH_GAP.c.last_row).order_by(SEARCH_GAP.c.first_row).limit(1)
    gap = connection.execute(gaps).first()
    if gap is None:
        return 0
    first, last = gap.first_row, min(gap.first_row + limit - 1, gap.last_row)
    _configure(connection, _MERGE_LATER)
    index_subjects(connection, SUBJECT.c.row.between(first, last))
    is_this_gap = SEARCH_GAP.c.first_row == first
    if last < gap.last_row:
        connection.execute(update(SEARCH_GAP).where(is_this_gap).values(first_row=last + 1))
    else:
        connection.execute(delete(SEARCH_GAP).where(is_this_gap))
        if connection.execute(gaps).first() is None:
            _configure(connection, _MERGE_AT_ONCE)
    return int(last - first + 1)


def merge_index_segments(connection: Connection) -> bool:
    """Merge some segments of the index, to speed up search; returns False if there was nothing to merge."""
    if not is_file(connection):
        return False
    changes_before = connection.exec_driver_sql("SELECT total_changes()").scalar_one()
    connection.execute(insert(_INDEX).values(subject_search="merge", rank=_MERGE_PAGES))
    # The command itself counts as one change.
    return bool(connection.exec_driver_sql("SELECT total_changes()").scalar_one() - changes_before > 1)


def _configure(connection: Connection, options: Mapping[str, int]) -> None:
    """Set options of the index that differ from its stored ones."""
    if not is_file(connection):
        return
    current = {str(row[0]): row[1] for row in connection.exec_driver_sql("SELECT k, v FROM subject_search_config")}
    for name, value in options.items():
        if current.get(name) != value:
            connection.execute(insert(_INDEX).values(subject_search=name, rank=value))
