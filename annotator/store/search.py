"""What full-text search finds subjects by: title, key and prompt, brought into the index when a subject comes in."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from sqlalchemy import Connection

_CHUNK = 500
_LONGEST = 200
_MOST = 20_000
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
    """Take the subjects ``s`` that fulfil a condition out of the index; they must be in it."""
    if connection.dialect.name != "sqlite":
        connection.exec_driver_sql(
            f"DELETE FROM subject_search WHERE rowid IN (SELECT s.row FROM subject s WHERE {where})", tuple(values)
        )
        return
    # The index keeps no texts, so it must be told them to forget them.
    connection.exec_driver_sql(
        "INSERT INTO subject_search (subject_search, rowid, title, key, prompt) "
        "SELECT 'delete', s.row, s.title, s.key, t.prompt FROM subject s "
        f"JOIN subjecttext t ON t.subject_id = s.id WHERE {where}",
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
