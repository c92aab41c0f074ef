"""Questions about queries: which rows one gives for the tables of a test (specification, task construction, 3.1)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from annotator.construction.canonical import Form
from annotator.construction.code_facts import Shape, code_lines
from annotator.construction.foreign_values import read_form
from annotator.construction.material import Material
from annotator.construction.probing import BASE_LIMIT_S, ask
from annotator.construction.queries import trees

if TYPE_CHECKING:
    from annotator.sandbox import Runner

TABLES = "tables"
"""The name of the only argument of a query: the statements that make its tables."""
_SOLUTION = re.compile(r"^--\s*solution\s*$", re.MULTILINE | re.IGNORECASE)


def tables_of(material: Material) -> list[str]:
    """Return what the tests make before the query runs, each once."""
    parts = [_SOLUTION.split(test.code, maxsplit=1) for test in material.tests]
    return list(dict.fromkeys(part[0].strip() for part in parts if len(part) == 2 and part[0].strip()))


def start_queries(code: str, tables: Sequence[str], runner: Runner) -> Callable[[], list[dict[str, Any]]]:
    """Run a query on sets of tables; the answers are ``{"output": rows}``, ``raises``, ``timeout`` or ``unsupported``.

    Raises `ConstructionError` if the query cannot be read.
    """
    from sqlglot import exp

    statements = [
        {"text": tree.sql(dialect="sqlite"), "view": tree.this.name if _makes_view(tree, exp) else ""}
        for tree in trees(code)
    ]
    task = {"command": "queries", "code": statements, "setups": list(tables), "limit_s": BASE_LIMIT_S}
    pending = ask(runner, task)

    def read() -> list[dict[str, Any]]:
        answer = pending.answer()
        if answer["load"]:
            return []
        return [{**row, "output": read_form(row["output"])} if "output" in row else row for row in answer["results"]]

    return read


def _makes_view(tree: Any, exp: Any) -> bool:
    return isinstance(tree, exp.Create) and tree.kind == "VIEW"


def is_ordered(code: str) -> bool:
    """Tell whether the rows of a query have an order: its last statement has ORDER BY."""
    from sqlglot import exp

    last: Any = trees(code)[-1]
    body = last.expression if _makes_view(last, exp) else last
    return bool(body.args.get("order"))


def shape(code: str) -> Shape:
    """Return how large a query is: its lines, and one more than its joins, conditions, groups and inner queries."""
    from sqlglot import exp

    branching = (exp.Join, exp.Where, exp.Having, exp.Group, exp.And, exp.Or, exp.Case, exp.Subquery, exp.CTE)
    nodes = [node for tree in trees(code) for node in tree.walk()]
    return Shape(code_lines(code), 1 + sum(isinstance(node, branching) for node in nodes))


def argument(tables: str) -> tuple[tuple[str, Form], ...]:
    """Return the tables as the argument of an instance."""
    return ((TABLES, tables),)
