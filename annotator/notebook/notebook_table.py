"""A table for notebooks: Arrow data that can be used and displayed like a data frame."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

_MAX_ROWS_SHOWN = 10
_MAX_CELL_CHARS = 60


class NotebookTable:
    """Rows with named columns, backed by the `pyarrow.Table` in ``arrow``.

    polars, duckdb and pandas accept it through the Arrow interface. All other attributes are those of the Arrow table.
    """

    def __init__(self, arrow: Any, name: str = "table") -> None:
        self.arrow = arrow
        self.name = name

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the rows as an Arrow C stream."""
        return self.arrow.__arrow_c_stream__(requested_schema)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the Arrow table; tables returned by its methods are wrapped again."""
        if name.startswith("_") or name == "arrow":
            raise AttributeError(name)
        attribute = getattr(self.arrow, name)
        if not callable(attribute):
            return attribute

        def call(*arguments: Any, **options: Any) -> Any:
            arrow_arguments = [item.arrow if isinstance(item, NotebookTable) else item for item in arguments]
            return _as_table(attribute(*arrow_arguments, **options), self.name)

        call.__doc__ = attribute.__doc__
        return call

    def __dir__(self) -> list[str]:
        """Return the attribute names for completion, including those of the Arrow table."""
        return sorted({*super().__dir__(), *(name for name in dir(self.arrow) if not name.startswith("_"))})

    def __len__(self) -> int:
        """Return the number of rows."""
        return int(self.arrow.num_rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield every row as a dictionary."""
        for batch in self.arrow.to_batches():
            yield from batch.to_pylist()

    def __getitem__(self, key: str | int | slice | list[str]) -> Any:
        """Return a column by name, a row by number as a dictionary, or a table for a list of columns or a slice."""
        if isinstance(key, list):
            return self.select(key)
        if isinstance(key, slice):
            return NotebookTable(self.arrow.take(list(range(len(self))[key])), self.name)
        if isinstance(key, int):
            return self.arrow.slice(range(len(self))[key], 1).to_pylist()[0]
        return self.arrow[key]

    @property
    def columns(self) -> list[str]:
        """The names of the columns, as in a data frame; ``arrow.columns`` has the columns themselves."""
        return list(self.arrow.column_names)

    def head(self, count: int = 5) -> NotebookTable:
        """Return the first rows."""
        return NotebookTable(self.arrow.slice(0, count), self.name)

    def __repr__(self) -> str:
        """Return the first rows as text."""
        columns = self.columns
        rows = [[_cell(row[name]) for name in columns] for row in self.head(_MAX_ROWS_SHOWN)]
        widths = [max(map(len, texts)) for texts in zip(columns, *rows, strict=True)]
        lines = ["  ".join(map(str.ljust, texts, widths)).rstrip() for texts in (columns, *rows)]
        return "\n".join([self._size_text(), *lines])

    def _repr_html_(self) -> str:
        """Return the first rows as an HTML table with escaped texts."""
        heads = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(_cell(row[name]))}</td>" for name in self.columns) + "</tr>"
            for row in self.head(_MAX_ROWS_SHOWN)
        )
        return f"<p>{escape(self._size_text())}</p><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"

    def _size_text(self) -> str:
        rows = "1 row" if len(self) == 1 else f"{len(self):,} rows"
        more = f", the first {_MAX_ROWS_SHOWN} shown" if len(self) > _MAX_ROWS_SHOWN else ""
        return f"{self.name}: {rows}, {len(self.columns)} columns{more}"


def _as_table(value: Any, name: str) -> Any:
    is_table = (
        hasattr(value, "__arrow_c_stream__") and hasattr(value, "column_names") and not isinstance(value, NotebookTable)
    )
    return NotebookTable(value, name) if is_table and hasattr(value, "group_by") else value


def _cell(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, float):
        return f"{value:.4g}"
    line = " ".join(str(value).split())
    return line if len(line) <= _MAX_CELL_CHARS else f"{line[: _MAX_CELL_CHARS - 1]}…"
