"""Draw a chart with Matplotlib, for print or for the screen."""

from __future__ import annotations

import io
import logging
import math
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from annotator.base.errors import MissingEnvironmentError, UsageError
from annotator.figures.chart_data import Bars, Chart, Heat, Intervals, Lines, Picture, PictureMark, Scatter, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    Box = tuple[float, float, float, float]
    Line = tuple[tuple[float, float], tuple[float, float]]

FORMATS = ("svg", "png", "pdf")
_DEFAULT_WIDTH = 6.5
_MIN_HEIGHT = 1.6
COLUMNS = {"one": 3.35, "two": 7.0}
"""Widths in inches of a figure over one column of a two-column paper (85 mm), and over both (178 mm)."""
_DPI = 300
_MAX_NAME_CHARACTERS = 44
_MAX_NAME_CHARACTERS_NARROW = 20
# A figure narrower than this, in inches, has shorter names, and its legend below.
_NARROW_WIDTH = 4.5
_MAX_LEGEND_ROWS = 12
_MAX_LEGEND_CHARACTERS = 34
_MAX_LEGEND_CHARACTERS_NARROW = 24
# Horizontal offset in points between lines with intervals, so that their error bars do not overlap.
_LINE_OFFSET = 2.0
# Up to this many whole numbers on the x axis get a tick each.
_MAX_INTEGER_TICKS = 6
# With more rows the axis is labelled at the top as well.
_MAX_ROWS_WITH_ONE_AXIS = 25
# With more cells than this, a grid shows colours without numbers.
_MAX_NUMBERS = 3000
# The ratio of largest to smallest value from which fewer ticks of a logarithmic axis are labelled.
_LONG_AXIS_RATIO = 50
_SHADES = 64
_NUMBER_SIZE = 7.0
_MIN_NUMBER_SIZE = 4.0
# Approximate width in inches of a letter in a row's name.
_LETTER_INCHES = 0.075
# Approximate width in inches of the colour bar with its numbers.
_BAR_INCHES = 0.7
# Minimum margin in inches beside an axis.
_SIDES_INCHES = 0.4
# Width of a letter as a share of the font size.
_LETTER_SHARE = 0.6
# Matplotlib cannot draw an image of more than 2^16 pixels a side.
_MAX_HEIGHT = 150.0
_MAX_POINT_NAMES = 200
_NAME_SIZE = 7.0
_MARK_SIZE = 3.5
# A click up to this many pixels from a point opens it.
_CLICK_RADIUS = 7
# Where to try a label, as (dx, dy, horizontal and vertical alignment), with offsets from its point in points.
_LABEL_POSITIONS = (
    (5, 3, "left", "bottom"), (5, -3, "left", "top"), (-5, 3, "right", "bottom"), (-5, -3, "right", "top"),
    (0, 7, "center", "bottom"), (0, -7, "center", "top"), (6, 12, "left", "bottom"), (6, -12, "left", "top"),
    (-6, 12, "right", "bottom"), (-6, -12, "right", "top"),
)  # fmt: skip
_ALIGNMENT_SHIFT = {"left": 0.0, "center": 0.5, "right": 1.0, "bottom": 0.0, "top": 1.0}


def draw_chart(
    chart: Chart, file_format: str = "svg", *, dark: bool = False, title: bool = True, columns: str = ""
) -> bytes:
    """Return a chart for print as an SVG, PNG or PDF file.

    The width is that of ``columns``, a key of `COLUMNS`; by default 6.5 inches, or more for a wide grid. The height
    depends on the number of rows. Raises `UsageError` for an unknown format or width.
    """
    if file_format not in FORMATS:
        raise UsageError(f"Figures cannot be drawn as {file_format}. Choose from: {', '.join(FORMATS)}.")
    if columns and columns not in COLUMNS:
        raise UsageError(f"A figure is as wide as {' or '.join(COLUMNS)} columns of a paper, not {columns}.")
    inches = (COLUMNS.get(columns) or _choose_width(chart), _choose_height(chart))
    figure = _make_figure(chart, inches, choose_look(dark=dark), title=title)
    return _save(figure, file_format, _DPI if inches[1] < 100 else 150)


def draw_picture(chart: Chart, size: tuple[int, int], *, dark: bool = False, scale: float = 1.0) -> Picture:
    """Return a chart for the screen, without its title, and the rectangles that a click can open.

    ``size`` is in pixels; the image has ``scale`` times as many in each direction.
    """
    figure = _make_figure(chart, (size[0] / 100, size[1] / 100), choose_look(dark=dark), title=False)
    png = _save(figure, "png", 100 * scale)
    return Picture(png=png, marks=tuple(_find_marks(figure.axes[0], chart, size)))


def _make_figure(chart: Chart, inches: tuple[float, float], colours: Look, *, title: bool) -> Figure:
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingEnvironmentError(
            "Drawing a figure needs matplotlib, which is not installed; nothing was written. Install it with: "
            "pip install 'benchmark-annotator[app]'"
        ) from error

    # Make the same bytes every time, and embed fonts as TrueType, which publishers accept.
    matplotlib.rcParams["svg.hashsalt"] = "annotator"
    matplotlib.rcParams["pdf.fonttype"] = 42
    matplotlib.rcParams["font.family"] = font_families(repr(chart))
    silence_font_warnings()
    figure = Figure(figsize=inches, layout="constrained", facecolor=colours.ground)
    axes = figure.add_subplot()
    _style_axes(axes, colours)
    if title:
        axes.set_title(_escape_short_name(chart.title, 90), loc="left", fontsize=10, color=colours.text, wrap=True)
    _draw_chart_on(axes, chart, colours)
    if isinstance(chart, Scatter):
        labels = [(point.x, point.y, _escape_short_name(point.name, 30), point.strong) for point in chart.points]
        segments = [((point.x, point.y), (point.x_end, point.y)) for point in chart.points if point.x_end is not None]
        name_points(axes, labels, colours, [*pairwise(chart.line), *segments])
    return figure


def _save(figure: Figure, form: str, dpi: float) -> bytes:
    out = io.BytesIO()
    metadata: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form, {})
    figure.savefig(out, format=form, dpi=dpi, metadata=metadata, facecolor=figure.get_facecolor())
    return out.getvalue()


def _find_marks(axes: Axes, chart: Chart, size: tuple[int, int]) -> Iterator[PictureMark]:
    """Yield a mark for each row of a chart with names, each cell of a grid, or the surroundings of each point."""
    width, height = size

    def to_pixels(x: float, y: float) -> tuple[float, float]:
        pixel_x, pixel_y = axes.transData.transform((x, y))
        return float(pixel_x), height - float(pixel_y)

    if isinstance(chart, (Intervals, Bars)):
        first_row = 1 if isinstance(chart, Bars) and chart.mean else 0
        for row, opens in enumerate(chart.opens, first_row):
            yield PictureMark(
                left=0, top=to_pixels(0, row - 0.5)[1], right=width, bottom=to_pixels(0, row + 0.5)[1], opens=opens
            )
    elif isinstance(chart, Heat):
        for row, targets in enumerate(chart.opens):
            for column, opens in enumerate(targets):
                left, top = to_pixels(column - 0.5, row - 0.5)
                right, bottom = to_pixels(column + 0.5, row + 0.5)
                yield PictureMark(left=left, top=top, right=right, bottom=bottom, opens=opens)
    elif isinstance(chart, Scatter):
        for point in chart.points:
            x, y = to_pixels(point.x, point.y)
            yield PictureMark(
                left=x - _CLICK_RADIUS,
                top=y - _CLICK_RADIUS,
                right=x + _CLICK_RADIUS,
                bottom=y + _CLICK_RADIUS,
                opens=point.opens,
            )


def _draw_chart_on(axes: Axes, chart: Chart, colours: Look) -> None:
    if _is_empty(chart):
        _draw_empty(axes, colours)
    elif isinstance(chart, Intervals):
        _draw_intervals(axes, chart, colours)
    elif isinstance(chart, Bars):
        _draw_bars(axes, chart, colours)
    elif isinstance(chart, Heat):
        _draw_heat(axes, chart, colours)
    elif isinstance(chart, Scatter):
        _draw_scatter(axes, chart, colours)
    else:
        _draw_lines(axes, chart, colours)


def _choose_width(chart: Chart) -> float:
    return max(_DEFAULT_WIDTH, 2.6 + 0.55 * len(chart.columns)) if isinstance(chart, Heat) else _DEFAULT_WIDTH


def _choose_height(chart: Chart) -> float:
    if _is_empty(chart):
        return _MIN_HEIGHT
    if isinstance(chart, (Intervals, Bars)):
        means = 1 if isinstance(chart, Bars) and chart.mean else 0
        return min(_MAX_HEIGHT, 1.3 + 0.22 * (len(chart.names) + means))
    if isinstance(chart, Heat):
        return min(_MAX_HEIGHT, 1.8 + 0.26 * len(chart.rows))
    return 4.2


def _is_empty(chart: Chart) -> bool:
    if isinstance(chart, (Intervals, Bars)):
        return not chart.names and not (isinstance(chart, Bars) and chart.mean)
    if isinstance(chart, Heat):
        return not chart.rows or not chart.columns
    return not chart.points if isinstance(chart, Scatter) else not any(line.points for line in chart.series)


def shorten_name(text: str, max_length: int = _MAX_NAME_CHARACTERS) -> str:
    """Shorten a text by removing its middle, since long names often differ only at the end."""
    plain = " ".join(text.split())
    half = (max_length - 1) // 2
    return plain if len(plain) <= max_length else f"{plain[:half]}…{plain[-half:]}"


def _escape_short_name(text: str, max_length: int = _MAX_NAME_CHARACTERS) -> str:
    """Return a shortened name with ``$`` escaped, because Matplotlib would read that as a formula."""
    return shorten_name(text, max_length).replace("$", r"\$")


def _is_narrow(axes: Axes) -> bool:
    figure = axes.get_figure(root=True)
    return figure is not None and figure.get_figwidth() < _NARROW_WIDTH


def _choose_name_length(axes: Axes) -> int:
    """Return the maximum length of a row's name."""
    return _MAX_NAME_CHARACTERS_NARROW if _is_narrow(axes) else _MAX_NAME_CHARACTERS


def _style_axes(axes: Axes, colours: Look) -> None:
    axes.set_facecolor(colours.ground)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(colours.line)
    axes.tick_params(which="both", colors=colours.text, labelsize=8, length=3, color=colours.line)
    axes.grid(visible=True, color=colours.line, linewidth=0.6)
    axes.set_axisbelow(True)


def _label_axes(axes: Axes, x: str, y: str, colours: Look) -> None:
    size = 8 if _is_narrow(axes) else 9
    figure = axes.get_figure(root=True)
    width = figure.get_figwidth() if figure is not None else _DEFAULT_WIDTH
    # A label may contain long names of models, and names of rows beside the axis reduce its width.
    names_width = max((len(name.get_text()) for name in axes.get_yticklabels()), default=0) * _LETTER_INCHES
    letters = int(max(width - names_width - _SIDES_INCHES, 1.0) * 72 / (_LETTER_SHARE * size))
    axes.set_xlabel("\n".join(textwrap.wrap(x, letters)).replace("$", r"\$"), fontsize=size, color=colours.text)
    axes.set_ylabel(y, fontsize=size, color=colours.text)


def _label_rows(axes: Axes, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), [_escape_short_name(name, _choose_name_length(axes)) for name in names])
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    if len(names) > _MAX_ROWS_WITH_ONE_AXIS:
        axes.tick_params(axis="x", top=True, labeltop=True)


def _draw_empty(axes: Axes, colours: Look) -> None:
    axes.text(
        0.5, 0.5, "No row has numbers to draw", transform=axes.transAxes, ha="center", va="center", color=colours.dim
    )
    axes.set_xticks([])
    axes.set_yticks([])


def _draw_intervals(axes: Axes, chart: Intervals, colours: Look) -> None:
    for row, (value, low, high) in enumerate(zip(chart.values, chart.lows, chart.highs, strict=True)):
        if value is None:
            axes.text(0, row, " n/a", va="center", fontsize=8, color=colours.dim)
            continue
        if low is not None and high is not None:
            axes.plot([low, high], [row, row], color=colours.series[0], linewidth=2, solid_capstyle="butt")
        axes.plot([value], [row], marker="o", markersize=5, color=colours.text, linestyle="none")
    _label_rows(axes, chart.names)
    if chart.whole:
        axes.locator_params(axis="x", integer=True)
    _label_axes(axes, chart.label, "", colours)


def _draw_bars(axes: Axes, chart: Bars, colours: Look) -> None:
    values = [value or 0.0 for value in chart.values]
    fills = [colours.series[0] if value >= 0 else colours.series[1] for value in values]
    first_row = 1 if chart.mean else 0
    bars = axes.barh(range(first_row, first_row + len(values)), values, color=fills, height=0.7)
    for bar, value in zip(bars, values, strict=True):
        # Negative bars are hatched, so that the sign is not shown by colour alone.
        bar.set_hatch("" if value >= 0 else "///")
        bar.set_edgecolor(colours.ground)
    axes.axvline(0, color=colours.dim, linewidth=0.8)
    if chart.mean:
        _, value, low, high = chart.mean
        if low is not None and high is not None:
            axes.plot([low, high], [0, 0], color=colours.text, linewidth=2, solid_capstyle="butt")
        axes.plot([value], [0], marker="D", markersize=5, color=colours.text, linestyle="none")
        axes.axhline(0.5, color=colours.line, linewidth=0.8)
    _label_rows(axes, (chart.mean.name, *chart.names) if chart.mean else chart.names)
    if chart.mean and not chart.names:
        low, high = axes.get_xlim()
        axes.set_xlim(min(low, -1.0), max(high, 1.0))
    _label_axes(axes, chart.label, "", colours)


def _draw_heat(axes: Axes, chart: Heat, colours: Look) -> None:
    values = [value for row in chart.values for value in row if value is not None]
    low = chart.low
    high = chart.high
    if chart.signed:
        high = max((abs(value) for value in values), default=1.0)
        high = min(high, 100.0) or 1.0
        low = -high
    size = _choose_number_size(axes, chart)
    has_numbers = len(chart.rows) * len(chart.columns) <= _MAX_NUMBERS and size >= _MIN_NUMBER_SIZE
    grid: list[list[tuple[float, float, float]]] = []
    for row_index, row in enumerate(chart.values):
        grid.append([])
        for column_index, value in enumerate(row):
            is_faint = bool(chart.faint) and chart.faint[row_index][column_index]
            if value is None or is_faint:
                background = rgb(colours.missing)
                text_colour = rgb(colours.dim)
            else:
                background, text_colour = cell_colours(value, low, high, colours, signed=chart.signed)
            grid[-1].append(background)
            if has_numbers:
                text = "n/a" if value is None else f"{value:{'+' if chart.signed else ''}.{chart.decimals}f}"
                axes.text(column_index, row_index, text, ha="center", va="center", fontsize=size, color=text_colour)
    axes.imshow(grid, aspect="auto", interpolation="nearest")
    _draw_colour_bar(axes, chart, low, high, colours)
    axes.set_xticks(range(len(chart.columns)), [_escape_short_name(name, 24) for name in chart.columns])
    is_axis_on_top = len(chart.rows) > _MAX_ROWS_WITH_ONE_AXIS
    if is_axis_on_top:
        axes.xaxis.tick_top()
    are_labels_slanted = max(map(len, chart.columns)) > 6
    axes.tick_params(axis="x", rotation=40 if are_labels_slanted else 0, top=False)
    slanted_alignment: Literal["left", "right"] = "left" if is_axis_on_top else "right"
    for tick in axes.get_xticklabels():
        tick.set_horizontalalignment(slanted_alignment if are_labels_slanted else "center")
        tick.set_rotation_mode("anchor")
    axes.set_yticks(
        range(len(chart.rows)), [_escape_short_name(name, _choose_name_length(axes)) for name in chart.rows]
    )
    axes.grid(visible=False)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _choose_number_size(axes: Axes, chart: Heat) -> float:
    """Return the font size in points at which the longest number fits into a cell."""
    figure = axes.get_figure(root=True)
    width = figure.get_figwidth() if figure is not None else _DEFAULT_WIDTH
    names_width = min(_choose_name_length(axes), max(map(len, chart.rows), default=0)) * _LETTER_INCHES
    sign = "+" if chart.signed else ""
    texts = (f"{value:{sign}.{chart.decimals}f}" for row in chart.values for value in row if value is not None)
    letters = max(map(len, texts), default=3)
    cell_width = (width - names_width - _BAR_INCHES) / max(1, len(chart.columns)) * 72 * 0.9
    return min(_NUMBER_SIZE, cell_width / (letters * 0.62))


def _draw_colour_bar(axes: Axes, chart: Heat, low: float, high: float, colours: Look) -> None:
    """Draw the colour bar of a grid; an end is pointed if there are values beyond it."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap, Normalize

    figure = axes.get_figure(root=True)
    faint = chart.faint or ((False,) * len(chart.columns),) * len(chart.rows)
    has_coloured_cells = any(
        value is not None and not is_faint
        for row, faint_row in zip(chart.values, faint, strict=True)
        for value, is_faint in zip(row, faint_row, strict=True)
    )
    if figure is None or low >= high or not has_coloured_cells:
        _label_axes(axes, chart.label, "", colours)
        return
    steps = [low + (high - low) * index / (_SHADES - 1) for index in range(_SHADES)]
    shades = ListedColormap([cell_colours(step, low, high, colours, signed=chart.signed)[0] for step in steps])
    values = [value for row in chart.values for value in row if value is not None]
    is_below = min(values, default=low) < low
    is_above = max(values, default=high) > high
    extend = "neither"
    if is_below or is_above:
        extend = "both" if is_below and is_above else "min" if is_below else "max"
    bar = figure.colorbar(
        ScalarMappable(Normalize(low, high), shades), ax=axes, extend=extend, aspect=30, pad=0.02, fraction=0.04
    )
    bar.outline.set_visible(False)
    bar.set_label(chart.label, fontsize=8, color=colours.text)
    bar.ax.tick_params(labelsize=7, length=2, colors=colours.text)


def _choose_log_ticks(chart: Scatter, *, narrow: bool) -> tuple[float, ...]:
    """Return the multiples of powers of ten to label on a logarithmic axis; fewer if it is long or narrow."""
    ends = [end for point in chart.points for end in (point.x, point.x_end) if end is not None and end > 0]
    if ends and max(ends) > _LONG_AXIS_RATIO * min(ends):
        return () if narrow else (2.0, 5.0)
    return (2.0, 5.0) if narrow else (2.0, 3.0, 5.0, 7.0)


def _draw_scatter(axes: Axes, chart: Scatter, colours: Look) -> None:
    if chart.log_x:
        from matplotlib.ticker import LogLocator

        axes.set_xscale("log")
        # Plain numbers such as 2, 7, 33 instead of powers of ten.
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter("{x:g}")
        axes.xaxis.set_minor_locator(LogLocator(subs=_choose_log_ticks(chart, narrow=_is_narrow(axes))))
        axes.tick_params(axis="x", which="minor", labelsize="small")
    if chart.band:
        x, lows, highs = zip(*chart.band, strict=True)
        axes.fill_between(x, lows, highs, color=colours.series[0], alpha=0.15, linewidth=0)
    if chart.line:
        axes.plot(*zip(*chart.line, strict=True), color=colours.series[0], linewidth=1.4, linestyle="--")
    for point in chart.points:
        colour = colours.series[1] if point.strong else colours.dim
        if point.x_end is not None:
            axes.plot([point.x, point.x_end], [point.y, point.y], color=colour, linewidth=1.2)
        axes.plot([point.x], [point.y], marker="D" if point.strong else "o", color=colour, markersize=6 if point.strong
                  else 4.5, markeredgecolor=colours.text, markeredgewidth=0.5, linestyle="none")  # fmt: skip
    axes.margins(0.08, 0.1)
    _label_axes(axes, chart.x_label, chart.y_label, colours)


def _split_series(series: Sequence[Series]) -> tuple[list[Series], list[Series]]:
    """Return the lines to name in the legend, highest final value first, and the others, which are drawn in grey."""
    nonempty = [line for line in series if line.points]
    if len(nonempty) <= 2 * _MAX_LEGEND_ROWS:
        return nonempty, []
    best = sorted(nonempty, key=lambda series: (series.points[-1][1], series.points[0][1]), reverse=True)
    return best[:_MAX_LEGEND_ROWS], best[_MAX_LEGEND_ROWS:]


def _draw_lines(axes: Axes, chart: Lines, colours: Look) -> None:
    named_series, unnamed_series = _split_series(chart.series)
    if chart.log_x:
        axes.set_xscale("log")
    for series in unnamed_series:
        # One entry in the legend stands for all of them.
        label = f"{len(unnamed_series)} others" if series is unnamed_series[0] else None
        axes.plot([point[0] for point in series.points], [point[1] for point in series.points], color=colours.line,
                  linewidth=0.8, label=label)  # fmt: skip
    columns = 2 if _is_narrow(axes) else 1 + (len(named_series) - 1) // (_MAX_LEGEND_ROWS + 1)
    with_intervals = len(named_series) <= _MAX_LEGEND_ROWS
    max_name_length = _MAX_LEGEND_CHARACTERS if columns == 1 else _MAX_LEGEND_CHARACTERS_NARROW
    for index, series in enumerate(named_series):
        shift = (index - (len(named_series) - 1) / 2) * _LINE_OFFSET if with_intervals else 0.0
        name = _escape_short_name(series.name, max_name_length)
        _draw_series(axes, series, index, shift, colours, name, with_intervals=with_intervals)
    if _is_narrow(axes):
        legend = axes.legend(fontsize=7, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.22), ncols=columns)
    else:
        legend = axes.legend(fontsize=7, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0), ncols=columns)
    for text in legend.get_texts():
        text.set_color(colours.text)
    axes.margins(0.05, 0.1)
    x_values = sorted({point[0] for series in chart.series for point in series.points})
    if chart.log_x or x_values[-1] >= 1000:
        axes.xaxis.set_major_formatter("{x:,g}")
    elif len(x_values) <= _MAX_INTEGER_TICKS and all(x == round(x) for x in x_values):
        axes.set_xticks(x_values)
    _label_axes(axes, chart.x_label, chart.y_label, colours)


def _draw_series(
    axes: Axes, series: Series, index: int, shift: float, colours: Look, name: str, *, with_intervals: bool
) -> None:
    """Draw one line, shifted by ``shift`` points so that the intervals of several lines do not overlap.

    ``with_intervals``: also draw the intervals.
    """
    from matplotlib.transforms import ScaledTranslation

    figure = axes.get_figure(root=True)
    assert figure is not None
    transform = axes.transData + ScaledTranslation(shift / 72, 0, figure.dpi_scale_trans)
    colour = colours.series[index % len(colours.series)]
    artists = axes.plot([point[0] for point in series.points], [point[1] for point in series.points], color=colour,
                      linewidth=1.4, markersize=5, marker=MARKERS[index % len(MARKERS)], label=name,
                      linestyle=DASHES[index // len(colours.series) % len(DASHES)])  # fmt: skip
    for x, _, low, high in series.points if with_intervals else ():
        if low is not None and high is not None:
            artists += axes.plot([x, x], [low, high], color=colour, linewidth=0.8, alpha=0.7)
    for artist in artists:
        # Set after plotting, because autoscaling ignores artists with another transform.
        artist.set_transform(transform)


def name_points(
    axes: Axes, points: Sequence[tuple[float, float, str, bool]], colours: Look, lines: Sequence[Line] = ()
) -> None:
    """Label points (x, y, name, strong) in a finished chart; strong points are placed first.

    A label crosses one of the ``lines`` only if there is no other place for it.
    """
    if not points:
        return
    figure = axes.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()
    scale = figure.dpi / 72
    plot_area = axes.get_window_extent().extents
    pixel_positions = [tuple(axes.transData.transform((x, y))) for x, y, *_ in points]
    marks = [
        (x - _MARK_SIZE * scale, y - _MARK_SIZE * scale, x + _MARK_SIZE * scale, y + _MARK_SIZE * scale)
        for x, y in pixel_positions
    ]
    line_boxes = [box for line in lines for box in _make_boxes_along(line, axes, _MARK_SIZE * scale)]
    label_boxes: list[Box] = []
    order = sorted(range(len(points)), key=[not strong for *_, strong in points].__getitem__)
    for index in order[:_MAX_POINT_NAMES]:
        x, y, name, _ = points[index]
        label = axes.annotate(
            name, (x, y), xytext=(0, 0), textcoords="offset points", fontsize=_NAME_SIZE, color=colours.text
        )
        # Labels must not change the layout against which they were measured.
        label.set_in_layout(False)
        size = label.get_window_extent()
        free_positions = []
        for dx, dy, horizontal, vertical in _LABEL_POSITIONS:
            left_edge = pixel_positions[index][0] + dx * scale - _ALIGNMENT_SHIFT[horizontal] * size.width
            low = pixel_positions[index][1] + dy * scale - _ALIGNMENT_SHIFT[vertical] * size.height
            box = (left_edge, low, left_edge + size.width, low + size.height)
            other_marks = (mark for position, mark in enumerate(marks) if position != index)
            if _is_inside(box, plot_area) and not any(
                _do_overlap(box, other) for other in (*label_boxes, *other_marks)
            ):
                free_positions.append((box, (dx, dy), horizontal, vertical))
        if not free_positions:
            label.remove()
            continue
        clear_positions = (
            position for position in free_positions if not any(_do_overlap(position[0], other) for other in line_boxes)
        )
        box, position, horizontal, vertical = next(clear_positions, free_positions[0])
        label.set(ha=horizontal, va=vertical, position=position)
        label_boxes.append(box)


def _make_boxes_along(line: Line, axes: Axes, step: float) -> list[Box]:
    """Return small boxes in pixels that cover a straight line given in data coordinates."""
    (x, y), (end_x, end_y) = (tuple(axes.transData.transform(end)) for end in line)
    count = max(1, math.ceil(math.hypot(end_x - x, end_y - y) / step))
    half = step / 2
    middles = ((x + (end_x - x) * index / count, y + (end_y - y) * index / count) for index in range(count + 1))
    return [(middle_x - half, middle_y - half, middle_x + half, middle_y + half) for middle_x, middle_y in middles]


def _is_inside(box: Box, frame: Sequence[float]) -> bool:
    return box[0] >= frame[0] and box[1] >= frame[1] and box[2] <= frame[2] and box[3] <= frame[3]


def _do_overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


_DEFAULT_FAMILY = "DejaVu Sans"
# Fonts of common systems for Chinese, Japanese and Korean, then other scripts, then symbols and emoji.
_OTHER_FAMILIES = (
    "Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "Microsoft YaHei", "PingFang SC", "Hiragino Sans GB",
    "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "SimHei", "Noto Sans CJK JP", "Yu Gothic", "Hiragino Sans",
    "Noto Sans CJK KR", "Malgun Gothic", "Apple SD Gothic Neo", "Noto Sans Devanagari", "Nirmala UI", "Noto Sans Thai",
    "Leelawadee UI", "Arial Unicode MS", "Noto Sans Symbols", "Noto Sans Symbols2", "Segoe UI Symbol", "Noto Emoji",
    "Segoe UI Emoji", "Symbola",
)  # fmt: skip


def font_families(text: str) -> list[str]:
    """Return the installed font families needed for a text, in order of preference.

    Most texts need only one. More families slow down drawing, because Matplotlib searches them for every word.
    """
    from matplotlib.font_manager import fontManager

    missing = _find_missing_characters(set(text), [_DEFAULT_FAMILY])
    if not missing:
        return [_DEFAULT_FAMILY]
    silence_font_warnings()
    others = [name for name in _OTHER_FAMILIES if name in {font.name for font in fontManager.ttflist}]
    if _find_missing_characters(missing, others) and register_new_fonts():
        others = [name for name in _OTHER_FAMILIES if name in {font.name for font in fontManager.ttflist}]
    return [_DEFAULT_FAMILY, *others]


def _find_missing_characters(characters: set[str], names: Sequence[str]) -> set[str]:
    from matplotlib.font_manager import findfont, get_font

    for name in names:
        charmap = get_font(findfont(name)).get_charmap()
        characters = {character for character in characters if ord(character) not in charmap}
    return characters


@cache
def register_new_fonts() -> bool:
    """Register fonts installed after Matplotlib cached its font list; return whether there were any."""
    from matplotlib.font_manager import findSystemFonts, fontManager

    known_files = {font.fname for font in fontManager.ttflist}
    added = False
    for path in sorted(set(findSystemFonts()) - known_files):
        # Unreadable font files are skipped.
        with suppress(OSError, RuntimeError):
            fontManager.addfont(path)
            added = True
    return added


def silence_font_warnings() -> None:
    """Silence warnings about missing glyphs, which are drawn as boxes; the table beside the figure has the names."""
    # The font manager also warns if a font lacks a weight; the nearest one will do.
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", message=r"Glyph \d+ ", category=UserWarning)


# The palette of Okabe and Ito without black. Every series also has its own marker and dash.
OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")
DASHES = ("-", "--", "-.", ":")


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """The colours of a figure.

    ``ramp`` goes from low to high values in one hue with monotonic lightness, and ``below`` from 0 to negative values.
    """

    ground: str
    text: str
    dim: str
    line: str
    series: tuple[str, ...]
    ramp: tuple[str, ...]
    below: tuple[str, ...]
    missing: str


LIGHT = Look(
    ground="#ffffff", text="#1c2330", dim="#5b6675", line="#dfe3e8", series=OKABE_ITO,
    ramp=("#f4f8fe", "#b9d3f6", "#6ea3e6", "#2a66b8", "#0b2f66"), below=("#fdf5ec", "#f3cf9f", "#dd9440", "#a35a0c",
    "#5c2f02"), missing="#eef0f3",
)  # fmt: skip
DARK = Look(
    ground="#1f2227", text="#e6e9ee", dim="#9aa3af", line="#343a43",
    series=("#56B4E9", "#E69F00", "#2fbf91", "#CC79A7", "#F0E442", "#e8743b", "#8fb7e8"),
    ramp=("#232a35", "#23446f", "#2f6db8", "#6aa6ee", "#cfe3ff"), below=("#2c2620", "#5f3c12", "#a1651a", "#dd9a4c",
    "#ffdfb8"), missing="#2a2e35",
)  # fmt: skip


def choose_look(*, dark: bool) -> Look:
    """Return the colours for a light or dark background."""
    return DARK if dark else LIGHT


def rgb(colour: str) -> tuple[float, float, float]:
    """Return a colour as three numbers from 0 to 1."""
    red, green, blue = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return red, green, blue


def luminance(colour: tuple[float, float, float]) -> float:
    """Return the relative luminance of a colour, 0 to 1 (WCAG 2.1)."""
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def interpolate_colour(stops: tuple[str, ...], share: float) -> tuple[float, float, float]:
    """Interpolate between colour stops; ``share`` is the position from 0 to 1."""
    position = max(0.0, min(1.0, share)) * (len(stops) - 1)
    index = min(int(position), len(stops) - 2)
    first = rgb(stops[index])
    second = rgb(stops[index + 1])
    red, green, blue = (a + (b - a) * (position - index) for a, b in zip(first, second, strict=True))
    return red, green, blue


def cell_colours(
    value: float, low: float, high: float, colours: Look, *, signed: bool = False
) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Return the background and text colour of a heat map's cell; the text is black or white, for contrast."""
    if signed:
        max_value = max(abs(low), abs(high)) or 1.0
        ground = interpolate_colour(colours.ramp if value >= 0 else colours.below, abs(value) / max_value)
    else:
        ground = interpolate_colour(colours.ramp, (value - low) / ((high - low) or 1.0))
    background_luminance = luminance(ground)
    # Pure black, because with a lighter one neither text colour has a contrast of 4.5 to 1 on some backgrounds.
    dark_text = (0.0, 0.0, 0.0)
    light_text = rgb("#ffffff")
    contrast_with_dark = (background_luminance + 0.05) / (luminance(dark_text) + 0.05)
    contrast_with_light = 1.05 / (background_luminance + 0.05)
    return ground, dark_text if contrast_with_dark >= contrast_with_light else light_text
