"""What full-text search finds subjects by: title, key and prompt.

A few subjects are brought into the index as they come in. Those of a long import are left for later: a gap is written
with them, and steps of a few hundred fill it. Killed at any moment, what is still missing is known and goes on.
"""

from __future__ import annotations

import re
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

from annotator.store.tables import SEARCH_GAP, SUBJECT, SUBJECT_TEXT, chunks, is_file

_CHUNK = 500
_LONGEST = 200
_MOST = 20_000
# Every step leaves a segment. Merging them as they come, as SQLite does by itself, would write each word several
# times; so it is told to wait, up to the most that it can hold, and they are merged once when the gaps are filled.
_WAITING = {"automerge": 0, "crisismerge": 1999}
_USUAL = {"automerge": 4, "crisismerge": 16}
_PAGES = 64
_INDEX = table(
    "subject_search",
    *(column(name) for name in ("rowid", "title", "key", "prompt", "words", "rank", "subject_search")),
)
"""The index: of texts in a file, of words on a server. A file's takes commands in the column of its own name."""
# What stands in a file's index has a row beside it, which costs less to look up than the index itself.
_BESIDE = table("subject_search_docsize", column("id"))
_TEXTS = select(SUBJECT.c.row, SUBJECT.c.title, SUBJECT.c.key, SUBJECT_TEXT.c.prompt).join_from(
    SUBJECT, SUBJECT_TEXT, SUBJECT_TEXT.c.subject_id == SUBJECT.c.id
)
_TEXT_COLUMNS = ("rowid", "title", "key", "prompt")
_WORD = re.compile(r"\w+")


def words(*texts: str) -> list[str]:
    """Return the words of some texts as a server's index has them: lower case, without accents, each once.

    The index holds a megabyte a subject, so words of more than 200 characters are cut and no more than 20,000 are kept.
    """
    plain = "".join(
        letter
        for text in texts
        for letter in unicodedata.normalize("NFD", f"{text} ")
        if not unicodedata.combining(letter)
    )
    found = dict.fromkeys(word[:_LONGEST] for word in _WORD.findall(plain.lower()))
    return sorted(list(found)[:_MOST])


def _is_indexed(connection: Connection) -> ColumnElement[bool]:
    if is_file(connection):
        return exists().where(_BESIDE.c.id == SUBJECT.c.row)
    return exists().where(_INDEX.c.rowid == SUBJECT.c.row)


def remove(connection: Connection, condition: ColumnElement[bool]) -> None:
    """Take the subjects that fulfil a condition out of the index, as far as they are in it."""
    if not is_file(connection):
        connection.execute(delete(_INDEX).where(_INDEX.c.rowid.in_(select(SUBJECT.c.row).where(condition))))
        return
    # The index keeps no texts, so it must be told them to forget them.
    gone = _TEXTS.add_columns(literal("delete")).where(condition, _is_indexed(connection))
    connection.execute(insert(_INDEX).from_select([*_TEXT_COLUMNS, "subject_search"], gone))


def index(connection: Connection, condition: ColumnElement[bool]) -> None:
    """Make the subjects that fulfil a condition searchable, as far as they are not so yet."""
    fresh = _TEXTS.where(condition, ~_is_indexed(connection))
    if is_file(connection):
        connection.execute(insert(_INDEX).from_select(_TEXT_COLUMNS, fresh))
        return
    into = insert(_INDEX).values(
        rowid=bindparam("row"), words=func.array_to_tsvector(cast(bindparam("found"), ARRAY(Text)))
    )
    for part in chunks(connection.execute(fresh), _CHUNK):
        connection.execute(into, [{"row": row, "found": words(*texts)} for row, *texts in part])


def leave_for_later(connection: Connection, first_id: str, last_id: str) -> None:
    """Note that search lacks the subjects from one to another, which came in one after the other."""
    ends = select(func.min(SUBJECT.c.row), func.max(SUBJECT.c.row)).where(SUBJECT.c.id.in_((first_id, last_id)))
    first, last = connection.execute(ends).one()
    longer = update(SEARCH_GAP).where(SEARCH_GAP.c.last_row == first - 1).values(last_row=last)
    if not connection.execute(longer).rowcount:
        connection.execute(insert(SEARCH_GAP).values(first_row=first, last_row=last))


def forget_gone(connection: Connection) -> None:
    """Forget gaps whose subjects were all taken out again."""
    is_there = exists().where(SUBJECT.c.row.between(SEARCH_GAP.c.first_row, SEARCH_GAP.c.last_row))
    connection.execute(delete(SEARCH_GAP).where(~is_there))


def step(connection: Connection, most: int) -> int:
    """Make up to so many of the subjects that search lacks searchable; returns how many rows that were, 0: none lack.

    It may be called by several at once: each step takes its rows within its transaction.
    """
    gaps = select(SEARCH_GAP.c.first_row, SEARCH_GAP.c.last_row).order_by(SEARCH_GAP.c.first_row).limit(1)
    gap = connection.execute(gaps).first()
    if gap is None:
        return 0
    first, last = gap.first_row, min(gap.first_row + most - 1, gap.last_row)
    _configure(connection, _WAITING)
    index(connection, SUBJECT.c.row.between(first, last))
    is_this = SEARCH_GAP.c.first_row == first
    if last < gap.last_row:
        connection.execute(update(SEARCH_GAP).where(is_this).values(first_row=last + 1))
    else:
        connection.execute(delete(SEARCH_GAP).where(is_this))
        if connection.execute(gaps).first() is None:
            _configure(connection, _USUAL)
    return int(last - first + 1)


def merge_some(connection: Connection) -> bool:
    """Merge a little of what the steps left side by side, so that search is quick again; False: there is nothing."""
    if not is_file(connection):
        return False
    before = connection.exec_driver_sql("SELECT total_changes()").scalar_one()
    connection.execute(insert(_INDEX).values(subject_search="merge", rank=_PAGES))
    # The command itself counts as one change.
    return bool(connection.exec_driver_sql("SELECT total_changes()").scalar_one() - before > 1)


def _configure(connection: Connection, options: Mapping[str, int]) -> None:
    """Give the index options that it does not have yet; it keeps them."""
    if not is_file(connection):
        return
    there = {str(row[0]): row[1] for row in connection.exec_driver_sql("SELECT k, v FROM subject_search_config")}
    for name, value in options.items():
        if there.get(name) != value:
            connection.execute(insert(_INDEX).values(subject_search=name, rank=value))
