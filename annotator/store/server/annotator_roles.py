"""Login roles of annotators, which cannot read sealed votes, blind keys and models' answers, with any client.

A schema of its own assigns each login to a person and replaces five tables by views: votes without sealed choices,
resolutions, of which only the chair's open a panel before all its seats have voted, the keys of unblinded studies,
stored answers to items that no blind study compares, and conflicts without these secrets. A login has no rights on the
tables themselves, nor on the answers and scores of runs, which would reveal where a text of a pair comes from. Other
roles are unaffected.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from annotator.base.addresses import ServerAddress
from annotator.base.errors import BadInputError
from annotator.model.rows.task_rows import REWRITE_KEY
from annotator.store.core_tables import SUBJECT, find_table
from annotator.store.judging.stored_consensus import CHAIR_SETTING, DEFAULT_SEATS, PANEL, SEATS_SETTING
from annotator.store.server.server_connection import ROLE_SCHEMA, SCHEMA, WRITING_LOCK

if TYPE_CHECKING:
    import psycopg

SEALED = "sealed"
"""The text in a login's views instead of another person's sealed choice."""
_VIEWED_TABLES = ("vote", "resolution", "blind_key", "response", "conflict")
_SECRET_TABLES = ("score", "failure", "run_scores", "run_counts")
_READ_ONLY_TABLES = ("project", "annotator", "schema_version", "study", "pair", "unblinding", "release", "releaseitem")
_DELETABLE_TABLES = ("lease", "search_gap", "arrival")
_OWN_ID = f"(SELECT annotator_id FROM {ROLE_SCHEMA}.login WHERE name = session_user)"
_IS_OPENED = f"SELECT 1 FROM {SCHEMA}.resolution r WHERE r.about = '{PANEL}' AND r.active = 1 AND r.subject_id = "
# The others' votes are shown only once the last vote is saved: a vote that is rolled back must reveal nothing.
_IS_SAVED = (
    f"NOT EXISTS (SELECT 1 FROM {ROLE_SCHEMA}.opening o "
    "WHERE o.resolution_id = r.id AND o.transaction = pg_current_xact_id_if_assigned())"
)
# A person who worked on a subject, or on the solution or tests of an item made from it, has no seat, as in
# `find_panel_experts`.
_EXPERTS = f"""
SELECT annotator_id FROM (
    SELECT annotator_id, subject_id, false AS is_edit FROM rewriting WHERE active = 1
    UNION ALL SELECT annotator_id, subject_id, false FROM coveragenote WHERE active = 1
    UNION ALL SELECT annotator_id, subject_id, true FROM revision WHERE active = 1
    UNION ALL SELECT annotator_id, subject_id, true FROM confirmation WHERE active = 1
) w WHERE w.subject_id = NEW.subject_id OR w.is_edit AND w.subject_id IN (
    SELECT i.id FROM subject i JOIN subjecttext t ON t.subject_id = i.id
    JOIN subject p ON p.key = json_at(t.provenance, '$.made_from')
    WHERE p.id = NEW.subject_id AND p.active = 1 AND i.active = 1 AND starts_with(i.key, '{REWRITE_KEY}')
)
"""
_SEATS = f"""coalesce((
    SELECT (settings::jsonb ->> '{SEATS_SETTING}')::bigint FROM project
    WHERE jsonb_typeof(settings::jsonb -> '{SEATS_SETTING}') = 'number'
), {DEFAULT_SEATS})"""
_IS_FULL = f"""{_SEATS} <= (
    SELECT count(DISTINCT annotator_id) FROM vote
    WHERE subject_id = NEW.subject_id AND active = 1 AND annotator_id NOT IN ({_EXPERTS})
)"""
_IS_CHAIR = f"""{_OWN_ID} = coalesce(
    (SELECT settings::jsonb ->> '{CHAIR_SETTING}' FROM project), (SELECT id FROM annotator ORDER BY created_at LIMIT 1)
)"""
_FOREIGN_WRITE = f"""NEW.annotator_id IS DISTINCT FROM {_OWN_ID}
        OR TG_OP = 'UPDATE' AND to_jsonb(NEW) - 'active' <> to_jsonb(OLD) - 'active'"""


def _write_function(table: str, refusal: str, preparation: str = "") -> str:
    """Return the SQL function that writes a view's row into its table, unless the condition ``refusal`` is true.

    A row can be added, or made active or inactive; its annotator must be the login's person. Only read committed
    transactions may write, because each of their statements sees the votes withdrawn before it.
    """
    names = [column.name for column in find_table(table).columns]
    return f"""
CREATE FUNCTION {ROLE_SCHEMA}.write_{table}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = {SCHEMA}, pg_temp AS $$ BEGIN
    PERFORM pg_advisory_xact_lock({WRITING_LOCK});
    IF current_setting('transaction_isolation') <> 'read committed' OR {_FOREIGN_WRITE} OR {refusal} THEN
        RAISE EXCEPTION 'not allowed to an annotator' USING ERRCODE = 'insufficient_privilege';
    END IF;
    {preparation}
    IF TG_OP = 'INSERT' THEN
        INSERT INTO {SCHEMA}.{table} ({", ".join(f'"{name}"' for name in names)})
        VALUES ({", ".join(f'NEW."{name}"' for name in names)});
    ELSE
        UPDATE {SCHEMA}.{table} SET active = NEW.active WHERE id = OLD.id;
    END IF;
    RETURN NEW;
END $$"""


def _view(table: str, **replacements: str) -> str:
    """Return the statement that creates the view of a table, with other expressions for some columns."""
    columns = (
        f'{replacements[column.name]} AS "{column.name}"' if column.name in replacements else f't."{column.name}"'
        for column in find_table(table).columns
    )
    return (
        f"CREATE VIEW {ROLE_SCHEMA}.{table} WITH (security_barrier) AS "
        f"SELECT {', '.join(columns)} FROM {SCHEMA}.{table} t"
    )


def _filtered_view(table: str, condition: str, ids: Collection[str]) -> str:
    """Return the statement that creates the view of a table's rows under a condition; others show only ``ids``.

    The server may compare a column before it checks the condition, and EXPLAIN ANALYZE shows how often it was equal. A
    subquery with an offset prevents that: nothing of it is compared before it has returned a row.
    """
    secret = [column.name for column in find_table(table).columns if column.name not in ids]
    view = _view(table, **{name: f's."{name}"' for name in secret})
    return f"{view} CROSS JOIN LATERAL (SELECT t.* WHERE {condition} OFFSET 0) s"


def _visible_side(side: str) -> str:
    """Return the expression for one side of a conflict: a vote without its choice, and no answers or keys."""
    secret = ", ".join(f"'{table}'" for table in ("blind_key", "response", *_SECRET_TABLES))
    return (
        f"CASE WHEN t.table_name = 'vote' THEN (t.{side}::jsonb - 'choice')::text "
        f"WHEN t.table_name IN ({secret}) THEN '{{}}' ELSE t.{side} END"
    )


def _permanent_statements() -> tuple[str, ...]:
    """Return the statements that create the objects that upgrades keep."""
    return (
        f"CREATE SCHEMA IF NOT EXISTS {ROLE_SCHEMA}",
        f"CREATE TABLE IF NOT EXISTS {ROLE_SCHEMA}.login (name NAME PRIMARY KEY, "
        f"annotator_id TEXT NOT NULL REFERENCES {SCHEMA}.annotator (id))",
        f"CREATE TABLE IF NOT EXISTS {ROLE_SCHEMA}.opening (resolution_id TEXT PRIMARY KEY, transaction XID8 NOT NULL)",
    )


def _view_statements() -> Iterator[str]:
    choice = (
        f"CASE WHEN t.annotator_id = {_OWN_ID} OR EXISTS ({_IS_OPENED} t.subject_id AND {_IS_SAVED}) THEN t.choice "
    )
    yield _view("vote", choice=f"{choice} ELSE '{SEALED}' END")
    yield _view("resolution")
    unblinded = f"EXISTS (SELECT 1 FROM {SCHEMA}.unblinding u WHERE u.study_id ="
    yield _filtered_view("blind_key", f"{unblinded} t.study_id)", ("id", "study_id"))
    blind_pair = f"SELECT 1 FROM {SCHEMA}.pair p WHERE p.subject_id = t.subject_id AND NOT {unblinded} p.study_id)"
    answers_view = _filtered_view("response", f"NOT EXISTS ({blind_pair})", ("id", "run_id", "subject_id"))
    yield f"{answers_view} WHERE t.run_id IS NULL"
    yield _view("conflict", ours=_visible_side("ours"), theirs=_visible_side("theirs"))
    yield _write_function("vote", f"EXISTS ({_IS_OPENED} NEW.subject_id)")
    opens_panel = f"NEW.about = '{PANEL}'"
    yield _write_function(
        "resolution",
        f"{opens_panel} AND (TG_OP = 'UPDATE' OR NOT ({_IS_FULL} OR {_IS_CHAIR}))",
        f"IF {opens_panel} THEN INSERT INTO {ROLE_SCHEMA}.opening VALUES (NEW.id, pg_current_xact_id()); END IF;",
    )
    for table in ("vote", "resolution"):
        # Otherwise a login could use it as a trigger of its own table, whose casts would then run as the owner.
        yield f"REVOKE ALL ON FUNCTION {ROLE_SCHEMA}.write_{table}() FROM PUBLIC"
        yield (
            f"CREATE TRIGGER write INSTEAD OF UPDATE OR INSERT ON {ROLE_SCHEMA}.{table} "
            f"FOR EACH ROW EXECUTE FUNCTION {ROLE_SCHEMA}.write_{table}()"
        )


def _grant_statements(login: str) -> Iterator[str]:
    yield f"REVOKE ALL ON ALL TABLES IN SCHEMA {SCHEMA}, {ROLE_SCHEMA} FROM {login}"
    yield f"GRANT USAGE ON SCHEMA {SCHEMA}, {ROLE_SCHEMA} TO {login}"
    table_names = {table.name for table in SUBJECT.metadata.sorted_tables} | {"subject_search", "schema_version"}
    for table in sorted(table_names - {*_VIEWED_TABLES, *_SECRET_TABLES}):
        rights = "SELECT" if table in _READ_ONLY_TABLES else "SELECT, INSERT, UPDATE"
        yield f'GRANT {rights} ON {SCHEMA}."{table}" TO {login}'
    # Undo updates the rows of an act in every table of work.
    yield f"GRANT UPDATE (active) ON {SCHEMA}.study, {SCHEMA}.unblinding TO {login}"
    yield f"GRANT DELETE ON {', '.join(f'{SCHEMA}.{table}' for table in _DELETABLE_TABLES)} TO {login}"
    readable = (f"{ROLE_SCHEMA}.{name}" for name in ("login", "blind_key", "response", "conflict"))
    yield f"GRANT SELECT ON {', '.join(readable)} TO {login}"
    yield f"GRANT SELECT, INSERT, UPDATE ON {ROLE_SCHEMA}.vote, {ROLE_SCHEMA}.resolution TO {login}"


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _has_roles(connection: psycopg.Connection[Any]) -> bool:
    schema = connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", (ROLE_SCHEMA,)).fetchone()
    return schema is not None


def remove_views(connection: psycopg.Connection[Any]) -> None:
    """Drop the views and functions that depend on the tables' layout; `renew_views` creates them again."""
    for table in _VIEWED_TABLES if _has_roles(connection) else ():
        connection.execute(f"DROP VIEW IF EXISTS {ROLE_SCHEMA}.{table}")
        connection.execute(f"DROP FUNCTION IF EXISTS {ROLE_SCHEMA}.write_{table}()")


def renew_views(connection: psycopg.Connection[Any]) -> None:
    """Create the views of this program's version and grant the logins their rights again, if there are any."""
    if not _has_roles(connection):
        return
    remove_views(connection)
    for statement in _view_statements():
        connection.execute(statement)
    for (login,) in connection.execute(f"SELECT name FROM {ROLE_SCHEMA}.login").fetchall():
        if _find_role(connection, login):
            for statement in _grant_statements(_quote(login)):
                connection.execute(statement)


def add_role(connection: psycopg.Connection[Any], address: ServerAddress, annotator_id: str, login: str) -> None:
    """Let a login role of the server work only as one person, inside the transaction of ``connection``.

    Raises `BadInputError` for a role that does not exist, can read the secrets in another way, or is another person's.
    """
    if not _find_role(connection, login):
        raise BadInputError(
            f"There is no role {login} on the server of {address.name}. Its administrator makes one: "
            f"CREATE ROLE {login} LOGIN PASSWORD '...'."
        )
    for statement in _permanent_statements():
        connection.execute(statement)
    login_row = connection.execute(
        f"INSERT INTO {ROLE_SCHEMA}.login VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET name = excluded.name "
        "RETURNING annotator_id",
        (login, annotator_id),
    ).fetchone()
    if login_row is None or login_row[0] != annotator_id:
        raise BadInputError(
            f"The role {login} is another person's in {address.name}. Nothing was changed; use another role."
        )
    renew_views(connection)
    if reasons := _find_ways_to_secrets(connection, login):
        raise BadInputError(
            f"The role {login} can read votes, keys and answers in another way: {', '.join(reasons)}. Nothing was "
            "changed. Use a role that is made for this person alone (CREATE ROLE ... LOGIN)."
        )


def remove_role(connection: psycopg.Connection[Any], address: ServerAddress, annotator_id: str, login: str) -> None:
    """Remove all rights of a person's login. Raises `BadInputError` if it is not theirs."""
    was_removed = (
        _has_roles(connection)
        and connection.execute(
            f"DELETE FROM {ROLE_SCHEMA}.login WHERE name = %s AND annotator_id = %s RETURNING name",
            (login, annotator_id),
        ).fetchone()
    )
    if not was_removed:
        raise BadInputError(f"The role {login} is not this person's in {address.name}. Nothing was changed.")
    if _find_role(connection, login):
        connection.execute(f"REVOKE ALL ON ALL TABLES IN SCHEMA {SCHEMA}, {ROLE_SCHEMA} FROM {_quote(login)}")
        connection.execute(f"REVOKE ALL ON SCHEMA {SCHEMA}, {ROLE_SCHEMA} FROM {_quote(login)}")


def find_bound_person(connection: psycopg.Connection[Any]) -> str | None:
    """Return the id of the only person as whom a connection's login may work, None if it may work as anybody.

    Raises `BadInputError` if the login has an annotator's rights and belongs to nobody.
    """
    schema = connection.execute("SELECT current_schema()").fetchone()
    if schema is None or schema[0] != ROLE_SCHEMA:
        return None
    person = connection.execute(f"SELECT annotator_id FROM {ROLE_SCHEMA}.login WHERE name = session_user").fetchone()
    if person is None:
        raise BadInputError("Your role on the server belongs to nobody in this project. Ask its administrator.")
    return str(person[0])


def find_role_problems(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """Yield a sentence for each annotator's role that can read secrets."""
    if not _has_roles(connection):
        return
    for (login,) in connection.execute(f"SELECT name FROM {ROLE_SCHEMA}.login ORDER BY name").fetchall():
        for reason in _find_ways_to_secrets(connection, login):
            yield f"the annotator's role {login} can read votes, keys and answers: {reason}"


def _find_role(connection: psycopg.Connection[Any], login: str) -> bool:
    return connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (login,)).fetchone() is not None


_MEMBERSHIPS = """
SELECT r.rolname, r.rolsuper, r.rolcreaterole, r.rolreplication, starts_with(r.rolname, 'pg_'),
    EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = ANY(%(schemas)s) AND c.relkind IN ('r', 'v') AND (
            has_table_privilege(r.oid, c.oid, 'TRIGGER')
            OR c.relname = ANY(%(secret)s) AND n.nspname = %(schema)s AND (
                has_any_column_privilege(r.oid, c.oid, 'SELECT, INSERT, UPDATE'))))
    OR EXISTS (SELECT 1 FROM pg_namespace n
        WHERE n.nspname = ANY(%(schemas)s) AND has_schema_privilege(r.oid, n.oid, 'CREATE'))
    OR EXISTS (SELECT 1 FROM pg_proc p WHERE p.prosecdef AND p.pronamespace = %(role_schema)s::regnamespace
        AND has_function_privilege(r.oid, p.oid, 'EXECUTE'))
FROM pg_roles r JOIN pg_roles l ON l.rolname = %(login)s
WHERE pg_has_role(l.oid, r.oid, 'MEMBER') ORDER BY r.rolname <> l.rolname, r.rolname
"""


def _find_ways_to_secrets(connection: psycopg.Connection[Any], login: str) -> Sequence[str]:
    """Return each role with access to the secrets that a login is or can become, with the reason."""
    rows = connection.execute(
        _MEMBERSHIPS,
        {
            "login": login,
            "schemas": [SCHEMA, ROLE_SCHEMA],
            "schema": SCHEMA,
            "role_schema": ROLE_SCHEMA,
            "secret": [*_VIEWED_TABLES, *_SECRET_TABLES],
        },
    ).fetchall()
    powers = ("superuser", "may create roles", "may replicate", "a role of the server itself", "has rights on tables")
    return [
        f"{role} ({', '.join(power for power, is_held in zip(powers, role_powers, strict=True) if is_held)})"
        for role, *role_powers in rows
        if any(role_powers)
    ]
