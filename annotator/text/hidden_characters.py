"""Invisible characters: bidi controls that reorder a text, and characters without a width."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Embeddings, overrides and isolates, which display text in an order other than its own."""
CONTROL_CHARACTERS = frozenset(map(chr, (*range(32), *range(127, 160)))) - frozenset("\n\t") | BIDI
"""Characters that control a terminal or reorder a text."""
_ESCAPES = {ord(character): ascii(character)[1:-1] for character in CONTROL_CHARACTERS}
_JOINERS = frozenset("\u200c\u200d")
# The general categories Cc and Cf, without line ends and the tab; unicodedata per character takes a second a megabyte.
_HIDDEN = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e"
    r"\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\U000110bd\U000110cd"
    r"\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f]"
)


def visible_text(text: str) -> str:
    """Return a text that is safe to print: control characters are escaped, so that a terminal cannot obey them."""
    if text.isascii() and text.isprintable():
        return text
    return text.replace("\r\n", "\n").translate(_ESCAPES)


def find_hidden(text: str) -> tuple[tuple[str, int], ...]:
    """Return (hidden character, count) pairs in order of first occurrence.

    Joiners between non-ASCII characters, as in Indic scripts and emoji, are legitimate and not counted.
    """
    return tuple(Counter(text[position] for position in _find_positions(text)).items())


def hidden_places(text: str) -> tuple[int, ...]:
    """Return the positions of the characters that `find_hidden` counts."""
    return tuple(_find_positions(text))


def _find_positions(text: str) -> Iterator[int]:
    for match in _HIDDEN.finditer(text):
        if match[0] not in _JOINERS or not _is_joined(text, match.start()):
            yield match.start()


def name_hidden(character: str) -> str:
    """Return a hidden character as "U+202E (right-to-left override)"."""
    name = unicodedata.name(character, "control character").lower()
    return f"U+{ord(character):04X} ({name})"


def _is_joined(text: str, position: int) -> bool:
    before, after = text[max(0, position - 1) : position], text[position + 1 : position + 2]
    return bool(before) and bool(after) and not before.isascii() and not after.isascii()
