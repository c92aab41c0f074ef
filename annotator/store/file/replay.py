"""The statements of a transaction with their parameters, and writing them again after its log was removed."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

MOST_ROWS = 5_000
"""The rows of parameters of the longest transaction that is kept; an act of a person has some dozens."""

_READS = ("SELECT", "EXPLAIN", "BEGIN", "PRAGMA SYNCHRONOUS")
# The number of a subject's row is given out by the file and stands in later statements, so another time it may differ.
_NUMBERS_ROWS = re.compile(r"INSERT\b.*?\bINTO\s+\"?subject\"?[\s(]", re.IGNORECASE | re.DOTALL)
_ADDS = re.compile(r"INSERT\s+INTO\s+(\"?\w+\"?)(?!.*\bON\s+CONFLICT\b)", re.IGNORECASE | re.DOTALL)
_TEMPORARY = re.compile(r"CREATE\s+TEMP\w*\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(\"?\w+\"?)", re.IGNORECASE)
_THERE = ("SQLITE_CONSTRAINT_PRIMARYKEY", "SQLITE_CONSTRAINT_ROWID")


@dataclass
class Recording:
    """What a writing transaction did, if that can be done again."""

    statements: list[tuple[str, Any, bool]] = field(default_factory=list)
    is_whole: bool = True
    """Whether every statement is here; a long transaction and an import are not kept."""
    _rows: int = 0

    def add(self, statement: str, parameters: Any, many: bool) -> None:
        """Keep a statement that was carried out, unless it only reads."""
        if not self.is_whole or statement.lstrip().upper().startswith(_READS):
            return
        self._rows += len(parameters) if many else 1
        if self._rows > MOST_ROWS or _NUMBERS_ROWS.match(statement.lstrip()):
            self.is_whole = False
            self.statements.clear()
            return
        self.statements.append((statement, parameters, many))

    def added_first(self) -> tuple[int, str]:
        """Return which statement adds the first row to a table of the file, and the table; (-1, "") if none does."""
        temporary = {found[1].strip('"') for text, *_ in self.statements if (found := _TEMPORARY.match(text.lstrip()))}
        for number, (text, *_) in enumerate(self.statements):
            found = _ADDS.match(text.lstrip())
            if found and found[1].strip('"') not in temporary:
                return number, found[1].strip('"')
        return -1, ""

    @property
    def is_act(self) -> bool:
        """Whether it begins with an entry of the undo log, whose key is nobody else's."""
        return self.added_first()[1] == "change"


def write_again(connection: sqlite3.Connection, recordings: Sequence[Recording]) -> int:
    """Carry out transactions again, one after the other; returns how many were not there.

    The first row that a transaction adds tells whether it is there: a transaction is there as a whole or not at all.
    Raises `sqlite3.IntegrityError` where one contradicts what others have written meanwhile; it is left out whole.
    """
    return sum(_write(connection, recording) for recording in recordings)


def _write(connection: sqlite3.Connection, recording: Recording) -> bool:
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("BEGIN IMMEDIATE")
    tells = recording.added_first()[0]
    try:
        for number, (statement, parameters, many) in enumerate(recording.statements):
            try:
                (connection.executemany if many else connection.execute)(statement, parameters)
            except sqlite3.IntegrityError as error:
                if number != tells or not _is_there(error):
                    raise
                connection.execute("ROLLBACK")
                return False
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return True


def _is_there(error: sqlite3.IntegrityError) -> bool:
    # The undo log numbers its rows; its own key is unique beside the number.
    return error.sqlite_errorname in _THERE or str(error).endswith(".id")
