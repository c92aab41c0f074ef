"""Logic bugs in SQL, made with sqlglot (specification, task construction, 2.1).

sqlglot reformats a query, so the reference of such an item is the reformatted query; only the bug then differs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from annotator.construction.edits import Proposal
from annotator.construction.languages.language_values import read_form
from annotator.construction.python_facts import CodeSize, code_lines
from annotator.construction.sandbox_probe import BASE_LIMIT_S, start_probe
from annotator.construction.task_material import ConstructionError, Material
from annotator.sandbox import Runner

if TYPE_CHECKING:
    from sqlglot import exp

_DIALECT = "sqlite"
QueryChange = tuple[str, str, Callable[[Any], Any], str]
"""Kind of bug, operator, function that returns the changed node, and explanation."""


def normalise_query(query: str) -> str:
    """Return a query in sqlglot's format, as items contain it. Raises `ConstructionError` if it cannot be parsed."""
    return _write_queries(parse_queries(query))


def parse_queries(query: str) -> list[exp.Expression]:
    """Return the syntax trees of a query's statements. Raises `ConstructionError` if it cannot be parsed."""
    import sqlglot
    from sqlglot.errors import SqlglotError

    try:
        statements = [tree for tree in sqlglot.parse(query, read=_DIALECT) if tree is not None]
    except (SqlglotError, RecursionError) as error:
        raise ConstructionError(f"The query cannot be read: {' '.join(str(error).split())[:200]}") from error
    if not statements:
        raise ConstructionError("There is no query.")
    return list(statements)  # type: ignore[arg-type]  # parse gives trees of statements


def _write_queries(trees: list[exp.Expression]) -> str:
    return ";\n".join(tree.sql(dialect=_DIALECT, pretty=True) for tree in trees) + ";\n"


def query_bugs(query: str) -> list[Proposal]:
    """Return logic bugs of a query; their reference is the reformatted query.

    Raises `ConstructionError` if it cannot be parsed.
    """
    return _changed_queries(query, _logic_changes)


def query_lookalikes(query: str) -> list[Proposal]:
    """Return changes that affect few rows, only used to measure the strength of tests.

    Raises `ConstructionError` if the query cannot be parsed.
    """
    return _changed_queries(query, _lookalike_changes)


def _changed_queries(query: str, changes_of: Callable[[Any], Iterator[QueryChange]]) -> list[Proposal]:
    reference = normalise_query(query)
    parsed = parse_queries(query)
    proposals = []
    count = sum(1 for tree in parsed for _ in tree.walk())
    for index in range(count):
        for number, (kind, operator, _, explanation) in enumerate(list(changes_of(_node_at(parsed, index)))):
            # Changes modify nodes in place, so each one is made again for the same node of a copy.
            copies = [tree.copy() for tree in parsed]
            node = _node_at(copies, index)
            _, _, change, _ = list(changes_of(node))[number]
            replacement = change(node)
            if replacement is not node:
                node.replace(replacement)
            code = _write_queries(copies)
            if code != reference:
                proposals.append(
                    Proposal(
                        kind=f"logic.{kind}", operator=operator, code=code, reference=reference, explanation=explanation
                    )
                )
    return proposals


def _node_at(trees: list[exp.Expression], index: int) -> Any:
    nodes = [node for tree in trees for node in tree.walk()]
    return nodes[index]


def _logic_changes(node: Any) -> Iterator[QueryChange]:
    from sqlglot import exp

    replacements = {
        exp.LT: (exp.LTE, "offbyone"), exp.LTE: (exp.LT, "offbyone"), exp.GT: (exp.GTE, "offbyone"),
        exp.GTE: (exp.GT, "offbyone"), exp.EQ: (exp.NEQ, "condition"), exp.NEQ: (exp.EQ, "condition"),
        exp.And: (exp.Or, "condition"), exp.Or: (exp.And, "condition"), exp.Add: (exp.Sub, "operation"),
        exp.Sub: (exp.Add, "operation"), exp.Min: (exp.Max, "operation"), exp.Max: (exp.Min, "operation"),
        exp.Sum: (exp.Avg, "operation"), exp.Avg: (exp.Sum, "operation"),
    }  # fmt: skip
    kind = type(node)
    if kind in replacements:
        replacement, subtype = replacements[kind]
        explanation = f"uses {replacement.__name__.upper()} instead of {kind.__name__.upper()}"
        yield (
            subtype,
            "operator",
            lambda old: replacement(**{name: _copy_value(value) for name, value in old.args.items()}),
            explanation,
        )
    elif kind is exp.Ordered:
        yield "operation", "order", _set_argument("desc", not node.args.get("desc")), "sorts the other way"
    elif kind is exp.Join:
        side = "LEFT" if not node.args.get("side") else None
        yield "missing", "join", _set_argument("side", side), "joins with other rows"
    elif kind is exp.Select and node.args.get("distinct") is not None:
        yield "missing", "distinct", _set_argument("distinct", None), "keeps rows twice"
    elif kind is exp.Union:
        yield (
            "operation",
            "union",
            _set_argument("distinct", not node.args.get("distinct")),
            "treats equal rows otherwise",
        )
    elif kind is exp.Not:
        yield "condition", "dropped_not", lambda old: old.this.copy(), "the negation is missing"
    elif kind is exp.Literal and node.is_int:
        value = int(node.this)
        yield "offbyone", "number", lambda _old: exp.Literal.number(value + 1), f"uses {value + 1} instead of {value}"
    if kind is exp.Select and node.args.get("where") is not None:
        yield "missing", "where", _set_argument("where", None), "the condition is missing"


def _lookalike_changes(node: Any) -> Iterator[QueryChange]:
    from sqlglot import exp

    next_rank: dict[type[Any], type[Any]] = {
        exp.RowNumber: exp.Rank, exp.Rank: exp.DenseRank, exp.DenseRank: exp.Rank
    }  # fmt: skip
    kind = type(node)
    if kind is exp.Count and isinstance(node.this, exp.Distinct):
        yield "missing", "distinct", _set_argument("this", node.this.expressions[0].copy()), "counts equal values twice"
    elif kind is exp.Count and not isinstance(node.this, exp.Star):
        yield "operation", "count", _set_argument("this", exp.Star()), "counts rows instead of values"
    elif kind is exp.Order and len(node.expressions) > 1:
        yield "missing", "tie", _without_ties, "ties are not broken"
    elif kind in next_rank:
        rank = next_rank[kind]
        yield "operation", "rank", lambda _old: rank(), f"calls {rank.__name__} instead of {kind.__name__}"
    elif kind is exp.Coalesce:
        yield "missing", "coalesce", lambda old: old.this.copy(), "what is missing stays missing"
    for name, explanation in _MISSING_CLAUSES.items() if kind is exp.Select else ():
        if node.args.get(name) is not None:
            yield "missing", name, _set_argument(name, None), explanation


def _without_ties(order: Any) -> Any:
    """Return an ORDER BY without its last expression.

    A window also loses its frame, because a frame of rows would still distinguish rows that are now equal.
    """
    from sqlglot import exp

    order.set("expressions", order.expressions[:-1])
    if isinstance(order.parent, exp.Window):
        order.parent.set("spec", None)
    return order


_MISSING_CLAUSES = {"having": "the condition on groups is missing",
            "order": "the rows have no order", "group": "the groups are missing"}  # fmt: skip


def _copy_value(value: Any) -> Any:
    return value.copy() if hasattr(value, "copy") else value


def _set_argument(name: str, value: Any) -> Callable[[Any], Any]:
    def change(node: Any) -> Any:
        node.set(name, value)
        return node

    return change


TABLES_ARGUMENT = "tables"
"""The name of a query's only argument: the statements that create its tables."""
_SOLUTION = re.compile(r"^--\s*solution\s*$", re.MULTILINE | re.IGNORECASE)


def query_tables(material: Material) -> list[str]:
    """Return the distinct statements with which the tests create tables before the query runs."""
    parts = [_SOLUTION.split(test.code, maxsplit=1) for test in material.tests]
    return list(dict.fromkeys(part[0].strip() for part in parts if len(part) == 2 and part[0].strip()))


def start_queries(code: str, tables: Sequence[str], runner: Runner) -> Callable[[], list[dict[str, Any]]]:
    """Start a query on sets of tables and return a function that waits for the answers.

    The answers are ``{"output": rows}``, ``raises``, ``timeout`` or ``unsupported``. Raises `ConstructionError` if the
    query cannot be parsed.
    """
    statements = [
        {"text": tree.sql(dialect=_DIALECT), "view": tree.this.name if _makes_view(tree) else ""}
        for tree in parse_queries(code)
    ]
    task = {"command": "queries", "code": statements, "setups": list(tables), "limit_s": BASE_LIMIT_S}
    pending = start_probe(runner, task)

    def read_answers() -> list[dict[str, Any]]:
        answer = pending.answer()
        if answer["load"]:
            return []
        rows = answer["results"]
        return [{**row, "output": read_form(row["output"])} if "output" in row else row for row in rows]

    return read_answers


def _makes_view(tree: Any) -> bool:
    from sqlglot import exp

    return isinstance(tree, exp.Create) and tree.kind == "VIEW"


def is_ordered_query(code: str) -> bool:
    """Return whether the last statement of a query has ORDER BY."""
    last: Any = parse_queries(code)[-1]
    body = last.expression if _makes_view(last) else last
    return bool(body.args.get("order"))


def query_size(code: str) -> CodeSize:
    """Return a query's size: its lines, and one plus the number of its joins, conditions, groups and subqueries."""
    from sqlglot import exp

    branching = (exp.Join, exp.Where, exp.Having, exp.Group, exp.And, exp.Or, exp.Case, exp.Subquery, exp.CTE)
    nodes = [node for tree in parse_queries(code) for node in tree.walk()]
    return CodeSize(code_lines(code), 1 + sum(isinstance(node, branching) for node in nodes))
