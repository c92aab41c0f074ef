"""Known errors and bugs are told apart here: what SQLite says, as a sentence a user can act on."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from annotator.base.errors import DamagedFileError, KnownError, MissingEnvironmentError

_SENTENCES: tuple[tuple[tuple[str, ...], type[KnownError], str], ...] = (
    (
        ("disk is full", "SQLITE_FULL"),
        MissingEnvironmentError,
        "The disk is full, so nothing of this was saved. Free some space and try again.",
    ),
    (
        ("database is locked", "database table is locked", "SQLITE_BUSY"),
        MissingEnvironmentError,
        "Another program is writing to {name}, so nothing of this was saved. Try again when it has finished.",
    ),
    (
        ("readonly database", "read-only", "unable to open database file"),
        MissingEnvironmentError,
        "{name} or its folder cannot be written, so nothing was changed. Check its permissions, or copy it elsewhere.",
    ),
    (
        ("disk I/O error",),
        MissingEnvironmentError,
        "The disk reported an error with {name}, so nothing of this was saved. Check the disk and open it again.",
    ),
    (
        ("malformed", "not a database", "corrupt"),
        DamagedFileError,
        "{name} is damaged. It was left as it is; a verified backup may lie in the folder {name}-backups beside it, "
        "and annotator recover says what can be read.",
    ),
)


def known(error: BaseException, name: str) -> KnownError | None:
    """Return the known error that a database failure on the file ``name`` amounts to, or None if it is a bug."""
    text = str(error)
    for marks, kind, sentence in _SENTENCES:
        if any(mark in text for mark in marks):
            return kind(sentence.format(name=name))
    return None


@contextmanager
def explained(name: str) -> Iterator[None]:
    """Turn what SQLite raises inside the block into `KnownError` where it is one."""
    try:
        yield
    except sqlite3.Error as error:
        sentence = known(error, name)
        if sentence is None:
            raise
        raise sentence from error
