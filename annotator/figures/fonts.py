"""The fonts of a figure: Matplotlib's own, then installed ones for other scripts."""

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


def font_families(text: str) -> list[str]:
    """Return the installed font families needed for a text, in order of preference.

    Most texts need only one. Further families slow down drawing, as Matplotlib searches them for every word.
    """
    from matplotlib.font_manager import fontManager

    missing = _missing(set(text), [_OWN])
    if not missing:
        return [_OWN]
    silence_font_warnings()
    others = [name for name in _OTHERS if name in {font.name for font in fontManager.ttflist}]
    if _missing(missing, others) and register_new_fonts():
        others = [name for name in _OTHERS if name in {font.name for font in fontManager.ttflist}]
    return [_OWN, *others]


def _missing(characters: set[str], names: Sequence[str]) -> set[str]:
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
    """Silence warnings about missing glyphs: they are drawn as boxes, and the table has the whole name."""
    # The font manager also warns if a font lacks a weight; the nearest one will do.
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", message=r"Glyph \d+ ", category=UserWarning)
