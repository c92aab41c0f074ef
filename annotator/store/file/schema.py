"""Create and upgrade the schema of project files, and find differences from the expected schema."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from annotator.store import definitions

APPLICATION_ID = 0x414E4E54  # "ANNT", in the field of SQLite's header that identifies the application
PAGE_SIZE = 16384
SCHEMA_VERSION = 22
"""The version that this program writes, in files and on servers; the models describe it."""
SEARCH_INDEX = """
CREATE VIRTUAL TABLE subject_search USING fts5(
    title, key, prompt, content='', detail=none, tokenize="unicode61 tokenchars '_'", prefix='1 2 3 4 5'
)
"""
"""Indexes word prefixes of up to five letters, without a copy of the texts."""
FIRST_SERVER_VERSION = 20
"""The first version of projects on servers; later steps run in files and on servers alike."""
_MIGRATIONS = Path(__file__).parents[1] / "migrations"
_STEP = re.compile(r"^-- Schema version (\d+)\.$", re.MULTILINE)
_INDEXES = (
    f"CREATE INDEX ix_subject_views ON subject (views DESC, {definitions.QUEUE_INDEX_COLUMNS}",
    f"CREATE INDEX ix_subject_title ON subject (title COLLATE NOCASE, {definitions.QUEUE_INDEX_COLUMNS}",
)
NEW_LAYOUT = "b8af582e04b5f2895f5cf656d090cdaeaa3226c5aad66fcfd927d75447583ec2"
NORMALIZED_LAYOUT = "d58d9fc411d8f9412c956c10156be4d8d63f49aa5713bdedc3b4e1c478cbbb8e"
"""Digests of the newest layout: of the text in a new file, and of the normalized form, which upgraded files share."""
_SHADOW_PREFIX = "subject_search_"
_ACTIVE_KINDS = ("trigger", "view")
"""The kinds of objects that run code when the project is read or written."""


@dataclass(frozen=True, slots=True)
class SchemaObject:
    """A table, index, trigger or view of a file."""

    kind: str
    name: str
    sql: str

    def __str__(self) -> str:
        """Return its kind and name."""
        return f"{self.kind} {self.name}"


@dataclass(frozen=True, slots=True)
class Differences:
    """The missing or changed objects of a file, and those that do not belong to its version."""

    missing: tuple[SchemaObject, ...]
    foreign: tuple[SchemaObject, ...]

    def describe(self) -> tuple[str, ...]:
        """Return a sentence for each difference."""
        return (
            *(f"the {schema_object} is missing or changed" for schema_object in self.missing),
            *(f"the {schema_object} is not Annotator's" for schema_object in self.foreign),
        )


def create_file_schema(connection: sqlite3.Connection) -> None:
    """Lay out a new, empty file in one transaction: our application id, tables, indexes, views and triggers."""
    _set_file_kind(connection)
    _run_script(connection, _layout_statements(), SCHEMA_VERSION)


@cache
def _layout_statements() -> tuple[str, ...]:
    """Return the statements that create everything in a new file."""
    # A project is opened before SQLModel is loaded; only a new one needs the models.
    from sqlalchemy.dialects import sqlite

    from annotator.store.core_tables import SUBJECT, create_statements

    # SQLite looks for lost pages only if the table that it checks first is one with pages. Which one that is depends on
    # the order in which they are created: with views and the search index at the beginning it is.
    tables = create_statements(SUBJECT.metadata, sqlite.dialect)
    return (*definitions.VIEWS, SEARCH_INDEX, *tables, *_INDEXES, *_triggers())


def upgrade_file_schema(connection: sqlite3.Connection, start: int, end: int = SCHEMA_VERSION) -> None:
    """Upgrade a file from version ``start`` (0: an empty one) to ``end`` by the frozen steps, in one transaction."""
    if start == 0:
        _set_file_kind(connection)
    _run_script(connection, upgrade_statements(start, end), end)


def upgrade_statements(start: int, end: int = SCHEMA_VERSION) -> list[str]:
    """Return the statements of the frozen steps from one version to another."""
    return [sql for version, text in _read_steps() if start < version <= end for sql in split_statements(text)]


def find_schema_differences(connection: sqlite3.Connection) -> Differences:
    """Return the differences of a file's tables, indexes, triggers and views from those of its version.

    Nearly all files were created or upgraded by this program, and a digest recognizes these without comparing objects.
    """
    actual = list_schema_objects(connection)
    version = version_of(connection)
    if version == SCHEMA_VERSION and (
        digest_of_text(actual) == NEW_LAYOUT or digest_of_meaning(actual) == NORMALIZED_LAYOUT
    ):
        return Differences((), ())
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as memory:
        upgrade_file_schema(memory, 0, version)
        expected = {_identify(schema_object): schema_object for schema_object in list_schema_objects(memory)}
    present = {_identify(schema_object): schema_object for schema_object in actual}
    missing = tuple(schema_object for key, schema_object in expected.items() if key not in present)
    names = {(schema_object.kind, schema_object.name) for schema_object in missing}
    foreign = (schema_object for key, schema_object in present.items() if key not in expected)
    return Differences(
        missing,
        tuple(schema_object for schema_object in foreign if (schema_object.kind, schema_object.name) not in names),
    )


def digest_of_text(objects: Iterable[SchemaObject]) -> str:
    """Return a digest of the exact definitions, which recognizes newly created files."""
    return _digest(
        (schema_object.kind, schema_object.name, schema_object.sql)
        for schema_object in objects
        if not schema_object.name.startswith(_SHADOW_PREFIX)
    )


def digest_of_meaning(objects: Iterable[SchemaObject]) -> str:
    """Return a digest of normalized definitions, which also recognizes upgraded files."""
    return _digest(_identify(schema_object) for schema_object in objects)


def _digest(parts: Iterable[object]) -> str:
    return hashlib.sha256("\n".join(sorted(map(repr, parts))).encode("utf-8", "surrogatepass")).hexdigest()


def _identify(schema_object: SchemaObject) -> tuple[str, str, tuple[str, ...]]:
    # SQLite creates the search index's own tables, and the wording differs between its versions.
    return (
        schema_object.kind,
        schema_object.name,
        () if schema_object.name.startswith(_SHADOW_PREFIX) else _normalize(schema_object.sql),
    )


def find_foreign_code(connection: sqlite3.Connection) -> tuple[SchemaObject, ...]:
    """Return the triggers and views that neither the file's version nor an earlier one creates."""
    version = version_of(connection)
    expected_sql = set(
        upgrade_statements(0, version) if version < SCHEMA_VERSION else (*definitions.VIEWS, *_triggers())
    )
    code_objects = (
        schema_object for schema_object in list_schema_objects(connection) if schema_object.kind in _ACTIVE_KINDS
    )
    reworded = [schema_object for schema_object in code_objects if schema_object.sql not in expected_sql]
    expected_meanings = {_normalize(sql) for sql in expected_sql} if reworded else set()
    return tuple(schema_object for schema_object in reworded if _normalize(schema_object.sql) not in expected_meanings)


def split_statements(script: str) -> Iterator[str]:
    """Split a script into statements (``executescript`` would commit half-way)."""
    pending = ""
    for line in re.sub(r"^--.*$", "", script, flags=re.MULTILINE).splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            if pending.strip():
                yield pending.strip()
            pending = ""
    if pending.strip():
        yield pending.strip()


def _read_steps() -> list[tuple[int, str]]:
    """Return the frozen steps in order, as (version a step leads to, its script)."""
    scripts = (_MIGRATIONS / name for name in ("versions_1_to_20.sql", "later_versions.sql"))
    return [
        (int(version), script)
        for _, *parts in (_STEP.split(path.read_text(encoding="utf-8")) for path in scripts)
        for version, script in zip(parts[::2], parts[1::2], strict=True)
    ]


def _set_file_kind(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def _run_script(connection: sqlite3.Connection, script: Iterable[str], version: int) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statement in script:
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {version:d}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _triggers() -> Iterator[str]:
    for trigger in definitions.define_triggers():
        when = f"WHEN {trigger.condition.format(differs='IS NOT')} " if trigger.condition else ""
        header = f"CREATE TRIGGER {trigger.name} AFTER {trigger.act} ON {trigger.table}"
        yield f"{header} {when}BEGIN {trigger.statements} END"


def list_schema_objects(connection: sqlite3.Connection) -> list[SchemaObject]:
    """Return the tables, indexes, triggers and views of a file, without those of SQLite itself."""
    # SQLite's own tables and indexes, such as statistics, begin with sqlite_.
    rows = connection.execute(
        "SELECT type, name, sql FROM main.sqlite_master "
        "WHERE type IN ('trigger', 'view') OR name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, name"
    )
    return [SchemaObject(str(kind), str(name), str(sql)) for kind, name, sql in rows]


def _normalize(sql: str) -> tuple[str, ...]:
    """Return a normalized definition: no spaces or redundant quotes, and a table's parts sorted.

    In an upgraded table, added columns come last, and NOT NULL comes before a default instead of after it.
    """
    definition = re.sub(r" ?([(),;]) ?", r"\1", " ".join(sql.split())).rstrip(";")
    if definition.startswith(("CREATE TABLE", "CREATE INDEX", "CREATE UNIQUE INDEX")):
        definition = definition.replace('"', "")
    if not definition.startswith("CREATE TABLE"):
        return (definition,)
    definition = re.sub(r"(\w+) (\w+) REFERENCES", r"\1 \2,FOREIGN KEY(\1)REFERENCES", definition)
    head, _, remainder = definition.partition("(")
    body, _, table_options = remainder.rpartition(")")
    parts = re.split(r",(?![^()]*\))", body)
    return (head, table_options, *sorted(" ".join(sorted(part.split())) for part in parts))


def version_of(connection: sqlite3.Connection) -> int:
    """Return the schema version in a file's header."""
    return int(connection.execute("PRAGMA main.user_version").fetchone()[0])
