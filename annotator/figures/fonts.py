"""Which fonts write a figure's names: the one that comes with Matplotlib, then what is here for other scripts."""

from __future__ import annotations

import logging
import warnings

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
    from matplotlib.font_manager import findfont, fontManager, get_font

    own = get_font(findfont(_OWN)).get_charmap()
    if all(ord(character) in own for character in set(text)):
        return [_OWN]
    known = {font.name for font in fontManager.ttflist}
    return [_OWN, *(name for name in _OTHERS if name in known)]


def unwarned() -> None:
    """Keep quiet about a character that no font here has: it is drawn as a box, and the table has the whole name."""
    # Fonts of other scripts have few weights; the nearest will do.
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", message=r"Glyph \d+ ", category=UserWarning)
