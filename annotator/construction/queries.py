"""Bugs of logic in SQL, by sqlglot (specification, task construction, 2.1).

sqlglot writes a query anew; so that nothing but the bug differs, the reference of such an item is the query as sqlglot
writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from annotator.construction.edits import Proposal
from annotator.construction.material import ConstructionError

if TYPE_CHECKING:
    from sqlglot import exp

Change = tuple[str, str, Callable[[Any], Any], str]


def normalised(query: str, dialect: str = "sqlite") -> str:
    """Return a query as the items show it. Raises `ConstructionError` if it cannot be read."""
    return _written(trees(query, dialect), dialect)


def trees(query: str, dialect: str = "sqlite") -> list[exp.Expression]:
    """Return the trees of the statements of a query. Raises `ConstructionError` if it cannot be read."""
    import sqlglot
    from sqlglot.errors import SqlglotError

    try:
        found = [tree for tree in sqlglot.parse(query, read=dialect) if tree is not None]
    except (SqlglotError, RecursionError) as error:
        raise ConstructionError(f"The query cannot be read: {' '.join(str(error).split())[:200]}") from error
    if not found:
        raise ConstructionError("There is no query.")
    return list(found)  # type: ignore[arg-type]  # parse gives trees of statements


def _written(trees: list[exp.Expression], dialect: str) -> str:
    return ";\n".join(tree.sql(dialect=dialect, pretty=True) for tree in trees) + ";\n"


def query_bugs(query: str, dialect: str = "sqlite") -> list[Proposal]:
    """Return bugs of logic of a query; their reference is `normalised` of it. Raises `ConstructionError`."""
    reference = normalised(query, dialect)
    read = trees(query, dialect)
    found = []
    count = sum(1 for tree in read for _ in tree.walk())
    for place in range(count):
        for number, (kind, operator, _, why) in enumerate(list(_changes(_node(read, place)))):
            fresh = [tree.copy() for tree in read]
            node = _node(fresh, place)
            _, _, change, _ = list(_changes(node))[number]
            new = change(node)
            if new is not node:
                node.replace(new)
            code = _written(fresh, dialect)
            if code != reference:
                found.append(Proposal(f"logic.{kind}", operator, code, reference, why))
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
        yield "condition", "dropped_not", _inner, "the negation is missing"
    elif kind is exp.Literal and node.is_int:
        value = int(node.this)
        yield "offbyone", "number", lambda _old: exp.Literal.number(value + 1), f"uses {value + 1} instead of {value}"
    if kind is exp.Select and node.args.get("where") is not None:
        yield "missing", "where", _set("where", None), "the condition is missing"


def _copied(value: Any) -> Any:
    return value.copy() if hasattr(value, "copy") else value


def _inner(node: Any) -> Any:
    return node.this.copy()


def _set(name: str, value: Any) -> Callable[[Any], Any]:
    def change(node: Any) -> Any:
        node.set(name, value)
        return node

    return change
