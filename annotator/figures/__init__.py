"""Draw figures of results from plain data as SVG, PNG or PDF files, without Qt. Drawing alone loads Matplotlib."""

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
