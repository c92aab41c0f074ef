"""Names beside points, none over another: each takes the first free place around its point, or is left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from annotator.figures.look import Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    Box = tuple[float, float, float, float]

_MOST = 200
_POINTS = 7.0
_MARK = 3.5
# Where a name goes from its point, in points: to the right and the left first, then above and below, then further off.
_PLACES = (
    (5, 3, "left", "bottom"), (5, -3, "left", "top"), (-5, 3, "right", "bottom"), (-5, -3, "right", "top"),
    (0, 7, "center", "bottom"), (0, -7, "center", "top"), (6, 12, "left", "bottom"), (6, -12, "left", "top"),
    (-6, 12, "right", "bottom"), (-6, -12, "right", "top"),
)  # fmt: skip
_SHIFT = {"left": 0.0, "center": 0.5, "right": 1.0, "bottom": 0.0, "top": 1.0}


def name_points(axes: Axes, points: Sequence[tuple[float, float, str, bool]], colours: Look) -> None:
    """Write names (x, y, name, strong) into a chart whose other parts are all there; strong points choose first."""
    if not points:
        return
    figure = axes.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()
    scale = figure.dpi / 72
    inside = axes.get_window_extent().extents
    spots = [tuple(axes.transData.transform((x, y))) for x, y, *_ in points]
    marks = [(x - _MARK * scale, y - _MARK * scale, x + _MARK * scale, y + _MARK * scale) for x, y in spots]
    taken: list[Box] = []
    order = sorted(range(len(points)), key=[not strong for *_, strong in points].__getitem__)
    for at in order[:_MOST]:
        x, y, name, _ = points[at]
        made = axes.annotate(
            name, (x, y), xytext=(0, 0), textcoords="offset points", fontsize=_POINTS, color=colours.text
        )
        # Names do not move the axes they were measured against.
        made.set_in_layout(False)
        size = made.get_window_extent()
        for dx, dy, across, along in _PLACES:
            left = spots[at][0] + dx * scale - _SHIFT[across] * size.width
            low = spots[at][1] + dy * scale - _SHIFT[along] * size.height
            box = (left, low, left + size.width, low + size.height)
            others = (mark for place, mark in enumerate(marks) if place != at)
            if _within(box, inside) and not any(_meet(box, other) for other in (*taken, *others)):
                made.set(ha=across, va=along, position=(dx, dy))
                taken.append(box)
                break
        else:
            made.remove()


def _within(box: Box, frame: Sequence[float]) -> bool:
    return box[0] >= frame[0] and box[1] >= frame[1] and box[2] <= frame[2] and box[3] <= frame[3]


def _meet(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
