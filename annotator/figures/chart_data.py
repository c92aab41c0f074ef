"""Charts as plain data. None is a missing value, which is drawn as a gap, never as 0.

``opens`` holds the target of a click on each row, cell or point; drawing copies it into the marks of a picture.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

Number: TypeAlias = float | None


@dataclass(frozen=True, slots=True)
class Intervals:
    """A row with a dot and an interval for each name, from top to bottom; ``whole`` labels only whole numbers."""

    title: str
    names: tuple[str, ...]
    values: tuple[Number, ...]
    lows: tuple[Number, ...]
    highs: tuple[Number, ...]
    label: str
    whole: bool = False
    opens: tuple[object, ...] = ()


class Mean(NamedTuple):
    """A named mean with its interval, drawn as a dot above the bars."""

    name: str
    value: float
    low: Number
    high: Number


@dataclass(frozen=True, slots=True)
class Bars:
    """A horizontal bar for each name, starting at 0; ``mean`` is drawn above them."""

    title: str
    names: tuple[str, ...]
    values: tuple[Number, ...]
    label: str
    mean: Mean | None = None
    opens: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class Heat:
    """A grid of numbers. With ``signed`` the colour shows sign and distance from 0; ``faint`` cells are greyed out."""

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
    opens: tuple[tuple[object, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Point:
    """A point; ``x_end`` makes it a segment (a mixture of experts), ``strong`` emphasises it (on a frontier)."""

    name: str
    x: float
    y: float
    x_end: Number = None
    strong: bool = False
    opens: object = None


@dataclass(frozen=True, slots=True)
class Scatter:
    """A scatter plot with a ``line`` through (x, y) pairs and a ``band`` of (x, low, high)."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureMark:
    """A rectangle in a picture, in pixels from the top left corner, and the target that a click on it opens."""

    left: float
    top: float
    right: float
    bottom: float
    opens: object

    def holds(self, x: float, y: float) -> bool:
        """Return whether a position lies in the rectangle."""
        return self.left <= x <= self.right and self.top <= y <= self.bottom


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A chart drawn for the screen: a PNG file, and its marks from top to bottom."""

    png: bytes
    marks: tuple[PictureMark, ...]
