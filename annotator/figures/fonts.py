"""Which fonts write a figure's names: the one that comes with Matplotlib, then what is here for other scripts."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Sequence
from contextlib import suppress
from functools import cache

_OWN = "DejaVu Sans"
# Chinese, Japanese and Korean, then other scripts, then signs and pictures, as systems and distributions name them.
_OTHERS = (
    "Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "Microsoft YaHei", "PingFang SC", "Hiragino Sans GB",
    "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "SimHei", "Noto Sans CJK JP", "Yu Gothic", "Hiragino Sans",
    "Noto Sans CJK KR", "Malgun Gothic", "Apple SD Gothic Neo", "Noto Sans Devanagari", "Nirmala UI", "Noto Sans Thai",
    "Leelawadee UI", "Arial Unicode MS", "Noto Sans Symbols", "Noto Sans Symbols2", "Segoe UI Symbol", "Noto Emoji",
    "Segoe UI Emoji", "Symbola",
)  # fmt: skip


def families(text: str) -> list[str]:
    """Return the font families to look the characters of a text up in, those that are installed, in order.

    Most texts need one; each further one is asked for every word that is drawn.
    """
    from matplotlib.font_manager import fontManager

    missing = _missing(set(text), [_OWN])
    if not missing:
        return [_OWN]
    unwarned()
    others = [name for name in _OTHERS if name in {font.name for font in fontManager.ttflist}]
    if _missing(missing, others) and added_since():
        others = [name for name in _OTHERS if name in {font.name for font in fontManager.ttflist}]
    return [_OWN, *others]


def _missing(characters: set[str], names: Sequence[str]) -> set[str]:
    from matplotlib.font_manager import findfont, get_font

    for name in names:
        held = get_font(findfont(name)).get_charmap()
        characters = {character for character in characters if ord(character) not in held}
    return characters


@cache
def added_since() -> bool:
    """Make known what was installed after Matplotlib wrote its list of fonts, which it never looks through again."""
    from matplotlib.font_manager import findSystemFonts, fontManager

    known = {font.fname for font in fontManager.ttflist}
    added = False
    for path in sorted(set(findSystemFonts()) - known):
        # A file of fonts that cannot be read is none.
        with suppress(OSError, RuntimeError):
            fontManager.addfont(path)
            added = True
    return added


def unwarned() -> None:
    """Keep quiet about a character that no font here has: it is drawn as a box, and the table has the whole name."""
    # Fonts of other scripts have few weights; the nearest will do.
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", message=r"Glyph \d+ ", category=UserWarning)
