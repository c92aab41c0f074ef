"""A table of inputs and expected outputs, from which the tests of every language are made (specification, 4.4).

Because all languages share its rows, their tests agree by construction.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from annotator.base.errors import BadInputError

Comparator = Literal["equal", "close", "unordered", "raises"]
COMPARATORS: tuple[Comparator, ...] = ("equal", "close", "unordered", "raises")
TOLERANCE = 1e-6
_ROWS_LIMIT = 1000
_DEPTH_LIMIT = 12
_SAFE_INTEGER = 2**53
_INT_LIMIT = 2**31

Kind = Literal["none", "bool", "int", "long", "float", "str", "list", "map", "mixed"]


@dataclass(frozen=True, slots=True)
class ParityRow:
    """One test: inputs in parameter order, the expected output, and how it is compared."""

    name: str
    inputs: tuple[Any, ...]
    expected: Any = None
    comparator: Comparator = "equal"


@dataclass(frozen=True, slots=True)
class ParityTable:
    """The tests of one requirement; every row has the same number of inputs."""

    rows: tuple[ParityRow, ...]

    @property
    def width(self) -> int:
        """The number of parameters."""
        return len(self.rows[0].inputs) if self.rows else 0


@dataclass(frozen=True, slots=True)
class ValueShape:
    """The type of a column, inferred from its values. ``inner`` is the type of a list's items or a map's values.

    ``optional``: null is among the values. The kind is "mixed" if the values have no common type.
    """

    kind: Kind
    inner: ValueShape | None = None
    optional: bool = False


def infer_shape(values: Sequence[Any]) -> ValueShape:
    """Return the narrowest type of all values (int widens to long, then to float); kind "none" without values."""
    shape = ValueShape("none")
    for value in values:
        shape = _join_shapes(shape, _shape(value))
    return shape


def _shape(value: Any) -> ValueShape:
    if value is None:
        return ValueShape("none", optional=True)
    if isinstance(value, bool):
        return ValueShape("bool")
    if isinstance(value, int):
        return ValueShape("int" if -_INT_LIMIT <= value < _INT_LIMIT else "long")
    if isinstance(value, float):
        return ValueShape("float")
    if isinstance(value, str):
        return ValueShape("str")
    if isinstance(value, list):
        return ValueShape("list", infer_shape(value))
    return ValueShape("map", infer_shape(list(value.values())))


def _join_shapes(a: ValueShape, b: ValueShape) -> ValueShape:
    optional = a.optional or b.optional
    if a.kind == "none" or b.kind == "none":
        typed = b if a.kind == "none" else a
        return ValueShape(typed.kind, typed.inner, optional)
    if a.kind == b.kind and a.inner is not None and b.inner is not None:
        return ValueShape(a.kind, _join_shapes(a.inner, b.inner), optional)
    numbers = ("int", "long", "float")
    if a.kind in numbers and b.kind in numbers:
        return ValueShape(cast(Kind, numbers[max(numbers.index(a.kind), numbers.index(b.kind))]), None, optional)
    return ValueShape(a.kind if a.kind == b.kind else "mixed", None, optional)


def column_shapes(table: ParityTable) -> tuple[ValueShape, ...]:
    """Return the type of every parameter."""
    return tuple(infer_shape([row.inputs[index] for row in table.rows]) for index in range(table.width))


def infer_result_shape(table: ParityTable) -> ValueShape:
    """Return the type of the results; rows that expect an error are ignored."""
    return infer_shape([row.expected for row in table.rows if row.comparator != "raises"])


def parse_table(value: Any) -> ParityTable:
    """Read a table from ``{"rows": [{"name", "inputs", "expected", "comparator"}]}``.

    Raises `BadInputError` naming the row: inputs must be a list as long as that of every other row; values are JSON
    without NaN, infinities, or whole numbers that JavaScript cannot hold; names must differ.
    """
    rows = value.get("rows") if isinstance(value, Mapping) else None
    if not isinstance(rows, list) or len(rows) > _ROWS_LIMIT:
        raise BadInputError(f"A table of tests is an object with a list of at most {_ROWS_LIMIT:,} rows.")
    parsed: list[ParityRow] = []
    for number, item in enumerate(rows, start=1):
        row = _parse_row(item, number)
        if parsed and len(row.inputs) != len(parsed[0].inputs):
            raise BadInputError(
                f"Row {number} has {len(row.inputs)} inputs and the first has {len(parsed[0].inputs)}; all rows need "
                "the same number."
            )
        if any(row.name == other.name for other in parsed):
            raise BadInputError(f"Row {number}: another row has the name {row.name}.")
        parsed.append(row)
    return ParityTable(tuple(parsed))


def _parse_row(item: Any, number: int) -> ParityRow:
    if not isinstance(item, Mapping) or not isinstance(item.get("inputs"), list):
        raise BadInputError(f"Row {number} must be an object with a list of inputs.")
    unknown = sorted(set(map(str, item)) - {"name", "inputs", "expected", "comparator"})
    if unknown:
        raise BadInputError(
            f"Row {number} has an unknown field {unknown[0]}. Allowed: name, inputs, expected, comparator."
        )
    comparator = item.get("comparator", "equal")
    if comparator not in COMPARATORS:
        raise BadInputError(f"Row {number}: the comparator must be one of {', '.join(COMPARATORS)}.")
    if comparator != "raises" and "expected" not in item:
        raise BadInputError(f"Row {number} has no expected value.")
    expected = item.get("expected")
    if comparator == "unordered" and not isinstance(expected, list):
        raise BadInputError(f"Row {number}: only a list can be compared in any order.")
    for value in (*item["inputs"], expected):
        _check_value(value, number, 0)
    name = item.get("name") or f"row {number}"
    if not isinstance(name, str) or len(name) > 200:
        raise BadInputError(f"Row {number}: the name must be a short text.")
    return ParityRow(name, tuple(item["inputs"]), expected, comparator)


def _check_value(value: Any, number: int, depth: int) -> None:
    if depth > _DEPTH_LIMIT:
        raise BadInputError(f"Row {number} is nested deeper than {_DEPTH_LIMIT} levels.")
    if isinstance(value, float) and not math.isfinite(value):
        raise BadInputError(f"Row {number} contains a number that is not finite, which JSON does not allow.")
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _SAFE_INTEGER:
        raise BadInputError(f"Row {number} contains {value}, which JavaScript cannot represent exactly.")
    if isinstance(value, str) and any("\ud800" <= sign <= "\udfff" for sign in value):
        raise BadInputError(f"Row {number} contains half a character (a lone surrogate).")
    if isinstance(value, list):
        for inner in value:
            _check_value(inner, number, depth + 1)
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            _check_value(name, number, depth + 1)
            _check_value(inner, number, depth + 1)
    elif value is not None and not isinstance(value, (bool, int, float, str)):
        raise BadInputError(f"Row {number} contains a value that JSON does not have.")


def table_json(table: ParityTable) -> dict[str, Any]:
    """Return a table as JSON data for `parse_table`."""
    return {
        "rows": [
            {
                "name": row.name,
                "inputs": list(row.inputs),
                **({} if row.comparator == "raises" else {"expected": row.expected}),
                "comparator": row.comparator,
            }
            for row in table.rows
        ]
    }
