"""Check that a project's schema on a server is exactly the one that this program lays out.

A foreign trigger or function could silently change what is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from annotator.store.server import server_schema

if TYPE_CHECKING:
    import psycopg

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
_INDEXES = "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()"


def find_layout_problems(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """Yield a sentence for each missing, changed or foreign column, index, trigger, function or rule."""
    expected = server_schema.expected_layout()
    columns = {(str(table), str(name)) for table, name in connection.execute(_COLUMNS)}
    for table, name in sorted(expected.columns - columns):
        yield f"the column {name} of the table {table} is missing"
    indexes = {str(name) for (name,) in connection.execute(_INDEXES)}
    for name in sorted(expected.indexes - indexes):
        yield f"the index {name} is missing"
    functions = {str(name): str(body) for name, body in connection.execute(_FUNCTIONS)}
    yield from _compare("function", expected.functions, functions)
    triggers = {
        f"{name} on {table}": (str(function), "on" if enabled == "O" else "off")
        for name, table, function, enabled in connection.execute(_TRIGGERS)
    }
    yield from _compare("trigger", expected.triggers, triggers)
    for table, name in connection.execute(_RULES):
        yield f"the rule {name} on {table} is not Annotator's"


def _compare(kind: str, expected: Mapping[str, object], actual: Mapping[str, object]) -> Iterator[str]:
    for name in sorted({*expected, *actual}):
        if name not in expected:
            yield f"the {kind} {name} is not Annotator's"
        elif actual.get(name) != expected[name]:
            yield f"the {kind} {name} is missing or changed"
