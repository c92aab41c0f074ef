"""Record the statements of a transaction, to repeat them if the log is removed."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

MAX_RECORDED_ROWS = 5_000
"""Maximum number of parameter rows in a recording; an act of a person has some dozens."""

_READS = ("SELECT", "EXPLAIN", "BEGIN", "PRAGMA SYNCHRONOUS")
# The file assigns a subject's row number and later statements use it, so a repeated insertion could get another one.
_INSERT_SUBJECT = re.compile(r"INSERT\b.*?\bINTO\s+\"?subject\"?[\s(]", re.IGNORECASE | re.DOTALL)
_INSERT = re.compile(r"INSERT\s+INTO\s+(\"?\w+\"?)(?!.*\bON\s+CONFLICT\b)", re.IGNORECASE | re.DOTALL)
_CREATE_TEMPORARY = re.compile(r"CREATE\s+TEMP\w*\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(\"?\w+\"?)", re.IGNORECASE)
_DUPLICATE_KEY_ERRORS = ("SQLITE_CONSTRAINT_PRIMARYKEY", "SQLITE_CONSTRAINT_ROWID")


@dataclass
class TransactionRecording:
    """The statements of a writing transaction, if they can be repeated."""

    statements: list[tuple[str, Any, bool]] = field(default_factory=list)
    is_whole: bool = True
    """Whether every statement was recorded; long transactions and imports are not."""
    _rows: int = 0

    def add(self, statement: str, parameters: Any, many: bool) -> None:
        """Record an executed statement, unless it only reads."""
        if not self.is_whole or statement.lstrip().upper().startswith(_READS):
            return
        self._rows += len(parameters) if many else 1
        if self._rows > MAX_RECORDED_ROWS or _INSERT_SUBJECT.match(statement.lstrip()):
            self.is_whole = False
            self.statements.clear()
            return
        self.statements.append((statement, parameters, many))

    def added_first(self) -> tuple[int, str]:
        """Return the index and table of the first statement that adds a row to the file; (-1, "") if none does."""
        temporary_tables = {
            match[1].strip('"') for text, *_ in self.statements if (match := _CREATE_TEMPORARY.match(text.lstrip()))
        }
        for number, (text, *_) in enumerate(self.statements):
            match = _INSERT.match(text.lstrip())
            if match and match[1].strip('"') not in temporary_tables:
                return number, match[1].strip('"')
        return -1, ""

    @property
    def is_act(self) -> bool:
        """Whether the transaction first adds an entry to the undo log, by whose unique key it can be found."""
        return self.added_first()[1] == "change"


def write_again(connection: sqlite3.Connection, recordings: Sequence[TransactionRecording]) -> int:
    """Repeat transactions in order; returns the number that were missing in the file.

    Transactions are atomic, so one is present if its first added row is.
    Raises `sqlite3.IntegrityError` if one conflicts with writes of others; that one is rolled back.
    """
    return sum(_repeat(connection, recording) for recording in recordings)


def _repeat(connection: sqlite3.Connection, recording: TransactionRecording) -> bool:
    # Wait for the disk, as for expert work.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("BEGIN IMMEDIATE")
    first_addition = recording.added_first()[0]
    try:
        for number, (statement, parameters, many) in enumerate(recording.statements):
            try:
                (connection.executemany if many else connection.execute)(statement, parameters)
            except sqlite3.IntegrityError as error:
                if number != first_addition or not _is_duplicate(error):
                    raise
                connection.execute("ROLLBACK")
                return False
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return True


def _is_duplicate(error: sqlite3.IntegrityError) -> bool:
    # The undo log has a row number as primary key; its own unique key is in the column id.
    return error.sqlite_errorname in _DUPLICATE_KEY_ERRORS or str(error).endswith(".id")
