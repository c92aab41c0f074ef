"""What marks a database as ours, and how the project's migrations are brought to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from annotator.base.errors import BadInputError
from annotator.store.file import schema
from annotator.store.server.connection import LANE, SCHEMA

if TYPE_CHECKING:
    import psycopg

CHANNEL = "annotator_changes"
"""Where notices are sent: the table, who changed it (application name and client), and which subjects, if few."""
NAMED = 50
"""The most subjects that a notice names; without a name, all may be concerned."""
# JSON is kept as text, byte for byte as it was written; these read it as SQLite's functions of the same name do.
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
        EXECUTE format('SELECT coalesce(CASE WHEN count(*) <= {NAMED} THEN string_agg(one, $1) END, $2) '
            'FROM (SELECT DISTINCT %I AS one FROM touched LIMIT {NAMED} + 1) AS some_of_them', TG_ARGV[0])
            INTO ids USING ',', '';
    END IF;
    PERFORM pg_notify('{CHANNEL}',
        concat(TG_TABLE_NAME, ' ', current_setting('application_name'), ' ', ids));
    RETURN NULL;
END $$;
"""
_SILENT = (
    "schema_version", "change", "subject_search", "subjecttext", "testcase", "run_scores", "run_counts",
    "subject_count", "question", "lease", "search_gap", "arrival",
)  # fmt: skip
"""Tables nobody looks at by themselves; what changes them changes another one too."""


def version_of(connection: psycopg.Connection[Any]) -> int | None:
    """Return the version of the project in a database, None if there is none (whatever else there may be).

    Raises `BadInputError` if our schema's name is taken by something else.
    """
    there = connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", (SCHEMA,)).fetchone()
    if there is None:
        return None
    table = connection.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.schema_version",)).fetchone()
    if table is None or table[0] is None:
        tables = connection.execute(
            "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s",
            (SCHEMA,),
        ).fetchone()
        if tables is not None and tables[0] == 0:
            return None
        raise _foreign()
    record = connection.execute(f"SELECT application_id, version FROM {SCHEMA}.schema_version").fetchone()
    if record is None or record[0] != schema.APPLICATION_ID:
        raise _foreign()
    return int(record[1])


def expect_none(connection: psycopg.Connection[Any], name: str) -> None:
    """Raise `BadInputError` unless a new project can be made in the database ``name``."""
    if version_of(connection) is not None:
        raise BadInputError(f"There is a project in {name} already. It was left as it is; use another database.")
    encoding = connection.execute("SHOW server_encoding").fetchone()
    if encoding is None or encoding[0] != "UTF8":
        raise BadInputError(f"{name} cannot hold every character. Make the database anew with createdb -E UTF8.")


def _foreign() -> BadInputError:
    return BadInputError(
        f"The database has a schema {SCHEMA} that is no project of Annotator. It was left as it is; use another one."
    )


def migrate(connection: psycopg.Connection[Any], start: int) -> None:
    """Bring a project from version ``start`` (0: nothing there) to the current one: one transaction a step.

    Whoever else wants to do the same waits, and then finds it done.
    """
    for version, path in schema.migrations():
        if version <= start:
            continue
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (LANE,))
            if (version_of(connection) or 0) >= version:
                continue
            if version == 1:
                connection.execute(_HELPERS)
                connection.execute(
                    "INSERT INTO schema_version (application_id, version) VALUES (%s, 0)", (schema.APPLICATION_ID,)
                )
            # Without values the server takes them all at once.
            connection.execute(schema.for_servers(path).read_text(encoding="utf-8"))
            _tell_of_all(connection)
            connection.execute("UPDATE schema_version SET version = %s", (version,))


def _tell_of_all(connection: psycopg.Connection[Any]) -> None:
    """Let every table that pages show tell listeners when it changes; alike notices of a transaction are one."""
    rows = connection.execute(
        "SELECT c.relname, (SELECT count(*) = 2 FROM pg_attribute a WHERE a.attrelid = c.oid "
        "AND a.attname IN ('annotator_id', 'subject_id')) "
        "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s AND c.relkind = 'r' "
        "AND NOT EXISTS (SELECT 1 FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname LIKE 'tell%%') "
        "ORDER BY c.relname",
        (SCHEMA,),
    ).fetchall()
    made = []
    for table, is_work in rows:
        for act, side in (("INSERT", "NEW"), ("UPDATE", "NEW"), ("DELETE", "OLD")):
            named = "subject_id" if is_work else "id" if (table, act) == ("subject", "UPDATE") else ""
            if table not in _SILENT:
                made.append(
                    f'CREATE TRIGGER tell_{act.lower()} AFTER {act} ON "{table}" REFERENCING {side} TABLE AS touched '
                    f"FOR EACH STATEMENT EXECUTE FUNCTION tell('{named}')"
                )
    if made:
        connection.execute(";\n".join(made))
