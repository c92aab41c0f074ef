"""The colours of figures, which can be told apart in greyscale and by colour-blind readers."""

from __future__ import annotations

from dataclasses import dataclass

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
    first, second = rgb(stops[index]), rgb(stops[index + 1])
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
    dark_text, light_text = (0.0, 0.0, 0.0), rgb("#ffffff")
    use_dark = (background_luminance + 0.05) / (luminance(dark_text) + 0.05) >= 1.05 / (background_luminance + 0.05)
    return ground, dark_text if use_dark else light_text
