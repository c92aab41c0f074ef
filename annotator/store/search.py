"""What full-text search finds subjects by: title, key and prompt.

A few subjects are brought into the index as they come in. Those of a long import are left for later: a gap is written
with them, and steps of a few hundred fill it. Killed at any moment, what is still missing is known and goes on.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

from sqlalchemy import Connection

_CHUNK = 500
_LONGEST = 200
_MOST = 20_000
# Every step leaves a segment. Merging them as they come, as SQLite does by itself, would write each word several
# times; so it is told to wait, up to the most that it can hold, and they are merged once when the gaps are filled.
_WAITING = {"automerge": 0, "crisismerge": 1999}
_USUAL = {"automerge": 4, "crisismerge": 16}
_PAGES = 64
# What stands in the index has a row beside it, which costs less to look up than the index itself.
_IN_FILE = "EXISTS (SELECT 1 FROM subject_search_docsize f WHERE f.id = s.row)"
_ON_SERVER = "EXISTS (SELECT 1 FROM subject_search f WHERE f.rowid = s.row)"
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


def remove(connection: Connection, where: str, values: Sequence[object]) -> None:
    """Take the subjects ``s`` that fulfil a condition out of the index, as far as they are in it."""
    if connection.dialect.name != "sqlite":
        connection.exec_driver_sql(
            f"DELETE FROM subject_search WHERE rowid IN (SELECT s.row FROM subject s WHERE {where})", tuple(values)
        )
        return
    # The index keeps no texts, so it must be told them to forget them.
    connection.exec_driver_sql(
        "INSERT INTO subject_search (subject_search, rowid, title, key, prompt) "
        "SELECT 'delete', s.row, s.title, s.key, t.prompt FROM subject s "
        f"JOIN subjecttext t ON t.subject_id = s.id WHERE {where} AND {_IN_FILE}",
        tuple(values),
    )


def index(connection: Connection, where: str, values: Sequence[object]) -> None:
    """Make the subjects ``s`` that fulfil a condition searchable; they must not be so yet."""
    source = f"FROM subject s JOIN subjecttext t ON t.subject_id = s.id WHERE {where}"
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(
            f"INSERT INTO subject_search (rowid, title, key, prompt) SELECT s.row, s.title, s.key, t.prompt {source}",
            tuple(values),
        )
        return
    found = connection.exec_driver_sql(f"SELECT s.row, s.title, s.key, t.prompt {source}", tuple(values))
    for part in found.partitions(_CHUNK):
        connection.exec_driver_sql(
            "INSERT INTO subject_search (rowid, words) VALUES (?, array_to_tsvector(?::text[]))",
            [(row, words(*texts)) for row, *texts in part],
        )


def leave_for_later(connection: Connection, first_id: str, last_id: str) -> None:
    """Note that search lacks the subjects from one to another, which came in one after the other."""
    found = connection.exec_driver_sql("SELECT min(row), max(row) FROM subject WHERE id IN (?, ?)", (first_id, last_id))
    first, last = found.one()
    longer = connection.exec_driver_sql("UPDATE search_gap SET last_row = ? WHERE last_row = ?", (last, first - 1))
    if not longer.rowcount:
        connection.exec_driver_sql("INSERT INTO search_gap (first_row, last_row) VALUES (?, ?)", (first, last))


def forget_gone(connection: Connection) -> None:
    """Forget gaps whose subjects were all taken out again."""
    connection.exec_driver_sql(
        "DELETE FROM search_gap WHERE NOT EXISTS "
        "(SELECT 1 FROM subject s WHERE s.row BETWEEN search_gap.first_row AND search_gap.last_row)"
    )


def step(connection: Connection, most: int) -> int:
    """Make up to so many of the subjects that search lacks searchable; returns how many rows that were, 0: none lack.

    It may be called by several at once: each step takes its rows within its transaction.
    """
    gap = connection.exec_driver_sql("SELECT first_row, last_row FROM search_gap ORDER BY first_row LIMIT 1").first()
    if gap is None:
        return 0
    first, last = int(gap[0]), min(int(gap[0]) + most - 1, int(gap[1]))
    _configure(connection, _WAITING)
    known = _IN_FILE if connection.dialect.name == "sqlite" else _ON_SERVER
    index(connection, f"s.row BETWEEN ? AND ? AND NOT {known}", (first, last))
    if last < gap[1]:
        connection.exec_driver_sql("UPDATE search_gap SET first_row = ? WHERE first_row = ?", (last + 1, first))
    else:
        connection.exec_driver_sql("DELETE FROM search_gap WHERE first_row = ?", (first,))
        if connection.exec_driver_sql("SELECT 1 FROM search_gap LIMIT 1").first() is None:
            _configure(connection, _USUAL)
    return last - first + 1


def merge_some(connection: Connection) -> bool:
    """Merge a little of what the steps left side by side, so that search is quick again; False: there is nothing."""
    if connection.dialect.name != "sqlite":
        return False
    before = connection.exec_driver_sql("SELECT total_changes()").scalar_one()
    connection.exec_driver_sql("INSERT INTO subject_search (subject_search, rank) VALUES ('merge', ?)", (_PAGES,))
    # The command itself counts as one change.
    return bool(connection.exec_driver_sql("SELECT total_changes()").scalar_one() - before > 1)


def _configure(connection: Connection, options: Mapping[str, int]) -> None:
    """Give the index options that it does not have yet; it keeps them."""
    if connection.dialect.name != "sqlite":
        return
    there = {str(row[0]): row[1] for row in connection.exec_driver_sql("SELECT k, v FROM subject_search_config")}
    for name, value in options.items():
        if there.get(name) != value:
            connection.exec_driver_sql("INSERT INTO subject_search (subject_search, rank) VALUES (?, ?)", (name, value))
