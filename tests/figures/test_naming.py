"""Names beside points: none over another, over a mark or out of the chart, the strong ones first."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from annotator.figures import drawing
from annotator.figures.chart_data import Heat, Lines, Point, Scatter, Series
from annotator.figures.drawing import LIGHT, draw_chart, font_families, name_points

WHOLE = "family-00-1b-instruct-preview"


def _named(points: list[tuple[float, float, str, bool]]) -> tuple[list[Annotation], Figure]:
    figure = Figure(figsize=(6.5, 4.2), layout="constrained")
    axes = figure.add_subplot()
    axes.plot([x for x, *_ in points], [y for _, y, *_ in points], "o")
    name_points(axes, points, LIGHT)
    figure.draw_without_rendering()
    return [text for text in axes.texts if isinstance(text, Annotation)], figure


@pytest.mark.parametrize("count", [1, 12, 88])
def test_names_keep_off_each_other(count: int) -> None:
    rng = random.Random(count)
    points = [(rng.random(), rng.random(), f"{WHOLE}-{n}", n % 7 == 0) for n in range(count)]
    texts, figure = _named(points)
    assert texts and len(texts) >= min(count, 12)
    boxes = [text.get_window_extent() for text in texts]
    frame = figure.axes[0].get_window_extent()
    for a, b in combinations(boxes, 2):
        # Half a pixel is rounding.
        assert not (a.x0 + 0.5 < b.x1 and b.x0 + 0.5 < a.x1 and a.y0 + 0.5 < b.y1 and b.y0 + 0.5 < a.y1)
    for box in boxes:
        assert box.x0 >= frame.x0 - 1 and box.x1 <= frame.x1 + 1 and box.y0 >= frame.y0 - 1 and box.y1 <= frame.y1 + 1


def test_where_there_is_room_for_one_it_is_the_strong_one() -> None:
    points = [(0.5, 0.5, "x" * 60, n == 7) for n in range(8)]
    # All lie on one spot; what is named first leaves no room for most others.
    texts, _ = _named([*points, (0.0, 0.0, "", False), (1.0, 1.0, "", False)])
    strong = [text for text in texts if text.get_text() == "x" * 60]
    assert 1 <= len(strong) <= 4


def test_points_without_a_name_to_write_are_nothing() -> None:
    assert _named([(0.0, 0.0, "a", True)])[0][0].get_text() == "a"
    assert draw_chart(Scatter("t", (Point("a", 1.0, 1.0),), "x", "y", log_x=True), "svg").startswith(b"<?xml")


def test_many_lines_name_the_highest_and_count_the_others() -> None:
    series = tuple(Series(f"model{n}", ((1.0, n, None, None), (3.0, n + 1.0, None, None))) for n in range(40))
    text = draw_chart(Lines("t", series, "k", "score"), "svg").decode()
    assert "<!-- model39 -->" in text and "<!-- model1 -->" not in text and "<!-- 28 others -->" in text


def test_other_scripts_have_fonts_where_there_are_any(recwarn: pytest.WarningsRecorder) -> None:
    names = ("\u901a\u4e49\u5343\u95ee", "\U0001f680", "\u0e01", "a")
    found = font_families("".join(names))
    assert found[0] == "DejaVu Sans" and len(set(found)) == len(found)
    assert font_families("Wilson's é ± √ ≥ … 50 %") == ["DejaVu Sans"]
    numbers = tuple((float(n), None) for n in range(4))
    assert draw_chart(Heat("t", names, ("x", "y"), numbers, "%"), "svg", dark=True).startswith(b"<?xml")
    assert not [warning for warning in recwarn if "Glyph" in str(warning.message)]


def test_a_font_installed_after_the_list_was_written_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib.font_manager import fontManager

    whole = font_families("𐌰")
    if len(whole) == 1:
        pytest.skip("no font for other scripts is installed")
    stale = [font for font in fontManager.ttflist if font.name == "DejaVu Sans"]
    monkeypatch.setattr(fontManager, "ttflist", stale)
    drawing.register_new_fonts.cache_clear()
    assert font_families("𐌰") == whole
    drawing.register_new_fonts.cache_clear()
