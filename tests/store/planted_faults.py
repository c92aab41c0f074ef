"""Faults planted in a sound project file, one at a time, for tests of `check`: written before it looked for them.

Each is a name and what it does to a file through SQLite alone, or to its bytes. Faults that concern every table or
column come from the schema of the file itself, so that a new table has its faults by itself.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from tests.store import damage

PAGE = damage.PAGE


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A fault of a kind, and what plants it in the file at a path."""

    kind: str
    name: str
    plant: Callable[[Path], None]


def faults(path: Path, *, seed: int = 0) -> Iterator[Fault]:
    """Yield the faults that can be planted in copies of a file: what concerns an empty table is left out."""
    with closing(sqlite3.connect(path)) as connection:
        yield from _schema_faults(connection)
        yield from _value_faults(connection, random.Random(seed))
        filled = {table for table in _tables(connection) if _has_rows(connection, table)}
    for table in sorted(filled - {"failure", "lease", "subject_count", "subject_search"}):
        yield Fault(kind="a lost row", name=table, plant=_sql(f'DELETE FROM "{table}" WHERE rowid = 1'))
    for kind, table, statement in WRITTEN:
        if table in filled:
            yield Fault(kind=kind, name=statement, plant=_sql(statement))
    yield from _byte_faults(seed)


def _tables(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return [name for (name,) in rows if not name.startswith(("sqlite_", "subject_search_"))]


def _has_rows(connection: sqlite3.Connection, table: str) -> bool:
    return connection.execute(f'SELECT 1 FROM "{table}" LIMIT 1').fetchone() is not None


def _sql(*statements: str, schema: bool = False) -> Callable[[Path], None]:
    """Return what runs statements without a look at foreign keys, and without triggers."""

    def plant(path: Path) -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA foreign_keys = 0")
            connection.execute("PRAGMA writable_schema = 1" if schema else "PRAGMA ignore_check_constraints = 1")
            triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
            for name, _ in [] if schema else triggers:
                connection.execute(f"DROP TRIGGER {name}")
            for statement in statements:
                connection.execute(statement)
            for _, sql in [] if schema else triggers:
                connection.execute(sql)
            connection.execute("PRAGMA journal_mode = delete")

    return plant


def _schema_faults(connection: sqlite3.Connection) -> Iterator[Fault]:
    for kind, name in connection.execute("SELECT type, name FROM sqlite_master WHERE sql IS NOT NULL").fetchall():
        if not name.startswith(("sqlite_", "subject_search_")):
            yield Fault(kind=f"dropped {kind}", name=name, plant=_sql(f'DROP {kind} "{name}"', schema=True))
    for table in _tables(connection):
        if table == "subject_search":
            continue
        columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
        sql = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()[0]
        last = columns[-1]
        yield Fault(
            kind="renamed column", name=f"{table}.{last}",
            plant=_sql(f'ALTER TABLE "{table}" RENAME COLUMN "{last}" TO was_{last}'),
        )  # fmt: skip
        yield Fault(kind="added column", name=table, plant=_sql(f'ALTER TABLE "{table}" ADD COLUMN surplus TEXT'))
        for what, old in (("unique", "UNIQUE ("), ("not null", " NOT NULL"), ("foreign key", "FOREIGN KEY")):
            changed = _weakened(sql, old)
            if changed is not None:
                statement = f"UPDATE sqlite_master SET sql = {_quoted(changed)} WHERE name = {_quoted(table)}"
                if what != "unique":  # its index would be left over, which SQLite itself calls damage
                    yield Fault(kind=f"dropped {what}", name=table, plant=_sql(statement, schema=True))
    for kind, sql in (
        ("foreign table", "CREATE TABLE notes (text TEXT)"),
        ("foreign index", "CREATE INDEX other ON decision (reason)"),
        ("foreign trigger", "CREATE TRIGGER t AFTER INSERT ON decision BEGIN DELETE FROM decision; END"),
        ("foreign view", "CREATE VIEW v AS SELECT * FROM vote"),
    ):
        yield Fault(kind=kind, name=sql, plant=_sql(sql))


def _weakened(sql: str, part: str) -> str | None:
    if part not in sql:
        return None
    if part == "FOREIGN KEY":
        lines = sql.split(",")
        at = max(n for n, line in enumerate(lines) if part in line)
        closes = ")" if at == len(lines) - 1 else ""
        return ",".join((*lines[:at], *lines[at + 1 :])) + closes
    return sql.replace(part, "", 1)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _value_faults(connection: sqlite3.Connection, chance: random.Random) -> Iterator[Fault]:
    for table in _tables(connection):
        if table == "subject_search" or not _has_rows(connection, table):
            continue
        size = connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]
        parents = {row[3] for row in connection.execute(f'PRAGMA foreign_key_list("{table}")')}
        for _, column, kind, not_null, _, key in connection.execute(f'PRAGMA table_info("{table}")').fetchall():
            offset = chance.randrange(size)
            at = f'WHERE _rowid_ = (SELECT _rowid_ FROM "{table}" LIMIT 1 OFFSET {offset})'
            if table == "subject_count":
                at = f"WHERE (task, language, domain, area, difficulty, verdict, holder_id, has_prompt, has_criterion, proven) = (SELECT task, language, domain, area, difficulty, verdict, holder_id, has_prompt, has_criterion, proven FROM subject_count LIMIT 1 OFFSET {offset})"  # noqa: E501
            for what, value in _bad_values(column, kind, is_parent=column in parents, not_null=bool(not_null)):
                if key and kind == "INTEGER":
                    continue  # SQLite itself refuses it
                statement = f'UPDATE "{table}" SET "{column}" = {value} {at}'
                yield Fault(kind=what, name=statement, plant=_sql(statement))


def _bad_values(column: str, kind: str, *, is_parent: bool, not_null: bool) -> Iterator[tuple[str, str]]:
    """Yield kinds of wrong values for a column of a type, as SQL."""
    if kind == "JSON":
        yield "not JSON", "'{\"a\": '"
        yield "JSON of another shape", "'7'"
    elif kind == "BOOLEAN":
        yield "not a truth value", "7"
    elif kind in ("VARCHAR", "TEXT"):
        yield "not UTF-8", "CAST(x'61ff62' AS TEXT)"
        yield "bytes for text", "x'00ff'"
        if is_parent:
            yield "a parent that is not there", "'00000000-0000-7000-8000-000000000000'"
    elif kind in ("INTEGER", "FLOAT"):
        yield "text for a number", "'many'"
    if column.endswith("_at"):
        yield "not a time", "'yesterday'"
    if not_null is False and kind == "JSON":
        yield "null in a JSON column", "NULL"


LATER = "'2999-01-01T00:00:00.000000Z'"
WRITTEN: tuple[tuple[str, str, str], ...] = (
    # What a hash covers, changed under it.
    ("content under its hash", "subjecttext", "UPDATE subjecttext SET prompt = prompt || ' x' WHERE rowid = 1"),
    ("content under its hash", "subjecttext", "UPDATE subjecttext SET reference = reference || ' x' WHERE rowid = 2"),
    ("content under its hash", "subjecttext", "UPDATE subjecttext SET context = context || ' x' WHERE rowid = 1"),
    ("content under its hash", "subjecttext", "UPDATE subjecttext SET entry_point = 'other' WHERE rowid = 1"),
    ("content under its hash", "subjecttext", "UPDATE subjecttext SET dependencies = '{\"a\": 1}' WHERE rowid = 2"),
    ("content under its hash", "subjecttext", "UPDATE subjecttext SET extra = '{\"a\": 1}' WHERE rowid = 2"),
    ("content under its hash", "subject", "UPDATE subject SET title = title || ' x' WHERE row = 1"),
    ("content under its hash", "subject", "UPDATE subject SET licence = 'WTFPL' WHERE row = 1"),
    ("content under its hash", "subject", "UPDATE subject SET content_hash = hex(randomblob(32)) WHERE row = 2"),
    ("content under its hash", "testcase", "UPDATE testcase SET code = code || ' ' WHERE rowid = 1"),
    ("content under its hash", "testcase", "UPDATE testcase SET expected = 'other' WHERE rowid = 1"),
    ("content under its hash", "testcase", "UPDATE testcase SET weight = weight + 1 WHERE rowid = 1"),
    ("content under its hash", "testcase", "UPDATE testcase SET inputs = '{\"n\": 9}' WHERE rowid = 1"),
    ("content under its hash", "testcase", "DELETE FROM testcase WHERE rowid = 1"),
    ("content under its hash", "criterion", "UPDATE criterion SET source = source || ' ' WHERE rowid = 1"),
    ("content under its hash", "criterion", "UPDATE criterion SET content_hash = lower(hex(randomblob(32)))"
        " WHERE rowid = 1"),
    ("content under its hash", "revision", "UPDATE revision SET content = content || ' ' WHERE rowid = 1"),
    ("content under its hash", "revision", "UPDATE revision SET content_hash = lower(hex(randomblob(32)))"),
    ("content under its hash", "rewriting", "UPDATE rewriting SET document = '{\"task\": \"x\"}' WHERE rowid = 1"),
    ("content under its hash", "rewriting", "UPDATE rewriting SET content_hash = lower(hex(randomblob(32)))"),
    ("content under its hash", "bug", "UPDATE bug SET code = code || ' ' WHERE rowid = 1"),
    ("content under its hash", "bug", "UPDATE bug SET content_hash = lower(hex(randomblob(32))) WHERE rowid = 1"),
    ("content under its hash", "response", "UPDATE response SET text = text || ' ' WHERE rowid = 1"),
    ("content under its hash", "response", "UPDATE response SET content_hash = lower(hex(randomblob(32)))"
        " WHERE rowid = 3"),
    ("content under its hash", "question", "UPDATE question SET body = '{\"prompt\": \"x\"}' WHERE rowid = 1"),
    ("content under its hash", "published_table", "UPDATE published_table SET content = '{\"title\": \"x\"}'"),
    ("content under its hash", "release", "UPDATE release SET content_hash = lower(hex(randomblob(32)))"),
    ("content under its hash", "releaseitem", "UPDATE releaseitem SET content_hash = lower(hex(randomblob(32)))"
        " WHERE rowid = 1"),
    ("content under its hash", "releaseitem", "UPDATE releaseitem SET item = json_set(item, '$.prompt', 'x')"
        " WHERE rowid = 1"),
    ("content under its hash", "releaseitem", "UPDATE releaseitem SET item = json_set(item, '$.criterion', 'x')"
        " WHERE rowid = 2"),
    ("content under its hash", "releaseitem", "UPDATE releaseitem SET position = position + 100 WHERE rowid = 1"),
    ("content under its hash", "releaseitem", "DELETE FROM releaseitem WHERE rowid = 2"),
    ("content under its hash", "study", "UPDATE study SET commitment = lower(hex(randomblob(32))) WHERE rowid = 1"),
    ("content under its hash", "blind_key", "UPDATE blind_key SET secret = 'other' WHERE rowid = 1"),
    ("content under its hash", "blind_key", "UPDATE blind_key SET sides = '{\"p\": \"left\"}' WHERE rowid = 1"),
    ("content under its hash", "pair", "UPDATE pair SET commitment = lower(hex(randomblob(32))) WHERE rowid = 1"),
    ("a hash of nothing", "proof", "UPDATE proof SET content_hash = lower(hex(randomblob(32))) WHERE rowid = 1"),
    ("a hash of nothing", "score", "UPDATE score SET criterion_hash = lower(hex(randomblob(32))) WHERE rowid = 1"),
    ("a hash of nothing", "score_set_item", "UPDATE score_set_item SET criterion_hash = lower(hex(randomblob(32)))"
        " WHERE rowid = 1"),
    ("a hash of nothing", "confirmation", "UPDATE confirmation SET content_hash = lower(hex(randomblob(32)))"),
    ("a hash of nothing", "settlement", "UPDATE settlement SET answer_hash = lower(hex(randomblob(32)))"),
    ("a hash of nothing", "response", "UPDATE response SET question_hash = lower(hex(randomblob(32))) WHERE rowid = 1"),
    # What is kept beside what it is computed from.
    ("a cache", "subject", "UPDATE subject SET verdict = CASE verdict WHEN 'reject' THEN 'accept' ELSE 'reject' END"
        " WHERE row = 1"),
    ("a cache", "subject", "UPDATE subject SET verdict = NULL WHERE row = 2"),
    ("a cache", "subject", "UPDATE subject SET prompt_id = NULL WHERE prompt_id IS NOT NULL"),
    ("a cache", "subject", "UPDATE subject SET prompt_id = 'x' WHERE row = 1"),
    ("a cache", "subject", "UPDATE subject SET criterion_id = NULL WHERE criterion_id IS NOT NULL"),
    ("a cache", "subject", "UPDATE subject SET criterion_id = 'x' WHERE row = 2"),
    ("a cache", "subject", "UPDATE subject SET proven = 1 - proven WHERE row = 1"),
    ("a cache", "subject", "UPDATE subject SET holder_id = 'x' WHERE row = 1"),
    ("a cache", "subject", "UPDATE subject SET active = 0 WHERE row = 1"),
    ("a cache", "subject", "UPDATE subject SET difficulty = 'easier' WHERE row = 2"),
    ("a cache", "subject_count", "UPDATE subject_count SET subjects = subjects + 1"),
    ("a cache", "subject_count", "DELETE FROM subject_count"),
    ("a cache", "subject_search", "INSERT INTO subject_search (subject_search) VALUES ('delete-all')"),
    ("a cache", "subject_search", "INSERT INTO subject_search (rowid, title) VALUES (999, 'ghost')"),
    ("a cache", "subject_search", "DELETE FROM subject_search_docsize WHERE id = 1"),
    ("a cache", "subject_search", "UPDATE subject_search_docsize SET sz = x'090909' WHERE id = 1"),
    ("a cache", "subject_search", "DELETE FROM subject_search_data WHERE id > 10"),
    ("a cache", "subject", "INSERT INTO search_gap VALUES (1, 99)"),
    ("a cache", "run_scores", "UPDATE run_scores SET scores = zeroblob(length(scores)) WHERE run_id = (SELECT"
        " run_id FROM run_scores LIMIT 1)"),
    ("a cache", "run_scores", "UPDATE run_scores SET positions = x'00'"),
    ("a cache", "run_scores", "UPDATE run_scores SET outcomes = zeroblob(length(outcomes) + 1)"),
    ("a cache", "run", "INSERT OR REPLACE INTO run_counts SELECT id, '{\"answers\": 12345}' FROM run"),
    ("a cache", "question", "UPDATE question SET characters = characters + 7"),
    ("a cache", "release", "UPDATE release SET item_count = item_count + 1"),
    ("a cache", "decision", "UPDATE decision SET active = 0 WHERE rowid = 1"),
    ("a cache", "vote", "UPDATE vote SET active = 0 WHERE rowid = 1"),
    ("a cache", "run", "UPDATE run SET score_set_id = 'x' WHERE rowid = 1"),
    # Values outside the words of their column.
    *(("a word of no list", table, f'UPDATE "{table}" SET "{column}" = \'nonsense\' WHERE _rowid_ = 1')
        for table, column in (
            ("subject", "task"), ("subject", "verdict"), ("decision", "verdict"), ("change", "kind"),
            ("change", "state"), ("run", "state"), ("response", "outcome"), ("score", "outcome"),
            ("study", "kind"), ("pair", "kind"), ("judgement", "verdict"), ("judgement", "order"),
            ("assignment", "order"), ("vote", "choice"), ("confirmation", "artefact"), ("confirmation", "verdict"),
            ("revision", "artefact"), ("settlement", "verdict"), ("setup", "kind"), ("suggestion_verdict", "verdict"),
            ("bug", "state"), ("bug", "family"), ("bug_review", "verdict"), ("audit_answer", "state"),
            ("proof", "outcome"), ("proof", "kind"), ("label", "name"), ("failure", "cause"),
            ("conflict", "table_name"),
        )),
    ("a number out of bounds", "review", "UPDATE review SET correctness = 9"),
    ("a number out of bounds", "assignment", "UPDATE assignment SET serving = 7 WHERE rowid = 1"),
    ("a number out of bounds", "response", "UPDATE response SET sample = -3 WHERE rowid = 1"),
    ("a number out of bounds", "score", "UPDATE score SET score = 9e99 WHERE rowid = 1"),
    ("a number out of bounds", "response", "UPDATE response SET prompt_tokens = 9223372036854775807 WHERE rowid = 1"),
    ("a number out of bounds", "run", "UPDATE run SET samples = -1"),
    # History and people.
    ("history", "change", "DELETE FROM change WHERE seq = 2"),
    ("history", "change", "UPDATE change SET state = 'undone' WHERE seq = 2"),
    ("history", "change", "UPDATE change SET kind = 'undo' WHERE seq = 2"),
    ("history", "change", "UPDATE change SET target_id = 'x' WHERE seq = 1"),
    ("history", "decision", "UPDATE decision SET change_id = (SELECT id FROM change ORDER BY seq LIMIT 1)"
        " WHERE rowid = 1"),
    ("history", "decision", "UPDATE decision SET verdict = CASE verdict WHEN 'skip' THEN 'flag' ELSE 'skip' END"
        " WHERE rowid = 1"),
    ("history", "decision", "UPDATE decision SET reason = 'because' WHERE rowid = 1"),
    ("history", "decision", f"UPDATE decision SET created_at = {LATER} WHERE rowid = 1"),
    ("history", "decision", "DELETE FROM decision WHERE rowid = 1"),
    ("history", "decision", "DELETE FROM decision"),
    ("history", "vote", "DELETE FROM vote WHERE rowid = 1"),
    ("history", "vote", "UPDATE vote SET choice = CASE choice WHEN 'no' THEN 'yes' ELSE 'no' END WHERE rowid = 1"),
    ("history", "vote", "UPDATE vote SET annotator_id = (SELECT id FROM annotator WHERE id <> annotator_id)"
        " WHERE rowid = 1"),
    ("history", "judgement", "UPDATE judgement SET verdict = CASE verdict WHEN '1' THEN '2' ELSE '1' END"
        " WHERE rowid = 1"),
    ("history", "judgement", "DELETE FROM judgement WHERE rowid = 1"),
    ("history", "review", "UPDATE review SET correctness = 6 - correctness, readability = 2 WHERE rowid = 1"),
    ("history", "comment", "UPDATE comment SET text = 'other' WHERE rowid = 1"),
    ("history", "prompt", "UPDATE prompt SET text = text || ' x' WHERE rowid = 1"),
    ("history", "prompt", "DELETE FROM prompt WHERE rowid = 1"),
    ("history", "subject", "DELETE FROM subject WHERE row = 1"),
    ("history", "subjecttext", "DELETE FROM subjecttext WHERE rowid = 1"),
    ("history", "annotator", "DELETE FROM annotator WHERE rowid = 1"),
    ("history", "project", "DELETE FROM project"),
    ("history", "project", "INSERT INTO project SELECT 'x', created_at, name, settings FROM project"),
    ("history", "project", "UPDATE project SET settings = '[]'"),
    ("history", "project", "UPDATE project SET settings = '{\"annotator\": 7}'"),
    ("history", "project", "UPDATE project SET settings = '{\"annotator\": \"nobody\"}'"),
    *(("about something else", table, f"UPDATE {table} SET {column} ="
        f" (SELECT id FROM {parent} p WHERE p.id <> {column})")
        for table, column, parent in (
            ("bug_review", "subject_id", "subject"), ("suggestion_verdict", "subject_id", "subject"),
            ("review", "subject_id", "subject"), ("run", "model_id", "model_under_test"),
            ("score_set", "run_id", "run"),
        )),
    ("header", "project", "PRAGMA user_version = 0"),
    ("header", "project", "PRAGMA user_version = 19"),
    ("header", "project", "PRAGMA user_version = 7"),
    ("header", "project", "PRAGMA user_version = 99"),
    ("header", "project", "PRAGMA application_id = 5"),
)  # fmt: skip


def _byte_faults(seed: int) -> Iterator[Fault]:
    for kind, plant in damage.KINDS.items():
        for number in range(4):
            yield Fault(kind=f"bytes {kind}", name=f"seed {seed + number}", plant=_seeded(plant, seed + number))
    for kind, other in (("swapped pages", _swapped), ("one page of noise", _one_page), ("text encoding", _utf16)):
        for number in range(3):
            yield Fault(kind=kind, name=f"seed {seed + number}", plant=_seeded(other, seed + number))


def _seeded(plant: Callable[[Path, int], None], seed: int) -> Callable[[Path], None]:
    return lambda path: plant(path, seed)


def _swapped(path: Path, seed: int) -> None:
    chance, data = random.Random(seed), bytearray(path.read_bytes())
    one, other = chance.sample(range(1, len(data) // PAGE), 2)
    first, second = slice(one * PAGE, (one + 1) * PAGE), slice(other * PAGE, (other + 1) * PAGE)
    data[first], data[second] = data[second], data[first]
    path.write_bytes(data)


def _one_page(path: Path, seed: int) -> None:
    chance, data = random.Random(seed), bytearray(path.read_bytes())
    start = chance.randrange(1, len(data) // PAGE) * PAGE
    data[start : start + PAGE] = chance.randbytes(PAGE)
    path.write_bytes(data)


def _utf16(path: Path, seed: int) -> None:
    data = bytearray(path.read_bytes())
    data[56:60] = (2 + seed % 2).to_bytes(4, "big") if seed % 3 else (9).to_bytes(4, "big")
    path.write_bytes(data)
