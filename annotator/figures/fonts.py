"""Choose the fonts of a figure: Matplotlib's own, then installed ones for other scripts."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Sequence
from contextlib import suppress
from functools import cache

_DEFAULT_FAMILY = "DejaVu Sans"
# Fonts of common systems for Chinese, Japanese and Korean, then other scripts, then symbols and emoji.
_OTHER_FAMILIES = (
    "Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "Microsoft YaHei", "PingFang SC", "Hiragino Sans GB",
    "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "SimHei", "Noto Sans CJK JP", "Yu Gothic", "Hiragino Sans",
    "Noto Sans CJK KR", "Malgun Gothic", "Apple SD Gothic Neo", "Noto Sans Devanagari", "Nirmala UI", "Noto Sans Thai",
    "Leelawadee UI", "Arial Unicode MS", "Noto Sans Symbols", "Noto Sans Symbols2", "Segoe UI Symbol", "Noto Emoji",
    "Segoe UI Emoji", "Symbola",
)  # fmt: skip


def font_families(text: str) -> list[str]:
    """Return the installed font families needed for a text, in order of preference.

    Most texts need only one. More families slow down drawing, because Matplotlib searches them for every word.
    """
    from matplotlib.font_manager import fontManager

    missing = _missing_characters(set(text), [_DEFAULT_FAMILY])
    if not missing:
        return [_DEFAULT_FAMILY]
    silence_font_warnings()
    others = [name for name in _OTHER_FAMILIES if name in {font.name for font in fontManager.ttflist}]
    if _missing_characters(missing, others) and register_new_fonts():
        others = [name for name in _OTHER_FAMILIES if name in {font.name for font in fontManager.ttflist}]
    return [_DEFAULT_FAMILY, *others]


def _missing_characters(characters: set[str], names: Sequence[str]) -> set[str]:
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
    """Silence warnings about missing glyphs, which are drawn as boxes; the table beside the figure has the names."""
    # The font manager also warns if a font lacks a weight; the nearest one will do.
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", message=r"Glyph \d+ ", category=UserWarning)
