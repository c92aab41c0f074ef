"""What can be drawn: charts as plain data. None is a value that is not there; it is drawn as a gap, never as 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

Number: TypeAlias = float | None


@dataclass(frozen=True, slots=True)
class Intervals:
    """A dot with its interval per name, in the order given from the top; ``whole``: the axis has whole numbers."""

    title: str
    names: tuple[str, ...]
    values: tuple[Number, ...]
    lows: tuple[Number, ...]
    highs: tuple[Number, ...]
    label: str
    whole: bool = False


class Mean(NamedTuple):
    """A mean with its interval and what it is of, drawn as a dot above the bars."""

    name: str
    value: float
    low: Number
    high: Number


@dataclass(frozen=True, slots=True)
class Bars:
    """A bar per name from 0, to the right or left; ``mean`` stands above them."""

    title: str
    names: tuple[str, ...]
    values: tuple[Number, ...]
    label: str
    mean: Mean | None = None


@dataclass(frozen=True, slots=True)
class Heat:
    """Numbers in a grid. ``signed``: the colour says how far from 0 and on which side; ``faint`` cells are greyed."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[Number, ...], ...]
    label: str
    low: float = 0.0
    high: float = 100.0
    decimals: int = 1
    signed: bool = False
    faint: tuple[tuple[bool, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Point:
    """A point; ``x_end`` makes it a segment (a mixture of experts), ``strong`` sets it apart (on a frontier)."""

    name: str
    x: float
    y: float
    x_end: Number = None
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Scatter:
    """Points by two numbers; ``line`` is drawn through (x, y) pairs, ``band`` between (x, low, high)."""

    title: str
    points: tuple[Point, ...]
    x_label: str
    y_label: str
    log_x: bool = False
    line: tuple[tuple[float, float], ...] = ()
    band: tuple[tuple[float, float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Series:
    """A named line of (x, y, low, high)."""

    name: str
    points: tuple[tuple[float, float, Number, Number], ...]


@dataclass(frozen=True, slots=True)
class Lines:
    """Several lines over one axis."""

    title: str
    series: tuple[Series, ...]
    x_label: str
    y_label: str
    log_x: bool = False


Chart: TypeAlias = Intervals | Bars | Heat | Scatter | Lines
