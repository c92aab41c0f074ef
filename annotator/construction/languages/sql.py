"""Bugs of logic in SQL, by sqlglot (specification, task construction, 2.1).

sqlglot writes a query anew; so that nothing but the bug differs, the reference of such an item is the query as sqlglot
writes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from annotator.construction.edits import Proposal
from annotator.construction.languages.values import read_form
from annotator.construction.material import ConstructionError, Material
from annotator.construction.python_facts import Shape, code_lines
from annotator.construction.sandbox_probe import BASE_LIMIT_S, ask
from annotator.sandbox import Runner

if TYPE_CHECKING:
    from sqlglot import exp

_DIALECT = "sqlite"
Change = tuple[str, str, Callable[[Any], Any], str]


def normalised(query: str) -> str:
    """Return a query as the items show it. Raises `ConstructionError` if it cannot be read."""
    return _write_queries(trees(query))


def trees(query: str) -> list[exp.Expression]:
    """Return the trees of the statements of a query. Raises `ConstructionError` if it cannot be read."""
    import sqlglot
    from sqlglot.errors import SqlglotError

    try:
        found = [tree for tree in sqlglot.parse(query, read=_DIALECT) if tree is not None]
    except (SqlglotError, RecursionError) as error:
        raise ConstructionError(f"The query cannot be read: {' '.join(str(error).split())[:200]}") from error
    if not found:
        raise ConstructionError("There is no query.")
    return list(found)  # type: ignore[arg-type]  # parse gives trees of statements


def _write_queries(trees: list[exp.Expression]) -> str:
    return ";\n".join(tree.sql(dialect=_DIALECT, pretty=True) for tree in trees) + ";\n"


def query_bugs(query: str) -> list[Proposal]:
    """Return bugs of logic of a query; their reference is `normalised` of it. Raises `ConstructionError`."""
    return _changed_queries(query, _changes)


def query_lookalikes(query: str) -> list[Proposal]:
    """Return changes that tell on few rows, for the strength of tests alone. Raises `ConstructionError`."""
    return _changed_queries(query, _lookalikes)


def _changed_queries(query: str, changes_of: Callable[[Any], Iterator[Change]]) -> list[Proposal]:
    reference = normalised(query)
    read = trees(query)
    found = []
    count = sum(1 for tree in read for _ in tree.walk())
    for place in range(count):
        for number, (kind, operator, _, why) in enumerate(list(changes_of(_node(read, place)))):
            fresh = [tree.copy() for tree in read]
            node = _node(fresh, place)
            _, _, change, _ = list(changes_of(node))[number]
            new = change(node)
            if new is not node:
                node.replace(new)
            code = _write_queries(fresh)
            if code != reference:
                found.append(
                    Proposal(kind=f"logic.{kind}", operator=operator, code=code, reference=reference, explanation=why)
                )
    return found


def _node(trees: list[exp.Expression], place: int) -> Any:
    nodes = [node for tree in trees for node in tree.walk()]
    return nodes[place]


def _changes(node: Any) -> Iterator[Change]:
    from sqlglot import exp

    compared = {
        exp.LT: (exp.LTE, "offbyone"), exp.LTE: (exp.LT, "offbyone"), exp.GT: (exp.GTE, "offbyone"),
        exp.GTE: (exp.GT, "offbyone"), exp.EQ: (exp.NEQ, "condition"), exp.NEQ: (exp.EQ, "condition"),
        exp.And: (exp.Or, "condition"), exp.Or: (exp.And, "condition"), exp.Add: (exp.Sub, "operation"),
        exp.Sub: (exp.Add, "operation"), exp.Min: (exp.Max, "operation"), exp.Max: (exp.Min, "operation"),
        exp.Sum: (exp.Avg, "operation"), exp.Avg: (exp.Sum, "operation"),
    }  # fmt: skip
    kind = type(node)
    if kind in compared:
        new, subtype = compared[kind]
        why = f"uses {new.__name__.upper()} instead of {kind.__name__.upper()}"
        yield subtype, "operator", lambda old: new(**{name: _copied(value) for name, value in old.args.items()}), why
    elif kind is exp.Ordered:
        yield "operation", "order", _set("desc", not node.args.get("desc")), "sorts the other way"
    elif kind is exp.Join:
        side = "LEFT" if not node.args.get("side") else None
        yield "missing", "join", _set("side", side), "joins with other rows"
    elif kind is exp.Select and node.args.get("distinct") is not None:
        yield "missing", "distinct", _set("distinct", None), "keeps rows twice"
    elif kind is exp.Union:
        yield "operation", "union", _set("distinct", not node.args.get("distinct")), "treats equal rows otherwise"
    elif kind is exp.Not:
        yield "condition", "dropped_not", lambda old: old.this.copy(), "the negation is missing"
    elif kind is exp.Literal and node.is_int:
        value = int(node.this)
        yield "offbyone", "number", lambda _old: exp.Literal.number(value + 1), f"uses {value + 1} instead of {value}"
    if kind is exp.Select and node.args.get("where") is not None:
        yield "missing", "where", _set("where", None), "the condition is missing"


def _lookalikes(node: Any) -> Iterator[Change]:
    from sqlglot import exp

    next_rank: dict[type[Any], type[Any]] = {
        exp.RowNumber: exp.Rank, exp.Rank: exp.DenseRank, exp.DenseRank: exp.Rank
    }  # fmt: skip
    kind = type(node)
    if kind is exp.Count and isinstance(node.this, exp.Distinct):
        yield "missing", "distinct", _set("this", node.this.expressions[0].copy()), "counts equal values twice"
    elif kind is exp.Count and not isinstance(node.this, exp.Star):
        yield "operation", "count", _set("this", exp.Star()), "counts rows instead of values"
    elif kind is exp.Order and len(node.expressions) > 1:
        yield "missing", "tie", _without_ties, "ties are not broken"
    elif kind in next_rank:
        rank = next_rank[kind]
        yield "operation", "rank", lambda _old: rank(), f"calls {rank.__name__} instead of {kind.__name__}"
    elif kind is exp.Coalesce:
        yield "missing", "coalesce", lambda old: old.this.copy(), "what is missing stays missing"
    for name, why in _CLAUSES.items() if kind is exp.Select else ():
        if node.args.get(name) is not None:
            yield "missing", name, _set(name, None), why


def _without_ties(order: Any) -> Any:
    """Return an order without its last part, and a window without its frame, which tells equal rows apart too."""
    from sqlglot import exp

    order.set("expressions", order.expressions[:-1])
    if isinstance(order.parent, exp.Window):
        order.parent.set("spec", None)
    return order


_CLAUSES = {"having": "the condition on groups is missing",
            "order": "the rows have no order", "group": "the groups are missing"}  # fmt: skip


def _copied(value: Any) -> Any:
    return value.copy() if hasattr(value, "copy") else value


def _set(name: str, value: Any) -> Callable[[Any], Any]:
    def change(node: Any) -> Any:
        node.set(name, value)
        return node

    return change


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

    statements = [
        {"text": tree.sql(dialect=_DIALECT), "view": tree.this.name if _makes_view(tree) else ""}
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


def _makes_view(tree: Any) -> bool:
    from sqlglot import exp

    return isinstance(tree, exp.Create) and tree.kind == "VIEW"


def is_ordered(code: str) -> bool:
    """Tell whether the rows of a query have an order: its last statement has ORDER BY."""

    last: Any = trees(code)[-1]
    body = last.expression if _makes_view(last) else last
    return bool(body.args.get("order"))


def shape(code: str) -> Shape:
    """Return how large a query is: its lines, and one more than its joins, conditions, groups and inner queries."""
    from sqlglot import exp

    branching = (exp.Join, exp.Where, exp.Having, exp.Group, exp.And, exp.Or, exp.Case, exp.Subquery, exp.CTE)
    nodes = [node for tree in trees(code) for node in tree.walk()]
    return Shape(code_lines(code), 1 + sum(isinstance(node, branching) for node in nodes))
