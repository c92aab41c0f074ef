"""Runs SQL against an empty SQLite database: set-up, the candidate's statements, then the checks.

Input: a JSON file {"setup", "code", "checks"}. If the last statement of a candidate is a query, it becomes the view
``solution`` too. Every query among the checks must give rows, all of true values. The nonce goes back, with the number
of checks, only when the last has been made.
"""

from __future__ import annotations

import functools
import json
import os
import re
import sqlite3
import sys

_ROW_LIMIT = 1000
_COMMENTS = re.compile(r"\A(?:\s|--[^\n]*(?:\n|\Z)|/\*.*?(?:\*/|\Z))+", re.DOTALL)
_FALSE = re.compile(
    r"\s*(?:fail(?:ed|ure|s)?(?:\s*[:(!.-].*)?|false|not ok|mismatch|0(?:\.0*)?)?\s*", re.IGNORECASE | re.DOTALL
)
"""Texts by which a check says that it does not hold."""
_CHANGES = (sqlite3.SQLITE_DELETE, sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DROP_TABLE)
_MADE = (
    sqlite3.SQLITE_CREATE_TABLE, sqlite3.SQLITE_CREATE_TEMP_TABLE, sqlite3.SQLITE_CREATE_VIEW,
    sqlite3.SQLITE_CREATE_TEMP_VIEW, sqlite3.SQLITE_READ,
)  # fmt: skip
_EXPECTED = re.compile(r"expected(?:_?(?:results?|output|rows|values|answers?))?", re.IGNORECASE)
"""Names of tables that a set-up makes for the checks alone; those of others may begin so."""
_DENIED = (sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH)


def _statements(text: str) -> list[str]:
    statements, current = [], ""
    for piece in text.split(";"):
        current += piece
        if sqlite3.complete_statement(current + ";"):
            if _bare(current):
                statements.append(current.strip())
            current = ""
        else:
            current += ";"
    if _bare(current.rstrip(";")):
        statements.append(current.strip().rstrip(";"))
    return statements


def _bare(text: str) -> str:
    """Return a statement without the comments before it."""
    return _COMMENTS.sub("", text).strip()


def _is_query(statement: str) -> bool:
    """Tell whether a statement asks and changes nothing."""
    words = re.findall(r"[a-z_]+", _bare(statement).lower())
    changes = {"insert", "update", "delete", "replace"} & set(words)
    return words[:1] in (["select"], ["values"]) or (words[:1] == ["with"] and not changes)


def _holds(value: object) -> bool:
    return not _FALSE.fullmatch(value) if isinstance(value, str) else bool(value)


def _authorise(action: int, *_: object) -> int:
    return sqlite3.SQLITE_DENY if action in _DENIED else sqlite3.SQLITE_OK


def _authorise_code(expected_tables: set[str], action: int, table: str | None, other: str | None, *_: object) -> int:
    """Keep the code from changing what the checks compare with, and from reading or replacing what is kept."""
    if action == sqlite3.SQLITE_ALTER_TABLE:
        action, table = sqlite3.SQLITE_UPDATE, other
    changes = action in _CHANGES and str(table).lower().startswith("expected")
    if changes or (action in _MADE and str(table).lower() in expected_tables):
        return sqlite3.SQLITE_DENY
    return _authorise(action)


def _kept(base: sqlite3.Connection) -> set[str]:
    """Return the tables that are the checks' own."""
    names = [str(row[0]).lower() for row in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {name for name in names if _EXPECTED.fullmatch(name)}


def _show(rows: list[tuple[object, ...]]) -> None:
    for row in rows:
        print("|".join("" if value is None else str(value) for value in row))


def main(path: str) -> int:
    with open(path, encoding="utf-8") as stream:
        work = json.load(stream)
    nonce = os.read(3, 256) if work["checks"] is not None else b""
    base = sqlite3.connect(":memory:", isolation_level=None)
    base.set_authorizer(_authorise)
    ran = 0
    try:
        for statement in _statements(work["setup"]):
            base.execute(statement)
        code = _statements(work["code"])
        base.set_authorizer(functools.partial(_authorise_code, _kept(base)))
        for statement in code:
            _show(base.execute(statement).fetchmany(_ROW_LIMIT))
        if code and _is_query(code[-1]):
            base.execute(f"CREATE TEMP VIEW solution AS {code[-1]}")
        base.set_authorizer(_authorise)
        if work["checks"] is None:
            return 0
        for statement in _statements(work["checks"]):
            cursor = base.execute(statement)
            rows = cursor.fetchmany(_ROW_LIMIT)
            if cursor.description is None:
                continue
            ran += 1
            if not rows or not all(_holds(value) for row in rows for value in row):
                print(f"check failed: {statement}", file=sys.stderr)
                return 1
    except sqlite3.Error as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    os.write(4, nonce + f" {ran}".encode("ascii"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
