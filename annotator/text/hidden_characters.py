"""Characters nobody sees in a text: bidi controls that reorder it, and letters without a width."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Embeddings, overrides and isolates: what is read is not what is there."""
STEERING = frozenset(map(chr, (*range(32), *range(127, 160)))) - frozenset("\n\t") | BIDI
"""What makes a terminal do something, or show a text in another order than it has."""
_SHOWN = {ord(letter): ascii(letter)[1:-1] for letter in STEERING}
_JOINERS = frozenset("\u200c\u200d")
# The general categories Cc and Cf, without line ends and the tab: asking for each letter's takes a second a megabyte.
_HIDDEN = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e"
    r"\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\U000110bd\U000110cd"
    r"\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f]"
)


def visible(text: str) -> str:
    """Return a text as it may be written to a terminal: escape sequences and the like are shown, not carried out."""
    if text.isascii() and text.isprintable():
        return text
    return text.replace("\r\n", "\n").translate(_SHOWN)


def find_hidden(text: str) -> tuple[tuple[str, int], ...]:
    """Return each hidden character of a text with how often it stands there, in the order of first meeting.

    Joiners between letters that are not Latin, and within emoji, belong there.
    """
    return tuple(Counter(text[place] for place in _places(text)).items())


def hidden_places(text: str) -> tuple[int, ...]:
    """Return where the characters stand that `find_hidden` counts."""
    return tuple(_places(text))


def _places(text: str) -> Iterator[int]:
    for found in _HIDDEN.finditer(text):
        if found[0] not in _JOINERS or not _is_joined(text, found.start()):
            yield found.start()


def name_hidden(letter: str) -> str:
    """Return a hidden character as "U+202E (right-to-left override)"."""
    name = unicodedata.name(letter, "control character").lower()
    return f"U+{ord(letter):04X} ({name})"


def _is_joined(text: str, place: int) -> bool:
    before, after = text[max(0, place - 1) : place], text[place + 1 : place + 2]
    return bool(before) and bool(after) and not before.isascii() and not after.isascii()
