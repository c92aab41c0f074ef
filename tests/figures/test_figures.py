"""Every chart in every format, with what is missing, colours that can be told apart, and names beside points."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from io import BytesIO
from itertools import combinations, pairwise

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.text import Annotation

from annotator.base.errors import UsageError
from annotator.figures import drawing
from annotator.figures.chart_data import Bars, Chart, Heat, Intervals, Lines, Mean, Point, Scatter, Series
from annotator.figures.drawing import (
    DARK,
    LIGHT,
    cell_colours,
    draw_chart,
    draw_picture,
    font_families,
    interpolate_colour,
    luminance,
    name_points,
    rgb,
)

LONG = "organisation/a-model-with-a-very-long-name-instruct-preview-2026 $x_y$ <&> ü"
CHARTS: tuple[Chart, ...] = (
    Intervals("Board", (LONG, "b", "c"), (50.0, 0.0, None), (40.0, None, None), (60.0, None, None), "score %"),
    Bars("Differences", ("a", LONG, "c"), (10.0, -5.0, None), "points"),
    Bars("Means", ("a", "b"), (10.0, -5.0), "points", Mean("mean of 9 items", 2.5, -1.0, 6.0)),
    Heat("Domains", ("a", LONG), ("x", "a long domain name"), ((1.0, None), (0.0, 100.0)), "score %"),
    Heat("DSI", ("a",), ("x", "y"), ((-250.0, 80.0),), "DSI", signed=True, faint=((True, False),)),
    Scatter(
        "Size", (Point("a", 1.0, 20.0, 7.0, True), Point(LONG, 70.0, 60.0)), "size", "score", log_x=True,
        line=((1.0, 20.0), (70.0, 60.0)), band=((1.0, 10.0, 30.0), (70.0, 50.0, 70.0)),
    ),
    Lines("k", (Series("a", ((1.0, 2.0, 1.0, 3.0), (5.0, 4.0, None, None))), Series("none", ())), "k", "score"),
)  # fmt: skip
EMPTY: tuple[Chart, ...] = (
    Intervals("t", (), (), (), (), "x"), Bars("t", (), (), "x"), Heat("t", (), (), (), "x"),
    Scatter("t", (), "x", "y"), Lines("t", (), "x", "y"),
)  # fmt: skip
STARTS = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: type(chart).__name__)
@pytest.mark.parametrize("form", STARTS)
def test_every_chart_is_drawn_in_every_format(chart: Chart, form: str) -> None:
    assert draw_chart(chart, form, dark=form == "png").startswith(STARTS[form])


@pytest.mark.parametrize("chart", EMPTY, ids=lambda chart: type(chart).__name__)
def test_a_chart_of_nothing_says_so(chart: Chart) -> None:
    assert draw_picture(chart, (300, 200)).png.startswith(STARTS["png"])


def test_many_rows_make_a_taller_figure() -> None:
    names = tuple(f"model {n}" for n in range(88))
    numbers = tuple(float(n) for n in range(88))
    few = draw_chart(Bars("t", names[:2], numbers[:2], "x"), "svg")
    many = draw_chart(Bars("t", names, numbers, "x"), "svg")
    height = [int(data.split(b'height="', 1)[1].split(b".", 1)[0].split(b"pt")[0]) for data in (few, many)]
    assert height[1] > 5 * height[0]


def test_an_axis_of_ranks_has_whole_numbers() -> None:
    chart = Intervals("t", ("a", "b"), (1.0, 2.0), (1.0, 1.0), (1.0, 2.0), "rank")
    assert b"<!-- 1.2 -->" in draw_chart(chart, "svg") and b"<!-- 1.2 -->" not in draw_chart(
        replace(chart, whole=True), "svg"
    )


def _width(picture: bytes) -> float:
    """Return the width of a PDF's page in inches."""
    box = re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ", picture)
    assert box
    return float(box[1]) / 72


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: type(chart).__name__)
def test_a_figure_is_as_wide_as_one_column_of_a_paper_or_two(chart: Chart) -> None:
    assert _width(draw_chart(chart, "pdf", columns="one")) == pytest.approx(3.35, abs=0.01)
    assert _width(draw_chart(chart, "pdf", columns="two", title=False)) == pytest.approx(7.0, abs=0.01)
    with pytest.raises(UsageError, match="one or two columns"):
        draw_chart(chart, "pdf", columns="three")


def test_a_title_can_be_left_to_the_caption() -> None:
    assert b"<!-- Board -->" in draw_chart(CHARTS[0], "svg") and b"<!-- Board -->" not in draw_chart(
        CHARTS[0], "svg", title=False
    )


def test_a_grid_says_what_its_colours_stand_for_unless_all_is_grey() -> None:
    heat = Heat("t", ("a", "b"), ("x", "y"), ((1.0, None), (60.0, 30.0)), "score %")
    marks = [f"<!-- {number} -->".encode() for number in (20, 40, 80)]
    picture = draw_chart(heat, "svg")
    assert all(mark in picture for mark in marks) and b"<!-- score % -->" in picture
    grey = draw_chart(replace(heat, faint=((True, False), (True, True))), "svg")
    assert not any(mark in grey for mark in marks) and b"<!-- score % -->" in grey


def test_only_a_signed_grid_writes_plus() -> None:
    assert b"<!-- +80.0 -->" in draw_chart(CHARTS[4], "svg") and b"<!-- 1.0 -->" in draw_chart(CHARTS[3], "svg")


def test_a_long_axis_of_sizes_has_fewer_numbers_and_a_narrow_one_the_fewest() -> None:
    def numbers(x: float, columns: str) -> list[int]:
        points = (Point("a", 1.0, 20.0), Point("b", x, 60.0))
        text = draw_chart(Scatter("t", points, "size", "score", log_x=True), "svg", columns=columns)
        return [number for number in (2, 3, 5) if f"<!-- {number} -->".encode() in text]

    rows = ((8.0, "two"), (8.0, "one"), (60.0, "two"), (60.0, "one"))
    assert [numbers(*row) for row in rows] == [[2, 3, 5], [2, 5], [2, 5], []]


def test_numbers_that_find_no_room_in_a_cell_are_left_to_the_colours() -> None:
    columns = tuple(f"c{n}" for n in range(40))
    heat = Heat("t", ("a",), columns, (tuple(float(n) + 0.4 for n in range(40)),), "score %")
    assert b"<!-- 7.4 -->" in draw_chart(heat, "svg") and b"<!-- 7.4 -->" not in draw_chart(heat, "svg", columns="one")


def test_the_same_figure_has_the_same_bytes() -> None:
    assert draw_chart(CHARTS[2], "svg") == draw_chart(CHARTS[2], "svg")


def test_other_formats_are_refused() -> None:
    with pytest.raises(UsageError, match="svg, png, pdf"):
        draw_chart(CHARTS[0], "gif")


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=["light", "dark"])
def test_ramps_run_in_one_direction_of_lightness(look: object) -> None:
    for stops in (look.ramp, look.below):  # type: ignore[attr-defined]
        steps = [luminance(interpolate_colour(stops, n / 40)) for n in range(41)]
        rising = [b > a for a, b in pairwise(steps)]
        assert all(rising) or not any(rising)


@given(st.floats(-500, 500), st.booleans(), st.booleans())
def test_numbers_in_cells_can_be_read(value: float, signed: bool, dark: bool) -> None:
    ground, ink = cell_colours(value, -100.0 if signed else 0.0, 100.0, DARK if dark else LIGHT, signed=signed)
    light, less = sorted((luminance(ground), luminance(ink)), reverse=True)
    assert (light + 0.05) / (less + 0.05) >= 4.5


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=["light", "dark"])
def test_marks_stand_out_from_the_ground(look: object) -> None:
    ground = luminance(rgb(look.ground))  # type: ignore[attr-defined]
    for colour in (look.text, look.series[0], look.dim):  # type: ignore[attr-defined]
        light, less = sorted((ground, luminance(rgb(colour))), reverse=True)
        assert (light + 0.05) / (less + 0.05) >= 3


def test_a_long_label_below_an_axis_is_broken_into_lines() -> None:
    label = f"difference in points (right: {LONG} better, left: {LONG[::-1]})"
    for columns, letters in (("one", 45), ("two", 90)):
        text = draw_chart(Bars("t", ("a", "b"), (1.0, -1.0), label), "svg", columns=columns, title=False).decode()
        lines = [line for line in re.findall(r"<!-- (.*?) -->", text) if "-model-with" in line or "right:" in line]
        assert lines and all(len(line) < letters for line in lines), lines


def test_names_keep_off_the_line_where_there_is_room() -> None:
    points = tuple(Point(f"model {n}", float(n), float(n)) for n in range(1, 6))
    plain = Scatter("t", points, "x", "y")
    lined = replace(plain, line=((1.0, 1.0), (5.0, 5.0)))
    assert _positions(draw_chart(plain, "svg")) != _positions(draw_chart(lined, "svg"))


def _positions(picture: bytes) -> list[str]:
    return re.findall(r"<!-- model \d -->\s*<g [^>]*transform=\"translate\(([^)]*)\)", picture.decode())


def test_intervals_of_several_lines_stand_beside_each_other() -> None:
    one = Series("a", ((1.0, 20.0, 10.0, 30.0), (2.0, 25.0, 15.0, 35.0)))
    both = Lines("t", (one, replace(one, name="b")), "k", "score")
    picture = draw_chart(both, "svg").decode()
    upright = re.findall(
        r"<path d=\"M ([\d.]+) ([\d.]+) \s*L ([\d.]+) ([\d.]+) \s*\" [^>]*stroke-opacity: 0.7", picture
    )
    places = [x for x, _, to_x, _ in upright if x == to_x]
    assert len(places) == 4 and len(set(places)) == 4


def test_an_axis_of_lengths_is_logarithmic_where_it_is_asked() -> None:
    series = Series("a", ((100.0, 20.0, None, None), (50_000.0, 25.0, None, None)))
    assert b"<!-- 10,000 -->" in draw_chart(Lines("t", (series,), "characters", "score", log_x=True), "svg")


def test_the_marks_of_a_picture_lie_where_its_rows_cells_and_points_are_drawn() -> None:
    rows = draw_picture(Bars("t", ("a", "b"), (1.0, 2.0), "x", opens=("first", "second")), (400, 300), scale=2.0)
    first, second = rows.marks
    assert (first.opens, second.opens) == ("first", "second")
    assert 0 <= first.top < first.bottom == second.top < second.bottom <= 300 and first.right == 400
    heat = Heat("t", ("a", "b"), ("x", "y"), ((0.0, 1.0), (2.0, 3.0)), "%", opens=(("ax", "ay"), ("bx", "by")))
    cells = {mark.opens: mark for mark in draw_picture(heat, (400, 300)).marks}
    assert cells["ax"].right == cells["ay"].left and cells["ax"].bottom == cells["bx"].top
    assert cells["by"].holds((cells["by"].left + cells["by"].right) / 2, cells["by"].top + 1)
    points = (Point("low", 1.0, 1.0, opens="low"), Point("high", 2.0, 9.0, opens="high"))
    low, high = draw_picture(Scatter("t", points, "x", "y"), (400, 300)).marks
    assert high.bottom < low.top and high.left > low.right


def test_a_mark_lies_over_what_is_drawn_at_its_place() -> None:
    heat = Heat("t", ("a",), ("x", "y"), ((0.0, 100.0),), "%", opens=(("x", "y"),))
    picture = draw_picture(heat, (400, 300))
    pixels = imread(BytesIO(picture.png))
    for mark, value in zip(picture.marks, (0.0, 100.0), strict=True):
        ground = cell_colours(value, 0.0, 100.0, LIGHT)[0]
        found = pixels[round(mark.top) + 4, round(mark.left) + 4][:3]
        assert numpy.allclose(found, ground, atol=0.01)


# Names beside points: none over another, over a mark or out of the chart, the strong ones first.
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
    assert "<!-- model0 -->" in draw_chart(Lines("t", series[:24], "k", "score"), "svg").decode()
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
