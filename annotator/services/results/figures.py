"""Figures of result tables, drawn from the table's own cells so that both always agree."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from annotator.base.errors import BadInputError, UsageError
from annotator.figures.chart_data import Bars, Chart, Heat, Intervals, Lines, Mean, Point, Scatter, Series
from annotator.figures.drawing import FORMATS, draw_chart, shorten_name
from annotator.formats.write.export_folder import write_file
from annotator.metrics.comparison.correlation import rank_difference
from annotator.metrics.scores.scaling import scaling_fit
from annotator.model.rows.result_rows import Table, Target, ValueCell

_BAND_POINTS = 40
_MIN_LINE_POINTS = 3
_MAX_NAME_CHARACTERS = 28
# The ratio of longest to shortest from which an axis of lengths is logarithmic.
_MIN_RATIO_FOR_LOG_AXIS = 10
MAX_COMPARED_ITEMS = 24
"""Maximum number of items in the figure that compares two models."""
_PASSED_SUFFIX = " passed"


def build_chart(table: Table) -> Chart:
    """Return the chart of a table. Raises `BadInputError` for a table without one."""
    if table.name not in _CHARTS:
        raise BadInputError(f"There is no figure of {table.name}. Choose from: {', '.join(_CHARTS)}.")
    return _CHARTS[table.name](table)


def first_target(row: Sequence[ValueCell]) -> Target | None:
    """Return the link target of a table row: that of its first cell with a target."""
    return next((cell.target for cell in row if cell.target is not None), None)


def has_chart(name: str) -> bool:
    """Return whether there is a chart for the table of this name."""
    return name in _CHARTS


def write_figure(table: Table, path: Path, *, dark: bool = False, columns: str = "", title: bool = True) -> None:
    """Draw a table to a file in the format of its suffix; ``columns`` is the width (see `figures.draw_chart`).

    Raises `UsageError` for an unknown suffix.
    """
    form = path.suffix.lower().removeprefix(".")
    if form not in FORMATS:
        raise UsageError(f"A figure's file ends with {', '.join(f'.{name}' for name in FORMATS)}; not {path.name}.")
    write_file(path, draw_chart(build_chart(table), form, dark=dark, title=title, columns=columns))


def _row_targets(table: Table) -> tuple[Target | None, ...]:
    return tuple(first_target(row) for row in table.rows)


def _make_bar_chart(table: Table, header: str, label: str) -> Chart:
    """Return a bar for each row, named by its model."""
    values = table.column(header).numbers
    return Bars(table.title, table.column("model").texts, values, label, opens=_row_targets(table))


def _make_leaderboard_chart(table: Table) -> Chart:
    if "from" not in table.headers:
        return _make_bar_chart(table, table.headers[2], table.headers[2])
    names = table.column("model").texts
    protocols = table.column("protocol").texts if "protocol" in table.headers else ("",) * len(names)
    if len(set(protocols)) > 1:
        names = tuple(f"{name} · {protocol}" for name, protocol in zip(names, protocols, strict=True))
    values, lows, highs = (table.column(header).numbers for header in ("score %", "from", "to"))
    label = "score % with 95 % interval"
    sizes = table.column("items").numbers if "items" in table.headers else ()
    if len(set(sizes)) == 1 and sizes[0] is not None:
        label = f"{label}, n = {sizes[0]:.0f} items"
    elif sizes:
        names = tuple(f"{name} (n = {size or 0:.0f})" for name, size in zip(names, sizes, strict=True))
    return Intervals(table.title, names, values, lows, highs, label, opens=_row_targets(table))


def _make_grid_chart(table: Table) -> Chart:
    """Return the heat map of a table by domain, language or metric."""
    ends = [table.headers.index(name) for name in ("mean", "items") if name in table.headers]
    return _make_heat_chart(table, range(1, min(ends, default=len(table.headers))))


def _make_item_grid_chart(table: Table) -> Chart:
    """Return the heat map of the scores of all items (rows) under all models (columns)."""
    return _make_heat_chart(table, range(3, len(table.headers) - 1))


def _make_heat_chart(table: Table, columns: range) -> Chart:
    return Heat(
        title=table.title,
        rows=tuple(row[0].text for row in table.rows),
        columns=tuple(_name_with_size(table, table.headers[column]) for column in columns),
        values=tuple(tuple(row[column].number for column in columns) for row in table.rows),
        label="score %",
        opens=tuple(tuple(row[column].target for column in columns) for row in table.rows),
    )


def _name_with_size(table: Table, group: str) -> str:
    """Return a group's name with its number of items, if the table has a column of passed items."""
    if group + _PASSED_SUFFIX not in table.headers:
        return group
    sizes = [cell.text.rpartition("/")[2] for cell in table.column(group + _PASSED_SUFFIX).cells if "/" in cell.text]
    counts = [size for size in sizes if size.isdecimal()]
    return f"{group}, n = {max(counts, key=int)}" if counts else group


def _make_dsi_chart(table: Table) -> Chart:
    models = tuple(dict.fromkeys(table.column("model").texts))
    groups = tuple(dict.fromkeys(row[1].text for row in table.rows))
    dsi_column = table.headers.index("DSI %")
    label_column = table.headers.index("label")
    cells = {(row[0].text, row[1].text): row for row in table.rows}
    values = []
    faint = []
    opens = []
    for model in models:
        rows = [cells.get((model, group)) for group in groups]
        values.append(tuple(row[dsi_column].number if row else None for row in rows))
        faint.append(tuple(row is not None and "tentative" in row[label_column].text for row in rows))
        opens.append(tuple(first_target(row) if row else None for row in rows))
    return Heat(
        title=table.title,
        rows=models,
        columns=groups,
        values=tuple(values),
        label="DSI %, grey where tentative",
        signed=True,
        faint=tuple(faint),
        opens=tuple(opens),
    )


def _make_correlation_chart(table: Table) -> Chart:
    names = tuple(dict.fromkeys([*table.column("one").texts, *table.column("other").texts]))
    value_column = table.headers.index("Spearman")
    significance_column = table.headers.index("p < .05")
    cells = {}
    for row in table.rows:
        cells[row[0].text, row[1].text] = cells[row[1].text, row[0].text] = row
    # Groups without any defined correlation have none with themselves either.
    defined = {name for pair, row in cells.items() if row[value_column].number is not None for name in pair}

    def correlation(a: str, b: str) -> float | None:
        if a == b:
            return 1.0 if a in defined else None
        return cells[a, b][value_column].number if (a, b) in cells else None

    def is_faint(a: str, b: str) -> bool:
        return (a, b) in cells and cells[a, b][significance_column].text != "yes"

    values = tuple(tuple(correlation(a, b) for b in names) for a in names)
    faint = tuple(tuple(is_faint(a, b) for b in names) for a in names)
    return Heat(
        title=table.title,
        rows=names,
        columns=names,
        values=values,
        label="Spearman, grey where p ≥ .05",
        low=-1.0,
        high=1.0,
        decimals=2,
        signed=True,
        faint=faint,
    )


def _read_points(table: Table, name: str, x: str, y: str, mark: str) -> tuple[Point, ...]:
    """Return a point for each row with both coordinates, strong where the column ``mark`` is not empty."""
    columns = (table.column(header).cells for header in (name, x, y, mark))
    return tuple(
        Point(name_cell.text, x_cell.number, y_cell.number, strong=bool(mark_cell.text), opens=target)
        for name_cell, x_cell, y_cell, mark_cell, target in zip(*columns, _row_targets(table), strict=True)
        if x_cell.number is not None and y_cell.number is not None
    )


def _rank_chart(table: Table) -> Chart:
    other = table.headers[2]
    points = _read_points(table, "model", other, "ours", "flagged")
    label = f"{other} (line: least squares; diamonds: ranks differ much)"
    return Scatter(table.title, points, label, "ours", line=_fit_line(points))


def _fit_line(points: Sequence[Point]) -> tuple[tuple[float, float], ...]:
    fit = rank_difference({p.name: p.y for p in points}, {p.name: p.x for p in points})
    # Two points always lie on a line.
    if fit.slope is None or fit.intercept is None or len(points) < _MIN_LINE_POINTS:
        return ()
    ends = (min(point.x for point in points), max(point.x for point in points))
    return tuple((x, fit.intercept + fit.slope * x) for x in ends)


def _make_scaling_chart(table: Table) -> Chart:
    points = tuple(
        Point(
            name=row[0].text,
            x=row[1].number or 0.0,
            y=row[3].number or 0.0,
            x_end=row[2].number,
            strong=row[4].text == "yes",
            opens=first_target(row),
        )
        for row in table.rows
    )
    frontier = [(point.x, point.y) for point in points if point.strong]
    line: list[tuple[float, float]] = []
    band: list[tuple[float, float, float]] = []
    if len({size for size, _ in frontier}) > 1:
        fit = scaling_fit(frontier)
        low = min(size for size, _ in frontier)
        high = max(point.x for point in points) * 1.5
        for step in range(_BAND_POINTS + 1):
            x = low * (high / low) ** (step / _BAND_POINTS)
            if 0.0 <= fit.at(x) <= 100.0:
                # Scores end there, and a steep line beyond would squeeze all points into a corner.
                line.append((x, fit.at(x)))
            interval = fit.band(x)
            if interval:
                band.append((x, max(0.0, interval[0]), min(100.0, interval[1])))
    label = "parameters, billions (log); diamonds: on the frontier"
    return Scatter(table.title, points, label, "score %", log_x=True, line=tuple(line),
                   band=tuple(band))  # fmt: skip


def _make_cost_chart(table: Table) -> Chart:
    has_costs = any(value for value in table.column("cost").numbers)
    x_header = "cost" if has_costs else "completion tokens"
    points = _read_points(table, "model", x_header, "score %", "on the front")
    return Scatter(table.title, points, f"{x_header} (diamonds: on the front)", "score %")


def _make_pass_chart(table: Table) -> Chart:
    ks = [int(header[5:-2]) for header in table.headers if header.startswith("best@") and header.endswith(" %")]
    series = []
    row_names = [", ".join(cell.text for cell in row[: table.headers.index("samples")]) for row in table.rows]
    if len(ks) == 1:
        values, lows, highs = (table.column(f"best@{ks[0]} {ending}").numbers for ending in ("%", "from", "to"))
        label = f"best of {ks[0]} % with 95 % interval"
        return Intervals(table.title, tuple(row_names), values, lows, highs, label, opens=_row_targets(table))
    for row_index, name in enumerate(row_names):
        points = []
        for k in ks:
            value, low, high = (table.column(f"best@{k} {ending}").numbers[row_index] for ending in ("%", "from", "to"))
            if value is not None:
                points.append((float(k), value, low, high))
        series.append(Series(name, tuple(points)))
    return Lines(table.title, tuple(series), "k", "best of k %")


def _make_context_chart(table: Table) -> Chart:
    series: dict[str, list[tuple[float, float, float | None, float | None]]] = {}
    ends = [(row[1].number or 0.0, row[2].number or 0.0) for row in table.rows]
    is_logarithmic = bool(ends) and max(map(max, ends)) > _MIN_RATIO_FOR_LOG_AXIS * max(1.0, min(map(min, ends)))
    for row, (low, high) in zip(table.rows, ends, strict=True):
        if row[3].number is not None:
            middle = math.sqrt(max(1.0, low) * high) if is_logarithmic else (low + high) / 2
            series.setdefault(row[0].text, []).append((middle, row[3].number, row[4].number, row[5].number))
    lines = tuple(Series(name, tuple(points)) for name, points in series.items())
    label = f"characters of prompt and context{' (log)' if is_logarithmic else ''}, middle of each quarter of the items"
    return Lines(table.title, lines, label, "score %", log_x=is_logarithmic)


def _make_decoding_chart(table: Table) -> Chart:
    series: dict[str, list[tuple[float, float, float | None, float | None]]] = {}
    for row in table.rows:
        if row[2].number is not None and row[6].number is not None:
            series.setdefault(row[0].text, []).append((row[2].number, row[6].number, row[7].number, row[8].number))
    lines = tuple(Series(name, tuple(sorted(points, key=lambda point: point[0]))) for name, points in series.items())
    return Lines(table.title, lines, "temperature", "score %")


def _rank_interval_chart(table: Table) -> Chart:
    values, lows, highs = (table.column(header).numbers for header in ("rank", "rank from", "rank to"))
    label = "rank with 95 % interval (1 is best)"
    return Intervals(
        title=table.title,
        names=table.column("model").texts,
        values=values,
        lows=lows,
        highs=highs,
        label=label,
        whole=True,
        opens=_row_targets(table),
    )


def _make_comparison_chart(table: Table) -> Chart:
    """Return the mean difference with its interval, and the items with the largest differences on both sides."""
    rows = zip(table.column("difference").numbers, table.column("title").texts, _row_targets(table), strict=True)
    differences = [(number, title, target) for number, title, target in rows if number is not None]
    differences.sort(key=lambda row: row[0])
    bars = (
        differences
        if len(differences) <= MAX_COMPARED_ITEMS
        else differences[: MAX_COMPARED_ITEMS // 2] + differences[-(MAX_COMPARED_ITEMS // 2) :]
    )
    bars.reverse()
    names = [shorten_name(name, _MAX_NAME_CHARACTERS) for name in table.headers[2:4]]
    label = "difference in points"
    if len(bars) < len(differences):
        label = f"{label}, {len(bars)} largest of {len(differences)} items that differ"
    label = f"{label} (right: {names[0]} better, left: {names[1]})"
    mean = None
    if table.overall is not None:
        value, low, high, n = table.overall
        mean = Mean(f"mean of {n} items", value, low, high)
        label += " · dot: mean with 95 % interval" if low is not None else ""
    numbers, titles, targets = zip(*bars, strict=True) if bars else ((), (), ())
    return Bars(table.title, titles, numbers, label, mean, opens=targets)


def _make_item_chart(table: Table) -> Chart:
    points = _read_points(table, "key", "mean %", "correlation", "flags")
    return Scatter(table.title, points, "mean % over models (diamonds: flagged)", "correlation with the other items")


_CHARTS: Mapping[str, Callable[[Table], Chart]] = {
    "leaderboard": _make_leaderboard_chart,
    "domains": _make_grid_chart,
    "metric": _make_grid_chart,
    "grid": _make_item_grid_chart,
    "weighted": partial(_make_bar_chart, header="weighted %", label="weighted score %"),
    "coco-score": partial(_make_bar_chart, header="CoCo-Score %", label="CoCo-Score %"),
    "dsi": _make_dsi_chart,
    "correlation": _make_correlation_chart,
    "passes": _make_pass_chart,
    "rank-intervals": _rank_interval_chart,
    "ranks": _rank_chart,
    "scaling": _make_scaling_chart,
    "compare": _make_comparison_chart,
    "items": _make_item_chart,
    "cost": _make_cost_chart,
    "context": _make_context_chart,
    "decoding": _make_decoding_chart,
}
