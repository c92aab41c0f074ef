"""Recognize a project's database, create the schema of a new project, and check a schema for differences.

A foreign trigger or function could silently change the written data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import JSON, BigInteger, Boolean, Double, Float, Integer, MetaData, SmallInteger, Text
from sqlalchemy.dialects import postgresql
from sqlalchemy.types import TypeEngine
from sqlmodel import AutoString

from annotator.base.errors import BadInputError
from annotator.store import definitions
from annotator.store.core_tables import SUBJECT, create_statements
from annotator.store.file.schema import APPLICATION_ID, SCHEMA_VERSION, upgrade_statements
from annotator.store.server.server_connection import SCHEMA, WRITING_LOCK

if TYPE_CHECKING:
    import psycopg


CHANNEL = "annotator_changes"
"""The channel of notices. Each contains the table, the application name with the client, and the subjects if few."""
MAX_LISTED_SUBJECTS = 50
"""Maximum number of subjects that a notice lists; an empty list may mean any subject."""
# JSON is stored as text, byte for byte as written; these functions read it like SQLite's of the same name.
_HELPERS = f"""
CREATE SCHEMA IF NOT EXISTS {SCHEMA};
CREATE TABLE {SCHEMA}.schema_version (application_id BIGINT NOT NULL, version BIGINT NOT NULL);
CREATE FUNCTION {SCHEMA}.json_at(document TEXT, path TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT document::jsonb #>> string_to_array(substr(path, 3), '.') $$;
CREATE OPERATOR {SCHEMA}.->> (LEFTARG = TEXT, RIGHTARG = TEXT, FUNCTION = {SCHEMA}.json_at);
CREATE FUNCTION {SCHEMA}.instr(whole TEXT, part TEXT) RETURNS INTEGER LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT strpos(whole, part) $$;
CREATE FUNCTION {SCHEMA}.json_part(document TEXT, path TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT (document::jsonb #> string_to_array(substr(path, 3), '.'))::text $$;
CREATE OPERATOR {SCHEMA}.-> (LEFTARG = TEXT, RIGHTARG = TEXT, FUNCTION = {SCHEMA}.json_part);
CREATE FUNCTION {SCHEMA}.json_extract(document TEXT, path TEXT) RETURNS DOUBLE PRECISION LANGUAGE sql IMMUTABLE AS
$$ SELECT CASE WHEN jsonb_typeof(found) = 'number' THEN found::text::double precision END
FROM (SELECT document::jsonb #> string_to_array(substr(path, 3), '.') AS found) AS one $$;
CREATE FUNCTION {SCHEMA}.search_query(expression TEXT) RETURNS TSQUERY LANGUAGE sql IMMUTABLE AS
$$ SELECT regexp_replace(replace(lower(regexp_replace(normalize(expression, NFD), '[\\u0300-\\u036f]', '', 'g')),
'"* "', '"* & "'), '"([^"]*)"\\*', '''\\1'':*', 'g')::tsquery $$;
CREATE FUNCTION {SCHEMA}.tell() RETURNS trigger LANGUAGE plpgsql AS
$$ DECLARE
    ids TEXT;
BEGIN
    IF NOT EXISTS (SELECT 1 FROM touched) THEN
        RETURN NULL;
    END IF;
    IF TG_ARGV[0] <> '' THEN
        EXECUTE format('SELECT coalesce(CASE WHEN count(*) <= {MAX_LISTED_SUBJECTS} THEN string_agg(one, $1) END, $2) '
            'FROM (SELECT DISTINCT %I AS one FROM touched LIMIT {MAX_LISTED_SUBJECTS} + 1) AS some_of_them', TG_ARGV[0])
            INTO ids USING ',', '';
    END IF;
    PERFORM pg_notify('{CHANNEL}',
        concat(TG_TABLE_NAME, ' ', current_setting('application_name'), ' ', ids));
    RETURN NULL;
END $$;
"""
# Types that store values as a file does: texts are compared byte by byte, JSON is text as written, booleans are 0 and
# 1, and whole numbers have 64 bits.
_TYPES: Mapping[type[TypeEngine[Any]], TypeEngine[Any]] = {
    Boolean: SmallInteger(),
    Integer: BigInteger(),
    Float: Double(),
    JSON: Text(collation="C"),
    AutoString: Text(collation="C"),
}
# Equivalents of SQLite's case-insensitive order, its order of NULL, and its search index.
_INDEXES = (
    f"CREATE INDEX ix_subject_views ON subject (views DESC NULLS LAST, {definitions.QUEUE_INDEX_COLUMNS}",
    f"CREATE INDEX ix_subject_title ON subject (lower(title), {definitions.QUEUE_INDEX_COLUMNS}",
    "CREATE TABLE subject_search (rowid BIGINT PRIMARY KEY, words TSVECTOR NOT NULL)",
    "CREATE INDEX ix_subject_search_words ON subject_search USING gin (words)",
)
_SILENT = (
    "change", "subjecttext", "testcase", "run_scores", "run_counts",
    "subject_count", "question", "lease", "search_gap", "arrival", "block_digest",
)  # fmt: skip
"""Tables without notices, because an act that changes one of them also changes another table."""


def version_of(connection: psycopg.Connection[Any]) -> int | None:
    """Return the version of the project in a database, None if there is no project.

    Raises `BadInputError` if the schema of this name belongs to another program.
    """
    existing = connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", (SCHEMA,)).fetchone()
    if existing is None:
        return None
    table = connection.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.schema_version",)).fetchone()
    if table is None or table[0] is None:
        tables = connection.execute(
            "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s",
            (SCHEMA,),
        ).fetchone()
        if tables is not None and tables[0] == 0:
            return None
        raise _foreign_schema_error()
    record = connection.execute(f"SELECT application_id, version FROM {SCHEMA}.schema_version").fetchone()
    if record is None or record[0] != APPLICATION_ID:
        raise _foreign_schema_error()
    return int(record[1])


def lock_writing(connection: psycopg.Connection[Any]) -> None:
    """Wait for the writing lock, and hold it until the transaction ends."""
    connection.execute("SELECT pg_advisory_xact_lock(%s)", (WRITING_LOCK,))


def upgrade_server_schema(connection: psycopg.Connection[Any], start: int) -> None:
    """Upgrade a project from version ``start`` to this program's, inside the transaction of ``connection``."""
    for statement in upgrade_statements(start):
        connection.execute(statement)
    connection.execute("UPDATE schema_version SET version = %s", (SCHEMA_VERSION,))


def create_server_schema(connection: psycopg.Connection[Any], name: str) -> None:
    """Lay out a new project in the database ``name``, inside the transaction of ``connection``.

    A concurrent attempt waits and is then refused. Raises `BadInputError` unless a project can be made.
    """
    lock_writing(connection)
    if version_of(connection) is not None:
        raise BadInputError(f"There is already a project in {name}. It was not changed; use another database.")
    encoding = connection.execute("SHOW server_encoding").fetchone()
    if encoding is None or encoding[0] != "UTF8":
        raise BadInputError(f"{name} cannot hold every character. Make the database anew with createdb -E UTF8.")
    connection.execute(_HELPERS)
    # Without parameters the server accepts several statements at once.
    connection.execute(";\n".join(_layout_statements()))
    connection.execute(
        "INSERT INTO schema_version (application_id, version) VALUES (%s, %s)", (APPLICATION_ID, SCHEMA_VERSION)
    )


@cache
def _layout_statements() -> tuple[str, ...]:
    """Return the statements that create everything in a new project except its helper functions."""
    tables = create_statements(_tables_on_server(), postgresql.dialect)
    return (*tables, *_INDEXES, *definitions.VIEWS, *_triggers(), *_notification_triggers())


@dataclass(frozen=True, slots=True)
class ExpectedLayout:
    """The expected columns (table, name), indexes, function bodies and trigger functions of a project on a server."""

    columns: frozenset[tuple[str, str]]
    indexes: frozenset[str]
    functions: dict[str, str]
    triggers: dict[str, tuple[str, str]]


@cache
def expected_layout() -> ExpectedLayout:
    """Return the layout of a new project, derived from the statements that create it."""
    tables = SUBJECT.metadata.sorted_tables
    functions: dict[str, str] = {}
    triggers: dict[str, tuple[str, str]] = {}
    for statement in (*_HELPERS.split(";\nCREATE "), *_layout_statements()):
        words = statement.removeprefix("CREATE ").split()
        if words[0] == "FUNCTION":
            name = words[1].partition("(")[0].removeprefix(f"{SCHEMA}.")
            functions[name] = statement.split("$$")[1]
        elif words[0] == "TRIGGER":
            table = words[words.index("ON") + 1].strip('"')
            function = words[words.index("FUNCTION") + 1].partition("(")[0]
            triggers[f"{words[1]} on {table}"] = (function, "on")
    return ExpectedLayout(
        columns=frozenset((table.name, column.name) for table in tables for column in table.columns),
        indexes=frozenset(str(index.name) for table in tables for index in table.indexes),
        functions=functions,
        triggers=triggers,
    )


def _foreign_schema_error() -> BadInputError:
    return BadInputError(
        f"The database has a schema {SCHEMA} that is not an Annotator project. It was not changed; use another one."
    )


def _tables_on_server() -> MetaData:
    """Return the tables of the models with the server's types, index conditions and deferrable foreign keys."""
    metadata = MetaData()
    for table in SUBJECT.metadata.sorted_tables:
        copy = table.to_metadata(metadata)
        for column in copy.columns:
            column.type = _TYPES.get(type(column.type), column.type)
        for key in copy.foreign_key_constraints:
            key.deferrable = True
        for index in copy.indexes:
            index.dialect_kwargs["postgresql_where"] = index.dialect_options["sqlite"]["where"]
    return metadata


def _triggers() -> Iterator[str]:
    for trigger in definitions.define_triggers():
        when = f"WHEN ({trigger.condition.format(differs='IS DISTINCT FROM')}) " if trigger.condition else ""
        yield (
            f"CREATE FUNCTION {trigger.name}() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN {trigger.statements} RETURN NULL; END $$"
        )
        yield (
            f"CREATE TRIGGER {trigger.name} AFTER {trigger.act} ON {trigger.table} FOR EACH ROW {when}"
            f"EXECUTE FUNCTION {trigger.name}()"
        )


def _notification_triggers() -> Iterator[str]:
    """Yield the triggers that notify listeners of changes; identical notices of a transaction are sent once."""
    for table in SUBJECT.metadata.sorted_tables:
        if table.name in _SILENT:
            continue
        is_work = {"annotator_id", "subject_id"} <= set(table.columns.keys())
        for act, side in (("INSERT", "NEW"), ("UPDATE", "NEW"), ("DELETE", "OLD")):
            listed_column = "id" if (table.name, act) == ("subject", "UPDATE") else ""
            if is_work:
                listed_column = "subject_id"
            yield (
                f'CREATE TRIGGER tell_{act.lower()} AFTER {act} ON "{table.name}" REFERENCING {side} TABLE AS touched '
                f"FOR EACH STATEMENT EXECUTE FUNCTION tell('{listed_column}')"
            )


_TRIGGERS = """
SELECT t.tgname, c.relname, p.proname, t.tgenabled FROM pg_trigger t
JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND NOT t.tgisinternal
"""
_FUNCTIONS = """
SELECT p.proname, p.prosrc FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE n.nspname = current_schema()
"""
_RULES = "SELECT tablename, rulename FROM pg_rules WHERE schemaname = current_schema()"
_COLUMNS = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()"
_INDEX_NAMES = "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()"


def find_layout_problems(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """Yield a sentence for each missing, changed or foreign column, index, trigger, function or rule."""
    expected = expected_layout()
    columns = {(str(table), str(name)) for table, name in connection.execute(_COLUMNS)}
    for table, name in sorted(expected.columns - columns):
        yield f"the column {name} of the table {table} is missing"
    indexes = {str(name) for (name,) in connection.execute(_INDEX_NAMES)}
    for name in sorted(expected.indexes - indexes):
        yield f"the index {name} is missing"
    functions = {str(name): str(body) for name, body in connection.execute(_FUNCTIONS)}
    yield from _describe_differences("function", expected.functions, functions)
    triggers = {
        f"{name} on {table}": (str(function), "on" if enabled == "O" else "off")
        for name, table, function, enabled in connection.execute(_TRIGGERS)
    }
    yield from _describe_differences("trigger", expected.triggers, triggers)
    for table, name in connection.execute(_RULES):
        yield f"the rule {name} on {table} is not Annotator's"


def _describe_differences(kind: str, expected: Mapping[str, object], actual: Mapping[str, object]) -> Iterator[str]:
    for name in sorted({*expected, *actual}):
        if name not in expected:
            yield f"the {kind} {name} is not Annotator's"
        elif actual.get(name) != expected[name]:
            yield f"the {kind} {name} is missing or changed"
