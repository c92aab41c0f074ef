"""Figures of results: plain data in, the bytes of an SVG, PNG or PDF out. No Qt; Matplotlib is only loaded to draw."""

from annotator.figures.charts import (
    Bars,
    Chart,
    Heat,
    Intervals,
    Lines,
    Mean,
    Picture,
    PictureMark,
    Point,
    Scatter,
    Series,
)
from annotator.figures.drawing import COLUMNS, FORMATS, draw_chart, draw_picture, shorten_name

__all__ = [
    "COLUMNS",
    "FORMATS",
    "Bars",
    "Chart",
    "Heat",
    "Intervals",
    "Lines",
    "Mean",
    "Picture",
    "PictureMark",
    "Point",
    "Scatter",
    "Series",
    "draw_chart",
    "draw_picture",
    "shorten_name",
]  # fmt: skip
